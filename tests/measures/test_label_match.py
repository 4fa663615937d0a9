from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Item, Response, UserError
from hengliang.core import (
    NO_GOLD,
    NO_ITEM,
    NO_LABEL,
    Choice,
    Content,
    Status,
    check_judgements,
    items_frame,
    responses_frame,
    with_response_ids,
)
from hengliang.core import find_registered as find
from hengliang.measures.label_match import LabelMatch, label_match

ITEMS = items_frame(
    [
        Item("books", "books", "m", "", "三书", gold="本"),
        Item("no gold", "no gold", "m", "", "三物"),
        Item("paper", "paper", "m", "", "三紙", gold="張"),
    ]
)


def ranked(item: str, *labels: str, system: str = "A", seed: int | None = None) -> Response:
    choices = tuple(Choice(label, 1 / len(labels)) for label in labels)
    return Response("", item, system, seed, "", "ranking", choices)


def unanswered(item: str, status: Status, reason: str, system: str = "A") -> Response:
    return Response("", item, system, None, "", "ranking", None, status, reason)


def judged(*responses: Response, measure: LabelMatch | None = None, items: pl.DataFrame = ITEMS) -> pl.DataFrame:
    frame = with_response_ids(responses_frame(responses, "ranking"), "ranking")
    return check_judgements((measure or LabelMatch()).judge(items, frame))


def test_the_first_label_of_a_ranking_counts() -> None:
    found = judged(ranked("books", "本", "个"), ranked("books", "个", "本", system="B"))
    assert found["value"].to_list() == [1.0, 0.0]
    assert found["status"].to_list() == ["ok", "ok"]


def test_labels_are_judged_like_rankings() -> None:
    def label(system: str, content: Content) -> Response:
        return Response("", "books", system, None, "", "label", content)

    frame = with_response_ids(responses_frame([label("A", "本"), label("B", "个")], "label"), "label")
    assert LabelMatch().judge(ITEMS, frame)["value"].to_list() == [1.0, 0.0]


def test_each_row_names_answer_system_and_judge() -> None:
    found = judged(ranked("books", "本"), ranked("books", "本", system="B"))
    assert found["about"].n_unique() == 1  # equal answers share an id
    assert found["scored_system"].to_list() == ["A", "B"]
    assert set(found["judge"]) == {"label match"}
    assert set(found["measure"]) == {"match"}
    assert set(found["judge_kind"]) == {"machine"}


def test_equal_answers_of_two_seeds_are_one_judgement() -> None:
    assert judged(ranked("books", "本", seed=1), ranked("books", "本", seed=2)).height == 1


@pytest.mark.parametrize(
    ("response", "status", "reason"),
    [
        (ranked("no gold", "个"), "missing", NO_GOLD),
        (ranked("nowhere", "个"), "missing", NO_ITEM),
        (ranked("books"), "missing", NO_LABEL),
        (unanswered("books", "failed", "out of memory"), "failed", "out of memory"),
        (unanswered("books", "missing", "no opinion"), "missing", "no opinion"),
    ],
)
def test_what_cannot_be_judged_has_a_reason_and_no_zero(response: Response, status: str, reason: str) -> None:
    row = judged(response).row(0, named=True)
    assert (row["value"], row["status"], row["reason"]) == (None, status, reason)


def test_no_responses_give_no_judgements() -> None:
    assert judged().height == 0


def test_text_is_compared_in_nfc() -> None:
    # U+F9D7 is a compatibility form of 輪 (U+8F2A); NFC makes the two one.
    items = items_frame([Item("moon", "moon", "m", "", "一明月", gold="輪")])
    assert judged(ranked("moon", "\uf9d7"), items=items)["value"].to_list() == [1.0]


def test_scripts_differ_unless_asked_to_be_one() -> None:
    pytest.importorskip("opencc")
    answer = ranked("paper", "张")
    assert judged(answer)["value"].to_list() == [0.0]
    assert judged(answer, measure=LabelMatch("simplified"))["value"].to_list() == [1.0]
    assert judged(ranked("books", "本"), measure=LabelMatch("simplified"))["value"].to_list() == [1.0]


def test_an_unknown_script_is_refused() -> None:
    with pytest.raises(UserError, match="exact, simplified"):
        judged(measure=LabelMatch("both"))  # type: ignore[arg-type]


def test_the_signature_tells_the_scripts_apart() -> None:
    exact, simplified = LabelMatch().signature(), LabelMatch("simplified").signature()
    assert exact != simplified
    assert "opencc" in dict(simplified.pairs)


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("measure", "match").kind is LabelMatch
    assert label_match("simplified").signature() == LabelMatch("simplified").signature()
    assert [finding for finding in LabelMatch().conformance() if not finding.kept] == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("本个张"), st.sampled_from(["本", "个", "张", None])), max_size=12))
def test_a_judgement_is_one_exactly_where_gold_and_answer_agree(rows: list[tuple[str, str | None]]) -> None:
    items = items_frame([Item(f"{n}", f"{n}", "m", "", "物", gold=gold) for n, (_, gold) in enumerate(rows)])
    found = judged(*(ranked(f"{n}", label) for n, (label, _) in enumerate(rows)), items=items)
    expected = [None if gold is None else float(label == gold) for label, gold in rows]
    assert found["value"].to_list() == expected
