"""Are the sentences that would teach a tagger the right ones, and never those of the test?"""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Item, UserError
from hengliang.core import items_frame
from hengliang.tagging.test_sets.selection import targeted_sentences

# 过去 is a verb in the first two and the last, a time word in the third and fourth.
SENTENCES = [
    "他/r 过去/v 了/u",
    "请/v 你/r 过去/v 看看/v",
    "过去/t 我们/r 很/d 穷/a",
    "那/r 是/v 过去/t 的/u 事/n",
    "我/r 走/v 过/v 去/v 了/u",
    "快/d 过去/v 吧/y 别/d 等/v 了/u",
]
POOL = items_frame(
    Item(f"s{number}", f"s{number}", "toy", "", "".join(token.split("/")[0] for token in gold.split()), gold=gold)
    for number, gold in enumerate(SENTENCES)
)
MISSED = pl.DataFrame({"pair": ["v:t"], "word": ["过去"]})


def chosen(found: pl.DataFrame, kind: str) -> set[str]:
    return set(found.filter(pl.col("kind") == kind)["item"])


def test_right_uses_and_contrasts() -> None:
    found = targeted_sentences(MISSED, POOL)
    assert chosen(found, "right") == {"s0", "s1", "s5"}
    assert chosen(found, "contrast") == {"s2", "s3"}
    first = found.filter(pl.col("item") == "s0").row(0, named=True)
    # 他 has three bytes, 过去 six.
    assert (first["start"], first["end"], first["gold"]) == (3, 9, "过去/v")


def test_contrasts_can_be_left_out() -> None:
    assert chosen(targeted_sentences(MISSED, POOL, contrast=False), "contrast") == set()


def test_a_sentence_of_the_test_is_never_taken() -> None:
    found = targeted_sentences(MISSED, POOL, avoid=["请你过去看看", "完全不同的一句话"])
    assert chosen(found, "right") == {"s0", "s5"}


def test_words_that_the_annotators_cut() -> None:
    found = targeted_sentences(pl.DataFrame({"pair": ["v+v:v"], "word": ["过去"]}), POOL)
    assert chosen(found, "right") == {"s4"}
    # Three sentences have 过去 as one verb; with one right use there is one contrast.
    assert len(chosen(found, "contrast") & {"s0", "s1", "s5"}) == found.height - 1 == 1


def test_a_word_that_never_has_the_right_tags_gets_no_contrasts() -> None:
    assert targeted_sentences(pl.DataFrame({"pair": ["n:t"], "word": ["过去"]}), POOL).height == 0


def test_of_several_places_in_a_sentence_the_first_is_named() -> None:
    gold = "他/r 过去/v 又/d 过去/v"
    twice = items_frame([Item("s", "s", "toy", "", "他过去又过去", gold=gold)])
    assert targeted_sentences(MISSED, twice).select("start", "end").rows() == [(3, 9)]


@given(st.integers(1, 4), st.integers(0, 50), st.randoms(use_true_random=False))
def test_at_most_so_many_whatever_the_order(per_word: int, seed: int, random: object) -> None:
    order = list(range(POOL.height))
    random.shuffle(order)  # type: ignore[attr-defined]
    one = targeted_sentences(MISSED, POOL, per_word=per_word, seed=seed)
    other = targeted_sentences(MISSED, POOL[order], per_word=per_word, seed=seed)
    assert one.equals(other)
    assert one.group_by("kind").len()["len"].max() <= per_word  # type: ignore[operator]
    assert one.filter(pl.col("kind") == "right").height == min(per_word, 3)


@pytest.mark.parametrize(
    ("missed", "options", "said"),
    [
        (pl.DataFrame({"pair": ["v:t"]}), {}, "no column 'word'"),
        (MISSED, {"per_word": 0}, "0 sentences a word"),
        (pl.DataFrame({"pair": ["nonsense"], "word": ["过去"]}), {}, "'nonsense' is no error pair"),
    ],
)
def test_bad_input_is_told(missed: pl.DataFrame, options: dict[str, int], said: str) -> None:
    with pytest.raises(UserError, match=said):
        targeted_sentences(missed, POOL, **options)  # type: ignore[arg-type]
