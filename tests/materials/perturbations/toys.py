"""Which sentences of our own writing do the tests of the perturbations share?"""

from __future__ import annotations

from pathlib import Path

from hengliang.materials.perturbations.sentences import Sentence

TOLD = (
    "小林/nr 从/p 上海/ns 寄/v 来/v 了/u 三/m 本/q 小说/n 。/w",
    "我们/r 也/d 在/p 桂林/ns 见/v 过/u 这/r 位/q 老师/n 。/w",
    "邻居/n 很/d 喜欢/v 那/r 只/q 会/v 说话/v 的/u 鹦鹉/n ，/w 可是/c 它/r 昨天/t 飞/v 走/v 了/y 。/w",
    "医院/n 的/u 花园/n 已经/d 成为/v 老人/n 散步/v 的/u 地方/n 。/w",
    "这/r 个/q 办法/n 引起/v 了/u 家长/n 的/u 兴趣/n ，/w 学校/n 打算/v 再/d 试/v 一/m 次/q 。/w",
    "她/r 认真/a 地/u 把/p 每/r 张/q 票/n 都/d 数/v 了/u 一/m 遍/q 。/w",
)
"""Sentences of our own, as word/tag."""


def tagged(text: str, name: str = "toy-1-1") -> Sentence:
    """Make a sentence of word/tag pairs."""
    pairs = [token.rpartition("/") for token in text.split()]
    return Sentence(name, tuple(word for word, _, _ in pairs), tuple(tag for _, _, tag in pairs))


def write_corpus(path: Path, paragraphs: int = 120) -> str:
    """Write a file of the sentences above, each with a day of its own, so that none occurs twice."""
    lines = [f"第{number}/m 天/q ，/w {TOLD[number % len(TOLD)]}" for number in range(paragraphs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)
