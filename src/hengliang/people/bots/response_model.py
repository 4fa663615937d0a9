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
from typing import Annotated, Any, Literal

import numpy as np
import scipy

from hengliang.core.settings import (
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    SHARES,
    Key,
    Must,
    Within,
    check_settings,
    read_settings,
    settings_from,
)
from hengliang.core.signature import Signature, Value

CountsBy = Literal["scene", "description"]

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


def _not_shares_if_any(shares: Sequence[float]) -> str | None:
    return SHARES.fault(shares) if shares else None


def _no_text(texts: Sequence[str]) -> str | None:
    return None if texts else "it leaves nothing to write"


EFFECT = Within("A finite number, in log-odds.")
SHARES_IF_ANY = Must(_not_shares_if_any, SHARES.valid)
TEXTS = Must(_no_text, "At least one text.")
_EXAMPLE = "hengliang survey simulate --template prints an example."


@dataclass(frozen=True, slots=True)
class ScaleModel:
    """What is different on one scale; what is empty is as on all others."""

    shares: Annotated[tuple[float, ...], SHARES_IF_ANY] = ()
    effects: Mapping[str, Annotated[float, EFFECT]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseModel:
    """Everything that the answers of simulated participants depend on, apart from the seed; see `TEMPLATE`."""

    shares: Annotated[tuple[float, ...], Key("answers.shares"), SHARES] = (0.10, 0.08, 0.07, 0.07, 0.15, 0.25, 0.28)
    correlation: Annotated[float, Key("answers.correlation"), SHARE] = 0.8
    not_understood: Annotated[float, Key("answers.not_understood"), SHARE] = 0.01
    comments: Annotated[float, Key("answers.comments"), SHARE] = 0.02
    effects: Mapping[str, Annotated[float, EFFECT]] = field(default_factory=dict)
    scales: Mapping[str, ScaleModel] = field(default_factory=dict)
    rater: Annotated[float, Key("spread.rater"), NOT_NEGATIVE] = 1.0
    item: Annotated[float, Key("spread.item"), NOT_NEGATIVE] = 0.8
    rater_by_system: Annotated[float, Key("spread.rater_by_system"), NOT_NEGATIVE] = 0.3
    item_by_system: Annotated[float, Key("spread.item_by_system"), NOT_NEGATIVE] = 0.5
    weights: Annotated[Mapping[str, Annotated[float, NOT_NEGATIVE]], Key("choices")] = field(default_factory=dict)
    answers: Annotated[tuple[str, ...], Key("texts.answers"), TEXTS] = ("我不知道", "这句话很自然", "换一个说法更好")
    cloze: Annotated[tuple[str, ...], Key("texts.cloze"), TEXTS] = ("个", "只", "条", "张")
    by: Annotated[CountsBy, Key("counts.by")] = "scene"
    noise: Annotated[float, Key("counts.noise"), SHARE] = 0.1
    chinese: Annotated[float, Key("behaviour.chinese"), SHARE] = 0.5
    inattentive: Annotated[float, Key("behaviour.inattentive"), SHARE] = 0.0
    slip: Annotated[float, Key("behaviour.slip"), SHARE] = 0.02
    drop_out: Annotated[float, Key("behaviour.drop_out"), SHARE] = 0.0
    start: Annotated[float, Key("time.start"), NOT_NEGATIVE] = 1.0
    characters: Annotated[float, Key("time.characters"), POSITIVE] = 8.0
    time_spread: Annotated[float, Key("time.spread"), NOT_NEGATIVE] = 0.4
    reaction: Annotated[float, Key("time.reaction"), POSITIVE] = 0.65
    reaction_spread: Annotated[float, Key("time.reaction_spread"), NOT_NEGATIVE] = 0.3

    def check(self) -> None:
        """Refuse what nobody could answer by."""
        check_settings(self, "the response model")

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


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


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


_OF_A_PLAN = ("design", "test")
"""Tables of a plan for `hengliang power` that say nothing about answers."""


def read_model(path: Path) -> ResponseModel:
    """Read a response model, or the answers, effects and spread of a plan for `hengliang power`."""
    return read_settings(ResponseModel, path, remedy=_EXAMPLE, passed_over=_OF_A_PLAN)


def model_from(tables: Mapping[str, Any], where: str = "the model") -> ResponseModel:
    """Return the model that the tables of a TOML file state; a plan's effects are compared with its first system."""
    return settings_from(ResponseModel, tables, where, remedy=_EXAMPLE, passed_over=_OF_A_PLAN)
