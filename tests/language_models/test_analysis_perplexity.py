"""Is perplexity the right mean of the right events, over texts and over seeds?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from hengliang import Estimate, Item, Response, Span, Tables, UserError
from hengliang.core import SYSTEM_SCHEMA, ScoredUnit, estimate_records, items_frame, responses_frame, with_response_ids
from hengliang.language_models import log_probability
from hengliang.language_models.perplexity_analysis import mean_perplexity, perplexity

# Four texts of two words and three characters in two blocks.
WORDS = (Span("word", 0, 3), Span("word", 3, 9))
ITEMS = items_frame(
    Item(
        f"i{number}",
        f"i{number}",
        "m",
        "",
        "他走了",
        WORDS,
        attributes={"block": number // 2, "style": "ab"[number % 2]},
    )
    for number in range(4)
)


def answer(number: int, probabilities: Sequence[float], system: str = "A", seed: int = 1) -> Response:
    first, second, end = (math.log(probability) for probability in probabilities)
    units = (ScoredUnit(0, 3, first, None), ScoredUnit(3, 9, second, None), ScoredUnit(9, 9, end, None))
    return Response("", f"i{number}", system, seed, "", "units", units)


def tables(responses: Sequence[Response]) -> Tables:
    frame = with_response_ids(responses_frame(responses, "units"), "units")
    systems = pl.DataFrame([{"name": row.system, "seed": row.seed} for row in responses], schema=SYSTEM_SCHEMA)
    return Tables(ITEMS, systems.unique(), {"units": frame}, log_probability().judge(ITEMS, frame))


def estimates(held: Tables, **options: object) -> list[Estimate]:
    return list(estimate_records(perplexity(draws=200, **options).estimate(held)))  # type: ignore[arg-type]


def test_a_model_that_always_gives_an_eighth_has_perplexity_eight() -> None:
    found = estimates(tables([answer(number, (1 / 8, 1 / 8, 1 / 8)) for number in range(4)]))
    by_view = {row.statistic: row for row in found}
    # Three events a text by words (two words and the end), four by characters: 8 and 8^(3/4).
    assert by_view["word"].value == pytest.approx(8)
    assert by_view["character"].value == pytest.approx(8**0.75)
    assert [by_view["word"].low, by_view["word"].high] == pytest.approx([8, 8])
    assert (by_view["word"].n, by_view["word"].n_missing) == (4, 0)


def test_texts_are_weighed_by_their_events_not_averaged() -> None:
    held = tables(
        [answer(0, (1 / 2, 1 / 2, 1 / 2)), *(answer(number, (1 / 16, 1 / 16, 1 / 16)) for number in (1, 2, 3))]
    )
    # Log base 2: 1, 4, 4, 4 per event, mean 3.25.
    assert estimates(held, per="word")[0].value == pytest.approx(2**3.25)


def test_seeds_have_the_mean_of_their_perplexities() -> None:
    rows = [answer(number, (1 / 2,) * 3, seed=1) for number in range(4)]
    rows += [answer(number, (1 / 8,) * 3, seed=2) for number in range(4)]
    found = estimates(tables(rows), per="word")
    assert [row.value for row in found] == [pytest.approx(5)]
    assert "mean over 2 seeds" in found[0].method
    apart = estimates(tables(rows), per="word", by=["seed"])
    assert {row.by["seed"]: row.value for row in apart} == {"1": pytest.approx(2), "2": pytest.approx(8)}


def test_unscored_texts_are_left_out_and_counted() -> None:
    rows = [answer(number, (1 / 4,) * 3) for number in range(3)]
    rows.append(Response("", "i3", "A", 1, "", "units", None, "failed", "no"))
    found = estimates(tables(rows), per="word")[0]
    assert found.value == pytest.approx(4)
    assert (found.n, found.n_missing) == (3, 1)


def test_factors_part_the_texts() -> None:
    rows = [answer(number, (1 / 2,) * 3 if number % 2 else (1 / 4,) * 3) for number in range(4)]
    found = estimates(tables(rows), per="word", by="style")
    assert {row.by["style"]: row.value for row in found} == {"a": pytest.approx(4), "b": pytest.approx(2)}


def test_the_interval_resamples_blocks() -> None:
    rows = [answer(number, (1 / 2,) * 3 if number < 2 else (1 / 8,) * 3) for number in range(4)]
    found = estimates(tables(rows), per="word")[0]
    # Two blocks: resamples are both the first (2), both the second (8), or one of each (4).
    assert [found.value, found.low, found.high] == pytest.approx([4, 2, 8])


def test_the_mean_over_seeds_of_sums() -> None:
    sums = np.array([[-3 * math.log(2), 3.0, -math.log(8), 1.0]])
    assert mean_perplexity(sums).tolist() == [[pytest.approx(5)]]


def test_without_the_measure_or_with_an_unknown_view_it_says_so() -> None:
    held = tables([answer(0, (0.5, 0.5, 0.5))])
    with pytest.raises(UserError, match="log_probability"):
        estimates(held, measure="other")
    with pytest.raises(UserError, match="No view is called 'page'"):
        estimates(held, per="page")


def test_it_keeps_the_promises_of_an_analysis() -> None:
    assert [finding for finding in perplexity().conformance() if not finding.kept] == []
    assert perplexity(by=["seed"]).layout().rows == ("system", "seed")
