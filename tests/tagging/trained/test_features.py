"""Do the features say what they mean, of every text, and without looking further than they should?"""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from hengliang.tagging.trained.model import (
    LONGEST_WORD,
    UNKNOWN,
    character_features,
    learn_lexicon,
    widened,
    word_features,
)

EMPTY = learn_lexicon([])
KNOWN = learn_lexicon([(["北京", "北京市", "京市", "市长"], ["ns", "ns", "n", "n"], 0), (["北京"], ["ns"], 1)])


def starting(features: list[str], first: str) -> list[str]:
    return [feature[1:] for feature in features if feature[0] == first]


def test_narrow_characters_count_as_wide_ones() -> None:
    assert widened("GPT-4 很好!") == "ＧＰＴ－４ 很好！"
    assert character_features(widened("A1"), EMPTY) == character_features("Ａ１", EMPTY)


def test_neighbours_stand_at_their_places() -> None:
    third = character_features("春夏秋冬", EMPTY)[2]
    assert [starting(third, first) for first in "1234"] == [["秋"], ["夏"], ["冬"], ["春"]]
    assert [starting(third, first) for first in "678"] == [["夏秋"], ["秋冬"], ["夏冬"]]


def test_known_words_that_begin_end_and_run_on_are_the_longest() -> None:
    # In 北京市长: 北京市 (3) begins at 北, 京市 (2) at 京, 市长 (2) at 市; 北京 (2) ends at 京, 北京市 (3) at 市,
    # 市长 (2) at 长; only 京 is inside a longer word, 北京市 (3). Order of the digits: begins, ends, runs on.
    found = [starting(row, "e")[0] for row in character_features("北京市长", KNOWN)]
    assert found == ["300", "223", "230", "020"]
    # For a sentence of fold 0 only 北京 is known, which fold 1 has too.
    found = [starting(row, "e")[0] for row in character_features("北京市长", KNOWN, 0)]
    assert found == ["200", "020", "000", "000"]


def test_kinds_of_characters_and_repetition() -> None:
    rows = character_features(widened("三3月A，看看"), EMPTY)
    assert starting(rows[1], "b") == ["NDT"]
    assert starting(rows[3], "b") == ["TAP"]
    assert starting(rows[6], "d") == ["r"]
    assert starting(rows[5], "d") == ["t"]


def test_words_are_seen_with_neighbours_and_known_tags() -> None:
    rows = word_features(["北京", "新", "市长"], KNOWN)
    assert starting(rows[1], "8") == [UNKNOWN]
    assert starting(rows[1], "b") == ["ns n"]
    assert starting(rows[2], "2") == ["新"]
    assert starting(rows[2], "k") == ["长"]
    assert starting(word_features(["市长"], KNOWN, 0)[0], "8") == [UNKNOWN]


def test_features_stand_in_the_same_order_in_every_process() -> None:
    # Python orders sets of texts anew in each process, and a chain learned from another order has other last digits.
    code = (
        "from hengliang.tagging.trained.model import character_features, word_features\n"
        "from hengliang.tagging.trained.model import learn_lexicon\n"
        "known = learn_lexicon([(['北京', '画', '画'], ['ns', 'v', 'n'], 0), (['画'], ['n'], 1)])\n"
        "print(list(known.tags.items()), list(known.folds), known.without)\n"
        "print(word_features(['上海人民', '画', '北京'], known, 0), character_features('上海人民画北京', known, 1))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert said[0] == said[1] == said[2]
    assert "q民".encode() in said[0]


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), max_size=12)


@given(TEXTS)
def test_every_character_of_every_text_has_features(text: str) -> None:
    rows = character_features(text, KNOWN)
    assert [starting(row, "1")[0] for row in rows] == list(text)
    assert len({len(row) for row in rows}) <= 1


@given(st.lists(TEXTS.filter(bool), max_size=6))
def test_every_word_of_every_sentence_has_features(words: list[str]) -> None:
    rows = word_features(words, KNOWN)
    assert [starting(row, "1")[0] for row in rows] == words


@given(
    st.text(st.sampled_from("北京市长人"), min_size=1, max_size=10), st.text(st.sampled_from("北京市长人"), max_size=10)
)
def test_features_look_no_further_than_the_longest_known_word(text: str, more: str) -> None:
    near = character_features(text + "。" * LONGEST_WORD, KNOWN)
    far = character_features(text + "。" * LONGEST_WORD + more, KNOWN)
    assert far[: len(text)] == near[: len(text)]
