"""The design language: which facets a study has, what is nested in what.

A design is written as psychometrics writes it: ``x`` (or ``×``) crosses,
``a:b`` reads "a nested within b".  Everything else about a design (its
effects, their degrees of freedom, the expected mean squares) follows from
that sentence, so nothing here is a table of special cases.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from gtlib.checks import shown, whole_number

__all__ = ["Design"]

# Facet -> its levels, those of a nested one counted within its nest.
Levels = Mapping[str, float]


@dataclass(frozen=True)
class Effect:
    """One source of variance of a design.

    Attributes
    ----------
    label : str
        ``"topic"``, ``"system x topic"``, ``"system x (assessor:topic)"``.
    facets : frozenset of str
        Every facet that indexes the effect, nesting ones included.
    primary : frozenset of str
        The facets that are not there only because they nest another.
    """

    label: str
    facets: frozenset[str]
    primary: frozenset[str]

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Design:
    """Facets, their nesting, and the object of measurement.

    Parameters
    ----------
    text : str
        For instance ``"system x topic x assessor"``,
        ``"system x (assessor:topic)"`` or ``"topic:system"``.
    object : str, optional
        The object of measurement.  Without it, the leftmost facet that
        is nested in nothing.

    Raises
    ------
    ValueError
        If the text does not parse, or nests a facet in itself.

    Examples
    --------
    >>> import gtlib as gt
    >>> design = gt.Design("system x (assessor:topic)")
    >>> design.object
    'system'
    >>> for effect in design.effects:
    ...     print(effect)
    system
    topic
    assessor:topic
    system x topic
    system x (assessor:topic)
    """

    text: str = field(compare=False)
    object: str = ""
    facets: tuple[str, ...] = field(init=False, repr=False, compare=False)
    nesting: dict[str, frozenset[str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.object, str):
            raise ValueError(
                f"object={self.object!r}: the name of a facet is needed."
            )
        nesting = _Parser(self.text).parse()
        facets: list[str] = []
        for facet in nesting:
            _add_outer_first(facet, nesting, facets)
        object_ = self.object or next(f for f in nesting if not nesting[f])
        if object_ not in nesting:
            raise ValueError(
                f"object={self.object!r} is not a facet of the design "
                f"{self.text!r}; it has {_names(facets)}."
            )
        object.__setattr__(self, "object", object_)
        object.__setattr__(self, "facets", tuple(facets))
        object.__setattr__(self, "nesting", nesting)
        object.__setattr__(self, "text", self._label(frozenset(facets)))

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash((frozenset(self.nesting.items()), self.object))

    def closure(self, facets: Iterable[str]) -> frozenset[str]:
        """Return `facets` with every facet that they are nested in.

        Parameters
        ----------
        facets : iterable of str

        Returns
        -------
        frozenset of str

        Examples
        --------
        >>> import gtlib as gt
        >>> design = gt.Design("system x (assessor:topic)")
        >>> sorted(design.closure(["assessor"]))
        ['assessor', 'topic']
        """
        known = self._known(facets, "facets")
        return known.union(*(self.nesting[f] for f in known))

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """Every effect, main effects first; the last, of all facets, is
        confounded with error: its cells hold one observation each."""
        effects = []
        for size in range(1, len(self.facets) + 1):
            for primary in map(frozenset, combinations(self.facets, size)):
                members = self.closure(primary)
                if self.primary(members) == primary:
                    label = self._label(members)
                    effects.append(Effect(label, members, primary))
        effects.sort(key=lambda effect: effect.facets == {*self.facets})
        return tuple(effects)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the effects, in order."""
        return tuple(effect.label for effect in self.effects)

    def find(self, label: str) -> str:
        """Return the label of the effect that `label` describes.

        Parameters
        ----------
        label : str
            The facets of the effect, in any order.

        Returns
        -------
        str
            The label, as in `labels`.

        Raises
        ------
        ValueError
            If the design has no such effect.

        Examples
        --------
        >>> import gtlib as gt
        >>> gt.Design("system x topic").find("topic x system")
        'system x topic'
        """
        members = frozenset(_Parser(label).parse())
        for effect in self.effects:
            if effect.facets == members:
                return effect.label
        raise ValueError(
            f"The design {self} has no effect {label!r}; its effects are "
            f"{_names(self.labels)}."
        )

    def observations_per_cell(self, levels: Levels) -> np.ndarray:
        """Count the observations that share one level of each effect.

        Parameters
        ----------
        levels : mapping of facet to int
            A nested facet's levels are counted within its nest.

        Returns
        -------
        numpy.ndarray, shape (effects,)

        Examples
        --------
        >>> import gtlib as gt
        >>> levels = {"system": 30, "topic": 50}
        >>> gt.Design("system x topic").observations_per_cell(levels)
        array([50., 30.,  1.])
        """
        numbers = self._all_numbers(levels)
        counts = [
            prod(numbers[f] for f in self.facets if f not in e.facets)
            for e in self.effects
        ]
        return np.array(counts, dtype=float)

    def degrees_of_freedom(self, levels: Levels) -> np.ndarray:
        """Return each effect's degrees of freedom in a balanced study.

        Parameters
        ----------
        levels : mapping of facet to int
            A nested facet's levels are counted within its nest.

        Returns
        -------
        numpy.ndarray of int, shape (effects,)

        Examples
        --------
        >>> import gtlib as gt
        >>> levels = {"system": 30, "topic": 50}
        >>> gt.Design("system x topic").degrees_of_freedom(levels)
        array([  29,   49, 1421])
        """
        numbers = self._all_numbers(levels)
        counts = [
            prod(numbers[f] - (f in e.primary) for f in e.facets)
            for e in self.effects
        ]
        return np.array(counts)

    def mean_squares_to_components(self, levels: Levels) -> np.ndarray:
        """Return C with ``components = C @ mean_squares`` when balanced.

        Parameters
        ----------
        levels : mapping of facet to int
            A nested facet's levels are counted within its nest.

        Returns
        -------
        numpy.ndarray, shape (effects, effects)

        Notes
        -----
        The expected mean square of an effect is the sum, over the effects
        that contain it, of their component times the observations per
        cell (Cornfield & Tukey 1956; Brennan 2001, section 3.3).  That is
        ``Z @ diag(k)`` with Z the 0/1 matrix of containment, whose inverse
        is whole-numbered.

        Examples
        --------
        >>> import gtlib as gt
        >>> levels = {"system": 30, "topic": 50}
        >>> design = gt.Design("system x topic")
        >>> c = design.mean_squares_to_components(levels)
        >>> (c @ [0.15, 0.85, 0.01]).round(4)
        array([0.0028, 0.028 , 0.01  ])
        """
        facets = [effect.facets for effect in self.effects]
        contains = [[row <= column for column in facets] for row in facets]
        moebius = np.round(np.linalg.inv(contains))
        return moebius / self.observations_per_cell(levels)[:, None]

    def check_levels(self, levels: Levels) -> dict[str, int]:
        """Return `levels` in the order of the facets, or refuse them.

        Parameters
        ----------
        levels : mapping of facet to int
            A nested facet's levels are counted within its nest.

        Returns
        -------
        dict of str to int

        Raises
        ------
        ValueError
            If a facet has no number or is not of the design, or if a number
            is not whole or below 1.

        Examples
        --------
        >>> import gtlib as gt
        >>> design = gt.Design("system x topic")
        >>> design.check_levels({"topic": 50, "system": 3})
        {'system': 3, 'topic': 50}
        """
        if not isinstance(levels, Mapping):
            raise ValueError(
                "levels must map each facet to a number, for instance "
                f"{{{self.facets[0]!r}: 30}}; got {shown(levels)}."
            )
        unknown = [f for f in levels if f not in self.facets]
        if unknown:
            raise ValueError(
                f"{_names(unknown)} in levels is no facet of the design "
                f"{self}; it has {_names(self.facets)}."
            )
        missing = [f for f in self.facets if f not in levels]
        if missing:
            raise ValueError(
                f"levels lacks a number for {_names(missing)}; give one, "
                f"for instance {missing[0]}=50."
            )
        return {f: whole_number(levels[f], f) for f in self.facets}

    def primary(self, members: frozenset[str]) -> frozenset[str]:
        """Return the facets of `members` that nest none of the others.

        Parameters
        ----------
        members : frozenset of str

        Returns
        -------
        frozenset of str

        Examples
        --------
        >>> import gtlib as gt
        >>> design = gt.Design("system x (assessor:topic)")
        >>> sorted(design.primary(frozenset(["assessor", "topic"])))
        ['assessor']
        """
        members = self._known(members, "members")
        nests = frozenset().union(*(self.nesting[f] for f in members))
        return members - nests

    def _known(self, facets, name):
        """Return facets of this design as a set, or refuse them."""
        try:
            found = frozenset(facets)
        except TypeError:  # no list, or of what is no name
            found = frozenset([None])
        if isinstance(facets, str) or not found <= self.nesting.keys():
            raise ValueError(
                f"{name}={shown(facets)}: facets of the design are needed; "
                f"it has {_names(self.nesting)}."
            )
        return found

    def _all_numbers(self, levels):
        """Return levels if each facet has one, or refuse them."""
        if isinstance(levels, Mapping) and {*self.facets} <= levels.keys():
            return levels
        return self.check_levels(levels)

    def _label(self, members):
        groups: dict[frozenset[str], list[str]] = {}
        primary = self.primary(members)
        for facet in self.facets:
            if facet in primary:
                groups.setdefault(self.nesting[facet], []).append(facet)
        parts = []
        for nest, names in groups.items():
            part = " x ".join(names)
            if nest:
                outer = self._label(nest)
                if len(names) > 1:
                    part = f"({part})"
                if " x " in outer:
                    outer = f"({outer})"
                part = f"{part}:{outer}"
            parts.append(part)
        if len(parts) == 1:
            return parts[0]
        return " x ".join(f"({p})" if ":" in p else p for p in parts)


def as_design(design: str | Design) -> Design:
    """Return `design` as a Design, parsed if it is a text."""
    return design if isinstance(design, Design) else Design(design)


def _names(names):
    return ", ".join(repr(str(name)) for name in names)


def _add_outer_first(facet, nesting, facets):
    if facet not in facets:
        for outer in [f for f in nesting if f in nesting[facet]]:
            _add_outer_first(outer, nesting, facets)
        facets.append(facet)


class _Parser:
    """Recursive descent: crossing of nestings of names or brackets."""

    def __init__(self, text):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(
                "A design is a text such as 'system x topic x assessor'; "
                f"got {shown(text)}."
            )
        self.text = text
        self.tokens = [*re.findall(r"[():×]|[^\s():×]+", text), ""]
        if len(self.tokens) > 200:  # the stack would end before them
            self._refuse("it has more than 200 words and signs")

    def parse(self):
        """Return facet -> the facets it is nested in, in order of
        appearance."""
        nesting = self._crossing()
        if self.tokens[0]:
            self._refuse(
                f"{self.tokens[0]!r} is not expected there; join facets "
                "with 'x' or ':'"
            )
        return nesting

    def _crossing(self):
        nesting = self._nesting()
        alone = {*nesting} if not any(nesting.values()) else set()
        while self._takes("x", "×"):
            more = self._nesting()
            if not any(more.values()):
                for facet in alone & more.keys():
                    self._refuse(f"{facet!r} stands there twice")
                alone |= more.keys()
            for facet, nests in more.items():
                if nesting.setdefault(facet, nests) != nests:
                    self._refuse(f"{facet!r} is nested in two ways")
        return nesting

    def _nesting(self):
        inner = self._atom()
        if not self._takes(":"):
            return inner
        outer = self._nesting()
        repeated = [facet for facet in inner if facet in outer]
        if repeated:
            self._refuse(f"{repeated[0]!r} is nested within itself")
        nested = {f: nests | {*outer} for f, nests in inner.items()}
        return {**nested, **outer}

    def _atom(self):
        if self._takes(""):
            self._refuse("it ends where a facet is expected")
        if self._takes("("):
            nesting = self._crossing()
            if not self._takes(")"):
                self._refuse("a bracket is not closed")
            return nesting
        token = self.tokens.pop(0)
        if token == "x" or not re.fullmatch(r"[\w.@-]+", token):
            self._refuse(
                f"{token!r} stands where the name of a facet is expected"
            )
        return {token: frozenset()}

    def _takes(self, *expected):
        """Use up the next token and return True if it is one of these."""
        if self.tokens[0] not in expected:
            return False
        del self.tokens[0]
        return True

    def _refuse(self, why):
        raise ValueError(
            f"The design {self.text[:99]!r} cannot be read: {why}. Write "
            "for instance 'system x topic x assessor' or "
            "'system x (assessor:topic)'."
        )
