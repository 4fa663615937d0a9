"""In which order do people prefer quantifier patterns, and the properties that fill them?

Three orders are learned by counting in descriptions in logical form. *Patterns*: a quantifier, with or without
something said of the rest. *Fillers*, for each pattern: how many values its places name, so that *object, one value*
(all objects are squares) is one and *one value, one value* (all squares are blue) another. *Properties*: whether nouns
or adjectives come first when a place names one value; that shapes come before colours is what QTUNA shows. So an order
learned from circles and squares serves every domain. What descriptions begin with counts before what they use at all:
an order is for walking through, and people begin with the scene as a whole.

The order that ships was learned from the elicited descriptions of QTUNA [1]. It holds counts of patterns, and no text.

[1] Chen, G., van Deemter, K., Pagliaro, S., Smalbil, L., & Lin, C. (2019). QTUNA: A corpus for understanding how
    speakers use quantification. INLG.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from hengliang.core.closure import package_data
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json
from hengliang.core.signature import Signature, digest
from hengliang.materials.quantified_expressions import Description
from hengliang.materials.quantified_properties import OBJECT_NAME, Property
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.describers.candidates import Candidate, pattern_name

FILE = "preferences.json"
NOUN, ADJECTIVE = "noun", "adjective"
_NUMERALS = {1: "one value", 2: "two values", 3: "three values", 4: "four values"}

Use = tuple[str, int, int]
"""A name, how many descriptions begin with it, and how often it is used at all."""
Uses = tuple[Use, ...]


@dataclass(frozen=True)
class Preferences:
    """How often patterns, their fillers and properties were used, each from the most to the least preferred."""

    patterns: Uses
    fillers: tuple[tuple[str, Uses], ...] = ()
    properties: Uses = ()
    source: str = ""

    def order_of(self, patterns: Iterable[str]) -> list[str]:
        """Return patterns from the most to the least preferred; unknown ones come last, in the order given."""
        rank = {name: place for place, (name, _, _) in enumerate(self.patterns)}
        return sorted(dict.fromkeys(patterns), key=lambda name: rank.get(name, len(rank)))

    def filler_ranks(self, held: tuple[Candidate, ...], domain: Domain) -> list[int]:
        """Return at which place of its pattern each candidate is considered.

        By how often its pattern was filled so, then by how often all patterns were, then by the order of properties;
        what is equal then stays as it comes.
        """
        within = {pattern: _by_name(uses) for pattern, uses in self.fillers}
        overall = _by_name(_summed(uses for _, uses in self.fillers))
        roles = [name for name, _, _ in self.properties]
        keys = []
        for place, one in enumerate(held):
            form = form_of(one.first, one.second, one.rest)
            in_pattern = within.get(one.pattern, {}).get(form, (0, 0))
            by_role = tuple(_role_rank(filler, domain, roles) for filler in (one.first, one.second, one.rest) if filler)
            keys.append((_least_first(in_pattern), _least_first(overall.get(form, (0, 0))), by_role, place))
        ranks = [0] * len(held)
        for rank, (*_, place) in enumerate(sorted(keys)):
            ranks[place] = rank
        return ranks

    def as_json(self) -> str:
        """Return the counts as the text of a JSON file, a line each."""
        held = {
            "source": self.source,
            "patterns": _by_name(self.patterns),
            "properties": _by_name(self.properties),
            "fillers": {pattern: _by_name(uses) for pattern, uses in self.fillers},
        }
        # Two numbers on three lines are hard to read.
        return _on_one_line(json.dumps(held, indent=1, ensure_ascii=False)) + "\n"

    def signature(self) -> Signature:
        """Return the hash of the counts."""
        return Signature.of(counts=self._digest)

    def __hash__(self) -> int:
        """Return the hash of the digest: preferences are a key whenever a scene is described."""
        return hash(self._digest)

    @cached_property
    def _digest(self) -> str:
        return digest(repr((self.patterns, self.fillers, self.properties)))


def form_of(first: Property, second: Property, rest: Property | None) -> str:
    """Return how many values each place names.

    >>> from hengliang.materials.quantified_properties import OBJECT, prop
    >>> form_of(OBJECT, prop("blue", "square"), None)
    'object, two values'
    """
    return ", ".join(_form(place) for place in (first, second, rest) if place is not None)


def _form(place: Property) -> str:
    lengths = [len(term) for term in place.terms]
    return " and ".join(_NUMERALS.get(length, f"{length} values") if length else OBJECT_NAME for length in lengths)


def _role(place: Property, domain: Domain) -> str:
    """Return whether a place that names one value names a noun or an adjective; of other places nothing is said."""
    if len(place.terms) != 1 or len(place.terms[0]) != 1:
        return ""
    attribute = domain.attributes[domain.attribute_of[place.terms[0][0]]]
    return NOUN if attribute.noun else ADJECTIVE


def _role_rank(place: Property, domain: Domain, roles: list[str]) -> int:
    role = _role(place, domain)
    return roles.index(role) if role in roles else len(roles)


@dataclass
class _Tally:
    """Counts of names: in all, and at the beginning of descriptions."""

    openings: Counter[str] = field(default_factory=Counter)
    uses: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, opening: bool) -> None:
        self.uses[name] += 1
        self.openings[name] += opening

    def ranked(self) -> Uses:
        """Return all counts, the most preferred first, equal ones in the order of their names."""
        found = [(name, self.openings[name], uses) for name, uses in self.uses.items()]
        return tuple(sorted(found, key=lambda use: (*_least_first(use[1:]), use[0])))


def learn_preferences(
    descriptions: Iterable[Description], domain: Domain = DEFAULT_DOMAIN, source: str = ""
) -> Preferences:
    """Return the preferences that descriptions in logical form show, by counting; equal counts in order of names.

    Which property comes first is counted in what the expressions are about, where that is one value.
    """
    patterns, properties = _Tally(), _Tally()
    fillers: dict[str, _Tally] = {}
    for description in descriptions:
        for place, one in enumerate(description):
            name = pattern_name(one.quantifier, one.rest is not None)
            patterns.add(name, place == 0)
            fillers.setdefault(name, _Tally()).add(form_of(one.first, one.second, one.rest), place == 0)
            role = _role(one.first, domain)
            if role:
                properties.add(role, place == 0)
    ranked = patterns.ranked()
    by_pattern = tuple((name, fillers[name].ranked()) for name, _, _ in ranked)
    # Whether somebody begins with shapes or goes on with them is all the same: the sum decides.
    roles = sorted(properties.ranked(), key=lambda use: -use[2])
    return Preferences(ranked, by_pattern, tuple(roles), source)


def _by_name(uses: Uses) -> dict[str, tuple[int, int]]:
    return {name: (openings, all_uses) for name, openings, all_uses in uses}


def _summed(many: Iterable[Uses]) -> Uses:
    openings: Counter[str] = Counter()
    all_uses: Counter[str] = Counter()
    for uses in many:
        openings.update({name: count for name, count, _ in uses})
        all_uses.update({name: count for name, _, count in uses})
    return tuple((name, openings[name], count) for name, count in all_uses.items())


def _least_first(counts: tuple[int, int]) -> tuple[int, int]:
    return -counts[0], -counts[1]


@lru_cache(maxsize=1)
def shipped_preferences() -> Preferences:
    """Return the preferences that ship with the program."""
    return _preferences(json.loads(package_data(__name__, FILE).read_text("utf-8")), FILE)


def read_preferences(path: Path) -> Preferences:
    """Return the preferences in a file that `Preferences.as_json` made, or say what is wrong with it."""
    return _preferences(read_json(path), str(path))


def _preferences(held: Any, where: str) -> Preferences:
    try:
        fillers = tuple((str(name), _uses(uses)) for name, uses in held["fillers"].items())
        return Preferences(_uses(held["patterns"]), fillers, _uses(held["properties"]), str(held.get("source", "")))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{where} holds no preferences.",
            valid='{"patterns": {"all": [2, 3]}, "properties": {"noun": [1, 4]}, "fillers": {"all": {…: [2, 3]}}}',
        ) from error


def _uses(held: Mapping[str, Any]) -> Uses:
    return tuple((str(name), int(openings), int(uses)) for name, (openings, uses) in held.items())


def _on_one_line(text: str) -> str:
    """Return JSON with its pairs of numbers on one line each."""
    return re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", text)
