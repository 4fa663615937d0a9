"""Are log-probabilities summed over the right units, and the right events counted?"""

from __future__ import annotations

import polars as pl

from hengliang import Item, Response, Span
from hengliang.core import NO_ITEM, ScoredUnit, check_judgements, items_frame, responses_frame, with_response_ids
from hengliang.language_models.measures import NO_WORDS, PARTS, LogProbability, log_probability

# 他走了 in three characters and two words, 9 bytes.
WORDS = (Span("word", 0, 3), Span("word", 3, 9), Span("target", 0, 9))
ITEMS = items_frame(
    [
        Item("given", "given", "m", "", "他走了", WORDS),
        Item("raw", "raw", "m", "", "他走了"),
        Item("empty", "empty", "m", "", ""),
    ]
)
UNITS = (ScoredUnit(0, 3, -1.0, -2.0), ScoredUnit(3, 9, -2.5, None))
END = ScoredUnit(9, 9, -0.5, -1.0)


def judged(*responses: Response) -> pl.DataFrame:
    frame = with_response_ids(responses_frame(responses, "units"), "units")
    return check_judgements(LogProbability().judge(ITEMS, frame))


def values(frame: pl.DataFrame) -> dict[str, float | None]:
    return dict(zip(frame["part"].to_list(), frame["value"].to_list(), strict=True))


def answer(item: str, units: tuple[ScoredUnit, ...]) -> Response:
    return Response("", item, "A", 1, "", "units", units)


def test_the_end_counts_where_it_is_scored() -> None:
    # −1 − 2.5 − 0.5; two words, three characters, two units, and the end in each.
    assert values(judged(answer("given", (*UNITS, END)))) == dict(zip(PARTS, (-4.0, 3.0, 4.0, 3.0), strict=True))
    assert values(judged(answer("given", UNITS))) == dict(zip(PARTS, (-3.5, 2.0, 3.0, 2.0), strict=True))


def test_without_given_words_only_they_are_missing() -> None:
    found = judged(answer("raw", UNITS))
    assert values(found) == dict(zip(PARTS, (-3.5, None, 3.0, 2.0), strict=True))
    assert found.filter(pl.col("part") == "words")["reason"].to_list() == [NO_WORDS]


def test_an_empty_text_has_only_its_end() -> None:
    assert values(judged(answer("empty", (ScoredUnit(0, 0, -3.0, None),)))) == dict(
        zip(PARTS, (-3.0, 1.0, 1.0, 1.0), strict=True)
    )


def test_unscored_is_not_zero() -> None:
    failed = Response("", "given", "A", 1, "", "units", None, "failed", "too long")
    found = judged(failed)
    assert found["value"].null_count() == len(PARTS)
    assert set(found["status"]) == {"failed"}
    assert set(found["reason"]) == {"too long"}


def test_an_answer_to_no_item_says_so() -> None:
    found = judged(answer("nowhere", UNITS))
    assert found.filter(pl.col("part") == "characters")["reason"].to_list() == [NO_ITEM]


def test_it_keeps_the_promises_of_a_measure() -> None:
    assert [finding for finding in log_probability().conformance() if not finding.kept] == []
    assert log_probability("other").name == "other"
