"""Does an n-gram model leave as an ARPA file, and a neural one with a reason why not?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import places
from hengliang.language_models import read_texts, write_card
from hengliang.language_models.ngram.lookup import Level, NgramTables, index_tables, next_logprobs
from hengliang.language_models.ngram.model import ArpaModel, NgramModel
from hengliang.language_models.ngram.store import read_tables, write_model
from hengliang.language_models.recipes import Recipe, train
from hengliang.language_models.store import export_arpa


def unigrams(folder: Path) -> Path:
    """Store four symbols of probability ¼, <s> aside."""
    zeros = np.zeros(5, np.uint32)
    logprobs = np.array([np.log(0.25), -np.inf, *[np.log(0.25)] * 3], np.float32)
    level = Level(zeros, np.arange(5, dtype=np.uint32), logprobs, np.zeros(5, np.float32))
    words = pl.Series("symbol", ["<unk>", "<s>", "</s>", "他", "来"])
    write_model(NgramTables(words, np.array([1, 0, 1, 1, 1]), (level,)), folder)
    write_card(folder, kind="ngram", script="simplified")
    return folder


def test_a_folder_and_a_stored_name_are_written_and_read_back(tmp_path: Path) -> None:
    folder = unigrams(tmp_path / "model")
    unigrams(places.models() / "small")
    texts = read_texts(["他 来 了"])
    expected = NgramModel(folder).score(texts).logprobs
    for number, reference in enumerate([str(folder), "small"]):
        file = tmp_path / f"{number}.arpa"
        assert export_arpa(reference, file) == ""
        assert "ngram 1=5" in file.read_text(encoding="utf-8")
        assert ArpaModel(file).score(texts).logprobs == pytest.approx(expected, abs=1e-5)


@pytest.fixture
def classed(tmp_path: Path) -> NgramModel:
    """Train trigrams on sentences of our own, in which a name that occurs once is of a class of unknown words."""
    surnames, verbs, things = "赵钱孙李周吴", ["看见", "买", "喜欢", "找到"], ["书", "马", "苹果", "自行车", "房子"]
    names = [f"{surname}{given}" for surname in surnames for given in ("明", "晓红", "国强同志")]
    lines = []
    for number in range(240):
        name, verb, thing = (held[number * step % len(held)] for held, step in ((names, 1), (verbs, 7), (things, 3)))
        # Every fourth name stands only here: in Chinese characters, in letters or with digits, three classes by script.
        once = (
            f"{name}{chr(0x4E00 + 7 * number)}",
            f"Ann{chr(97 + number % 26)}{chr(97 + number // 26)}",
            f"{number}号",
        )
        who = name if number % 4 else once[number % 3]
        lines.append(
            f"{who} {verb} 了 {thing} 。" if number % 3 else f"昨天 {who} 和 {names[number % 5]} {verb} {thing} 。"
        )
    (tmp_path / "names.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return NgramModel(train(Recipe("ngram", "3", data=str(tmp_path / "names.txt")), tmp_path / "classed"))


KNOWN = ["赵明 看见 了 马 。", "昨天 钱明 和 赵明 买 书 。", "李国强同志 喜欢 了 自行车 。"]
UNKNOWN = ["欧阳明 看见 了 马 。", "昨天 司马 和 欧阳 买 书 。", "阿Q 阿Q 喜欢 3D 。", "欧阳"]


def test_other_programs_and_we_read_the_exported_file_alike(classed: NgramModel, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm")
    file = tmp_path / "classed.arpa"
    assert "classes of unknown words" in export_arpa(str(classed.folder), file)
    assert "<unk:" not in file.read_text(encoding="utf-8")
    ours = ArpaModel(file).score(read_texts([*KNOWN, *UNKNOWN]))
    peer = kenlm.Model(str(file))
    theirs = [unit for line in (*KNOWN, *UNKNOWN) for unit in peer.full_scores(line)]
    np.testing.assert_allclose(ours.logprobs, np.log(10) * np.array([unit[0] for unit in theirs]), atol=1e-5)
    assert ours.unknown.tolist() == [unit[2] for unit in theirs]
    assert ours.unknown.sum() == 1 + 2 + 3 + 1


def test_the_mass_of_the_classes_is_that_of_unk(classed: NgramModel, tmp_path: Path) -> None:
    export_arpa(str(classed.folder), tmp_path / "classed.arpa")
    exported = ArpaModel(tmp_path / "classed.arpa")
    np.testing.assert_allclose(
        exported.score(read_texts(KNOWN)).logprobs, classed.score(read_texts(KNOWN)).logprobs, atol=1e-5
    )
    known = read_texts(["", "昨天", "赵明 看见 了", "昨天 钱明 和", "马 马 马"])
    before, after = classed.next_units(known), exported.next_units(known)
    unknown = [unit.startswith("<unk") for unit in before.units]
    assert sum(unknown) >= 1 + 3 and sum(unit.startswith("<unk") for unit in after.units) == 1
    expected = np.exp(before.logprobs[:, unknown]).sum(axis=1)
    np.testing.assert_allclose(np.exp(after.logprobs[:, after.units.index("<unk>")]), expected, rtol=1e-5)
    # After an unknown word, too, all probabilities sum to one.
    unseen = read_texts(["欧阳明", "昨天 司马", "昨天 司马 和", "阿Q 阿Q", "3D 阿Q 了"])
    np.testing.assert_allclose(np.exp(exported.next_units(unseen).logprobs).sum(axis=1), 1.0, atol=2e-6)


def test_after_an_unknown_word_the_classes_are_mixed_as_often_as_they_were_seen(
    classed: NgramModel, tmp_path: Path
) -> None:
    bigrams = NgramModel(train(Recipe("ngram", "2", data=str(tmp_path / "names.txt")), tmp_path / "bigrams"))
    export_arpa(str(bigrams.folder), tmp_path / "bigrams.arpa")
    tables = read_tables(bigrams.folder)
    classes = [number for number, word in enumerate(tables.words.to_list()) if word.startswith("<unk")]
    # Bigrams look back one word: the mean of what follows each class, by its count, is what must follow <unk>.
    after = np.exp(next_logprobs(index_tables(tables), np.array(classes), np.arange(len(classes) + 1)))
    mixture = np.average(after, axis=0, weights=tables.counts[classes])
    found = ArpaModel(tmp_path / "bigrams.arpa").next_units(read_texts(["欧阳"]))
    ids = {word: number for number, word in enumerate(tables.words.to_list())}
    expected = [mixture[classes].sum() if unit == "<unk>" else mixture[ids[unit]] for unit in found.units]
    np.testing.assert_allclose(np.exp(found.logprobs[0]), expected, rtol=1e-5)


def test_a_neural_model_says_why_not(tmp_path: Path) -> None:
    write_card(tmp_path, kind="lstm")
    with pytest.raises(UserError, match="kind 'lstm' and cannot be written as an ARPA file"):
        export_arpa(str(tmp_path), tmp_path / "model.arpa")
    assert not (tmp_path / "model.arpa").exists()


def test_an_unknown_name_lists_the_models(tmp_path: Path) -> None:
    unigrams(places.models() / "small")
    with pytest.raises(UserError, match="Models: small"):
        export_arpa("smal", tmp_path / "model.arpa")
