"""Files that are not ours to embed: found in a mirror or cache, or fetched.

A file is known by its path ``OWNER/REPO/COMMIT/PATH`` on GitHub and by
the SHA-256 checksum that ``data/checksums.sha256`` holds for it. It is
looked for in the folder that the environment variable ``GTLIB_MIRROR``
names, then in the user's cache, and then downloaded.
"""

import fnmatch
import functools
import hashlib
import os
import time
import warnings
from pathlib import Path

from tqdm import tqdm

URL = "https://raw.githubusercontent.com/"
_TRIES = 3
_offline = None  # the reason, once a connection could not be made


class DatasetUnavailable(OSError):
    """A data set that is not on this machine and cannot be fetched now."""


def data_folder():
    """The embedded data: inside the package, or in the repository."""
    package = Path(__file__).parent.parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


@functools.cache
def checksums():
    """SHA-256 of every remote file, by its path."""
    lines = (data_folder() / "checksums.sha256").read_text("utf-8")
    pairs = (line.split(maxsplit=1) for line in lines.splitlines())
    return {path: checksum for checksum, path in pairs}


def remote_paths(pattern):
    """The known remote files that match a path or a pattern."""
    return [
        path for path in checksums() if fnmatch.fnmatchcase(path, pattern)
    ]


def whereabouts(path):
    """``"mirror"``, ``"cached"`` or ``"remote"``: where a file would come
    from, without opening it."""
    mirrored = _mirrored(path)
    if mirrored and mirrored.is_file():
        return "mirror"
    return "cached" if _cached(path).is_file() else "remote"


def fetch(path):
    """A local copy of a remote file, checked against its checksum.

    Raises
    ------
    DatasetUnavailable
        If the file is not here and there is no network.
    ValueError
        If the file in ``GTLIB_MIRROR`` is not the one that is expected.
    """
    expected = checksums()[path]
    mirrored = _mirrored(path)
    if mirrored and mirrored.is_file():
        if _sha256(mirrored) != expected:
            raise ValueError(
                f"{mirrored} is not the file that is expected (its SHA-256 "
                f"is not {expected}): download it again from {URL}{path} "
                "or remove it from the folder that GTLIB_MIRROR names."
            )
        return mirrored
    cached = _cached(path)
    if not (cached.is_file() and _sha256(cached) == expected):
        _download(path, expected, cached)
    return cached


def _mirrored(path):
    folder = os.environ.get("GTLIB_MIRROR")
    return Path(folder, path) if folder else None


def _cached(path):
    return Path(_pooch().os_cache("gtlib"), path)


def _pooch():
    """pooch, without its warning about progress bars in notebooks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pooch
    return pooch


def _sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _download(path, expected, target):
    """Download one file; wait and try again only if that may help."""
    import requests

    pooch = _pooch()

    global _offline
    if _offline:
        raise _unavailable(path, _offline)
    pooch.get_logger().setLevel("ERROR")  # it would write to stderr
    for attempt in range(_TRIES):
        time.sleep(attempt**2)
        bar = tqdm(
            total=1,
            unit="B",
            unit_scale=True,
            desc=target.name,
            leave=False,
            disable=None,
        )
        try:
            pooch.retrieve(
                URL + path,
                expected,
                fname=target.name,
                path=target.parent,
                downloader=pooch.HTTPDownloader(
                    progressbar=bar, timeout=(5, 30)
                ),
            )
            return
        except (OSError, ValueError) as error:  # requests' are OSErrors
            reason = error
        finally:
            bar.close()
        if _no_network(reason) or not _may_pass(reason):
            break
    if isinstance(reason, (requests.ConnectionError, requests.Timeout)):
        _offline = "there is no network"  # for as long as Python runs
    raise _unavailable(path, _offline or reason) from None


def _no_network(error):
    """Whether a connection could not even be made."""
    import requests
    from urllib3 import exceptions as http

    if isinstance(
        error, (requests.ConnectTimeout, requests.exceptions.ProxyError)
    ):
        return True
    cause = getattr(error.args[0] if error.args else None, "reason", None)
    return isinstance(error, requests.ConnectionError) and isinstance(
        cause, (http.NewConnectionError, http.ConnectTimeoutError)
    )


def _may_pass(error):
    """Whether the same request may succeed a moment later."""
    import requests

    if isinstance(error, requests.HTTPError):
        status = error.response.status_code
        return status == 429 or status >= 500
    return isinstance(error, (requests.RequestException, ValueError))


def _unavailable(path, reason):
    mirror = os.environ.get("GTLIB_MIRROR")
    cure = "set the environment variable GTLIB_MIRROR to a folder that"
    if mirror:
        cure = f"see that the folder that GTLIB_MIRROR names ({mirror})"
    return DatasetUnavailable(
        f"{path} is not on this machine and could not be fetched "
        f"({reason}). Connect to the network and try again, or {cure} "
        "holds the file under this path."
    )
