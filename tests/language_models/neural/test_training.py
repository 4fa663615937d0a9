"""Does training learn, repeat itself bit for bit, and go on after it was killed?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from hengliang import UserError
from hengliang.core import Failure, SilentSteps
from hengliang.core.training_loop import FOLDER, SLOTS, WEIGHTS
from hengliang.language_models import raw_texts
from hengliang.language_models.neural.settings import Architecture, Kind, Settings
from hengliang.language_models.neural.training import FILE, Trained, train
from hengliang.language_models.vocabulary import Vocabulary
from tests import ROOT
from tests.language_models.neural.toy_corpus import QUICK, texts, tiny, train_tiny, vocabulary

KINDS: tuple[Kind, ...] = ("lstm", "transformer")

# Everything that could spoil a repetition is on: dropout, candidates, half the bits, a checkpoint at every batch.
ROUGH = replace(QUICK, epochs=3, dropout=0.3, candidates=20, bfloat16=True, checkpoint_minutes=0.0)


def _numbers(trained: Trained) -> list[tuple[float, float]]:
    return [(epoch.loss, epoch.dev_perplexity) for epoch in trained.curve]


@pytest.mark.parametrize("kind", KINDS)
def test_training_learns_and_leaves_a_model(kind: Kind, tmp_path: Path) -> None:
    trained = train_tiny(kind, tmp_path, replace(QUICK, epochs=8, learning_rate=0.01))
    # The toy grammar has 6 · 5 · 6 · 6 sentences of 9 or so units, the end included: about 1080 ** (1 / 9) = 2.2.
    assert trained.dev_perplexity < 4 < trained.curve[0].dev_perplexity
    assert trained.epochs == 8 and trained.seconds > 0
    assert trained.dev_perplexity == min(epoch.dev_perplexity for epoch in trained.curve)
    assert {path.name for path in tmp_path.iterdir()} == {WEIGHTS, FILE, "architecture.json", "vocabulary.tsv"}
    assert Vocabulary.read(tmp_path).checksum == vocabulary().checksum
    # The longest training sentence has 10 words: 在 学校 里 is three of them.
    assert Architecture.read(tmp_path).context == (0 if kind == "lstm" else 11)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes(kind: Kind, tmp_path: Path) -> None:
    torch.manual_seed(99)
    state = torch.get_rng_state()
    one = train_tiny(kind, tmp_path / "one", ROUGH)
    assert torch.equal(torch.get_rng_state(), state), "the caller's generator is left alone"
    torch.manual_seed(5)
    again = train_tiny(kind, tmp_path / "again", ROUGH)
    other = train_tiny(kind, tmp_path / "other", ROUGH, seed=2)
    assert _numbers(one) == _numbers(again) != _numbers(other)
    assert (tmp_path / "one" / WEIGHTS).read_bytes() == (tmp_path / "again" / WEIGHTS).read_bytes()


def test_a_finished_training_is_not_repeated(tmp_path: Path) -> None:
    first = train_tiny("lstm", tmp_path)
    written = (tmp_path / WEIGHTS).stat().st_mtime_ns
    assert train_tiny("lstm", tmp_path) == first
    assert (tmp_path / WEIGHTS).stat().st_mtime_ns == written
    with pytest.raises(UserError, match="was finished with another architecture, data, settings or seed"):
        train_tiny("lstm", tmp_path, seed=2)


class Stop(Exception):
    """What a user's interruption looks like here."""


class Interrupting:
    """A watcher that stops the work after so many steps, and remembers what it was told."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.told: list[str] = []

    def watch(self, what: str, total: int | None) -> CountingSteps:
        return CountingSteps(self)

    def say(self, message: str) -> None:
        self.told.append(message)


class CountingSteps(SilentSteps):
    def __init__(self, watcher: Interrupting) -> None:
        self.watcher = watcher

    def advance(self, steps: int = 1) -> None:
        self.watcher.steps -= steps
        if self.watcher.steps < 0:
            raise Stop


def _train(folder: Path, settings: Settings, watcher: Interrupting | None = None) -> Trained:
    return train(tiny("lstm"), vocabulary(), texts(200), texts(40, seed=1), folder, settings, 1, watcher)


def test_an_interrupted_training_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    # An epoch has some 15 batches: interruptions fall within epochs and on their edges.
    whole = train_tiny("lstm", tmp_path / "whole", ROUGH)
    watcher = Interrupting(4)
    stops = 0
    while True:
        try:
            resumed = _train(tmp_path / "stopped", ROUGH, watcher)
            break
        except Stop:
            stops += 1
            watcher.steps = 7 + 13 * stops
    assert stops >= 3
    assert _numbers(resumed) == _numbers(whole)
    assert (tmp_path / "stopped" / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
    assert any("goes on in epoch" in message for message in watcher.told)
    assert any("dev perplexity" in message and "left" in message for message in watcher.told)
    assert resumed.seconds >= sum(epoch.seconds for epoch in resumed.curve) * 0.99


_KILLED = """
import sys
from pathlib import Path
from tests.language_models.neural.test_training import ROUGH, train_tiny
train_tiny(sys.argv[2], Path(sys.argv[1]), ROUGH)
"""


@pytest.mark.untraced
@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_training_goes_on_to_the_same_numbers(kind: Kind, tmp_path: Path) -> None:
    whole = train_tiny(kind, tmp_path / "whole", ROUGH)
    folder = tmp_path / "killed"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "COVERAGE_PROCESS_START": ""}
    process = subprocess.Popen([sys.executable, "-c", _KILLED, str(folder), kind], env=environment, cwd=ROOT)
    # Checkpoints come at every batch, so that the kill falls into one or between two.
    deadline = time.monotonic() + 120
    slot = folder / FOLDER / SLOTS[0]
    while not slot.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL, "it had finished before it was killed"
    assert not (folder / FILE).exists()
    resumed = train_tiny(kind, folder, ROUGH)
    assert _numbers(resumed) == _numbers(whole)
    assert (folder / WEIGHTS).read_bytes() == (tmp_path / "whole" / WEIGHTS).read_bytes()
    assert not (folder / FOLDER).exists()


def _stopped(folder: Path, steps: int = 6) -> Path:
    with pytest.raises(Stop):
        _train(folder, ROUGH, Interrupting(steps))
    return folder / FOLDER


def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(tmp_path: Path) -> None:
    whole = train_tiny("lstm", tmp_path / "whole", ROUGH)
    slots = sorted(_stopped(tmp_path / "stopped").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    slots[-1].write_bytes(slots[-1].read_bytes()[:-100])
    watcher = Interrupting(1000)
    assert _numbers(_train(tmp_path / "stopped", ROUGH, watcher)) == _numbers(whole)
    assert f"The checkpoint {slots[-1]} is damaged" in watcher.told[0]


def test_without_a_whole_checkpoint_the_user_is_told(tmp_path: Path) -> None:
    for slot in _stopped(tmp_path / "stopped").iterdir():
        slot.write_bytes(b"")
    with pytest.raises(UserError, match=r"is damaged.*No other checkpoint is whole.*Remove the folder"):
        _train(tmp_path / "stopped", ROUGH)


def test_another_training_does_not_go_on_from_this_one(tmp_path: Path) -> None:
    _stopped(tmp_path / "stopped")
    with pytest.raises(UserError, match="a training was begun with another"):
        _train(tmp_path / "stopped", replace(ROUGH, dropout=0.2))
    architecture = (tmp_path / "stopped" / "architecture.json").read_bytes()
    with pytest.raises(UserError, match="a training was begun with another"):
        train_tiny("transformer", tmp_path / "stopped", ROUGH)
    assert (tmp_path / "stopped" / "architecture.json").read_bytes() == architecture


def test_threads_and_pace_may_change_on_the_way(tmp_path: Path) -> None:
    # One step on two threads: on busy cores two threads wait for each other for long.
    with pytest.raises(Stop):
        _train(tmp_path / "stopped", replace(ROUGH, threads=2), Interrupting(1))
    assert _train(tmp_path / "stopped", replace(ROUGH, checkpoint_minutes=5.0)).epochs == 3


def test_training_stops_when_nothing_gets_better(tmp_path: Path) -> None:
    # Far too high a learning rate: dev gets worse sooner or later, long before the rate has fallen.
    wild = replace(QUICK, epochs=30, learning_rate=1.0, patience=2, clip=1000.0, dropout=0.6)
    trained = train_tiny("lstm", tmp_path, wild)
    assert trained.epochs < 30
    assert trained.epochs == trained.best_epoch + 2


def test_a_training_that_diverges_says_so(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="the training has diverged"):
        train_tiny("lstm", tmp_path, replace(QUICK, learning_rate=1e30, warmup=0.0))


def test_a_sentence_longer_than_the_context_is_learnt_in_windows(tmp_path: Path) -> None:
    short = replace(tiny("transformer"), context=4)
    trained = train(short, vocabulary(), texts(50), texts(10), tmp_path, QUICK)
    assert Architecture.read(tmp_path).context == 4
    assert np.isfinite(trained.dev_perplexity)


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is for 50 symbols and the vocabulary has"):
        train(replace(tiny("lstm"), symbols=50), vocabulary(), texts(5), texts(5), tmp_path)
    with pytest.raises(UserError, match="The seed -1 is not possible"):
        train_tiny("lstm", tmp_path, seed=-1)
    with pytest.raises(UserError, match="dev texts are empty or lack words"):
        train(tiny("lstm"), vocabulary(), texts(5), raw_texts(["老师买了一本书。"]), tmp_path)
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(UserError, match="does not tell of a training"):
        train_tiny("lstm", tmp_path)
