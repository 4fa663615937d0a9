"""Which Mandarin words open a classifier slot, and which only look as if they did?

The lists are in `slot_lexicon.txt`, each with a remark that says what it is for. They are closed: a form that is not
among the classifiers is never extracted, so units of measure (年 吨 公里 元 岁), compound units (人次 架次) and words
of degree (些 番 下) need no list of exceptions.
"""

from __future__ import annotations

from functools import cache

from hengliang.core.closure import package_data


@cache
def _sections() -> dict[str, tuple[str, ...]]:
    """Read the lists: a heading in brackets, remarks that begin with #, words apart by spaces."""
    found: dict[str, tuple[str, ...]] = {}
    heading = ""
    for line in package_data(__name__, "slot_lexicon.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
            found[heading] = ()
        elif not line.startswith("#"):
            found[heading] = (*found.get(heading, ()), *line.split())
    return found


def _words(heading: str) -> frozenset[str]:
    return frozenset(_sections()[heading])


def _endings(heading: str) -> tuple[str, ...]:
    return _sections()[heading]


def _heads() -> dict[str, frozenset[str]]:
    prefix = "heads of "
    return {
        name.removeprefix(prefix): frozenset(words) for name, words in _sections().items() if name.startswith(prefix)
    }


# --- forms ----------------------------------------------------------------------------------------------------------

CLASSIFIERS = _words("classifiers")
HEADS_OF = _heads()
"""Forms that are classifiers before few nouns and units, labels or nouns elsewhere: 三点建议, but 三点钟."""
WITH_DE = _words("with 的")
ELIDABLE = _words("elidable")
VERB_HEADS = _words("verb heads")
ORDINAL_LABELS = _words("ordinal labels")
SERIALS = _words("serials")
GENERIC_CLASSIFIERS = _words("generic classifiers")
FIRST_OF_RUN = _words("first of run")
NOT_AFTER_NOUNS = _words("not after nouns")
DOUBTFUL_AFTER_NOUNS = _words("doubtful after nouns")
COUNTING_PERSONS = _words("counting persons")
SORTAL = _words("sortal")
EVENT_CLASSIFIERS = frozenset("次")
"""Forms that count occasions: nominal before an event noun (一次会议), else verbal (去了一次北京)."""
TIME_CLASSIFIERS = frozenset("个段")

# --- triggers -------------------------------------------------------------------------------------------------------

CARDINAL = frozenset("零〇一二三四五六七八九十百千万亿两几数多半双０１２３４５６７８９0123456789．.整好余来")
"""The characters of numerals, also of vague ones (好几个, 多种, 一整套)."""
DEMONSTRATIVES = frozenset("这那此该本另其")
DISTRIBUTIVES = frozenset(("每", "各", "某", "诸", "任何", "历"))
INTERROGATIVES = frozenset(("哪", "何", "多少", "什么", "啥"))
SEQUENTIALS = frozenset("上下前后")
ORDINAL_WORDS = frozenset("首头末")
SIZE_WORDS = frozenset("大小整满长厚")
"""Adjectives that may stand between numeral and classifier: 一大批, 一小块."""
APPROXIMATIONS = frozenset("多半来余")
"""Words of approximation that may follow the classifier: 一个多月, 三个半小时."""
VERBS_OF_MANNER = _words("verbs of manner")
SEPARABLE_VERBS = _words("separable verbs")
_NOT_FUSED = _words("not fused")
_FUSED_PREFIXES = frozenset("这那哪每各某此本该何诸")

# --- words around the head ------------------------------------------------------------------------------------------

CONJUNCTIONS = frozenset(("和", "与", "及", "以及", "或", "或者", "暨", "、"))
PREDICATE_WORDS = _words("predicate words")
LATER_PREDICATE_WORDS = PREDICATE_WORDS - frozenset("要会能为") | {"使", "必将", "一定", "必定"}
"""Words that begin a predicate after a noun that was tagged as a verb: 这次访问使他…."""
PRONOUN_MODIFIERS = _words("pronoun modifiers")
BEFORE_QUANTITY = _words("before a quantity")
AFTER_QUANTITY = _words("after a quantity")
LASTING = _words("lasting")

# --- kinds of nouns -------------------------------------------------------------------------------------------------

NO_LATER_NOUNS = _words("no later nouns")
BODY_PARTS = _words("body parts")
TIME_HEADS = _words("time heads")
PHRASE_ENDINGS = _endings("phrase endings")
PLACE_ENDINGS = ("窗口", "区", "角落", "前沿")
"""How words of place (tag s) end that are counted."""
DIMENSIONS = _words("dimensions")
PLACES = _words("places and periods")
PERIODS = _words("periods of 段")
RANKED = _words("ranked")
BODIES = _words("bodies")
RELATIONAL = _words("relational")
ATTRIBUTIVE = _words("attributive")
PERSONS = ("人", "员", "者", "干部", "家", "师", "手", "生", "民", "孩子", "同志", "青年", "工", "兵")
VEHICLES_AND_PERSONS = ("列车", "快车", "客车", "航班", "人员", "干部", "者", "员", "人")
"""How nouns end that 次 does not count even where an event stands before them: ８７５３次快运列车."""
AFTER_ZHI = frozenset("交际间初末")
"""Nouns that after 之 say when or where, and are not counted: 两个世纪之交."""
LAWS = ("法", "条例", "规定", "办法", "细则", "分则", "总则", "决定", "准则", "公约", "章程", "宪章", "协议")
"""How the names of texts end whose parts 第三条 numbers."""
AMOUNTS = ("量", "数", "率", "额", "方面", "里氏", "双方", "总计", "合计", "平均", "值", "度", "铁人")
"""How nouns end that a number says something about without counting them: 发行量近六十万份."""
_EVENT_ENDINGS = _endings("event endings")
_ASSOCIATIONS = _endings("associations")
_REAL_PROPERTIES = _words("real properties")


@cache
def split_fused(word: str, tag: str) -> tuple[str, str] | None:
    """Return the numeral or demonstrative and the classifier that one token holds (一个/m, 这种/r), if it does.

    >>> split_fused("这种", "r"), split_fused("一百六十一个", "m"), split_fused("各级", "r")
    (('这', '种'), ('一百六十一', '个'), None)
    """
    if word in _NOT_FUSED or is_reduplicated(word):
        return None
    for size in (1, 2):
        front, form = word[:-size], word[-size:]
        if not front or form not in CLASSIFIERS or form in HEADS_OF:
            continue
        digits = front.removeprefix("第").replace("大", "")  # 一大批
        if tag == "m" and digits and CARDINAL.issuperset(digits):
            return front, form
        if tag == "r" and front in _FUSED_PREFIXES:
            return front, form
    return None


def is_reduplicated(word: str) -> bool:
    """Say whether the word doubles its last part: 个个, 种种, 一座座, 一个一个."""
    half = len(word) // 2
    return len(word) >= 2 and (word[-1] == word[-2] or (half >= 2 and word[-half:] == word[-2 * half : -half]))


@cache
def is_event(word: str, tag: str) -> bool:
    """Say whether the noun names an event, so that 次 before it counts nouns."""
    if tag == "Ng":
        return word in frozenset("行旅战赛展会震争")
    return tag == "vn" or (word.endswith(_EVENT_ENDINGS) and not word.endswith(_ASSOCIATIONS))


@cache
def is_amount(noun: str) -> bool:
    """Say whether the noun is an amount of something, and so the subject of the clause it opens: 偷税额, 治愈率."""
    return noun.endswith(
        ("率", "额", "产量", "容量", "总量", "含量", "值", "总数", "面积", "价", "大小", "总长", "全长")
    )


@cache
def describes(noun: str) -> bool:
    """Say whether the noun, before 的, says what something is like rather than being counted: 暂时性, 灰色, 治愈率."""
    if noun.endswith("色"):
        return len(noun) > 2 or noun[0] in "红白黑绿灰黄蓝银金粉紫青棕褐橙彩"
    if noun in {"大小", "模样"}:
        return True
    return len(noun) > 2 and noun.endswith(("性", "状", "型", "式", "级", "化", "率")) and noun not in _REAL_PROPERTIES
