"""Which network turns the words so far into a distribution over the next word?

Two bodies, one face: an LSTM [1] and the Transformer decoder of GPT-2 [2], both between one shared table of word
vectors. `<s>` is the first input of every sentence and never foretold: its logit is minus infinity, so that the
probabilities of all other symbols sum to one. Sentences know nothing of each other.

[1] Hochreiter, S., Schmidhuber, J. (1997). Long short-term memory. Neural Computation 9(8).
[2] Radford, A., Wu, J., Child, R., Luan, D., Amodei, D., Sutskever, I. (2019). Language models are unsupervised
    multitask learners.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from hengliang.core.errors import UserError
from hengliang.core.training_loop import read_weights
from hengliang.systems.language_models.neural.architectures import Architecture
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.vocabulary import BEGIN_ID


class WordNetwork(nn.Module, ABC):
    """A network over words: vectors in, features out, and a shared table that turns features into logits."""

    bias: nn.Parameter

    @property
    @abstractmethod
    def table(self) -> Tensor:
        """The vectors of all symbols, which serve as input and as output."""

    @abstractmethod
    def forward(self, vectors: Tensor) -> Tensor:
        """Return the features of each place of each sentence (sentence, place, width) from its input vectors."""

    def features(self, inputs: Tensor) -> Tensor:
        """Return the features of each place from the ids of the inputs (sentence, place)."""
        features: Tensor = self(nn.functional.embedding(inputs, self.table))
        return features

    def logits(self, features: Tensor) -> Tensor:
        """Return the logits of all symbols; that of <s> is minus infinity."""
        logits = nn.functional.linear(features, self.table, self.bias)
        logits[..., BEGIN_ID] = -torch.inf
        return logits


class Recurrent(WordNetwork):
    """An LSTM whose state starts anew with each sentence; dropout on vectors, between layers and on features."""

    def __init__(self, architecture: Architecture, dropout: float) -> None:
        super().__init__()
        width, layers = architecture.width, architecture.layers
        self.embedding = nn.Embedding(architecture.symbols, width)
        self.bias = nn.Parameter(torch.zeros(architecture.symbols))
        self.lstm = nn.LSTM(width, width, layers, batch_first=True, dropout=dropout if layers > 1 else 0.0)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.embedding.weight, std=0.05)

    @property
    def table(self) -> Tensor:
        """The vectors of all symbols."""
        return self.embedding.weight

    def forward(self, vectors: Tensor) -> Tensor:
        """Read each sentence from its start."""
        states, _ = self.lstm(self.dropout(vectors))
        features: Tensor = self.dropout(states)
        return features


class Attentive(WordNetwork):
    """The decoder of GPT-2 with random weights and our own words; a place sees itself and all before it."""

    def __init__(self, architecture: Architecture, dropout: float) -> None:
        super().__init__()
        try:
            from transformers import GPT2Config, GPT2Model
        except ImportError as error:
            raise UserError(
                "A Transformer needs the library transformers, which is not installed.",
                remedy="Install it with: pip install 'hengliang[neural]'",
            ) from error
        config = GPT2Config(
            vocab_size=architecture.symbols,
            n_positions=architecture.context,
            n_embd=architecture.width,
            n_layer=architecture.layers,
            n_head=architecture.heads,
            embd_pdrop=dropout,
            resid_pdrop=dropout,
            attn_pdrop=dropout,
            # The same function as GPT-2's own gelu_new, in one pass over memory instead of eight.
            activation_function="gelu_pytorch_tanh",
            use_cache=False,
            bos_token_id=None,
            eos_token_id=None,
        )
        self.gpt2 = GPT2Model(config)  # type: ignore[no-untyped-call]
        self.bias = nn.Parameter(torch.zeros(architecture.symbols))
        self.dropout = nn.Dropout(dropout)

    @property
    def table(self) -> Tensor:
        """The vectors of all symbols."""
        weight: Tensor = self.gpt2.wte.weight
        return weight

    def forward(self, vectors: Tensor) -> Tensor:
        """Read each sentence with a causal mask; padding stands on the right, where nobody looks."""
        features: Tensor = self.dropout(self.gpt2(inputs_embeds=vectors).last_hidden_state)
        return features


def build_network(architecture: Architecture, *, dropout: float = 0.0, unigrams: Numbers | None = None) -> WordNetwork:
    """Return a network with random weights from torch's generator.

    The output bias starts at the unigram log-probabilities, so that training need not find those first.
    """
    kind = Recurrent if architecture.kind == "lstm" else Attentive
    network = kind(architecture, dropout)
    if unigrams is not None:
        with torch.no_grad():
            network.bias.copy_(torch.from_numpy(np.nan_to_num(unigrams, nan=0.0)))
    return network


def read_network(folder: Path) -> WordNetwork:
    """Build the network of a model's folder, with its weights, ready to score."""
    network = build_network(Architecture.read(folder))
    read_weights(network, folder)
    return network.eval()
