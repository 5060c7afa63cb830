"""Roles of columns, and scores that are called like errors."""

import pandas as pd
import pytest

from gtaudit.roles import column_roles, is_less_better


@pytest.mark.parametrize(
    ("levels", "topic"),
    [
        (
            {"question_id": [1, 2, 3, 4], "question": [*"abcd"]},
            "question_id",
        ),
        ({"question": [*"aabb"], "item": [1, 2, 3, 4]}, "item"),
    ],
)
def test_the_finest_column_names_the_topics_and_else_the_first(
    levels, topic
):
    table = pd.DataFrame(levels).merge(
        pd.DataFrame({"model": [*"xyz"]}), how="cross"
    )
    roles = column_roles("a.csv", table, None, {}, table)
    assert roles == {topic: "topic", "model": "system"}


@pytest.mark.parametrize(
    "name",
    [
        *("WER", "test_wer", "word_error_rate", "TER", "DER", "PER", "EER"),
        *("logloss", "logLoss", "log_loss", "NLLLoss", "ValLoss", "nrmse"),
        *("cross-entropy", "perplexity", "brier_score", "bits_per_byte"),
        *("mean_absolute_error", "SMAPE", "RMSLE", "FID ↓", "LPIPS", "ECE"),
        *("failed", "did_fail", "fail_rate", "crashed", "misclassified"),
        *("hallucination_rate", "noise_sensitivity(mode=relevant)"),
        *("Fehlerrate", "taux d'erreur", "Score (lower is better)"),
        *("latency_s", "cost_usd", "Average WER"),
    ],
)
def test_less_is_better_of_what_is_called_like_an_error(name):
    assert is_less_better(name)


@pytest.mark.parametrize(
    "name",
    [
        *("score", "AP", "nDCG@10", "ERR@20", "ERR", "accuracy", "answer"),
        *("neg_log_loss", "neg_root_mean_squared_error", "1 - WER"),
        *("error_handling", "error_free", "no_error", "inverse_wer"),
        *("loss_reduction", "error_detection_f1", "FAIL_TO_PASS", "gloss"),
        *("cost_savings", "d2_absolute_error_score", "per_item_score"),
        *("Bewertung der Antwort", "toxicity_auc", "errors_found", "-MSE"),
        *("Daten der Studie", "her_score", "brier_skill", "error type acc"),
    ],
)
def test_more_is_better_of_all_others(name):
    assert not is_less_better(name)
