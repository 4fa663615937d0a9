from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Analysis, Signature, Tables, UserError
from hengliang.analyses.classification import (
    Accuracy,
    AccuracyDifference,
    Average,
    PrecisionRecall,
    accuracy,
    accuracy_difference,
    precision_recall,
)
from hengliang.core import ESTIMATE_SCHEMA, LANGUAGES, Layout, from_json, responses_frame, to_json, with_response_ids
from hengliang.core import find_registered as find
from tests.analyses.answers import answer, judge, tables, values

ALL: list[Analysis] = [
    Accuracy(),
    Accuracy(by=("category",)),
    AccuracyDifference(),
    PrecisionRecall(),
    PrecisionRecall(interval="percentile"),
]

# --- accuracy -------------------------------------------------------------------------------------------------------


def test_accuracy_by_hand() -> None:
    # Gold 个 个 本 张 张. GE says 个 five times: 2 of 5. MIX says 个 本 本 – 张: right, wrong, right, missing, right.
    found = Accuracy().estimate(tables())
    assert values(found) == {("GE", "accuracy"): 2 / 5, ("MIX", "accuracy"): 3 / 4}
    assert found.select("n", "n_missing").rows() == [(5, 0), (4, 1)]


def test_accuracy_by_category() -> None:
    # The first three items are true classifiers, the last two dual ones.
    found = Accuracy(by=["category"]).estimate(tables())
    assert values(found) == {
        ("GE", "dual", "accuracy"): 0 / 2,
        ("GE", "true", "accuracy"): 2 / 3,
        ("MIX", "dual", "accuracy"): 1 / 1,
        ("MIX", "true", "accuracy"): 2 / 3,
    }
    assert found["n_missing"].to_list() == [0, 0, 1, 0]


def test_items_without_gold_and_unseen_items_are_missing_and_not_wrong() -> None:
    held = tables(gold=("个", None, "本", "张", "张"))
    fewer = held.responses["label"].filter(~((pl.col("system") == "GE") & (pl.col("item") == "i4")))
    found = Accuracy().estimate(judge(replace(held, responses={"label": fewer})))
    # GE: i0 right, i1 without gold, i2 and i3 wrong, i4 never answered.
    row = found.row(0, named=True)
    assert (row["value"], row["n"], row["n_missing"]) == (1 / 3, 3, 2)


def test_a_system_without_any_judged_answer_has_no_accuracy() -> None:
    found = Accuracy().estimate(tables(answers={"SILENT": [None] * 5}))
    row = found.row(0, named=True)
    assert (row["value"], row["low"], row["n"], row["n_missing"]) == (None, None, 0, 5)
    assert "no judged answer" in row["method"]


def test_the_interval_comes_from_whole_blocks() -> None:
    # GE is right on 2 of 2, 0 of 2 and 0 of 1 items of the blocks a, b, c. Of the 27 resamples of three blocks, one
    # (aaa, 0.037 > 0.025) has the mean 1 and eight (no a) have the mean 0; so the 95 % interval is [0, 1]. Without
    # clusters there are five items with two right: the mean of 1 has the probability (2/5)^5 ≈ 0.010 < 0.025, that of
    # 4/5 or more 0.087, and that of 0 (3/5)^5 ≈ 0.078; so the interval is [0, 4/5].
    clustered = Accuracy().estimate(tables()).row(0, named=True)
    single = Accuracy(cluster="id").estimate(tables()).row(0, named=True)
    assert (clustered["low"], clustered["high"]) == (0.0, 1.0)
    assert (single["low"], single["high"]) == (0.0, 0.8)
    assert "3 clusters (block)" in clustered["method"] and "5 clusters (id)" in single["method"]


def test_systems_with_the_same_answers_have_the_same_interval() -> None:
    same = ["个", "本", "本", "张", "个"]
    found = Accuracy().estimate(tables(answers={"A": same, "B": same}))
    assert found["low"][0] == found["low"][1] and found["high"][0] == found["high"][1]


def test_another_system_in_the_study_changes_nothing() -> None:
    alone = Accuracy().estimate(tables(answers={"MIX": ["个", "本", "本", None, "张"]}))
    assert alone.equals(Accuracy().estimate(tables())[1:])


def test_seeds_of_one_system_are_pooled_or_kept_apart() -> None:
    held = tables(answers={"A": ["个", "个", "本", "张", "张"]})
    second = [answer(f"i{n}", "A", label, seed=2) for n, label in enumerate(["个", "本", "本", "本", "本"])]
    frame = pl.concat([held.responses["label"], with_response_ids(responses_frame(second, "label"), "label")])
    held = judge(replace(held, responses={"label": frame}))
    # Seed 1 is right five times, seed 2 twice.
    assert values(Accuracy().estimate(held)) == {("A", "accuracy"): 7 / 10}
    assert values(Accuracy(by=("seed",)).estimate(held)) == {("A", "1", "accuracy"): 1.0, ("A", "2", "accuracy"): 2 / 5}


def test_names_tell_two_accuracies_of_a_study_apart() -> None:
    assert (Accuracy().name, accuracy(by="category").name) == ("accuracy", "accuracy by category")
    assert accuracy(by="category").title.zh == "准确率（按类别）"
    assert accuracy(name="mine").estimate(tables())["analysis"].to_list() == ["mine", "mine"]
    assert (accuracy(measure="top-3").name, accuracy(measure="top-3").title.zh) == ("top-3 accuracy", "准确率：top-3")


# --- precision and recall -------------------------------------------------------------------------------------------


def test_precision_and_recall_by_hand() -> None:
    # MIX: gold 个 个 本 张 张, answers 个 本 本 – 张.
    #      found answered gold   precision recall F1
    # 个   1     1        2      1         1/2    2/3
    # 本   1     2        1      1/2       1      2/3
    # 张   1     1        2      1         1/2    2/3
    found = values(PrecisionRecall().estimate(tables()))
    assert found["MIX", "macro precision"] == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert found["MIX", "macro recall"] == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert found["MIX", "macro F1"] == pytest.approx(2 / 3)
    assert found["MIX", "weighted precision"] == pytest.approx((2 * 1 + 1 * 1 / 2 + 2 * 1) / 5)
    assert found["MIX", "weighted recall"] == pytest.approx(3 / 5)
    assert found["MIX", "weighted F1"] == pytest.approx(2 / 3)
    # GE: 个 has found 2, answered 5, gold 2; 本 and 张 are never answered, which counts as precision 0.
    assert found["GE", "macro precision"] == pytest.approx((2 / 5 + 0 + 0) / 3)
    assert found["GE", "macro recall"] == pytest.approx((1 + 0 + 0) / 3)
    assert found["GE", "weighted F1"] == pytest.approx(2 / 5 * (2 * 2 / 7))


def test_missing_answers_are_counted_and_said() -> None:
    found = PrecisionRecall().estimate(tables(gold=("个", None, "本", "张", "张")))
    row = found.filter(pl.col("by").list.first().struct.field("level") == "MIX").row(0, named=True)
    assert (row["n"], row["n_missing"]) == (3, 2)
    assert "1 unanswered items count as not predicted, 1 without a gold answer are left out" in row["method"]


def test_a_silent_system_has_no_precision() -> None:
    found = PrecisionRecall().estimate(tables(answers={"SILENT": [None] * 5}))
    assert found["value"].to_list() == [None] * 6


CLASSES = st.sampled_from("个本张只")
ROWS = st.lists(st.tuples(CLASSES, st.one_of(CLASSES, st.just("件"), st.none())), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_values_are_those_of_scikit_learn(rows: list[tuple[str, str | None]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    gold, given_ = [right for right, _ in rows], [label for _, label in rows]
    held = tables(gold=gold, answers={"A": given_}, blocks=[str(n % 3) for n in range(len(rows))])
    found = values(PrecisionRecall(draws=5).estimate(held))
    if all(label is None for label in given_):
        assert set(found.values()) == {None}
        return
    classes = sorted({*gold, *(label for label in given_ if label is not None)})
    for average in ("macro", "weighted"):
        theirs = metrics.precision_recall_fscore_support(
            gold, [label or "(none)" for label in given_], labels=classes, average=average, zero_division=0
        )
        for name, value in zip(("precision", "recall", "F1"), theirs, strict=False):
            assert found["A", f"{average} {name}"] == pytest.approx(value, abs=1e-12)


def test_a_resample_averages_over_the_classes_it_holds() -> None:
    # Two blocks: a holds 个 answered rightly, b holds 本 answered rightly. Every resample, also one without b, has the
    # macro recall 1; if classes that it does not hold counted as 0, the lower bound would be 1/2.
    held = tables(gold=["个", "本"], answers={"A": ["个", "本"]}, blocks=["a", "b"])
    found = PrecisionRecall(interval="percentile").estimate(held)
    assert found["low"].to_list() == [1.0] * 6


def test_one_average_can_be_asked_for() -> None:
    found = precision_recall("macro").estimate(tables())
    assert set(found["statistic"]) == {"macro precision", "macro recall", "macro F1"}
    with pytest.raises(UserError, match="macro, weighted"):
        precision_recall("micro")  # type: ignore[arg-type]


def test_many_classes_and_clusters_stay_quick_and_right() -> None:
    generator = np.random.default_rng(2)
    gold = generator.integers(0, 200, 4000)
    label = np.where(generator.random(4000) < 0.7, gold, generator.integers(0, 200, 4000))
    held = tables(
        gold=[f"类{n}" for n in gold],
        answers={"A": [f"类{n}" for n in label]},
        blocks=[str(n // 10) for n in range(4000)],
        category=["x"] * 4000,
    )
    found = PrecisionRecall().estimate(held)
    recall = found.filter(pl.col("statistic") == "weighted recall").row(0, named=True)
    # Weighted recall is accuracy; its standard error with 4,000 independent items is √(0.7 · 0.3 / 4000) ≈ 0.0072, and
    # a 95 % interval is about 3.92 of those wide.
    assert recall["value"] == pytest.approx((gold == label).mean())
    assert recall["high"] - recall["low"] == pytest.approx(3.92 * 0.0072, rel=0.15)
    assert "400 clusters" in recall["method"]


# --- difference -----------------------------------------------------------------------------------------------------


def test_difference_by_hand() -> None:
    # Judged for both: i0, i1, i2, i4. GE: 1 1 0 0, MIX: 1 0 1 1. The later name comes first.
    found = AccuracyDifference().estimate(tables())
    assert values(found) == {("MIX", "GE", "difference"): 3 / 4 - 2 / 4}
    assert found.select("n", "n_missing").rows() == [(4, 1)]


def test_all_pairs_do_not_depend_on_the_order_of_systems() -> None:
    held = tables(answers={"C": ["个"] * 5, "A": ["本"] * 5, "B": ["张"] * 5})
    assert list(values(AccuracyDifference().estimate(held))) == [
        ("B", "A", "difference"),
        ("C", "A", "difference"),
        ("C", "B", "difference"),
    ]


def test_a_pair_turned_round_turns_the_sign() -> None:
    forth = AccuracyDifference([("GE", "MIX")]).estimate(tables()).row(0, named=True)
    back = accuracy_difference(pairs=[("MIX", "GE")]).estimate(tables()).row(0, named=True)
    assert forth["value"] == -back["value"]
    assert (forth["low"], forth["high"]) == pytest.approx((-back["high"], -back["low"]))


def test_the_same_answers_differ_by_nothing_and_surely() -> None:
    same = ["个", "本", "本", "张", "个"]
    row = AccuracyDifference().estimate(tables(answers={"A": same, "B": same})).row(0, named=True)
    assert (row["value"], row["low"], row["high"]) == (0.0, 0.0, 0.0)


def test_seeds_are_averaged_by_item_before_pairing() -> None:
    held = tables(answers={"A": ["个"] * 5, "B": ["个", "个", "本", "张", "张"]})
    second = [answer(f"i{n}", "A", label, seed=2) for n, label in enumerate(["个", "个", "本", "张", "张"])]
    frame = pl.concat([held.responses["label"], with_response_ids(responses_frame(second, "label"), "label")])
    row = AccuracyDifference().estimate(judge(replace(held, responses={"label": frame}))).row(0, named=True)
    # A is right on 2/5 and 5/5 with its two seeds, 7/10 on average; B on all. Five items, not ten.
    assert row["value"] == pytest.approx(1 - 7 / 10)
    assert row["n"] == 5


def test_unknown_systems_and_pairs_are_refused() -> None:
    with pytest.raises(UserError, match="Systems: GE, MIX"):
        AccuracyDifference([("RULE", "GE")]).estimate(tables())
    with pytest.raises(UserError, match="a list of pairs"):
        AccuracyDifference("some").estimate(tables())  # type: ignore[arg-type]


# --- what all three promise -----------------------------------------------------------------------------------------


def shuffled(held: Tables, seed: int) -> Tables:
    def mixed(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.sample(fraction=1, shuffle=True, seed=seed)

    responses = {kind: mixed(frame) for kind, frame in held.responses.items()}
    return Tables(mixed(held.items), held.systems, responses, mixed(held.judgements))


@pytest.mark.parametrize("analysis", ALL, ids=lambda analysis: analysis.name)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_of_rows_changes_nothing(analysis: Analysis, seed: int) -> None:
    held = tables()
    assert analysis.estimate(shuffled(held, seed)).equals(analysis.estimate(held))


@pytest.mark.parametrize("analysis", ALL, ids=lambda analysis: analysis.name)
def test_estimates_are_right_tables_with_method_and_signature(analysis: Analysis) -> None:
    found = analysis.estimate(tables(category=["same"] * 5))
    assert dict(found.schema) == ESTIMATE_SCHEMA
    assert set(found["analysis"]) == {analysis.name}
    for text in ("0.95", "3 clusters (block)", "2000 draws", "seed 1", "too narrow"):
        assert all(text in method for method in found["method"])
    line = Signature.parse(found["signature"][0])
    assert line == analysis.signature()
    # The run adds its own part under this key.
    assert line.and_(data="abc") != line


@pytest.mark.parametrize("analysis", ALL, ids=lambda analysis: analysis.name)
def test_a_missing_cluster_is_a_clear_mistake(analysis: Analysis) -> None:
    held = tables()
    with pytest.raises(UserError, match="'block' to cluster by"):
        analysis.estimate(replace(held, items=held.items.drop("block")))


@pytest.mark.parametrize("analysis", ALL, ids=lambda analysis: analysis.name)
def test_layouts_speak_both_languages_and_name_what_is_estimated(analysis: Analysis) -> None:
    layout = analysis.layout()
    found = analysis.estimate(tables())
    assert set(found["statistic"]) == set(layout.statistics)
    factors = {pair["factor"] for by in found["by"].to_list() for pair in by}
    assert factors <= {*layout.rows, layout.columns}
    assert factors <= set(layout.factors)
    assert from_json(Layout, to_json(layout), "It") == layout
    texts = [analysis.title, analysis.explanation, *(label.title for label in layout.statistics.values())]
    assert all(text[language] for text in texts for language in LANGUAGES)


@pytest.mark.parametrize("analysis", ALL, ids=lambda analysis: analysis.name)
def test_analyses_keep_their_promises(analysis: Analysis) -> None:
    assert [finding for finding in analysis.conformance() if not finding.kept] == []
    assert pickle.loads(pickle.dumps(analysis)).estimate(tables()).equals(analysis.estimate(tables()))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("accuracy", Accuracy), ("precision and recall", PrecisionRecall), ("accuracy difference", AccuracyDifference)],
)
def test_analyses_are_registered(name: str, kind: type[Analysis]) -> None:
    assert find("analysis", name).make().name == name
    assert find("analysis", name).kind is kind


def test_factories_give_what_the_classes_give() -> None:
    averages: tuple[Average, ...] = ("macro", "weighted")
    assert accuracy(["category"]).signature() == Accuracy(("category",)).signature()
    assert precision_recall(averages).signature() == PrecisionRecall().signature()
    assert accuracy_difference().signature() == AccuracyDifference().signature()
