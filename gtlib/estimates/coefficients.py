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
    """Universe score variance and errors, with both coefficients."""
    return {
        "universe_score": universe,
        "relative_error": relative,
        "absolute_error": absolute,
        "generalizability": share(universe, relative),
        "dependability": share(universe, absolute),
    }


def share(universe, error):
    """Universe score variance over itself and error; 0 if both are."""
    total = universe + error
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, universe / total, 0.0)[()]


def coefficient_of_ratio(signal):
    """The coefficient where universe score variance is to error as this."""
    return 1 - 1 / (1 + signal)


def largest_error(universe, target):
    """The error variance at which a coefficient is just `target`."""
    return universe * (1 - target) / target


def error_of(coefficient: str) -> str:
    """The name of a coefficient's error; a ValueError if it is none."""
    one_of(coefficient, "coefficient", COEFFICIENTS)
    return COEFFICIENTS[coefficient]
