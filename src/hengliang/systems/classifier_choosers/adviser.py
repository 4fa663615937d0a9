"""Which classifier does a chooser advise when it may also look into a dictionary?

A chooser knows what its corpus shows. Everyday nouns are rare in newspapers: a model trained on them has hardly seen a
dog counted. Our table and CC-CEDICT list such nouns. The adviser takes each pair that they list for a use, beside the
chooser's opinion, which weighs as much as `strength` uses [1]:

    p(c) = (strength · p_chooser(c) + w(c)) / (strength + Σ w)

w(c) is 1 for a listed classifier that names the noun's own unit, or an occasion, and a quarter for bunches, vessels,
pieces and kinds, which dictionaries list beside it; it is 0 for what is not listed with the noun. A RULE that has never
seen the noun has no opinion, and the dictionary answers alone. The usual numbers were set on the dev part of the
default corpus (docs/choosing-classifiers.md).

[1] The mean of a Dirichlet posterior with the chooser as its prior: Gelman, A., et al. (2013). Bayesian data analysis,
    3rd ed., section 3.4.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from copy import copy

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.progress import Watcher
from hengliang.core.registry import register
from hengliang.core.signature import Signature
from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_inventory import Inventory, inventory, noun_endings
from hengliang.systems.classifier_choosers.base import RANKING, ClassifierChooser
from hengliang.systems.classifier_choosers.ensemble import Ensemble
from hengliang.systems.classifier_choosers.opening import open_chooser
from hengliang.systems.classifier_choosers.rule import Rule

STRENGTH = 3.0
_BESIDE = 0.25
_UNITS = frozenset(("general", "sortal", "event"))


@register("ADVISER")
class Adviser(ClassifierChooser):
    """A chooser and the dictionaries together; `chooser` is one or its name, by default the best on this machine."""

    title = Bilingual("Chooser with dictionaries", "选择器加词典")

    def __init__(
        self, chooser: ClassifierChooser | str | None = None, strength: float = STRENGTH, name: str = "ADVISER"
    ) -> None:
        self.chooser = chooser
        self.strength = strength
        self.name = name

    @property
    def asked(self) -> ClassifierChooser:
        """The chooser that is asked, which names every classifier it knows."""
        held: ClassifierChooser | None = self.__dict__.get("_asked")
        if held is None:
            given = self.chooser
            held = unabridged(given if isinstance(given, ClassifierChooser) else open_chooser(given))
            self.__dict__["_asked"] = held
        return held

    def choose(self, slots: pl.DataFrame) -> pl.Series:
        """Return the rankings of the chooser with what is listed of each noun."""
        self._check()
        rows = []
        nouns = slots["noun"].fill_null("").to_list()
        for noun, ranking in zip(nouns, self.asked.ranked(slots).to_list(), strict=True):
            opinion = {one["label"]: one["probability"] for one in ranking}
            rows.append(_sorted(self._mixed(noun, opinion)))
        return pl.Series("content", rows, dtype=RANKING)

    def _mixed(self, noun: str, opinion: Mapping[str, float]) -> dict[str, float]:
        listed = {form: _weight(form) for form in listed_forms(noun)}
        weight = self.strength
        if not opinion or (isinstance(self.asked, Rule) and listed and noun not in counted_nouns(self.asked)):
            weight = 0.0
        total = weight + sum(listed.values())
        mixed = {form: weight * probability / total for form, probability in opinion.items()} if weight else {}
        for form, uses in listed.items():
            mixed[form] = mixed.get(form, 0.0) + uses / total
        return mixed

    def _check(self) -> None:
        if not 0 < self.strength < math.inf:
            raise UserError(f"A strength of {self.strength} is not possible.", valid="A number above 0.")

    def prepare(self, watcher: Watcher) -> None:
        """Make the chooser ready."""
        self._check()
        self.asked.prepare(watcher)

    def signature(self) -> Signature:
        """Return the chooser's signature and the edition of the dictionaries beside our own."""
        return super().signature().and_(asked=self.asked.signature(), listed=known_inventory().signature())


def unabridged(chooser: ClassifierChooser) -> ClassifierChooser:
    """Return the chooser such that its rankings name every classifier it knows, however improbable.

    One whose constructor has no `top` stays as it is.
    """
    if chooser.top is None or "top" not in inspect.signature(type(chooser)).parameters:
        return chooser
    whole = copy(chooser)
    whole.top = None
    if isinstance(whole, Ensemble):
        whole.members = tuple(unabridged(member) for member in whole.members)
    return whole


def known_inventory() -> Inventory:
    """Return our table with CC-CEDICT, or alone where that is not installed."""
    try:
        return inventory()
    except UserError:
        return inventory(cedict=False)


def listed_forms(noun: str) -> tuple[str, ...]:
    """Return the classifiers that are listed with a noun, or with the longest noun of two characters it ends in."""
    listed = known_inventory().listed
    return next((tuple(listed[ending]) for ending in noun_endings(noun) if ending in listed), ())


def _weight(form: str) -> float:
    own = known_inventory().classifiers.get(form)
    return _BESIDE if own is not None and own.kind not in _UNITS else 1.0


def counted_nouns(rule: Rule) -> frozenset[str]:
    """Return the nouns that a RULE has seen."""
    held: frozenset[str] | None = rule.__dict__.get("_nouns")
    if held is None:
        held = frozenset(rule.counts().table["noun"].to_list())
        rule.__dict__["_nouns"] = held
    return held


def _sorted(mixed: Mapping[str, float]) -> list[dict[str, str | float]]:
    def order(form: str) -> tuple[float, str]:
        return -mixed[form], form

    return [{"label": form, "probability": mixed[form]} for form in sorted(mixed, key=order)]
