"""Are the measures of acceptability what their formulas say, and is nothing unscored taken for a number?"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, Response, Span, UserError
from hengliang.core import NO_ITEM, ScoredUnit, check_judgements, items_frame, responses_frame, with_response_ids
from hengliang.language_models import Regions, scores_of
from hengliang.measures.acceptability import (
    CERTAIN,
    EMPTY,
    IMPOSSIBLE,
    LENGTH_PARTS,
    NO_UNIGRAMS,
    NO_WORDS,
    PARTS,
    SENTENCE_PARTS,
    TOO_SHORT,
    WORD_PARTS,
    Acceptability,
    End,
    Length,
    acceptability,
    acceptability_values,
)

# A sentence of four words of one byte each and its end, log-probabilities as fractions.
LOGPROBS = [Fraction(-2), Fraction(-6), Fraction(-1), Fraction(-3), Fraction(-1, 2)]
UNIGRAMS = [Fraction(-4), Fraction(-5), Fraction(-2), Fraction(-12), Fraction(-3, 2)]
UNITS = [
    ScoredUnit(place if place < 4 else 4, min(place + 1, 4), float(logprob), float(unigram))
    for place, (logprob, unigram) in enumerate(zip(LOGPROBS, UNIGRAMS, strict=True))
]


def words(*edges: int, row: int = 0) -> Regions:
    starts, ends = np.array(edges[:-1], np.int64), np.array(edges[1:], np.int64)
    return Regions(np.full(len(starts), row, np.int64), starts, ends)


def value(part: str, units: list[ScoredUnit], where: Regions, end: End = "included", length: Length = "seen") -> float:
    found = acceptability_values(scores_of([units]), where, [part], end=end, length=length)[part]
    assert found.problems == ("",), found.problems
    return float(found.numbers[0])


def problem(part: str, units: list[ScoredUnit] | str, where: Regions) -> str:
    found = acceptability_values(scores_of([units]), where, [part])[part]
    assert np.isnan(found.numbers[0])
    return found.problems[0]


# log p_m = −12.5, log p_u = −24.5, |S| = 5 with the end; without it −12, −23 and 4. The ratios of the four words are
# −2/4, −6/5, −1/2, −3/12 (log p_m / −log p_u): −1.2 ≤ −0.5 = −0.5 ≤ −0.25.
@pytest.mark.parametrize(
    ("part", "included", "excluded"),
    [
        ("LogProb", Fraction(-25, 2), Fraction(-12)),
        ("Mean LP", Fraction(-25, 10), Fraction(-12, 4)),
        ("Norm LP (Div)", -Fraction(-25, 2) / Fraction(-49, 2), -Fraction(-12) / Fraction(-23)),
        ("Norm LP (Sub)", Fraction(12), Fraction(11)),
        ("SLOR", Fraction(12, 5), Fraction(11, 4)),
        ("Word LP Min-1", Fraction(-6, 5), Fraction(-6, 5)),
        ("Word LP Min-2", Fraction(-1, 2), Fraction(-1, 2)),
        ("Word LP Min-3", Fraction(-1, 2), Fraction(-1, 2)),
        ("Word LP Min-4", Fraction(-1, 4), Fraction(-1, 4)),
        ("Word LP Mean", Fraction(-49, 80), Fraction(-49, 80)),
        ("Word LP Mean-Q1", Fraction(-6, 5), Fraction(-6, 5)),
        ("Word LP Mean-Q2", Fraction(-17, 20), Fraction(-17, 20)),
        ("words", Fraction(5), Fraction(4)),
        ("words seen", Fraction(5), Fraction(4)),
        ("units", Fraction(5), Fraction(4)),
    ],
)
def test_each_measure_by_hand(part: str, included: Fraction, excluded: Fraction) -> None:
    where = words(0, 1, 2, 3, 4)
    assert value(part, UNITS, where) == pytest.approx(float(included), abs=1e-12)
    assert value(part, UNITS, where, end="excluded") == pytest.approx(float(excluded), abs=1e-12)


def test_an_entity_of_two_words_shortens_the_sentence_as_the_model_sees_it() -> None:
    # Six words written, of which the model saw three as its second unit; log-odds 12 over 4 + 1 or 6 + 1 events.
    units = [UNITS[0], ScoredUnit(1, 4, -6.0, -5.0), ScoredUnit(4, 5, -1.0, -2.0), ScoredUnit(5, 6, -3.0, -12.0)]
    units.append(ScoredUnit(6, 6, -0.5, -1.5))
    where = words(0, 1, 2, 3, 4, 5, 6)
    assert value("SLOR", units, where) == pytest.approx(12 / 5)
    assert value("SLOR", units, where, length="original") == pytest.approx(12 / 7)
    assert value("Mean LP", units, where, length="original") == pytest.approx(-12.5 / 7)
    assert [value(part, units, where) for part in LENGTH_PARTS] == [7, 5, 5]


def test_of_a_model_of_words_a_cut_word_counts_as_the_two_it_sees() -> None:
    # Three words written, the first of which a recogniser has cut in two: 北京|市长. Four units and the end.
    where = words(0, 2, 3, 4)
    assert value("SLOR", UNITS, where, length="units") == pytest.approx(12 / 5)
    assert value("SLOR", UNITS, where, length="seen") == pytest.approx(12 / 4)
    assert [value(part, UNITS, where, length="units") for part in LENGTH_PARTS] == [4, 5, 5]
    # The words are its units: the smallest ratio is that of the second, −6/5, and not of the first two, −8/9.
    assert value("Word LP Min-1", UNITS, where, length="units") == pytest.approx(-6 / 5)
    assert value("Mean LP", UNITS, words(0), length="units") == pytest.approx(-12.5 / 5)
    lost = acceptability_values(scores_of([UNITS]), words(0), ["words"], length="units")["words"]
    assert lost.problems == (NO_WORDS,)


def test_of_subwords_slor_counts_words_and_wpslor_subwords() -> None:
    # Two words of two subwords each: log-odds 12 over 2 + 1 words or 4 + 1 subwords.
    where = words(0, 2, 4)
    assert value("SLOR", UNITS, where) == pytest.approx(12 / 3)
    assert value("WPSLOR", UNITS, where) == pytest.approx(12 / 5)
    # The words have the sums of their subwords: −8/9 and −4/14.
    assert value("Word LP Min-1", UNITS, where) == pytest.approx(-8 / 9)
    assert value("Word LP Min-2", UNITS, where) == pytest.approx(-4 / 14)


def test_wpslor_is_there_for_sentences_whose_words_are_one_subword_each_too() -> None:
    # Else WPSLOR would be known of the sentences with rare words only: log-odds 12 over 4 + 1 subwords.
    assert value("WPSLOR", UNITS, words(0, 1, 2, 3, 4)) == pytest.approx(12 / 5)


def test_an_end_that_is_left_out_spoils_nothing() -> None:
    # Log-odds 23 − 12 over four words, whether the end is impossible to the model or has no unigram.
    where = words(0, 1, 2, 3, 4)
    for end, reason in ((ScoredUnit(4, 4, -math.inf, -1.5), IMPOSSIBLE), (ScoredUnit(4, 4, -0.5, None), NO_UNIGRAMS)):
        assert value("SLOR", [*UNITS[:-1], end], where, end="excluded") == pytest.approx(11 / 4)
        assert problem("SLOR", [*UNITS[:-1], end], where) == reason


def test_what_cannot_be_said_has_a_reason() -> None:
    known, unknown = words(0, 1, 2, 3, 4), words(0)
    assert problem("SLOR", UNITS, unknown) == NO_WORDS
    assert problem("words", UNITS, unknown) == NO_WORDS
    assert problem("Word LP Mean", UNITS, unknown) == NO_WORDS
    assert problem("Word LP Min-5", UNITS, known) == TOO_SHORT
    bare = [ScoredUnit(0, 1, -1.0, None)]
    assert problem("SLOR", bare, words(0, 1)) == NO_UNIGRAMS
    assert problem("Word LP Mean", bare, words(0, 1)) == NO_UNIGRAMS
    assert problem("Word LP Mean", [ScoredUnit(0, 1, -1.0, 0.0)], words(0, 1)) == CERTAIN
    assert problem("Norm LP (Div)", [ScoredUnit(0, 1, -1.0, 0.0)], words(0, 1)) == CERTAIN
    assert problem("Norm LP (Div)", [], unknown) == EMPTY
    assert problem("LogProb", [ScoredUnit(0, 1, -math.inf, -1.0)], words(0, 1)) == IMPOSSIBLE
    assert problem("SLOR", "the line is too long", known) == "the line is too long"
    assert problem("Mean LP", [], unknown) == EMPTY
    assert value("LogProb", [ScoredUnit(0, 1, -1.0, None)], unknown) == -1.0


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(UserError, match="Norm LP"):
        acceptability_values(scores_of([UNITS]), words(0, 4), ["SLORR"])
    with pytest.raises(UserError, match="excluded, included"):
        acceptability_values(scores_of([UNITS]), words(0, 4), end="both")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="original, seen, units"):
        acceptability_values(scores_of([UNITS]), words(0, 4), length="half")  # type: ignore[arg-type]


def by_loops(units: list[ScoredUnit]) -> dict[str, float]:
    """Compute the measures of a sentence of words and an end once more, one word after the other."""
    inner = units[:-1]
    total, single = sum(u.logprob for u in units), sum(u.unigram_logprob or 0.0 for u in units)
    ratios = sorted(-u.logprob / (u.unigram_logprob or 1.0) for u in inner)
    lowest = {name: ratios[: math.ceil(len(ratios) * share)] for name, share in (("Q1", 0.25), ("Q2", 0.5))}
    found = {
        "LogProb": total,
        "Mean LP": total / len(units),
        "Norm LP (Div)": -total / single,
        "Norm LP (Sub)": total - single,
        "SLOR": (total - single) / len(units),
        "Word LP Mean": sum(ratios) / len(ratios),
        "Word LP Mean-Q1": sum(lowest["Q1"]) / len(lowest["Q1"]),
        "Word LP Mean-Q2": sum(lowest["Q2"]) / len(lowest["Q2"]),
    }
    return found | {f"Word LP Min-{rank}": ratio for rank, ratio in enumerate(ratios[:5], 1)}


logs = st.floats(-30, -0.01)


@given(st.lists(st.lists(st.tuples(logs, logs), min_size=2, max_size=12), min_size=1, max_size=5))
def test_a_batch_gives_what_loops_give_sentence_by_sentence(batch: list[list[tuple[float, float]]]) -> None:
    texts = []
    for pairs in batch:
        edges = [*range(len(pairs)), len(pairs) - 1]
        texts.append([ScoredUnit(edges[place], edges[place + 1], *pair) for place, pair in enumerate(pairs)])
    rows = [row for row, text in enumerate(texts) for _ in text[:-1]]
    starts = [place for text in texts for place in range(len(text) - 1)]
    where = Regions(np.array(rows), np.array(starts), np.array(starts) + 1)
    found = acceptability_values(scores_of(texts), where)
    for row, text in enumerate(texts):
        for part, expected in by_loops(text).items():
            assert found[part].numbers[row] == pytest.approx(expected, rel=1e-9, abs=1e-9), part


@given(st.lists(st.tuples(logs, logs), min_size=2, max_size=8), st.floats(-3, 3))
def test_slor_does_not_mind_if_words_are_rarer_everywhere(pairs: list[tuple[float, float]], shift: float) -> None:
    """A factor on p_m and p_u of every unit, as rarer words bring it, leaves SLOR and Norm LP (Sub) alone."""

    def units(by: float) -> list[ScoredUnit]:
        return [ScoredUnit(place, place + 1, p + by, u + by) for place, (p, u) in enumerate(pairs)]

    where = words(*range(len(pairs) + 1))
    for part in ("SLOR", "Norm LP (Sub)"):
        assert value(part, units(shift - 40), where) == pytest.approx(value(part, units(-40), where), abs=1e-9)


# --- as a measure ---------------------------------------------------------------------------------------------------

ITEMS = items_frame([Item("a", "a", "m", "", "abcd", tuple(Span("word", place, place + 1) for place in range(4)))])


def judged(*responses: Response, measure: Acceptability | None = None) -> pl.DataFrame:
    frame = with_response_ids(responses_frame(responses, "units"), "units")
    return check_judgements((measure or acceptability()).judge(ITEMS, frame))


def test_every_answer_has_a_judgement_for_each_part() -> None:
    found = judged(Response("", "a", "ngram", None, "", "units", tuple(UNITS)))
    assert found["part"].to_list() == list(PARTS)
    scored = dict(zip(found["part"], found["value"], strict=True))
    assert scored["SLOR"] == pytest.approx(12 / 5)
    assert scored["WPSLOR"] == scored["SLOR"]
    assert found["judge"].unique().to_list() == ["end included, |S| as seen"]
    assert set(SENTENCE_PARTS) | set(WORD_PARTS) < set(PARTS)


def test_an_answer_that_failed_keeps_its_status_and_reason() -> None:
    failed = Response("", "a", "ngram", None, "", "units", None, "failed", "the recogniser failed")
    found = judged(failed, measure=acceptability(["SLOR"]))
    assert found.select("status", "reason", "value").rows() == [("failed", "the recogniser failed", None)]


def test_an_answer_to_an_unknown_item_is_missing() -> None:
    found = judged(Response("", "z", "ngram", None, "", "units", tuple(UNITS)), measure=acceptability(["SLOR"]))
    assert found.select("status", "reason").rows() == [("missing", NO_ITEM)]


def test_it_keeps_the_promises_of_a_measure() -> None:
    assert [finding for finding in acceptability().conformance() if not finding.kept] == []


def test_what_was_asked_for_is_in_the_signature() -> None:
    lines = {
        str(made.signature())
        for made in (acceptability(), acceptability(end="excluded"), acceptability(length="original"))
    }
    assert len(lines) == 3
