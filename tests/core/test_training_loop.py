"""Do epochs follow each other as they should, whatever the task, and does a training go on where it stopped?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from hengliang import UserError
from hengliang.core import Failure, Offsets, Silent, read_json, write_json
from hengliang.core.training_loop import (
    FOLDER,
    SLOTS,
    Epoch,
    Learned,
    Pace,
    Step,
    Task,
    adamw,
    read_checkpoint,
    run,
    share_of_peak,
    write_checkpoint,
)
from tests.language_models.neural.test_training import Interrupting, Stop

PACE = Pace(epochs=3, patience=9, checkpoint_minutes=0.0)


@dataclass(eq=False)
class Guessing(Task):
    """A network of one number that is to become 3, disturbed by dropout and by what is drawn for each step."""

    speed: Pace = PACE
    seed: int = 1
    data: str = "threes"
    judgements: tuple[float, ...] = ()
    judged: list[int] = field(default_factory=list)
    drawn: list[float] = field(default_factory=list)
    orders: list[list[int]] = field(default_factory=list)

    criterion = "distance"

    @property
    def pace(self) -> Pace:
        return self.speed

    @property
    def identity(self) -> str:
        return f"{self.data} {self.seed} {replace(self.speed, threads=1, checkpoint_minutes=0.0)}"

    def build(self) -> nn.Module:
        return nn.Sequential(nn.Dropout(0.2), nn.Linear(1, 1, bias=False))

    def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
        return adamw([{"params": list(network.parameters()), "lr": 0.1}], 0.01)

    def batches(self, epoch: int) -> list[Offsets]:
        self.orders.append(self.order(epoch).permutation(6).tolist())
        return [np.array([row]) for row in self.orders[-1]]

    def rate(self, step: Step) -> float:
        return share_of_peak(step.passed / (self.speed.epochs * step.steps), 0.05)

    def loss(self, network: nn.Module, batch: Offsets, step: Step) -> tuple[Tensor, int]:
        self.drawn.append(self.stream(step).random())
        guess = network(torch.ones(1, 1))
        return ((guess - 3 - self.drawn[-1]) ** 2).mean(), 2 + int(batch[0])

    def judge(self, network: nn.Module) -> Mapping[str, float]:
        self.judged.append(len(self.judged))
        if self.judgements:
            return {"distance": self.judgements[len(self.judged) - 1]}
        network.eval()  # which the loop undoes
        return {"distance": abs(float(weight_of(network)) - 3), "weight": float(weight_of(network))}

    def told(self, judged: Mapping[str, float]) -> str:
        return f"{judged['distance']:.2f} away"

    def describe(self, folder: Path) -> None:
        write_json(folder / "task.json", self.data)


def weight_of(network: nn.Module) -> Tensor:
    return next(iter(network.parameters())).detach()[0, 0]


def numbers(learned: Learned) -> list[tuple[int, float, Mapping[str, float]]]:
    return [(epoch.number, epoch.loss, epoch.judged) for epoch in learned.curve]


def best_weight(learned: Learned) -> float:
    return float(weight_of(learned.network))


def test_a_task_is_done_and_told(tmp_path: Path) -> None:
    task, watcher = Guessing(), Interrupting(100)
    learned = run(task, tmp_path, watcher)
    assert {path.name for path in tmp_path.iterdir()} == {FOLDER, "task.json"}
    assert (len(learned.curve), len(task.judged), len(task.drawn)) == (3, 3, 18)
    assert learned.best.judged["distance"] == min(epoch.judged["distance"] for epoch in learned.curve)
    assert best_weight(learned) == learned.best.judged["weight"]
    assert learned.seconds >= sum(epoch.seconds for epoch in learned.curve)
    assert [line.partition(",")[0] for line in watcher.told] == [
        f"epoch {epoch.number} of at most 3: {epoch.judged['distance']:.2f} away" for epoch in learned.curve
    ]
    # Each epoch has an order of its own and each step a stream of its own.
    assert len({tuple(order) for order in task.orders}) == 3
    assert len(set(task.drawn)) == 18


def test_the_rate_rises_and_falls() -> None:
    # Up to the peak over the first fifth, then down over the other four: at 0.6 half of the way is left.
    assert [share_of_peak(done, 0.2) for done in (0.0, 0.1, 0.2, 0.6, 1.0)] == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0])
    assert share_of_peak(0.0, 0.0) == 1.0


def test_each_group_of_weights_has_its_share_of_its_own_peak(tmp_path: Path) -> None:
    class Noting(Guessing):
        rates: list[float]

        def optimiser(self, network: nn.Module) -> torch.optim.Optimizer:
            self.made = super().optimiser(network)
            return self.made

        def loss(self, network: nn.Module, batch: Offsets, step: Step) -> tuple[Tensor, int]:
            share = share_of_peak(step.passed / 18, 0.05)
            assert [group["lr"] for group in self.made.param_groups] == [0.1 * share]
            return super().loss(network, batch, step)

    run(Noting(), tmp_path, Silent())


def test_the_loss_of_an_epoch_counts_every_event(tmp_path: Path) -> None:
    class Steady(Guessing):
        def loss(self, network: nn.Module, batch: Offsets, step: Step) -> tuple[Tensor, int]:
            # Without a gradient the network stays as it is: batch k has the loss k, by k + 1 events.
            return 0 * weight_loss(network) + float(batch[0]), int(batch[0]) + 1

    learned = run(Steady(), tmp_path, Silent())
    # (0·1 + 1·2 + 2·3 + 3·4 + 4·5 + 5·6) / (1 + 2 + 3 + 4 + 5 + 6) = 70 / 21
    assert [epoch.loss for epoch in learned.curve] == pytest.approx([70 / 21] * 3)


def weight_loss(network: nn.Module) -> Tensor:
    return next(iter(network.parameters())).sum()


def test_the_best_weights_are_kept_and_patience_ends(tmp_path: Path) -> None:
    judgements = (5.0, 3.0, 3.0, 4.0, 2.0)
    learned = run(Guessing(replace(PACE, epochs=5, patience=2), judgements=judgements), tmp_path / "patient", Silent())
    # Epoch 3 is not better than epoch 2, nor is epoch 4: two epochs without a gain.
    assert (len(learned.curve), learned.best.number, learned.best.judged) == (4, 2, {"distance": 3.0})
    judgements = (5.0, 3.0, 9.0, 9.0, 9.0)
    two = run(Guessing(replace(PACE, epochs=5), judgements=judgements), tmp_path / "whole", Silent())
    assert (len(two.curve), two.best.number) == (5, 2)
    assert best_weight(learned) == best_weight(two)


def test_higher_may_be_better(tmp_path: Path) -> None:
    class Farther(Guessing):
        lower_is_better = False

    learned = run(Farther(judgements=(0.5, 0.75, 0.75)), tmp_path, Silent())
    # The first of the best.
    assert (learned.best.number, learned.best.judged) == (2, {"distance": 0.75})


@pytest.mark.parametrize("steps", [0, 1, 5, 6, 7, 12, 17])
def test_wherever_it_stops_it_goes_on_to_the_same_numbers(steps: int, tmp_path: Path) -> None:
    whole = run(Guessing(), tmp_path / "whole", Silent())
    with pytest.raises(Stop):
        run(Guessing(), tmp_path / "stopped", Interrupting(steps))
    assert (tmp_path / "stopped" / FOLDER).is_dir() == (steps > 0)
    watcher = Interrupting(100)
    resumed = run(Guessing(), tmp_path / "stopped", watcher)
    assert numbers(resumed) == numbers(whole)
    assert best_weight(resumed) == best_weight(whole)
    assert any(message.startswith("goes on in epoch") for message in watcher.told) == (steps > 0)


def test_a_task_that_has_ended_is_not_done_again(tmp_path: Path) -> None:
    first = run(Guessing(), tmp_path, Silent())
    again = Guessing(replace(PACE, threads=2, checkpoint_minutes=5.0))
    second = run(again, tmp_path, Silent())
    assert again.judged == [] == again.drawn
    assert (numbers(second), best_weight(second)) == (numbers(first), best_weight(first))


def test_a_checkpoint_of_an_earlier_version_goes_on_or_says_so(tmp_path: Path) -> None:
    whole = run(Guessing(), tmp_path / "whole", Silent())
    for name, lost in (("sum", ()), ("less", ("asked", "generator"))):
        with pytest.raises(Stop):
            run(Guessing(), tmp_path / name, Interrupting(8))
        held = read_checkpoint(tmp_path / name).state
        assert held is not None and (held["epoch"], held["step"], len(held["loss"])) == (2, 2, 2)
        # Language models had the sum of the losses there, other networks lacked some of the rest.
        old = {key: value for key, value in held.items() if key not in lost} | {"loss": sum(held["loss"])}
        write_checkpoint(tmp_path / name, held["serial"] + 1, old)
    assert numbers(run(Guessing(), tmp_path / "sum", Silent())) == numbers(whole)
    with pytest.raises(UserError, match=r"was begun by an earlier version of hengliang.*Remove the folder"):
        run(Guessing(), tmp_path / "less", Silent())


def test_an_epoch_is_one_row() -> None:
    epoch = Epoch(2, 1.5, {"dev_accuracy": 0.5, "other": 1.0}, 3.0)
    assert epoch.row() == {"number": 2, "loss": 1.5, "dev_accuracy": 0.5, "other": 1.0, "seconds": 3.0}
    assert Epoch.of_row(epoch.row()) == epoch


def test_a_task_that_was_begun_is_not_taken_over_by_another(tmp_path: Path) -> None:
    with pytest.raises(Stop):
        run(Guessing(), tmp_path, Interrupting(8))
    for other in (Guessing(seed=2), Guessing(data="fours"), Guessing(replace(PACE, epochs=4))):
        with pytest.raises(UserError, match="was begun with another architecture, data, settings or seed"):
            run(other, tmp_path, Silent())
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


def test_numbers_that_are_none_stop_the_training(tmp_path: Path) -> None:
    class Diverging(Guessing):
        def loss(self, network: nn.Module, batch: Offsets, step: Step) -> tuple[Tensor, int]:
            return weight_loss(network) * float("nan"), 1

    with pytest.raises(Failure, match="The training loss is nan in epoch 1 after 0 batches"):
        run(Diverging(), tmp_path / "loss", Silent())
    with pytest.raises(Failure, match="The distance is inf in epoch 2"):
        run(Guessing(judgements=(2.0, float("inf"))), tmp_path / "dev", Silent())


def test_the_generator_and_the_threads_of_the_caller_are_left_alone(tmp_path: Path) -> None:
    torch.manual_seed(7)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    run(Guessing(replace(PACE, threads=threads + 1)), tmp_path, Silent())
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads


# --- checkpoints ------------------------------------------------------------------------------------------------------


def test_the_newest_is_taken(tmp_path: Path) -> None:
    assert read_checkpoint(tmp_path).state is None
    for serial in (1, 2, 3):
        write_checkpoint(tmp_path, serial, {"step": serial, "weights": torch.full((3,), float(serial))})
        found = read_checkpoint(tmp_path)
        assert found.damage == () and found.state is not None
        assert found.state["step"] == serial
        assert torch.equal(found.state["weights"], torch.full((3,), float(serial)))
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == sorted(SLOTS)


@pytest.mark.parametrize("damage", ["empty", "short", "one byte"])
def test_a_damaged_one_is_named_and_the_one_before_is_taken(tmp_path: Path, damage: str) -> None:
    for serial in (1, 2):
        write_checkpoint(tmp_path, serial, {"step": serial})
    newest = tmp_path / FOLDER / SLOTS[0]
    raw = newest.read_bytes()
    changed = bytearray(raw)
    changed[len(raw) // 2] ^= 1
    newest.write_bytes({"empty": b"", "short": raw[:-7], "one byte": bytes(changed)}[damage])
    found = read_checkpoint(tmp_path)
    assert found.state == {"step": 1}
    assert found.damage == (f"The checkpoint {newest} is damaged: it ends early or its bytes were changed.",)


def test_all_damaged(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, 1, {"step": 1})
    (tmp_path / FOLDER / SLOTS[1]).write_bytes(b"nothing")
    found = read_checkpoint(tmp_path)
    assert found.state is None and len(found.damage) == 1
