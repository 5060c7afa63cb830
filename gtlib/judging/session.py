"""Judge documents yourself, best first, and never lose a judgment."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from gtlib.checks import whole_number
from gtlib.judging.strategies import mtc_weights
from gtlib.pool import Pool, pool_runs
from gtlib.trec import read_qrels


class JudgingSession:
    """A judging session in a plain qrels file.

    Ask for the `next` document, look at it, `record` the judgment. Every
    judgment is on disk before `record` returns: the file is written anew
    beside the old one and then takes its place in one step, so that a
    crash leaves either the old file or the new one. Open the same path
    again to go on. Judgments that others add to the file are kept.

    Parameters
    ----------
    runs : DataFrame or Pool
        The systems to compare, as `pool_runs` takes them.
    path : str or Path
        The qrels file; made at the first judgment.

    Raises
    ------
    ValueError
        If the file is not a qrels file or contradicts itself.

    Examples
    --------
    >>> from gtlib import synthetic_collection
    >>> drawn = synthetic_collection(systems=2, topics=2, documents=30)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "mine.qrels"
    >>> session = JudgingSession(drawn.runs, path)
    >>> topic, document = session.next()
    >>> session.record(topic, document, 1)
    >>> len(JudgingSession(drawn.runs, path).judgments)
    1
    >>> folder.cleanup()
    """

    def __init__(self, runs: pd.DataFrame | Pool, path: str | Path) -> None:
        self.pool = runs if isinstance(runs, Pool) else pool_runs(runs)
        self.path = Path(path)
        self._judged = self._on_disk()

    def __repr__(self) -> str:
        return (
            f"{len(self._judged)} of {len(self.pool.documents)} documents "
            f"judged, in {self.path}"
        )

    @property
    def judgments(self) -> pd.DataFrame:
        """The ``topic``, ``document``, ``relevance`` of each so far."""
        rows = [(*key, told) for key, told in self._judged.items()]
        return pd.DataFrame(
            rows, columns=["topic", "document", "relevance"]
        ).astype({"topic": str, "document": str, "relevance": int})

    def next(self) -> tuple[str, str] | None:
        """The document whose judgment should tell the most.

        Returns
        -------
        (str, str) or None
            Topic and document, of a topic with the fewest judgments; None
            when everything is judged.
        """
        known = self.pool.labels(self.judgments).to_numpy()
        told = ~np.isnan(known)
        p = np.where(told, known, 0.5)
        best = None
        for place in range(len(self.pool.topics)):
            part = slice(*self.pool.starts[place : place + 2])
            if told[part].all():
                continue
            weight = mtc_weights(self.pool.ranks[:, part], p[part])
            weight[told[part]] = -1
            key = (-told[part].sum(), weight.max())
            if best is None or key > best[0]:
                best = key, self.pool.documents[part][weight.argmax()]
        return best and best[1]

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
        """
        key = (str(topic), str(document))
        if key not in self.pool.documents:
            raise ValueError(
                f"The pool has no document {document!r} on topic {topic!r}."
            )
        relevance = whole_number(relevance, "relevance", least=0)
        merged = self._on_disk()
        before = merged.get(key, relevance)
        if before != relevance and not revise:
            raise ValueError(
                f"{document} on topic {topic} has the judgment {before}; "
                "record it with revise=True to replace that."
            )
        merged[key] = relevance
        self._write(merged)
        self._judged = merged

    def _on_disk(self):
        if not self.path.exists() or not self.path.stat().st_size:
            return {}
        table = read_qrels(self.path)
        return table.set_index(["topic", "document"])["relevance"].to_dict()

    def _write(self, judged):
        lines = [f"{t} 0 {d} {told}\n" for (t, d), told in judged.items()]
        with tempfile.NamedTemporaryFile(
            "w", dir=self.path.parent, delete=False, encoding="utf-8"
        ) as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, self.path)
