from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.language_models.ngram.arpa import read_arpa
from hengliang.language_models.ngram.lookup import NgramTables, index_tables
from hengliang.language_models.ngram.store import FILE, read_model, read_tables, read_trie, write_model, write_trie
from hengliang.language_models.vocabulary import Vocabulary
from tests.language_models.ngram.samples import SMALL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_model(read_arpa(SMALL), tmp_path / "model")
    return tmp_path / "model"


def test_what_was_written_is_read(folder: Path) -> None:
    tables, again = read_arpa(SMALL), read_tables(folder)
    assert again.words.to_list() == tables.words.to_list()
    assert again.counts.tolist() == tables.counts.tolist()
    for one, other in zip(again.levels, tables.levels, strict=True):
        for name in ("prefixes", "words", "logprobs", "backoffs"):
            assert getattr(one, name).dtype == getattr(other, name).dtype
            assert getattr(one, name).tolist() == getattr(other, name).tolist()


def test_the_same_model_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_model(read_tables(folder), tmp_path / "again")
    assert (tmp_path / "again" / FILE).read_bytes() == (folder / FILE).read_bytes()


def test_arrays_stay_on_disk_and_are_aligned(folder: Path) -> None:
    trie, _ = read_model(folder)
    for level in trie.levels[1:]:
        for array in (level.keys, level.slots, level.logprobs, level.backoffs):
            assert isinstance(array.base, np.memmap) or isinstance(getattr(array.base, "obj", None), np.memmap)
            assert array.ctypes.data % 64 == 0
            assert not array.flags.writeable


def test_a_level_without_ngrams_is_kept(tmp_path: Path) -> None:
    tables = read_arpa(SMALL)
    first, second, *_ = tables.levels
    empty = type(second)(*(getattr(second, name)[:0] for name in ("prefixes", "words", "logprobs", "backoffs")))
    write_trie(index_tables(NgramTables(tables.words, tables.counts, (first, empty))), tmp_path / FILE)
    assert [len(level) for level in read_trie(tmp_path / FILE).levels] == [len(first), 0]


@pytest.mark.parametrize("kept", [0, 5, 12, 20, 60, 5000, -1])
def test_a_file_that_is_cut_short_is_refused(kept: int, folder: Path) -> None:
    path = folder / FILE
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UserError, match=r"not a model of n-grams|damaged header|it is not whole"):
        read_model(folder)


def test_a_file_with_something_added_is_refused(folder: Path) -> None:
    with (folder / FILE).open("ab") as stream:
        stream.write(b"more")
    with pytest.raises(UserError, match="it is not whole"):
        read_model(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"HLNGRAM", b"HLNGRIM", "is not a model of n-grams"),
        (b'"version": 1', b'"version": 9', "in version 9.*reads version 1"),
        (b'"lengths"', b'"lenghts"', "damaged header"),
        (b'{"version', b'["version', "damaged header"),
        (b'"lengths": [0', b'"lengths": [7', "damaged header|not whole"),
    ],
)
def test_a_damaged_header_is_refused(old: bytes, new: bytes, message: str, folder: Path) -> None:
    raw = (folder / FILE).read_bytes()
    assert old in raw
    (folder / FILE).write_bytes(raw.replace(old, new, 1))
    with pytest.raises(UserError, match=message):
        read_model(folder)


def test_the_vocabulary_of_another_model_is_refused(folder: Path) -> None:
    Vocabulary(pl.Series(["<unk>", "<s>", "</s>", "山"]), np.ones(4, np.int64)).write(folder)
    with pytest.raises(UserError, match="has 4 symbols, its n-grams have 79"):
        read_model(folder)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_model(tmp_path / "nowhere")
