"""Which small treebank do the tests of models with structure learn from?

Sentences of our own making with their trees, drawn from a grammar of a few rules: one or two clauses in a flat
sentence, with noun phrases for who, when or where, and what. There are two labels, at most two constituents are open at
once and at most two are opened in a row, so that all trees of a short sentence can be tried.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hengliang.core import Watcher, join_words
from hengliang.corpora import Tree, write_brackets
from hengliang.language_models import Texts, texts_of
from hengliang.language_models.neural.settings import Settings
from hengliang.language_models.neural.training import Trained
from hengliang.language_models.structured.architectures import Kind
from hengliang.language_models.structured.training import train
from hengliang.language_models.vocabulary import Vocabulary, build_vocabulary
from tests.language_models.neural.toy_corpus import NOUNS, PEOPLE, PLACES, VERBS

KINDS: tuple[Kind, ...] = ("rnng", "plm")
LABELS = ("NP", "S")
SECOND = 0.25
"""How probable a second clause is."""

QUICK = Settings(epochs=2, tokens=256, learning_rate=1e-2, dropout=0.1, candidates=0, bfloat16=False, threads=1)
LEARNT = Settings(epochs=10, tokens=128, learning_rate=2e-2, dropout=0.0, candidates=0, bfloat16=False, threads=1)
"""Long enough to know the grammar."""


def trees(count: int, seed: int = 0) -> list[Tree]:
    """Draw trees such as (S (NP 老师) (NP 昨天) 买 了 (NP 一 本 书) 。) or with 在 (NP 学校 里)."""
    stream = np.random.default_rng(seed)
    return [Tree("S", (*_parts(stream),)) for _ in range(count)]


def _parts(stream: np.random.Generator) -> list[Tree | str]:
    parts = _clause(stream)
    if stream.random() < SECOND:
        parts += ["，", *_clause(stream)]
    return [*parts, "。"]


def _clause(stream: np.random.Generator) -> list[Tree | str]:
    measure, noun = NOUNS[stream.integers(len(NOUNS))]
    place = PLACES[stream.integers(len(PLACES))].split()
    who, verb = PEOPLE[stream.integers(len(PEOPLE))], VERBS[stream.integers(len(VERBS))]
    at = place[:1] if place[:1] == ["在"] else []
    when: list[Tree | str] = [*at, Tree("NP", tuple(place[len(at) :]))] if place else []
    return [Tree("NP", (who,)), *when, verb, "了", Tree("NP", ("一", measure, noun))]


def grammar_perplexity(drawn: Sequence[Tree]) -> float:
    """Return the perplexity, by word and end, of these trees to whoever knows the grammar; no model can do better.

    All choices of a clause are even, and other choices give other words; so the words tell the tree.
    """
    even = math.log(len(PEOPLE) * len(PLACES) * len(VERBS) * len(NOUNS))
    total, events = 0.0, 0
    for tree in drawn:
        words = tree.words()
        second = "，" in words
        total += even * (1 + second) - math.log(SECOND if second else 1 - SECOND)
        events += len(words) + 1
    return math.exp(total / events)


def texts_of_trees(given: Sequence[Tree]) -> Texts:
    """Return the sentences of trees as texts with words."""
    return texts_of(join_words(tree.words()) for tree in given)


def bank(count: int, seed: int = 0) -> tuple[Texts, list[Tree]]:
    """Return drawn trees with their sentences."""
    drawn = trees(count, seed)
    return texts_of_trees(drawn), drawn


def write_bank(path: Path, given: Sequence[Tree]) -> str:
    """Write trees into a file of brackets, each word with a tag as in a treebank, and return it as a name of data."""
    path.write_text(write_brackets([_tagged(tree) for tree in given]), encoding="utf-8")
    return str(path)


def _tagged(tree: Tree) -> Tree:
    return Tree(
        tree.label, tuple(Tree("X", (part,)) if isinstance(part, str) else _tagged(part) for part in tree.children)
    )


def vocabulary() -> Vocabulary:
    """Return the vocabulary of the training sentences."""
    texts, _ = bank(200)
    return build_vocabulary(texts.words, len(texts))


def train_tiny(
    kind: Kind, folder: Path, settings: Settings = QUICK, seed: int = 1, watcher: Watcher | None = None
) -> Trained:
    """Train the smallest network of a kind on the treebank."""
    return train(kind, "tiny", vocabulary(), bank(200), bank(40, seed=1), folder, settings, seed, watcher)
