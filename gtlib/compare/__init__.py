"""Comparisons: of pairs of systems, and of rankings."""

from gtlib.compare.paired import (
    critical_t,
    holm,
    p_value,
    pair_spreads,
    paired_t_power,
    wilson,
)
from gtlib.compare.rankings import (
    RankingAgreement,
    kendall_tau,
    predicted_tau,
    ranking_agreement,
    ranks,
    tau_ap,
)

__all__ = [
    "RankingAgreement",
    "critical_t",
    "holm",
    "kendall_tau",
    "p_value",
    "pair_spreads",
    "paired_t_power",
    "predicted_tau",
    "ranking_agreement",
    "ranks",
    "tau_ap",
    "wilson",
]
