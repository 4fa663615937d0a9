"""Do Z-scores place sentences rightly, and are the most divergent ones found?"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analysis.score_positions import score_positions, standardised
from hengliang.core import estimate_records
from hengliang.report import estimate_table
from tests import ORACLES
from tests.analysis.rated_scores import invented, rated, turned

ORACLE: dict[str, Any] = json.loads((ORACLES / "rating_correlation.json").read_text(encoding="utf-8"))
TABLES = rated(ORACLE["rating"], {"A": ORACLE["first"], "B": ORACLE["second"]})


def test_z_scores_are_those_of_r() -> None:
    rows = list(estimate_records(score_positions(count=40).estimate(TABLES)))
    found = {(row.by["item"], row.by["score"]): row.value for row in rows}
    # scale() of R, which divides by the standard deviation with n − 1.
    for number in range(40):
        item = f"s{number:04d}"
        assert found[item, "rating"] == pytest.approx(ORACLE["z"][number], abs=1e-9)
        assert found[item, "A"] == pytest.approx(ORACLE["z_first"][number], abs=1e-9)
        assert found[item, "B"] == pytest.approx(ORACLE["z_second"][number], abs=1e-9)


def test_the_most_divergent_sentences_come_first() -> None:
    apart = np.abs(np.array(ORACLE["z_first"]) - np.array(ORACLE["z_second"]))
    expected = [f"s{number:04d}" for number in np.argsort(-apart)[:3]]
    analysis = score_positions(count=3)
    table = estimate_table(analysis.estimate(TABLES), analysis.layout())
    assert table.to_polars()["item"].to_list() == expected
    assert [table.heading(column) for column in table.columns][3:7] == ["Sentence", "rating", "A", "B"]


def test_sentences_can_be_chosen() -> None:
    rows = list(estimate_records(score_positions(items=["s0007", "s0002"], systems="B").estimate(TABLES)))
    assert [(row.by["item"], row.by["score"]) for row in rows] == [
        ("s0007", "rating"), ("s0007", "B"), ("s0002", "rating"), ("s0002", "B"),
    ]  # fmt: skip


def test_positions_are_taken_within_mode() -> None:
    ratings = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]
    held = rated(ratings, {"A": [3.0, 2.0, 1.0, 1.0, 2.0, 3.0]}, mode=["m2"] * 3 + ["m100"] * 3)
    rows = list(estimate_records(score_positions().estimate(held)))
    found = {(row.by["item"], row.by["score"]): row.value for row in rows}
    # Three equal steps: −1, 0, 1 in either mode.
    assert [found[f"s000{number}", "rating"] for number in range(6)] == pytest.approx([-1, 0, 1] * 2)
    assert [found[f"s000{number}", "A"] for number in range(6)] == pytest.approx([1, 0, -1, -1, 0, 1])


def test_who_is_nearest_is_told_of_all_sentences() -> None:
    # Ratings −1, 0, 1 in Z; A is the same, B the reverse: both are equally near in the middle.
    conclusion = score_positions(count=1).conclude(rated([1, 2, 3], {"A": [1, 2, 3], "B": [3, 2, 1]}))
    (told,) = conclusion.sentences
    assert told.en == (
        "BNC, MOP2: nearest to the rating is A in 1 of these 1 and in 66.7 % of all 3; "
        "B in 0 of these 1 and in 0.0 % of all 3."
    )
    assert told.zh.startswith("BNC、MOP2，与评分最接近的系统：A 在这 1 句中占 1 句")


def test_versions_of_one_source_are_listed_once() -> None:
    # Z of A: 5 is .85, 1 is −1.19; of B: 1 is −.85, 4 is .85, 5 is 1.42. The last diverges by 2.61, the one before by
    # 2.04, the first three, all of one source, by 1.70.
    scores = {"A": [5, 5, 5, 3, 1, 1], "B": [1, 1, 1, 3, 4, 5]}
    held = rated([1, 2, 3, 4, 5, 6], scores, sources=["q1", "q1", "q1", "q2", "q3", "q4"])
    analysis = score_positions(count=3)
    listed = (
        analysis.estimate(held).explode("by").unnest("by").filter(factor="item")["level"].unique(maintain_order=True)
    )
    assert listed.to_list() == ["s0005", "s0004", "s0000"]
    chosen = score_positions(items=["s0001", "s0002"]).estimate(held)
    assert chosen.height == 6  # those that were asked for all stand


def test_missing_values_and_cells_without_positions() -> None:
    held = rated(
        [1.0, 2.0, None, 4.0, 5.0, 6.0],
        {"A": [1, 2, 3, None, 1, 1], "B": [1, 3, 2, 1, 5, 2]},
        mode=["m1", "m1", "m1", "m1", "m1", "m2"],
    )
    conclusion = score_positions().conclude(held)
    rows = list(estimate_records(conclusion.estimates))
    first = [row for row in rows if row.by["mode"] == "m1"]
    assert {row.by["item"] for row in first} == {"s0000", "s0001", "s0004"}
    assert {(row.n, row.n_missing) for row in first} == {(3, 2)}
    (empty,) = (row for row in rows if row.by["mode"] == "m2")
    assert empty.value is None and "too few sentences" in empty.method
    assert "no positions" in conclusion.sentences[-1].en and "无法确定位置" in conclusion.sentences[-1].zh


def test_seeds_have_the_mean_of_their_positions() -> None:
    held = rated([1, 2, 3], {"a": [1, 2, 3], "b": [3, 2, 1]}, seeds={"a": ("L", 1), "b": ("L", 2)})
    rows = list(estimate_records(score_positions().estimate(held)))
    assert [row.value for row in rows if row.by["score"] == "L"] == pytest.approx([0, 0, 0])


def test_mistakes_are_named() -> None:
    for options, message in (
        ({"systems": "C"}, "No system is called 'C'"),
        ({"items": "s9999"}, "No scored sentence is called 's9999'"),
        ({"count": 0}, "0 sentences cannot be listed"),
        ({"parts": ""}, "is not one measure"),
    ):
        with pytest.raises(UserError, match=message):
            score_positions(**options).estimate(TABLES)


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in score_positions().conformance() if not finding.kept] == []
    assert score_positions().estimate(turned(TABLES)).equals(score_positions().estimate(TABLES))


@settings(max_examples=20, deadline=None)
@given(st.floats(0.01, 100), st.floats(-100, 100))
def test_scale_and_origin_do_not_matter(factor: float, shift: float) -> None:
    ratings, _, _ = invented(10)
    assert standardised(factor * ratings + shift) == pytest.approx(standardised(ratings), abs=1e-6)
    assert standardised(ratings).mean() == pytest.approx(0, abs=1e-12)
    assert standardised(ratings).std(ddof=1) == pytest.approx(1)


def test_the_sentence_stands_beside_its_id_when_it_is_asked_for() -> None:
    analysis = score_positions(items=["s0007"], text=True)
    rows = list(estimate_records(analysis.estimate(TABLES)))
    contents = dict(TABLES.items.select("id", "content").iter_rows())
    assert {row.by["as written"] for row in rows} == {contents["s0007"]}
    assert "as written" in analysis.layout().rows
