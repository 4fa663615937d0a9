"""How are the clauses of a Mandarin description built?

Each kind of clause is a row of parts: what is spoken of (A), what is said of it (B, or a noun phrase P), a quantity
(Q), and words that grammar asks for. Parts in angle brackets stand for the patterns of the domain's phrases and of
quantities. A clause is of the first kind whose pattern fits all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hengliang.materials.chinese_numerals import NUMERAL
from hengliang.materials.quantified_properties import Property
from hengliang.materials.scene_domains import Domain
from hengliang.systems.readers.mandarin_lexicon import Lexicon, lexicon
from hengliang.systems.readers.mandarin_quantities import Quantity, classifier, counted, quantity_of, quantity_pattern

ADVERBS = {
    **dict.fromkeys(("都", "均", "一律", "也都", "皆"), "all"),
    **dict.fromkeys(("全都", "全部都", "全部", "全", "统统", "清一色", "清一色的"), "everything"),
    **dict.fromkeys(("几乎都", "几乎全都", "几乎全", "差不多都", "基本都", "基本上都"), "almost all"),
    **dict.fromkeys(("不都", "不全", "并不都", "并不全"), "not all"),
    **dict.fromkeys(("都不", "均不", "全不", "全都不", "不", "并不", "都没有"), "no"),
}
"""Which quantifier 都 and its like express, with 不 and without."""

_NUMBER_OF = "(?:的?(?:数量|个数|数目|总数|数))?(?:加起来|合起来|加在一起)?"
_MORE = "(?:要|还要|还|更)?"
_SOMEWHAT = "(?:一些|一点儿?|得多|很多|许多|些|点)?"
_WITHIN = "当中|之中|里面|里边|中间|之内|中|里|内"
_REST = "(?:其余|剩下|剩余|其他|其它|余下|另外|别的|另一半|另一部分|另外一半)"

# The first that fits is taken: what has words of its own stands before what is general.
PATTERNS: tuple[tuple[str, str], ...] = (
    ("each kind", "每一?种(?:可能的?)?<A>?(?:都|各|各自|分别)*(?:有|是|为)?<N>"),
    ("each kind", "各种<A>?(?:都|各|各自|分别)+(?:有|是)?<N>"),
    ("all kinds", "(?:所有|全部|各|每一?|<num>)种?(?:可能)?的?(?:种类|类型|组合|情况|种)(?:的?<A>)?<allthere>"),
    ("all kinds", "(?:所有可能的?|各种可能的?|各种|每一?种可能的?|每一?种|<num>种)<A>(?:种类|类型)?<allthere>"),
    ("both count", "(?:都|均|各)(?:是|有|为)?<N>"),
    ("except", "除(?:了|去)?<N><P>?(?:之外|以外|外)?，?<remaining>(?:<Q>的?)?<A>?<dou>?<cop><B>"),
    ("except", "除(?:了|去)?<N><P>?(?:之外|以外|外)?，?<remaining>(?:<Q>的?)?<A>?<dou><B>"),
    ("except kind", "除(?:了|去)?<P>(?:之外|以外|外)?，?<remaining>(?:<Q>的?)?<A>?<dou>?<cop><B>"),
    ("either", "(?:<Q>的?)?<A>?<dou>?要么是?<P>，?要么是?<B>"),
    ("either", "(?:<Q>的?)?<A>?(?:都|全)?不是<P>，?(?:就|便)是<B>"),
    ("either", "除了?<P>(?:之外|以外|外)?，?(?:就|便)(?:都|全)?是<B>"),
    ("there are", "除了?<P>(?:之外|以外|外)?，?(?:还|也)有<B>"),
    ("rest", "<remains>的?(?:那<cl>|那些|那几<cl>)?(?:<Q>的?)?<A>?<adv><dou>?<cop>?<B>"),
    ("more", "<J1><number>比<J2><number><more>多<somewhat>"),
    ("more", "<J1><number>(?:多于|大于|超过|多过)<J2><number>"),
    ("fewer", "<J1><number>比<J2><number><more>少<somewhat>"),
    ("fewer", "<J1><number>(?:少于|小于|少过|不及)<J2><number>"),
    ("fewer", "<J1><number>(?:没有|没|不如)<J2><number>多"),
    ("more", "<J1><number>(?:没有|没|不如)<J2><number>少"),
    ("more", "<J1>多，?<J2>少"),
    ("fewer", "<J1>少，?<J2>多"),
    ("more", "比<J2><number><more>多<somewhat>"),
    ("fewer", "比<J2><number><more>少<somewhat>"),
    ("times", "(?:是|为)<J2><number>的?<num>倍(?:多)?"),
    ("times", "<J1><number>(?:是|为)<J2><number>的?<num>倍(?:多)?"),
    ("equal", "<J1><number>(?:与|跟|同|等于)<J2><number>(?:的?数量)?(?:都|是|也)*<same>"),
    ("equal", "<J1>的?(?:数量|个数|数目)(?:和|与|跟|同|等于)<J2>的?(?:数量|个数|数目)(?:是)?<same>"),
    ("equal list", "<A>(?:的?(?:数量|个数|数目))?(?:都|是|也)*<same>"),
    ("equal list", "(?:两者|二者|两种<word>?|它们)?(?:的?(?:数量|个数|数目))?(?:都|是|也)*<same>"),
    ("each", "(?:在?<A><within>)?<P><number>(?:都|分别)?各(?:自)?(?:占|有|是|为)?<Q>"),
    ("each half", "(?:在?<A><within>)?<P><number>各(?:占)?半"),
    ("only", "(?:只|仅)有<A>才?<cop><B>"),
    ("only these", "(?:只|仅)(?:能?看到|看见|有|包含|包括)<P><kinds>"),
    ("only these", "<A><in>(?:只|仅)(?:有|包含|包括)<P><kinds>"),
    ("without exception", "<A>?<in>没有(?:任何)?(?:一<cl>)?<A2>?不是<B>"),
    ("none of", "(?:没有|没|无)(?:任何)?(?:一<cl>|<cl>)?的?<A><cop><B>"),
    ("none of", "(?:没有|没|无)(?:任何)?(?:一<cl>)?是<B>"),
    ("none", "(?:没有|没|无|不存在|不包含|未见)(?:任何)?(?:一<cl>)?<P>"),
    ("none of", "<A><in>(?:没有|没|无)(?:任何)?(?:一<cl>|<cl>)?(?:是)?<B>"),
    ("none", "(?:一<cl>)?<P>(?:一<cl>)?(?:也|都)?(?:没有|没|不存在)"),
    ("so many and", "<A>(?:一共|总共|共)?有?<N><dou><cop>?<B>"),
    ("so many and", "<N><A><within><Q>的?<dou>?<cop><B>"),
    ("portion", "<Q>的?<A><of><adv><dou>?<cop><B>"),
    ("portion", "<Q>的?<A><of><adv><dou><B>"),
    ("portion", "<Q>的?<adv><dou>?<cop><B>"),
    ("portion", "(?:在)?<A><in>，?<adv><Q>的?<dou>?<cop><B>"),
    ("portion", "(?:在)?<A><in>，?<adv><Q>的?<bare>"),
    ("portion", "<A><in><adv><dou><cop>?<B>"),
    ("one by one", "它<adv>是<B>"),
    ("portion", "<A><in><adv><cop><B>"),
    ("portion", "<dou><cop>?<B>"),
    ("mainly", "<A>?<in>以<P>为主"),
    ("mainly", "<P><number>(?:居多|占多数|较多|更多)"),
    ("amount of", "(?:在?<A><within>)?<P><number>(?:只|仅)?<approx>(?:占|占了|占据)(?:总数|全部|全体|<word>)?的?<Q>"),
    ("amount of", "(?:只|仅)?<approx>(?:占|占了|占据)(?:总数|全部|全体|<word>)?的?<Q>"),
    ("total", "(?:一共|总共|共|总计)有?<N>"),
    ("amount of", "(?:在?<A><within>)?<P><number>(?:是|为)?<Q>"),
    ("amount", "(?:有|存在|包含|包括|含有|出现|是)?<Q>的?<P>"),
    ("there are", "<A>?<in>(?:既)?(?:有|存在|包含|包括|含有|分为|分成)<P><kinds>"),
    ("there are", "<P>(?:都|全)有"),
    ("there are", "<A>?<in><adv>(?:既|又)?有<P>，?(?:又|也)?有<B>"),
    ("one by one", "它?是<B>"),
    ("within", "在?<A><within>"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A clause of a kind, with the words that fill its parts."""

    kind: str
    parts: dict[str, str]
    lexicon: Lexicon

    def property_of(self, part: str) -> Property | None:
        """Return the property that fills a part, None where nothing does."""
        written = self.parts.get(part)
        return self.lexicon.property_of(written) if written else None

    @property
    def quantity(self) -> Quantity | None:
        """The quantity of the clause, if it has one."""
        written = self.parts.get("Q") or self.parts.get("N")
        return quantity_of(self.parts.get("approx", "") + written) if written else None

    def has(self, part: str) -> bool:
        """Return whether a part is there."""
        return bool(self.parts.get(part))


@lru_cache(maxsize=16)
def compiled(domain: Domain) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the patterns of all kinds of clauses for the words of a domain."""
    words = lexicon(domain)
    parts = {
        "A": f"(?P<A>{words.things}|它们|他们|它)",
        "B": f"(?P<B>{words.things})",
        "P": f"(?P<P>{words.things})",
        "J1": f"(?P<J1>{words.joined})",
        "J2": f"(?P<J2>{words.joined})",
        "Q": f"(?P<Q>{quantity_pattern()})",
        "N": f"(?P<N>有?{counted()})",
        "num": f"(?P<num>{NUMERAL})",
        "cl": classifier(),
        "dou": f"(?P<dou>{_longest_first(ADVERBS)})",
        "cop": "(?:是|为|属于|呈现?|是属于)",
        "in": f"(?P<in>{_WITHIN})?(?:的(?:颜色|形状|大小))?的?",
        "kinds": f"(?:这?(?P<num>{NUMERAL})种{words.word}?)?",
        "approx": "(?P<approx>大约|大概|约|几乎|差不多|将近|接近)?",
        "of": "(?:的(?:颜色|形状|大小))?",
        "bare": f"(?P<B>(?P<bare>{words.things}))",
        "A2": f"(?:{words.things})",
        "within": f"(?:{_WITHIN})，?",
        "adv": "(?:则|也|还|就|却|又|同样|大致)?",
        "number": _NUMBER_OF,
        "more": _MORE,
        "somewhat": _SOMEWHAT,
        "same": "(?:一样多|一样|同样多|相同|相等|相当|数量相等|数量相同|数量一样|数量一致|是相等的|是一样的)",
        "remains": f"(?P<remains>{_REST})",
        "remaining": f"(?:{_REST}的?)?",
        "word": words.word,
        "allthere": "(?:都|全)(?:有|出现|存在)",
    }
    return tuple((kind, re.compile(_filled(pattern, parts))) for kind, pattern in PATTERNS)


def analyses(text: str, domain: Domain) -> list[Found]:
    """Return the kinds of which a clause can be, the first first."""
    found = []
    for kind, pattern in compiled(domain):
        matched = pattern.fullmatch(text)
        if matched is not None:
            parts = {name: held for name, held in matched.groupdict().items() if held}
            found.append(Found(kind, parts, lexicon(domain)))
    return found


def _longest_first(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _filled(pattern: str, parts: dict[str, str]) -> str:
    def part(name: re.Match[str]) -> str:
        return parts[name[1]]

    return re.sub(r"(?<!\?P)<([A-Za-z0-9]+)>", part, pattern)
