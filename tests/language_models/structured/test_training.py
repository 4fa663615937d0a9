"""Does training on trees learn, repeat itself bit for bit, and go on after it was killed?"""

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
from hengliang.core.training_loop import FOLDER, SLOTS, WEIGHTS
from hengliang.corpora import Tree
from hengliang.language_models import raw_texts
from hengliang.language_models.neural.training import FILE, Trained
from hengliang.language_models.structured.architectures import Kind, StructuredArchitecture
from hengliang.language_models.structured.derivations import Limits, allowed
from hengliang.language_models.structured.networks import lesson_logprob
from hengliang.language_models.structured.training import joint_perplexity, labels_of, structured_task, train
from hengliang.language_models.vocabulary import BEGIN_ID, END_ID, Vocabulary
from tests import ROOT
from tests.language_models.neural.test_training import Interrupting, Stop
from tests.language_models.structured.toy_treebank import (
    KINDS,
    LABELS,
    LEARNT,
    QUICK,
    bank,
    grammar_perplexity,
    texts_of_trees,
    train_tiny,
    trees,
    vocabulary,
)

# Everything that could spoil a repetition is on: dropout, candidates, half the bits, a checkpoint at every batch.
ROUGH = replace(QUICK, dropout=0.3, candidates=20, bfloat16=True, checkpoint_minutes=0.0)


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture(scope="module")
def whole(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> tuple[Trained, bytes]:
    """A training that nothing disturbed, and its weights."""
    folder = tmp_path_factory.mktemp("whole")
    return train_tiny(kind, folder, ROUGH), (folder / WEIGHTS).read_bytes()


def _numbers(trained: Trained) -> list[tuple[float, float]]:
    return [(epoch.loss, epoch.dev_perplexity) for epoch in trained.curve]


def test_the_grammar_of_the_toy_treebank() -> None:
    # A clause has 6 · 5 · 6 · 6 = 1080 equal possibilities, and a second one comes in a quarter of the sentences:
    # (1.25 · ln 1080 + 0.5623) / (1.25 · 8.6 + 1) = 0.7909 nats by event, for a clause has 1 + 1.6 + 1 + 4 words and a
    # mark; e^0.7909 = 2.205.
    assert grammar_perplexity(trees(4000, seed=3)) == pytest.approx(2.205, abs=0.01)
    assert trees(3)[0] == trees(1)[0]


def test_training_learns_the_grammar_and_leaves_a_model(kind: Kind, tmp_path: Path) -> None:
    trained = train_tiny(kind, tmp_path, LEARNT)
    best = grammar_perplexity(trees(40, seed=1))
    assert 0.97 * best < trained.dev_perplexity < 1.1 * best < trained.curve[0].dev_perplexity
    assert {path.name for path in tmp_path.iterdir()} == {WEIGHTS, FILE, "architecture.json", "vocabulary.tsv"}
    assert Vocabulary.read(tmp_path).checksum == vocabulary().checksum
    built = StructuredArchitecture.read(tmp_path)
    assert (built.kind, built.labels, built.limits) == (kind, LABELS, Limits(2, 2, 2))
    # The longest tree has two clauses of (NP 1), 在 (NP 学校 里), 了, a verb and (NP 3), 9 words and 6 brackets each,
    # two marks, and the brackets of the sentence: 2 · 15 + 2 + 2.
    assert built.context == (0 if kind == "rnng" else 34)


def test_the_same_seed_gives_the_same_bytes(kind: Kind, whole: tuple[Trained, bytes], tmp_path: Path) -> None:
    torch.manual_seed(99)
    state = torch.get_rng_state()
    again = train_tiny(kind, tmp_path / "again", ROUGH)
    assert torch.equal(torch.get_rng_state(), state), "the caller's generator is left alone"
    assert (_numbers(again), (tmp_path / "again" / WEIGHTS).read_bytes()) == (_numbers(whole[0]), whole[1])
    other = train_tiny(kind, tmp_path / "other", replace(ROUGH, epochs=1), seed=2)
    assert _numbers(other)[0] != _numbers(again)[0]


def test_an_interrupted_training_goes_on_to_the_same_numbers(
    kind: Kind, whole: tuple[Trained, bytes], tmp_path: Path
) -> None:
    watcher = Interrupting(4)
    stops = 0
    while True:
        try:
            resumed = train_tiny(kind, tmp_path, ROUGH, watcher=watcher)
            break
        except Stop:
            stops += 1
            watcher.steps = 7 + 9 * stops
    assert stops >= 2
    assert (_numbers(resumed), (tmp_path / WEIGHTS).read_bytes()) == (_numbers(whole[0]), whole[1])


_KILLED = """
import sys
from pathlib import Path
from tests.language_models.structured.test_training import ROUGH, train_tiny
train_tiny(sys.argv[2], Path(sys.argv[1]), ROUGH)
"""


@pytest.mark.untraced
def test_a_killed_training_goes_on_to_the_same_numbers(
    kind: Kind, whole: tuple[Trained, bytes], tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "COVERAGE_PROCESS_START": ""}
    process = subprocess.Popen([sys.executable, "-c", _KILLED, str(folder), kind], env=environment, cwd=ROOT)
    # Checkpoints come at every batch, so that the kill falls into one or between two.
    deadline = time.monotonic() + 120
    slot = folder / FOLDER / SLOTS[0]
    while not slot.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL, "it had finished before it was killed"
    assert not (folder / FILE).exists()
    resumed = train_tiny(kind, folder, ROUGH)
    assert (_numbers(resumed), (folder / WEIGHTS).read_bytes()) == (_numbers(whole[0]), whole[1])
    assert not (folder / FOLDER).exists()


def test_another_treebank_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    def train_on(given: list[Tree]) -> Trained:
        return train("rnng", "tiny", vocabulary(), (texts_of_trees(given), given), bank(5), tmp_path, QUICK)

    first = trees(20)
    done = train_on(first)
    assert train_on(first) == done
    # The same sentences with one tree that is another one.
    flat = [Tree("S", first[0].words()), *first[1:]]
    with pytest.raises(UserError, match="was finished with another architecture, data, settings or seed"):
        train_on(flat)
    (tmp_path / FILE).unlink()
    other = tmp_path / "begun"
    with pytest.raises(Stop):
        train_tiny("plm", other, ROUGH, watcher=Interrupting(5))
    with pytest.raises(UserError, match="a training was begun with another"):
        train_tiny("rnng", other, ROUGH)


def test_what_is_learned_is_within_the_limits_of_all_trees(kind: Kind) -> None:
    # The dev tree has a label and a depth that no training tree has; all of it is possible.
    deep = [Tree("S", (Tree("VP", (Tree("NP", ("老师",)), "看")), "。"))]
    task = structured_task(kind, "tiny", vocabulary(), bank(5), (texts_of_trees(deep), deep), QUICK, 1)
    assert task.architecture.labels == ("NP", "S", "VP") == labels_of(trees(5), deep)
    assert task.architecture.limits == Limits(3, 3, 3)
    for part in (task.train, task.dev):
        lesson = part.lesson(np.arange(len(part.derivations)))
        assert lesson.possible[np.arange(len(lesson.steps)), lesson.steps].all()
        assert (lesson.possible == allowed(part.progress, task.architecture.limits)).all()
    assert np.isfinite(joint_perplexity(task.build(), task.dev))


def test_the_end_of_a_sentence_is_no_candidate() -> None:
    task = structured_task("rnng", "tiny", vocabulary(), bank(5), bank(5), replace(QUICK, candidates=10), 1)
    assert task.inclusions[[BEGIN_ID, END_ID]].tolist() == [0.0, 0.0]
    assert (task.inclusions[END_ID + 1 :] > 0).all()


def test_the_joint_perplexity_does_not_depend_on_batches(kind: Kind) -> None:
    task = structured_task(kind, "tiny", vocabulary(), bank(20), bank(12, seed=4), QUICK, 1)
    network = task.build()
    one, many = (joint_perplexity(network, task.dev, budget) for budget in (1, 10_000))
    assert one == pytest.approx(many, rel=1e-6)
    assert network.training, "it is given back as it was"
    network.eval()
    lesson = task.dev.lesson(np.arange(12))
    with torch.no_grad():
        assert many == pytest.approx(np.exp(-lesson_logprob(network, lesson) / lesson.events), rel=1e-5)


def test_dev_trees_that_are_too_long_for_a_transformer_are_left_out() -> None:
    # (S 看) has 3 steps, and that is all that the network reads; the other tree of dev has 4.
    short, longer = Tree("S", ("看",)), Tree("S", ("看", "书"))
    both = (texts_of_trees([short, longer]), [short, longer])
    given = (texts_of_trees([short]), [short])
    task = structured_task("plm", "tiny", vocabulary(), given, both, QUICK, 1)
    alone = structured_task("plm", "tiny", vocabulary(), given, given, QUICK, 1)
    network = task.build()
    assert joint_perplexity(network, task.dev) == joint_perplexity(network, alone.dev)
    none = structured_task("plm", "tiny", vocabulary(), given, (texts_of_trees([longer]), [longer]), QUICK, 1)
    with pytest.raises(UserError, match="All 1 trees have more than 3 steps"):
        joint_perplexity(network, none.dev)


def test_mistakes_are_named(tmp_path: Path) -> None:
    texts, drawn = bank(5)
    with pytest.raises(UserError, match="The seed -1 is not possible"):
        train_tiny("rnng", tmp_path, seed=-1)
    with pytest.raises(UserError, match="texts are empty or lack words"):
        train("rnng", "tiny", vocabulary(), (raw_texts(["老师看了书。"]), drawn[:1]), bank(5), tmp_path, QUICK)
    with pytest.raises(UserError, match="texts are empty or lack words"):
        train("rnng", "tiny", vocabulary(), bank(5), (texts.take([]), []), tmp_path, QUICK)
    with pytest.raises(UserError, match="There are 4 trees and 5 texts"):
        train("plm", "tiny", vocabulary(), (texts, drawn[:4]), bank(5), tmp_path, QUICK)
    with pytest.raises(UserError, match=r"Tree 1 has \d+ words and its text \d+"):
        train("plm", "tiny", vocabulary(), (texts, [Tree("S", ("看",)), *drawn[1:]]), bank(5), tmp_path, QUICK)
    with pytest.raises(UserError, match="No size is called 'huge'"):
        train("plm", "huge", vocabulary(), bank(5), bank(5), tmp_path, QUICK)
