"""LSTM and Transformer networks over words: features, sampled-softmax loss, exact probabilities.

Two bodies with one interface: an LSTM [1] and the Transformer decoder of GPT-2 [2], both with one table of word vectors
that input and output share. `<s>` is the first input of every sentence and never predicted: its logit is minus
infinity, so that the probabilities of all other symbols sum to one. Sentences know nothing of each other.

[1] Hochreiter, S., Schmidhuber, J. (1997). Long short-term memory. Neural Computation 9(8).
[2] Radford, A., Wu, J., Child, R., Luan, D., Amodei, D., Sutskever, I. (2019). Language models are unsupervised
    multitask learners.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from hengliang.core.errors import UserError
from hengliang.core.text.characters import Offsets
from hengliang.core.training_loop import read_weights
from hengliang.language_models.neural.batches import Sequences, batches_by_length, padded
from hengliang.language_models.neural.settings import Architecture
from hengliang.language_models.scores import Numbers
from hengliang.language_models.vocabulary import BEGIN_ID

# --- the networks -----------------------------------------------------------------------------------------------------


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


# --- loss: softmax over sampled candidates ----------------------------------------------------------------------------
# Computes the mean surprisal of the right words, and its gradient.
#
# The softmax over 26,000 words is most of the work of a small network. Two remedies. The loss and its gradient are
# found in one pass, some rows at a time, so that the table of all probabilities never leaves the cache. And in training
# the sum over all words is estimated from some of them, drawn anew for each batch [1]: each word v is in the sum with a
# known probability π(v), and then counts 1 / π(v) times, so that the estimate of the sum is unbiased. Frequent words,
# which have most of the mass, are always in it. The network is the same as one trained on the whole sum; scoring uses
# that.
#
# [1] Bengio, Y., Senécal, J.-S. (2008). Adaptive importance sampling to accelerate training of a neural probabilistic
#     language model. IEEE Transactions on Neural Networks 19(4). Their sampling is with replacement; ours is Poisson.

FLATTENING = 0.75
"""The power of a word's frequency to which its chance of being drawn is proportional."""

_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The words in the sum, and the log of the probability that each is in it."""

    ids: Offsets
    log_inclusions: Numbers


def inclusions(counts: npt.NDArray[np.int64], size: int) -> Numbers:
    """Return for each symbol the probability to be among the candidates, `size` of them on average; 0 for <s>.

    A size of 0, or of all symbols, takes everybody.
    """
    weights = np.maximum(counts, 1).astype(np.float64) ** FLATTENING
    weights[BEGIN_ID] = 0.0
    if not size or size >= len(counts) - 1:
        return (weights > 0).astype(np.float64)
    always = np.zeros(len(counts), np.bool_)
    while True:
        # Those whose share would be more than certain are taken, and the rest share what is left.
        share = (size - always.sum()) * weights / weights[~always].sum()
        grown = always | (share >= 1)
        if (grown == always).all():
            return np.where(always, 1.0, share)
        always = grown


def draw(probabilities: Numbers, stream: np.random.Generator) -> Candidates:
    """Draw the candidates of one batch."""
    ids = np.flatnonzero(stream.random(len(probabilities)) < probabilities)
    return Candidates(ids, np.log(probabilities[ids]))


def batch_loss(network: WordNetwork, inputs: Tensor, asked: Tensor, targets: Tensor, among: Candidates) -> Tensor:
    """Return the mean surprisal of the targets in nats, estimated over the candidates; under autocast in bfloat16."""
    candidates = torch.from_numpy(among.ids)
    everybody = torch.cat([inputs.reshape(-1), candidates, targets])
    # One look-up for all three uses of the table, because each costs a gradient as large as the table.
    vectors = torch.nn.functional.embedding(everybody, network.table)
    read, offered, right = torch.split(vectors, [inputs.numel(), len(candidates), len(targets)])
    features = network(read.view(*inputs.shape, -1)).flatten(0, 1)[asked].float()
    return surprisal(features, right, offered, network.bias, targets, among)


def surprisal(
    features: Tensor, right: Tensor, offered: Tensor, bias: Tensor, targets: Tensor, among: Candidates
) -> Tensor:
    """Return the mean surprisal of the targets; `right` are their vectors, `offered` those of the candidates."""
    candidates = torch.from_numpy(among.ids)
    weights = bias[candidates] - torch.from_numpy(among.log_inclusions).to(torch.float32)
    own = (features * right).sum(1) + bias[targets]
    nearest = torch.searchsorted(candidates, targets).clamp(max=len(candidates) - 1)
    columns = torch.where(candidates[nearest] == targets, nearest, -1)
    low = torch.bfloat16 if torch.is_autocast_enabled("cpu") else torch.float32
    loss: Tensor = _Surprisal.apply(features, offered, weights, own, columns, low)  # type: ignore[no-untyped-call]
    return loss


class _Surprisal(torch.autograd.Function):
    """The mean of log(e^own + Σ e^(offered · features + weights)) − own; its gradient is found on the way forward."""

    @staticmethod
    def forward(
        ctx: Any, features: Tensor, offered: Tensor, weights: Tensor, own: Tensor, columns: Tensor, low: torch.dtype
    ) -> Tensor:
        """Sum the surprisals some rows at a time; `columns` says where a row's target is among the candidates."""
        count = len(features)
        thin, table = features.to(low), offered.to(low)
        total = torch.empty(count)
        by_features = torch.empty_like(features)
        by_offered, by_weights = torch.zeros_like(offered), torch.zeros_like(weights)
        rows = max(1, _CELLS // max(1, len(offered)))
        for first in range(0, count, rows):
            here = slice(first, first + rows)
            logits = (thin[here] @ table.t()).float().add_(weights)
            hit = (columns[here] >= 0).nonzero()[:, 0]
            logits[hit, columns[here][hit]] = -torch.inf
            total[here] = torch.logaddexp(torch.logsumexp(logits, 1), own[here])
            probabilities = logits.sub_(total[here, None]).exp_()
            by_weights += probabilities.sum(0)
            small = probabilities.to(low)
            by_features[here] = (small @ table).float()
            by_offered += (small.t() @ thin[here]).float()
        by_own = torch.exp(own - total) - 1
        ctx.save_for_backward(by_features / count, by_offered / count, by_weights / count, by_own / count)
        return (total - own).mean()

    @staticmethod
    def backward(ctx: Any, *above: Tensor) -> tuple[Tensor | None, ...]:
        """Scale the gradients that were found forward."""
        gradients: tuple[Tensor, ...] = ctx.saved_tensors
        return (*(gradient * above[0] for gradient in gradients), None, None)


# --- exact probabilities ----------------------------------------------------------------------------------------------
# The log-probabilities of targets, in single precision and over all words, whatever was done in training. Only the
# places that are asked for are turned into logits, some rows at a time, so that memory stays the same for a text of any
# length.

BUDGET = 4096
"""How many places, with the padding, are read at once."""

_CELLS_AT_ONCE = 1 << 23


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
    rows = max(1, _CELLS_AT_ONCE // len(network.bias))
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
    """Return the log-probabilities of all symbols at the last place of each window, one row per window."""
    rows = np.empty((len(sequences), len(network.bias)))
    piece = max(1, _CELLS_AT_ONCE // len(network.bias))
    with _scoring(network):
        for batch in batches_by_length(sequences.lengths, budget):
            windows = padded(sequences, batch)
            features = network.features(torch.from_numpy(windows.inputs))
            last = features[torch.arange(len(batch)), torch.from_numpy(sequences.lengths[batch] - 1)]
            for first in range(0, len(batch), piece):
                logits = network.logits(last[first : first + piece]).double()
                rows[batch[first : first + piece]] = torch.log_softmax(logits, 1).numpy()
    return rows
