"""Judge documents yourself, best first, and never lose a judgment."""

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

import pandas as pd

from gtaudit.extras import require_packages
from gtaudit.safe_files import lock_file, write_together
from gtlib.checks import one_of, whole_number
from gtlib.experts import MODELS, relevance_estimates
from gtlib.judging import mtc_weights
from gtlib.runs import MOST_RELEVANT, Pool, pool_runs, read_qrels

# Names that a qrels file can hold: read back, they are the same.
NAME_PATTERN = r"[^\s\0\ufeff\ud800-\udfff]+"


class JudgingSession:
    """A judging session in a plain qrels file.

    Ask for the `next` document, look at it, `record` the judgment. Every
    judgment is a line at the end of the file, and on disk before `record`
    returns. A lock beside the file is held meanwhile and the file read
    anew, so that several sessions may write to it at once. To revise a
    judgment the file is written anew beside the old one, with that line
    changed, and then takes its place in one step. Open the same path again
    to go on.

    Parameters
    ----------
    runs : DataFrame or Pool
        The systems to compare, as `pool_runs` takes them.
    path : str or Path
        The qrels file; made at the first judgment.
    prior : {"uniform", "experts", "logistic"}
        How probable it is that an unjudged document is relevant, as
        `judge` has it; all but the first learn from every judgment.

    Raises
    ------
    ValueError
        If the prior is unknown; if the file is not a qrels file, is
        compressed, or contradicts itself; or if a topic or document has a
        name that a qrels file cannot hold: an empty one, or one with
        blanks.

    Examples
    --------
    >>> from gtlib import synthetic_collection
    >>> drawn = synthetic_collection(systems=2, topics=2, documents=30)
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> path = Path(folder.name) / "mine.qrels"
    >>> session = JudgingSession(drawn.runs, path)
    >>> topic, document = session.next()
    >>> session.record(topic, document, 1)
    >>> len(JudgingSession(drawn.runs, path).judgments)
    1
    >>> folder.cleanup()
    """

    def __init__(
        self,
        runs: pd.DataFrame | Pool,
        path: str | Path,
        prior: str = "uniform",
    ) -> None:
        require_packages("A judging session", "filelock")
        one_of(prior, "prior", MODELS)
        self.prior = prior
        self.pool = runs if isinstance(runs, Pool) else pool_runs(runs)
        self.path = Path(path)
        for names in self.pool.documents.levels:
            for name in names:
                if not re.fullmatch(NAME_PATTERN, str(name)):
                    raise ValueError(
                        f"A qrels file cannot hold the {names.name} "
                        f"{str(name)!r}: names are not empty, and have no "
                        "blanks, tabs or line ends. Rename it."
                    )
        self._judged = self._on_disk()

    def __repr__(self) -> str:
        return (
            f"{len(self._judged)} of {len(self.pool.documents)} documents "
            f"judged, in {self.path}"
        )

    @property
    def judgments(self) -> pd.DataFrame:
        """The ``topic``, ``document``, ``relevance`` of each so far."""
        rows = [
            (*key, relevance) for key, relevance in self._judged.items()
        ]
        kinds = {"topic": str, "document": str, "relevance": int}
        return pd.DataFrame(rows, columns=[*kinds]).astype(kinds)

    def next(self) -> tuple[str, str] | None:
        """Return the document whose judgment should tell the most.

        Returns
        -------
        (str, str) or None
            Topic and document, of a topic with the fewest judgments; None
            when everything is judged.
        """
        judged = self.pool.labels(self.judgments).notna().to_numpy()
        p = relevance_estimates(
            self.pool, self.judgments, self.prior
        ).to_numpy()
        best, choice = None, None
        for place in range(len(self.pool.topics)):
            documents = slice(*self.pool.starts[place : place + 2])
            if judged[documents].all():
                continue
            weight = mtc_weights(
                self.pool.ranks[:, documents], p[documents]
            )
            weight[judged[documents]] = -1
            key = (-judged[documents].sum(), weight.max())
            if best is None or key > best:
                best = key
                choice = self.pool.documents[documents][weight.argmax()]
        return choice

    def record(
        self,
        topic: str,
        document: str,
        relevance: int,
        revise: bool = False,
    ) -> None:
        """Keep a judgment, on disk.

        Parameters
        ----------
        topic, document : str
        relevance : int
            0 is not relevant; any larger number is relevant.
        revise : bool
            Whether to replace another judgment of the same document.

        Raises
        ------
        ValueError
            If the document is not in the pool, the relevance is not a
            whole number from 0, or the document has another judgment.
        OSError
            If it cannot be written; the file stays as it was.
        """
        key = (str(topic), str(document))
        if key not in self.pool.documents:
            raise ValueError(f"The pool of {topic!r} has no {document!r}.")
        relevance = whole_number(relevance, "relevance", least=0)
        if relevance > MOST_RELEVANT:
            raise ValueError(
                f"relevance={relevance}: the most is {MOST_RELEVANT}."
            )
        with lock_file(self.path.resolve(), "judging"):
            judgments = self._on_disk()
            before = judgments.get(key)
            if before not in (None, relevance) and not revise:
                raise ValueError(
                    f"{document} on topic {topic} has the judgment "
                    f"{before}; record it with revise=True to replace that."
                )
            judgments[key] = relevance
            if before is None:
                _append(self.path, f"{topic} 0 {document} {relevance}\n")
            elif before != relevance:
                self._revise(*key, relevance)
        self._judged = judgments

    def _on_disk(self):
        if not self.path.exists() or not self.path.stat().st_size:
            return {}
        if self.path.open("rb").read(2) == b"\x1f\x8b":
            raise ValueError(f"{self.path} is compressed: unpack it first.")
        table = read_qrels(self.path)
        return table.set_index(["topic", "document"])["relevance"].to_dict()

    def _revise(self, topic, document, relevance):
        """Change one judgment in the file, which keeps its place, mode and
        owner."""
        path = self.path.resolve()
        status = path.stat()
        line = r"(?<![^\r\n])((?:\xef\xbb\xbf)?\s*{}\s+\S+\s+{}\s+)\S+"
        line = line.format(re.escape(topic), re.escape(document))
        replacement = rb"\g<1>%d" % relevance
        text = re.sub(line.encode(), replacement, path.read_bytes())
        write_together({path: text})
        path.chmod(status.st_mode)
        with suppress(PermissionError):
            shutil.chown(path, status.st_uid, status.st_gid)


def _append(path, line):
    """Append a line to a file: all of it, or nothing."""
    with open(path, "a+b", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 1, 0))
        if file.read(1) not in (b"\n", b""):
            line = "\n" + line
        try:
            if file.write(line.encode()) < len(line.encode()):
                raise OSError(f"There is no space left for {path}.")
            os.fsync(file.fileno())
        except BaseException:
            file.truncate(end)
            raise
