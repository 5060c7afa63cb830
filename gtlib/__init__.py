"""How good is a test collection, and what should be built next?

A file to a subject; here is what each offers. It is loaded when one of its
names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from gtlib.version import __version__ as __version__

if TYPE_CHECKING:  # for editors and mypy
    from .ap import *
    from .comparisons import *
    from .ctt import *
    from .data import *
    from .design import *
    from .experts import *
    from .gtheory import *
    from .judges import *
    from .judging import *
    from .multivariate import *
    from .reuse import *
    from .runs import *
    from .scores import *
    from .swaps import *

_NAMES = {
    "ap": "ap_distribution ap_moments average_precision delta_ap_moments",
    "comparisons": "gate_power kendall_tau paired_t_power "
    "pass_all_k pass_at_k tau_ap",
    "ctt": "cronbach_alpha item_analysis spearman_brown",
    "data": "DatasetUnavailable datasets load load_all",
    "design": "Design",
    "experts": "ExpertModel",
    "gtheory": "GStudy Plan gstudy",
    "judges": "agreement human_topics prediction_powered",
    "judging": "judge synthetic_collection",
    "multivariate": "mgstudy",
    "reuse": "BlockDesign goodness_of_fit "
    "reusability_test significance_agreement",
    "runs": "pool_runs read_qrels read_run read_runs",
    "scores": "Interval drop_worst tidy",
    "swaps": "compare extrapolate_swaps leaderboard "
    "split_half swap_rates topics_to_detect",
}
_FILE_OF = {
    name: file for file, all in _NAMES.items() for name in all.split()
}
__all__ = sorted(_FILE_OF)


def __getattr__(name):
    if name in _FILE_OF:
        return getattr(import_module(f"gtlib.{_FILE_OF[name]}"), name)
    from gtlib.checks import did_you_mean, similar

    meant = []
    if not name.startswith("_"):  # those are asked for by programs
        meant = [f"gt.{found}" for found in similar(name, __all__)]
    raise AttributeError(
        f"gtlib has no name {name!r}.{did_you_mean(meant)}"
    )


def __dir__():
    return [*__all__, "__version__"]
