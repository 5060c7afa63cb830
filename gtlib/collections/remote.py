"""Files that are not ours to embed: found in a mirror or cache, or fetched.

A file is known by its path ``OWNER/REPO/COMMIT/PATH`` on GitHub and by
the SHA-256 checksum that ``data/checksums.sha256`` holds for it. It is
looked for in the folder that the environment variable ``GTLIB_MIRROR``
names, then in the user's cache, and then downloaded, unless the variable
``GTLIB_OFFLINE`` is set. The mirror is only read; what it holds as
``PATH.gz`` is unpacked into the cache.
"""

import fnmatch
import functools
import gzip
import itertools
import os
import sys
import warnings
import zlib
from pathlib import Path

URL = "https://raw.githubusercontent.com/"
# Mebibytes that a packed file unpacks to; by its checksum, one cut short
# is not the file that is expected.
MOST_PARTS = 512
_offline = None  # the reason, once a connection could not be made


class DatasetUnavailable(OSError):
    """A data set that is not on this machine and cannot be fetched now."""


def data_folder() -> Path:
    """Find the embedded data, in the package or in the repository."""
    package = Path(__file__).parent.parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


@functools.cache
def checksums() -> dict[str, str]:
    """Return the SHA-256 of every remote file, by its path."""
    lines = (data_folder() / "checksums.sha256").read_text("utf-8")
    pairs = (line.split(maxsplit=1) for line in lines.splitlines())
    return {path: checksum for checksum, path in pairs}


def remote_paths(pattern: str) -> list[str]:
    """Return the known remote files that match a path or a pattern."""
    return fnmatch.filter(checksums(), pattern)


def file_location(path: str) -> str:
    """Say where a file would come from, without opening it: ``"mirror"``,
    ``"cached"`` or ``"remote"``."""
    if _find_in_mirror(path):
        return "mirror"
    kept = Path(_pooch().os_cache("gtlib"), path)
    return "cached" if kept.is_file() else "remote"


def fetch(path: str) -> Path:
    """Return a local copy of a remote file, checked against its checksum.

    Raises
    ------
    DatasetUnavailable
        If the file is not here and there is no network.
    ValueError
        If the file in ``GTLIB_MIRROR``, or in the cache where there is no
        network, is not the one that is expected.
    """
    mirrored = _find_in_mirror(path)
    if mirrored is None:
        return _download(path)
    if mirrored.name == Path(path).name:
        if _pooch().file_hash(mirrored) == checksums()[path]:
            return mirrored
    else:
        try:
            return _unpack(path, mirrored)
        except (EOFError, ValueError, zlib.error, gzip.BadGzipFile):
            pass
        except OSError as error:
            raise _unavailable(path, error) from None
    raise ValueError(
        f"{mirrored} is not the file that is expected (its SHA-256, "
        f"uncompressed, is not {checksums()[path]}): download it again "
        f"from {URL}{path} or remove it from the folder that "
        "GTLIB_MIRROR names."
    )


def _find_in_mirror(path):
    """The file in the mirror, plain or gzipped, or None."""
    folder = os.environ.get("GTLIB_MIRROR")
    if not folder:
        return None
    candidates = (
        Path(folder, path + end).expanduser() for end in ("", ".gz")
    )
    return next((file for file in candidates if file.is_file()), None)


@functools.cache
def _pooch():
    """Import pooch, and silence its log and its warning about progress
    bars."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pooch
    pooch.get_logger().setLevel("ERROR")
    return pooch


def _keeper(**options):
    """Return pooch's store in the user's cache, which checks every file."""
    return _pooch().create(
        _pooch().os_cache("gtlib"), URL, registry=checksums(), **options
    )


def _unpack(path, packed):
    def unpack(url, output, keeper):
        with gzip.open(packed) as source, open(output, "wb") as target:
            parts = iter(functools.partial(source.read, 2**20), b"")
            target.writelines(itertools.islice(parts, MOST_PARTS))

    return Path(_keeper().fetch(path, downloader=unpack))


def _download(path):
    import requests
    from urllib3.exceptions import NewConnectionError

    global _offline
    no_network = ConnectionError, requests.ConnectionError, requests.Timeout
    download = _pooch().HTTPDownloader(sys.stderr.isatty(), timeout=(5, 30))

    offline = _offline or offline_by_choice()

    def unless_offline(url, output, keeper):
        if offline:
            raise DatasetUnavailable(offline)
        try:
            download(url, output, keeper)
        except requests.ConnectionError as error:
            reason = getattr(error.args[0], "reason", None)
            if isinstance(reason, NewConnectionError):
                # Pooch waits and tries again after requests' errors only.
                raise ConnectionError(error) from None
            raise

    try:
        keeper = _keeper(retry_if_failed=2)
        return Path(keeper.fetch(path, downloader=unless_offline))
    except (OSError, ValueError) as error:  # requests' are OSErrors
        if isinstance(error, no_network):
            _offline = "there is no network"  # as long as Python runs
        reason = offline or _offline or error
        held = Path(_pooch().os_cache("gtlib"), path)
        if held.is_file():
            raise ValueError(
                f"{held} is not the file that is expected, and it could "
                f"not be fetched again ({reason}): remove it."
            ) from None
        raise _unavailable(path, reason) from None


def offline_by_choice() -> str:
    """Return why nothing is downloaded, if the user has said so."""
    said = os.environ.get("GTLIB_OFFLINE", "")
    return "" if said in ("", "0") else "GTLIB_OFFLINE is set"


def _unavailable(path, reason):
    mirror = os.environ.get("GTLIB_MIRROR")
    now = f", not {mirror}," if mirror else ""
    chosen = offline_by_choice()
    remedy = "Unset it" if chosen else "Connect to the network"
    return DatasetUnavailable(
        f"{path} is not on this machine and could not be fetched "
        f"({reason}). {remedy}, or set "
        f"GTLIB_MIRROR to a folder{now} that holds this path. To have all "
        "data at once, type in a clone of the book: make data"
    )
