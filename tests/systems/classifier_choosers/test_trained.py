"""Does a chooser that learns find itself again, go on where it was stopped, and refuse what is not its own?"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

from hengliang import Material, UserError
from hengliang.core import Silent, Watcher, read_json, write_json
from hengliang.language_models import stored_models, write_card
from hengliang.systems.classifier_choosers.examples import labels_of
from hengliang.systems.classifier_choosers.linear import Linear
from hengliang.systems.classifier_choosers.trained import (
    LABELS,
    Probabilities,
    TrainedChooser,
    check_inventory,
    inventory_checksum,
    train_chooser,
    write_labels,
)
from tests.systems.classifier_choosers.lessons import TRAINING, Lessons, first, rankings, slots


class Shares(TrainedChooser):
    """Learns how frequent each classifier is, whatever the noun; `plus` is added to each count."""

    family: ClassVar[str] = "SHARES"
    lessons: ClassVar[int] = 0
    stop: ClassVar[bool] = False

    def __init__(
        self, train: Material | None = None, seed: int = 1, plus: int = 0, model: str = "", name: str = ""
    ) -> None:
        super().__init__(train, seed=seed, model=model, name=name)
        self.plus = plus

    def settings(self) -> Mapping[str, Any]:
        return {"plus": self.plus}

    def learn(self, train: pl.DataFrame, dev: pl.DataFrame, folder: Path, watcher: Watcher) -> Mapping[str, Any]:
        labels = labels_of(train)
        halfway = folder / "training" / "counts.json"
        if not halfway.is_file():
            type(self).lessons += 1
            write_json(halfway, [train.filter(pl.col("label") == label).height for label in labels])
        if self.stop:
            raise KeyboardInterrupt
        write_labels(folder, labels)
        write_json(folder / "counts.json", [count + self.plus for count in read_json(halfway)])
        return {"halfway": halfway.is_file()}

    def probabilities(self, slots: pl.DataFrame) -> Probabilities:
        counts = np.array(read_json(self.folder() / "counts.json"), float)
        return np.tile(counts / counts.sum(), (slots.height, 1))


def test_it_learns_once_and_is_found_again() -> None:
    before = Shares.lessons
    chooser = Shares(Lessons())
    # 16 lessons, 6 of them with 个 and 3 with 本.
    assert rankings(chooser.choose(slots("书")))[0][:2] == [("个", 0.375), ("本", 0.1875)]
    assert rankings(Shares(Lessons()).choose(slots("书")))[0][0] == ("个", 0.375)
    assert Shares.lessons == before + 1
    assert not (chooser.folder() / "training").exists()
    (stored,) = stored_models()
    assert stored.name == chooser.stored_name()
    assert stored.card["kind"] == "classifier chooser"
    assert stored.card["slots"] == {"train": 16, "dev": 16}
    assert stored.card["inventory"] == inventory_checksum()


def test_examples_seed_and_settings_make_another_chooser() -> None:
    ways = [Shares(Lessons()), Shares(Lessons(TRAINING[:3])), Shares(Lessons(), seed=2), Shares(Lessons(), plus=1)]
    assert len({way.stored_name() for way in ways}) == 4
    assert Shares().stored_name() == "classifiers-shares-1"


def test_a_training_that_was_stopped_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    before, chooser = Shares.lessons, Shares(Lessons())
    with monkeypatch.context() as patch:
        patch.setattr(Shares, "stop", True)
        with pytest.raises(KeyboardInterrupt):
            chooser.prepare(Silent())
    assert (chooser.folder() / "begun.json").is_file()
    assert stored_models() == []
    chooser.prepare(Silent())
    assert Shares.lessons == before + 1
    assert not (chooser.folder() / "begun.json").exists()


def test_another_recipe_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    folder = train_chooser(Shares(Lessons()), tmp_path / "here")
    assert train_chooser(Shares(Lessons()), folder) == folder
    with pytest.raises(UserError, match="holds another model: its seed is 1, not 2"):
        train_chooser(Shares(Lessons(), seed=2), folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(UserError, match="not empty and holds no model"):
        train_chooser(Shares(Lessons()), tmp_path / "full")


def test_a_stored_chooser_is_opened_by_name_and_by_folder(tmp_path: Path) -> None:
    folder = train_chooser(Shares(Lessons()), tmp_path / "here")
    opened = Shares(model=str(folder), name="mine")
    assert first(opened.choose(slots("书"))) == ["个"]
    named = train_chooser(Shares(Lessons(), seed=3)).name
    assert first(Shares(model=named).choose(slots("书"))) == ["个"]
    assert opened.signature().hash != Shares(model=named).signature().hash
    with pytest.raises(UserError, match="holds no trained model"):
        Shares(model="classifiers-nothing-1").choose(slots("书"))


def test_a_folder_of_another_inventory_is_refused(tmp_path: Path) -> None:
    rows = [("书", "本", 3), ("月", "轮", 1), ("肉", "砣", 2)]
    folder = train_chooser(Shares(Lessons(rows)), tmp_path / "here")
    # A classifier of the corpus that is not in the list is no fault while the list is the same …
    assert first(Shares(model=str(folder)).choose(slots("书"))) == ["本"]
    card = read_json(folder / "card.json")
    write_card(folder, **{**card, "inventory": "another"})
    # … but from another list one cannot tell what it stands for.
    with pytest.raises(UserError, match="trained with another inventory: '砣' is not in ours"):
        Shares(model=str(folder)).choose(slots("书"))
    write_labels(folder, ("本", "轮", "个"))
    write_card(folder, **{**card, "inventory": "another"})
    check_inventory(folder)


def test_other_models_and_damaged_lists_are_refused(tmp_path: Path) -> None:
    folder = train_chooser(Shares(Lessons()), tmp_path / "here")
    card = read_json(folder / "card.json")
    write_card(folder, **{**card, "kind": "ngram"})
    with pytest.raises(UserError, match="no classifier chooser, but a model of the kind 'ngram'"):
        Shares(model=str(folder)).choose(slots("书"))
    write_json(folder / LABELS, {})
    write_card(folder, **card)
    with pytest.raises(UserError, match="no list of classifiers"):
        Shares(model=str(folder)).choose(slots("书"))


def test_a_copy_in_another_process_reads_for_itself() -> None:
    chooser = Shares(Lessons())
    chooser.prepare(Silent())
    copy = pickle.loads(pickle.dumps(chooser))
    assert not [name for name in copy.__dict__ if name.startswith("_")]
    assert first(copy.choose(slots("书"))) == ["个"]


def test_no_slots_need_no_training() -> None:
    assert len(Shares(Lessons([])).choose(slots())) == 0


class Untouched(Lessons):
    """A material that nobody may look into."""

    def items(self) -> pl.DataFrame:
        raise AssertionError("the examples were looked for")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"plus": "1"}, r"plus='1' is not possible\. plus is a whole number\."),
        ({"plus": 1.5}, r"plus=1\.5 is not possible"),
        ({"plus": True}, r"plus=True is not possible"),
    ],
)
def test_settings_of_a_wrong_type_are_refused_before_the_examples(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        train_chooser(Shares(train=Untouched(), **settings))


def test_a_whole_number_will_do_where_any_is_meant(tmp_path: Path) -> None:
    Linear(strength=1).check_settings()
    Linear(strength=None).check_settings()
    with pytest.raises(UserError, match=r"strength='1' is not possible\. strength is a number or None\."):
        train_chooser(Linear(train=Untouched(), strength="1"), tmp_path / "mine")  # type: ignore[arg-type]
