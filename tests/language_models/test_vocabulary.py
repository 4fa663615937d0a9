"""Is every word either known or in a class fit for it, and do the symbols share out all probability?"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models.vocabulary import (
    CLASS_AT_LEAST,
    SPECIAL,
    UNKNOWN_ID,
    Vocabulary,
    build_vocabulary,
    word_classes,
)


def words(text: str) -> pl.Series:
    return pl.Series(text.split(), dtype=pl.String)


def symbols_of(vocabulary: Vocabulary, text: str) -> list[str]:
    ids, _ = vocabulary.encode(words(text))
    return vocabulary.symbols.gather(ids).to_list()


@pytest.mark.parametrize(
    ("word", "fine"),
    [
        ("东莞市", "<unk:han:3:市>"),
        ("工程师", "<unk:han:3:师>"),
        ("人民代表大会", "<unk:han:5+:会>"),
        ("１９９８年", "<unk:digits:5+:年>"),
        ("35%", "<unk:digits:3:%>"),
        ("三十五", "<unk:numeral:3:五>"),
        ("Linux", "<unk:latin:5+:x>"),
        ("卡拉OK", "<unk:mixed:4:K>"),
        ("……", "<unk:mark:2:…>"),
        ("Ж", "<unk:mixed:1:Ж>"),
    ],
)
def test_a_class_tells_script_length_and_last_character(word: str, fine: str) -> None:
    row = word_classes(words(word)).row(0)
    script = fine.removeprefix("<unk:").split(":")[0]
    assert row == (word, fine, fine.rpartition(":")[0] + ">", f"<unk:{script}>")


def test_words_seen_often_enough_are_kept_the_frequent_first() -> None:
    vocabulary = build_vocabulary(words("他 走 他 来 他 走 看"), sentences=2)
    # 他 3, 走 2; 来 and 看 once each, both Han of one character: too few for a finer class than their script.
    assert vocabulary.symbols.to_list() == [*SPECIAL, "<unk:han>", "他", "走"]
    assert vocabulary.counts.tolist() == [0, 0, 2, 2, 3, 2]
    assert symbols_of(vocabulary, "他 看 走 跑") == ["他", "<unk:han>", "走", "<unk:han>"]


def test_a_class_of_enough_rare_words_is_one_and_the_rest_join_the_class_above() -> None:
    # Twenty different places in 市, and one word of the same shape with another end.
    cities = [f"{chr(0x4E00 + number)}{chr(0x5000 + number)}市" for number in range(CLASS_AT_LEAST)]
    vocabulary = build_vocabulary(pl.Series([*cities, "工程师", "他", "他"]), sentences=1)
    assert vocabulary.symbols.to_list() == [*SPECIAL, "<unk:han:3:市>", "<unk:han>", "他"]
    assert vocabulary.counts.tolist() == [0, 0, 1, CLASS_AT_LEAST, 1, 2]
    assert symbols_of(vocabulary, "广州市 设计师 abc") == ["<unk:han:3:市>", "<unk:han>", "<unk>"]
    fewer = build_vocabulary(pl.Series([*cities[1:], "他", "他"]), sentences=1)
    assert fewer.symbols.to_list() == [*SPECIAL, "<unk:han>", "他"]


def test_without_classes_unknown_words_are_one_symbol() -> None:
    vocabulary = build_vocabulary(words("他 走 他 来"), sentences=1, unknown="symbol")
    assert vocabulary.symbols.to_list() == [*SPECIAL, "他"]
    assert vocabulary.counts.tolist() == [2, 0, 1, 2]
    ids, unknown = vocabulary.encode(words("他 走 猫"))
    assert (ids.tolist(), unknown.tolist()) == ([3, UNKNOWN_ID, UNKNOWN_ID], [False, True, True])
    everything = build_vocabulary(words("他 走 他"), sentences=1, unknown="symbol", least=1)
    assert everything.symbols.to_list() == [*SPECIAL, "他", "走"]
    assert (vocabulary.unknown, everything.classes) == ("<unk>", 0)


def test_a_text_cannot_smuggle_in_reserved_symbols() -> None:
    vocabulary = build_vocabulary(words("</s> </s> <s> <s> <unk:han> <unk:han> 他 他"), sentences=1)
    assert "他" in vocabulary.symbols.to_list()
    assert vocabulary.symbols.to_list().count("</s>") == 1
    ids, unknown = vocabulary.encode(words("</s> <unk:han> <s> <unk>"))
    assert unknown.all()
    assert not set(ids.tolist()) & {1, 2}


def test_unigrams_are_relative_frequencies() -> None:
    vocabulary = build_vocabulary(words("他 走 他 走 他"), sentences=3)
    # Events: 3 × 他, 2 × 走, 3 × </s>, and <unk>, never seen, counts once: 9 in all.
    found = dict(zip(vocabulary.symbols.to_list(), np.exp(vocabulary.unigram_logprobs).tolist(), strict=True))
    assert found["他"] == pytest.approx(3 / 9)
    assert found["走"] == pytest.approx(2 / 9)
    assert found["</s>"] == pytest.approx(3 / 9)
    assert found["<unk>"] == pytest.approx(1 / 9)
    assert np.isnan(found["<s>"])


WORD = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=6)


@given(st.lists(WORD, min_size=1, max_size=60), st.lists(WORD, max_size=20))
def test_every_word_has_an_id_and_unigrams_sum_to_one(training: list[str], other: list[str]) -> None:
    vocabulary = build_vocabulary(pl.Series(training, dtype=pl.String), sentences=1)
    assert np.nansum(np.exp(vocabulary.unigram_logprobs)) == pytest.approx(1)
    assert vocabulary.counts.sum() == len(training) + 1
    ids, unknown = vocabulary.encode(pl.Series(training + other, dtype=pl.String))
    assert ((ids >= 0) & (ids < len(vocabulary)) & (ids != 1) & (ids != 2)).all()
    for word, number, missing in zip(training + other, ids.tolist(), unknown.tolist(), strict=True):
        assert (vocabulary.symbols[number] == word) != missing
    # The counts of the symbols are what encoding the training text gives.
    counted = np.bincount(vocabulary.encode(pl.Series(training, dtype=pl.String))[0], minlength=len(vocabulary))
    counted[2] = 1
    assert counted.tolist() == vocabulary.counts.tolist()


def test_a_vocabulary_survives_the_disk(tmp_path: Path) -> None:
    vocabulary = build_vocabulary(words("他 走 他 走 来 1998 Linux"), sentences=1)
    vocabulary.write(tmp_path)
    again = Vocabulary.read(tmp_path)
    assert again.symbols.to_list() == vocabulary.symbols.to_list()
    assert again.checksum == vocabulary.checksum
    assert again.encode(words("他 跑 2001"))[0].tolist() == vocabulary.encode(words("他 跑 2001"))[0].tolist()


def test_a_damaged_vocabulary_is_refused(tmp_path: Path) -> None:
    vocabulary = build_vocabulary(words("他 走 他 走"), sentences=1)
    vocabulary.write(tmp_path)
    file = tmp_path / "vocabulary.tsv"
    text = file.read_text(encoding="utf-8")
    for broken in (text[:-3], text.replace("\t", " "), text.removeprefix("<unk>\t0\n"), ""):
        file.write_text(broken, encoding="utf-8")
        with pytest.raises(UserError, match="is not a whole vocabulary"):
            Vocabulary.read(tmp_path)
    file.unlink()
    with pytest.raises(UserError, match=r"vocabulary\.tsv"):
        Vocabulary.read(tmp_path)


@given(st.lists(WORD, min_size=1, max_size=30))
def test_any_word_survives_the_disk(training: list[str]) -> None:
    vocabulary = build_vocabulary(pl.Series(training, dtype=pl.String), sentences=1, unknown="symbol", least=1)
    with TemporaryDirectory() as folder:
        vocabulary.write(Path(folder))
        again = Vocabulary.read(Path(folder))
    assert again.symbols.to_list() == vocabulary.symbols.to_list()
    assert again.counts.tolist() == vocabulary.counts.tolist()
