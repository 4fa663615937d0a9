"""What is planned: which systems, how many raters and items, which effects are expected?

A plan is a TOML file of four tables, which `hengliang power --template` prints. Everything in it ends up in the
signature of the result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.settings import (
    FINITE,
    NOT_NEGATIVE,
    SHARES,
    Key,
    Must,
    OneOrMany,
    Within,
    check_settings,
    read_settings,
    settings_from,
)
from hengliang.core.signature import Signature, Value, version

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


def _not_two_names(names: Sequence[str]) -> str | None:
    return "" if len(names) < 2 or len(set(names)) < len(names) else None


def _not_counts(counts: Sequence[int]) -> str | None:
    return "" if not counts or any(count < 2 for count in counts) else None


TWO_NAMES = Must(_not_two_names, "At least two systems with different names.")
COUNTS = Must(_not_counts, "One or more whole numbers, each 2 or more.")
BELOW_ONE = Within("A share: 0 or more, below 1.", 0.0, math.nextafter(1, 0))
PROBABILITY = Within("A probability between 0 and 1.", 0.0, 1.0, open=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedExperiment:
    """Everything that the power of an experiment depends on.

    `shares` are the answers to the first system over all raters and items. `effects` and the standard deviations are on
    the scale of log-odds.
    """

    systems: Annotated[tuple[str, ...], Key("design.systems"), TWO_NAMES]
    raters: Annotated[tuple[int, ...], Key("design.raters"), OneOrMany(), COUNTS]
    items: Annotated[tuple[int, ...], Key("design.items"), OneOrMany(), COUNTS]
    shares: Annotated[tuple[float, ...], Key("answers.shares"), SHARES]
    effects: Mapping[str, Annotated[float, FINITE]] = field(default_factory=dict)
    assignment: Annotated[Assignment, Key("design.assignment")] = "all"
    identical: Annotated[float, Key("design.identical"), BELOW_ONE] = 0.0
    rater: Annotated[float, Key("spread.rater"), NOT_NEGATIVE] = 1.0
    item: Annotated[float, Key("spread.item"), NOT_NEGATIVE] = 0.8
    rater_by_system: Annotated[float, Key("spread.rater_by_system"), NOT_NEGATIVE] = 0.0
    item_by_system: Annotated[float, Key("spread.item_by_system"), NOT_NEGATIVE] = 0.0
    test: Annotated[PowerTest, Key("test.test")] = "ordinal"
    alpha: Annotated[float, Key("test.alpha"), PROBABILITY] = 0.05
    power: Annotated[float, Key("test.power"), PROBABILITY] = 0.8
    simulations: Annotated[int, Key("test.simulations"), Within("A whole number, 1 or more.", 1)] = 200
    seed: Annotated[int, Key("test.seed"), Within("A whole number, 0 or more.", 0)] = 1

    def check(self) -> None:
        """Refuse what cannot be simulated."""
        check_settings(self, "the plan")
        self._check_together()

    def _check_together(self) -> None:
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


_EXAMPLE = "hengliang power --template prints an example."


def read_plan(path: Path) -> PlannedExperiment:
    """Read a plan; a mistake is named with its file, line and entry."""
    plan = read_settings(PlannedExperiment, path, remedy=_EXAMPLE)
    plan._check_together()
    return plan


def plan_from(tables: Mapping[str, Any], where: str = "the plan") -> PlannedExperiment:
    """Return the plan that the tables of a TOML file state."""
    plan = settings_from(PlannedExperiment, tables, where, remedy=_EXAMPLE)
    plan._check_together()
    return plan
