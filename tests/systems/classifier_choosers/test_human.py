from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import find_registered as find
from hengliang.systems.classifier_choosers import chooser
from hengliang.systems.classifier_choosers.conformance import _ORDINARY
from hengliang.systems.classifier_choosers.human import Human, speakers
from tests.systems.classifier_choosers.lessons import Lessons, first, rankings
from tests.systems.classifier_choosers.test_speakers import FILE, cloze, written

SLOTS = pl.DataFrame(
    {
        "sentence": ["桌上有三书。", "他牵着一马走过来。", "没有人答过一题。"],
        "slot": [12, 12, 18],
        "noun": ["书", "马", "题"],
    }
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path, FILE)


def test_it_is_registered() -> None:
    assert find("classifier chooser", "HUMAN").kind is Human


def test_it_keeps_its_promises(tmp_path: Path) -> None:
    rows = [
        f"{before}<CL>{between}{noun}{after},P{who},{label}"
        for before, between, noun, after in _ORDINARY
        for who, label in enumerate(("个", "只", "个", "条"))
    ]
    made = Human(written(tmp_path, "\n".join(["sentence,participant,answer", *rows])))
    assert [finding for finding in made.conformance() if not finding.kept] == []


def test_a_ranking_holds_the_shares_of_speakers(path: Path) -> None:
    # Of the three who answered about the horse two said 匹 and one 只; about the book one of three answered at all.
    assert rankings(Human(path).choose(SLOTS)) == [[("本", 1.0)], [("匹", 2 / 3), ("只", 1 / 3)], []]


def test_what_nobody_answered_is_missing(path: Path) -> None:
    items = Lessons().items()
    answers = Human(path).answer(items)
    assert set(answers["status"]) == {"missing"}
    assert answers["reason"][0] == "the chooser gave no classifier"


def test_equal_shares_go_by_what_is_answered_more_often_then_by_characters(tmp_path: Path) -> None:
    rows = ["一<CL>甲。,P1,条", "一<CL>甲。,P2,个", "一<CL>乙。,P1,条", "一<CL>丙。,P1,张", "一<CL>丙。,P2,位"]
    slots = pl.DataFrame({"sentence": ["一甲。", "一丙。"], "slot": [3, 3], "noun": ["", ""]})
    made = Human(written(tmp_path, "\n".join(["sentence,participant,answer", *rows])))
    assert first(made.choose(slots)) == ["条", min("张", "位")]


def test_one_speaker_is_a_system(path: Path) -> None:
    one = Human(path, participant="P3")
    assert one.name == "P3"
    assert one.traits() == {"family": "HUMAN", "speaker": "P3"}
    assert rankings(one.choose(SLOTS)) == [[], [("只", 1.0)], []]
    assert [system.name for system in speakers(path)] == ["P1", "P2", "P3"]
    assert Human(path).traits()["speaker"] is None
    with pytest.raises(UserError, match="P4"):
        Human(path, participant="P4").choose(SLOTS)


def test_a_speaker_is_drawn_for_each_slot_in_proportion(tmp_path: Path) -> None:
    count = 400
    rows = [
        f"第{n}天来了一<CL>马,{who},{label}" for n in range(count) for who, label in zip("ABC", "匹匹头", strict=True)
    ]
    path = written(tmp_path, "\n".join(["sentence,participant,answer", *rows]))
    texts = [f"第{n}天来了一" for n in range(count)]
    slots = pl.DataFrame({"sentence": [f"{text}马" for text in texts], "slot": [len(t.encode()) for t in texts]})
    slots = slots.with_columns(noun=pl.lit("马"))
    drawn = Human(path, speakers="random", seed=3)
    found = Counter(first(drawn.choose(slots)))
    # Binomial, p = 2/3, n = 400: four standard deviations are 38.
    assert abs(found["匹"] - count * 2 / 3) < 38
    assert drawn.choose(slots).to_list() == drawn.choose(slots).to_list()
    assert drawn.choose(slots).to_list() != Human(path, speakers="random", seed=4).choose(slots).to_list()
    assert drawn.choose(slots.reverse()).to_list() == drawn.choose(slots).to_list()[::-1]


def test_items_of_a_material_and_experiment_folders(tmp_path: Path) -> None:
    by_item = written(tmp_path, "item,participant,answer\nslot-1,P1,本\n")
    slots = pl.DataFrame({"sentence": ["看见一书。"], "slot": [9], "noun": ["书"]})
    assert first(Human(by_item, items=Lessons()).choose(slots)) == ["本"]
    assert rankings(Human(cloze(tmp_path / "cloze")).choose(SLOTS)) == [[("本", 1.0)], [("个", 0.5), ("匹", 0.5)], []]


def test_the_signature_follows_the_answers(path: Path, tmp_path: Path) -> None:
    made = Human(path)
    same = written(tmp_path, FILE, "copy.csv")
    other = written(tmp_path, FILE.replace("隻", "头"), "other.csv")
    assert made.signature() == Human(same).signature()
    assert made.signature() != Human(other).signature()
    assert made.signature() != Human(path, participant="P1", name="HUMAN").signature()
    copy = pickle.loads(pickle.dumps(made))
    assert copy.choose(SLOTS).to_list() == made.choose(SLOTS).to_list()


def test_mistakes_are_named(path: Path) -> None:
    with pytest.raises(UserError, match="HUMAN has no answers"):
        chooser("HUMAN").choose(SLOTS)
    with pytest.raises(UserError, match="'loudest'"):
        chooser("HUMAN", answers=path, speakers="loudest").choose(SLOTS)
    assert len(chooser("HUMAN").choose(SLOTS.clear())) == 0


@given(st.lists(st.sampled_from("个只条本"), min_size=1, max_size=9))
def test_shares_are_relative_frequencies(answers: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        rows = [f"有一<CL>马,P{number},{answer}" for number, answer in enumerate(answers)]
        path = written(Path(folder), "\n".join(["sentence,participant,answer", *rows]))
        slots = pl.DataFrame({"sentence": ["有一马"], "slot": [6], "noun": ["马"]})
        (ranking,) = rankings(Human(path).choose(slots))
    counts = Counter(answers)
    assert dict(ranking) == pytest.approx({label: count / len(answers) for label, count in counts.items()})
    assert [counts[label] for label, _ in ranking] == sorted(counts.values(), reverse=True)
