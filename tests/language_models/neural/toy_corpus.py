"""Which small corpus do the tests of neural models learn from?

Sentences of our own making, drawn from a grammar of a few rules, so that there is something to learn.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hengliang.language_models import Texts, read_segmented_texts
from hengliang.language_models.neural.settings import Architecture, Kind, Settings, architecture
from hengliang.language_models.neural.training import Trained, train
from hengliang.language_models.vocabulary import Vocabulary, build_vocabulary

PEOPLE = ("老师", "学生", "医生", "邻居", "经理", "司机")
VERBS = ("买", "看", "找", "卖", "画", "想")
NOUNS = (("本", "书"), ("匹", "马"), ("辆", "车"), ("张", "桌子"), ("朵", "花"), ("只", "猫"))
PLACES = ("在 北京", "在 学校 里", "昨天", "今天 早上", "")

QUICK = Settings(epochs=2, tokens=128, dropout=0.1, candidates=0, bfloat16=False, threads=1)


def sentences(count: int, seed: int = 0) -> list[str]:
    """Draw sentences such as 老师 昨天 买 了 一 本 书 。"""
    stream = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        measure, noun = NOUNS[stream.integers(len(NOUNS))]
        parts = [PEOPLE[stream.integers(len(PEOPLE))], PLACES[stream.integers(len(PLACES))]]
        parts += [VERBS[stream.integers(len(VERBS))], "了 一", measure, noun, "。"]
        rows.append(" ".join(part for part in parts if part))
    return rows


def texts(count: int, seed: int = 0) -> Texts:
    """Return drawn sentences as texts with words."""
    return read_segmented_texts(sentences(count, seed))


def vocabulary() -> Vocabulary:
    """Return the vocabulary of the training sentences."""
    learnt = texts(200)
    return build_vocabulary(learnt.words, len(learnt))


def tiny(kind: Kind) -> Architecture:
    """Return the smallest network of a kind for the vocabulary."""
    return architecture(kind, "tiny", len(vocabulary()))


def train_tiny(kind: Kind, folder: Path, settings: Settings = QUICK, seed: int = 1) -> Trained:
    """Train the smallest network of a kind on the sentences."""
    return train(tiny(kind), vocabulary(), texts(200), texts(40, seed=1), folder, settings, seed)
