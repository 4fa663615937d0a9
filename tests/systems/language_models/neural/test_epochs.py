"""Do epochs follow each other as they should, whatever the task, and does a training go on where it stopped?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from hengliang import UserError
from hengliang.core import Failure, Offsets, Silent, read_json, write_json
from hengliang.systems.language_models.neural.checkpoints import FOLDER
from hengliang.systems.language_models.neural.epochs import FILE, Task, Trained, run
from hengliang.systems.language_models.neural.networks import WEIGHTS
from hengliang.systems.language_models.neural.settings import Settings
from tests.systems.language_models.neural.test_training import Interrupting, Stop

SETTINGS = Settings(epochs=3, learning_rate=0.1, threads=1, checkpoint_minutes=0.0, patience=9)


@dataclass(eq=False)
class Guessing(Task):
    """A network of one number that is to become 3, disturbed by dropout and by what is drawn for each step."""

    settings: Settings = SETTINGS
    seed: int = 1
    data: str = "threes"
    judgements: tuple[float, ...] = ()
    judged: list[int] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    orders: list[list[int]] = field(default_factory=list)

    @property
    def identity(self) -> str:
        return f"{self.data} {self.seed} {replace(self.settings, threads=1, checkpoint_minutes=0.0)}"

    def build(self) -> nn.Module:
        return nn.Sequential(nn.Dropout(0.2), nn.Linear(1, 1, bias=False))

    def batches(self, epoch: int) -> list[Offsets]:
        self.orders.append(self.order(epoch).permutation(6).tolist())
        return [np.array([row]) for row in self.orders[-1]]

    def loss(self, network: nn.Module, batch: Offsets, stream: np.random.Generator) -> tuple[Tensor, int]:
        self.drawn.append(stream.random())
        guess = network(torch.ones(1, 1))
        return ((guess - 3 - self.drawn[-1]) ** 2).mean(), 2 + int(batch[0])

    def judge(self, network: nn.Module) -> float:
        self.judged.append(len(self.judged))
        if self.judgements:
            return self.judgements[len(self.judged) - 1]
        with torch.no_grad():
            return 1 + abs(float(weight_of(network)) - 3)

    def describe(self, folder: Path) -> None:
        write_json(folder / "task.json", self.data)


def weight_of(network: nn.Module) -> Tensor:
    return next(iter(network.parameters())).detach()[0, 0]


def numbers(trained: Trained) -> list[tuple[int, float, float]]:
    return [(epoch.number, epoch.loss, epoch.dev_perplexity) for epoch in trained.curve]


def test_a_task_is_done_and_told(tmp_path: Path) -> None:
    task = Guessing()
    trained = run(task, tmp_path, Silent())
    assert {path.name for path in tmp_path.iterdir()} == {WEIGHTS, FILE, "task.json"}
    assert (trained.epochs, len(task.judged), len(task.drawn)) == (3, 3, 18)
    assert trained.dev_perplexity == min(epoch.dev_perplexity for epoch in trained.curve)
    assert trained.seconds >= sum(epoch.seconds for epoch in trained.curve)
    assert read_json(tmp_path / FILE)["seed"] == 1
    # Each epoch has an order of its own and each step a stream of its own.
    assert len({tuple(order) for order in task.orders}) == 3
    assert len(set(task.drawn)) == 18


def test_the_loss_of_an_epoch_counts_every_event(tmp_path: Path) -> None:
    class Steady(Guessing):
        def loss(self, network: nn.Module, batch: Offsets, stream: np.random.Generator) -> tuple[Tensor, int]:
            # Without a gradient the network stays as it is: batch k has the loss k, by k + 1 events.
            return 0 * weight_loss(network) + float(batch[0]), int(batch[0]) + 1

    trained = run(Steady(), tmp_path, Silent())
    # (0·1 + 1·2 + 2·3 + 3·4 + 4·5 + 5·6) / (1 + 2 + 3 + 4 + 5 + 6) = 70 / 21
    assert [epoch.loss for epoch in trained.curve] == pytest.approx([70 / 21] * 3)


def weight_loss(network: nn.Module) -> Tensor:
    return next(iter(network.parameters())).sum()


def test_the_best_weights_are_kept_and_patience_ends(tmp_path: Path) -> None:
    judgements = (5.0, 3.0, 3.0, 4.0, 2.0)
    task = Guessing(replace(SETTINGS, epochs=5, patience=2), judgements=judgements)
    trained = run(task, tmp_path / "patient", Silent())
    # Epoch 3 is not better than epoch 2, nor is epoch 4: two epochs without a gain.
    assert (trained.epochs, trained.best_epoch, trained.dev_perplexity) == (4, 2, 3.0)
    two = run(Guessing(replace(SETTINGS, epochs=5), judgements=(5.0, 3.0, 9.0, 9.0, 9.0)), tmp_path / "whole", Silent())
    assert (two.epochs, two.best_epoch) == (5, 2)
    assert (tmp_path / "patient" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()


@pytest.mark.parametrize("steps", [0, 1, 5, 6, 7, 12, 17])
def test_wherever_it_stops_it_goes_on_to_the_same_numbers(steps: int, tmp_path: Path) -> None:
    whole = run(Guessing(), tmp_path / "whole", Silent())
    with pytest.raises(Stop):
        run(Guessing(), tmp_path / "stopped", Interrupting(steps))
    assert (tmp_path / "stopped" / FOLDER).is_dir() == (steps > 0)
    watcher = Interrupting(100)
    resumed = run(Guessing(), tmp_path / "stopped", watcher)
    assert numbers(resumed) == numbers(whole)
    assert (tmp_path / "stopped" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
    assert not (tmp_path / "stopped" / FOLDER).exists()
    assert any(message.startswith("goes on in epoch") for message in watcher.told) == (steps > 0)


def test_a_finished_task_is_not_done_again(tmp_path: Path) -> None:
    first = run(Guessing(), tmp_path, Silent())
    again = Guessing()
    assert run(again, tmp_path, Silent()) == first
    assert again.judged == [] == again.drawn
    for other in (Guessing(seed=2), Guessing(data="fours"), Guessing(replace(SETTINGS, epochs=4))):
        with pytest.raises(UserError, match="was finished with another architecture, data, settings or seed"):
            run(other, tmp_path, Silent())
    assert run(Guessing(replace(SETTINGS, threads=2, checkpoint_minutes=5.0)), tmp_path, Silent()) == first


def test_a_task_that_was_begun_is_not_taken_over_by_another(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        run(Guessing(), tmp_path, Interrupting(8))
    with pytest.raises(UserError, match="was begun with another"):
        run(Guessing(data="fours"), tmp_path, Silent())
    assert read_json(tmp_path / "task.json") == "threes"


def test_damage_is_told(tmp_path: Path) -> None:
    whole = run(Guessing(), tmp_path / "whole", Silent())
    with pytest.raises(Stop):
        run(Guessing(), tmp_path / "stopped", Interrupting(8))
    slots = sorted((tmp_path / "stopped" / FOLDER).iterdir(), key=lambda path: path.stat().st_mtime_ns)
    slots[-1].write_bytes(b"nonsense")
    watcher = Interrupting(100)
    assert numbers(run(Guessing(), tmp_path / "stopped", watcher)) == numbers(whole)
    assert "is damaged" in watcher.told[0]
    with pytest.raises(Stop):
        run(Guessing(), tmp_path / "lost", Interrupting(8))
    for slot in (tmp_path / "lost" / FOLDER).iterdir():
        slot.write_bytes(b"nonsense")
    with pytest.raises(UserError, match="No other checkpoint is whole"):
        run(Guessing(), tmp_path / "lost", Silent())
    write_json(tmp_path / "whole" / FILE, {"identity": "no training"})
    with pytest.raises(UserError, match="does not tell of a training"):
        run(Guessing(), tmp_path / "whole", Silent())


def test_numbers_that_are_none_stop_the_training(tmp_path: Path) -> None:
    class Diverging(Guessing):
        def loss(self, network: nn.Module, batch: Offsets, stream: np.random.Generator) -> tuple[Tensor, int]:
            return weight_loss(network) * float("nan"), 1

    with pytest.raises(Failure, match="The training loss is nan in epoch 1 after 0 batches"):
        run(Diverging(), tmp_path / "loss", Silent())
    with pytest.raises(Failure, match="The perplexity of dev is inf in epoch 2"):
        run(Guessing(judgements=(2.0, float("inf"))), tmp_path / "dev", Silent())


def test_the_generator_and_the_threads_of_the_caller_are_left_alone(tmp_path: Path) -> None:
    torch.manual_seed(7)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    run(Guessing(replace(SETTINGS, threads=threads + 1)), tmp_path, Silent())
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads
