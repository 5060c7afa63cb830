"""G-studies of tables larger than memory: sums of groups, by an engine.

It needs ``pip install 'gtlib-ir[big]'``.
"""

from gtapps.large.means import Means
from gtapps.large.table import Table, gstudy

__all__ = ["Means", "Table", "gstudy"]
