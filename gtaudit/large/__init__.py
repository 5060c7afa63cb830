"""G-studies of tables larger than memory: sums of groups, by an engine.

It needs the extra ``big``: in a checkout, ``pip install ".[big]"``.
"""

from gtaudit.large.means import Means
from gtaudit.large.table import Table, gstudy

__all__ = ["Means", "Table", "gstudy"]
