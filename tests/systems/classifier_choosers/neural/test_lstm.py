"""Does the LSTM read what it says, and does each setting make another network?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.core import Silent, write_json
from hengliang.systems.classifier_choosers.neural.lstm import SHAPE, CharacterReader, Lstm
from tests.systems.classifier_choosers.lessons import first
from tests.systems.classifier_choosers.neural.toys import NOUNS, lstm, toy_slots

CHARACTERS = {"有": 4, "一": 5, "书": 6}


def test_the_noun_stands_at_both_ends() -> None:
    read = CharacterReader(CHARACTERS, 3, noun=True).read(toy_slots(("有一", "旧书", "书")))
    # Noun, border 3, 有 一, slot 2, unknown 1 for 旧, 书, border, noun.
    assert read.symbols.tolist() == [6, 3, 4, 5, 2, 1, 6, 3, 6]
    assert read.places.tolist() == [4]
    assert read.segments.tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 1]


def test_without_the_noun_the_sentence_stands_alone() -> None:
    read = CharacterReader(CHARACTERS, 3, noun=False).read(toy_slots(("有一", "旧书", "书")))
    assert read.symbols.tolist() == [4, 5, 2, 1, 6]
    assert read.places.tolist() == [2]


def test_without_the_noun_a_far_noun_cannot_be_known() -> None:
    pytest.importorskip("torch")
    chooser = lstm(noun=False, window=3)
    chooser.prepare(Silent())
    far = toy_slots(*(("他有一", f"很大很大很大的{noun}。", noun) for noun in NOUNS))
    assert len(set(first(chooser.choose(far)))) == 1


def test_settings_make_another_chooser() -> None:
    usual = Lstm()
    assert usual.stored_name() == "classifiers-lstm-1"
    changed = [lstm.settings() for lstm in (Lstm(noun=False), Lstm(hidden=8), Lstm(rate=1.0))]
    assert all(settings != usual.settings() for settings in changed)


@pytest.mark.parametrize("name", ["width", "hidden", "layers", "window"])
def test_an_impossible_size_is_refused(name: str) -> None:
    pytest.importorskip("torch")
    with pytest.raises(UserError, match=f"{name}=0 is not possible"):
        lstm(**{name: 0}).prepare(Silent())


def test_a_description_of_something_else_is_refused() -> None:
    pytest.importorskip("torch")
    chooser = lstm(epochs=1)
    chooser.prepare(Silent())
    write_json(chooser.folder() / SHAPE, {"width": "wide"})
    with pytest.raises(UserError, match="does not describe an LSTM"):
        lstm(model=str(chooser.folder())).probabilities(toy_slots(("有一", "书", "书")))
