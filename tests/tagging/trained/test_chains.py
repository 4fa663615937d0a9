"""Is a chain learned alike each time, and are bad settings and broken files named?"""

from __future__ import annotations

import random
import sys
from itertools import product
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.core import Silent, SilentSteps
from hengliang.tagging.trained.model import ALGORITHMS, Algorithm, ChainSettings, open_chain, train_chain

pytest.importorskip("pycrfsuite", reason="python-crfsuite, with which the tagger crf learns, is not installed")

# What follows an a is an x when an a came before it, else a y: the label hangs on the label before.
SEQUENCES = [
    ([[f"c{letter}"] for letter in letters], ["x" if letter == "a" else "y" for letter in letters])
    for letters in product("ab", repeat=4)
]


class Counting(Silent):
    """Counts the steps that it is told of."""

    def __init__(self) -> None:
        object.__setattr__(self, "steps", [])

    def watch(self, what: str, total: int | None) -> SilentSteps:
        steps: list[int] = self.__dict__["steps"]

        class Steps(SilentSteps):
            def advance(self, count: int = 1) -> None:
                steps.append(count)

        return Steps()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_learns_alike_each_time(algorithm: Algorithm, tmp_path: Path) -> None:
    settings = ChainSettings(algorithm, passes=5, least=0)
    files = [tmp_path / name for name in ("a", "b")]
    for file in files:
        train_chain(file, SEQUENCES, settings, 7, Silent(), "learning")
    assert files[0].read_bytes() == files[1].read_bytes()
    assert open_chain(files[0]).tag([["ca"], ["cb"], ["ca"]]) == ["x", "y", "x"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "b"]


def test_the_order_in_which_trainings_come_does_not_count(tmp_path: Path) -> None:
    drawn = random.Random(3)
    noisy = [(features, drawn.choices("xyz", k=len(labels))) for features, labels in SEQUENCES * 5]
    settings = ChainSettings("ap", passes=5, least=0)
    train_chain(tmp_path / "first", noisy, settings, 1, Silent(), "learning")
    train_chain(tmp_path / "between", noisy, settings, 2, Silent(), "learning")
    train_chain(tmp_path / "again", noisy, settings, 1, Silent(), "learning")
    first, between, again = ((tmp_path / name).read_bytes() for name in ("first", "between", "again"))
    assert first == again
    assert first != between


def test_passes_are_counted(tmp_path: Path) -> None:
    watcher = Counting()
    train_chain(tmp_path / "a", SEQUENCES, ChainSettings("ap", passes=4), 1, watcher, "learning")
    # The perceptron may stop sooner, when it makes no more mistakes.
    assert 1 <= sum(watcher.__dict__["steps"]) <= 4


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (ChainSettings(passes=0), "passes is 0"),
        (ChainSettings(penalty=-1.0), "penalty is -1.0"),
        (ChainSettings(penalty=float("nan")), "penalty is nan"),
        (ChainSettings(least=-2), "least is -2"),
        (ChainSettings(algorithm="l3sgd"), "No algorithm is called 'l3sgd'"),  # type: ignore[arg-type]
    ],
)
def test_bad_settings_are_named(settings: ChainSettings, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        settings.parameters()


def test_updates_have_no_penalty() -> None:
    assert "c2" not in ChainSettings("ap").parameters()
    assert ChainSettings("l2sgd", penalty=0.25).parameters()["c2"] == 0.25


def test_a_broken_or_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"no model at all, and long enough to be read as one" * 4)
    with pytest.raises(UserError, match="broken is no model of CRFsuite"):
        open_chain(tmp_path / "broken")
    with pytest.raises(UserError, match="missing"):
        open_chain(tmp_path / "missing")


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(UserError, match=r"pip install 'hengliang\[taggers\]'"):
        open_chain(tmp_path / "any")
