"""Are texts drawn as probable as the model says, and the same for the same seed?"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hengliang import UserError
from hengliang.core import Segmented
from hengliang.language_models import Texts
from hengliang.language_models.base import END, Conventions, LanguageModel, NextUnits
from hengliang.language_models.sampling import sample
from tests.language_models.tiny_language_models import BEGIN, Bigrams, Masked, Subwords, Tiny, UniformCharacters


def one_word(model: LanguageModel, **settings: float) -> Counter[str]:
    """Return how often each word, or the end, was drawn as the first of 4000 texts."""
    drawn = sample(model, count=4000, seed=7, longest=1, **settings)  # type: ignore[arg-type]
    return Counter(text.words[0] if text.words else END for text in drawn)


def test_words_are_drawn_as_often_as_they_are_probable() -> None:
    model = Bigrams()
    counts = one_word(model)
    observed = [counts[word] for word in model.vocabulary]
    # p(word | <s>) in fractions: 3/12 for 他, 2/12 for 医生, 1/12 for each of the other seven
    expected = [float(4000 * model.chance(BEGIN, word)) for word in model.vocabulary]
    assert sum(expected) == pytest.approx(4000)
    assert stats.chisquare(observed, expected).pvalue > 0.001
    # The test can fail: against equal probabilities it does.
    assert stats.chisquare(observed).pvalue < 1e-6


def test_a_later_word_is_drawn_by_the_word_before_it() -> None:
    model = Bigrams()
    drawn = sample(model, "他 终于", count=4000, seed=1, longest=1)
    counts = Counter(text.words[2] if len(text.words) > 2 else END for text in drawn)
    expected = [float(4000 * model.chance("终于", word)) for word in model.vocabulary]
    assert stats.chisquare([counts[word] for word in model.vocabulary], expected).pvalue > 0.001


def test_temperature_sharpens_and_flattens() -> None:
    model = Bigrams()
    # p^(1/T) made to sum to one: at T = 1/2 the squares 9, 4 and seven times 1, of 20
    counts = one_word(model, temperature=0.5)
    expected = [4000 * {"他": 9, "医生": 4}.get(word, 1) / 20 for word in model.vocabulary]
    assert stats.chisquare([counts[word] for word in model.vocabulary], expected).pvalue > 0.001
    assert one_word(model, temperature=1e-6) == {"他": 4000}
    # so flat that all nine are alike
    flat = one_word(model, temperature=1e9)
    assert stats.chisquare([flat[word] for word in model.vocabulary]).pvalue > 0.001


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 6))
def test_a_text_depends_on_its_seed_and_not_on_the_others(seed: int, few: int, more: int) -> None:
    first = sample(Bigrams(), count=few, seed=seed, longest=8)
    again = sample(Bigrams(), count=few + more, seed=seed, longest=8)
    assert again[:few] == first


def test_other_seeds_draw_other_texts() -> None:
    texts = [tuple(text.content for text in sample(Bigrams(), count=5, seed=seed)) for seed in range(10)]
    assert len(set(texts)) == 10


class Script(Tiny):
    """Says the units of a text one after the other, and never anything of probability 0."""

    def __init__(self, units: tuple[str, ...] = ("一", "二", "三"), unit: str = "word") -> None:
        super().__init__()
        self.units = units
        self.unit = unit

    def conventions(self) -> Conventions:
        segmenter = "characters" if self.unit == "word" else ""
        return Conventions("causal", self.unit, True, True, "none", "none", "all", segmenter)  # type: ignore[arg-type]

    def next_units(self, prefixes: Texts) -> NextUnits:
        names = ["从不", *self.units, END, "绝不"]
        row = [len(text.words if self.unit == "word" else text.content) for text in prefixes]
        logprobs = np.full((len(prefixes), len(names)), -np.inf)
        logprobs[np.arange(len(row)), np.array(row) + 1] = 0.0
        return NextUnits(names, logprobs)


def test_the_end_stops_and_is_not_written() -> None:
    assert sample(Script(), count=3) == [Segmented("一二三", [(0, 3), (3, 6), (6, 9)])] * 3
    assert sample(Script(), longest=2)[0].words == ["一", "二"]
    assert sample(Script(), "一")[0].content == "一二三"
    assert sample(Script(), longest=0) == [Segmented("", [])]
    assert sample(Script(), "一 二", longest=0)[0].words == ["一", "二"]
    assert sample(Script(), count=0) == []


class ShortOfBreath(Bigrams):
    """Cannot go on after three words."""

    def next_units(self, prefixes: Texts) -> NextUnits:
        found = super().next_units(prefixes)
        late = np.diff(prefixes.offsets) > 2
        return NextUnits(found.units, np.where(late[:, None], np.nan, found.logprobs))


def test_a_text_ends_where_the_model_cannot_go_on() -> None:
    drawn = sample(ShortOfBreath(), count=40, seed=3, longest=20)
    free = sample(Bigrams(), count=40, seed=3, longest=20)
    assert max(len(text.words) for text in free) > 3
    assert [text.words for text in drawn] == [text.words[:3] for text in free]


def test_words_are_written_with_spaces_and_characters_without() -> None:
    letters = ("a", "b", "é")
    assert sample(Script(letters))[0].content == "a b é"
    assert sample(Script(letters, "character")) == [Segmented("abé", [(0, 1), (1, 2), (2, 4)])]
    assert sample(Script(("a", " ", "b"), "character"))[0].content == "a b"
    # The space of the prefix belongs to its text.
    assert sample(Script(("I", " ", "a", "m"), "character"), "I a")[0].content == "I am"


def test_what_is_drawn_can_be_scored() -> None:
    for model in (Bigrams(), UniformCharacters()):
        drawn = sample(model, count=20, seed=3)
        assert {len(text.words) for text in drawn} != {100}
        assert any(text.words for text in drawn)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"temperature": 0}, "temperature 0 is not possible"),
        ({"temperature": -1.0}, "temperature -1.0"),
        ({"temperature": float("nan")}, "temperature nan"),
        ({"temperature": float("inf")}, "temperature inf"),
        ({"count": -1}, "count=-1"),
        ({"longest": -2}, "longest=-2"),
        ({"seed": -3}, "seed=-3"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, float], told: str) -> None:
    with pytest.raises(UserError, match=told):
        sample(Bigrams(), **arguments)  # type: ignore[arg-type]


def test_models_that_cannot_be_drawn_from_say_so() -> None:
    with pytest.raises(UserError, match="of the kind subword"):
        sample(Subwords())
    with pytest.raises(UserError, match="does not say which unit comes next"):
        sample(Masked())
