"""Is each row of a file scored as the measures say, and is what cannot be scored told at once or row by row?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.corpora import SentenceReading
from hengliang.corpora.sentence_files import EMPTY_LINE, Layout, RowChunk
from hengliang.language_models import LanguageModel, read_texts, word_regions
from hengliang.measures.acceptability import PARTS, TOO_SHORT, acceptability_values
from hengliang.measures.scored_sentences import (
    LOOKED_UP_AT_ONCE,
    MEASURES,
    SCORED_AT_ONCE,
    SentenceScorer,
    check_measures,
    column_of,
    measure_names,
    spaces_warning,
    usual_batch,
)
from tests.language_models.preprocessing import recognisers
from tests.language_models.small_models import CharacterPairs, SmallBigrams
from tests.measures.scored_lines import LINES, trained


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return trained(tmp_path_factory.mktemp("plain") / "model")


def chunk(*lines: str | bytes, first: int = 1) -> RowChunk:
    rows = tuple(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines)
    return RowChunk(first, rows, {}, Layout())


def test_every_measure_has_a_name_for_the_command_line() -> None:
    assert list(MEASURES) == [
        *("logprob", "mean-lp", "norm-lp-div", "norm-lp-sub", "slor", "wpslor"),
        *(f"word-lp-min-{rank}" for rank in range(1, 6)),
        *("word-lp-mean", "word-lp-mean-q1", "word-lp-mean-q2"),
    ]
    assert set(MEASURES.values()) == set(PARTS) - {"words", "words seen", "units"}
    assert column_of("norm-lp-div") == "norm_lp_div"


def test_rows_hold_the_values_of_the_measures_in_their_order(model: LanguageModel) -> None:
    frame = SentenceScorer(model, ("slor", "norm-lp-div"))(chunk(*LINES, first=11))
    texts = read_texts(LINES).with_words("rjieba")
    values = acceptability_values(model.score(texts), word_regions(texts), ("SLOR", "Norm LP (Div)"))
    np.testing.assert_array_equal(frame["slor"].to_numpy(), values["SLOR"].numbers)
    np.testing.assert_array_equal(frame["norm_lp_div"].to_numpy(), values["Norm LP (Div)"].numbers)
    assert frame["number"].to_list() == list(range(11, 18))
    assert frame["id"].to_list() == [str(number) for number in range(11, 18)]
    # The words of each line as it stands there; rjieba cuts 老师去过法国。 into 老师 去过 法国 。
    assert frame["words"].to_list() == [7, 7, 4, 4, 5, 1, 8]
    assert frame["unknown"].to_list()[4] == 3  # 说, hello and world are in no lesson
    assert frame["problem"].null_count() == len(LINES)
    # A sentence in order is better than its words in disorder.
    assert frame["slor"][0] > frame["slor"][1]


@pytest.mark.parametrize("end", ["included", "excluded"])
def test_length_is_in_words_whether_the_end_counts_or_not(model: LanguageModel, end: str) -> None:
    frame = SentenceScorer(model, ("mean-lp", "logprob"), end=end)(chunk("他 买 了 书 。"))  # type: ignore[arg-type]
    assert frame["words"].to_list() == frame["words_seen"].to_list() == [5]
    size = 6 if end == "included" else 5
    assert frame["mean_lp"][0] == pytest.approx(frame["logprob"][0] / size)


def test_rows_without_a_score_keep_their_place_and_say_why(model: LanguageModel) -> None:
    lines: list[str | bytes] = [
        LINES[0],
        "",
        b"\xff\n",
        LINES[1],
        "e \u0301a",
    ]  # an accent that would join the word before
    frame = SentenceScorer(model, explain=2, with_text=True)(chunk(*lines))
    assert frame["slor"].is_null().to_list() == [False, True, True, False, True]
    said = frame["problem"].to_list()
    assert said[:4] == [None, EMPTY_LINE, "not utf-8: byte 1 does not decode", None]
    assert said[4].endswith("starts with a mark that joins what stands before it.")
    assert frame["sentence"].to_list()[:4] == [LINES[0], None, None, LINES[1]]
    assert [None if row is None else len(row) for row in frame["pulled_down_by"].to_list()] == [2, None, None, 2, None]
    alone = SentenceScorer(model)(chunk(LINES[1]))
    assert alone["slor"][0] == frame["slor"][3]


def test_all_rows_may_be_without_a_score(model: LanguageModel) -> None:
    frame = SentenceScorer(model, explain=1)(chunk("", ""))
    assert frame["problem"].to_list() == [EMPTY_LINE] * 2
    assert frame.schema == SentenceScorer(model, explain=1).schema()


def test_a_measure_that_fails_alone_is_named(model: LanguageModel) -> None:
    frame = SentenceScorer(model, ("slor", "word-lp-min-5"))(chunk("好", LINES[0]))
    assert frame["problem"].to_list() == [f"word-lp-min-5: {TOO_SHORT}", None]
    assert frame["slor"].null_count() == 0
    assert frame["word_lp_min_5"].is_null().to_list() == [True, False]


def test_a_recogniser_that_fails_on_one_sentence_spoils_that_one_only(tmp_path: Path) -> None:
    coarse = trained(tmp_path / "coarse", f"rne:{recognisers.ListedNames.name}")
    frame = SentenceScorer(coarse)(chunk("他 去 过 法国 。", f"他 {recognisers.BREAKS_ON} 了 。", "王 小明 来 了 。"))
    assert frame["slor"].is_null().to_list() == [False, True, False]
    assert "failed: ValueError: a word that nobody has seen" in frame["problem"][1]
    # 王小明 is one word to the model and two as they were written.
    assert (frame["words"][2], frame["words_seen"][2]) == (5, 4)


def test_a_model_without_a_segmenter_gets_words_all_the_same() -> None:
    frame = SentenceScorer(CharacterPairs(), ("mean-lp",), segmenter="characters")(chunk("他来了啊", "x"))
    # Two pairs of characters at −1 each; no pair ends within a word of two characters, so the words seen are two.
    assert frame.row(0) == (1, "1", -1.0, 4, 2, 0, "characters", 0, None)
    assert frame["problem"][1] == "there is an x in it"


def test_what_no_row_could_have_is_refused_at_once(model: LanguageModel) -> None:
    with pytest.raises(UserError, match=r"No measure is called 'slo'. Did you mean slor\?\nMeasures: logprob, mean-lp"):
        check_measures(model, ["slo"])
    with pytest.raises(UserError, match="wpslor is for models of subwords"):
        check_measures(model, ["wpslor"])
    with pytest.raises(UserError, match=r"slor cannot be computed with 'small bigrams'.*logprob, mean-lp.*another"):
        check_measures(SmallBigrams(), ["logprob", "slor"])
    with pytest.raises(UserError, match="No measure was asked for"):
        check_measures(model, [])
    assert check_measures(SmallBigrams(), ["mean-lp", "logprob", "mean-lp"]) == ("mean-lp", "logprob")


def test_the_signature_tells_what_was_asked(model: LanguageModel) -> None:
    asked = [
        SentenceScorer(model),
        SentenceScorer(model, ("slor", "mean-lp")),
        SentenceScorer(model, end="excluded"),
        SentenceScorer(model, length="original"),
        SentenceScorer(model, explain=1),
        SentenceScorer(CharacterPairs()),
    ]
    assert len({scorer.signature().hash for scorer in asked}) == len(asked)


def test_n_grams_get_many_rows_at_a_time_and_slow_models_few(model: LanguageModel, tmp_path: Path) -> None:
    assert usual_batch(model) == LOOKED_UP_AT_ONCE
    assert usual_batch(SmallBigrams()) == SCORED_AT_ONCE
    assert usual_batch(CharacterPairs()) == 100  # a model of subwords is a large one
    (tmp_path / "a.txt").write_text("\n".join(LINES), encoding="utf-8")
    (whole,) = SentenceReading(tmp_path / "a.txt", batch=100)
    assert SentenceScorer(model)(whole)["number"].to_list() == [1, 2, 3, 4, 5, 6, 7]


def test_spaces_part_words_unless_they_are_to_be_ignored(model: LanguageModel) -> None:
    lines = chunk("老师去过法国。 我们认识王小明。", "老师去过法国。")
    apart = SentenceScorer(model)(lines)
    ignored = SentenceScorer(model, spaces="ignored")(lines)
    # Two words of seven characters each, or 老师 去过 法国 。 我们 认识 王小明 。
    assert apart["words"].to_list() == [2, 4]
    assert ignored["words"].to_list() == [8, 4]
    assert apart["slor"][1] == ignored["slor"][1]
    assert SentenceScorer(model).signature() != SentenceScorer(model, spaces="ignored").signature()


def test_lines_that_have_spaces_and_are_not_cut_into_words_are_told() -> None:
    cut = ["他 来 了 。", "他来了。", "The cat, he said.", "他 说 ： 好 ！"]
    assert spaces_warning(pl.Series(cut), "a.txt") == ""
    told = spaces_warning(pl.Series([*cut, "他用 Python 写了程序。"]), "a.txt")
    assert told.startswith("1 of the first 5 lines has spaces and is taken for cut into words")
    assert "'他用 Python 写了程序。' in a.txt. --spaces ignored" in told
    assert spaces_warning(pl.Series([], dtype=pl.String), "a.txt") == ""


def test_measures_may_be_called_as_in_the_tables() -> None:
    assert measure_names(["SLOR", "slor", "Norm LP (Div)", "Word LP Min-1"]) == ("slor", "norm-lp-div", "word-lp-min-1")
    with pytest.raises(UserError, match="No measure is called 'slo'"):
        measure_names(["SLO"])
    with pytest.raises(UserError, match="No measure was asked for"):
        measure_names([])
