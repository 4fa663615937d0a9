"""How probable are the targets to a network, exactly?

In single precision and over all words, whatever was done in training. Only the places that are asked for are turned
into logits, some rows at a time, so that memory stays the same for a text of any length.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from hengliang.systems.language_models.neural.batches import Sequences, batches_by_length, padded
from hengliang.systems.language_models.neural.networks import WordNetwork
from hengliang.systems.language_models.scores import Numbers

BUDGET = 4096
"""How many places, with the padding, are read at once."""

_CELLS = 1 << 23


@contextmanager
def _scoring(network: WordNetwork) -> Iterator[None]:
    """Switch dropout off for the block."""
    training = network.training
    network.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        network.train(training)


def target_logprobs(network: WordNetwork, sequences: Sequences, budget: int = BUDGET) -> Numbers:
    """Return the log-probability of each of `sequences.targets`."""
    logprobs = np.full(len(sequences.targets), np.nan)
    rows = max(1, _CELLS // len(network.bias))
    with _scoring(network):
        for batch in batches_by_length(sequences.lengths, budget):
            windows = padded(sequences, batch)
            features = network.features(torch.from_numpy(windows.inputs)).flatten(0, 1)
            for first in range(0, len(windows.asked), rows):
                asked = torch.from_numpy(windows.asked[first : first + rows])
                answers = windows.answers[first : first + rows]
                logits = network.logits(features[asked])
                own = logits.gather(1, torch.from_numpy(sequences.targets[answers])[:, None])[:, 0]
                logprobs[answers] = (own.double() - torch.logsumexp(logits, 1).double()).numpy()
    return logprobs


def last_distributions(network: WordNetwork, sequences: Sequences, budget: int = BUDGET) -> Numbers:
    """Return the log-probabilities of all symbols at the last place of each window, one row a window."""
    rows = np.empty((len(sequences), len(network.bias)))
    piece = max(1, _CELLS // len(network.bias))
    with _scoring(network):
        for batch in batches_by_length(sequences.lengths, budget):
            windows = padded(sequences, batch)
            features = network.features(torch.from_numpy(windows.inputs))
            last = features[torch.arange(len(batch)), torch.from_numpy(sequences.lengths[batch] - 1)]
            for first in range(0, len(batch), piece):
                logits = network.logits(last[first : first + piece]).double()
                rows[batch[first : first + piece]] = torch.log_softmax(logits, 1).numpy()
    return rows
