"""Is a text read word for word, however it is cut into chunks?"""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models.ngram import counting as encoding
from hengliang.language_models.ngram.counting import RESERVED, EncodedText, encode_file, encode_words


def sentences_of(text: EncodedText) -> list[list[str]]:
    words = text.words.to_list()
    return [[words[number] for number in text.ids[start:end]] for start, end in pairwise(text.offsets.tolist())]


def read(content: bytes, folder: Path) -> EncodedText:
    path = folder / "text.txt"
    path.write_bytes(content)
    return encode_file(path)


def test_words_are_numbered_as_they_first_appear(tmp_path: Path) -> None:
    text = read("我 看 书\n他 看 书\n".encode(), tmp_path)
    assert text.words.to_list() == [*RESERVED, "我", "看", "书", "他"]
    assert text.ids.tolist() == [3, 4, 5, 6, 4, 5]
    assert text.offsets.tolist() == [0, 3, 6]


letters = st.sampled_from("我看书\"\\,;#'\u00e9e\u0301 \t\r\u3000\u00a0\x1c\x1f\n\n")


@given(st.text(letters, max_size=60), st.sampled_from([1, 5, 1 << 22]))
@settings(deadline=None, max_examples=200)
def test_a_file_is_read_as_python_splits_its_lines(content: str, chunk: int) -> None:
    with TemporaryDirectory() as folder, patch.object(encoding, "CHUNK", chunk):
        found = sentences_of(read(content.encode(), Path(folder)))
    lines = content.removesuffix("\n").split("\n") if content else []
    assert found == [[unicodedata.normalize("NFC", word) for word in line.split()] for line in lines]


def test_a_mark_of_byte_order_is_no_word(tmp_path: Path) -> None:
    assert sentences_of(read("\ufeff我 看\n".encode(), tmp_path)) == [["我", "看"]]


def test_words_in_memory_are_numbered_alike(tmp_path: Path) -> None:
    sentences = [["我", "看", "书"], [], ["他", "看"]]
    words = pl.Series([word for sentence in sentences for word in sentence])
    text = encode_words(words, np.array([0, 3, 3, 5]))
    same = read("我 看 书\n\n他 看\n".encode(), tmp_path)
    assert text.words.to_list() == same.words.to_list()
    assert text.ids.tolist() == same.ids.tolist()
    assert text.offsets.tolist() == same.offsets.tolist()


def test_the_models_own_words_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"The word </s> stands in .*text\.txt"):
        read("我 </s> 看\n".encode(), tmp_path)
    with pytest.raises(UserError, match="The word <unk> stands in the text"):
        encode_words(pl.Series(["我", "<unk>"]), np.array([0, 2]))


def test_a_file_in_another_encoding_is_refused_by_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Line 2 of .* is not UTF-8"):
        read("我 看\n".encode() + "他 看\n".encode("gb18030"), tmp_path)
    with pytest.raises(UserError, match=r"Line 1 of .* is not UTF-8"):
        read("我\u3000看 ".encode() + b"\xff\n", tmp_path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Cannot read .*missing\.txt"):
        encode_file(tmp_path / "missing.txt")
