"""Do the four rows carry all five studies, there and back from disk?"""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.errors import UserError
from hengliang.core.io.files import read_table, write_table
from hengliang.core.records import (
    RESERVED_ATTRIBUTES,
    Choice,
    Content,
    Count,
    Estimate,
    Item,
    Judgement,
    Response,
    ResponseKind,
    ScoredUnit,
    Span,
    TaggedWord,
    check_items,
    check_judgements,
    estimate_records,
    estimates_frame,
    item_records,
    items_frame,
    judgement_records,
    judgements_frame,
    response_id,
    response_records,
    responses_frame,
    with_response_ids,
)


def answered(item: str, system: str, kind: ResponseKind, content: Content, respondent: str = "") -> Response:
    return Response(response_id(item, kind, content), item, system, None, respondent, kind, content)


# One item of each study, an answer to it, a judgement of the answer. The sentences are ours.
HALF = "Half of the objects are blue squares."
HEAD, STOP = Span("head", 12, 15), Span("stop", 12, 15)
CHOICE = (Choice("匹", 0.75), Choice("头", 0.25))
UNITS = (ScoredUnit(0, 3, -2.5, -6.0), ScoredUnit(3, 9, -4.25, -9.0), ScoredUnit(9, 9, -0.5, None))
WALK: dict[str, tuple[Item, Response, Judgement]] = {
    "classifier choice": (
        Item("s1", "s1", "slots", "", "他牵着一马。", (Span("slot", 12, 12), HEAD), "匹", attributes={"head": "马"}),
        answered("s1", "RULE", "ranking", CHOICE),
        Judgement(response_id("s1", "ranking", CHOICE), "", "fluency", "", "person", "p1", 6.0),
    ),
    "scene description": (
        Item("scene4", "scene4", "scenes", "n=4", "BS=2 RC=2", gold="BS=2 RC=2", attributes={"size": 4}),
        answered("scene4", "QDG-IA", "text", HALF),
        Judgement(response_id("scene4", "text", HALF), "", "naturalness", "", "person", "e1", 4.0),
    ),
    "reconstruction": (
        Item("d1", "d1", "descriptions", "", HALF, gold="BS=2 RC=2", source="abc"),
        answered("d1", "given", "counts", (Count("BS", 2), Count("RC", 1), Count("RS", 1)), respondent="p7"),
        Judgement("d1r", "", "swaps", "", "machine", "swaps", 1.0),
    ),
    "grammar suite": (
        Item("m1.missing", "m1", "missing object", "missing", "他成为了。", (Span("object", 12, 12), STOP)),
        answered("m1.missing", "lstm-1", "units", UNITS),
        Judgement("m1", "lstm-1", "success", "1", "machine", "prediction", 1.0),
    ),
    "acceptability": (
        Item("a1", "a1", "rated sentences", "", "这本书很有意思。"),
        answered("a1", "4-gram", "units", UNITS),
        Judgement("a1", "", "acceptability", "", "people", "published mean", 3.25),
    ),
    "tagging": (
        Item("t1", "<[v],[n]>", "error pairs", "", "他们研究语法。", (Span("target", 6, 12),), gold="v"),
        answered("t1", "thulac", "tagging", (TaggedWord(0, 6, "r"), TaggedWord(6, 12, "v"), TaggedWord(12, 18, "n"))),
        Judgement("t1r", "thulac", "item", "", "machine", "tagging items", label="Correct"),
    ),
}


@pytest.mark.parametrize("study", WALK)
def test_a_row_of_each_study_goes_to_disk_and_back(study: str, tmp_path: Path) -> None:
    item, response, judgement = WALK[study]
    write_table(tmp_path / "items.parquet", items_frame([item]))
    write_table(tmp_path / "responses.parquet", responses_frame([response], response.kind))
    write_table(tmp_path / "judgements.parquet", judgements_frame([judgement]))
    assert list(item_records(read_table(tmp_path / "items.parquet"))) == [item]
    assert list(response_records(read_table(tmp_path / "responses.parquet"))) == [response]
    assert list(judgement_records(read_table(tmp_path / "judgements.parquet"))) == [judgement]


def test_an_estimate_goes_to_disk_and_back(tmp_path: Path) -> None:
    rows = [
        Estimate("anova", {"system": "QDG-IA"}, "F", 4.5, None, None, (2.0, 57.0), 0.015, 60, 0, "one-way", "a:b"),
        Estimate("accuracy", {}, "accuracy", None, n=0, n_missing=3, method="no answers"),
    ]
    write_table(tmp_path / "estimates.parquet", estimates_frame(rows))
    assert list(estimate_records(read_table(tmp_path / "estimates.parquet"))) == rows


# --- identity ---


def test_systems_that_answer_alike_share_an_id() -> None:
    sure, unsure = (Choice("个", 1.0),), (Choice("个", 0.6), Choice("位", 0.4))
    assert response_id("i", "ranking", sure) == response_id("i", "ranking", unsure) == response_id("i", "label", "个")
    assert response_id("i", "label", "个") != response_id("j", "label", "个")
    assert response_id("i", "label", "个") != response_id("i", "label", "位")
    assert response_id("i", "label", "") != response_id("i", "label", None)


@pytest.mark.parametrize("study", WALK)
def test_ids_of_a_table_are_those_of_its_records(study: str) -> None:
    _, response, _ = WALK[study]
    nothing = Response("", "x", "s", None, "", response.kind, None, "missing", "no answer")
    frame = responses_frame([response, nothing], response.kind).with_columns(id=pl.lit("?"))
    ids = with_response_ids(frame, response.kind)["id"].to_list()
    assert ids == [response.id, response_id("x", response.kind, None)]


INTEGERS = st.integers(-(2**62), 2**62)
LOGPROBS = st.one_of(st.floats(width=64), st.sampled_from([0.0, -0.0, float("-inf"), -1e-320]))
PIECES: dict[ResponseKind, st.SearchStrategy[Any]] = {
    "units": st.builds(ScoredUnit, INTEGERS, INTEGERS, LOGPROBS, st.none() | LOGPROBS),
    "tagging": st.builds(TaggedWord, INTEGERS, INTEGERS, st.text(max_size=3)),
    "counts": st.builds(Count, st.text(max_size=3), INTEGERS),
    "ranking": st.builds(Choice, st.text(max_size=3), st.floats(0, 1)),
}


@given(st.data(), st.sampled_from(list(PIECES)))
def test_ids_of_any_table_are_those_of_its_records(data: st.DataObject, kind: ResponseKind) -> None:
    contents = data.draw(st.lists(st.none() | st.lists(PIECES[kind], max_size=4).map(tuple), max_size=5))
    rows = [
        Response(
            "", f"i{number}", "s", None, "", kind, content, *(("missing", "why") if content is None else ("ok", ""))
        )
        for number, content in enumerate(contents)
    ]
    ids = with_response_ids(responses_frame(rows, kind), kind)["id"].to_list()
    assert ids == [response_id(row.item, kind, row.content) for row in rows]


def test_scored_units_are_told_apart_to_the_last_bit() -> None:
    def identity(*units: ScoredUnit) -> str:
        return response_id("i", "units", units)

    one = ScoredUnit(0, 3, -0.1, -2.0)
    others = [
        ScoredUnit(0, 4, -0.1, -2.0),
        ScoredUnit(1, 3, -0.1, -2.0),
        ScoredUnit(0, 3, -0.1 - 2**-56, -2.0),
        ScoredUnit(0, 3, -2.0, -0.1),
        ScoredUnit(0, 3, -0.1, None),
    ]
    assert len({identity(one), identity(), identity(one, one), *map(identity, others)}) == 8
    assert identity(one) == identity(ScoredUnit(0, 3, -0.1, -2.0))
    # Not known is not known, however that is written.
    assert identity(ScoredUnit(0, 3, -0.1, None)) == identity(ScoredUnit(0, 3, -0.1, float("nan")))
    assert response_id("i", "units", ()) != response_id("i", "units", None)


# --- attributes ---

names = st.text(string.ascii_lowercase, min_size=1, max_size=8).filter(lambda name: name not in RESERVED_ATTRIBUTES)
values = st.one_of(
    st.lists(st.integers(-(2**40), 2**40), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.lists(st.text(max_size=5), min_size=3, max_size=3),
    st.lists(st.floats(allow_nan=False), min_size=3, max_size=3),
)


@given(st.dictionaries(names, values, max_size=4))
def test_attributes_are_typed_columns_and_come_back(columns: dict[str, list[str | int | float | bool]]) -> None:
    rows = [
        Item(f"i{number}", "s", "m", "", "字", attributes={name: column[number] for name, column in columns.items()})
        for number in range(3)
    ]
    back = list(item_records(items_frame(rows)))
    assert back == rows
    assert [[type(value) for value in row.attributes.values()] for row in back] == [
        [type(value) for value in row.attributes.values()] for row in rows
    ]


@pytest.mark.parametrize("name", sorted(RESERVED_ATTRIBUTES))
def test_a_reserved_name_is_refused(name: str) -> None:
    if name in {"id", "set", "material", "condition", "content", "spans", "gold", "source"}:
        assert name in items_frame([]).columns
        return
    with pytest.raises(UserError, match=f"'{name}'"):
        items_frame([Item("a", "a", "m", "", "", attributes={name: "x"})])


def test_an_attribute_of_two_types_is_refused() -> None:
    rows = [Item(str(value), "s", "m", "", "", attributes={"size": value}) for value in (1, "two")]
    with pytest.raises(UserError, match="'size' mixes int, str"):
        items_frame(rows)


# --- checks ---


def test_two_items_with_one_id_are_refused() -> None:
    with pytest.raises(UserError, match="the id 'a'"):
        items_frame([Item("a", "s", "m", "", "x"), Item("a", "s", "m", "", "y")])


@pytest.mark.parametrize("span", [Span("r", -1, 2), Span("r", 3, 2), Span("r", 0, 7)])
def test_a_span_outside_the_content_is_refused(span: Span) -> None:
    # two Chinese characters are six bytes, so 7 lies outside and 6 does not
    items_frame([Item("a", "s", "m", "", "中文", (Span("r", 0, 6),))])
    with pytest.raises(UserError, match="span 'r' of item 'a'"):
        items_frame([Item("a", "s", "m", "", "中文", (span,))])


def test_unscored_is_not_zero() -> None:
    missing = Judgement("r", "s", "m", "", "machine", "j", None, None, "missing", "no gold")
    assert judgements_frame([missing])["value"].to_list() == [None]
    for wrong in (
        Judgement("r", "s", "m", "", "machine", "j", 0.0, None, "missing", "no gold"),
        Judgement("r", "s", "m", "", "machine", "j", None, None, "ok"),
        Judgement("r", "s", "m", "", "machine", "j", None, None, "failed", ""),
    ):
        with pytest.raises(UserError):
            judgements_frame([wrong])


def test_a_wrong_table_names_its_column() -> None:
    with pytest.raises(UserError, match="no column 'judge'"):
        check_judgements(judgements_frame([]).drop("judge"))
    with pytest.raises(UserError, match="'content' of the item table"):
        check_items(items_frame([]).with_columns(content=pl.lit(1)))
    with pytest.raises(UserError, match="'alien' is no judge_kind"):
        check_judgements(
            judgements_frame([Judgement("r", "s", "m", "", "machine", "j", 1.0)]).with_columns(
                judge_kind=pl.lit("alien")
            )
        )
