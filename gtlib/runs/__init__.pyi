"""Names of the room, and the modules that they come from."""

from .evaluate import Qrels as Qrels
from .evaluate import Runs as Runs
from .evaluate import Scoring as Scoring
from .evaluate import file_stem as file_stem
from .evaluate import judgments_by_assessor as judgments_by_assessor
from .evaluate import measure_errors as measure_errors
from .evaluate import parse_measure as parse_measure
from .evaluate import process_runs as process_runs
from .evaluate import read_runs as read_runs
from .find_files import MOST_BYTES as MOST_BYTES
from .find_files import Paths as Paths
from .find_files import claim_system as claim_system
from .find_files import file_error as file_error
from .find_files import list_files as list_files
from .find_files import read_as_written as read_as_written
from .pool import Pool as Pool
from .pool import pool_runs as pool_runs
from .trec import MOST_RELEVANT as MOST_RELEVANT
from .trec import ByTopic as ByTopic
from .trec import group_by_topic as group_by_topic
from .trec import rank_documents as rank_documents
from .trec import read_fields as read_fields
from .trec import read_qrels as read_qrels
from .trec import read_run as read_run
