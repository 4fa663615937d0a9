"""Which little words cannot go, cannot be put in, and cannot stand for each other?

Many function words of Mandarin may be left out or added without harm (我的妈妈, 我妈妈), so each rule names the company
in which the word is obligatory, impossible or the wrong one [1].

- function word (missing): 的 after a long adjective with a word of degree (很重要的机会; 很长时间 and 很大困难 are
  good without it) or one that is doubled (厚厚的书),
  after 这样, after a place word within an object (解决社会上的问题), and after an adverb and a verb that takes no
  object (不断变化的形势); 得 before a complement (跑得很快); a preposition with its object between an adverb, a
  modal, 并, or a name and a place, and the verb (已在北京工作): without it the object stands where only a verb phrase
  can follow.
- function word (stray): 的, 了 or 着 after a word that takes no particle (an adverb, 把, 从, 被, a numeral before its
  classifier), 着 after a verb that does not last (是着, 成为着), 把 or 被 before a verb that is no act (他被是学生).
- function word (wrong): 把 for 被 right before the verb, where 把 has no object; 被 for 把 after a modal, with an
  object that cannot act; 把 for 在 before a place; 着 for 了 after a verb that is over in a moment (到达着); 地 for 的
  after a noun, or for 得 after a verb. The last is a matter of spelling, since the three sound alike, and some readers
  pass over it.

[1] Lü, S. (ed.) (1999). Xiandai Hanyu babai ci [Eight hundred words of contemporary Chinese]. Commercial Press.
"""

from __future__ import annotations

from collections.abc import Iterator

from hengliang.grammar.suites.verbs import corpus_transitivity
from hengliang.materials.perturbations.changes import Change, deleted, inserted, replaced, word_set
from hengliang.materials.perturbations.sentences import Sentence

_NOMINAL = frozenset(("n", "nr", "ns", "nt", "nz", "j", "r", "s"))
_MARK = "w"

# --- missing --------------------------------------------------------------------------------------------------------

_DEGREES = word_set("很 太 挺 这么 那么")
_SUCH = word_set("这样 那样 什么样 怎样 怎么样")
_BEFORE_VERB_PHRASE = word_set(
    "也 都 已 已经 正 曾 曾经 一直 经常 常 不断 再 又 仍 仍然 还 均 始终 不 没有 没 未 必须 能 能够 可以 "
    "应该 会 可 却 便 才 共同 积极 努力 进一步 及时 立即 逐步 主动 亲自 多次 再次 先后 分别 一起 纷纷 不再 "
    "重新 真正 专门 刚刚 刚 终于 很快 陆续 相继 随后 即将 尽快 一定 直接 认真 全面 大力 依法 长期 难以 日益 "
    "最终 率先 早日 常常 永远 紧紧 普遍 集中 公开 同样 依然 首次 一再 反复 当即 立刻 马上 迅速 自觉 切实 "
    "正式 早已 尚未 联合"
)
"""After these a noun phrase cannot stand alone. Not 就, 只, 连, 由 and 将 (只他来), nor 要, 让, 想 (要他来), nor 应.

Nor 正在, which may be read as 正 and 在 (正在村里).
"""
_PREPOSITIONS = word_set("把 将 向 对 为 与 同 跟 给 从 由 按 在 被 于")
_PHRASE = frozenset(("n", "nr", "ns", "nt", "nz", "j", "r", "vn", "s", "b", "f", "m", "q", "an", "a"))
_LOCALISERS = word_set("上 中 里 下 内 间 之间 方面")
_ADVERBIAL = frozenset(("自己", "世人"))
_LONGEST_OBJECT = 6
_FEWEST_USES = 20
_INTRANSITIVE = 0.5
_TAKES_PLACE = word_set("举行 召开 开幕 闭幕 成立 结束 出版 发行")


def missing(sentence: Sentence) -> Iterator[Change]:
    """Yield the deletions of a function word that is obligatory."""
    for place in range(1, len(sentence.words) - 1):
        rule = _missing_rule(sentence, place) if sentence.is_open(place - 1, place, place + 1) else ""
        if rule:
            yield deleted(sentence, rule, place, place + 1)


def _missing_rule(sentence: Sentence, place: int) -> str:
    word, tag = sentence.word(place), sentence.tag(place)
    if word == "的" and tag == "u":
        return _missing_de(sentence, place)
    if word == "得" and tag == "u" and sentence.tag(place - 1) == "v" and sentence.tag(place + 1) == "d":
        # 看得不清楚 becomes 看不清楚, 做得更好 becomes 做更好.
        return (
            "得 before a complement"
            if sentence.word(place + 1) not in {"不", "更", "更加", "更为", "最", "远远"}
            else ""
        )
    if tag == "p" and word in _PREPOSITIONS:
        return _missing_preposition(sentence, place)
    return ""


def _missing_de(sentence: Sentence, place: int) -> str:
    before, tag = sentence.word(place - 1), sentence.tag(place - 1)
    if sentence.tag(place + 1) in {"n", "nz"}:
        if tag == "a" and sentence.word(place - 2) in _DEGREES and len(before) > 1:
            return "的 after an adjective"
        # 大大小小 needs none, nor does 快捷, which has the same tag.
        if tag == "z" and len(set(before)) < len(before) <= 3 and sentence.tag(place - 2) != "m":
            return "的 after an adjective"
        if tag == "r" and before in _SUCH:
            return "的 after 这样"
    if sentence.tag(place + 1) == "n" and tag == "f" and before in _LOCALISERS and _is_object(sentence, place):
        return "的 after a place"
    return "的 after a verb" if _describes(sentence, place) else ""


def _describes(sentence: Sentence, place: int) -> bool:
    """不断 变化 的 形势: a verb that takes no object describes the noun; without 的 the noun would be its object."""
    uses = corpus_transitivity().uses(sentence.word(place - 1))
    return (
        sentence.tag(place - 1) == "v"
        and sentence.tag(place - 2) in {"d", "ad"}
        and sentence.tag(place + 1) == "n"
        and uses.uses >= _FEWEST_USES
        and (uses.share or 0) >= _INTRANSITIVE
    )


def _is_object(sentence: Sentence, particle: int) -> bool:
    """解决 社会 上 的 问题: after the verb, and before the stop; 社会上问题很多 is good."""
    if sentence.tag(particle + 2) != _MARK or sentence.word(particle + 2) == "、":
        return False
    verb = particle - 2
    while sentence.tag(verb) in {"n", "ns", "j", "r", "m", "q", "a", "vn"}:
        verb -= 1
    if sentence.word(verb) == "了" and sentence.tag(verb) == "u":
        verb -= 1
    return verb < particle - 2 and sentence.tag(verb) == "v" and len(sentence.word(verb)) > 1


def _missing_preposition(sentence: Sentence, place: int) -> str:
    word, before, tag = sentence.word(place), sentence.word(place - 1), sentence.tag(place - 1)
    end = _object_end(sentence, place + 1)
    if not end:
        return ""
    if (word == "从" and sentence.tag(end - 1) == "f") or sentence.word(place + 1) in _ADVERBIAL:
        return ""  # 能根本上解决, 也自己解决
    if (before in _BEFORE_VERB_PHRASE and tag in {"d", "v", "ad"}) or (before == "并" and tag == "c"):
        return "preposition after an adverb"
    # 会议北京举行 is what a headline says.
    first = sentence.tag(place + 1)
    place_of_act = word in {"在", "从"} and first in {"ns", "nt"} and tag in {"nr", "r", "t"}
    if place_of_act and sentence.tag(end) == "v" and sentence.word(end) not in _TAKES_PLACE:
        return "preposition before a place"
    return ""


def _object_end(sentence: Sentence, start: int) -> int:
    """Return where a short noun phrase ends if a verb phrase follows it, else 0."""
    end = start
    while (sentence.tag(end) in _PHRASE or sentence.word(end) == "的") and end - start < _LONGEST_OBJECT:
        end += 1
    good = end > start and sentence.tag(start) in _NOMINAL and sentence.tag(end) in {"v", "d", "p"}
    return end if good and sentence.word(end) not in {"起", "到", "是", "来"} else 0


# --- stray ----------------------------------------------------------------------------------------------------------

_HOSTLESS = word_set("也 又 再 更 最 很 已经 正在 却 仍 均 都 非常 曾经 仍然")
_BARE_PREPOSITIONS = word_set("从 把 向 由 以 按 被 于")
_STATES = word_set("是 成为 属于 等于 位于 可以 能够 应该 必须 能 会")
_NO_ACTS = word_set("是 成为 属于 具有 等于 位于 来自 有 可以 能够 应该 必须 没有")


def stray(sentence: Sentence) -> Iterator[Change]:
    """Yield the insertions of a function word where it cannot stand."""
    for place in range(1, len(sentence.words)):
        if sentence.is_open(place - 1, place):
            for rule, word in _strays(sentence, place):
                yield inserted(sentence, rule, place, word)


def _strays(sentence: Sentence, place: int) -> Iterator[tuple[str, str]]:
    """Yield the words that cannot stand before this one."""
    word, tag = sentence.word(place), sentence.tag(place)
    before, before_tag = sentence.word(place - 1), sentence.tag(place - 1)
    if before_tag == "d" and before in _HOSTLESS and tag in {"v", "a", "p", "d"}:
        yield from (("particle after an adverb", stray_) for stray_ in "的着")
    if before_tag == "p" and before in _BARE_PREPOSITIONS and tag in _NOMINAL:
        yield "particle after a preposition", "的"
    if before_tag == "m" and tag == "q" and not before.startswith("第"):
        yield from (("particle after a numeral", stray_) for stray_ in "的了")
    if before_tag == "v" and before in _STATES and tag in _NOMINAL | {"m", "v"}:
        yield "着 after a state", "着"
    if (
        tag == "v"
        and word in _NO_ACTS
        and before_tag in {"n", "r", "nr", "ns", "nt", "nz"}
        and before not in {"这", "那"}
    ):
        yield from (("把 or 被 before a state", stray_) for stray_ in "把被")


# --- wrong ----------------------------------------------------------------------------------------------------------

_MOMENTS = ("到", "成", "见")
_MOMENTARY = word_set(
    "成立 结束 宣布 签署 签订 离开 到达 当选 逝世 牺牲 忘记 取消 击败 战胜 夺得 荣获 达成 抵达 出任 辞去"
)
_NOT_MOMENTARY = word_set("造成 得到 受到 遭到 感到 看到 见到 听到 组成 构成 赞成 养成 形成 涉及到 意识到 促成")
_RESULTS = frozenset("成为得到")
_ACTORS = frozenset("人者员家长们民兵师生友队会部局院府国党军团司方众手")


def wrong(sentence: Sentence) -> Iterator[Change]:
    """Yield the exchanges of a function word for one that is wrong in its place."""
    for place in range(1, len(sentence.words) - 1):
        found = _exchange(sentence, place) if sentence.is_open(place - 1, place, place + 1) else None
        if found:
            rule, word = found
            yield replaced(sentence, rule, place, word, f"{word} for {sentence.word(place)}")


def _exchange(sentence: Sentence, place: int) -> tuple[str, str] | None:
    """Return the rule and the wrong word, or None."""
    word, tag = sentence.word(place), sentence.tag(place)
    before, after = sentence.tag(place - 1), sentence.tag(place + 1)
    if word == "被" and tag == "p" and after == "v" and not _goes_on(sentence, place + 2):
        return "把 for 被", "把"
    if word in {"把", "将"} and tag == "p" and _cannot_act(sentence, place):
        return "被 for 把", "被"
    if word == "在" and tag == "p" and before != "v" and _is_place_of_act(sentence, place):
        return "把 for 在", "把"
    if word == "了" and tag == "u" and before == "v" and _is_momentary(sentence.word(place - 1)):
        return "着 for 了", "着"
    if word == "的" and tag == "u" and before in {"n", "ns", "nt", "nz", "r"} and after == "n":
        # 大地, 此地, 所在地 and 产地 are words.
        return ("地 for 的", "地") if len(sentence.word(place - 1)) > 1 and sentence.word(place - 1) != "所在" else None
    if word == "得" and tag == "u" and before == "v" and after in {"d", "a"}:
        return "地 for 得", "地"
    return None


def _goes_on(sentence: Sentence, start: int) -> bool:
    """Say whether another verb follows in the clause, whose object the first might become: 把查封房屋当作任务."""
    return any("v" in sentence.tags[start : clause.stop] for clause in sentence.clauses if start in clause)


def _cannot_act(sentence: Sentence, place: int) -> bool:
    """Say whether 把 has one noun for an object that does nothing by itself, after a modal or an adverb."""
    noun = sentence.word(place + 1)
    return (
        sentence.tag(place - 1) in {"v", "d", "c"}
        and sentence.tag(place + 1) == "n"
        and noun[-1] not in _ACTORS
        and sentence.tag(place + 2) == "v"
    )


def _is_place_of_act(sentence: Sentence, place: int) -> bool:
    """在 北京 工作: the place is no object of the verb, unless that makes something of it (把 上海 建 成)."""
    end = place + 2 if sentence.tag(place + 1) in {"ns", "s"} else place + 3
    named = end == place + 2 or (sentence.tag(place + 1) == "n" and sentence.tag(place + 2) == "f")
    after = "".join(sentence.words[end : end + 2])
    return named and sentence.tag(end) == "v" and _RESULTS.isdisjoint(after) and sentence.is_open(end)


def _is_momentary(verb: str) -> bool:
    if verb in _NOT_MOMENTARY:
        return False
    return verb in _MOMENTARY or (len(verb) > 1 and verb.endswith(_MOMENTS))
