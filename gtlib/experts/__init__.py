"""Relevance of unjudged documents, from the systems' opinions.

Carterette (2007), section 3: every system is an expert that gives its
opinion on each document by ranking it. The opinions are calibrated on the
judged documents and aggregated into a probability of relevance; trials
against judgments that are known say whether it can be trusted.
"""

from gtlib.experts.model import AGGREGATORS, ExpertModel
from gtlib.experts.trust import (
    MODELS,
    calibration_bins,
    calibration_scores,
    confidence_trials,
    effort_trials,
    ordered_pairs,
    relevance_estimates,
)
