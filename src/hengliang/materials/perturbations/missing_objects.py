"""Which verbs cannot end a Mandarin clause?

Mandarin drops what has just been named, so that a missing object is often no fault: 护士照顾了 is fine after a
question. Some verbs do not allow it: those that link (成为, 属于), that say how things are by naming a second thing
(具有, 充满), that have little meaning without their object (作出, 采取, 给予, 取得), or that end in the word that
calls for it (遭到, 来自, 位于). The list below holds such verbs only; beside our judgement, the corpus has to have each
of them without an object in no more than 1 % of its uses (`hengliang.grammar.suites.verbs`).

What is deleted is all that follows the verb, and 了 or 着, up to the end of the clause. It has to be a noun phrase: no
verb, adverb or preposition in it. Nothing before the verb in the clause may have taken its object away (把, 将, 被,
由, 所, 给, 以, 用, 对), and the verb must not stand right before 的. Where the phrase holds 的 it may be the rest of a
relative clause and its noun (陷入僵局的谈判); then both go. No further clause may begin with 也, 并 or the like, whose
object two verbs might share (得到，也受到大家的好评).
"""

from __future__ import annotations

from collections.abc import Iterator

from hengliang.grammar.suites.verbs import CLAUSE_ENDS, corpus_transitivity
from hengliang.materials.perturbations.changes import Change, deleted, word_set
from hengliang.materials.perturbations.sentences import Sentence

NEED_AN_OBJECT = word_set(
    "成为 作为 具有 来自 属于 位于 处于 等于 充满 得到 受到 遭到 遭受 深受 获得 取得 赢得 夺得 荣获 缺少 "
    "享有 带有 作出 做出 采取 给予 予以 加以 造成 导致 引起 构成 面临 涉及 从事 担任 出任 围绕 高于 濒临 "
    "陷入 步入 迈向 转向 面向 通往 奔赴 赶赴 变成 变为 当做 看做 视为 称为 分为 列为 堪称 名叫 有着 怀着 "
    "身着 呈现 致以 转达 奠定 树立 营造 塑造 开辟 开创 谋求 寻求 增添 增进 迎来 带来 打下 迈出 跻身 名列 "
    "地处 取决于 有利于 有助于 出于 限于 用于 提供"
)
"""Our judgement; the corpus is asked as well."""
MOST_WITHOUT = 0.01
FEWEST_USES = 10

_PHRASE = frozenset(
    ("n", "nr", "ns", "nt", "nz", "j", "vn", "an", "Ng", "m", "q", "r", "a", "b", "s", "t", "i", "l", "f", "z", "nx")
)
_JOINING = word_set("的 之 和 与 及 、 以及 等")
_HEADS = frozenset(("n", "nr", "ns", "nt", "nz", "j", "vn", "an", "Ng", "q", "m", "s", "t", "r", "nx"))
_TAKES_OBJECT_AWAY = word_set("把 将 被 由 所 给 以 用 对")
_ASPECT = frozenset("了着过")
_SHARING = word_set("也 又 还 更 并 并且 或 或者 甚至")


def missing_objects(sentence: Sentence) -> Iterator[Change]:
    """Yield the deletions of all that follows a verb in its clause, where it is a noun phrase that the verb needs."""
    for place, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True)):
        if tag != "v" or not needs_an_object(word) or not sentence.is_open(place):
            continue
        start = place + 1
        if sentence.word(start) in _ASPECT and sentence.tag(start) == "u":
            start += 1
        # 遇到 的 困难: what follows is not the object but what the clause describes.
        end = _phrase_end(sentence, start) if sentence.word(start) != "的" else 0
        if end and not _is_taken_away(sentence, place):
            detail = f"without the object of {word}"
            yield deleted(sentence, "object deleted", start, end, detail)


def needs_an_object(verb: str) -> bool:
    """Say whether a verb needs its object, by our list and by the default corpus."""
    if verb not in NEED_AN_OBJECT:
        return False
    uses = corpus_transitivity().uses(verb)
    return uses.share is not None and uses.uses >= FEWEST_USES and uses.share <= MOST_WITHOUT


def _phrase_end(sentence: Sentence, start: int) -> int:
    """Return where the noun phrase from `start` ends if that is the end of a clause, else 0."""
    end = start
    while sentence.is_open(end) and (sentence.tag(end) in _PHRASE or sentence.word(end) in _JOINING):
        end += 1
    ends = end > start and end < len(sentence.words) and sentence.word(end) in CLAUSE_ENDS - {"："}
    ends = ends and sentence.word(end + 1) not in _SHARING
    return end if ends and (sentence.tag(end - 1) in _HEADS or sentence.word(end - 1) == "等") else 0


def _is_taken_away(sentence: Sentence, place: int) -> bool:
    """Say whether a word before the verb, in the same clause, may have its object."""
    before = place - 1
    while before >= 0 and sentence.word(before) not in CLAUSE_ENDS:
        if sentence.word(before) in _TAKES_OBJECT_AWAY and sentence.tag(before) in {"p", "u"}:
            return True
        before -= 1
    return False
