"""Which small language models do the tests of the choosers MLM and LM share?"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from hengliang import model
from hengliang.language_models import LanguageModel, NgramModel, Recipe, train
from hengliang.systems.classifier_choosers.conformance import slot_items
from hengliang.systems.classifier_choosers.slots import SLOT_SCHEMA, slots_of

# Sentences of our own: 一个 and 这种 are one word, as in the default corpus, 一 本 and 三 匹 are two.
_WHO = ("他", "我们", "老师", "孩子 们", "医生")
_WHEN = ("昨天", "早上", "终于")
_WHAT = (
    "买 了 一 本 书",
    "牵 着 一 匹 马",
    "看见 一个 人",
    "写 了 三 封 信",
    "喝 一 杯 茶",
    "看见 两 匹 马",
    "住 这 座 山",
    "说 这种 话",
)

CANDIDATES = ("个", "本", "匹", "封", "杯", "座", "种")

SENTENCES = (
    ("他昨天牵着一", "", "马", "走过来。"),
    ("我们终于看见一", "", "人", "。"),
    ("老师写了三", "长长的", "信", "。"),
    ("医生早上喝一", "", "茶", ""),
    ("", "", "书", "在桌上。"),
    ("孩子们说这", "", "话", "，老师昨天买了一本书。"),
    ("桌上有书三", "", "", ""),
)

SLOTS = slots_of(slot_items(SENTENCES)).select(list(SLOT_SCHEMA))


def lessons(path: Path) -> str:
    """Write a hundred and twenty paragraphs of our own and return the path as a name of data."""
    lines = [f"{who} {when} {what} 。" for who, when, what in product(_WHO, _WHEN, _WHAT)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def small(kind: str, size: str, folder: Path) -> LanguageModel:
    """Train a model on the sentences above and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe = Recipe(kind, size, data=lessons(folder / "lessons.txt"))  # type: ignore[arg-type]
    return model(str(train(recipe, folder / "model")))


def folder_of(made: LanguageModel) -> str:
    """Return where a model of n-grams is."""
    assert isinstance(made, NgramModel)
    return str(made.folder)
