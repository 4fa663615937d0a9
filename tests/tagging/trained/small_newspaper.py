"""Which tagged newspaper of our own making do the tests of mending learn from, and which test set belongs to it?

Eight words stand in it mostly with one tag, and one time in eight with another that the word beside them betrays:
编辑/v 画册/n, but 请/v 编辑/n. A tagger that has seen little of the paper knows the usual tag alone. Every fiftieth
paragraph is a headline with a dateline below, so that the paper is cut into blocks.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl

from hengliang.tagging.sentences import tagged_sentences
from hengliang.tagging.test_sets.building import build_set
from hengliang.tagging.test_sets.test_set import TaggingSet

BLOCKS, BLOCK = 40, 50
RARE = 1 / 8
"""How often an ambiguous word has its second tag."""

WHO = ("老师", "邻居", "村长", "医生", "姐姐", "裁缝", "司机", "木匠", "校长", "奶奶", "同学", "店主")
WHERE = ("河边", "山上", "学校", "车站", "院子", "店里", "桥头", "码头", "城里", "村口", "田间", "海岛")
WHAT = ("旧书", "画册", "故事", "文章", "歌曲", "地图", "课本", "相册", "茶壶", "雨伞", "毛衣", "风筝")
DID = ("修好", "买下", "送走", "看见", "找到", "收起", "打开", "带来", "画完", "洗净", "借来", "卖掉")

USES = {
    "编辑": ("n:v", "编辑/v {what}/n ，/w {did}/v 了/u {other}/n", "请/v 编辑/n {did}/v 了/u {what}/n"),
    "代表": ("n:v", "代表/v {other}/n {did}/v 了/u {what}/n", "当/v 代表/n 时/Ng {did}/v 了/u {what}/n"),
    "报告": ("n:v", "报告/v 说/v {other}/n {did}/v 了/u {what}/n", "听/v 报告/n 前/f {did}/v 了/u {what}/n"),
    "计划": ("n:v", "计划/v {did}/v {other}/n 的/u {what}/n", "按/p 计划/n {did}/v 了/u {what}/n"),
    "决定": ("n:v", "决定/v {did}/v {other}/n 的/u {what}/n", "作/v 决定/n 后/f {did}/v 了/u {what}/n"),
    "过去": ("v:t", "过去/t {did}/v 了/u {other}/n 的/u {what}/n", "走/v 过去/v {did}/v 了/u {what}/n"),
    "为": ("v:p", "为/p {other}/n {did}/v 了/u {what}/n", "认/v {other}/n 为/v 师傅/n ，/w {did}/v 了/u {what}/n"),
    "给": ("v:p", "给/p {other}/n {did}/v 了/u {what}/n", "只/d 给/v 了/u {other}/n 一/m 本/q {what}/n"),
}
"""Of each ambiguous word the error pair of its rare use, its usual use, and its rare one."""


def sentences(seed: int = 2) -> list[str]:
    """Return the paper, a paragraph a line in the format of the PKU; no paragraph stands in it twice."""
    draw, lines = Random(seed), dict[str, None]()
    while len(lines) < BLOCKS * BLOCK:
        place = len(lines) % BLOCK
        headline = f"{draw.choice(WHO)}/n 和/c {draw.choice(WHO)}/n 在/p {draw.choice(WHERE)}/s"
        dateline = f"本报/r {draw.choice(WHERE)}/s 讯/n {_told(draw)}"
        lines[headline if place == 0 else dateline if place == 1 else _told(draw)] = None
    return list(lines)


def _told(draw: Random) -> str:
    words = {name: draw.choice(among) for name, among in {"other": WHO, "what": WHAT, "did": DID}.items()}
    _, usual, rare = USES[draw.choice(list(USES))]
    told = (rare if draw.random() < RARE else usual).format(**words)
    return f"{draw.choice(WHO)}/n 在/p {draw.choice(WHERE)}/s {told} 。/w"


def write_paper(folder: Path) -> Path:
    """Write the paper into a folder, and return its path."""
    path = folder / "paper.txt"
    path.write_text("\n".join(sentences()) + "\n", encoding="utf-8")
    return path


def paper_set(path: Path, *parts: str) -> TaggingSet:
    """Return the test set of the rare uses in these parts of the paper; none named means dev and test."""
    errors = pl.DataFrame([(pair, word) for word, (pair, _, _) in USES.items()], schema=["pair", "word"], orient="row")
    held = tagged_sentences(path, parts or ("dev", "test"))  # type: ignore[arg-type]
    return build_set(errors, errors["pair"].unique().to_list(), held, most=8, name="paper")
