"""How surprised is a network by the right words, and how should its weights move?

The softmax over 26,000 words is most of the work of a small network. Two remedies. The loss and its gradient are found
in one pass, some rows at a time, so that the table of all probabilities never leaves the cache. And in training the
sum over all words is estimated from some of them, drawn anew for each batch [1]: each word v is in the sum with a known
probability π(v), and then counts 1 / π(v) times, so that the estimate of the sum is unbiased. Frequent words, which
have most of the mass, are always in it. The network is the same as one trained on the whole sum; scoring uses that.

[1] Bengio, Y., Senécal, J.-S. (2008). Adaptive importance sampling to accelerate training of a neural probabilistic
    language model. IEEE Transactions on Neural Networks 19(4). Their sampling is with replacement; ours is Poisson.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from hengliang.core.text.characters import Offsets
from hengliang.systems.language_models.neural.networks import WordNetwork
from hengliang.systems.language_models.scores import Numbers
from hengliang.systems.language_models.vocabulary import BEGIN_ID

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
    found = torch.searchsorted(candidates, targets).clamp(max=len(candidates) - 1)
    columns = torch.where(candidates[found] == targets, found, -1)
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
