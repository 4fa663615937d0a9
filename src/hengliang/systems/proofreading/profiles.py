"""Which classifiers does a noun go with, by all that is known of it, and what speaks against another one?

A noun's profile adds up how often it was counted by each classifier in the training corpus and which pairs our table
and CC-CEDICT list. A classifier outside of the profile is still no mistake if it counts nouns that end in the same
character (女孩 like 小孩), or if it often changes places with one of the profile (幢 with 栋), which is known from the
nouns that both of them count. Bunches, vessels, pieces and kinds go with any noun and are never called wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from hengliang.materials.classifier_inventory import Inventory, Kind, noun_endings
from hengliang.systems.classifier_choosers.adviser import known_inventory
from hengliang.systems.classifier_choosers.general import GENERAL_CLASSIFIER
from hengliang.systems.classifier_choosers.opening import counted_rule
from hengliang.systems.proofreading.corrections import Thresholds

_LISTED_WEIGHT = 3
"""A pair that a dictionary lists tells as much as three uses in a corpus."""

_TELLING_SHARE = 0.2
_COUNTING: frozenset[Kind] = frozenset(("general", "sortal", "event"))
_SILENT: frozenset[Kind] = frozenset(("general", "kind"))


class Objection(NamedTuple):
    """Why a classifier hardly goes with a noun: the classifiers that do, and how often it was seen with any."""

    usual: tuple[str, ...]
    seen: int
    listed: str
    """The listed noun on which this rests, in which the noun ends; empty if it rests on uses alone."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """What is known of nouns and classifiers; make one with `profiles` or `profiles_of`."""

    known: Inventory
    uses: Mapping[str, Mapping[str, int]]
    endings: Mapping[str, frozenset[str]]
    """For each last character the classifiers of nouns that end in it."""
    shared: Mapping[tuple[str, str], int]
    """How many nouns two classifiers both count."""

    def listed_noun(self, noun: str) -> str:
        """Return the listed noun that this one is or ends in, of two characters or more; empty if there is none."""
        return next((ending for ending in noun_endings(noun) if ending in self.known.listed), "")

    def profile(self, noun: str) -> Counter[str]:
        """Return how much speaks for each classifier of a noun."""
        found = Counter(self.uses.get(noun, {}))
        for form in self.known.listed.get(self.listed_noun(noun), ()):
            found[form] += _LISTED_WEIGHT
        return found

    def kind(self, form: str) -> Kind:
        """Return the kind of a classifier; one that only a dictionary lists is taken to be sortal."""
        own = self.known.classifiers.get(form)
        return own.kind if own is not None else "sortal"

    def goes_with(self, form: str, noun: str) -> bool:
        """Say whether the pair was seen or is listed."""
        return bool(self.profile(noun)[form])

    def wants_classifier(self, noun: str) -> bool:
        """Say whether enough is known of the noun with classifiers that name its unit."""
        units = sum(weight for form, weight in self.profile(noun).items() if self.kind(form) in _COUNTING - _SILENT)
        return units >= _LISTED_WEIGHT

    def usual(self, noun: str) -> tuple[str, ...]:
        """Return the classifiers that name a unit of the noun or an occasion, the best known first."""
        return tuple(form for form, _ in self.profile(noun).most_common() if self.kind(form) in _COUNTING)

    def objection(self, form: str, noun: str, thresholds: Thresholds) -> Objection | None:
        """Return why the classifier hardly goes with the noun; None if nothing, or too little, speaks against it."""
        profile = self.profile(noun)
        telling = sum(weight for other, weight in profile.items() if self.kind(other) not in _SILENT)
        seen = sum(self.uses.get(noun, {}).values())
        if self.kind(form) not in _COUNTING or profile[form] or profile.total() < thresholds.evidence:
            return None
        if telling < _LISTED_WEIGHT or telling < _TELLING_SHARE * profile.total():
            return None
        if form == GENERAL_CLASSIFIER:
            if seen < thresholds.evidence_general:
                return None
        elif form in self.endings.get(noun[-1], ()) or self._is_exchangeable(form, profile, thresholds.kinship):
            return None
        return Objection(self.usual(noun), seen, self.listed_noun(noun))

    def _is_exchangeable(self, form: str, others: Iterable[str], kinship: int) -> bool:
        return any(
            self.shared.get((form, other), 0) >= kinship
            for other in others
            if other != GENERAL_CLASSIFIER and self.kind(other) in _COUNTING
        )


@cache
def profiles() -> Profiles:
    """Return what our table, CC-CEDICT (if it is installed) and the default corpus's training part know."""
    return profiles_of(known_inventory(), counted_rule().counts().table.select("noun", "label", "count").iter_rows())


def profiles_of(known: Inventory, counts: Iterable[tuple[str, str, int]]) -> Profiles:
    """Return the profiles from an inventory and from how often each (noun, classifier, count) was seen."""
    uses: dict[str, Counter[str]] = defaultdict(Counter)
    forms: dict[str, set[str]] = {noun: set(held) for noun, held in known.listed.items()}
    for noun, form, count in counts:
        uses[noun][form] += count
        forms.setdefault(noun, set()).add(form)
    endings: dict[str, set[str]] = defaultdict(set)
    shared: Counter[tuple[str, str]] = Counter()
    for noun, held in forms.items():
        endings[noun[-1]] |= held
        shared.update((one, other) for one in held for other in held if one != other)
    return Profiles(known, dict(uses), {last: frozenset(held) for last, held in endings.items()}, dict(shared))
