"""Which scenes are there: how many things of each kind can a scene of a given size hold?

A scene is a count for each kind; where its things stand does not matter. All scenes of a size are enumerated once, in
the order of their counts, and a set of scenes is a whole number whose bits say which scenes are in it: set operations
are then single operations on numbers.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from hengliang.core.errors import UserError
from hengliang.materials.kind_words import listed_kinds
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain

LARGEST_SPACE = 5_000_000
"""The most scenes that are enumerated."""
LARGEST_TABLE = 50_000_000
"""The most counts that their table holds."""
LARGEST_SCENE = 400

_PART = re.compile(r"([A-Za-z]+)\s*[=:]\s*([+-]?\d+)")
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Scene:
    """How many things of each kind of a domain there are."""

    counts: tuple[int, ...]
    domain: Domain = DEFAULT_DOMAIN

    @property
    def size(self) -> int:
        """How many things there are in all."""
        return sum(self.counts)

    @property
    def code(self) -> str:
        """The scene in one line: BS=2 RC=2; kinds that are absent are left out."""
        named = zip(self.domain.codes, self.counts, strict=True)
        return " ".join(f"{code}={count}" for code, count in named if count)

    def number_of(self, mask: int) -> int:
        """Return how many things are of a kind in the mask."""
        return sum(count for place, count in enumerate(self.counts) if mask >> place & 1)


def read_scene(text: str, domain: Domain = DEFAULT_DOMAIN, size: int | None = None) -> Scene:
    """Return the scene that a code such as BS=2 RC=2 writes, or say what is wrong with it.

    >>> read_scene("BS=2 RC=2").counts
    (2, 0, 0, 2)
    """
    example = f"{domain.codes[0]}=2 {domain.codes[-1]}=2"
    # Full-width letters, digits and marks, as a Chinese keyboard gives them, are meant as the narrow ones.
    narrow = unicodedata.normalize("NFKC", text)
    rest = _PART.sub("", narrow).strip(" ,;、\t\r\n")
    found = _PART.findall(narrow)
    if rest or not found:
        raise UserError(f"'{text}' is no scene.", valid=f"Counts of kinds: {example}.")
    known = {code.upper(): place for place, code in enumerate(domain.codes)}
    counts = [0] * len(known)
    named: set[str] = set()
    for code, written in found:
        kind, count = code.upper(), _count(code, written)
        if kind not in known:
            raise UserError(f"No kind has the code '{code}'.", valid=f"Kinds: {listed_kinds(domain)}.")
        if kind in named:
            raise UserError(f"The kind {code} is counted twice in '{text}'.")
        if count < 0:
            raise UserError(f"{code}={count}: there cannot be fewer than 0 of a kind.")
        named.add(kind)
        counts[known[kind]] = count
    return checked_scene(Scene(tuple(counts), domain), size)


def _count(code: str, written: str) -> int:
    digits = written.lstrip("+-").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        shown = digits if len(digits) <= 30 else f"{digits[:27]}…"
        what = "there cannot be fewer than 0 of a kind" if written.startswith("-") else "the number is too large"
        raise UserError(f"{code}={shown}: {what}.", valid=f"A scene holds 1 to {LARGEST_SCENE} things.")
    return int(written)


def checked_scene(scene: Scene, size: int | None = None) -> Scene:
    """Return the scene when its counts add up, else say what is wrong."""
    if len(scene.counts) != len(scene.domain.kinds) or min(scene.counts) < 0:
        raise UserError(
            f"The counts {scene.counts} are no scene.",
            valid=f"{len(scene.domain.kinds)} counts from 0, one for each of {', '.join(scene.domain.codes)}.",
        )
    if size is not None and scene.size != size:
        raise UserError(
            f"The counts {scene.code or 'of the scene'} add up to {scene.size}, not to {size}.",
            remedy="Change the counts or the size.",
        )
    if not 1 <= scene.size <= LARGEST_SCENE:
        raise _not_so_many(scene.size)
    return scene


def _not_so_many(size: int) -> UserError:
    return UserError(f"A scene cannot hold {size} things.", valid=f"1 to {LARGEST_SCENE} things.")


@dataclass(frozen=True)
class SceneSpace:
    """All scenes of one size, and sets of them.

    A set of scenes is an `int`: the scene at place i of the enumeration is in it when bit i is set. `&`, `|` and
    `bit_count()` are the set operations.
    """

    domain: Domain
    size: int

    @cached_property
    def number(self) -> int:
        """How many scenes there are: n things into k kinds, C(n + k - 1, k - 1)."""
        kinds = len(self.domain.kinds)
        return math.comb(self.size + kinds - 1, kinds - 1)

    @cached_property
    def everything(self) -> int:
        """The set of all scenes."""
        return (1 << self.number) - 1

    @cached_property
    def counts(self) -> NDArray[np.int16]:
        """All scenes, a row each, in the order of their counts."""
        rows = np.zeros((1, 0), np.int16)
        left = np.array([self.size], np.int64)
        for _ in range(len(self.domain.kinds) - 1):
            choices = left + 1
            starts = np.cumsum(choices) - choices
            column = np.arange(int(choices.sum())) - np.repeat(starts, choices)
            rows = np.hstack([np.repeat(rows, choices, axis=0), column[:, None].astype(np.int16)])
            left = np.repeat(left, choices) - column
        return np.hstack([rows, left[:, None].astype(np.int16)])

    def place(self, counts: Sequence[int]) -> int:
        """Return at which place of the enumeration a scene stands, without enumerating."""
        place, left = 0, self.size
        for spot, count in enumerate(counts[:-1]):
            others = len(counts) - spot - 1
            place += math.comb(left + others, others) - math.comb(left - count + others, others)
            left -= count
        return place

    def bit(self, scene: Scene) -> int:
        """Return the set that holds one scene."""
        if scene.size != self.size:
            raise UserError(f"The scene {scene.code} is not among the scenes of {self.size} things.")
        return 1 << self.place(scene.counts)

    def set_of(self, chosen: NDArray[np.bool_]) -> int:
        """Return the set of the scenes that are true in an array over the enumeration."""
        return int.from_bytes(np.packbits(chosen, bitorder="little").tobytes(), "little")

    def places(self, scenes: int) -> NDArray[np.int64]:
        """Return the places of the scenes in a set."""
        raw = np.frombuffer(scenes.to_bytes((self.number + 7) // 8, "little"), np.uint8)
        return np.flatnonzero(np.unpackbits(raw, count=self.number, bitorder="little"))

    def rows(self, scenes: int) -> NDArray[np.int16]:
        """Return the counts of the scenes in a set, a row each."""
        found: NDArray[np.int16] = self.counts[self.places(scenes)]
        return found

    def scenes(self, scenes: int) -> Iterator[Scene]:
        """Yield the scenes in a set."""
        for row in self.rows(scenes).tolist():
            yield Scene(tuple(row), self.domain)

    def sums(self, mask: int) -> NDArray[np.int16]:
        """Return for each scene how many of its things are of a kind in the mask; kept, since few masks are asked."""
        held: dict[int, NDArray[np.int16]] = self._sums
        if mask not in held:
            chosen = [place for place in range(len(self.domain.kinds)) if mask >> place & 1]
            held[mask] = self.counts[:, chosen].sum(axis=1, dtype=np.int16)
        return held[mask]

    @cached_property
    def _sums(self) -> dict[int, NDArray[np.int16]]:
        return {}


@lru_cache(maxsize=32)
def scene_space(domain: Domain, size: int) -> SceneSpace:
    """Return all scenes of a size; refuse where there are too many to enumerate."""
    if not 1 <= size <= LARGEST_SCENE:
        raise _not_so_many(size)
    space = SceneSpace(domain, size)
    if space.number > LARGEST_SPACE or space.number * len(domain.kinds) > LARGEST_TABLE:
        raise UserError(
            f"There are {space.number:,} scenes of {size} things of {len(domain.kinds)} kinds.",
            valid=f"Up to {LARGEST_SPACE:,} scenes and {LARGEST_TABLE:,} counts are enumerated.",
            remedy="Take a smaller scene, or a domain with fewer values.",
        )
    return space
