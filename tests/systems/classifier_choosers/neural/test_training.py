"""Does a network learn, stop in time, and go on after a crash to the same weights, bit for bit?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from hengliang import UserError  # noqa: E402
from hengliang.core import Failure, Silent  # noqa: E402
from hengliang.systems.classifier_choosers.neural import training  # noqa: E402
from hengliang.systems.classifier_choosers.neural.chooser import NeuralChooser, columns  # noqa: E402
from hengliang.systems.classifier_choosers.neural.networks import LstmNetwork  # noqa: E402
from hengliang.systems.classifier_choosers.neural.schedule import Schedule  # noqa: E402
from hengliang.systems.classifier_choosers.neural.sequences import Sequences, sequences_of  # noqa: E402
from hengliang.systems.classifier_choosers.neural.training import Task, dev_accuracy, train_network  # noqa: E402
from tests.systems.classifier_choosers.neural.toys import Interrupting, bert, lstm  # noqa: E402


def weights(chooser: NeuralChooser) -> list[Any]:
    _, network = chooser.open(chooser.folder(), len(chooser.labels()))
    return list(network.state_dict().values())


def same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(torch.equal(left, right) for left, right in zip(one, other, strict=True))


def made(kind: str, folder: Path, seed: int = 1) -> NeuralChooser:
    return lstm(seed) if kind == "lstm" else bert(folder / "tiny", seed, dropout=0.1)


@pytest.mark.parametrize("kind", ["lstm", "bert"])
@pytest.mark.parametrize("steps", [3, 6, 20])
def test_a_killed_training_goes_on_to_the_same_weights(
    kind: str, steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "whole"))
    whole = made(kind, tmp_path)
    whole.prepare(Silent())
    expected, curve = weights(whole), whole.card()["training_curve"]

    # A checkpoint after each step; 36 examples in batches of 6 are 6 steps an epoch, so the crash comes within an
    # epoch, at its end, and in a later one.
    monkeypatch.setattr(training, "CHECKPOINT_MINUTES", 0.0)
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "killed"))
    with pytest.raises(KeyboardInterrupt):
        made(kind, tmp_path).prepare(Interrupting(steps))
    second = made(kind, tmp_path)
    assert (second.folder() / "training").is_dir()
    watcher = Interrupting(10_000)
    second.prepare(watcher)
    assert any(message.startswith("goes on in epoch") for message in watcher.said)
    assert same(weights(second), expected)
    without_time = [{**epoch, "seconds": 0} for epoch in second.card()["training_curve"]]
    assert without_time == [{**epoch, "seconds": 0} for epoch in curve]


@pytest.mark.parametrize("kind", ["lstm", "bert"])
def test_the_seed_decides(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for place, seed in (("one", 1), ("two", 1), ("three", 2)):
        monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / place))
        chooser = made(kind, tmp_path, seed)
        chooser.prepare(Silent())
        found.append(weights(chooser))
    assert same(found[0], found[1])
    assert not same(found[0], found[2])


def test_the_generator_and_threads_of_the_caller_are_left_alone(tmp_path: Path) -> None:
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    before = torch.get_num_threads()
    lstm(epochs=1).prepare(Silent())
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == before


def test_the_card_tells_how_it_went() -> None:
    chooser = lstm()
    chooser.prepare(Silent())
    card = chooser.card()
    curve = card["training_curve"]
    assert [epoch["epoch"] for epoch in curve] == list(range(1, len(curve) + 1))
    assert card["dev_accuracy"] == max(epoch["dev_accuracy"] for epoch in curve)
    # The first of the best epochs is kept.
    assert card["best_epoch"] == [epoch["dev_accuracy"] for epoch in curve].index(card["dev_accuracy"]) + 1
    assert curve[-1]["loss"] < curve[0]["loss"]
    assert card["precision_in_training"] in {"bfloat16", "float32"}
    assert sum(epoch["seconds"] for epoch in curve) <= card["training_seconds"] + 1


def toy_task(schedule: Schedule, symbols: Sequences | None = None) -> Task:
    sequences = symbols or sequences_of([([4 + row % 2, 2], 2, 1) for row in range(20)])
    targets = np.array([row % 2 for row in range(len(sequences))])
    torch.manual_seed(1)
    network = LstmNetwork(8, 2, 4, 4, 1, 0.0)
    return Task(network, sequences, targets, sequences, targets, schedule, 1, False)


def test_training_stops_when_nothing_gets_better(tmp_path: Path) -> None:
    task = toy_task(Schedule(50, 4, 0.05, 0.05, patience=3))
    facts = train_network(task, tmp_path, Silent())
    assert facts["dev_accuracy"] == 1.0
    assert len(facts["training_curve"]) == facts["best_epoch"] + 3
    assert dev_accuracy(task.network, task.dev, task.dev_targets) == 1.0


def test_a_rate_of_zero_learns_nothing(tmp_path: Path) -> None:
    task = toy_task(Schedule(1, 4, 0.0, 0.0))
    before = {name: tensor.clone() for name, tensor in task.network.state_dict().items()}
    train_network(task, tmp_path, Silent())
    assert all(torch.equal(before[name], tensor) for name, tensor in task.network.state_dict().items())


def test_a_training_that_diverges_says_so(tmp_path: Path) -> None:
    task = toy_task(Schedule(1, 4, 0.1, 0.1))
    with torch.no_grad():
        task.network.head().bias[0] = float("nan")
    with pytest.raises(Failure, match="in epoch 1 after 0 batches: the training has diverged"):
        train_network(task, tmp_path, Silent())


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    task = toy_task(Schedule(3, 4, 0.05, 0.05))
    with pytest.raises(KeyboardInterrupt):
        train_network(task, tmp_path, Interrupting(7))
    changed = toy_task(Schedule(3, 4, 0.01, 0.05))
    with pytest.raises(UserError, match="a training was begun with another architecture, data, settings or seed"):
        train_network(changed, tmp_path, Silent())


def test_a_classifier_that_only_dev_has_is_never_right(tmp_path: Path) -> None:
    task = toy_task(Schedule(1, 4, 0.05, 0.05))
    assert dev_accuracy(task.network, task.dev, np.full(len(task.dev), -1)) == 0.0


def test_columns_follow_the_labels() -> None:
    train, _ = lstm().examples()
    assert columns(train, ("匹", "本"))[:6].tolist() == [1, 1, 0, 0, -1, -1]


def test_a_negative_seed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="seed -1 is not possible"):
        lstm(-1).prepare(Silent())
