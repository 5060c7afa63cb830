"""Optimal allocation: how to split a budget over topics and assessors."""

from gtlib.allocation.by_judgments import (
    best_by_judgments,
    difference_errors,
    next_judgments,
)
from gtlib.allocation.choice import (
    Allocation,
    best,
    cheapest,
    pareto,
    sensitivity,
)
from gtlib.allocation.prices import JUDGMENT, read_cost
from gtlib.allocation.ratio import optimal_ratio, optimal_ratio_interval

__all__ = [
    "JUDGMENT",
    "Allocation",
    "best",
    "best_by_judgments",
    "cheapest",
    "difference_errors",
    "next_judgments",
    "optimal_ratio",
    "optimal_ratio_interval",
    "pareto",
    "read_cost",
    "sensitivity",
]
