"""Do the contributions of words add up to the score, and are the lowest ones named?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import ScoredUnit
from hengliang.language_models import (
    LanguageModel,
    Regions,
    Scores,
    read_texts,
    scores_of,
    word_regions,
    words_of_texts,
)
from hengliang.measures.acceptability import SENTENCE_PARTS, WORD_PARTS, WPSLOR, acceptability_values
from hengliang.measures.explanation import contributions, pulled_down_by, written_words
from tests.language_models.preprocessing import recognisers
from tests.measures.scored_lines import LINES, trained


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return trained(tmp_path_factory.mktemp("plain") / "model")


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Scores, Regions]:
    """Return sentences of units and, apart from them, of words; units may be more than a word or less."""
    texts: list[list[ScoredUnit] | str] = []
    words: list[tuple[int, int, int]] = []
    logprob = st.integers(-400, -1).map(lambda number: number / 16)
    for row in range(draw(st.integers(1, 4))):
        if draw(st.booleans()) and row:
            texts.append("no score")
            continue
        size = draw(st.integers(1, 12))
        cuts = [sorted({0, size, *draw(st.lists(st.integers(1, size), max_size=6))}) for _ in range(2)]
        spans = [*zip(cuts[0], cuts[0][1:], strict=False), *([(size, size)] if draw(st.booleans()) else [])]
        texts.append([ScoredUnit(start, end, draw(logprob), draw(logprob)) for start, end in spans])
        words += [(row, start, end) for start, end in zip(cuts[1], cuts[1][1:], strict=False)]
    columns = np.array(words, np.int64).reshape(-1, 3).T
    return scores_of(texts), Regions(*columns)


@given(sentences(), st.sampled_from(["included", "excluded"]), st.sampled_from(["seen", "original"]))
def test_contributions_add_up_to_every_sentence_measure(given_: tuple[Scores, Regions], end: str, length: str) -> None:
    scores, words = given_
    parts = (*SENTENCE_PARTS, WPSLOR)
    values = acceptability_values(scores, words, parts, end=end, length=length)  # type: ignore[arg-type]
    for part in parts:
        found = contributions(scores, words, part, end=end, length=length)  # type: ignore[arg-type]
        sums = np.bincount(found.rows, found.values, len(scores))
        known = np.array([not problem for problem in values[part].problems])
        np.testing.assert_allclose(sums[known], values[part].numbers[known], atol=1e-9, rtol=0)


@given(sentences())
def test_the_word_measures_are_the_smallest_or_the_mean_of_what_is_shown(given_: tuple[Scores, Regions]) -> None:
    scores, words = given_
    values = acceptability_values(scores, words, WORD_PARTS)
    found = contributions(scores, words, "Word LP Min-1")
    for row in range(len(scores)):
        ratios = found.values[found.offsets[row] : found.offsets[row + 1]]
        if values["Word LP Min-1"].problems[row] == "":
            assert values["Word LP Min-1"].numbers[row] == pytest.approx(ratios.min())
            assert values["Word LP Mean"].numbers[row] == pytest.approx(ratios.mean())


def test_slor_word_by_word() -> None:
    # 他 来, then the end: (−1 + 2) / 3, (−6 + 4) / 3, (−1 + 1) / 3; SLOR is their sum, −1/3.
    units = [ScoredUnit(0, 3, -1, -2), ScoredUnit(3, 6, -6, -4), ScoredUnit(6, 6, -1, -1)]
    words = Regions(np.array([0, 0]), np.array([0, 3]), np.array([3, 6]))
    found = contributions(scores_of([units], [False, True, False]), words, "SLOR")
    np.testing.assert_allclose(found.values, [1 / 3, -2 / 3, 0])
    assert found.unknown.tolist() == [False, True, False]
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == [(0, 3), (3, 6), (6, 6)]


def test_a_measure_without_contributions_is_refused(plain: LanguageModel) -> None:
    texts = words_of_texts(read_texts(LINES), "rjieba")
    with pytest.raises(UserError, match="No measure with contributions is called 'words'"):
        contributions(plain.score(texts), word_regions(texts), "words")


def lowest(model: LanguageModel, *lines: str, most: int = 2) -> pl.Series:
    texts = words_of_texts(read_texts(lines), "rjieba")
    found = contributions(model.score(texts), word_regions(texts), "SLOR")
    return pulled_down_by(model, texts, found, most)


def test_the_lowest_words_come_first_and_unknown_ones_are_marked(plain: LanguageModel) -> None:
    (words,) = lowest(plain, "他 说 hello world 。", most=9).to_list()
    assert [word["contribution"] for word in words] == sorted(word["contribution"] for word in words)
    assert {word["word"] for word in words} == {"他", "说", "hello", "world", "。", "</s>"}
    assert {word["word"] for word in words if word["unknown"]} == {"说", "hello", "world"}
    assert all(word["seen_as"] is None for word in words)


def test_a_text_without_a_score_has_no_words(plain: LanguageModel) -> None:
    assert lowest(plain).to_list() == []
    texts = read_texts(["他 来", "走"]).with_words("characters")
    units = [ScoredUnit(0, 3, -1, -1), ScoredUnit(3, 6, -2, -1)]
    found = contributions(scores_of(["broken", units[:1]]), word_regions(texts), "LogProb")
    assert pulled_down_by(plain, texts, found).to_list() == [
        None,
        [{"word": "走", "contribution": -1.0, "unknown": False, "seen_as": None}],
    ]


def test_entities_are_shown_with_what_the_model_saw(tmp_path: Path) -> None:
    coarse = trained(tmp_path / "coarse", f"rne:{recognisers.ListedNames.name}")
    found = lowest(coarse, "我们 认识 王小明 。", f"他 {recognisers.BREAKS_ON} 了", "他 去 过 法国", most=9)
    seen = [{word["word"]: word["seen_as"] for word in row or ()} for row in found.to_list()]
    assert seen[0] == {"我们": None, "认识": None, "王小明": "<ne:PERSON>", "。": None, "</s>": None}
    assert seen[1] == {}
    assert seen[2]["法国"] == "<ne:GPE>"


def test_words_for_files_without_lists() -> None:
    rows = [
        [
            {"word": "北京", "contribution": -1.25, "unknown": False, "seen_as": "<ne:GPE>"},
            {"word": "咣", "contribution": None, "unknown": True, "seen_as": None},
        ],
        None,
        [],
    ]
    assert written_words(pl.Series("words", rows)).to_list() == ["北京 <ne:GPE> (-1.25); 咣?", None, ""]
