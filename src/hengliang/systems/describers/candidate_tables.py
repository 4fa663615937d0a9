"""Which candidates are true of a scene, and which scenes are left when one of them is said?

Whether a quantifier is true depends on two numbers, so a table [quantifier, x, y] is made once for a size of scene,
and the truth of all candidates in a scene is one look into it. Where a quantifier takes a number, the table holds the
number that makes it true and strongest. The set of scenes of which a candidate is true is made when it is asked for
the first time and kept; candidates that mean the same share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from hengliang.materials.quantified_expressions import Expression, counting, denotation
from hengliang.materials.quantifiers import Numbers, Reading, quantifier
from hengliang.materials.scene_domains import Domain
from hengliang.materials.scenes import SceneSpace, scene_space
from hengliang.systems.describers.candidates import Candidate, candidates

DENOMINATORS = (3, 4)
"""The fractions beside the half that people use in descriptions of scenes: thirds and quarters, no others."""
MOST_BYTES = 128 << 20
"""When the sets that are kept take more memory than this, they are forgotten before the next scene."""

_CODES = 1024
"""Larger than the code of any number or fraction."""
_WHOLE = 8
"""Larger than any denominator: 3/4 has the code 3 · 8 + 4."""

Statement = int
"""A candidate with its numbers, as one whole number."""
Array = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CandidateTable:
    """All candidates for the scenes of one size, in one reading."""

    space: SceneSpace
    candidates: tuple[Candidate, ...]
    reading: Reading
    sets: list[int] = field(default_factory=list, repr=False)
    """The sets of scenes that candidates stand for, each once."""
    sizes: list[int] = field(default_factory=list, repr=False)
    """How many scenes each of the sets holds."""
    _held: dict[Statement, int] = field(default_factory=dict, repr=False)
    _asserted: dict[Statement, int] = field(default_factory=dict, repr=False)
    _alike: dict[tuple[int, ...], int] = field(default_factory=dict, repr=False)
    _numbered: dict[int, int] = field(default_factory=dict, repr=False)

    def true_of(self, counts: Sequence[int]) -> Array:
        """Return the statements that are true of a scene, in the order of the candidates."""
        if len(self.sets) * self.space.number > 8 * MOST_BYTES:
            for kept in (self.sets, self.sizes, self._held, self._asserted, self._alike, self._numbered):
                kept.clear()
        x, y, absent, starts = self._places
        values = self._columns.values(counts)
        codes = self._tables.codes.take(starts + values[x] * (self.space.size + 1) + values[y])
        true = np.flatnonzero((codes >= 0) & (values[absent] == 0))
        return true * _CODES + codes[true]

    def places_of(self, statements: Array) -> Array:
        """Return the places of the candidates of statements."""
        return statements // _CODES

    def candidate_of(self, statement: Statement) -> Candidate:
        """Return the candidate of a statement."""
        return self.candidates[statement // _CODES]

    def expression(self, statement: Statement) -> Expression:
        """Return a statement as a logical form."""
        candidate = self.candidate_of(statement)
        return candidate.expression(_numbers(candidate.quantifier, statement % _CODES))

    def set_number(self, statement: Statement) -> int:
        """Return which of the sets a statement stands for; it is made if it is not there yet."""
        found = self._held.get(statement)
        if found is None:
            found = self._held[statement] = self._made(statement)
        return found

    def is_new(self, statement: Statement, left: int) -> bool:
        """Return whether what a statement asserts is not known of all scenes that are left.

        *All objects are red* leaves nothing to assert by *all squares are red*: it would only convey that there are
        squares, and nobody says it for that.
        """
        if self.reading == "semantic":
            asserted = self.sets[self.set_number(statement)]
        elif (held := self._asserted.get(statement)) is not None:
            asserted = held
        else:
            asserted = self._asserted[statement] = denotation(self.expression(statement), self.space, "semantic")
        return left & asserted != left

    def _made(self, statement: Statement) -> int:
        place = statement // _CODES
        # Synonyms, which look at the same numbers in equal tables, are known before their set is made.
        looked_at = (int(column[place]) for column in self._places[:3])
        meaning = (*looked_at, self._tables.meanings[place], statement % _CODES)
        if meaning not in self._alike:
            scenes = denotation(self.expression(statement), self.space, self.reading)
            number = self._numbered.setdefault(scenes, len(self.sets))
            if number == len(self.sets):
                self.sets.append(scenes)
                self.sizes.append(scenes.bit_count())
            self._alike[meaning] = number
        return self._alike[meaning]

    @cached_property
    def _columns(self) -> _Columns:
        return _Columns(self.space.domain)

    @cached_property
    def _places(self) -> tuple[Array, Array, Array, Array]:
        """For each candidate the places of x, of y, of what must be absent, and the start of its table."""
        rows = [self._columns.places_of(candidate) for candidate in self.candidates]
        columns = np.array(rows, np.int64).reshape(-1, 3)
        return columns[:, 0], columns[:, 1], columns[:, 2], self._tables.starts

    @cached_property
    def _tables(self) -> _Tables:
        return _made_tables(self.candidates, self.space, self.reading)


class _Columns:
    """The numbers that candidates look at: sums over kinds, and the least of several sums."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.masks: dict[int, int] = {0: 0}
        self.leasts: dict[tuple[int, ...], int] = {}

    def places_of(self, candidate: Candidate) -> tuple[int, int, int]:
        """Return the places of x, y and what must be absent; leasts are numbered from -1 downwards."""
        seen = counting(candidate.expression(_any_numbers(candidate.quantifier)), self.domain)
        if seen.quantifier.form != "kinds":
            return self._sum(seen.x), self._sum(seen.y), self._sum(seen.amiss)
        terms = tuple(self._sum(mask) for mask in seen.terms)
        least = -1 - self.leasts.setdefault(terms, len(self.leasts))
        return least, self._sum(seen.amiss), 0

    def _sum(self, mask: int) -> int:
        return self.masks.setdefault(mask, len(self.masks))

    def values(self, counts: Sequence[int]) -> Array:
        """Return all numbers for a scene: sums first, then leasts, which are thus found from the end."""
        matrix, terms = self._compiled
        sums = matrix @ np.array(counts, np.int64)
        return np.concatenate([sums, sums[terms].min(axis=1)]) if len(terms) else sums

    @cached_property
    def _compiled(self) -> tuple[Array, Array]:
        kinds = range(len(self.domain.kinds))
        matrix = np.array([[mask >> kind & 1 for kind in kinds] for mask in self.masks], np.int64)
        longest = max(map(len, self.leasts), default=0)
        padded = [[*terms, *[terms[0]] * (longest - len(terms))] for terms in reversed(self.leasts)]
        return matrix, np.array(padded, np.int64).reshape(len(padded), longest)


@dataclass(frozen=True)
class _Tables:
    """Tables [x, y] one after the other: -1 where false, 0 where true, the code of the number where there is one."""

    codes: NDArray[np.int16]
    starts: Array
    meanings: list[int]
    """The number of each candidate's table, the same for tables of one meaning."""


def _made_tables(held: tuple[Candidate, ...], space: SceneSpace, reading: Reading) -> _Tables:
    cells = (space.size + 1) ** 2
    tables: dict[str, int] = {}
    made: list[NDArray[np.int16]] = []
    contents: dict[tuple[bytes, str], int] = {}
    meanings = []
    for candidate in held:
        if candidate.pattern not in tables:
            tables[candidate.pattern] = len(made)
            made.append(_table(candidate, space, reading))
        table = tables[candidate.pattern]
        # At least 3 and exactly 3 have the same strongest number, and do not mean the same.
        own = candidate.pattern if quantifier(candidate.quantifier).numbers else ""
        meanings.append(contents.setdefault((made[table].tobytes(), own), table))
    starts = np.array([tables[candidate.pattern] * cells for candidate in held], np.int64)
    codes = np.concatenate([table.ravel() for table in made]) if made else np.zeros(0, np.int16)
    return _Tables(codes, starts, meanings)


def _table(candidate: Candidate, space: SceneSpace, reading: Reading) -> NDArray[np.int16]:
    """Return for each x and y the code of the numbers with which a pattern is true, -1 where it is false."""
    x, y = (one.astype(np.int64) for one in np.indices((space.size + 1, space.size + 1)))
    held = quantifier(candidate.quantifier)
    codes, allowed = _derived(held.name, x, y, space)
    if held.form == "kinds":
        true = _kinds_table(held.name, x, y, space, reading)
    else:
        true = np.zeros(x.shape, bool)
        for code in np.unique(codes[allowed]).tolist():
            true |= (codes == code) & held.holds(x, y, _numbers(held.name, code), space.size, reading)
    if candidate.rest is not None:
        true = true & (y < x)
    return np.where(true & allowed, codes, -1).astype(np.int16)


def _kinds_table(name: str, x: Array, y: Array, space: SceneSpace, reading: Reading) -> NDArray[np.bool_]:
    """Return where all kinds of a list are there; x is the least of their numbers, y the number of all others."""
    true: NDArray[np.bool_] = x >= 1
    if name == "there are" and reading == "pragmatic":
        true = true & (y == 0)
    elif name == "of each kind" and reading == "pragmatic":
        # As many of each, when the least of them is an equal share of all things.
        true = true & (x * len(space.domain.kinds) == space.size)
    return true


def _derived(name: str, x: Array, y: Array, space: SceneSpace) -> tuple[Array, NDArray[np.bool_]]:
    """Return the number that says most of x and y truly, and where it is one that people say."""
    if name == "fraction":
        common = np.gcd(x, y)
        whole = np.where(common > 0, x // np.maximum(common, 1), 0)
        part = y // np.maximum(common, 1)
        allowed = np.isin(whole, DENOMINATORS) & (part >= 1) & (part < whole)
        return np.where(allowed, part * _WHOLE + whole, 0), allowed
    if name == "times":
        number = np.where((y > 0) & (x % np.maximum(y, 1) == 0), x // np.maximum(y, 1), 0)
        return number, number >= 2
    if name == "of each kind":
        return x, x >= 1
    bounds = {"all but": x - y, "over": y - 1, "under": y + 1, "at most": np.maximum(y, 1)}
    number = {**bounds, **dict.fromkeys(_COUNTING, y)}.get(name, np.zeros_like(x))
    # One thing is *only one*; a bare numeral is for several. That there are at most all things goes without saying.
    least = 2 if name == "number" else 1 if quantifier(name).numbers else 0
    most = space.size - 1 if name == "at most" else space.size
    return np.clip(number, 0, most), (number >= least) & (number <= most)


_COUNTING = ("number", "exactly", "at least")


def _numbers(name: str, code: int) -> Numbers:
    held = quantifier(name).numbers
    if held == 2:
        return (code // _WHOLE, code % _WHOLE)
    return (code,) * held


def _any_numbers(name: str) -> Numbers:
    return (1,) * quantifier(name).numbers


@lru_cache(maxsize=32)
def candidate_table(domain: Domain, size: int, names: tuple[str, ...], reading: Reading) -> CandidateTable:
    """Return the table of all candidates of some quantifiers, for scenes of one size in one reading."""
    return CandidateTable(scene_space(domain, size), candidates(domain, names), reading)
