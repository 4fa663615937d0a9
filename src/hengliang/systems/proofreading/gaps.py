"""Where does a number stand before a noun that wants a classifier?

Written Chinese counts many nouns directly: 两国, 三省, 一人, 三月, 十万居民, 这一问题, 一男子. So only small numbers
are looked at, before nouns that are known to take a classifier of their own, with at most a few modifiers in between.
Many of these places are excused: a number after a pointing word or a name, a list of numbers, a unit on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hengliang.materials import slot_lexicon as lexicon
from hengliang.materials.slot_heads import readings_after
from hengliang.systems.proofreading.profiles import Profiles
from hengliang.systems.slot_finding.splitting import Word

_ONES = "一二两三四五六七八九"
_SMALL = rf"(?:[{_ONES}几]|[二三四五六七八九]?十[一二三四五六七八九]?|[几数]十|十几|[1-9１-９][0-9０-９]?)"
_NUMBER = re.compile(rf"{_SMALL}[多来余]?")
_GLUED = re.compile(rf"(?P<number>{_SMALL})(?P<noun>[^{_ONES}十几百千万亿0-9０-９]+)")
"""A number and a noun that the tagger took for one number: 一马/m, 两猫/m."""

EVERYDAY = frozenset("书马猫狗鱼鸟牛羊猪鸡鸭桌椅床笔纸树花车船画碗杯伞鞋帽信歌诗菜饼蛋瓜梨桃虫蛇虎狼熊兔鼠裤裙")
"""Nouns of one character that want a classifier; all others are counted directly (两国, 三省) or are units."""

DIRECT = frozenset(
    (
        "学期", "学年", "星期", "小时", "分钟", "世纪", "季度", "年级", "月份", "民族", "产业", "工程", "保险", "职工",
        "方面", "部分",
    )
)  # fmt: skip
"""Longer nouns that written Chinese counts without a classifier, or that are units themselves."""

_POINTING = frozenset("这那此该另同某每哪各上下前后第其无何唯统本首头末任》』」”）)")
_JOINED = frozenset("、第—－-～·/／:：.．'’‘“「『《〈")
_NAMES = frozenset(("nz", "nr", "ns", "nt"))
_BEGINNINGS = frozenset(("n", "nz", "a", "b", "z"))
_ON_THE_WAY = frozenset(("q", "m", "v"))
_UNIT_ENDINGS = ("年级", "万人")
_LONGEST_MODIFIER = 5
_SIZES = frozenset("大小")
_CONJUNCTIONS = frozenset("和与及")


def _is_direct(noun: str) -> bool:
    return noun not in EVERYDAY if len(noun) == 1 else noun in DIRECT or noun[0] in _CONJUNCTIONS


class Gap(NamedTuple):
    """A place, in bytes of the sentence, where a classifier seems to be missing between a number and a noun."""

    place: int
    number: str
    noun: str


def find_gaps(words: Sequence[Word], profiles: Profiles) -> Iterator[Gap]:
    """Yield the gaps of a tagged sentence, from left to right."""
    for index, word in enumerate(words):
        if word.tag != "m":
            continue
        gap = _glued(word) or _apart(words, index, profiles)
        if gap is None or _is_direct(gap.noun) or not profiles.wants_classifier(gap.noun):
            continue
        if not _is_excused(gap, words[max(0, index - 2) : index]):
            yield gap


def _glued(word: Word) -> Gap | None:
    found = _GLUED.fullmatch(word.text)
    if found is None or found["noun"] in lexicon.CLASSIFIERS or _NUMBER.fullmatch(word.text):
        return None
    return Gap(word.start + len(found["number"].encode()), found["number"], found["noun"])


def _apart(words: Sequence[Word], index: int, profiles: Profiles) -> Gap | None:
    """Return the gap after a number that is a word of its own, if a noun with few modifiers follows."""
    number, after = words[index], index + 1
    if after >= len(words) or not _NUMBER.fullmatch(number.text):
        return None
    if words[after].tag not in _BEGINNINGS or words[after].text in lexicon.CLASSIFIERS:
        return None
    if words[after].text[0] in lexicon.CLASSIFIERS and words[after].text not in profiles.known.listed:
        return None  # 69个子项目, in which the tagger saw a 个子
    if words[after].text[0] in _SIZES and number.text != "一":
        return None  # 五大商场, 十五大将
    readings = readings_after([word.text for word in words], [word.tag for word in words], after, len(words))
    if not readings or readings[0].bridge:
        return None
    first, last, _ = readings[0]
    phrase = words[after : last + 1]
    on_the_way = any(
        word.tag in _ON_THE_WAY or word.text.endswith(_UNIT_ENDINGS) or (word.tag == "n" and _is_direct(word.text))
        for word in phrase
    )
    if on_the_way or first - after > _LONGEST_MODIFIER:
        return None
    return Gap(number.end, number.text, "".join(word.text for word in words[first : last + 1]))


def _is_excused(gap: Gap, before: Sequence[Word]) -> bool:
    if not before:
        return False
    last = before[-1]
    if last.tag in {"m", "nx", "q"} or last.text[-1] in _JOINED:
        return True  # 二、三产业, HT10汽车
    if (len(before) == 2 and before[0].tag == "m" and last.tag == "n") or (
        last.text[0] in _ONES and len(last.text) > 1
    ):
        return True  # 一人一票
    written_style = last.text[-1] in _POINTING or last.tag in _NAMES or last.tag in {"ad", "d"}
    return gap.number == "一" and written_style
