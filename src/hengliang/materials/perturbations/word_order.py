"""Where is the order of Mandarin words so fixed that no other one is a sentence?

Mandarin lets noun phrases move: an object may become the topic, a time may stand before or after the subject. Words of
closed classes do not move [1]: a preposition stands before its object, a particle after what it marks, an adverb
before its verb, a numeral before its classifier, a place word after its noun. So only these are moved.

- word order: one such word changes places with its neighbour. The guards ask what stands around the two, because some
  results are sentences again: 不会去 and 会不去, 将他送走 and 他将送走, 被人骗 and 人被骗.
- word order (distant): one such word goes three or more places away, a particle to a place that has nothing before it,
  a preposition, an adverb or the copula to the end of its clause, where it has nothing after it.
- word order (shuffled): the words of the longest clause come in a random order that keeps no two neighbours together.

[1] Li, C. N., & Thompson, S. A. (1981). Mandarin Chinese: A functional reference grammar. University of
    California Press.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hengliang.core.signature import digest
from hengliang.materials.perturbations.changes import Change, moved, swapped, word_set
from hengliang.materials.perturbations.sentences import Sentence

_NOMINAL = frozenset(("n", "nr", "ns", "nt", "nz", "j", "r", "s", "t", "vn", "an", "Ng"))
_MARK = "w"

# --- neighbours -----------------------------------------------------------------------------------------------------

_PREPOSITIONS = word_set("从 对 向 把 以 由 于 按 自 按照 对于 用 往")
"""被 and 将 are left out: 他被骗, 他将离开; 在 is a verb too; 与 和 同 跟 also join nouns."""
_VERB_STARTS = frozenset(("v", "d", "ad", "vd"))
_ADVERBS = word_set(
    "不 也 都 就 才 还 又 再 更 最 很 太 已 已经 正 正在 将 曾 曾经 十分 非常 只 均 仍 仍然 便 一直 却 未 比较 越来越"
)
_MODALS = frozenset(
    ("会", "能", "可以", "应该", "应", "必须", "能够", "可", "须", "得以", "应当", "要", "想", "愿", "敢", "肯")
)
_AFTER_VERB = frozenset(("n", "nr", "ns", "nt", "nz", "j", "r", "m", "u", "w", "y", "s", "Ng"))
_ASPECT = frozenset("了着过")
_PATHS = frozenset("来去起出上下进回")
_LOCALISERS = word_set("中 里 内 间 之间 之中")
_BEFORE_PHRASE = frozenset((_MARK, "p", "c"))


def neighbours(sentence: Sentence) -> Iterator[Change]:
    """Yield the exchanges of two neighbours whose order is fixed."""
    for place in range(len(sentence.words) - 1):
        if not sentence.is_open(place, place + 1):
            continue
        for rule, applies in _NEIGHBOURS.items():
            if applies(sentence, place):
                yield swapped(sentence, rule, place)


def _preposition_and_object(sentence: Sentence, place: int) -> bool:
    """从 北京 出发: the object is one word and no time, which may stand alone, and the verb phrase follows."""
    return (
        sentence.tag(place) == "p"
        and sentence.word(place) in _PREPOSITIONS
        and sentence.tag(place + 1) in _NOMINAL - {"t"}
        and sentence.tag(place + 2) in _VERB_STARTS
    )


def _adverb_and_verb(sentence: Sentence, place: int) -> bool:
    """也 去 北京: no modal, after which an adverb may stand, and no verb next, before which it may."""
    verb = sentence.word(place + 1)
    return (
        sentence.tag(place) == "d"
        and sentence.word(place) in _ADVERBS
        and sentence.tag(place + 1) in {"v", "a"}
        and verb not in _MODALS
        and sentence.tag(place + 2) in _AFTER_VERB
        and sentence.word(place + 2) != "得"
        and sentence.tag(place - 1) not in {"v", "d"}
    )


def _verb_and_aspect(sentence: Sentence, place: int) -> bool:
    """买 了 书: no verb before, to which the particle would go over (去 买 了), and not 过 去."""
    return (
        sentence.tag(place) == "v"
        and sentence.tag(place + 1) == "u"
        and sentence.word(place + 1) in _ASPECT
        and sentence.tag(place - 1) not in {"v", "a", "Vg", "u"}
        and not (sentence.word(place + 1) == "过" and sentence.word(place) in _PATHS)
    )


def _noun_and_particle(sentence: Sentence, place: int) -> bool:
    """[学生 的] 书: the phrase begins here, so that 的 has nothing before it to mark."""
    return (
        sentence.tag(place) in _NOMINAL
        and sentence.word(place + 1) == "的"
        and sentence.tag(place + 2) in {"n", "vn", "a"}
        and sentence.tag(place - 1) in _BEFORE_PHRASE
        and sentence.word(place - 1) not in {"对", "为", "、", "”"}
    )


def _numeral_and_classifier(sentence: Sentence, place: int) -> bool:
    """三 本 书: no other numeral or classifier around; not 张 三, which is a name, nor 年 半, a year and a half."""
    return (
        sentence.tag(place) == "m"
        and sentence.tag(place + 1) == "q"
        and not sentence.word(place).startswith(("第", "半", "多"))
        and sentence.tag(place - 1) not in {"m", "q", "n", "w", "nr", "t"}
        and sentence.tag(place + 2) not in {"m", "q", _MARK}
        and sentence.word(place + 1) != "张"
    )


def _noun_and_localiser(sentence: Sentence, place: int) -> bool:
    """在 报告 中: the preposition before the noun rules out that the place word is a verb (上 桌子)."""
    return (
        sentence.tag(place) in _NOMINAL
        and sentence.tag(place + 1) == "f"
        and sentence.word(place + 1) in _LOCALISERS
        and sentence.word(place - 1) in {"在", "从"}
        and sentence.tag(place + 2) in _VERB_STARTS | {_MARK, "p", "m"}
    )


def _adverb_and_preposition(sentence: Sentence, place: int) -> bool:
    """也 在 北京 工作: the preposition would be parted from its object."""
    return (
        sentence.tag(place) == "d"
        and sentence.word(place) in _ADVERBS - {"将"}
        and sentence.tag(place + 1) == "p"
        and sentence.word(place + 1) in _PREPOSITIONS | {"在", "被", "与", "同", "跟", "给"}
        and sentence.tag(place + 2) in _NOMINAL | {"m"}
    )


def _pronoun_and_classifier(sentence: Sentence, place: int) -> bool:
    """这 本 书."""
    return (
        sentence.tag(place) == "r"
        and sentence.word(place) in {"这", "那", "每", "哪", "某"}
        and sentence.tag(place + 1) == "q"
        and sentence.word(place + 1) not in {"年", "天", "月", "日"}
        and sentence.tag(place - 1) not in {"m", "q"}
    )


def _manner_and_particle(sentence: Sentence, place: int) -> bool:
    """认真 地 学习: nothing before that could take 地 itself."""
    return (
        sentence.word(place + 1) == "地"
        and sentence.tag(place + 1) == "u"
        and sentence.tag(place - 1) not in {"a", "ad", "d", "i", "l", "z", "m", "q"}
        and sentence.tag(place + 2) in {"v", "d", "p"}
    )


def _modal_and_verb(sentence: Sentence, place: int) -> bool:
    """会 说 汉语: the modal would stand between the verb and its object."""
    return (
        sentence.tag(place) == "v"
        and sentence.word(place) in {"会", "能", "可以", "应该", "必须", "能够", "应当"}
        and sentence.tag(place + 1) == "v"
        and sentence.word(place + 1) not in _MODALS
        and sentence.tag(place + 2) in {"n", "r", "nr", "ns", "nt", "m"}
        and sentence.tag(place - 1) not in {"v", "d"}
    )


_NEIGHBOURS = {
    "preposition and object": _preposition_and_object,
    "adverb and verb": _adverb_and_verb,
    "adverb and preposition": _adverb_and_preposition,
    "verb and aspect": _verb_and_aspect,
    "noun and 的": _noun_and_particle,
    "numeral and classifier": _numeral_and_classifier,
    "pronoun and classifier": _pronoun_and_classifier,
    "noun and place word": _noun_and_localiser,
    "manner and 地": _manner_and_particle,
    "modal and verb": _modal_and_verb,
}

# --- far away -------------------------------------------------------------------------------------------------------

_FAR = 3
_FINAL_PREPOSITIONS = word_set("从 把 被 向 由 以 将 按 关于 自 于 对于 按照 根据")
_FINAL_ADVERBS = word_set(
    "都 就 才 很 已 已经 正 正在 将 曾 曾经 非常 更 最 均 仍 仍然 只 便 却 越来越 进一步 不断 逐步"
)
_FINAL_CONJUNCTIONS = word_set("和 与 及 以及 但 而 并 因为 但是 而且 如果 虽然 因此 所以 由于 不仅 只有 只要")
_PARTICLES = frozenset("的了着")
_NO_SECOND_HALVES = frozenset(("r", "p", "t", "m", "d", "c", "nr", "nt"))
_NO_HOSTS = word_set(
    "和 但 并 而 因为 但是 而且 如果 虽然 以及 从 把 向 由 以 按 被 也 又 再 更 最 很 已经 正在 却 仍 均"
)
"""Words after which no particle stands; not 对 and 为 (对的, 为了), nor 都, 就, 还 and 不."""


def distant(sentence: Sentence) -> Iterator[Change]:
    """Yield the moves of one word by three or more places within its clause."""
    for clause in sentence.clauses:
        for place in clause:
            if sentence.is_open(place):
                yield from _to_the_left(sentence, clause, place)
                yield from _to_the_end(sentence, clause, place)


def _to_the_left(sentence: Sentence, clause: range, place: int) -> Iterator[Change]:
    """A particle or place word goes where there is nothing that it could belong to."""
    word, tag = sentence.word(place), sentence.tag(place)
    particle = word in _PARTICLES and tag == "u"
    if not particle and not (tag == "f" and word in _LOCALISERS):
        return
    for before in range(clause.start, place - _FAR + 1):
        if not sentence.is_open(before):
            continue
        if before == clause.start:
            # 中 and 内 begin words too: 中浓缩铀.
            if sentence.word(before - 1) != "、" and (particle or sentence.tag(before) in _NO_SECOND_HALVES):
                yield moved(sentence, f"{'particle' if particle else 'place word'} to the start", place, before)
        elif particle and _hosts_nothing(sentence, before - 1):
            yield moved(sentence, "particle to the left", place, before)


def _hosts_nothing(sentence: Sentence, place: int) -> bool:
    """Say whether a particle is impossible after this word: a conjunction, preposition, adverb, or 三 in 三 本."""
    counts = sentence.tag(place) == "m" and sentence.tag(place + 1) == "q"
    return counts or (sentence.word(place) in _NO_HOSTS and sentence.tag(place) in {"c", "p", "d"})


def _to_the_end(sentence: Sentence, clause: range, place: int) -> Iterator[Change]:
    """A word that needs something after it goes to the end of its clause."""
    last = clause.stop - 1
    if last - place >= _FAR and sentence.tag(clause.stop) == _MARK and sentence.is_open(last):
        rule = _final_rule(sentence, clause, place)
        if rule:
            yield moved(sentence, rule, place, clause.stop)


def _final_rule(sentence: Sentence, clause: range, place: int) -> str:
    """Say by which rule a word goes to the end of its clause, if by any."""
    word, tag, last = sentence.word(place), sentence.tag(place), sentence.word(clause.stop - 1)
    if tag == "p" and word in _FINAL_PREPOSITIONS:
        return "preposition to the end"
    if tag == "d" and word in _FINAL_ADVERBS:
        return "adverb to the end"
    if tag == "c" and word in _FINAL_CONJUNCTIONS:
        return "conjunction to the end"
    # 他 做 的 是 would go on; without a subject 是 may be an answer or stand for 就是.
    copula = tag == "v" and word == "是" and place > clause.start and sentence.tag(place - 1) in _NOMINAL
    return "copula to the end" if copula and last not in {"的", "了"} else ""


# --- shuffled -------------------------------------------------------------------------------------------------------

_SHORTEST_SHUFFLED = 6
_TRIES = 200
_MOST_SAMPLES = 8


def shuffled(sentence: Sentence) -> Iterator[Change]:
    """Yield some random orders of the longest clause in which no word is followed by the one it was followed by.

    A move of one word parts three pairs of neighbours, an order of six words in which all five are parted is none. A
    word that occurs twice counts by its form. The orders follow from the words; which one is taken, from the seed.
    """
    open_clauses = [clause for clause in sentence.clauses if sentence.is_open(*clause)]
    longest = max(open_clauses, key=len, default=range(0))
    if len(longest) < _SHORTEST_SHUFFLED:
        return
    words = [sentence.words[place] for place in longest]
    together = set(pairwise(words))
    key, made = digest(*words), 0
    for attempt in range(_TRIES):
        lots = [digest(key, f"{attempt} {place}") for place in range(len(words))]
        order = sorted(range(len(words)), key=lots.__getitem__)
        mixed = [words[place] for place in order]
        if together.isdisjoint(pairwise(mixed)) and _is_disordered(sentence, longest, order):
            whole = (*sentence.words[: longest.start], *mixed, *sentence.words[longest.stop :])
            detail = f"order {attempt} of {len(words)} words"
            yield Change("clause shuffled", whole, ((longest.start, longest.stop),), tuple(longest), detail)
            made += 1
            if made == _MOST_SAMPLES:
                return


def _is_disordered(sentence: Sentence, clause: range, order: list[int]) -> bool:
    """Ask for a place where the new order cannot be right: a particle at the start, or a closed word at the end."""
    first, last = clause.start + order[0], clause.start + order[-1]
    particle = sentence.tag(first) in {"u", "y", "q", "f"}
    stranded = sentence.tag(last) in {"p", "c", "d", "m"} or sentence.word(last) in _MODALS | {"是"}
    return particle or stranded
