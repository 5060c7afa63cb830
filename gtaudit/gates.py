"""What ``--fail-under`` demands, whether it is reached, and how sure that
is."""

from collections.abc import Collection as Names
from collections.abc import Iterator, Mapping, Sequence
from math import floor
from typing import Any

import numpy as np

from gtaudit.collection import Collection
from gtaudit.nouns import count_noun
from gtaudit.one_system import ALONE, OneSystem, variances_of_one
from gtaudit.planning import read_numbers, require_coefficient
from gtaudit.repetitions import scores_array
from gtlib.comparisons import gate_power

GATES = "generalizability", "dependability", "alpha", "mean"
_KINDS = "new_tasks", "same_tasks"
# Of 100 systems whose true mean is there, so many pass.
_FEW, _MANY = 0.05, 0.95
_TRUE_MEANS = 2001


def read_gates(given: Sequence[str] | None) -> dict[str, float]:
    """Read the values that --fail-under demands, by what they are of and
    the end of its interval."""
    gates: dict[str, float] = {}
    ends = [f"{name}{end}" for name in GATES for end in ("", ".low")]
    for text in given or []:
        gates |= read_numbers(text, "--fail-under", ends)
    for gate, least in gates.items():
        if not _is_of_mean(gate):
            require_coefficient(f"--fail-under {gate}", least)
    return gates


def _is_of_mean(gate):
    return gate.partition(".")[0] == "mean"


def require_gates(
    gates: Mapping[str, float], collection: Collection, turned: bool
) -> None:
    """Refuse gates that these scores have no answer to."""
    means = [gate for gate in gates if _is_of_mean(gate)]
    others = [gate for gate in gates if not _is_of_mean(gate)]
    if isinstance(collection, OneSystem) and others:
        raise ValueError(
            f"--fail-under {others[0]}: {ALONE} Its mean can be asked for."
        )
    if means and not isinstance(collection, OneSystem):
        systems = count_noun(len(collection.cells), collection.nouns.system)
        raise ValueError(
            f"--fail-under {means[0]}: the table has {systems}, and a mean "
            "is asked of one. Give the scores of one alone; if these are "
            "repetitions of one system, say which column they are, as in "
            "--columns repetition=run."
        )
    for gate in means:
        if _are_0_or_1(collection) and not 0 <= gates[gate] <= 1:
            raise ValueError(
                f"--fail-under {gate}={gates[gate]:g}: the scores are 0 or "
                "1, and so their mean is between them."
            )
    if means and turned:
        raise ValueError(
            f"--fail-under {means[0]}: with --less-is-better the scores "
            "are turned round, and so would be the gate. Turn the scores "
            "round in the table."
        )


def _are_0_or_1(one):
    scores = scores_array(one, one.runs)[0] if one.runs > 1 else one.cells
    return np.isin(np.asarray(scores), (0, 1)).all()


def mean_gate_note(one: OneSystem, threshold: float) -> list[str]:
    """Say which true means the gate hardly lets pass, and which nearly
    always, as far as the scores show; nothing if they do not vary.

    That is where `gate_power` is .05 and .95 with the variances of this
    table. Of scores of 0 and 1 the share of the variance that topics have
    is kept, whatever the mean.
    """
    ends = mean_gate_ends(one, threshold)
    if not ends:
        return []
    n = one.nouns
    low, high = ends["new_tasks"]
    said = (
        f"The gate mean={threshold:g} passes a true mean of {low:.3f} in 5 "
        f"of 100 cases, and one of {high:.3f} in 95, with other {n.topics} "
        "like these"
    )
    if "same_tasks" in ends:
        low, high = ends["same_tasks"]
        said += f"; with the same {n.topics}, {low:.3f} and {high:.3f}"
    return [f"{said}."]


def mean_gate_ends(
    one: OneSystem, threshold: float
) -> dict[str, tuple[float, float]]:
    """Return the true means that pass in 5 and in 95 of 100 cases, by
    kind; the same topics are known of several runs only."""
    topics, runs = one.cells.shape[1], one.runs
    scores = np.asarray(one.cells).T
    within, between = 0.0, float(scores.var(ddof=1))
    if runs > 1:
        scores = scores_array(one, runs)[0]
        _, within, between = variances_of_one(scores)
    error = ((between + within / runs) / topics) ** 0.5
    if error == 0:
        return {}
    if np.isin(scores, (0, 1)).all() and 0 < threshold < 1:
        true = np.linspace(0, 1, _TRUE_MEANS)
        share = between / (between + within)
        sds: dict[str, Any] = {
            "task_sd": (share * true * (1 - true)) ** 0.5
        }
    else:
        true = threshold + error * np.linspace(-4, 4, _TRUE_MEANS)
        sds = {"task_sd": between**0.5, "run_sd": within**0.5}
    power = gate_power(threshold, true, topics, runs, **sds)
    kinds = _KINDS if runs > 1 else _KINDS[:1]
    ends = {
        kind: np.interp([_FEW, _MANY], power[kind], true) for kind in kinds
    }
    return {
        kind: (low.item(), high.item())
        for kind, (low, high) in ends.items()
    }


def _rows(numbers):
    """The values and limits of a report, by what a gate may be of."""
    rows = {r["coefficient"]: r for r in numbers.get("coefficients", [])}
    rows["alpha"] = numbers.get("alpha") or {}
    rows["mean"] = numbers.get("mean") or {}
    return rows


def near_gates(
    gates: Mapping[str, float], numbers: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a sentence for each coefficient whose interval has its gate
    inside: another collection of this kind may be on the other side."""
    rows = _rows(numbers)
    for gate, least in gates.items():
        row = rows.get(gate, {})
        low, high = row.get("low"), row.get("high")
        value = row.get("estimate")
        if gate == "mean" or None in (low, high, value):
            continue
        if low < least <= high:
            other = "may not pass" if value >= least else "may pass"
            yield (
                f"The gate {gate}={least:g} lies within the 95% interval, "
                f"{low:.3f} to {high:.3f}: another collection of this size "
                f"{other}."
            )


def missed_gates(
    gates: Mapping[str, float], numbers: Mapping[str, Any], doubted: Names
) -> Iterator[str]:
    """Yield a sentence for each value of a report below its gate."""
    if not gates:
        return
    if doubted:
        codes = ",".join(doubted)
        yield f"there are doubts; if all is right, say --allow {codes}."
    rows = _rows(numbers)
    for gate, least in gates.items():
        name, _, end = gate.partition(".")
        value = rows[name].get(end or "estimate")
        # What only rounding keeps below the mean that is asked, reaches it.
        if value is None or value < least - 1e-12 * abs(least):
            what = name
            if end:
                what = f"the lower limit of {name}"
            reached = "not known"
            if value is not None:  # down, so that it is below its gate
                reached = f"{floor(value * 1000) / 1000:z.3f}"
            yield f"{what} is {reached}; --fail-under asks for {least:g}."
