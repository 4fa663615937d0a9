"""How do simulated participants answer, and where is that said?

A `ResponseModel` is a record of plain numbers. Ratings come from a cumulative-link model, that of `hengliang power`; a
plan for it is a response model, too. Everything else (choices, texts, counts, times, attention,
leaving early) has a small model of its own. What is not stated in the file is as the record has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import scipy

from hengliang.errors import UserError, unknown_name
from hengliang.files import read_toml
from hengliang.signature import Signature, Value

CountsBy = Literal["scene", "description"]
COUNTS_BY: tuple[CountsBy, ...] = get_args(CountsBy)

TEMPLATE = """\
# How do simulated participants answer?  hengliang survey simulate DIR --model model.toml
# A plan for `hengliang power` may stand here as well: [answers], [effects] and [spread] mean the same.
[answers]
shares = [0.10, 0.08, 0.07, 0.07, 0.15, 0.25, 0.28]   # of each answer to what no effect is stated for
correlation = 0.8        # between the scales of a page, on the log-odds
not_understood = 0.01    # share of pages with "I did not understand this"
comments = 0.02          # share of pages with a comment

[effects]                # of systems, in log-odds; a response of several systems has the mean of theirs
# RULE = -0.8

[scales]                 # what is different on one scale
# clarity = { shares = [0.05, 0.05, 0.05, 0.10, 0.15, 0.25, 0.35], effects = { RULE = -0.4 } }

[spread]                 # standard deviations in log-odds
rater = 1.0
item = 0.8
rater_by_system = 0.3
item_by_system = 0.5

[choices]                # how much more often than an option of weight 1 an option is chosen
# "the first" = 2.0

[texts]
answers = ["我不知道", "这句话很自然", "换一个说法更好"]   # what is written where words are asked for
cloze = ["个", "只", "条", "张"]

[counts]
by = "scene"             # what counts come from: the scene itself, or the description as it is read
noise = 0.1              # probability that one thing of a scene is remembered as another

[behaviour]
chinese = 0.5            # share of participants who choose Chinese
inattentive = 0.0        # share who answer at random, catch items as well
slip = 0.02              # how often an attentive one fails a catch item
drop_out = 0.0           # probability to leave for good, at each page

[time]
start = 1.0              # seconds before reading
characters = 8.0         # characters read in a second
spread = 0.4             # standard deviation of the logarithm
reaction = 0.65          # median of a speeded response, in seconds
reaction_spread = 0.3
"""


@dataclass(frozen=True, slots=True)
class ScaleModel:
    """What is different on one scale; what is empty is as on all others."""

    shares: tuple[float, ...] = ()
    effects: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseModel:
    """Everything that the answers of simulated participants depend on, apart from the seed; see `TEMPLATE`."""

    shares: tuple[float, ...] = (0.10, 0.08, 0.07, 0.07, 0.15, 0.25, 0.28)
    correlation: float = 0.8
    not_understood: float = 0.01
    comments: float = 0.02
    effects: Mapping[str, float] = field(default_factory=dict)
    scales: Mapping[str, ScaleModel] = field(default_factory=dict)
    rater: float = 1.0
    item: float = 0.8
    rater_by_system: float = 0.3
    item_by_system: float = 0.5
    weights: Mapping[str, float] = field(default_factory=dict)
    answers: tuple[str, ...] = ("我不知道", "这句话很自然", "换一个说法更好")
    cloze: tuple[str, ...] = ("个", "只", "条", "张")
    by: CountsBy = "scene"
    noise: float = 0.1
    chinese: float = 0.5
    inattentive: float = 0.0
    slip: float = 0.02
    drop_out: float = 0.0
    start: float = 1.0
    characters: float = 8.0
    time_spread: float = 0.4
    reaction: float = 0.65
    reaction_spread: float = 0.3

    def check(self) -> None:
        """Refuse what nobody could answer by."""
        if self.by not in COUNTS_BY:
            raise unknown_name("source of counts", self.by, COUNTS_BY)
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(f"{name} = {getattr(self, name)}.", valid="A share from 0 to 1.")
        for name in _SPREADS:
            if not (getattr(self, name) >= 0 and math.isfinite(getattr(self, name))):
                raise UserError(f"{name} = {getattr(self, name)}.", valid="A finite number, 0 or more.")
        for name in ("characters", "reaction"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise UserError(f"{name} = {getattr(self, name)}.", valid="A finite number above 0.")
        for shares in (self.shares, *(scale.shares for scale in self.scales.values() if scale.shares)):
            _check_shares(shares)
        for effects in (self.effects, *(scale.effects for scale in self.scales.values())):
            for system, effect in effects.items():
                if not math.isfinite(effect):
                    raise UserError(f"The effect of {system} is {effect}.", valid="A finite number, in log-odds.")
        for option, weight in self.weights.items():
            if not (weight >= 0 and math.isfinite(weight)):
                raise UserError(f"The weight of '{option}' is {weight}.", valid="A finite number, 0 or more.")
        if not self.answers or not self.cloze:
            raise UserError("[texts] leaves nothing to write.", valid="At least one text for answers and for cloze.")

    @property
    def spread(self) -> float:
        """The standard deviation of the log-odds between answers to one system's responses."""
        return math.sqrt(self.rater**2 + self.item**2 + self.rater_by_system**2 + self.item_by_system**2)

    def thresholds(self, scale: str, points: int) -> tuple[float, ...]:
        """Return the thresholds of a scale with so many points, under which all together answer with the shares."""
        own = self.scales.get(scale)
        return _thresholds(own.shares if own and own.shares else self.shares, points, self.spread)

    def effect(self, scale: str, systems: Sequence[str]) -> float:
        """Return the mean effect of the systems that gave a response; one that is not named has none."""
        own = self.scales.get(scale)
        stated = {**self.effects, **(own.effects if own else {})}
        return sum(stated.get(system, 0.0) for system in systems) / len(systems) if systems else 0.0

    def signature(self) -> Signature:
        """Return every part of the model."""
        parts: dict[str, Value | Signature] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            parts[part.name] = value if isinstance(value, int | float | str) else repr(value)
        return Signature.of(model="cumulative link", **parts)


_SHARES = ("correlation", "not_understood", "comments", "noise", "chinese", "inattentive", "slip", "drop_out")
_SPREADS = ("rater", "item", "rater_by_system", "item_by_system", "time_spread", "reaction_spread", "start")
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


def _check_shares(shares: tuple[float, ...]) -> None:
    if len(shares) < 2 or any(share <= 0 for share in shares) or abs(sum(shares) - 1) > 0.005:
        raise UserError(
            f"shares = {list(shares)} (sum {sum(shares):.4g}).",
            valid="One share above 0 for each answer of the scale, together 1.",
        )


@lru_cache(maxsize=200)
def _thresholds(shares: tuple[float, ...], points: int, spread: float) -> tuple[float, ...]:
    """Return where a logistic variable with normal spread is cut so that the parts have these shares.

    Shares of another number of answers than the scale has are stretched: as much lies below a third of the scale.
    """
    cumulative = np.concatenate([[0.0], np.cumsum(shares) / sum(shares)])
    wanted = np.interp(np.linspace(0, 1, points + 1)[1:-1], np.linspace(0, 1, len(shares) + 1), cumulative)
    bound = 40.0 + 10.0 * spread
    return tuple(
        float(scipy.optimize.brentq(_too_much_below, -bound, bound, args=(spread, share), xtol=1e-10))
        for share in wanted
    )


def _too_much_below(threshold: float, spread: float, share: float) -> float:
    below = scipy.special.expit(threshold - spread * _NODES)
    return float(below @ _WEIGHTS / _WEIGHTS.sum() - share)


_NAMES: Mapping[str, Mapping[str, str]] = {
    "answers": {name: name for name in ("shares", "correlation", "not_understood", "comments")},
    "spread": {name: name for name in ("rater", "item", "rater_by_system", "item_by_system")},
    "texts": {"answers": "answers", "cloze": "cloze"},
    "counts": {"by": "by", "noise": "noise"},
    "behaviour": {name: name for name in ("chinese", "inattentive", "slip", "drop_out")},
    "time": {
        **{name: name for name in ("start", "characters", "reaction", "reaction_spread")},
        "spread": "time_spread",
    },
}
"""What an entry of a table is called in the record."""
_OF_A_PLAN = ("design", "test")
"""Tables of a plan for `hengliang power` that say nothing about answers."""


def read_model(path: Path) -> ResponseModel:
    """Read a response model, or the answers, effects and spread of a plan for `hengliang power`."""
    return model_from(read_toml(path, "hengliang survey simulate --template prints an example."), str(path))


def model_from(tables: Mapping[str, Any], where: str = "the model") -> ResponseModel:
    """Return the model that the tables of a TOML file state; a plan's effects are compared with its first system."""
    known = (*_NAMES, "effects", "scales", "choices", *_OF_A_PLAN)
    read: dict[str, Any] = {}
    for table, held in tables.items():
        if table not in known:
            raise unknown_name(f"table of {where}", table, known)
        if not isinstance(held, Mapping):
            raise UserError(f"'{table}' in {where} is no table.", remedy=f"Begin it with the line [{table}].")
        for key, value in held.items() if table in _NAMES else ():
            if key not in _NAMES[table]:
                raise unknown_name(f"key of [{table}] in {where}", key, list(_NAMES[table]))
            read[_NAMES[table][key]] = _value(f"[{table}] {key}", value, table, where)
    read["effects"] = _numbers("[effects]", tables.get("effects", {}), where)
    read["weights"] = _numbers("[choices]", tables.get("choices", {}), where)
    read["scales"] = {name: _scale(name, held, where) for name, held in tables.get("scales", {}).items()}
    model = ResponseModel(**read)
    model.check()
    return model


def _scale(name: str, held: Any, where: str) -> ScaleModel:
    if not isinstance(held, Mapping) or set(held) - {"shares", "effects"}:
        raise UserError(f"[scales] {name} = {held!r} in {where}.", valid="{ shares = […], effects = { SYSTEM = 0.0 } }")
    shares = _value(f"[scales] {name}: shares", held["shares"], "answers", where) if "shares" in held else ()
    return ScaleModel(shares, _numbers(f"[scales] {name}: effects", held.get("effects", {}), where))


def _numbers(what: str, held: Any, where: str) -> dict[str, float]:
    for key, value in held.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(f"{what} {key} = {value!r} in {where}.", valid="It is a number.")
    return {key: float(value) for key, value in held.items()}


def _value(what: str, value: Any, table: str, where: str) -> Any:
    if what == "[counts] by":
        if value not in COUNTS_BY:
            raise unknown_name(f"source of counts in {where}", str(value), COUNTS_BY)
        return value
    wanted: tuple[type, ...] = (str,) if table == "texts" else (int, float)
    many = table == "texts" or what.endswith("shares")
    held = value if isinstance(value, list) else [value]
    if isinstance(value, list) != many or any(isinstance(one, bool) or not isinstance(one, wanted) for one in held):
        words = "texts" if table == "texts" else "numbers"
        raise UserError(f"{what} = {value!r} in {where}.", valid=f"It is a list of {words}." if many else "A number.")
    return tuple(held) if many else float(value)
