"""What do all neural choosers promise?"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from hengliang import UserError
from hengliang.core import Silent, read_json, write_json
from hengliang.systems.classifier_choosers.base import chooser as chooser_of
from hengliang.systems.classifier_choosers.neural.chooser import NeuralChooser
from hengliang.systems.classifier_choosers.neural.encoder import FineTunedEncoder
from hengliang.systems.classifier_choosers.neural.lstm import Lstm
from hengliang.systems.classifier_choosers.trained import LABELS
from tests.systems.classifier_choosers.lessons import first, rankings
from tests.systems.classifier_choosers.neural.toys import LONG, NOUNS, bert, lstm, toy_slots


@pytest.fixture(params=["LSTM", "BERT"])
def chooser(request: pytest.FixtureRequest, tmp_path: Path) -> NeuralChooser:
    made = lstm() if request.param == "LSTM" else bert(tmp_path / "tiny")
    made.prepare(Silent())
    return made


def test_it_learns_what_can_be_learned(chooser: NeuralChooser) -> None:
    unseen = toy_slots(*((f"他丢了{number}", f"{noun}。", noun) for number in "一" for noun in NOUNS))
    assert first(chooser.choose(unseen)) == list(NOUNS.values())
    assert chooser.card()["dev_accuracy"] == 1.0


def test_it_keeps_the_promises(chooser: NeuralChooser) -> None:
    assert [finding for finding in chooser.conformance() if not finding.kept] == []


def test_it_keeps_them_with_whole_rankings_too(chooser: NeuralChooser) -> None:
    chooser.top = None
    assert [finding for finding in chooser.conformance() if not finding.kept] == []


def test_a_noun_far_away_is_seen(chooser: NeuralChooser) -> None:
    # The noun stands far outside the window, which is the same for all six: only the noun can make a difference.
    far = toy_slots(*(("他有一", f"{LONG}{LONG}{LONG}{noun}。", noun) for noun in NOUNS))
    assert len({tuple(ranking) for ranking in rankings(chooser.choose(far))}) == len(NOUNS)


def test_a_sentence_of_any_length_is_answered(chooser: NeuralChooser) -> None:
    long = toy_slots((LONG * 500, LONG * 500, "书" * 900), ("", "", ""), ("一", "", "𠮷\u0301🐼 x"))
    answers = rankings(chooser.choose(long))
    assert [len(answer) for answer in answers] == [3, 3, 3]
    assert all(sum(probability for _, probability in answer) == pytest.approx(1, abs=1e-5) for answer in answers)


def test_a_folder_works_on_its_own(chooser: NeuralChooser, tmp_path: Path) -> None:
    slots = toy_slots(("他有一", "骏马。", "骏马"), ("他说起一", "谁也不认识的客人。", "客人"))
    expected = rankings(chooser.choose(slots))
    moved = tmp_path / "moved"
    shutil.move(chooser.folder(), moved)
    # What it started from is no longer needed.
    shutil.rmtree(tmp_path / "tiny", ignore_errors=True)
    assert rankings(type(chooser)(model=str(moved)).choose(slots)) == expected


def test_a_folder_with_another_number_of_classes_is_refused(chooser: NeuralChooser) -> None:
    held = read_json(chooser.folder() / LABELS)
    write_json(chooser.folder() / LABELS, [*held, "张"])
    broken = type(chooser)(model=str(chooser.folder()))
    with pytest.raises(UserError) as caught:
        broken.probabilities(toy_slots(("有一", "书", "书")))
    assert "where (4, " in str(caught.value)
    assert "list of classifiers" in str(caught.value)


def test_a_missing_library_is_named(chooser: NeuralChooser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    fresh = type(chooser)(model=str(chooser.folder()))
    with pytest.raises(UserError, match=r"needs the library torch") as caught:
        fresh.choose(toy_slots(("有一", "书", "书")))
    assert "pip install 'hengliang[neural]'" in str(caught.value)


def test_they_are_found_by_name() -> None:
    assert isinstance(chooser_of("LSTM", seed=2), Lstm)
    assert isinstance(chooser_of("BERT", seed=2), FineTunedEncoder)
