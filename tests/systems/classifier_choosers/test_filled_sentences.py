from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang.core import segment, words_of
from hengliang.language_models import LanguageModel, Numbers, read_segmented_texts
from hengliang.systems.classifier_choosers.candidates import shares
from hengliang.systems.classifier_choosers.filled_sentences import Bounds, Cut, filled_logprobs, reach_of
from tests.language_models.huggingface.tiny_models import gpt2
from tests.language_models.small_models import CharacterPairs, SmallBigrams
from tests.systems.classifier_choosers.filled_models import CANDIDATES, SLOTS, small


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LanguageModel]:
    folder = tmp_path_factory.mktemp("models")
    return {
        "1": small("ngram", "1", folder / "1"),
        "2": small("ngram", "2", folder / "2"),
        "4": small("ngram", "4", folder / "4"),
        "lstm": small("lstm", "tiny", folder / "lstm"),
    }


def _parts(sentence: str, slot: int) -> tuple[list[str], list[str]]:
    raw = sentence.encode()
    texts = raw[:slot].decode(), raw[slot:].decode()
    left, right = ([word for word in words_of(text, segment(text)) if word] for text in texts)
    return left, right


def _whole(model: LanguageModel, words: list[str]) -> float:
    return float(model.score(read_segmented_texts([" ".join(words)])).logprobs.sum())


def _known(model: LanguageModel, word: str) -> bool:
    return not model.score(read_segmented_texts([word])).unknown.any()


def by_whole_sentences(model: LanguageModel, slots: pl.DataFrame, cut: Cut) -> Numbers:
    """Score every whole filled-in sentence by itself: the plain way."""
    found = np.full((slots.height, len(CANDIDATES)), np.nan)
    for row, (sentence, slot) in enumerate(slots.select("sentence", "slot").iter_rows()):
        left, right = _parts(sentence, slot)
        for column, candidate in enumerate(CANDIDATES):
            ways = [[*left, candidate, *right]] if _known(model, candidate) else []
            if cut == "either" and left and _known(model, left[-1] + candidate):
                ways.append([*left[:-1], left[-1] + candidate, *right])
            if ways:
                found[row, column] = np.logaddexp.reduce([_whole(model, way) for way in ways])
    return found


@pytest.mark.parametrize("order", ["1", "2", "4"])
@pytest.mark.parametrize("cut", ["either", "apart"])
def test_a_stretch_ranks_as_the_whole_sentence_does(models: dict[str, LanguageModel], order: str, cut: Cut) -> None:
    found = filled_logprobs(models[order], SLOTS, CANDIDATES, cut)
    expected = by_whole_sentences(models[order], SLOTS, cut)
    assert (np.isnan(found) == np.isnan(expected)).all()
    assert shares(found) == pytest.approx(shares(expected), abs=1e-9)
    assert np.isfinite(expected).any(axis=1).all()


def test_both_ways_to_cut_count(models: dict[str, LanguageModel]) -> None:
    # 个 is no word of the lessons, only 一个 is: apart it is not known.
    apart, either = (filled_logprobs(models["4"], SLOTS, CANDIDATES, cut) for cut in ("apart", "either"))
    assert np.isnan(apart[:, 0]).all()
    assert np.isfinite(either[1, 0])
    assert CANDIDATES[int(np.nanargmax(either[1]))] == "个"
    # 三 is joined with nothing in the lessons, and 三 封 is what they have.
    assert CANDIDATES[int(np.nanargmax(either[2]))] == "封"
    assert either[2] == pytest.approx(apart[2], nan_ok=True)


def test_a_network_scores_the_whole_sentence(models: dict[str, LanguageModel]) -> None:
    found = filled_logprobs(models["lstm"], SLOTS, CANDIDATES)
    expected = by_whole_sentences(models["lstm"], SLOTS, "either")
    # Single precision: a sum over some twenty units.
    assert found == pytest.approx(expected, abs=1e-4, nan_ok=True)


def test_a_shortlist_leaves_the_others_without_a_share(models: dict[str, LanguageModel]) -> None:
    everything = filled_logprobs(models["lstm"], SLOTS, CANDIDATES)
    some = filled_logprobs(models["lstm"], SLOTS, CANDIDATES, bounds=Bounds(2))
    assert (np.isfinite(some).sum(axis=1) == np.minimum(2, np.isfinite(everything).sum(axis=1))).all()
    kept = np.isfinite(some)
    assert some[kept] == pytest.approx(everything[kept], abs=1e-4)
    assert (np.isnan(some) == np.isnan(everything)).all()
    assert filled_logprobs(models["lstm"], SLOTS, CANDIDATES, bounds=Bounds(len(CANDIDATES))) == pytest.approx(
        everything, abs=1e-4, nan_ok=True
    )


def test_the_shortlist_goes_by_what_stands_before(models: dict[str, LanguageModel]) -> None:
    # The probability of the beginning of the sentence up to the classifier, both ways to cut it added.
    model = models["4"]
    beginnings = filled_logprobs(model, SLOTS, CANDIDATES, bounds=Bounds(None, 0))
    best = filled_logprobs(model, SLOTS, CANDIDATES, bounds=Bounds(1))
    for row in (0, 1, 2, 3, 5):
        assert np.flatnonzero(np.isfinite(best[row])).tolist() == [int(np.nanargmax(beginnings[row]))]


def test_what_counts_after_the_slot_is_bounded(models: dict[str, LanguageModel]) -> None:
    model = models["4"]
    whole = filled_logprobs(model, SLOTS, CANDIDATES, bounds=Bounds(len(CANDIDATES)))
    far = filled_logprobs(model, SLOTS, CANDIDATES, bounds=Bounds(None, 50))
    assert far == pytest.approx(whole, nan_ok=True)
    near = filled_logprobs(model, SLOTS[:1], CANDIDATES, bounds=Bounds(None, 1))
    # By hand: 他 昨天 牵着 一 匹 马 without what follows and without the end.
    left, right = _parts(*SLOTS.select("sentence", "slot").row(0))
    scores = model.score(read_segmented_texts([" ".join([*left, "匹", right[0]])]))
    assert near[0, CANDIDATES.index("匹")] == pytest.approx(float(scores.logprobs[:-1].sum()))


def test_the_segmenter_may_cut_the_filled_in_sentence(models: dict[str, LanguageModel]) -> None:
    found = filled_logprobs(models["2"], SLOTS[:1], CANDIDATES, "segmenter")
    words = words_of("他昨天牵着一本马走过来。", segment("他昨天牵着一本马走过来。"))
    column = CANDIDATES.index("本")
    if np.isfinite(found[0, column]):
        assert found[0, column] == pytest.approx(_whole(models["2"], words))
    assert np.isfinite(found[0]).any() or all(not _known(models["2"], word) for word in words if "本" in word)


def test_a_model_that_does_not_foretell_is_asked_word_by_word() -> None:
    class Silent(SmallBigrams):
        @property
        def foretells(self) -> bool:
            return False

    slots = pl.DataFrame({"sentence": ["他买了。"], "slot": [9], "noun": [""]})
    offered = ("书", "车", "本")
    loud, silent = (filled_logprobs(model, slots, offered, "apart") for model in (SmallBigrams(), Silent()))
    assert silent == pytest.approx(loud, nan_ok=True)
    # 本 is no word of the lessons; 书 and 车 follow 了 equally often and go before 。 equally often.
    assert np.isnan(loud[0, 2])
    assert loud[0, 0] == pytest.approx(loud[0, 1])
    short = filled_logprobs(Silent(), slots, offered, "apart", Bounds(1))
    assert np.isfinite(short).sum() == 1


def test_a_model_without_words_is_given_the_text() -> None:
    slots = pl.DataFrame({"sentence": ["他买了书", "x买书"], "slot": [9, 1], "noun": ["", ""]})
    found = filled_logprobs(CharacterPairs(), slots, ("本", "系列"))
    # Pairs of characters cost 1 each: 他买了本书 are three, 他买了系列书 are three; a text with x cannot be scored.
    assert found[0].tolist() == [-3.0, -3.0]
    assert np.isnan(found[1]).all()
    cut = filled_logprobs(CharacterPairs(), slots[:1], ("本", "系列"), bounds=Bounds(None, 0))
    # 他买了本 are two pairs, 他买了系列 three.
    assert cut[0].tolist() == [-2.0, -3.0]
    short = filled_logprobs(CharacterPairs(), slots[:1], ("系列", "本"), bounds=Bounds(1))
    assert short[0].tolist() == [-np.inf, -3.0]


def test_a_causal_model_of_hugging_face_scores_the_whole_text(tmp_path: Path) -> None:
    from hengliang.language_models import HuggingFaceCausal, raw_texts

    model = HuggingFaceCausal(gpt2(tmp_path / "gpt2"))
    found = filled_logprobs(model, SLOTS[:2], CANDIDATES)
    sentence, slot = SLOTS.select("sentence", "slot").row(0)
    raw = sentence.encode()
    filled = [(raw[:slot] + form.encode() + raw[slot:]).decode() for form in CANDIDATES]
    scores = model.score(raw_texts(filled))
    assert found[0] == pytest.approx(np.add.reduceat(scores.logprobs, scores.offsets[:-1]), abs=1e-4)


def test_nothing_goes_before_a_combining_mark(models: dict[str, LanguageModel]) -> None:
    slots = pl.DataFrame({"sentence": ["他买了一\u0301书。"], "slot": [12], "noun": ["书"]})
    for model in (models["2"], models["lstm"], CharacterPairs()):
        assert np.isnan(filled_logprobs(model, slots, CANDIDATES)).all()


def test_how_far_a_model_sees(models: dict[str, LanguageModel]) -> None:
    assert [reach_of(models[name].conventions()) for name in ("1", "2", "4", "lstm")] == [0, 1, 3, None]
    seen = models["2"].conventions()
    assert reach_of(replace(seen, representation="sp")) is None
    assert reach_of(replace(seen, unit="character")) is None


_WORDS = st.sampled_from(["他", "昨天", "买", "了", "一", "本", "书", "这", "马", "三", "。", "，", "laptop", "𠮷"])


@settings(max_examples=25)
@given(left=st.lists(_WORDS, max_size=8), right=st.lists(_WORDS, max_size=8))
def test_stretches_are_exact_whatever_the_sentence(
    models: dict[str, LanguageModel], left: list[str], right: list[str]
) -> None:
    before, behind = "".join(left), "".join(right)
    slots = pl.DataFrame({"sentence": [before + behind], "slot": [len(before.encode())], "noun": [""]})
    for order in ("2", "4"):
        found = shares(filled_logprobs(models[order], slots, CANDIDATES))
        expected = shares(by_whole_sentences(models[order], slots, "either"))
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)
