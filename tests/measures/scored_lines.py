"""Which small models and sentences do the tests of scored files share?"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from hengliang import model
from hengliang.language_models import LanguageModel, Recipe, train

# Sentences of our own; half of them name a place or a person that the recogniser of the tests knows.
_WHO = ("他", "我们", "老师", "那 位 医生")
_WHAT = ("买 了 一 本 书", "看见 一 匹 马", "去 过 法国", "在 北京 工作", "认识 王小明", "写 了 三 封 信")
LESSONS = [f"{who} {what} 。" for who, what in product(_WHO, _WHAT)] * 4

LINES = [
    "他 买 了 一 本 书 。",
    "书 本 一 了 买 他 。",
    "老师去过法国。",
    "我们 认识 王小明 。",
    "他 说 hello world 。",
    "好",
    "那 位 医生 看见 一 匹 马 。",
]
"""Segmented and raw lines, one in a bad order, one with unknown words, one of a single character."""


def trained(folder: Path, preprocess: str = "", order: int = 3) -> LanguageModel:
    """Return an n-gram model of the lessons, trained into a folder."""
    text = folder.with_suffix(".lessons.txt")
    text.write_text("\n".join(LESSONS) + "\n", encoding="utf-8")
    recipe = Recipe("ngram", str(order), data=str(text), preprocess=preprocess)
    return model(str(train(recipe, folder)), name="lessons")
