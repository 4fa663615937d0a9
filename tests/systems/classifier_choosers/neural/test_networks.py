"""Do the networks read all that they should, and nothing that they should not?"""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from pathlib import Path  # noqa: E402

from hengliang.systems.classifier_choosers.neural.encoder_folders import open_encoder  # noqa: E402
from hengliang.systems.classifier_choosers.neural.networks import (  # noqa: E402
    EncoderNetwork,
    LstmNetwork,
    SlotNetwork,
    class_probabilities,
)
from hengliang.systems.classifier_choosers.neural.sequences import Sequences, padded, sequences_of  # noqa: E402
from tests.killed import goes_on_within_a_batch, within_a_batch  # noqa: E402
from tests.systems.classifier_choosers.neural.toys import tiny_bert  # noqa: E402

ROWS = [([5, 6, 7, 8, 9], 4, 1), ([9, 4, 6], 3, 0), ([6, 5, 7], 2, 2), ([8], 1, 0)]


def some_network(kind: str, folder: Path) -> SlotNetwork:
    torch.manual_seed(3)
    if kind == "lstm":
        return LstmNetwork(12, 4, 6, 5, 2, 0.0).eval()
    return EncoderNetwork(open_encoder(tiny_bert(folder))[0], 4, 0.0, 0).eval()


@pytest.fixture(params=["lstm", "encoder"])
def network(request: pytest.FixtureRequest, tmp_path: Path) -> SlotNetwork:
    return some_network(request.param, tmp_path)


def scores(network: SlotNetwork, sequences: Sequences, rows: list[int]) -> np.ndarray:
    with torch.no_grad():
        return network.scores(padded(sequences, np.array(rows), 0)).numpy()


def test_padding_is_not_read(network: SlotNetwork) -> None:
    sequences = sequences_of(ROWS)
    together = scores(network, sequences, [0, 1, 2, 3])
    alone = np.concatenate([scores(network, sequences, [row]) for row in range(4)])
    # Single precision has seven digits; numbers near 1 differ in the last.
    assert together == pytest.approx(alone, abs=2e-6)


def test_each_symbol_counts(network: SlotNetwork) -> None:
    before = scores(network, sequences_of(ROWS), [0])
    for place in range(5):
        symbols = list(ROWS[0][0])
        symbols[place] = 10
        changed = scores(network, sequences_of([(symbols, 4, 1)]), [0])
        assert np.abs(changed - before).max() > 1e-5


def test_probabilities_are_those_of_the_scores(network: SlotNetwork) -> None:
    sequences = sequences_of(ROWS)
    raw = np.exp(scores(network, sequences, [0, 1, 2, 3]).astype(np.float64))
    found = class_probabilities(network, sequences)
    assert found == pytest.approx(raw / raw.sum(axis=1, keepdims=True), abs=1e-6)
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_the_lstm_takes_the_last_step_of_each_direction(tmp_path: Path) -> None:
    network = some_network("lstm", tmp_path)
    assert isinstance(network, LstmNetwork)
    with torch.no_grad():
        states, _ = network.lstm(network.embeddings(torch.tensor([ROWS[0][0]])))
        # From left to right the last step stands at the end, from right to left at the beginning.
        last = torch.cat([states[0, -1, :5], states[0, 0, 5:]])
        expected = network.classes(last).numpy()
    assert scores(network, sequences_of(ROWS), [0])[0] == pytest.approx(expected, abs=1e-6)


def test_the_encoder_takes_the_state_at_the_slot(tmp_path: Path) -> None:
    network = some_network("encoder", tmp_path)
    assert isinstance(network, EncoderNetwork)
    with torch.no_grad():
        symbols, segments = torch.tensor([ROWS[0][0]]), torch.tensor([[0, 0, 0, 0, 1]])
        states = network.encoder(input_ids=symbols, token_type_ids=segments).last_hidden_state
        expected = network.classes(states[0, 1]).numpy()
    assert scores(network, sequences_of(ROWS), [0])[0] == pytest.approx(expected, abs=1e-6)


def test_what_a_slow_batch_has_computed_is_kept(
    network: SlotNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> np.ndarray:
        return class_probabilities(network, sequences_of(ROWS))

    # Three lengths.
    assert goes_on_within_a_batch(work, tmp_path / "kept", monkeypatch) == 3


def test_what_other_weights_gave_is_not_taken(
    network: SlotNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work() -> np.ndarray:
        return class_probabilities(network, sequences_of(ROWS))

    before = within_a_batch(work, tmp_path / "kept", monkeypatch)
    with torch.no_grad():
        network.head().weight.mul_(2)
    after = within_a_batch(work, tmp_path / "kept", monkeypatch)
    assert not np.array_equal(after, before)
    assert np.array_equal(after, work().reshape(-1))
