"""Which tagged sentences of our own making do the tests of the trainable tagger learn from?"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import polars as pl

from hengliang import Item
from hengliang.core import items_frame, join_words
from hengliang.tagging.sentences import gold_text, read_gold
from hengliang.tagging.trained.model import ChainSettings
from hengliang.tagging.trained.training import TaggerSettings, train_tagger

WHO = ("他/r", "老师/n", "孩子们/n", "张小明/nr", "我/r")
WHEN = ("昨天/t", "过去/t", "去年/t 三月/t", "")
VERBS = ("看/v 了/u", "买/v 了/u", "喜欢/v", "写/v")
WHAT = ("一/m 本/q 书/n", "两/m 张/q 画/n", "三/m 封/q 信/n", "很/d 多/a 故事/n")
PLACES = ("北京/ns", "上海/ns", "学校/n", "院子/n 里/f")
QUICK = TaggerSettings(ChainSettings(passes=8, least=0), ChainSettings(passes=8, least=0))


def lessons() -> list[str]:
    """Return some 360 tagged sentences, in which 过去 is a time and also a verb, 画 a noun and also a verb."""
    told = [f"{who} {when} {verb} {what} 。/w" for who, when, verb, what in product(WHO, WHEN, VERBS, WHAT)]
    moved = [f"{who} 从/p {place} 过去/v 。/w" for who, place in product(WHO, PLACES)]
    drawn = [f"{who} 在/p {place} 画/v 画/n 。/w" for who, place in product(WHO, PLACES)]
    lines = [" ".join(line.split()) for line in (*told, *moved, *drawn)]
    # Neighbours should not be alike, as they are not in a corpus: every seventh sentence, seven times.
    return [line for start in range(7) for line in lines[start::7]]


def items(golds: list[str], name: str = "lesson") -> pl.DataFrame:
    """Return tagged sentences as items."""
    rows = []
    for number, gold in enumerate(golds):
        words, tags = read_gold(gold)
        content, _ = join_words(words)
        identity = f"{name}-{number}"
        rows.append(Item(identity, identity, "lessons", "", content, gold=gold_text(words, tags)))
    return items_frame(rows)


def train(folder: Path, golds: list[str] | None = None, seed: int = 1) -> Path:
    """Train a small tagger in a folder: a second of work."""
    return train_tagger(items(lessons() if golds is None else golds), folder, settings=QUICK, seed=seed)
