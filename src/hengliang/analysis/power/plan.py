"""What is planned: which systems, how many raters and items, which effects are expected?

A plan is a TOML file of four tables, which `hengliang power --template` prints. Everything in it ends up in the
signature of the result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

from hengliang.errors import UserError, unknown_name
from hengliang.files import read_toml
from hengliang.signature import Signature, Value, version

Assignment = Literal["all", "latin square"]
PowerTest = Literal["ordinal", "wilcoxon", "sign"]

TEMPLATE = """\
# How many raters and items are needed?  hengliang power plan.toml
[design]
systems = ["corpus", "model"]      # the first is the one that the others are compared with
raters = [8, 16, 32]               # every number of raters is combined with every number of items
items = [20, 40]
assignment = "all"                 # each rater judges each item in all versions; or "latin square": in one version each
identical = 0.0                    # share of items on which all systems answer alike, so that there is nothing to judge

[answers]
shares = [0.10, 0.08, 0.07, 0.07, 0.15, 0.25, 0.28]    # of each answer, for the first system; as many as the scale has

[effects]
model = -0.4                       # difference from the first system in log-odds; −0.4 is about 0.4 points of 7

[spread]                           # standard deviations in log-odds
rater = 1.0                        # some raters are milder than others
item = 0.8                         # some items are better than others
rater_by_system = 0.3              # raters differ in how they value a system
item_by_system = 0.5               # a system does better on some items than on others

[test]
test = "ordinal"                   # or "wilcoxon", "sign" (paired; they need the assignment "all")
alpha = 0.05
power = 0.8                        # how often the effect should be found
simulations = 200
seed = 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedExperiment:
    """Everything that the power of an experiment depends on.

    `shares` are the answers to the first system over all raters and items. `effects` and the standard deviations are on
    the scale of log-odds.
    """

    systems: tuple[str, ...]
    raters: tuple[int, ...]
    items: tuple[int, ...]
    shares: tuple[float, ...]
    effects: Mapping[str, float]
    assignment: Assignment = "all"
    identical: float = 0.0
    rater: float = 1.0
    item: float = 0.8
    rater_by_system: float = 0.0
    item_by_system: float = 0.0
    test: PowerTest = "ordinal"
    alpha: float = 0.05
    power: float = 0.8
    simulations: int = 200
    seed: int = 1

    def check(self) -> None:
        """Refuse what cannot be simulated."""
        _check_design(self)
        _check_numbers(self)
        for system in self.effects:
            if system not in self.systems[1:]:
                raise unknown_name("compared system", system, self.systems[1:])
        for system in self.systems[1:]:
            if system not in self.effects:
                raise UserError(f"No effect is stated for '{system}'.", remedy=f"Write {system} = 0.0 under [effects].")
        if self.test != "ordinal" and self.assignment != "all":
            raise UserError(
                f"The test '{self.test}' compares pairs, and in a latin square no rater judges a pair.",
                remedy='Choose test = "ordinal" or assignment = "all".',
            )

    def with_(self, **changes: int) -> Self:
        """Return the plan with some settings changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def signature(self) -> Signature:
        """Return every part of the plan."""
        parts: dict[str, Value | Signature] = {"hengliang": version()}
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, Mapping):
                value = ", ".join(f"{name}={held}" for name, held in value.items())
            parts[part.name] = value if isinstance(value, str | int | float) else ", ".join(map(str, value))
        return Signature.of(**parts)


def _check_design(plan: PlannedExperiment) -> None:
    if len(plan.systems) < 2 or len(set(plan.systems)) < len(plan.systems):
        raise UserError(f"systems = {list(plan.systems)}.", valid="At least two systems with different names.")
    for name, counts in (("raters", plan.raters), ("items", plan.items)):
        if not counts or any(count < 2 for count in counts):
            raise UserError(f"{name} = {list(counts)}.", valid="One or more whole numbers, each 2 or more.")
    if plan.assignment not in get_args(Assignment):
        raise UserError(f"assignment = '{plan.assignment}'.", valid='"all" or "latin square".')
    if plan.test not in get_args(PowerTest):
        raise unknown_name("test", plan.test, get_args(PowerTest))


def _check_numbers(plan: PlannedExperiment) -> None:
    numbers = {name: getattr(plan, name) for name in ("rater", "item", "rater_by_system", "item_by_system")}
    for name, value in {**numbers, **plan.effects}.items():
        if not math.isfinite(value):
            raise UserError(f"{name} = {value}.", valid="A finite number.")
    if plan.seed < 0:
        raise UserError(f"seed = {plan.seed}.", valid="A whole number, 0 or more.")
    if len(plan.shares) < 2 or any(share <= 0 for share in plan.shares) or abs(sum(plan.shares) - 1) > 0.005:
        raise UserError(
            f"shares = {list(plan.shares)} (sum {sum(plan.shares):.4g}).",
            valid="One share above 0 for each answer of the scale, together 1.",
        )
    for name in ("rater", "item", "rater_by_system", "item_by_system"):
        if getattr(plan, name) < 0:
            raise UserError(f"{name} = {getattr(plan, name)}.", valid="A standard deviation is 0 or more.")
    if not 0 <= plan.identical < 1:
        raise UserError(f"identical = {plan.identical}.", valid="A share: 0 or more, below 1.")
    for name in ("alpha", "power"):
        if not 0 < getattr(plan, name) < 1:
            raise UserError(f"{name} = {getattr(plan, name)}.", valid="A probability between 0 and 1.")
    if plan.simulations < 1:
        raise UserError(f"simulations = {plan.simulations}.", valid="A whole number, 1 or more.")


_TABLES: Mapping[str, tuple[str, ...]] = {
    "design": ("systems", "raters", "items", "assignment", "identical"),
    "answers": ("shares",),
    "spread": ("rater", "item", "rater_by_system", "item_by_system"),
    "test": ("test", "alpha", "power", "simulations", "seed"),
}
_REQUIRED = (("design", "systems"), ("design", "raters"), ("design", "items"), ("answers", "shares"))


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a value must be, and how that is said."""

    types: tuple[type, ...]
    words: str
    many: bool = False

    def accepts(self, value: object) -> bool:
        held: Sequence[object] = value if self.many and isinstance(value, list) else [value]
        return all(isinstance(one, self.types) and not isinstance(one, bool) for one in held)


_NUMBER = _Kind((int, float), "a number")
_WHOLE = _Kind((int,), "a whole number")
_TEXT = _Kind((str,), "a text")
_KINDS: Mapping[str, _Kind] = {
    "systems": _Kind((str,), "a list of names", many=True),
    "raters": _Kind((int,), "a whole number or a list of them", many=True),
    "items": _Kind((int,), "a whole number or a list of them", many=True),
    "shares": _Kind((int, float), "a list of numbers", many=True),
    "assignment": _TEXT,
    "test": _TEXT,
    "simulations": _WHOLE,
    "seed": _WHOLE,
}


def read_plan(path: Path) -> PlannedExperiment:
    """Read a plan; a mistake is named with its file, table and key."""
    return plan_from(read_toml(path, "hengliang power --template prints an example."), str(path))


def plan_from(tables: Mapping[str, Any], where: str = "the plan") -> PlannedExperiment:
    """Return the plan that the tables of a TOML file state."""
    settings: dict[str, Any] = {"effects": dict(_table(tables, "effects", where))}
    for system, effect in settings["effects"].items():
        _check_kind(f"[effects] {system}", effect, _NUMBER, where)
    for table in tables:
        if table not in (*_TABLES, "effects"):
            raise unknown_name(f"table of {where}", table, (*_TABLES, "effects"))
    for table, known in _TABLES.items():
        for key, value in _table(tables, table, where).items():
            if key not in known:
                raise unknown_name(f"key of [{table}] in {where}", key, known)
            _check_kind(f"[{table}] {key}", value, _KINDS.get(key, _NUMBER), where)
            settings[key] = _plain(key, value)
    for table, key in _REQUIRED:
        if key not in settings:
            raise UserError(f"{where} has no {key}.", remedy=f"Write {key} = … under [{table}]; see --template.")
    plan = PlannedExperiment(**settings)
    plan.check()
    return plan


def _table(tables: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    table = tables.get(name, {})
    if not isinstance(table, Mapping):
        raise UserError(f"'{name}' in {where} is no table.", remedy=f"Begin it with the line [{name}].")
    return table


def _check_kind(what: str, value: object, kind: _Kind, where: str) -> None:
    if not kind.accepts(value):
        raise UserError(f"{what} = {value!r} in {where}.", valid=f"It is {kind.words}.")


def _plain(key: str, value: Any) -> Any:
    kind = _KINDS.get(key, _NUMBER)
    if kind.many:
        return tuple(value) if isinstance(value, list) else (value,)
    return float(value) if kind is _NUMBER else value
