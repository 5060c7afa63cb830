"""What names of columns mean: roles, and scores that are called like
errors."""

import pytest

from gtaudit.words import (
    is_aside,
    is_average,
    is_foreign,
    is_less_better,
    rank,
)
from gtlib.scores import called_like


@pytest.mark.parametrize(
    ("role", "names"),
    {
        "system": ["models", "Model Names", "Systeme", "modèles", "run_id"],
        "topic": ["QIDs", "queries", "Fragen-Nr.", "preguntas", "Requêtes"],
        "assessor": ["Raters", "Gutachter", "jueces", "évaluateurs"],
        "repetition": ["epochs", "Durchläufe", "Wiederholungen", "essais"],
        "score": ["Scores", "Punkte", "puntuaciones", "valeurs"],
    }.items(),
)
def test_names_are_known_in_the_singular_and_in_the_plural(role, names):
    assert [n for n in names if rank(n, role) is None] == []


def test_the_names_that_the_library_turns_tables_by_are_known_here():
    """gtlib cannot read gtaudit's words, and has a few of its own."""
    from gtlib.scores import _CALLED

    for role, words in _CALLED.items():
        for word in words:
            for name in (word, f"{word}s", f"{word}_id"):
                if called_like(name) == role:
                    assert rank(name, role) == 1, name


def test_a_measure_is_a_score_whatever_its_name_ends_in():
    names = "reciprocal_rank", "hit_rate", "mean_reciprocal_rank"
    assert not any(map(is_aside, names))
    assert is_aside("first_hit_rank") and is_aside("completion_tokens")


@pytest.mark.parametrize("name", ["Age", "gender", "Alter", "Kosten (EUR)"])
def test_costs_times_and_traits_are_left_out(name):
    assert is_aside(name)


@pytest.mark.parametrize(
    "name", ["Gesamt", "mean score", "Moyenne", "Avg."]
)
def test_summaries_of_other_columns_are_left_out(name):
    assert is_average(name)


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


def test_a_long_name_is_looked_up_in_time_that_grows_with_it():
    assert not is_foreign("x" * 1_000_000)
    assert is_foreign(f"{'x' * 1_000_000}aufgabe")
