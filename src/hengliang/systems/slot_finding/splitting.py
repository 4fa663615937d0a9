"""Which words did a tagger write as one that the rules for slots need apart?

Taggers fuse more than the People's Daily does: LAC gives 三本/m, 这本书/r, 一匹马/n, 三十多个人/m, 3个小时/TIME and,
after a numeral, 个人/n. Such a word is split into number or pointer, classifier and noun. Where a noun is part of the
word, the pair must be listed in our own table of classifiers, or the classifier be 个: 三轮车 and 一把手 stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from hengliang.materials.classifier_inventory import inventory
from hengliang.materials.slot_lexicon import CLASSIFIERS, is_reduplicated

_NUMBER = "[零〇一二三四五六七八九十百千万亿两几数多半０-９0-9．.余来首]+"
_FORMS = "|".join(sorted(CLASSIFIERS, key=len, reverse=True))
_FUSED = re.compile(
    rf"(?P<pointer>[这那哪每某另])?(?P<number>第?{_NUMBER})?(?P<size>[大小整满])?(?P<form>{_FORMS})(?P<more>[多半来](?=.))?"
    r"(?P<rest>\S*?)(?P<after>以来|以后|之后|以前|之前|左右)?"
)
_PHRASE = {"pointer": "r", "number": "m", "size": "a", "form": "q", "more": "m", "rest": "n", "after": "f"}
_TIMES = "月份|月|小时|钟头|世纪|星期|礼拜|季度|学期|年头|工作日|日夜|阶段|时期"
_HOURS = "晚上|夜晚|周末|早晨|早上|上午|下午|中午"
_TIME = re.compile(
    rf"(?P<before>.*?)(?P<pointer>[这那每上下头前后]{{1,2}})?(?P<number>{_NUMBER})?(?P<form>[个段])(?P<more>[多半来])?"
    rf"(?P<rest>{_TIMES}|{_HOURS})(?P<after>.*)"
)
_PLACE_WORDS = frozenset("里上中内外下前后")
_POINTERS = frozenset("这那哪每某另")
_SEQUENCE = frozenset("上下前后头")
_WHOLE = frozenset(
    (
        *("这样", "那样", "哪样", "这回", "那回", "这头", "那头", "这面", "那面"),
        *("某处", "某部", "某团", "某班", "某队", "某局", "首席", "首发", "多样", "多头", "半路", "半点"),
        *("一把手", "一口气", "一条龙", "一家人", "一样", "一起", "一道", "一面", "一路", "一行"),
    )
)
_QUANTITY = re.compile(rf"{_NUMBER}(?:岁|米|公斤|斤|寸|元|平米|平方米|分钟)")
_NO_NOUN = re.compile(rf"{_NUMBER}.*|.*[的以]|[子儿们]")


class Word(NamedTuple):
    """A word with its tag, and its bytes in the text."""

    text: str
    tag: str
    start: int
    end: int


def split_fused_words(words: Iterable[Word]) -> list[Word]:
    """Return the words with fused numbers, pointers, classifiers and nouns apart; everything else as it was."""
    found: list[Word] = []
    for word in words:
        previous = found[-1] if found else Word("", "w", 0, 0)
        found.extend(_in_place(word, _parts(word.text, word.tag, previous)))
    return found


def _in_place(word: Word, parts: Iterable[tuple[str, str]]) -> Iterator[Word]:
    start = word.start
    for text, tag in parts:
        end = start + len(text.encode())
        yield Word(text, tag, start, end)
        start = end


def _parts(text: str, tag: str, previous: Word) -> tuple[tuple[str, str], ...]:
    if text in {"个人", "个月"} and _counts(previous):
        return (("个", "q"), (text[1:], "n"))
    if tag == "n" and text in CLASSIFIERS and previous.tag == "m" and _counts(previous):
        return ((text, "q"),)  # 一 台 电脑, where spaces lead a tagger astray
    if text == "本书" and tag == "r" and previous.tag in {"u", "v", "m"}:
        return (("本", "q"), ("书", "n"))  # 买了本书; elsewhere 本书 is this book
    if tag == "s" and previous.tag == "q" and len(text) > 1 and text[-1] in _PLACE_WORDS:
        return ((text[:-1], "n"), (text[-1], "f"))  # 那家店里
    return _split(text, tag)


def _counts(word: Word) -> bool:
    """Say whether the word is a number without a unit (200米 has one), or points."""
    if word.tag == "r":
        return word.text in _POINTERS
    return word.tag == "m" and re.fullmatch(f"第?{_NUMBER}", word.text) is not None


@cache
def _split(text: str, tag: str) -> tuple[tuple[str, str], ...]:
    """Split one word by its form and its tag alone."""
    whole = ((text, tag),)
    if len(text) < 2 or text in _WHOLE or is_reduplicated(text):
        return whole
    if tag == "t":
        found = _TIME.fullmatch(text)
        return tuple(_time_parts(found)) if found and (found["pointer"] or found["number"]) else whole
    if tag not in {"m", "r", "n", "nz", "a"}:
        return whole
    found = _FUSED.fullmatch(text)
    if found is None or not _is_fused(found, tag):
        return whole
    return tuple(_phrase_parts(found))


def _is_fused(found: re.Match[str], tag: str) -> bool:
    pointer, number, form, rest = found["pointer"], found["number"], found["form"], found["rest"]
    if not (pointer or number) or (tag == "r" and not pointer):
        return False
    if not rest:
        return tag in {"m", "r"} or form == "系列"
    if tag == "m" and _QUANTITY.fullmatch(rest):
        return True
    if tag == "a" or _NO_NOUN.fullmatch(rest):
        return False
    if number and not pointer and tag in {"n", "nz"} and number[0] in "数多半余来首万千百":
        return False
    return _goes_with(form, rest)


@cache
def _goes_with(form: str, noun: str) -> bool:
    return form == "个" or inventory(cedict=False).fits(form, noun).verdict == "attested"


def _phrase_parts(found: re.Match[str]) -> Iterator[tuple[str, str]]:
    for name, tag in _PHRASE.items():
        if found[name]:
            yield found[name], "m" if name == "rest" and _QUANTITY.fullmatch(found[name]) else tag


def _time_parts(found: re.Match[str]) -> Iterator[tuple[str, str]]:
    if found["before"]:
        yield found["before"], "t"
    if found["pointer"]:
        for one in found["pointer"]:
            yield one, "f" if one in _SEQUENCE else "r"
    for name in ("number", "form", "more"):
        if found[name]:
            yield found[name], "q" if name == "form" else "m"
    yield found["rest"], "n" if re.fullmatch(_TIMES, found["rest"]) else "t"
    if found["after"]:
        yield found["after"], "f"
