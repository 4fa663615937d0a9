"""Which classifier can this noun not have, and where can it not do without one?

A Mandarin noun is counted with a classifier that suits it. Two kinds of change:

- classifier: the classifier is replaced by one that counts things of another sort (一位老师, *一艘老师). The new one is
  a sortal classifier of narrow use: wide ones (条, 张, 件, 块, 只, …) are stretched to new nouns all the time, and 个
  goes with nearly everything. Neither CC-CEDICT nor our own table nor the corpus may have it, or another of the same
  sort, with the noun or another noun of the phrase, nor may the corpus have it with a noun that ends in the same
  character; and the noun must be well enough known for that to mean something. Nor may it make a word with what
  follows (这本钱 for 这笔钱). Of those that remain, the ones nearest in frequency to the original are taken.
- classifier (missing): the classifier is left out after a numeral. Newspapers leave it out too, in headlines,
  after 一 and 这, and of persons and institutions (两国, 一青年, 三公司, 三百官兵). So it is done only where the noun
  is described with 的 (*三厚厚的书), after an open number (*几问题), or after 了 (*提出了三办法), which such style
  would leave out as well, and never before words like 人 and 国 that count by themselves. Units go where nothing else
  says what is measured (*五万钢, *三来 for 三年来, *去过两 for 去过两次).

Slots and heads are found as for the classifier slots (`hengliang.materials.slot_extraction`). Where the head has
several readings, what is said holds of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hengliang.corpora import catalogue as sources
from hengliang.corpora.tagged import read_pku
from hengliang.materials.classifier_inventory import Inventory, inventory
from hengliang.materials.perturbations.changes import Change, deleted, replaced, word_set
from hengliang.materials.perturbations.sentences import Sentence
from hengliang.materials.slot_candidates import PossibleSlot, possible_slot
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.materials.slot_extraction import count_compatibility
from hengliang.materials.slot_triggers import Occurrence, occurrences

SORTS = {
    "persons": ("位 名", "个 员 口"),
    "animals": ("匹 头 尾", "只 条 群"),
    "plants": ("棵 株 朵", "束 枝 丛"),
    "vehicles": ("辆 艘 架 列", "部 台 班 条 只 趟"),
    "buildings": ("座 栋 幢 间 扇", "所 家 处 片 块 层"),
    "texts": ("首 篇 封 本 册 幅", "部 份 则 张 页 句 段 条 卷 套 番 出 道 曲"),
    "small things": ("粒", "颗 枚 块 片 滴"),
    "things to hold": ("顶 盏 柄 挺", "把 支 只 件 枝"),
}
"""By the sort of thing that they count, the classifiers that may replace another one, and others of the sort.

枚 is not among those that replace: of late it is put before anything, in jest.
"""
NARROW = tuple(form for forms, _ in SORTS.values() for form in forms.split())
_SAME_SORT = {
    form: frozenset((*forms.split(), *others.split())) for forms, others in SORTS.values() for form in forms.split()
}
_MAY_COUNT_PERSONS = frozenset(("批", "群", "些", "代", "家", "户", "种", "类", "支", "届", "对", "伙", "帮", "派"))
_PLACES = frozenset("村镇县市省区城厂校院所店馆楼房室屋站场园地国乡庄部门港岛山桥塔寺庙堡")
_NEAREST = 6
_KNOWN_FROM = 3
_POINTING = frozenset(("numeral", "demonstrative", "interrogative", "distributive"))


@lru_cache(maxsize=1)
def corpus_compatibility(data: str = sources.DEFAULT_CORPUS) -> Compatibility:
    """Count which classifiers stand before which nouns in a corpus of the catalogue."""
    return count_compatibility(read_pku(sources.locate(data)[0]))


@lru_cache(maxsize=1)
def corpus_words(data: str = sources.DEFAULT_CORPUS) -> frozenset[str]:
    """Return all words of a corpus of the catalogue."""
    return frozenset(word for paragraph in read_pku(sources.locate(data)[0]) for word in paragraph.words)


def counted(sentence: Sentence) -> Iterator[PossibleSlot]:
    """Yield the classifiers of a sentence that count a noun after them."""
    words, tags = sentence.words, sentence.tags
    for found in occurrences(words, tags):
        slot = possible_slot(words, tags, found, 0, len(words))
        if slot is None or slot.candidates[0].bridge not in {"", "relative"} or found.trigger not in _POINTING:
            continue
        if sentence.is_open(*range(found.left, max(reading.last for reading in slot.readings) + 1)):
            yield slot


# --- another classifier ---------------------------------------------------------------------------------------------


def wrong(sentence: Sentence) -> Iterator[Change]:
    """Yield the replacements of a classifier by one that its noun cannot have."""
    known, table = inventory(), corpus_compatibility()
    for slot in counted(sentence):
        found, nouns = slot.occurrence, _nouns(sentence, slot)
        if not all(_is_known(known, table, candidate.noun) for candidate in slot.candidates):
            continue
        misfits = [form for form in NARROW if _is_misfit(known, table, form, found.classifier, nouns)]
        for form in _nearest(table, found.classifier, misfits):
            word = sentence.words[found.place].removesuffix(found.classifier) + form
            if word == "此间" or (form == "间" and sentence.word(found.place - 1) == "此"):
                continue  # a word of its own: here
            if form + sentence.word(found.place + 1) in corpus_words():
                continue
            detail = f"{form} for {found.classifier} of {slot.candidates[0].noun}"
            yield replaced(sentence, "another classifier", found.place, word, detail)


def _nouns(sentence: Sentence, slot: PossibleSlot) -> list[str]:
    """Return all that may be counted: every reading of the head, and each noun of the phrase."""
    last = max(reading.last for reading in slot.readings)
    while sentence.tag(last + 1) in {"n", "vn", "nz", "j"}:
        last += 1
    between = range(slot.occurrence.place + 1, last + 1)
    near = [sentence.words[place] for place in between if sentence.tag(place)[0] in "njv"]
    return [*(candidate.noun for candidate in slot.candidates), *near]


def _is_known(known: Inventory, table: Compatibility, noun: str) -> bool:
    """Say whether it is known how the noun is counted: it is listed, or was counted several times."""
    return noun in known.listed or table.nouns.get(noun, 0) >= _KNOWN_FROM


def _is_misfit(known: Inventory, table: Compatibility, form: str, original: str, nouns: Sequence[str]) -> bool:
    """Say whether neither the form nor another of its sort goes with any of the nouns, as far as is known."""
    same = _SAME_SORT[form]
    if original in same or ("名" in same and original in _MAY_COUNT_PERSONS):
        return False
    if "座" in same and any(noun[-1] in _PLACES for noun in nouns):
        return False
    if form == "架" and any("书" in noun for noun in nouns):
        return False  # a shelf of books
    return not any(
        table.ending_pairs.get((form, noun[-1]), 0)
        or any(table.attested(other, noun) for other in same - {"个"})
        or any(other in known.classifiers_of(noun[start:]) for start in range(len(noun)) for other in same - {"个"})
        for noun in nouns
    )


def _nearest(table: Compatibility, original: str, forms: Sequence[str]) -> list[str]:
    """Return the forms that are nearest in frequency to the original."""
    wanted = math.log(table.classifiers.get(original, 0) + 1)
    distances = {form: abs(math.log(table.classifiers.get(form, 0) + 1) - wanted) for form in forms}
    return sorted(forms, key=distances.__getitem__)[:_NEAREST]


# --- no classifier --------------------------------------------------------------------------------------------------

_COUNTED_BARE = word_set(
    "国家 民族 省份 地区 单位 部门 企业 公司 学校 大学 方面 阶段 问题 项目 党派 党 城市 县市 省市 民主党派 "
    "兄弟 姐妹 季度 百分点 星期 小时 世纪 月 年 层次 环节 要素 原则 领域 成员 成员国 战役 战场 路 乡 镇 村 "
    "厂 县 市 省 州 区 国 校 院 军 师"
)
"""Nouns that newspapers count without a classifier."""
_OPEN_ENDS = ("多", "几", "来")
_BARE_NUMERALS = frozenset(("一", "多", "来"))
_UNITS = word_set("吨 公斤 千克 斤 亩 公顷 公里 千米 平方米 平方公里 立方米 升 瓶 箱 桶 袋 碗 车")
_TIMES = word_set("年 天 次 遍 趟 周")
_AFTER_TIMES = word_set("来 内 后 前 间 中 里 以来 之后 之前 以后 以前 之内 之间")
_OF_PERSONS = frozenset(("位", "名", "员", "口", "户", "家"))
_ASPECT = frozenset("了着过")


def missing(sentence: Sentence) -> Iterator[Change]:
    """Yield the deletions of a classifier or unit after a numeral."""
    yield from _missing_units(sentence)
    for slot in counted(sentence):
        found = slot.occurrence
        nouns = [candidate.noun for candidate in slot.candidates]
        if slot.start != found.place + 1 or found.classifier in _UNITS | _OF_PERSONS:
            continue
        if any(len(noun) < 2 or noun[-1] in "人国者" or noun in _COUNTED_BARE for noun in nouns):
            continue
        rest = sentence.word(found.place).removesuffix(found.classifier)
        rule = _missing_rule(sentence, rest or sentence.word(found.place - 1), found, slot.readings[0].first)
        if rule and rest:
            yield replaced(sentence, rule, found.place, rest, f"without {found.classifier}")
        elif rule:
            yield deleted(sentence, rule, found.place, found.place + 1)


def _missing_rule(sentence: Sentence, numeral: str, found: Occurrence, head: int) -> str:
    """Say why the classifier is needed, if it is; after 一 and a bare 多 it never is."""
    # 百余学生 and 上千学生 are good newspaper style.
    if (
        numeral in _BARE_NUMERALS
        or numeral.endswith("余")
        or numeral.startswith(("上", "数"))
        or found.trigger not in {"numeral", "demonstrative"}
    ):
        return ""
    if numeral.endswith(_OPEN_ENDS):
        return "after an open number"
    if found.trigger == "demonstrative":
        return ""
    # Newspapers that save a classifier save 了 as well.
    if sentence.word(found.left - 1) in _ASPECT and sentence.tag(found.left - 1) == "u":
        return "after 了"
    start = found.place + 1
    described = any(sentence.word(place) == "的" for place in range(start, head))
    return "before a description" if described and sentence.tag(start) in {"a", "d", "z", "i", "ad"} else ""


def _missing_units(sentence: Sentence) -> Iterator[Change]:
    """五万吨钢, 三年来, 去过两次: what is measured has no unit of its own, or is not there at all."""
    for place in range(1, len(sentence.words) - 1):
        numeral, after = sentence.word(place - 1), sentence.tag(place + 1)
        if (
            sentence.tag(place - 1) != "m"
            or sentence.tag(place) != "q"
            or not sentence.is_open(place - 1, place, place + 1)
        ):
            continue
        # 三万吨级船舶 without 吨 is a class; so are, without their units, 四百米自由泳 and 百万千瓦机组.
        if sentence.word(place) in _UNITS and after == "n" and sentence.tag(place + 2) != "n":
            yield deleted(sentence, "unit before a noun", place, place + 1)
        if sentence.word(place) not in _TIMES or numeral.startswith("第") or numeral in _BARE_NUMERALS:
            continue
        if after == "f" and sentence.word(place + 1) in _AFTER_TIMES:
            yield deleted(sentence, "unit of time", place, place + 1)
        elif sentence.word(place - 2) in _ASPECT and sentence.tag(place - 2) == "u" and after == "w":
            yield deleted(sentence, "unit at the end", place, place + 1)
