"""Which stretches of a Chinese text are numbers, and what do they count: money, metres, days, or nothing?

A numeral alone is easily found and often is none: 一 in 一定, 统一, 一起, 万 in 万一. So the words and tags of the text
decide where a numeral may stand, and patterns decide how far it goes and what it is:

1. Only words tagged as numeral (m) or classifier (q) are looked at, words that are a unit by themselves (公里, 美元),
   nouns like 万人 and 两国, and words of Arabic digits unless they are names. Everything else, names above all, is
   covered up before the patterns run.
2. A Chinese numeral begins where a word begins, or after one of 第 上 近 约 好 每 (上百, 第三) at the beginning of a
   word. 一些, 一点, 一下, 十分 and their like are numerals for the taggers, but not here; nor are 几, 数 and 多 alone.
3. A unit counts when a word ends with it. In 三本 and 一个 the numeral alone is the entity, the classifier is not.
4. Arabic digits beside a Latin letter belong to a name (GPT-4) and are left alone.

Full-width and traditional forms are read as their ordinary ones. 多, 余, 来 and 几 after a numeral belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hengliang.core.labelling.spans import Labelled
from hengliang.core.text.characters import folded_numerals

NUMERAL_TAG, UNIT_TAG = "m", "q"

# --- patterns; the text is folded, what may not be looked at is a NUL -------------------------------------------------

_DIGIT, _SCALE = "〇零○一二三四五六七八九两廿卅", "十百千万亿兆"
# Nothing is tried twice (++, *+ and ?> never give back), so that a line of ten thousand 万 takes no longer than others.
_LATIN_UNIT = "(?:km|cm|mm|nm|m|kg|mg|g|t|ml|l|kw|kv|v|w|mhz|ghz|khz|hz|mb|gb|kb|kbps|mbps|bps)(?![A-Za-z])"
# 千 and 兆 before a unit are part of that unit: 五 千瓦时.
_SCALES = rf"(?:(?!千[瓦伏克米卡赫帕]|兆[瓦赫字比])[{_SCALE}])"
_HAN = rf"(?:[几数](?=[{_SCALE}])|[{_DIGIT}]|{_SCALES}|(?<=十)几)++"
_SIGN = rf"(?:(?<![0-9A-Za-z.)%{_DIGIT}{_SCALE}年月日])[-+])?"
_AFTER = rf"(?!(?!{_LATIN_UNIT})[A-Za-z])"
_ARABIC = rf"(?<![0-9A-Za-z])(?<![A-Za-z]-){_SIGN}[0-9]++(?:,[0-9]{{3}}(?![0-9]))*+(?:[.·][0-9]++)?+{_AFTER}"
_SCALED = rf"(?:[多余来几]?{_SCALES})*+[多余来]?"
_NUMBER = rf"(?>{_ARABIC}{_SCALED}|{_HAN}(?:点[{_DIGIT}]++{_SCALES}*+)?{_SCALED}|半)"
_RANGE = rf"{_NUMBER}(?:[—~～-]{_NUMBER}|至{_NUMBER}|到{_NUMBER})?"

_CURRENCIES = (
    "人民币 元 块 角 毛 美元 美金 美分 日元 日圆 港元 港币 澳元 澳门元 加元 新元 新台币 台币 欧元 韩元 新加坡元 "
    "英镑 埃镑 镑 便士 马克 法郎 卢布 卢比 比索 铢 泰铢 盾 里拉 兰特 列伊 坚戈 第纳尔 先令 克朗 比塞塔 里亚尔 "
    "图格里克 埃居 林吉特 元钱 块钱 毛钱 角钱 分钱"
)
_MEASURES = (
    "米 千米 公里 华里 里 里地 英里 海里 厘米 毫米 分米 微米 纳米 尺 寸 丈 英尺 英寸 码 光年 克 千克 公斤 斤 "
    "市斤 两 吨 万吨 毫克 微克 磅 盎司 担 克拉 亩 公顷 顷 平方 平方米 平方公里 平方厘米 平方英里 平方英尺 平米 "
    "立方 立方米 立方厘米 升 毫升 公升 加仑 桶 蒲式耳 度 摄氏度 华氏度 ℃ ℉ ° 度电 瓦 千瓦 兆瓦 千瓦时 千伏 "
    "千伏安 伏 安培 毫安 马力 赫兹 兆赫 千赫 焦耳 卡路里 大卡 千卡 分贝 帕 千帕 字节 兆字节 比特 兆 标准箱 "
    "元/平方米"
)
_PER = "小时|秒|分钟|分|人|天|日|年|时|立方米|升|亩"
_DAYS = (
    "年 年代 年间 年度 年半 周年 载 世纪 世纪末 世纪初 月 个月 月份 个多月 个半月 日 天 周 个星期 星期 个礼拜 "
    "礼拜 旬 上旬 中旬 下旬 季度 个季度 昼夜 岁 岁半 周岁 个世纪 个年头 个春秋 多年 年初 年底 月底 月初"
)
_HOURS = "小时 个小时 个半小时 个多小时 个钟头 钟头 分钟 秒 秒钟 点钟 点半 刻钟 分半钟 时 时许 微秒 毫秒"


def _one_of(words: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words.split(), key=len, reverse=True))


_UNITS = (
    ("MONEY", _one_of(_CURRENCIES)),
    ("QUANTITY", rf"(?:{_one_of(_MEASURES)})(?:/(?:{_PER}))?|{_LATIN_UNIT}"),
    ("TIME", _one_of(_HOURS)),
    ("DATE", _one_of(_DAYS)),
    ("PERCENT", r"[%‰]|个百分点|个多百分点|百分点|成(?:半|多)?"),
)
_UNIT_WORDS = frozenset(f"{_CURRENCIES} {_MEASURES} {_HOURS} {_DAYS} 百分点 个 零下 之 / % ‰ ℃".split())
# 324 万人, 两国: taggers take the noun and what is before it for one word.
_COUNTED = re.compile(rf"[{_DIGIT}{_SCALE}]+[人国省市县]")
# How taggers tag units, signs and 零下; how they tag names and times, in whose digits nobody counts anything.
_UNIT_TAGS = frozenset(("n", "nz", "nx", "t", "TIME", "w", "xc", "f", "d", "u"))
_NAME_TAGS = frozenset(("PER", "LOC", "ORG", "TIME", "nw", "nz", "nr", "ns", "nt", "t"))
_LETTER = re.compile("[A-Za-z]")
_DIGITAL = re.compile(r"[0-9.,·%‰:/$¥+~～—-]+")
_COMMERCIAL = "壹贰貳叁參叄肆伍陆陸柒捌玖零拾佰仟萬万億亿"
_FORMAL = re.compile(rf"[{_COMMERCIAL}]*[拾佰仟][{_COMMERCIAL}]*|[廿卅][一二三四五六七八九]?")
_PREFIX = re.compile(r"[第上近约好每成]*(?:零下)?")
_NO_NUMBER = re.compile(
    rf"一(?:些|点(?!钟|半|[{_DIGIT}0-9])|下|阵|会|番|路|辈子|刻(?!钟)|生|切|样|般|时|共|面|带|旦|丝|律|致|概|味|系列|一(?![{_DIGIT}{_SCALE}]))|十分(?![之钟])|"
    r"千千万万|三三两两|万万千千|半(?:天|数|晌|截|儿|生|边|路|途)|千秋|千上万|万岁|万般|百般|万物|百姓|数不"
)
_ONE_OF_THEM = re.compile(r"(?<=[^分]之)一")

_PERCENTAGE = re.compile(rf"[百千万]分之{_RANGE}")
_FRACTION = re.compile(rf"(?:{_HAN}又)?{_NUMBER}分之{_NUMBER}|(?<![0-9./:])[0-9]++/[0-9]++(?![/A-Za-z年月日.])")
_CALENDAR = re.compile(r"(?<![0-9])[12][0-9]{3}([-/.])[0-9]{1,2}\1[0-9]{1,2}(?![0-9])")
_RATIO = re.compile(r"(?<![0-9:/])[0-9]++:[0-9]++(?!:)")
_COMPOSED = (("DATE", _CALENDAR), ("PERCENT", _PERCENTAGE), ("CARDINAL", _FRACTION), ("CARDINAL", _RATIO))
_ORDINAL = re.compile(rf"第{_RANGE}")
_ORDINAL_DAY = re.compile(r"天|年|日|周|个月|季度|个季度")
_SIGNED = re.compile(rf"(?:US|HK|NT|RMB)?[¥$€£]{_RANGE}(?:{_UNITS[0][1]})?")
_COLD = re.compile(r"零下")
_PLAIN = re.compile(_RANGE)
_UNIT_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _UNITS)


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the characters `start` to `end` of its text, without spaces around it, and its tag."""

    start: int
    end: int
    tag: str


def number_entities(content: str, words: Sequence[Word]) -> list[Labelled]:
    """Return the numbers of a text with their types, as character spans in order; `words` are all of its words."""
    looked_at = _visible(content, words)
    if not looked_at.strip("\0"):
        return []
    return list(_Scan(looked_at, words).entities())


def _visible(content: str, words: Sequence[Word]) -> str:
    """Return the folded text in which every character that cannot belong to a number is a NUL."""
    ordinary = folded_numerals(content)
    shown = ["\0"] * len(content)
    nothing = Word(0, 0, "")
    for before, word, after in zip([nothing, *words], words, [*words[1:], nothing], strict=False):
        text = ordinary[word.start : word.end]
        if _may_count(content[word.start : word.end], text, word.tag) or _is_decimal(ordinary, before, text, after):
            shown[word.start : word.end] = text
    # Latin letters are shown everywhere: digits beside them are left alone, unless the letters are a unit.
    for letter in _LETTER.finditer(ordinary):
        shown[letter.start()] = letter.group()
    return "".join(shown)


def _may_count(written: str, text: str, tag: str) -> bool:
    if tag in {NUMERAL_TAG, UNIT_TAG} or (tag not in _NAME_TAGS and _DIGITAL.fullmatch(text)):
        return True
    if tag in _UNIT_TAGS and text in _UNIT_WORDS:
        return True
    return bool((tag == "n" and _COUNTED.fullmatch(text)) or (len(written) > 1 and _FORMAL.fullmatch(written)))


def _is_decimal(ordinary: str, before: Word, text: str, after: Word) -> bool:
    """Whether the word is part of a decimal number that LAC takes for a time: 百分之 三点五, 四点 二亿."""
    if ordinary[before.start : before.end].endswith("分之") and _PLAIN.fullmatch(text.removesuffix("点")):
        return True
    goes_on = after.tag == NUMERAL_TAG and ordinary[after.start : after.start + 1] in _DIGIT
    return goes_on and text.endswith("点") and _PLAIN.fullmatch(text[:-1]) is not None


class _Scan:
    """One walk through a text, from number to number."""

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self.text = text
        self.ends = {word.end for word in words}
        self.holders: dict[int, Word] = {}
        for word in words:
            self.holders.update(dict.fromkeys(range(word.start, word.end), word))

    def entities(self) -> Iterator[Labelled]:
        place = 0
        while place < len(self.text):
            found = self._at(place) if self.text[place] != "\0" else None
            if found is None:
                place += 1
            else:
                yield found
                place = found[1]

    def _at(self, place: int) -> Labelled | None:
        """Return the number that begins at this character, if one does."""
        if self.text[place].isdigit() or self._may_begin(place):
            for matched in (self._ordinal(place), self._signed(place), self._composed(place), self._cold(place)):
                if matched is not None:
                    return matched
            return self._counted(place)
        return None

    def _may_begin(self, place: int) -> bool:
        word = self.holders.get(place)
        if word is None:
            return False
        if _NO_NUMBER.match(self.text, place, word.end) or _ONE_OF_THEM.match(self.text, place):
            return False
        return _PREFIX.fullmatch(self.text, word.start, place) is not None

    def _ordinal(self, place: int) -> Labelled | None:
        word = self.holders.get(place)
        if word is not None and self.text[place] == "首" and word.start == place and word.tag == NUMERAL_TAG:
            return place, place + 1, "ORDINAL"
        matched = _ORDINAL.match(self.text, place)
        if matched is None:
            return None
        unit = _ORDINAL_DAY.match(self.text, matched.end())
        if unit is not None and unit.end() in self.ends:
            return place, unit.end(), "DATE"
        return place, matched.end(), "ORDINAL"

    def _signed(self, place: int) -> Labelled | None:
        matched = _SIGNED.match(self.text, place)
        return None if matched is None else (place, matched.end(), "MONEY")

    def _composed(self, place: int) -> Labelled | None:
        for kind, pattern in _COMPOSED:
            matched = pattern.match(self.text, place)
            if matched is not None:
                return place, matched.end(), kind
        return None

    def _cold(self, place: int) -> Labelled | None:
        cold = _COLD.match(self.text, place)
        found = self._counted(cold.end()) if cold is not None else None
        return (place, found[1], found[2]) if found is not None and found[2] == "QUANTITY" else None

    def _counted(self, place: int) -> Labelled | None:
        """Return a numeral with the units it counts, or alone."""
        matched = _PLAIN.match(self.text, place)
        if matched is None or _COLD.match(self.text, place):
            return None
        end = matched.end()
        kind, unit_end = self._unit(end)
        if not kind:
            return place, end, "CARDINAL"
        while True:  # 三元五角, 两小时十分钟
            more = _PLAIN.match(self.text, unit_end)
            further, further_end = self._unit(more.end()) if more is not None else ("", 0)
            if further != kind:
                return place, unit_end, kind
            unit_end = further_end

    def _unit(self, place: int) -> tuple[str, int]:
        """Return the type and the end of the longest unit that begins here and ends where a word or a numeral does."""
        best = ("", place)
        for kind, pattern in _UNIT_PATTERNS:
            matched = pattern.match(self.text, place)
            if matched is not None and matched.end() > best[1] and self._is_edge(matched.end()):
                best = (kind, matched.end())
        return best

    def _is_edge(self, place: int) -> bool:
        if place in self.ends:
            return True
        word = self.holders.get(place)
        return word is not None and word.tag == NUMERAL_TAG and _PLAIN.match(self.text, place) is not None
