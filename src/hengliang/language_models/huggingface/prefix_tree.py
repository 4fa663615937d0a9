"""Prefix trees (tries) of token sequences: what sequences share goes through the network once.

The sentences of a suite of minimal pairs share long beginnings. Sorted, they make a tree of prefixes, and every token
that two of them share is one node. A whole tree goes through the network in one row: each node sees its ancestors and
nobody else (a mask says so), and its position is its depth. So no token is computed twice, nothing is padded, and no
key–value cache has to be cut up and copied. A tree is cut into packs of limited size, because attention costs the
square of the size; the path to the first sequence of a pack is then repeated.

Whether a network respects its mask and positions is tested on a small tree. One that does not (a state-space model,
say) is run the plain way: sequences of like length side by side, padded on the right. The plain way is also taken where
nothing is shared. Both give the same numbers, but for rounding.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from hengliang.core.engine.cache import passed
from hengliang.core.errors import UserError
from hengliang.core.text.characters import Offsets
from hengliang.language_models.huggingface.loading import Loaded
from hengliang.language_models.scores import Numbers

Way = Literal["auto", "tree", "plain"]

PACK = 384
"""The most nodes in one pack; a longer sequence makes a plain row."""

TREE_COST = 1.1
"""What a token costs in a pack, relative to one in a plain row: it is compared with the whole pack."""

# How many logits are held at once: a quarter of a gigabyte in single precision.
_LOGITS = 2**26


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """Sequences that go through the network in one row: the nodes of their tree, and the path of each through it.

    The parent of a node stands before it; a root has the parent −1. `rows` says whose the `paths` are.
    """

    tokens: Offsets
    parents: Offsets
    depths: Offsets
    rows: list[int]
    paths: list[Offsets]

    @property
    def inner(self) -> Offsets:
        """The nodes that something follows. The others are asked for, but need not be computed to answer."""
        return np.unique(self.parents[self.parents >= 0])

    @property
    def nodes(self) -> Offsets:
        """All nodes."""
        return np.arange(len(self.tokens), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """What the network says along one sequence.

    `logprobs[i]` is the log-probability of token i after those before it, NaN for the first. `masses[i]` is the log of
    the probability that one of a class of tokens comes after token i, if a class was given.
    """

    logprobs: Numbers
    masses: Numbers


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a network can do: be run on a tree, and give its hidden states apart from a head that is one product."""

    tree: bool
    plain_head: bool


@dataclass(eq=False)
class _Growing:
    """A pack in the making."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    paths: list[Offsets] = field(default_factory=list)

    def add(self, row: int, sequence: list[int], shared: int) -> None:
        before = self.paths[-1][:shared].tolist() if shared else []
        first, fresh = len(self.tokens), len(sequence) - shared
        path = [*before, *range(first, first + fresh)]
        self.tokens.extend(sequence[shared:])
        self.parents.extend([-1, *path][shared : len(sequence)])
        self.depths.extend(range(shared, len(sequence)))
        self.rows.append(row)
        self.paths.append(np.array(path, np.int64))

    def done(self) -> Pack:
        tokens, parents, depths = (np.array(column, np.int64) for column in (self.tokens, self.parents, self.depths))
        return Pack(tokens, parents, depths, self.rows, self.paths)


def pack_trees(sequences: Sequence[Sequence[int]], size: int = PACK, rows: Sequence[int] | None = None) -> list[Pack]:
    """Return the sequences (of these rows) as trees of at most `size` nodes, or as many as the longest of them has.

    In sorted order the longest prefix that a sequence shares with any before it is the one shared with the last.
    """
    lists = {row: list(sequences[row]) for row in (range(len(sequences)) if rows is None else rows)}
    packs: list[Pack] = []
    growing, last = _Growing(), list[int]()
    for row, sequence in sorted(lists.items(), key=itemgetter(1)):
        shared = shared_prefix(last, sequence) if growing.rows else 0
        if growing.rows and len(growing.tokens) + len(sequence) - shared > size:
            packs.append(growing.done())
            growing, shared = _Growing(), 0
        growing.add(row, sequence, shared)
        last = sequence
    return [*packs, growing.done()] if growing.rows else packs


def shared_prefix(one: list[int], other: list[int]) -> int:
    """Return how many tokens two sequences share at their beginnings."""
    limit = min(len(one), len(other))
    for depth in range(limit):
        if one[depth] != other[depth]:
            return depth
    return limit


def plain_rows(sequences: Sequence[Sequence[int]], rows: Sequence[int] | None = None) -> list[Pack]:
    """Return each sequence (of these rows) as a pack of its own: a tree without branches."""
    packs = []
    for row in range(len(sequences)) if rows is None else rows:
        places = np.arange(len(sequences[row]), dtype=np.int64)
        packs.append(Pack(np.array(sequences[row], np.int64), places - 1, places, [row], [places]))
    return packs


def trace(
    loaded: Loaded,
    sequences: Sequence[Sequence[int]],
    *,
    batch_tokens: int = 2048,
    way: Way = "auto",
    members: npt.NDArray[np.bool_] | None = None,
) -> list[Traced]:
    """Return the log-probabilities along each sequence, in order; `members` is a class of tokens, one entry for each.

    At most `batch_tokens` tokens go through the network at a time, padding included, or one sequence if it is longer.
    """
    traces: list[Traced | None] = [None] * len(sequences)
    for packs, tree in _plan(loaded, sequences, way):
        for batch in _batches(packs, batch_tokens):
            edges = np.cumsum([_size(pack) for pack in batch])[:-1]
            columns = [np.concatenate([getattr(pack, name) for pack in batch]) for name in ("tokens", "parents")]
            asked = np.zeros(0) if members is None else members
            numbers = passed(partial(_run, loaded, batch, tree, members), *columns, edges, asked)
            for pack, (logprobs, masses) in zip(batch, np.split(numbers, edges, axis=1), strict=True):
                for row, path in zip(pack.rows, pack.paths, strict=True):
                    traces[row] = Traced(logprobs[path], masses[path])
    return [entry for entry in traces if entry is not None]


def _plan(loaded: Loaded, sequences: Sequence[Sequence[int]], way: Way) -> list[tuple[list[Pack], bool]]:
    """Return what goes through the network as trees and what plainly: what is too long for a tree, or shares little."""
    if way not in get_args(Way):
        raise UserError(f"No way to run a network is called '{way}'.", valid=f"Valid: {', '.join(get_args(Way))}.")
    limit = len(sequences) and {"auto": _tree_limit(loaded), "tree": PACK, "plain": 0}[way]
    short = [row for row, sequence in enumerate(sequences) if len(sequence) <= limit]
    trees = pack_trees(sequences, PACK, short)
    if way == "auto" and TREE_COST * sum(map(_size, trees)) > sum(len(sequences[row]) for row in short):
        trees, short = [], []
    done = set(short)
    return [(trees, True), (plain_rows(sequences, [row for row in range(len(sequences)) if row not in done]), False)]


def _tree_limit(loaded: Loaded) -> int:
    """Return how long a sequence may be on a tree: our mask takes the place of the one that a window slides over."""
    if not abilities(loaded).tree:
        return 0
    window = getattr(loaded.model.config.get_text_config(), "sliding_window", None)
    return min(PACK, window) if isinstance(window, int) and window > 0 else PACK


def _batches(packs: list[Pack], batch_tokens: int) -> Iterator[list[Pack]]:
    """Yield packs of like size together, so that there is little to pad."""
    batch: list[Pack] = []
    for pack in sorted(packs, key=_size, reverse=True):
        if batch and _size(batch[0]) * (len(batch) + 1) > batch_tokens:
            yield batch
            batch = []
        batch.append(pack)
    if batch:
        yield batch


def _size(pack: Pack) -> int:
    return len(pack.tokens)


def _run(loaded: Loaded, packs: list[Pack], tree: bool, members: npt.NDArray[np.bool_] | None) -> Numbers:
    """Return the log-probability of each node of the packs after its parent, and the mass of the class after it."""
    import torch

    chosen = [pack.inner if members is None else pack.nodes for pack in packs]
    width = max(map(len, chosen))
    logprobs, masses = np.full((2, sum(map(_size, packs))), np.nan)
    if width:
        # Which place in the batch is asked about which token: that of the parent of each node, about the node's token.
        places, parents = _places(packs, chosen, width)
        targets = np.concatenate([pack.tokens for pack in packs])
        asked = parents >= 0
        wanted = parents[asked] if members is None else np.concatenate([parents[asked], places])
        needed, which = np.unique(wanted, return_inverse=True)
        with torch.inference_mode():
            inputs = _inputs(packs, chosen, width, tree)
            states, head = _states(loaded, *inputs, abilities(loaded).plain_head)
            logprobs[asked], member_masses = _ask(
                states, head, loaded.vocabulary, needed, which, targets[asked], members
            )
        masses = masses if members is None else member_masses
    return np.stack([logprobs, masses])


def _places(packs: list[Pack], chosen: list[Offsets], width: int) -> tuple[Offsets, Offsets]:
    """Return the place in the batch of each node and of its parent, −1 where there is none."""
    places, parents = [], []
    for row, (pack, nodes) in enumerate(zip(packs, chosen, strict=True)):
        # One entry more than there are nodes, for the parent of a root, which is −1.
        seats = np.full(_size(pack) + 1, -1, np.int64)
        seats[nodes] = row * width + np.arange(len(nodes))
        places.append(seats[:-1])
        parents.append(seats[pack.parents])
    return np.concatenate(places), np.concatenate(parents)


def _inputs(packs: list[Pack], chosen: list[Offsets], width: int, tree: bool) -> tuple[Any, Any, Any]:
    """Return tokens, positions and mask of the chosen nodes: ancestors on a tree, what is not padding otherwise."""
    import torch

    tokens, depths = np.zeros((2, len(packs), width), np.int64)
    for row, (pack, nodes) in enumerate(zip(packs, chosen, strict=True)):
        tokens[row, : len(nodes)] = pack.tokens[nodes]
        depths[row, : len(nodes)] = pack.depths[nodes]
    if not tree:
        depths[:] = np.arange(width)
        lengths = np.array([len(nodes) for nodes in chosen])
        return torch.from_numpy(tokens), torch.from_numpy(depths), torch.from_numpy(depths < lengths[:, None]).long()
    # Padding sees itself, for a softmax needs something to see.
    sees = np.tile(np.eye(width, dtype=np.bool_), (len(packs), 1, 1))
    for row, (pack, nodes) in enumerate(zip(packs, chosen, strict=True)):
        sees[row, : len(nodes), : len(nodes)] = ancestors(pack)[np.ix_(nodes, nodes)]
    hidden = torch.zeros(sees.shape).masked_fill_(torch.from_numpy(~sees), torch.finfo(torch.float32).min)
    return torch.from_numpy(tokens), torch.from_numpy(depths), hidden[:, None]


def ancestors(pack: Pack) -> npt.NDArray[np.bool_]:
    """Return which node sees which: each sees itself and its ancestors."""
    sees = np.zeros((_size(pack), _size(pack)), np.bool_)
    for path in pack.paths:
        # In the order of the nodes along a path each sees those before it; what was set for a shared node is the same.
        sees[path[:, None], path[None, :]] |= np.tri(len(path), dtype=np.bool_)
    return sees


def _states(loaded: Loaded, tokens: Any, depths: Any, mask: Any, plain_head: bool) -> tuple[Any, Any]:
    """Return what the network made of each place, and the function that turns it into logits."""
    inputs = {"input_ids": tokens, "attention_mask": mask, "use_cache": False}
    if "position_ids" in inspect.signature(loaded.model.forward).parameters:
        inputs["position_ids"] = depths
    if plain_head:
        states = loaded.model.base_model(**inputs).last_hidden_state
        return states.flatten(0, 1), loaded.model.get_output_embeddings()
    return loaded.model(**inputs).logits.float().flatten(0, 1), None


def _ask(
    states: Any,
    head: Any,
    vocabulary: int,
    needed: Offsets,
    which: Offsets,
    targets: Offsets,
    members: npt.NDArray[np.bool_] | None,
) -> tuple[Numbers, Numbers]:
    """Return the log-probability of each target after its place, and the log mass of the class after further places.

    `which` points into `needed`, first for the targets, then for the masses. The logits are made piece by piece.
    """
    import torch

    goals, chosen = torch.from_numpy(targets), torch.from_numpy(which[: len(targets)])
    logprobs, masses = np.full(len(targets), np.nan), np.full(len(needed), np.nan)
    members_index = None if members is None else torch.from_numpy(np.flatnonzero(members))
    step = max(1, _LOGITS // vocabulary)
    for first in range(0, len(needed), step):
        part = states[torch.from_numpy(needed[first : first + step])]
        logits = part if head is None else head(part).float()
        total = logits.logsumexp(-1)
        mine = (chosen >= first) & (chosen < first + step)
        rows = chosen[mine] - first
        logprobs[mine.numpy()] = (logits[rows, goals[mine]] - total[rows]).double().numpy()
        if members_index is not None:
            masses[first : first + step] = (logits[:, members_index].logsumexp(-1) - total).double().numpy()
    return logprobs, masses[which[len(targets) :]]


def last_logprobs(loaded: Loaded, sequences: Sequence[Sequence[int]]) -> Numbers:
    """Return the log-probabilities of all tokens after each sequence, one row per sequence."""
    import torch

    distributions = np.empty((len(sequences), loaded.vocabulary))
    with torch.inference_mode():
        for row, sequence in enumerate(sequences):
            (pack,) = plain_rows([sequence])
            inputs = _inputs([pack], [pack.nodes], len(sequence), tree=False)
            states, head = _states(loaded, *inputs, abilities(loaded).plain_head)
            logits = states[-1] if head is None else head(states[-1])
            distributions[row] = logits.double().log_softmax(-1).numpy()
    return distributions


@lru_cache(maxsize=2)
def abilities(loaded: Loaded) -> Abilities:
    """Test a network on a few tokens; one that sees the tokens to come is refused."""
    import torch

    tokens = [number % loaded.vocabulary for number in (5, 9, 7, 3, 8, 4)]
    batch = torch.tensor([tokens, [*tokens[:-1], (tokens[-1] + 1) % loaded.vocabulary]])
    with torch.inference_mode():
        logits = loaded.model(input_ids=batch, use_cache=False).logits.float()
        if not _close(logits[0, :-1], logits[1, :-1]):
            raise UserError(
                f"The model in {loaded.path} sees the tokens that come after the one it scores.",
                valid="A causal model sees only those before it.",
                remedy="If it is a masked model, give it as one.",
            )
        plain_head = _has_plain_head(loaded, batch, logits)
        return Abilities(_obeys_masks(loaded, tokens, plain_head), plain_head)


def _has_plain_head(loaded: Loaded, batch: Any, logits: Any) -> bool:
    """Say whether the logits are the output embeddings times the hidden states: no scale, no cap, nothing else."""
    try:
        states = loaded.model.base_model(input_ids=batch, use_cache=False).last_hidden_state
        return _close(loaded.model.get_output_embeddings()(states).float(), logits)
    except Exception:  # networks fail in ways of their own; the whole model, which has just run, is the safe way
        return False


def _obeys_masks(loaded: Loaded, tokens: list[int], plain_head: bool) -> bool:
    """Say whether two branches of a tree come out as they do when each is run by itself."""
    branches = [tokens, [*tokens[:3], *tokens[:1], *tokens[4:], *tokens[:2]]]
    outcomes = []
    try:
        for packs, tree in ((plain_rows(branches), False), (pack_trees(branches), True)):
            states: dict[int, Any] = {}
            for pack in packs:
                outputs, head = _states(loaded, *_inputs([pack], [pack.nodes], _size(pack), tree), plain_head)
                logits = outputs if head is None else head(outputs)
                states.update({row: logits[path] for row, path in zip(pack.rows, pack.paths, strict=True)})
            outcomes.append(states)
    except Exception:  # as above: whoever cannot take such a mask is run the plain way
        return False
    return all(_close(outcomes[0][row], outcomes[1][row]) for row in range(len(branches)))


def _close(one: Any, other: Any) -> bool:
    # Rounding is about a millionth of the largest logit; a mask or a position that is not obeyed is far more.
    return bool(one.isfinite().all()) and bool((one - other).abs().max() <= 1e-4 * one.abs().max())
