"""Names of the room, and the modules that they come from."""

from .evaluate import Qrels as Qrels
from .evaluate import Runs as Runs
from .evaluate import Scoring as Scoring
from .evaluate import computed as computed
from .evaluate import each_run as each_run
from .evaluate import judgments_of as judgments_of
from .evaluate import parse_measure as parse_measure
from .evaluate import read_runs as read_runs
from .evaluate import stem as stem
from .find_files import MOST_BYTES as MOST_BYTES
from .find_files import Paths as Paths
from .find_files import cannot as cannot
from .find_files import claim as claim
from .find_files import files_in as files_in
from .find_files import read_as_written as read_as_written
from .pool import Pool as Pool
from .pool import pool_runs as pool_runs
from .trec import MOST_RELEVANT as MOST_RELEVANT
from .trec import ByTopic as ByTopic
from .trec import by_topic as by_topic
from .trec import ranked as ranked
from .trec import read_fields as read_fields
from .trec import read_qrels as read_qrels
from .trec import read_run as read_run
