"""Names of the room, and the modules that they come from."""

from .judges import COVERAGE as COVERAGE
from .registry import datasets as datasets
from .registry import load as load
from .registry import load_all as load_all
from .remote import DatasetUnavailable as DatasetUnavailable
from .remote import data_folder as data_folder
