"""Are the probabilities those of the textbook, and those of KenLM's lmplz?"""

from __future__ import annotations

import json
import math
import shutil
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Offsets
from hengliang.language_models.ngram import counting, kneser_ney
from hengliang.language_models.ngram.counting import RESERVED, EncodedText, encode_file, encode_words
from hengliang.language_models.ngram.kneser_ney import FALLBACK, Estimated, estimate
from tests.language_models.ngram.reference import make
from tests.language_models.ngram.textbook import Entries, Ngram, Sentences, arpa_entries, entries_of, logs, textbook

REFERENCE = Path(make.__file__).parent
NEAR = 1e-5
"""How far a log10 may be from that of lmplz, which reckons in single precision and writes seven digits."""

needs_lmplz = pytest.mark.skipif(shutil.which("lmplz") is None, reason="lmplz (KenLM) is not on the PATH")


def encoded(sentences: Sentences) -> EncodedText:
    words = pl.Series([word for sentence in sentences for word in sentence], dtype=pl.String)
    # A text may hold <unk> only by its number, so it has another name while words are numbered.
    text = encode_words(words.replace("<unk>", "?"), np.cumsum([0, *map(len, sentences)]))
    at = text.words.to_list().index("?") if "?" in text.words else len(text.words)
    ids = np.where(text.ids == at, 0, text.ids - (text.ids > at)).astype(np.int32)
    return EncodedText(text.words.filter(text.words != "?"), ids, text.offsets)


def triples(model: Estimated) -> list[tuple[float, float, float]]:
    return [(level.one, level.two, level.three) for level in model.discounts]


def assert_near(ours: Entries, theirs: Entries, near: float = NEAR) -> None:
    assert ours.keys() == theirs.keys()
    for column in (0, 1):
        got = np.array([ours[ngram][column] for ngram in ours])
        want = np.array([theirs[ngram][column] for ngram in ours])
        np.testing.assert_allclose(got, want, rtol=0, atol=near)


# --- by hand and by the textbook --------------------------------------------------------------------------------------


def test_two_sentences_by_hand() -> None:
    """Compare with fractions. The discounts cannot be estimated, so D1 = 1/2, D2 = 1 and D3+ = 3/2 are given.

    Adjusted counts of words: 我 1, 他 1, 看 2, 书 1, </s> 1, together 6. Discounts take 4 · 1/2 + 1 = 3 of 6, so 1/2 is
    left for the six words 我 他 看 书 </s> <unk> alike: 1/12 each.
    """
    model = estimate(encoded([["我", "看", "书"], ["他", "看", "书"]]), order=2, fallback=FALLBACK)
    half, whole = Fraction(1, 2), Fraction(1)
    sixth = Fraction(1, 12) + Fraction(1, 12)  # (1 − 1/2) / 6 + 1/12
    expected = {
        ("<unk>",): (Fraction(1, 12), whole),
        ("<s>",): (Fraction(0), half),
        ("</s>",): (sixth, whole),
        ("我",): (sixth, half),
        ("他",): (sixth, half),
        ("看",): (Fraction(1, 6) + Fraction(1, 12), half),  # (2 − 1) / 6 + 1/12 = 1/4
        ("书",): (sixth, half),
        # After <s> both words occur once in two: (1 − 1/2) / 2 + 1/2 · 1/6 = 1/3.
        ("<s>", "我"): (Fraction(1, 3), whole),
        ("<s>", "他"): (Fraction(1, 3), whole),
        # (1 − 1/2) / 1 + 1/2 · 1/4 = 5/8.
        ("我", "看"): (Fraction(5, 8), whole),
        ("他", "看"): (Fraction(5, 8), whole),
        # (2 − 1) / 2 + 1/2 · 1/6 = 7/12.
        ("看", "书"): (Fraction(7, 12), whole),
        ("书", "</s>"): (Fraction(7, 12), whole),
    }
    assert_near(entries_of(model.tables), logs(expected), 1e-6)
    assert triples(model) == [FALLBACK, FALLBACK]
    assert not any(level.estimated for level in model.discounts)
    assert dict(zip(model.tables.words, model.tables.counts.tolist(), strict=True)) == {
        **{"<unk>": 0, "<s>": 2, "</s>": 2},
        **{"我": 1, "看": 2, "书": 2, "他": 1},
    }


def test_discounts_by_hand() -> None:
    # One sentence of words that occur 1, 1, 1, 2, 2, 3 and 4 times, and </s> once. n1 = 4, n2 = 2, n3 = 1, n4 = 1.
    # Y = 4 / (4 + 2 · 2) = 1/2; D1 = 1 − 2Y · 2/4 = 1/2; D2 = 2 − 3Y · 1/2 = 5/4; D3+ = 3 − 4Y · 1/1 = 1.
    words = ["山", "水", "月", "云", "云", "雨", "雨", "风", "风", "风", "雪", "雪", "雪", "雪"]
    assert triples(estimate(encoded([words]), order=1)) == [(0.5, 1.25, 1.0)]


words = st.integers(0, 30).map(lambda number: "山水月云雨"[: 1 + int(math.sqrt(number))][-1])
corpora = st.lists(st.lists(words, max_size=6), min_size=1, max_size=10)
with_unknown = st.lists(st.lists(st.one_of(words, st.just("<unk>")), max_size=6), min_size=1, max_size=10)
limits = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(sorted)


@given(st.one_of(corpora, with_unknown), st.integers(1, 5), limits)
@settings(deadline=None, max_examples=150)
def test_small_texts_agree_with_the_textbook(sentences: Sentences, order: int, cutoffs: list[int]) -> None:
    cutoffs = [min(limit, len(sentences) - 1) for limit in cutoffs][:order]
    each = cutoffs + cutoffs[-1:] * (order - len(cutoffs))
    exact, discounts, estimated = textbook(sentences, order, each, (Fraction(1, 2), Fraction(1), Fraction(3, 2)))
    model = estimate(encoded(sentences), order=order, cutoffs=cutoffs, fallback=FALLBACK)
    assert [level.estimated for level in model.discounts] == estimated
    np.testing.assert_allclose(triples(model), np.array(discounts, float), atol=1e-6)
    assert_near(entries_of(model.tables), logs(exact), 1e-6)


def test_the_reference_text_agrees_with_the_textbook() -> None:
    sentences = [line.split() for line in (REFERENCE / "text.txt").read_text(encoding="utf-8").splitlines()]
    exact, discounts, estimated = textbook(sentences, 4, [0, 0, 0, 0], (Fraction(0), Fraction(0), Fraction(0)))
    model = estimate(encode_file(REFERENCE / "text.txt"), order=4)
    assert all(estimated)
    np.testing.assert_allclose(triples(model), np.array(discounts, float), atol=1e-6)
    assert_near(entries_of(model.tables), logs(exact), 1e-6)


# --- promises ---------------------------------------------------------------------------------------------------------


def chance(entries: Entries, context: Ngram, word: str) -> float:
    """Return the probability of a word by the recursion of back-off."""
    if (*context, word) in entries:
        return 10 ** entries[(*context, word)][0]
    return 10 ** entries.get(context, (0.0, 0.0))[1] * chance(entries, context[1:], word)


@given(st.one_of(corpora, with_unknown), st.integers(1, 4), limits)
@settings(deadline=None, max_examples=80)
def test_every_context_has_probabilities_that_sum_to_one(sentences: Sentences, order: int, cutoffs: list[int]) -> None:
    cutoffs = [min(limit, len(sentences) - 1) for limit in cutoffs][:order]
    model = estimate(encoded(sentences), order=order, cutoffs=cutoffs, fallback=FALLBACK)
    entries = entries_of(model.tables)
    predicted = [word for word in model.tables.words.to_list() if word != "<s>"]
    contexts = {ngram[:-1] for ngram in entries} | {ngram for ngram in entries if len(ngram) < order}
    for context in contexts - {ngram for ngram in contexts if ngram and ngram[-1] == "</s>"}:
        assert math.fsum(chance(entries, context, word) for word in predicted) == pytest.approx(1, abs=1e-5)


@given(corpora, st.integers(1, 4), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_the_numbers_of_words_do_not_matter(sentences: Sentences, order: int, chances: object) -> None:
    text = encoded(sentences)
    order_of = np.arange(len(text.words))
    chances.shuffle(order_of[3:])  # type: ignore[attr-defined]
    names = pl.Series(np.array(text.words.to_list(), object)[np.argsort(order_of)].tolist(), dtype=pl.String)
    renumbered = EncodedText(names, order_of[text.ids].astype(np.int32), text.offsets)
    same = [estimate(one, order=order, fallback=FALLBACK) for one in (text, renumbered)]
    assert triples(same[0]) == triples(same[1])
    assert_near(entries_of(same[0].tables), entries_of(same[1].tables), 1e-6)


def test_the_size_of_blocks_does_not_matter() -> None:
    text = encode_file(REFERENCE / "text.txt")
    whole = estimate(text, order=4, cutoffs=(0, 1))
    with patch.object(counting, "BLOCK", 7), patch.object(kneser_ney, "BLOCK", 7):
        pieces = estimate(text, order=4, cutoffs=(0, 1))
    assert entries_of(whole.tables) == entries_of(pieces.tables)


def test_a_word_of_the_vocabulary_that_does_not_occur_is_as_probable_as_an_unknown_one() -> None:
    # As above, with a seventh word: what is left is shared by seven, 1/2 · 1/7 = 1/14.
    text = EncodedText(pl.Series([*RESERVED, "我", "看", "书", "他", "雪"]), *_two_sentences())
    entries = entries_of(estimate(text, order=2, fallback=FALLBACK).tables)
    assert 10 ** entries[("雪",)][0] == pytest.approx(1 / 14)
    assert 10 ** entries[("<unk>",)][0] == pytest.approx(1 / 14)


def _two_sentences() -> tuple[counting.Ids, Offsets]:
    return np.array([3, 4, 5, 6, 4, 5], np.int32), np.array([0, 3, 6])


def test_words_that_are_cut_off_count_as_unknown() -> None:
    model = estimate(encoded([["我", "看", "书"], ["他", "看", "书"]]), order=2, cutoffs=(1,), fallback=FALLBACK)
    assert model.tables.words.to_list() == [*RESERVED, "看", "书"]
    assert model.tables.counts.tolist() == [2, 2, 2, 2, 2]
    assert ("看", "书") in entries_of(model.tables)
    assert ("我", "看") not in entries_of(model.tables)


# --- lmplz ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", make.MODELS)
def test_every_entry_is_that_of_lmplz(name: str) -> None:
    order, cutoffs = make.MODELS[name]
    model = estimate(encode_file(REFERENCE / "text.txt"), order=order, cutoffs=cutoffs)
    assert_near(entries_of(model.tables), arpa_entries((REFERENCE / f"{name}.arpa").read_text(encoding="utf-8")))
    expected = json.loads((REFERENCE / "discounts.json").read_text(encoding="utf-8"))[name]
    np.testing.assert_allclose(triples(model), expected, rtol=0, atol=NEAR)


def test_the_reference_text_is_that_of_the_grammar() -> None:
    assert (REFERENCE / "text.txt").read_text(encoding="utf-8") == make.text()


@needs_lmplz
@given(
    corpora,
    st.integers(1, 5),
    st.sampled_from([(0,), (0, 0, 1), (0, 1), (1,), (1, 1, 2)]),
    st.sampled_from([(), FALLBACK, (0.25, 0.5, 2.5)]),
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_lmplz_says_the_same_of_any_text(
    sentences: Sentences, order: int, cutoffs: tuple[int, ...], fallback: tuple[float, ...]
) -> None:
    sentences = sentences + [["山"]] * (cutoffs[0] + 1)
    with TemporaryDirectory() as folder:
        source, arpa = Path(folder) / "text.txt", Path(folder) / "model.arpa"
        source.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8")
        theirs = make.run(source, arpa, order, cutoffs[:order], fallback)
        if theirs is None:
            with pytest.raises(UserError, match="allows no Kneser–Ney discounts"):
                estimate(encode_file(source), order=order, cutoffs=cutoffs[:order])
            return
        model = estimate(encode_file(source), order=order, cutoffs=cutoffs[:order], fallback=fallback or None)
        np.testing.assert_allclose(triples(model), theirs, rtol=0, atol=NEAR)
        assert_near(entries_of(model.tables), arpa_entries(arpa.read_text(encoding="utf-8")))


@needs_lmplz
@pytest.mark.parametrize(("order", "seed"), [(2, 5), (3, 6), (5, 7), (6, 8)])
def test_lmplz_says_the_same_of_longer_texts(order: int, seed: int, tmp_path: Path) -> None:
    source, arpa = tmp_path / "text.txt", tmp_path / "model.arpa"
    source.write_text(make.text(2000, seed), encoding="utf-8")
    theirs = make.run(source, arpa, order, (0, 1), FALLBACK)
    model = estimate(encode_file(source), order=order, cutoffs=(0, 1), fallback=FALLBACK)
    assert theirs is not None
    np.testing.assert_allclose(triples(model), theirs, rtol=0, atol=NEAR)
    assert_near(entries_of(model.tables), arpa_entries(arpa.read_text(encoding="utf-8")))


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_text_too_small_for_discounts_says_why_and_what_to_do() -> None:
    with pytest.raises(UserError, match="no 1-gram has the adjusted count 3") as refused:
        estimate(encoded([["我", "看", "书"], ["他", "看", "书"]]), order=2)
    assert "fallback=(0.5, 1.0, 1.5)" in refused.value.remedy


def test_a_discount_out_of_range_is_named() -> None:
    # n1 = 2 with </s>, n2 = 1, n3 = 3: Y = 2 / (2 + 2) = 1/2 and D2 = 2 − 3 · 1/2 · 3/1 = −2.5.
    words = ["山", "水", "水", "月", "月", "月", "云", "云", "云", "雨", "雨", "雨"]
    with pytest.raises(UserError, match=r"discount of 1-grams for the adjusted count 2 would be -2\.5"):
        estimate(encoded([words]), order=1)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"order": 0}, "no 0-grams"),
        ({"order": 2, "cutoffs": (0, 1, 1)}, "cut-offs 0, 1, 1 do not suit"),
        ({"order": 3, "cutoffs": (2, 1)}, "cut-offs 2, 1 do not suit"),
        ({"order": 3, "cutoffs": (-1,)}, "cut-offs -1 do not suit"),
        ({"order": 3, "cutoffs": (2,)}, "cut-off 2 for words leaves nothing"),
        ({"order": 2, "fallback": (0.5, 1.0)}, "discounts 0.5, 1.0 cannot"),
        ({"order": 2, "fallback": (1.5, 1.0, 1.0)}, "discounts 1.5, 1.0, 1.0 cannot"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(UserError, match=told):
        estimate(encoded([["我", "看"], ["他"]]), **options)  # type: ignore[arg-type]


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(UserError, match="The training text is empty"):
        estimate(encoded([]), order=1)


def test_numbers_without_a_word_are_refused() -> None:
    text = EncodedText(pl.Series([*RESERVED, "我"]), *_two_sentences())
    with pytest.raises(UserError, match="the word number 4"):
        estimate(text, order=2)
