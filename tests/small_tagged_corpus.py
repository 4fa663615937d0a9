"""Which tagged sentences do the tests of tagger diagnosis mine, and which taggers do they put to the test?

The sentences are our own. Seven words stand in them again and again with tags that quick taggers miss: their
dictionaries have one favourite tag a word, as 过去/t, and look at nothing else. The same words stand elsewhere with the
tags that such a tagger gives, and are right there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from hengliang.tagging import TaggingSet, build_set, tagged_sentences

SENTENCES = """\
船/n 慢慢/d 过去/v 了/u 。/w
小狗/n 从/p 桥/n 上/f 过去/v 。/w
我/r 先/d 过去/v 问问/v 老师/n 。/w
汽车/n 从/p 门前/s 开/v 过去/v 。/w
等/v 雨/n 停/v 了/u 再/d 过去/v 。/w
她/r 端/v 着/u 茶/n 走/v 过去/v 。/w
过去/t 这里/r 没有/v 桥/n 。/w
过去/t 的/u 房子/n 都/d 很/d 小/a 。/w
奶奶/n 常/d 说/v 过去/t 的/u 故事/n 。/w
他们/r 的/u 决定/n 让/v 人/n 吃惊/v 。/w
妈妈/n 的/u 决定/n 是/v 对/a 的/u 。/w
谁/r 也/d 不/d 知道/v 校长/n 的/u 决定/n 。/w
姐姐/n 把/p 自己/r 的/u 决定/n 写/v 在/p 信/n 里/f 。/w
晚饭/n 前/f 她/r 说出/v 了/u 一个/m 决定/n 。/w
全家/n 决定/v 去/v 海边/s 。/w
弟弟/n 决定/v 明天/t 早起/v 。/w
村民/n 决定/v 修/v 一/m 条/q 路/n 。/w
顾客/n 的/u 要求/n 很/d 多/a 。/w
爷爷/n 的/u 要求/n 只/d 有/v 一个/m 。/w
这样/r 的/u 要求/n 谁/r 受得了/v ？/w
店里/s 满足/v 了/u 客人/n 的/u 要求/n 。/w
老师/n 要求/v 学生/n 背/v 书/n 。/w
医生/n 要求/v 他/r 多/d 喝/v 水/n 。/w
谢谢/v 邻居/n 的/u 帮助/vn 。/w
朋友/n 的/u 帮助/vn 让/v 她/r 高兴/a 。/w
没有/v 你/r 的/u 帮助/vn 我/r 做/v 不/d 完/v 。/w
老人/n 需要/v 年轻人/n 的/u 帮助/vn 。/w
同学/n 们/k 帮助/v 老人/n 过/v 桥/n 。/w
我/r 想/v 帮助/v 那/r 个/q 孩子/n 。/w
孩子/n 的/u 学习/vn 要紧/a 。/w
他/r 对/p 儿子/n 的/u 学习/vn 不/d 放心/v 。/w
今年/t 她/r 的/u 学习/vn 很/d 好/a 。/w
暑假/t 里/f 我/r 学习/v 游泳/v 。/w
妹妹/n 天天/d 学习/v 弹琴/v 。/w
大家/r 都/d 笑/v 了/u 。/w
这/r 张/q 照片/n 大家/r 都/d 喜欢/v 。/w
请/v 大家/r 坐下/v 。/w
他/r 给/p 大家/r 唱/v 了/u 一/m 首/q 歌/n 。/w
雨/n 大/a ，/w 大家/r 快/a 跑/v ！/w
父母/n 的/u 健康/an 最/d 重要/a 。/w
吸烟/v 对/p 健康/an 不/d 好/a 。/w
奶奶/n 关心/v 全家/n 的/u 健康/an 。/w
小猫/n 很/d 健康/a 。/w
两/m 个/q 孩子/n 都/d 健康/a 。/w
他/r 就/p 此/r 离开/v 了/u 村子/n 。/w
两/m 家/q 人/n 就/p 此/r 不/d 再/d 来往/v 。/w
故事/n 并/d 没有/d 就/p 此/r 完/v 了/u 。/w
她/r 的/u 病/n 就/p 此/r 好/a 了/u 。/w
月亮/n 出来/v 了/u 。/w
院子/n 里/f 有/v 三/m 棵/q 枣树/n 。/w
昨天/t 下/v 了/u 一/m 场/q 大/a 雪/n 。/w
猫/n 睡/v 在/p 窗台/n 上/f 。/w
厨房/n 里/f 飘/v 着/u 香味/n 。/w
火车/n 晚/a 了/u 十/m 分钟/q 。/w
风/n 把/p 帽子/n 吹/v 走/v 了/u 。/w
桌子/n 上/f 放/v 着/u 两/m 本/q 书/n 。/w
他/r 每天/r 骑车/v 上班/v 。/w
河水/n 很/d 清/a 。/w
孩子/n 们/k 在/p 树/n 下/f 唱歌/v 。/w
你/r 吃/v 饭/n 了/u 吗/y ？/w
"""

MISSED = (
    ("n:v", "决定"), ("n:v", "要求"), ("n:v", "邻居"), ("vn:v", "学习"), ("vn:v", "帮助"), ("r:n", "大家"),
    ("p+r:d", "就此"), ("an:a", "健康"),
)  # fmt: skip
"""What rjieba, jieba and jiagu all get wrong three times or more, and the words in which at least one does."""

PLUGIN = """\
import time

from hengliang.core.registry import register
from hengliang.core.labelling.taggers import WordwiseTagger


class Listed(WordwiseTagger):
    tag_map = "pku"
    tags = {}

    def words(self, sentence):
        place = 0
        while place < len(sentence):
            size = 2 if sentence[place : place + 2] in self.tags else 1
            word = sentence[place : place + size]
            yield word, self.tags.get(word, "n")
            place += size


@register("toy")
class Toy(Listed):
    name = "toy"
    tags = {"决定": "n", "要求": "v", "帮助": "vn", "学习": "v", "大家": "d", "健康": "an", "就": "p", "此": "r"}


@register("worse")
class Worse(Listed):
    name = "worse"
    tags = {"决定": "v", "要求": "v", "帮助": "v", "学习": "v", "大家": "n", "健康": "a", "就此": "d"}


@register("moody")
class Moody(Listed):
    name = "moody"

    def words(self, sentence):
        if "月亮" in sentence:
            raise ValueError("no moon")
        if "河水" in sentence:
            return []
        if "火车" in sentence:
            return [(sentence.replace("车", "鸟"), "n")]
        if "厨房" in sentence:
            time.sleep(600)
        return list(super().words(sentence))
"""
"""A plug-in with three taggers: a list of words with a tag each, a worse one, and one that fails in four ways."""


def write_corpus(folder: Path) -> Path:
    """Write the corpus into a folder, a sentence a paragraph, and return its path."""
    path = folder / "stories.txt"
    path.write_text(SENTENCES, encoding="utf-8")
    return path


def write_plugin(folder: Path) -> Path:
    """Write the plug-in into a folder and return its path."""
    path = folder / "toys.py"
    path.write_text(PLUGIN, encoding="utf-8")
    return path


def small_set(corpus: Path, most: int = 5, missed: Sequence[tuple[str, str]] = MISSED) -> TaggingSet:
    """Return the test set of the missed words, with their sentences."""
    errors = pl.DataFrame(list(missed), schema={"pair": pl.String, "word": pl.String}, orient="row")
    pairs = list(dict.fromkeys(pair for pair, _ in missed))
    return build_set(errors, pairs, tagged_sentences(corpus), most=most, name="small")
