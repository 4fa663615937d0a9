"""Is accuracy the mean over predictions that count, are controls and ties apart, and do items stay whole?"""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from hengliang import Judgement, Tables, UserError
from hengliang.core import JUDGEMENT_SCHEMA, SYSTEM_SCHEMA, Finding, estimate_records, judgements_frame
from hengliang.grammar.accuracy import ALIKE, SuiteAccuracy, suite_accuracy
from hengliang.grammar.suites.library import suite_items
from hengliang.grammar.suites.text_format import parse_suite

HEADER = """\
class: missing object
domain: syntactic
modifier: {modifier}
conditions: good *bad
regions: rest stop
predict 1: bad.stop > good.stop
predict 2: bad.* > good.*
control length: mean(bad.*) > mean(good.*)
"""
ITEMS = "\n\n".join(f"{n}  Gloss.\n   good  好 {n} | 。\n   bad   坏 {n} | 。" for n in (1, 2, 3, 4))
SUITES = [
    parse_suite(f"{HEADER.format(modifier=modifier)}\n{ITEMS}", name)
    for name, modifier in (("x.none", "none"), ("x.object_relative", "object relative"))
]
# By suite, item and prediction: what model A (two seeds) and model B got. t is a tie.
OUTCOMES = {
    "A (seed 1)": {"x.none": ["11", "11", "10", "00"], "x.object_relative": ["10", "00", "00", "1t"]},
    "A (seed 2)": {"x.none": ["11", "11", "11", "11"], "x.object_relative": ["00", "00", "00", "00"]},
    "B": {"x.none": ["tt", "tt", "tt", "tt"], "x.object_relative": ["tt", "tt", "11", "1?"]},
}


def judged(about: str, system: str, part: str, outcome: str) -> Judgement:
    value = None if outcome == "?" else float(outcome == "1")
    label = {"1": "success", "0": "failure", "t": "tie", "?": None}[outcome]
    status, reason = ("missing", "too long") if outcome == "?" else ("ok", "")
    return Judgement(about, system, "prediction", part, "machine", "formula", value, label, status, reason)  # type: ignore[arg-type]


def tables() -> Tables:
    rows = []
    for system, of_suite in OUTCOMES.items():
        for suite, of_items in of_suite.items():
            for number, outcomes in enumerate(of_items, 1):
                about = f"{suite}/{number}"
                rows += [judged(about, system, part, one) for part, one in zip("12", outcomes, strict=True)]
                rows.append(judged(about, system, "control: length", "1" if system == "B" else "0"))
    systems = pl.DataFrame({"name": ["B", "A", "A"], "seed": [None, 1, 2]}, schema=SYSTEM_SCHEMA)
    return Tables(suite_items(SUITES), systems, {}, judgements_frame(rows).select(list(JUDGEMENT_SCHEMA)))


def found(analysis: SuiteAccuracy) -> dict[tuple[str, ...], float | None]:
    return {(*row.by.values(), row.statistic): row.value for row in estimate_records(analysis.estimate(tables()))}


def test_every_prediction_that_counts_is_one_observation() -> None:
    # A: seed 1 has 5 + 2 of 16 and a tie, seed 2 has 8 + 0 of 16; B has 3 of 15 and 12 ties, one is missing.
    assert found(suite_accuracy(draws=50)) == {
        ("B", "accuracy"): pytest.approx(9 / 15),
        ("A", "accuracy"): pytest.approx(15.5 / 32),
    }
    assert found(suite_accuracy(ties="failure", draws=50)) == {
        ("B", "accuracy"): 3 / 15,
        ("A", "accuracy"): pytest.approx(15 / 32),
    }
    rows = list(estimate_records(suite_accuracy(draws=50).estimate(tables())))
    assert [(row.n, row.n_missing) for row in rows] == [(15, 1), (32, 0)]
    assert all(row.low is not None and row.high is not None and row.low <= row.value <= row.high for row in rows)  # type: ignore[operator]


def test_by_modifier_in_the_order_of_the_items() -> None:
    values = found(suite_accuracy(by="modifier", draws=50))
    assert list(values) == [
        ("B", "none", "accuracy"),
        ("B", "object relative", "accuracy"),
        ("A", "none", "accuracy"),
        ("A", "object relative", "accuracy"),
    ]
    assert list(values.values()) == [0.5, pytest.approx(5 / 7), 13 / 16, 2.5 / 16]


def test_by_seed_and_by_part() -> None:
    values = found(suite_accuracy(by=("seed",), draws=50))
    assert (values["A", "1", "accuracy"], values["A", "2", "accuracy"]) == (7.5 / 16, 8 / 16)
    parts = found(suite_accuracy(by=("part",), draws=50))
    # A, first comparison: 3 + 2 and 4 + 0 of 16.
    assert parts["A", "1", "accuracy"] == 9 / 16


def test_where_keeps_some_levels() -> None:
    values = found(suite_accuracy(where={"modifier": "none"}, draws=50))
    assert values == {("B", "accuracy"): 0.5, ("A", "accuracy"): 13 / 16}
    with pytest.raises(UserError, match="object relative"):
        suite_accuracy(where={"modifier": ["nothing"]}).estimate(tables())


def test_controls_are_apart() -> None:
    assert found(suite_accuracy(show="controls", draws=50)) == {("B", "accuracy"): 1.0, ("A", "accuracy"): 0.0}


def test_ties_and_what_they_could_come_to() -> None:
    values = found(suite_accuracy(show="ties"))
    # B: 12 of 15 are ties, 3 are successes; A: one of 32.
    assert values["B", "ties"] == 12 / 15
    assert values["B", "lowest"] == 3 / 15
    assert values["B", "highest"] == pytest.approx(1.0)
    assert values["A", "highest"] == pytest.approx(16 / 32)


def test_what_a_coin_has_settled_stays_settled() -> None:
    held = tables()
    won = pl.when(pl.col("label") == "tie").then(pl.lit("tie won")).otherwise("label")
    value = pl.when(pl.col("label") == "tie").then(1.0).otherwise("value")
    settled = Tables(held.items, held.systems, {}, held.judgements.with_columns(label=won, value=value))
    rows = list(estimate_records(suite_accuracy(draws=50).estimate(settled)))
    assert [row.value for row in rows] == [1.0, 16 / 32]
    shares = {row.statistic: row.value for row in estimate_records(suite_accuracy(show="ties").estimate(settled))}
    assert shares["lowest"] == 15 / 32 and shares["ties"] == 1 / 32


def test_ties_are_told_in_words() -> None:
    told = suite_accuracy(by="modifier", show="ties").conclude(tables()).sentences
    # B again: 12 of 15, 3 successes without them.
    assert [sentence.en for sentence in told] == [
        "B: 12 of 15 predictions are ties; settled one way or the other they put its accuracy between 20.0 % and "
        "100.0 %.",
        "A: 1 of 32 predictions are ties; settled one way or the other they put its accuracy between 46.9 % and "
        "50.0 %.",
    ]
    assert told[0].zh.startswith("B：15 条预测中有 12 条为平局")
    assert suite_accuracy(draws=50).conclude(tables()).sentences == ()


def test_intervals_resample_items_across_their_modifiers() -> None:
    """All four frames of B's first suite are ties, so the interval of that cell has no width."""
    rows = {
        tuple(row.by.values()): row
        for row in estimate_records(suite_accuracy(by="modifier", draws=200).estimate(tables()))
    }
    none = rows["B", "none"]
    assert (none.low, none.high) == (0.5, 0.5)
    assert "ties counted as half" in none.method
    assert "frame" in none.method
    by_set = next(iter(estimate_records(suite_accuracy(cluster="set", draws=200).estimate(tables()))))
    assert "set" in by_set.method


def test_mistakes() -> None:
    with pytest.raises(UserError, match="accuracy"):
        suite_accuracy(show="everything").estimate(tables())  # type: ignore[arg-type]
    with pytest.raises(UserError, match="half"):
        suite_accuracy(ties="third").estimate(tables())  # type: ignore[arg-type]
    without = tables()
    rows = without.judgements.filter(~pl.col("part").str.starts_with("control"))
    with pytest.raises(UserError, match="no control"):
        suite_accuracy(show="controls").estimate(Tables(without.items, without.systems, {}, rows))


def test_names_and_titles_say_what_is_shown() -> None:
    analysis = suite_accuracy(by=("class", "modifier"), where={"class": ("missing object",)})
    assert analysis.name == "suite accuracy by class and modifier (missing object)"
    assert analysis.title.zh == "套件准确率（按类别、修饰语）：宾语缺失"
    assert analysis.layout().columns == "system"
    assert suite_accuracy(by="class", show="ties").layout().rows == ("system", "class")


def test_the_analysis_keeps_its_promises() -> None:
    findings: list[Finding] = list(SuiteAccuracy(cluster="set", measure="match").conformance())
    assert findings and all(finding.kept for finding in findings), findings


def with_modified(held: Tables) -> Tables:
    return Tables(held.items.with_columns(modified=pl.col("modifier") != "none"), held.systems, {}, held.judgements)


@pytest.mark.parametrize("level", [True, "yes", [True], {"yes"}])
def test_where_takes_levels_as_they_are_and_as_tables_write_them(level: Any) -> None:
    analysis = suite_accuracy(where={"modified": level}, draws=50)
    rows = list(estimate_records(analysis.estimate(with_modified(tables()))))
    assert [row.value for row in rows] == [pytest.approx(5 / 7), 2.5 / 16]
    assert "yes" in str(analysis.signature())


def test_where_takes_numbers_and_refuses_what_does_not_occur() -> None:
    assert found(suite_accuracy(where={"seed": 2}, draws=50)) == {("A", "accuracy"): 8 / 16}
    with pytest.raises(UserError, match="No level of 'modifier' is called 'nothing'"):
        suite_accuracy(where={"modifier": ["none", "nothing"]}).estimate(tables())
    with pytest.raises(UserError, match="No level of 'modifier' is named"):
        suite_accuracy(where={"modifier": []}).estimate(tables())


def test_a_set_may_count_once_however_many_predictions_it_has() -> None:
    held = tables()
    # Of the second suite only the first comparison is left: A has 3 and 0 of 8 there, and 13 of 16 in the first suite.
    second = pl.col("about").str.starts_with("x.object") & (pl.col("part") == "2")
    fewer = Tables(held.items, held.systems, {}, held.judgements.filter(~second))
    pooled, by_set = (
        {row.by["system"]: row for row in estimate_records(analysis.estimate(fewer))}
        for analysis in (suite_accuracy(draws=50), suite_accuracy(observation="set", draws=50))
    )
    # Seed 1 has 1 and 0 and 0 and 1 there.
    assert pooled["A"].value == pytest.approx((13 + 2) / 24)
    assert by_set["A"].value == pytest.approx((13 / 16 + 2 / 8) / 2)
    assert (by_set["A"].n, by_set["A"].n_missing) == (16, 0)
    assert "each set the mean of its predictions" in by_set["A"].method
    assert "句组只计一次" in suite_accuracy(observation="set").explanation.zh
    with pytest.raises(UserError, match="observation"):
        suite_accuracy(observation="item").estimate(held)  # type: ignore[arg-type]


def test_a_set_with_one_judgement_left_does_not_hide_the_comparison_it_lost() -> None:
    row = next(iter(estimate_records(suite_accuracy(observation="set", draws=50).estimate(tables()))))
    # B: one of the two comparisons of one set is not judged; the set has the mean of the other, which holds.
    assert (row.n, row.n_missing) == (8, 1)
    assert row.value == pytest.approx((6 * 0.5 + 1 + 1) / 8)


def test_an_interval_without_width_says_that_it_is_no_certainty() -> None:
    rows = list(estimate_records(suite_accuracy(by="modifier", draws=50).estimate(tables())))
    assert [ALIKE in row.method for row in rows] == [row.low == row.high for row in rows]
    assert any(row.low == row.high for row in rows)
    assert "no certainty" in suite_accuracy().explanation.en


def test_only_success_and_failure_are_accuracy() -> None:
    held = tables()
    margins = held.judgements.with_columns(value=pl.lit(-0.25), label=pl.lit(None, dtype=pl.String))
    with pytest.raises(UserError, match=r"says -0\.25 of the set"):
        suite_accuracy().estimate(Tables(held.items, held.systems, {}, margins))


def test_seeds_come_in_the_order_of_numbers() -> None:
    held = tables()
    names = {"A (seed 1)": "A (seed 10)"}
    systems = pl.DataFrame({"name": ["B", "A", "A"], "seed": [None, 10, 2]}, schema=SYSTEM_SCHEMA)
    renamed = held.judgements.with_columns(pl.col("scored_system").replace(names))
    rows = estimate_records(suite_accuracy(by="seed", draws=50).estimate(Tables(held.items, systems, {}, renamed)))
    assert [row.by["seed"] for row in rows if row.by["system"] == "A"] == ["2", "10"]


def test_a_judgement_of_nobody_is_refused() -> None:
    held = tables()
    nobody = held.judgements.filter(pl.col("scored_system") == "B").with_columns(scored_system=pl.lit(""))
    with pytest.raises(UserError, match="which system"):
        suite_accuracy().estimate(Tables(held.items, held.systems, {}, nobody))


@pytest.mark.parametrize(
    ("ties", "english", "chinese"),
    [("half", "A tie counts half.", "平局按一半计。"), ("failure", "A tie counts as a failure.", "平局按不成立计。")],
)
def test_the_explanation_says_what_a_tie_counts(ties: Any, english: str, chinese: str) -> None:
    assert english in suite_accuracy(ties=ties).explanation.en
    assert chinese in suite_accuracy(ties=ties, show="controls").explanation.zh
