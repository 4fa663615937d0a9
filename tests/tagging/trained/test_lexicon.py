"""Does the lexicon list each word's tags, and forget what only the fold at hand tells?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.trained.model import (
    FOLDS,
    RARE,
    SEVERAL,
    UNKNOWN,
    fold_numbers,
    learn_lexicon,
    read_lexicon,
    write_lexicon,
)


def test_tags_stand_by_frequency_and_rare_ones_are_left_out() -> None:
    # 100 times v, 3 times n (2.9 %, above the 2 % of RARE), once q (0.96 %, below it).
    sentences = [(["画"] * 104, ["v"] * 100 + ["n"] * 3 + ["q"], 0)]
    assert learn_lexicon(sentences).tags == {"画": "v n"}
    assert RARE == 0.02


def test_equally_frequent_tags_stand_in_the_order_of_the_alphabet() -> None:
    assert learn_lexicon([(["画", "画"], ["v", "n"], 0)]).tags_of("画") == "n v"


def test_a_fold_does_not_count_for_its_own_sentences() -> None:
    lexicon = learn_lexicon([(["画", "雪"], ["v", "n"], 0), (["画"], ["n"], 1), (["画"], ["n"], 1)])
    assert lexicon.folds == {"画": SEVERAL, "雪": 0}
    assert lexicon.tags_of("画") == "n v"
    assert lexicon.tags_of("画", 0) == "n"  # fold 1 alone tells
    assert lexicon.tags_of("画", 1) == "v"
    assert lexicon.tags_of("画", 2) == "n v"
    assert [lexicon.tags_of("雪", fold) for fold in (None, 0, 1)] == ["n", UNKNOWN, "n"]
    assert lexicon.tags_of("雨", 1) == UNKNOWN


Occurrences = st.lists(
    st.tuples(st.sampled_from("天地人"), st.sampled_from("nvq"), st.integers(0, FOLDS - 1)), min_size=1, max_size=40
)


@given(Occurrences)
def test_to_leave_a_fold_out_is_to_learn_without_it(rows: list[tuple[str, str, int]]) -> None:
    lexicon = learn_lexicon([([word], [tag], fold) for word, tag, fold in rows])
    for left_out in range(FOLDS):
        kept = [([word], [tag], fold) for word, tag, fold in rows if fold != left_out]
        alone = learn_lexicon(kept)
        for word in "天地人":
            assert lexicon.tags_of(word, left_out) == alone.tags_of(word)
            known = word in lexicon.folds and lexicon.folds[word] != left_out
            assert known == (word in alone.folds)


@given(st.integers(1, 500))
def test_folds_are_neighbours_of_about_one_size(sentences: int) -> None:
    folds = fold_numbers(sentences)
    assert folds == sorted(folds)
    assert set(folds) <= set(range(FOLDS))
    counts = Counter(folds).values()
    assert max(counts) - min(counts) <= 1
    assert len(counts) == min(sentences, FOLDS)


def test_a_lexicon_is_read_as_it_was_written(tmp_path: Path) -> None:
    lexicon = learn_lexicon([(["画", "雪", "＃"], ["v", "n", "w"], 0)])
    write_lexicon(tmp_path / "words.tsv", lexicon)
    again = read_lexicon(tmp_path / "words.tsv")
    assert again.tags == lexicon.tags
    assert set(again.folds.values()) == {SEVERAL}
    for text in ("", "画 v\n", "画\tv\tn\n"):
        (tmp_path / "words.tsv").write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match="is no list of known words"):
            read_lexicon(tmp_path / "words.tsv")
