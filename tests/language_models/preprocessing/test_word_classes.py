"""Does every word stand as its class, and every word that has none as unknown?"""

from __future__ import annotations

import json
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models import Texts, read_segmented_texts
from hengliang.language_models.preprocessing.representation import SYMBOL
from hengliang.language_models.preprocessing.word_classes import UNKNOWN_CLASS, WordClasses

WHO = ("他", "我们", "老师", "孩子")
WHAT = ("书", "信", "饭", "马")
DONE = ("买", "看见", "喜欢")
TRAINING = read_segmented_texts(
    [f"{who} {done} {what} 。" for who, done, what in product(WHO, DONE, WHAT)] + ["王 来 了 。"]
)
LEARNED = WordClasses(6).learn(TRAINING)


def test_words_that_stand_in_the_same_places_share_a_class() -> None:
    words = LEARNED["words"]
    assert LEARNED["classes"] == 6
    kinds = [{words[word] for word in kind} for kind in (WHO, DONE, WHAT, ("。",))]
    # A search that ends in a local optimum may part a kind in two, but has no reason to mix two.
    assert sum(map(len, kinds)) == len(set().union(*kinds))
    assert len(kinds[0]) == 1
    # Seen once, so without a class.
    assert not {"王", "来", "了"} & set(words)


def test_a_sentence_is_seen_by_its_classes() -> None:
    texts = read_segmented_texts(["他 买 书 。", "机器人 买 信 。", ""])
    seen = WordClasses(6, LEARNED).coarsen(texts)
    words = LEARNED["words"]
    classes = [f"<class:{words[word]}>" for word in ("他", "买", "书", "。")]
    assert seen.texts.words.to_list() == [*classes, UNKNOWN_CLASS, *classes[1:]]
    assert UNKNOWN_CLASS == "<class:unknown>"
    assert seen.problems == ("", "", "")
    assert seen.original_words.to_list() == [4, 4, 0]
    assert_same_places(seen.texts, texts)


def assert_same_places(seen: Texts, texts: Texts) -> None:
    assert seen.contents.to_list() == texts.contents.to_list()
    for name in ("offsets", "starts", "ends", "segmented"):
        assert np.array_equal(getattr(seen, name), getattr(texts, name))


@given(
    st.lists(
        st.lists(st.sampled_from([*WHO, *DONE, "<class:1>", "<ne:PERSON>", "月球", "moon"]), max_size=6), max_size=4
    )
)
def test_every_word_becomes_a_symbol_and_no_place_changes(sentences: list[list[str]]) -> None:
    texts = read_segmented_texts([" ".join(words) for words in sentences])
    seen = WordClasses(6, LEARNED).coarsen(texts)
    assert seen.texts.words.str.contains(SYMBOL).all()
    assert_same_places(seen.texts, texts)
    known = [word in LEARNED["words"] for words in sentences for word in words]
    assert [symbol != UNKNOWN_CLASS for symbol in seen.texts.words] == known


def test_what_was_learned_travels_as_json() -> None:
    again = json.loads(json.dumps(LEARNED))
    one, two = WordClasses(6, LEARNED), pickle.loads(pickle.dumps(WordClasses(6, again)))
    assert one.signature() == two.signature()
    texts = read_segmented_texts(["老师 喜欢 马 。"])
    assert one.coarsen(texts).texts.words.to_list() == two.coarsen(texts).texts.words.to_list()


def test_learning_is_repeatable_and_does_not_look_at_the_order_of_texts() -> None:
    order = np.random.default_rng(1).permutation(len(TRAINING))
    assert WordClasses(6).learn(TRAINING.take(order)) == LEARNED


def test_a_word_that_looks_like_a_symbol_is_not_learned() -> None:
    learned = WordClasses(2).learn(read_segmented_texts(["他 说 <class:1> 。", "她 说 <class:1> 。"]))
    assert set(learned["words"]) == {"说", "。"}


def test_everything_that_can_change_a_symbol_is_in_the_signature() -> None:
    moved = {"classes": 6, "words": {**LEARNED["words"], "他": (LEARNED["words"]["他"] + 1) % 6}}
    made = [
        WordClasses(6),
        WordClasses(5),
        WordClasses(6, LEARNED),
        WordClasses(6, moved),
        WordClasses(6, LEARNED, least=3),
        WordClasses(6, LEARNED, iterations=2),
    ]
    assert len({str(one.signature()) for one in made}) == len(made)


def test_without_learning_or_with_other_classes_it_says_so() -> None:
    texts = read_segmented_texts(["他 买 书 。"])
    with pytest.raises(UserError, match="No word has a class yet"):
        WordClasses(6).coarsen(texts)
    with pytest.raises(UserError, match="words of 7 classes, but of 6"):
        WordClasses(7, LEARNED).coarsen(texts)
    with pytest.raises(UserError, match="does not hold the words"):
        WordClasses(6, {"classes": 6}).coarsen(texts)
    with pytest.raises(UserError, match="no words to put into classes"):
        WordClasses(6).learn(read_segmented_texts([]))
