"""Names of the room, and the modules that they come from."""

from .delimited import parse_csv as parse_csv
from .evaluations import is_measure as is_measure
from .evaluations import trec_eval_name as trec_eval_name
from .files import list_inputs as list_inputs
from .read import read_tables as read_tables
from .values import are_words as are_words
from .values import as_scores as as_scores
from .values import is_grouped as is_grouped
