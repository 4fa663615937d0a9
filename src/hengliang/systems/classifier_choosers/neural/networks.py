"""Which network turns the symbols of a slot into a number for each classifier?"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hengliang.core.engine.cache import passed
from hengliang.systems.classifier_choosers.neural.sequences import Batch, Sequences, even_batches, padded

PADDING = 0
_AT_ONCE = 64


class SlotNetwork(nn.Module):
    """A network that scores classifiers; the higher a score, the better the classifier fits."""

    padding: int = PADDING
    spread: int = 0
    """By how many symbols the lengths in one batch of a training may differ, more or less."""

    def scores(self, batch: Batch) -> Tensor:
        """Return one row a slot, one column a classifier."""
        raise NotImplementedError

    def head(self) -> nn.Linear:
        """Return the part that no pretraining knows, and which learns faster than the rest."""
        raise NotImplementedError


class LstmNetwork(SlotNetwork):
    """A bidirectional LSTM: the last state of each direction, side by side, goes through one linear layer."""

    def __init__(self, symbols: int, classes: int, width: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embeddings = nn.Embedding(symbols, width, padding_idx=PADDING)
        self.lstm = nn.LSTM(
            width, hidden, layers, batch_first=True, bidirectional=True, dropout=dropout if layers > 1 else 0.0
        )
        self.dropout = nn.Dropout(dropout)
        self.classes = nn.Linear(2 * hidden, classes)

    def scores(self, batch: Batch) -> Tensor:
        """Return the scores; what is padded is not read."""
        seen = self.dropout(self.embeddings(torch.from_numpy(batch.symbols)))
        if not batch.present.all():
            # Three times slower, hence only where lengths differ.
            seen = nn.utils.rnn.pack_padded_sequence(
                seen, torch.from_numpy(batch.lengths), batch_first=True, enforce_sorted=False
            )
        _, (last, _) = self.lstm(seen)
        # The last layer's states stand at the end: first that from left to right, then that from right to left.
        both = torch.cat([last[-2], last[-1]], dim=1)
        scores: Tensor = self.classes(self.dropout(both))
        return scores

    def head(self) -> nn.Linear:
        """Return the last layer."""
        return self.classes


class EncoderNetwork(SlotNetwork):
    """An encoder of Hugging Face: its state at the slot's place goes through one linear layer."""

    spread = 6

    def __init__(self, encoder: Any, classes: int, dropout: float, padding: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.padding = padding
        self.dropout = nn.Dropout(dropout)
        self.classes = nn.Linear(encoder.config.hidden_size, classes)

    def scores(self, batch: Batch) -> Tensor:
        """Return the scores."""
        segments = {}
        if getattr(self.encoder.config, "type_vocab_size", 0) > 1:
            segments["token_type_ids"] = torch.from_numpy(batch.segments)
        states = self.encoder(
            input_ids=torch.from_numpy(batch.symbols),
            attention_mask=torch.from_numpy(batch.present).long(),
            **segments,
        )[0]
        at_slot = states[torch.arange(len(batch.places)), torch.from_numpy(batch.places)]
        scores: Tensor = self.classes(self.dropout(at_slot.float()))
        return scores

    def head(self) -> nn.Linear:
        """Return the linear layer."""
        return self.classes


def _probabilities(network: SlotNetwork, batch: Batch) -> NDArray[np.float64]:
    found: NDArray[np.float64] = torch.softmax(network.scores(batch).double(), dim=1).numpy()
    return found


def class_probabilities(network: SlotNetwork, sequences: Sequences) -> NDArray[np.float64]:
    """Return one row a slot, one column a classifier, in single precision but for the last step.

    Slots of one length are put to the network together, so that a slot gets the same numbers in any company, up to the
    last digits of single precision.
    """
    network.eval()
    found = np.empty((len(sequences), network.head().out_features), np.float64)
    weights = network.head().weight.detach().numpy()
    with torch.inference_mode():
        for rows in even_batches(sequences.lengths, _AT_ONCE):
            batch = padded(sequences, rows, network.padding)
            found[rows] = passed(partial(_probabilities, network, batch), batch.symbols, batch.places, weights)
    return found
