"""The two coefficients, from the variance of scores and of errors."""

import numpy as np

from gtlib.tables import one_of

# Each coefficient with the error that it sets against true variance.
COEFFICIENTS = {
    "generalizability": "relative_error",
    "dependability": "absolute_error",
}


def with_coefficients(
    universe: np.ndarray, relative: np.ndarray, absolute: np.ndarray
) -> dict:
    """Return universe score variance and errors, with both coefficients."""
    return {
        "universe_score": universe,
        "relative_error": relative,
        "absolute_error": absolute,
        "generalizability": share(universe, relative),
        "dependability": share(universe, absolute),
    }


def share(universe, error):
    """Return the share of the universe score variance in its sum with an
    error variance; 0 if both are 0."""
    total = universe + error
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, universe / total, 0.0)[()]


def coefficient_of_ratio(signal):
    """Return the coefficient that belongs to a ratio of universe score
    variance to error variance."""
    return 1 - 1 / (1 + signal)


def largest_error(universe, target):
    """Return the error variance at which a coefficient equals `target`."""
    return universe * (1 - target) / target


def error_name(coefficient: str) -> str:
    """Return the name of a coefficient's error, or refuse the name."""
    one_of(coefficient, "coefficient", COEFFICIENTS)
    return COEFFICIENTS[coefficient]
