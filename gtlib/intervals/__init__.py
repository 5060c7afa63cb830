"""How sure are we: intervals for coefficients, components and numbers.

An estimate from forty systems and fifty topics would have come out
differently with others. In closed form (`limits`) where the normal
model allows it, else from replicates (`replicates`, `resampling`).
"""

from gtlib.intervals.components import component_intervals
from gtlib.intervals.jackknife import system_groups
from gtlib.intervals.methods import percentiles, replicate
from gtlib.intervals.plan_intervals import interval, required_interval

__all__ = [
    "component_intervals",
    "interval",
    "percentiles",
    "replicate",
    "required_interval",
    "system_groups",
]
