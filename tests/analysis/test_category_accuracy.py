from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses import Accuracy
from hengliang.analysis.category_accuracy import WHOLE, CategoryAccuracy, category_accuracy
from hengliang.core import estimate_records, responses_frame, with_response_ids
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from tests.analyses.answers import answer, judge, tables, values
from tests.analysis.ranked_answers import shuffled

ORDER = [WHOLE, "true", "dual", "measure", "not in list"]


def test_the_rows_of_figure_one_by_hand() -> None:
    # Gold 个 个 本 (true) 张 张 (dual). GE is right on the first two; MIX says 个 本 本 – 张.
    found = CategoryAccuracy().estimate(tables())
    assert values(found) == {
        ("GE", WHOLE, "accuracy"): 2 / 5,
        ("GE", "true", "accuracy"): 2 / 3,
        ("GE", "dual", "accuracy"): 0.0,
        ("GE", "measure", "accuracy"): None,
        ("GE", "not in list", "accuracy"): None,
        ("MIX", WHOLE, "accuracy"): 3 / 4,
        ("MIX", "true", "accuracy"): 2 / 3,
        ("MIX", "dual", "accuracy"): 1.0,
        ("MIX", "measure", "accuracy"): None,
        ("MIX", "not in list", "accuracy"): None,
    }
    assert found["n"].to_list() == [5, 3, 2, 0, 0, 4, 3, 1, 0, 0]
    assert found["n_missing"].to_list() == [0, 0, 0, 0, 0, 1, 0, 1, 0, 0]


def test_the_table_has_systems_as_columns_and_the_frequency_beside_them() -> None:
    both = {"GE": ["个"] * 5, "ALL": ["个", "个", "本", "张", "张"]}
    analysis = CategoryAccuracy()
    table = estimate_table(analysis.estimate(tables(answers=both)), analysis.layout())
    assert table.frame["category"].to_list() == ORDER
    assert [column.title.en for column in table.columns if not column.header] == ["GE", "ALL", "n", "Missing"]
    assert table.frame["n"].to_list() == [5, 3, 2, 0, 0]
    assert analysis.layout().levels[WHOLE].zh == "全部数据"


def test_it_agrees_with_accuracy_by_the_same_factor() -> None:
    whole = {key[0]: value for key, value in values(Accuracy().estimate(tables())).items()}
    parts = values(Accuracy(by="category").estimate(tables()))
    found = values(CategoryAccuracy().estimate(tables()))
    assert all(found[key] == value for key, value in parts.items())
    assert all(found[system, WHOLE, "accuracy"] == value for system, value in whole.items())
    intervals = {(row.by["system"], row.by.get("category", WHOLE)): (row.low, row.high) for row in [
        *estimate_records(Accuracy().estimate(tables())), *estimate_records(Accuracy(by="category").estimate(tables())),
    ]}  # fmt: skip
    for row in estimate_records(CategoryAccuracy().estimate(tables())):
        assert intervals.get((row.by["system"], row.by["category"]), (None, None)) == (row.low, row.high)


def test_any_attribute_does_and_named_levels_come_first() -> None:
    genre = ["news", None, "verse", "news", "verse"]
    found = CategoryAccuracy("genre", levels=["verse", "play"]).estimate(tables(genre=genre))
    rows = [(row.by["genre"], row.n) for row in estimate_records(found) if row.by["system"] == "GE"]
    assert rows == [(WHOLE, 5), ("verse", 2), ("play", 0), ("news", 2), ("(none)", 1)]
    seen = CategoryAccuracy("seen").estimate(tables(seen=[True, False, True, True, False]))
    assert [row.by["seen"] for row in estimate_records(seen)][:3] == [WHOLE, "no", "yes"]


def test_seeds_are_averaged_so_that_n_stays_the_frequency() -> None:
    held = tables(answers={"A": ["个", "个", "本", "张", "张"]})
    second = [answer(f"i{n}", "A", label, seed=2) for n, label in enumerate(["个", "本", "本", "本", None])]
    frame = pl.concat([held.responses["label"], with_response_ids(responses_frame(second, "label"), "label")])
    found = CategoryAccuracy().estimate(judge(replace(held, responses={"label": frame})))
    # By item: 1, 1/2, 1, 1/2, and 1 where the second seed broke down.
    assert values(found)["A", WHOLE, "accuracy"] == pytest.approx((1 + 0.5 + 1 + 0.5 + 1) / 5)
    assert found["n"][0] == 5


def test_the_best_systems_of_each_row_are_said() -> None:
    said = CategoryAccuracy().sentences(CategoryAccuracy().estimate(tables()))
    assert [sentence.en for sentence in said] == [
        "Whole dataset: MIX (75.0 %) highest, then GE (40.0 %).",
        "True classifiers: GE, MIX (66.7 %) highest.",
        "Dual classifiers: MIX (100.0 %) highest, then GE (0.0 %).",
    ]
    assert said[0].zh == "全部数据：MIX（75.0 %）最高，其次为 GE（40.0 %）。"
    alone = tables(answers={"GE": ["个"] * 5})
    assert CategoryAccuracy().sentences(CategoryAccuracy().estimate(alone)) == []


def test_the_order_of_the_tables_does_not_matter() -> None:
    assert CategoryAccuracy(draws=50).estimate(tables()).equals(CategoryAccuracy(draws=50).estimate(shuffled(tables())))


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match="kategory"):
        CategoryAccuracy("kategory").estimate(tables())
    with pytest.raises(UserError, match="One attribute"):
        CategoryAccuracy("").estimate(tables())
    with pytest.raises(UserError, match="row of all items"):
        CategoryAccuracy(levels=[WHOLE]).estimate(tables())
    with pytest.raises(UserError, match="There are no answers"):
        CategoryAccuracy().estimate(replace(tables(), responses={}))


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("analysis", "category accuracy").kind is CategoryAccuracy is category_accuracy
    assert (CategoryAccuracy().name, CategoryAccuracy("genre").name) == (
        "category accuracy",
        "category accuracy by genre",
    )
    assert CategoryAccuracy("genre").title.zh == "总体与各体裁的准确率"
    for analysis in (CategoryAccuracy(), CategoryAccuracy("condition")):
        assert [finding for finding in analysis.conformance() if not finding.kept] == []
