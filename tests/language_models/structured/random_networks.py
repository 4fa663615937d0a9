"""Which networks with random weights, and which random trees, are calculations tried on?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from hypothesis import strategies as st

from hengliang.corpora import Tree
from hengliang.language_models.neural.settings import Settings
from hengliang.language_models.structured.architectures import Kind
from hengliang.language_models.structured.building import build_structured
from hengliang.language_models.structured.derivations import SHIFT, Derivations, Session, allowed, beginning
from hengliang.language_models.structured.networks import StructuredNetwork
from hengliang.language_models.structured.training import Part, structured_task
from hengliang.language_models.vocabulary import build_vocabulary
from tests.corpora.trees.tree_strategies import trees
from tests.language_models.structured.toy_treebank import texts_of_trees

WORDS = ("老师", "学生", "昨天", "买", "看", "了", "书", "。")


def some_trees(most: int = 4) -> st.SearchStrategy[list[Tree]]:
    """Return a few trees of a few words and labels, also deep ones and chains of constituents."""
    one = trees(st.sampled_from(WORDS), st.sampled_from(["S", "NP", "VP"]))
    return st.lists(one, min_size=1, max_size=most)


@dataclass(frozen=True)
class Drawn:
    """A network with random weights and the trees that it can read."""

    network: StructuredNetwork
    part: Part

    @property
    def rows(self) -> range:
        """The numbers of the trees."""
        return range(len(self.part.derivations))


def drawn(kind: Kind, given: Sequence[Tree], seed: int = 3, layers: int = 2) -> Drawn:
    """Return a network for these trees, with weights large enough for everything to matter."""
    texts = texts_of_trees(given)
    vocabulary = build_vocabulary(texts.words, len(texts), least=1)
    both = (texts, list(given))
    task = structured_task(kind, "tiny", vocabulary, both, both, Settings(), 1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = build_structured(replace(task.architecture, layers=layers, width=8)).eval()
        for parameter in network.parameters():
            torch.nn.init.normal_(parameter, std=0.4)
    return Drawn(network, task.train)


def walked_logprob(session: Session, derivations: Derivations, row: int, *, forgetful: bool) -> float:
    """Return the log-probability of a tree, found step by step; a forgetful walk lets go of all else each time."""
    first, last = derivations.offsets[row : row + 2].tolist()
    state, progress, total = session.begin(), beginning(1), 0.0
    for step, word in zip(derivations.steps[first:last], derivations.words[first:last], strict=True):
        here = np.array([state])
        logits = np.where(allowed(progress, session.limits), session.step_logits(here), -np.inf)[0]
        total += float(logits[step] - np.logaddexp.reduce(logits))
        if step == SHIFT:
            total += float(session.word_logprobs(here, np.array([word]))[0])
        state = int(session.advance(here, np.array([step]), np.array([word]))[0])
        progress = progress.after(np.array([step]))
        if state >= 0 and forgetful:
            state = int(session.keep(np.array([state]))[0])
    return total
