"""RAGAS: a table to a system, a row to a question, a column to a metric.

Columns are ``user_input`` (before 0.2, ``question``), ``response``
(``answer``), ``retrieved_contexts`` (``contexts``), ``reference`` and the
metrics, such as ``faithfulness``; the file's name is that of the system.

https://docs.ragas.io (``EvaluationResult.to_pandas``)
"""

import pandas as pd

_QUESTIONS = {"user_input", "question"}
_TEXTS = {"response", "answer", "retrieved_contexts", "contexts"}
_TEXTS |= {"reference", "ground_truth", "reference_contexts"}


def is_one_system(table: pd.DataFrame) -> bool:
    """Return whether this is the table of one system."""
    names = {*map(str, table)}
    return bool(names & _QUESTIONS) and len(names & _TEXTS) > 1
