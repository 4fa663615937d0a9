"""Is a response model read as it is written, and are its thresholds those of the stated shares?"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit

from hengliang import UserError
from hengliang.people.bots.response_model import TEMPLATE, ResponseModel, ScaleModel, model_from, read_model
from hengliang.statistics import PLAN_TEMPLATE as PLAN
from hengliang.statistics import thresholds_for


def test_the_template_is_the_default_model(tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(TEMPLATE, encoding="utf-8")
    assert read_model(tmp_path / "model.toml") == ResponseModel()


def test_a_plan_for_power_is_a_response_model() -> None:
    plan = tomllib.loads(PLAN)
    model = model_from(plan)
    assert model.effects == {"model": -0.4} and model.item_by_system == 0.5
    assert model.shares == tuple(plan["answers"]["shares"])
    # The planner and the participants must mean the same: equal thresholds for equal shares and spread.
    assert model.thresholds("fluency", 7) == pytest.approx(thresholds_for(model.shares, model.spread), abs=1e-8)


@given(st.lists(st.integers(1, 20), min_size=2, max_size=9))
def test_without_spread_thresholds_are_the_logits_of_cumulative_shares(weights: list[int]) -> None:
    shares = tuple(weight / sum(weights) for weight in weights)
    model = ResponseModel(shares=shares, rater=0, item=0, rater_by_system=0, item_by_system=0)
    expected = logit(np.cumsum(shares)[:-1])
    assert model.thresholds("any", len(shares)) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=30)
@given(st.integers(2, 11))
def test_shares_are_stretched_to_other_scales(points: int) -> None:
    thresholds = ResponseModel().thresholds("any", points)
    assert len(thresholds) == points - 1 and list(thresholds) == sorted(set(thresholds))


def test_twice_as_many_points_keep_what_lies_below_each_old_one() -> None:
    # Every second threshold of 14 points parts the answers where one of 7 does.
    model = ResponseModel()
    assert model.thresholds("any", 14)[1::2] == pytest.approx(model.thresholds("any", 7), abs=1e-8)


def test_effects_of_shared_responses_and_of_scales() -> None:
    model = ResponseModel(effects={"A": -1.0, "B": 0.5}, scales={"clarity": ScaleModel(effects={"A": 0.0})})
    assert model.effect("fluency", ("A", "B", "C")) == pytest.approx(-0.5 / 3)
    assert (model.effect("clarity", ("A",)), model.effect("clarity", ("B",)), model.effect("x", ())) == (0.0, 0.5, 0.0)


def test_the_signature_names_every_part() -> None:
    assert "rater:2.0" in str(ResponseModel(rater=2.0).signature())
    assert ResponseModel().signature() != ResponseModel(slip=0.5).signature()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = [", "is not TOML"),
        ("[colours]\n", r"No entry in .*model.toml \(line 1\) is called 'colours'"),
        ("answers = 3\n", r"model.toml, line 1: answers is 3. A table: begin it with the line \[answers\]"),
        (
            "[spread]\nraters = 1.0\n",
            r"No entry in spread of .*model.toml \(line 2\) is called 'raters'. Did you mean rater",
        ),
        ("[spread]\nrater = '1'\n", 'line 2: spread.rater is "1". A number.'),
        ("[spread]\nrater = -1.0\n", "spread.rater is -1.0. A finite number, 0 or more"),
        ("[answers]\nshares = [0.5, 0.1]\n", "sum 0.6"),
        ("[answers]\nshares = 0.5\n", "answers.shares is 0.5. A list"),
        ("[answers]\nnot_understood = 2\n", "answers.not_understood is 2. A share from 0 to 1"),
        ("[effects]\nA = true\n", "effects.A is true. A number"),
        ("[effects]\nA = nan\n", "effects.A is NaN. A finite number, in log-odds"),
        (
            "[scales]\nclarity = { share = [1] }\n",
            r"No entry in scales.clarity of .*toml \(line 2\) is called .share.. Did you mean shares",
        ),
        ("[choices]\nyes = -1\n", "choices.yes is -1. A finite number, 0 or more"),
        ("[texts]\nanswers = []\n", "leaves nothing to write"),
        ("[texts]\nanswers = [1]\n", r"texts.answers\[0\] is 1. A text"),
        ("[time]\ncharacters = 0\n", "time.characters is 0. A finite number above 0"),
        ("[counts]\nby = 'guess'\n", 'counts.by is "guess". One of: scene, description'),
        ("[counts]\nby = 1\n", "counts.by is 1. One of: scene, description"),
    ],
)
def test_mistakes_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_model(tmp_path / "model.toml")
