"""Is a plan read as it is written, and is every mistake in it named?"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hengliang import UserError
from hengliang.statistics.power.plan import TEMPLATE, plan_from, read_plan


def tables() -> dict[str, Any]:
    return tomllib.loads(TEMPLATE)


def test_the_template_is_a_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(TEMPLATE, encoding="utf-8")
    plan = read_plan(file)
    assert plan.systems == ("corpus", "model")
    assert plan.effects == {"model": -0.4}
    assert (plan.raters, plan.items) == ((8, 16, 32), (20, 40))
    assert sum(plan.shares) == pytest.approx(1)


def test_one_number_stands_for_a_list_of_one() -> None:
    changed = tables()
    changed["design"]["raters"] = 12
    assert plan_from(changed).raters == (12,)


@pytest.mark.parametrize(
    ("table", "key", "value", "said"),
    [
        ("design", "systems", ["one"], "At least two systems"),
        ("design", "systems", ["a", "a"], "different names"),
        ("design", "raters", [1], "each 2 or more"),
        ("design", "raters", "many", r"the plan: design.raters\[0\] is \"many\". A whole number"),
        ("design", "items", [2.5], "whole number"),
        ("design", "assignment", "some", "design.assignment is .*latin square"),
        ("design", "identical", 1.0, "below 1"),
        ("design", "rater", 3, "No entry in design of the plan is called 'rater'. Did you mean raters"),
        ("answers", "shares", [0.5, 0.6], r"sum 1.1"),
        ("answers", "shares", [1.0, 0.0], "above 0"),
        ("effects", "modle", 0.2, "No compared system is called 'modle'. Did you mean model"),
        ("effects", "model", "large", 'effects.model is "large". A number'),
        ("spread", "item", -1, "0 or more"),
        ("test", "test", "anova", 'test.test is "anova". One of: ordinal, wilcoxon, sign'),
        ("test", "alpha", 5, "between 0 and 1"),
        ("test", "simulations", 0, "1 or more"),
        ("test", "seed", True, "test.seed is true. A whole number"),
    ],
)
def test_a_mistake_is_named_with_what_is_valid(table: str, key: str, value: object, said: str) -> None:
    changed = tables()
    changed[table][key] = value
    with pytest.raises(UserError, match=said):
        plan_from(changed)


def test_what_is_missing_is_named() -> None:
    changed = tables()
    del changed["answers"]
    with pytest.raises(UserError, match=r"has no answers.shares. Write shares = … under \[answers\]"):
        plan_from(changed)
    changed = tables()
    del changed["effects"]
    with pytest.raises(UserError, match="No effect is stated for 'model'"):
        plan_from(changed)


def test_tables_that_do_not_exist_or_are_none() -> None:
    with pytest.raises(UserError, match="is called 'sprea'"):
        plan_from({**tables(), "sprea": {}})
    with pytest.raises(UserError, match=r"the plan: spread is 3\. A table: begin it with the line \[spread\]"):
        plan_from({**tables(), "spread": 3})


def test_pairs_need_all_versions_with_one_rater() -> None:
    changed = tables()
    changed["design"]["assignment"] = "latin square"
    changed["test"]["test"] = "wilcoxon"
    with pytest.raises(UserError, match="in a latin square no rater judges a pair"):
        plan_from(changed)


def test_a_file_that_is_no_toml_or_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("raters: 8", encoding="utf-8")
    with pytest.raises(UserError, match=r"plan.toml is not TOML.*--template"):
        read_plan(tmp_path / "plan.toml")
    with pytest.raises(UserError, match="no such file"):
        read_plan(tmp_path / "other.toml")


def test_the_signature_holds_every_setting() -> None:
    plan = plan_from(tables())
    assert plan.with_(seed=2).signature() != plan.signature()
    assert ("effects", "model=-0.4") in plan.signature().pairs


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [("spread", "rater", float("nan")), ("effects", "model", float("inf")), ("test", "seed", -1)],
)
def test_numbers_that_cannot_be_simulated(table: str, key: str, value: float) -> None:
    held = tables()
    held[table][key] = value
    with pytest.raises(UserError, match=rf"{table}\.{key} is {json.dumps(value)}\."):
        plan_from(held)
