"""Are characters labelled by their place in words, and are seen sentences recognised?"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.trained.model import (
    SENTENCES,
    read_model,
    seen_sentences,
    sentence_digests,
    word_labels,
    write_digests,
)


def test_characters_are_labelled_by_their_place() -> None:
    assert word_labels(["就", "孩子", "孩子们", "中华人民"]) == list("SBEBMEBMME")


@given(st.lists(st.text(st.sampled_from("天地人"), min_size=1, max_size=5)))
def test_words_can_be_read_back_from_labels(words: list[str]) -> None:
    text, labels = "".join(words), word_labels(words)
    starts = [place for place, label in enumerate(labels) if label in "BS"]
    assert [text[first:last] for first, last in pairwise([*starts, len(text)])] == words


@given(st.lists(st.text(st.sampled_from("天地人 Ａ"), max_size=6)), st.text(st.sampled_from("天地人 A"), max_size=6))
def test_a_sentence_was_seen_when_its_text_was(
    tmp_path_factory: pytest.TempPathFactory, seen: list[str], asked: str
) -> None:
    folder = tmp_path_factory.mktemp("digests")
    write_digests(folder, sentence_digests(seen))
    texts = {text.replace(" ", "").replace("Ａ", "A") for text in seen}
    assert seen_sentences(folder, [asked]).tolist() == [asked.replace(" ", "") in texts]


def test_equal_sentences_write_equal_files(tmp_path: Path) -> None:
    for name, texts in (("a", ["天", "地", "天"]), ("b", ["地", "天"])):
        (tmp_path / name).mkdir()
        write_digests(tmp_path / name, sentence_digests(texts))
    assert (tmp_path / "a" / SENTENCES).read_bytes() == (tmp_path / "b" / SENTENCES).read_bytes()
    (tmp_path / "a" / SENTENCES).write_bytes(b"nothing")
    with pytest.raises(UserError, match="holds no digests"):
        seen_sentences(tmp_path / "a", ["天"])


def test_a_model_tags_bytes(small: Path) -> None:
    model = read_model(small)
    assert model.tagged("他写信。") == [(0, 3, "r"), (3, 6, "v"), (6, 9, "n"), (9, 12, "w")]
    assert model.tagged("") == []
    assert model.tagged(" \n") == []


def test_digests_are_64_bits() -> None:
    digests = sentence_digests(["天", "地"])
    assert digests.dtype == np.uint64
    assert digests[0] != digests[1]
