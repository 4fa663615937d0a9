from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kenlm
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Segmented
from hengliang.language_models import Texts, raw_texts, read_segmented_texts, read_texts, texts_of, write_card
from hengliang.language_models.ngram.arpa import read_arpa, write_arpa
from hengliang.language_models.ngram.counting import encode_words
from hengliang.language_models.ngram.kneser_ney import FALLBACK, estimate
from hengliang.language_models.ngram.lookup import NgramTables
from hengliang.language_models.ngram.model import ArpaModel, NgramModel, TrieModel
from hengliang.language_models.ngram.store import FILE, read_tables, write_model
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.sampling import sample
from tests.language_models.ngram.samples import SENTENCES, SMALL, UNSEEN, tiny

LINES = SENTENCES + UNSEEN
WORDS = sorted({word for line in LINES for word in line.split()})


@pytest.fixture
def stored(tmp_path: Path) -> NgramModel:
    write_model(read_arpa(SMALL), tmp_path / "small")
    return NgramModel(tmp_path / "small")


@pytest.fixture(params=["arpa", "stored"])
def model(request: pytest.FixtureRequest, stored: NgramModel) -> TrieModel:
    return ArpaModel(SMALL) if request.param == "arpa" else stored


def test_every_unit_is_scored_as_kenlm_scores_it(model: TrieModel) -> None:
    peer = kenlm.Model(str(SMALL))
    expected = [unit for line in LINES for unit in peer.full_scores(line)]
    scores = model.score(read_segmented_texts(LINES))
    np.testing.assert_allclose(scores.logprobs, np.log(10) * np.array([unit[0] for unit in expected]), atol=1e-5)
    assert scores.unknown.tolist() == [unit[2] for unit in expected]
    np.testing.assert_allclose(
        sentence_logprobs(scores), np.log(10) * np.array([peer.score(line) for line in LINES]), atol=1e-4
    )


def test_a_model_of_our_own_is_scored_as_kenlm_scores_its_arpa_file(tmp_path: Path) -> None:
    texts = read_segmented_texts(SENTENCES)
    tables = estimate(encode_words(texts.words, texts.offsets), order=5, fallback=FALLBACK).tables
    write_arpa(tables, tmp_path / "ours.arpa")
    write_model(tables, tmp_path / "ours")
    peer = kenlm.Model(str(tmp_path / "ours.arpa"))
    expected = [unit[0] for line in LINES for unit in peer.full_scores(line)]
    for ours in (ArpaModel(tmp_path / "ours.arpa"), NgramModel(tmp_path / "ours")):
        scores = ours.score(read_segmented_texts(LINES))
        np.testing.assert_allclose(scores.logprobs, np.log(10) * np.array(expected), atol=1e-5)
        following = ours.next_units(read_segmented_texts(LINES))
        np.testing.assert_allclose(np.exp(following.logprobs).sum(axis=1), 1.0, atol=2e-6)


def test_units_are_words_and_an_end_of_no_width(model: TrieModel) -> None:
    scores = model.score(read_texts(["他 买 书", "A 组"]))
    # 他买书 is three characters of three bytes; A is one byte, and 组 three, joined without a space.
    assert scores.offsets.tolist() == [0, 4, 7]
    assert scores.starts.tolist() == [0, 3, 6, 9, 0, 1, 4]
    assert scores.ends.tolist() == [3, 6, 9, 9, 1, 4, 4]


def test_lines_score_as_the_sum_of_their_units(model: TrieModel) -> None:
    lines = [*LINES, "  他  来 ", "cafe\u0301 来"]
    found = model.line_logprobs(pl.Series(lines))
    np.testing.assert_allclose(found, sentence_logprobs(model.score(read_segmented_texts(lines))), rtol=1e-12)
    assert model.line_logprobs(pl.Series([], dtype=pl.String)).shape == (0,)


def test_an_empty_text_has_only_an_end(model: TrieModel) -> None:
    scores = model.score(raw_texts([""]))
    assert (scores.starts.tolist(), scores.ends.tolist()) == ([0], [0])
    # p(</s> | <s>) backs off: −1.9285603 − 0.09444941 in the file.
    assert scores.logprobs[0] == pytest.approx(np.log(10) * (-1.9285603 - 0.09444941), abs=1e-6)


def test_no_texts_have_no_scores(model: TrieModel) -> None:
    assert len(model.score(raw_texts([]))) == 0


def test_an_empty_word_is_no_unit(model: TrieModel) -> None:
    with_gap = texts_of([Segmented("他来", [(0, 3), (3, 3), (3, 6)]), Segmented("他", [(0, 3)])])
    without = texts_of([Segmented("他来", [(0, 3), (3, 6)]), Segmented("他", [(0, 3)])])
    assert model.score(with_gap).starts.tolist() == [0, 3, 6, 0, 3]
    assert model.score(with_gap).logprobs.tolist() == model.score(without).logprobs.tolist()


def test_raw_text_is_segmented_by_the_segmenter_of_the_card(stored: NgramModel) -> None:
    assert stored.conventions().segmenter == "rjieba"
    write_card(stored.folder, segmenter="characters")
    assert stored.conventions().segmenter == "characters"
    assert stored.score(raw_texts(["孩子们在玩"])).counts.tolist() == [6]


def test_symbols_typed_as_words_are_unknown_words(model: TrieModel) -> None:
    scores = model.score(read_segmented_texts(["<s> </s> <unk> 他"]))
    assert scores.unknown.tolist() == [True, True, True, False, False]


def test_unigrams_of_an_arpa_file_are_its_first_order(tmp_path: Path) -> None:
    scores = ArpaModel(tiny(tmp_path)).score(read_segmented_texts(["山 水 月"]))
    # 山 4/10, 水 2/10, unknown 1/10, the end 3/10, as written in the samples.
    np.testing.assert_allclose(np.exp(scores.unigram_logprobs), [0.4, 0.2, 0.1, 0.3], rtol=1e-6)


def test_unigrams_of_a_stored_model_are_relative_frequencies(tmp_path: Path) -> None:
    tables = read_arpa(tiny(tmp_path))
    # <unk> 1, <s> never foretold, </s> 2, 山 4, 水 3: ten in all.
    write_model(NgramTables(tables.words, np.array([1, 2, 2, 4, 3]), tables.levels), tmp_path / "model")
    scores = NgramModel(tmp_path / "model").score(read_segmented_texts(["山 水 月"]))
    np.testing.assert_allclose(np.exp(scores.unigram_logprobs), [0.4, 0.3, 0.1, 0.2], rtol=1e-12)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=8), min_size=1, max_size=5))
def test_neighbours_and_order_make_no_difference(batch: list[list[str]]) -> None:
    model = SHARED
    lines = [" ".join(words) for words in batch]
    together = model.score(read_segmented_texts(lines))
    turned = model.score(read_segmented_texts(lines[::-1])).take(np.arange(len(lines))[::-1])
    alone = [model.score(read_segmented_texts([line])).logprobs for line in lines]
    assert together.logprobs.tolist() == turned.logprobs.tolist() == np.concatenate(alone).tolist()


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=4))
def test_the_next_units_sum_to_one_and_keep_the_chain_rule(batch: list[list[str]]) -> None:
    model = SHARED
    scores = model.score(read_segmented_texts([" ".join(words) for words in batch]))
    prefixes = [words[:length] for words in batch for length in range(len(words) + 1)]
    following = model.next_units(read_segmented_texts([" ".join(words) for words in prefixes]))
    np.testing.assert_allclose(np.exp(following.logprobs).sum(axis=1), 1.0, atol=2e-6)
    place = {unit: number for number, unit in enumerate(following.units)}
    columns = [place.get(word, place["<unk>"]) for words in batch for word in [*words, "</s>"]]
    np.testing.assert_allclose(following.logprobs[np.arange(len(columns)), columns], scores.logprobs, atol=1e-6)


SHARED = ArpaModel(SMALL)


def test_next_units_never_begin_a_sentence(model: TrieModel) -> None:
    following = model.next_units(read_texts([""]))
    assert following.units[:2] == ["<unk>", "</s>"]
    assert "<s>" not in following.units
    assert following.logprobs.shape == (1, len(following.units))
    assert np.isfinite(following.logprobs).all()
    assert model.foretells


def test_texts_can_be_drawn(model: TrieModel) -> None:
    drawn = sample(model, "孩子 们", count=3, seed=1, longest=8)
    assert all(text.words[:2] == ["孩子", "们"] for text in drawn)


def test_conventions_say_what_becomes_of_unknown_words(tmp_path: Path, stored: NgramModel) -> None:
    assert stored.conventions().unknown == "<unk>"
    assert stored.conventions().unigrams == "relative frequency in training"
    assert stored.conventions().context == "3 words"
    assert ArpaModel(SMALL).conventions().unigrams == "order 1 of the ARPA file"
    lines = tiny(tmp_path).read_text(encoding="utf-8").replace("ngram 1=5", "ngram 1=4").split("\n")
    (tmp_path / "without.arpa").write_text("\n".join(line for line in lines if "<unk>" not in line), encoding="utf-8")
    assert ArpaModel(tmp_path / "without.arpa").conventions().unknown == (
        "<unk>, not in the file: log10 probability -100"
    )


def test_an_unknown_word_is_of_its_class_in_a_model_and_unk_in_an_arpa_file(tmp_path: Path) -> None:
    """An unknown word of one Chinese character is of the class <unk:han:1>, here in the place of 水."""
    path = tiny(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("水", "<unk:han:1>"), encoding="utf-8")
    write_model(read_arpa(path), tmp_path / "model")
    write_arpa(read_tables(tmp_path / "model"), tmp_path / "again.arpa")
    texts = read_segmented_texts(["山 月", "abc 山"])
    one, other = NgramModel(tmp_path / "model").score(texts), ArpaModel(tmp_path / "again.arpa").score(texts)
    peer = kenlm.Model(str(tmp_path / "again.arpa"))
    expected = [unit[0] for line in ("山 月", "abc 山") for unit in peer.full_scores(line)]
    np.testing.assert_allclose(other.logprobs, np.log(10) * np.array(expected), atol=1e-5)
    assert ArpaModel(tmp_path / "again.arpa").conventions().unknown == "<unk>"
    assert not np.allclose(one.logprobs, other.logprobs)
    # 山 1/2, then the class after <s> 山: 3/4, its end: 3/10.
    np.testing.assert_allclose(one.logprobs[:3], np.log([1 / 2, 3 / 4, 3 / 10]), rtol=1e-6)
    assert one.unknown[:3].tolist() == [False, True, False]


def test_a_model_travels_by_the_name_of_its_file(model: TrieModel) -> None:
    texts = read_segmented_texts(SENTENCES)
    before = model.score(texts)
    packed = pickle.dumps(model)
    assert len(packed) < 1000
    copy = pickle.loads(packed)
    assert copy.signature() == model.signature()
    assert copy.score(texts).logprobs.tolist() == before.logprobs.tolist()


def test_names_and_signatures(stored: NgramModel) -> None:
    assert stored.name == "small"
    assert NgramModel(stored.folder, "mine").name == "mine"
    assert ArpaModel(SMALL).name == "small.arpa"
    assert "conventions.context:3 words" in str(stored.signature())


def test_items_are_answered(model: TrieModel) -> None:
    spans = pl.List(pl.Struct({"name": pl.String, "start": pl.Int64, "end": pl.Int64}))
    items = pl.DataFrame(
        {"id": ["1"], "content": ["他来"], "spans": [[{"name": "word", "start": s, "end": s + 3} for s in (0, 3)]]},
        schema_overrides={"spans": spans},
    )
    answers = model.answer(items)
    assert answers["status"].to_list() == ["ok"]
    assert [unit["end"] for unit in answers["content"][0]] == [3, 6, 6]


def _scored(model: TrieModel, texts: Texts) -> None:
    model.score(texts)


def _foretold(model: TrieModel, texts: Texts) -> None:
    model.next_units(texts)


@pytest.mark.parametrize("use", [_scored, _foretold])
def test_a_damaged_file_is_named(use: Callable[[TrieModel, Texts], None], stored: NgramModel) -> None:
    """The header and size are whole, but all the rest is not: rows point far outside."""
    path = stored.folder / FILE
    raw = path.read_bytes()
    path.write_bytes(raw[:2000] + b"\xfe" * (len(raw) - 2000))
    with pytest.raises(UserError, match="is damaged"):
        use(stored, read_segmented_texts(SENTENCES))


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        NgramModel(tmp_path / "none").score(raw_texts(["山"]))
    with pytest.raises(UserError, match="no such file"):
        ArpaModel(tmp_path / "none").score(raw_texts(["山"]))


@pytest.mark.parametrize(
    ("wrong", "named"), [("他走了", "'他走了'"), (["他走了"], "A list"), (None, "A NoneType"), (b"a", "A bytes")]
)
def test_what_is_no_batch_of_texts_is_named(wrong: Any, named: str) -> None:
    for ask in (ArpaModel(SMALL).score, ArpaModel(SMALL).next_units):
        with pytest.raises(UserError, match=rf"^{named} is no batch of texts.*read_texts\(\[text\]\)"):
            ask(wrong)
