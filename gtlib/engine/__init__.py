"""G-studies of tables larger than memory: sums of groups, by an engine."""

from gtlib.engine.source import Rows, is_source
from gtlib.engine.sums import Sums, read_sums

__all__ = ["Rows", "Sums", "is_source", "read_sums"]
