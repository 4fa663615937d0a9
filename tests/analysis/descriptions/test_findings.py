"""Are the findings on descriptions computed from the right rows, with bounds that hold, in any order?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Estimate, Item, Tables, UserError
from hengliang.analysis.descriptions.argument_order import SHAPE_FIRST
from hengliang.analysis.descriptions.findings import (
    COMPLETENESS,
    MEASURES,
    DescriptionFindings,
    bounded,
    description_findings,
)
from hengliang.analysis.descriptions.observed import observe
from hengliang.core import ESTIMATE_SCHEMA, LANGUAGES, SYSTEM_SCHEMA, estimate_records, items_frame, judgements_frame
from hengliang.core import find_registered as find
from hengliang.materials.quantifiers import READINGS
from hengliang.report import estimate_table
from hengliang.systems.readers.parsing import Parse
from tests.analysis.descriptions.described import corpus, parse, random_corpus

FAST = DescriptionFindings(draws=100)


def found(rows: list[tuple[str, str, str]], parses: list[Parse]) -> dict[tuple[str, str, str], Estimate]:
    estimates = FAST.of_descriptions(corpus(rows), parses)
    return {(one.by["measure"], one.by["size"], one.statistic): one for one in estimate_records(estimates)}


def tables(frame: pl.DataFrame) -> Tables:
    items = items_frame(
        Item(
            row["description_id"], f"{row['scene_size']}-{row['scene_number']}", "elicited_descriptions", "",
            row["text"], gold=row["scene"],
            attributes={name: row[name] for name in ("subject", "scene_size", "scene_number")},
        )
        for row in frame.iter_rows(named=True)
    )  # fmt: skip
    return Tables(items, pl.DataFrame(schema=SYSTEM_SCHEMA), {}, judgements_frame([]))


def test_by_hand() -> None:
    rows = [
        ("s1", "BS=2 RS=2", "All squares, half blue."),
        ("s2", "BS=2 RS=2", "Squares, well, quite so."),
        ("s3", "BS=4", "Many squares."),
        ("s4", "BS=4", "Lovely."),
    ]
    parses = [
        parse("all(object, square)", "half(square, blue)"),
        parse("all(object, square)", unread=("well, quite so",)),
        parse("many(object, square)"),
        Parse((), ("Lovely",)),
    ]
    held = found(rows, parses)
    value = {key[0]: one.value for key, one in held.items() if key[1] == "4" and key[2] in {"share", "mean"}}
    assert value["parsed whole"] == 0.5
    assert value["something parsed"] == 0.75
    # One of four expressions, and of descriptions one of four, has a vague quantifier.
    assert value["vague expressions (narrow)"] == 0.25
    assert value["descriptions with a vague word (narrow)"] == 0.25
    # The first is complete, the third not, of the others nobody knows: between 1/4 and 3/4.
    assert value["complete, of those parsed whole (pragmatic)"] == 0.5
    assert value["complete, none of the others (pragmatic)"] == 0.25
    assert value["complete, all of the others (pragmatic)"] == 0.75
    assert value["complete by what was read (pragmatic)"] == 0.25
    assert value["complete and true of the scene, of those parsed whole (pragmatic)"] == 0.5
    # Words 4, 4, 2, 1; expressions of those parsed whole 2 and 1.
    assert (value["words"], value["expressions, of those parsed whole"]) == (2.75, 1.5)
    assert held["complete, of those parsed whole (pragmatic)", "4", "share"].n_missing == 2


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_bounds_hold(seed: int) -> None:
    frame, parses = random_corpus(seed)
    rows = bounded(observe(frame, parses))
    for reading in READINGS:
        least, most, partial = (rows[f"{name}_{reading}"].mean() for name in ("least", "most", "partial"))
        known = rows[f"known_{reading}"].drop_nulls()
        assert least <= partial <= most  # type: ignore[operator]
        assert least == pytest.approx(known.sum() / rows.height)
        assert most == pytest.approx((known.sum() + rows.height - len(known)) / rows.height)


def test_a_complete_description_of_another_scene_is_no_success() -> None:
    held = found([("s1", "BS=4", "All blue circles."), ("s2", "BS=4", "All blue squares.")],
                 [parse("all(object, blue circle)"), parse("all(object, blue square)")])  # fmt: skip
    for reading in READINGS:
        shares = [
            held[f"{measure}, of those parsed whole ({reading})", "4", "share"].value
            for measure in ("complete", "true of the scene", "complete and true of the scene")
        ]
        assert shares == [1, 0.5, 0.5]


def test_pragmatic_readings_leave_no_more_scenes() -> None:
    rows = observe(*random_corpus(3))
    assert (rows["left_pragmatic"] <= rows["left_semantic"]).all()
    assert (rows["holds_semantic"] | ~rows["holds_pragmatic"]).all()


def test_estimates_are_signed_and_complete() -> None:
    frame, parses = random_corpus(1)
    estimates = FAST.of_descriptions(frame, parses)
    assert dict(estimates.schema) == ESTIMATE_SCHEMA
    measured = {one.by["measure"] for one in estimate_records(estimates)}
    assert {one.measure for held in MEASURES.values() for one in held} | {SHAPE_FIRST} <= measured
    assert (estimates["signature"].str.len_chars() > 0).all()
    assert (estimates["method"].str.len_chars() > 0).all()
    assert len(COMPLETENESS) == 12


def test_tables_and_order() -> None:
    frame = random_corpus(2)[0]
    one = FAST.estimate(tables(frame))
    other = FAST.estimate(tables(frame.reverse()))
    numbers = ["statistic", "value", "low", "high", "p", "n", "n_missing"]
    rows = [sorted(map(str, held.select("by", *numbers).rows())) for held in (one, other)]
    assert rows[0] == rows[1]
    assert one.equals(FAST.of_descriptions(frame))


def test_sentences_and_layout() -> None:
    estimates = FAST.of_descriptions(random_corpus(4)[0])
    told = FAST.sentences(estimates)
    assert len(told) >= 10
    assert all(sentence[language] for sentence in told for language in LANGUAGES)
    for language in LANGUAGES:
        assert estimate_table(estimates, FAST.layout(), language)


def test_no_descriptions() -> None:
    items = items_frame([Item("a", "a", "other", "", "x")])
    with pytest.raises(UserError, match="no descriptions of the material 'elicited_descriptions'"):
        FAST.estimate(Tables(items, pl.DataFrame(schema=SYSTEM_SCHEMA), {}, judgements_frame([])))


def test_promises() -> None:
    assert find("analysis", "description findings").kind is DescriptionFindings is description_findings
    assert [finding.detail for finding in FAST.conformance() if not finding.kept] == []
