from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora import PKU_TAGS
from hengliang.tagging.test_sets.word_boundaries import agrees, head_class, word_class

some_tags = st.lists(st.sampled_from(sorted(PKU_TAGS)), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("tags", "head"),
    [
        # headed by the last word
        ("n+n", "n"), ("a+n", "n"), ("b+n", "n"), ("m+n", "n"), ("m+Ng", "n"), ("ns+n", "n"), ("n+n+n", "n"),
        ("vn+n", "n"), ("n+vn", "vn"), ("r+n", "n"), ("d+a", "a"), ("m+q", "q"), ("m+q+q", "q"), ("r+q", "q"),
        ("m+q+n", "n"), ("nr+nr", "nr"), ("t+t", "t"), ("m+m", "m"), ("d+d", "d"),
        # headed by a verb, wherever it stands
        ("v+n", "v"), ("v+Ng", "v"), ("v+v", "v"), ("v+a", "v"), ("v+vn", "v"), ("v+u", "v"), ("d+v", "v"),
        ("Ag+v", "v"), ("ad+v", "v"), ("r+v", "v"), ("d+v+n", "v"), ("p+n+v", "v"), ("Vg+n", "v"),
        # headed by a preposition
        ("p+r", "p"), ("p+n", "p"),
        # places and times
        ("n+f", "s"), ("ns+f", "s"), ("t+f", "t"), ("q+f", "t"), ("f+f", "f"), ("f+n", "n"),
        # what is never a head
        ("a+u", "a"), ("n+k", "n"), ("v+k", "n"), ("h+n", "n"), ("n+c+n", "n"), ("v+y", "v"), ("u", "u"), ("Ng", "n"),
    ],
)  # fmt: skip
def test_the_head_is_found_by_construction(tags: str, head: str) -> None:
    assert head_class(tags.split("+")) == head


@pytest.mark.parametrize(
    ("tagged", "head"),
    [
        ("好/a 起来/v", "a"),  # an adjective with its direction; 私/a 设/v is a verb with its modifier
        ("私/a 设/v", "v"),
        ("看/v 的/u 书/n", "n"),
        ("看/v 了/u 书/n", "v"),
        ("说/v 得/u 好/a", "v"),
        ("现代/n 化/k", "v"),
        ("经营/v 者/k", "n"),
        ("慢慢/z 地/u 走/v", "v"),
    ],
)
def test_words_settle_what_tags_leave_open(tagged: str, head: str) -> None:
    words, tags = zip(*(token.split("/") for token in tagged.split()), strict=True)
    assert head_class(tags, words) == head


@given(some_tags)
def test_the_head_has_the_class_of_a_word_or_is_a_place_time_or_derived_word(tags: list[str]) -> None:
    assert head_class(tags) in {word_class(tag) for tag in tags} | ({"s", "t"} if "f" in tags else set()) | (
        {"n"} if "k" in tags else set()
    )


@given(st.sampled_from(sorted(PKU_TAGS)))
def test_one_word_is_its_own_head(tag: str) -> None:
    assert head_class([tag]) == ("n" if tag == "k" else word_class(tag))


@pytest.mark.parametrize(
    ("gold", "predicted", "same"),
    [
        ("n+n", "n", True),
        ("m+Ng", "n", True),
        ("v+n", "Vg", True),  # a morpheme counts as its class on both sides
        ("n+vn", "n", False),  # vn taken for n is an error of its own
        ("ns+n", "ns", True),
        ("ns+n", "nt", True),
        ("ns+k", "ns", True),  # 玉溪 市, where a treebank has a suffix
        ("v+k", "ns", False),
        ("n+n", "nt", False),  # nothing in it is a name
        ("n+n", "nr", False),
        ("nr+n", "nr", True),
        ("v+ns", "ns", False),  # headed by a verb
        ("p+r", "d", False),
        ("d+v", "c", False),
    ],
)
def test_whether_a_joined_word_has_the_class_of_the_head(gold: str, predicted: str, same: bool) -> None:
    assert agrees(gold.split("+"), predicted) is same


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match="No tag"):
        head_class([])
    with pytest.raises(UserError, match="1 words and 2 tags"):
        head_class(["n", "n"], ["书"])
