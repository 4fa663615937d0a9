"""Modifiers of nouns in the chunker: relative clauses and other phrases with 的.

Chunks are read from left to right. At each 的 the chunks before it are asked where its modifier begins; the modifier
becomes a constituent, CP if it is a clause and DNP if not, and joins the noun that follows. So a modifier within
another is finished before the outer one is asked for: [[拍 [反映 历史 的] 电影] 的] 导演.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hengliang.corpora.trees import chunk_words as classes
from hengliang.corpora.trees.chunks import (
    ADJECTIVE,
    ADVERB,
    CONJUNCTION,
    DE,
    LOCALISER,
    MODAL,
    MODIFIER,
    NOMINAL,
    NOUN,
    OTHER,
    PARTICLE,
    PLACE,
    PREPOSITION,
    QUANTITY,
    TIME,
    VERB,
    Chunk,
)
from hengliang.corpora.trees.clauses import clause_parts
from hengliang.corpora.trees.constituents import Tree

# --- where a modifier begins ------------------------------------------------------------------------------------------
# What matters most for relative clauses is how many of the chunks before a 的 belong to it. After an adjective: the
# adjective with its adverbs. After a verb: a relative clause with its adverbs, prepositional phrases and subject; a
# classifier before that subject stays outside (一 辆 [女儿 喜欢 的] 轿车). After a noun: that noun alone, or a relative
# clause of the verb before it and the noun as its object. Which of the two is asked of what stands before the verb and
# after the head:
#
# - a classifier, a modifier, a verb with its aspect or a preposition before the verb: it has to be a relative clause,
#   since these want a noun (成为 了 [拍 电影 的] 导演);
# - nothing before the verb, and another predicate after the head: a relative clause in the subject;
# - a subject before the verb: the verb is the main one, and the noun alone modifies (我 认识 [他 的 老师]).

LIGHT = frozenset((ADVERB, MODAL))
"""Kinds that stand before a verb without being its subject."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What follows a 的: the head of the modifier, what comes after it, and whether a predicate is still to come."""

    head: Chunk | None
    after: Chunk | None
    predicate: bool


def beginning(done: Sequence[Chunk], de: Chunk, ahead: Ahead) -> tuple[int, str]:
    """Return the place of the first chunk of the modifier, and its label: CP for a clause, DNP for all others."""
    last = len(done) - 1
    if last < 0 or done[last].kind in {CONJUNCTION, PREPOSITION, MODIFIER}:
        return len(done), ""
    if de.head == "之":
        return last, "DNP"
    place = last
    while place > 0 and done[place].kind in {PARTICLE, LOCALISER, OTHER}:
        place -= 1
    kind = done[place].kind
    if kind == ADJECTIVE:
        return _adjective(done, place)
    if kind in {VERB, MODAL}:
        return _clause_start(done, place, ahead, object_inside=done[place].tag == "得"), "CP"
    if kind in NOMINAL:
        return _noun(done, place, ahead)
    return last, "DNP"


def _adjective(done: Sequence[Chunk], place: int) -> tuple[int, str]:
    start = place
    while start > 0 and (done[start - 1].kind in LIGHT or done[start - 1].kind == ADJECTIVE):
        start -= 1
    pivot = _noun_start(done, start - 1) - 1 if start and done[start - 1].kind in NOMINAL else -1
    if pivot >= 0 and done[pivot].kind == VERB and done[pivot].head in classes.MAKING_VERBS | {"令"}:
        return _before_adverbs(done, pivot) + 1, "CP"  # 更 使 我 高兴 的
    degrees = {done[number].head for number in range(start, place)}
    subject = done[start - 1] if start else None
    if (
        subject is None
        or subject.kind != NOUN
        or subject.tag not in classes.COMMON_NOUN_TAGS
        or subject.head in classes.WHOLE_NOUNS
        or degrees & classes.SUPERLATIVES
        or (done[place].head in classes.PLAIN_ATTRIBUTES and not degrees)
    ):
        return start, "DNP"
    return start - 1, "CP"


def _noun(done: Sequence[Chunk], place: int, ahead: Ahead) -> tuple[int, str]:
    """Decide between a noun that modifies by itself and a relative clause of which it is the object."""
    start = _noun_start(done, place)
    before = start - 1
    if before >= 0 and done[before].kind == PREPOSITION:
        return _after_preposition(done, before, start, ahead)
    if before >= 0 and done[before].kind == VERB and _is_relative(done, before, place, ahead):
        inside = ahead.head is not None and ahead.head.head not in classes.CLAUSE_NOUNS
        return _clause_start(done, before, ahead, object_inside=inside), "CP"
    if start < place and done[start].tag == "q" and done[start].head not in _GENERAL_CLASSIFIERS:
        start = place
    return start, "DNP"


_GENERAL_CLASSIFIERS = classes.PERSON_CLASSIFIERS | frozenset(("个", "这个", "那个", "这些", "那些", "些", "种", "国"))


def _noun_start(done: Sequence[Chunk], place: int) -> int:
    """Return where the noun phrase begins that ends at `place`: a number or determiner may come before the noun."""
    return place - 1 if place > 0 and done[place - 1].kind == QUANTITY and done[place].kind == NOUN else place


def _after_preposition(done: Sequence[Chunk], before: int, start: int, ahead: Ahead) -> tuple[int, str]:
    """对 经济 的 影响: the phrase modifies; 把 他 的 书, 在 他 的 领导 下: the noun does, within the phrase."""
    word = done[before].head
    last = len(done) - 1
    verb = before - 1
    if word in classes.PATH_PREPOSITIONS and verb >= 0 and done[verb].kind == VERB and done[verb].tag == "v":
        close = word in classes.CLOSE_PREPOSITIONS or done[verb].head in classes.PLACE_VERBS
        if close and _is_relative(done, verb, last, ahead):
            explains = _explains(ahead)
            return _clause_start(done, verb, ahead, object_inside=not explains), "CP"  # 设 在 北京 的 公司
        if close or len(done[verb].head) == 1:
            return start, "DNP"  # 停 在 [学校 的 门口]
    pronoun = done[last].tag == "r" and not done[last].label
    if word not in classes.TOPIC_PREPOSITIONS or ahead.head is None:
        return start, "DNP"
    if word in {"在", "于", "自", "从", "向"}:
        place = done[last].kind == PLACE or done[last].label == "LCP" or done[last].tag in {"ns", "s"}
        return (start if _is_framed(ahead) or not place else before), "DNP"
    if before > 0 and done[before - 1].kind == VERB and not ahead.predicate:
        return before, "DNP"  # 加强 对 企业 的 管理: the verb wants a noun
    light = ahead.after is not None and ahead.after.head in classes.LIGHT_VERBS
    if pronoun or (light and ahead.predicate and word in {"对", "对于", "向"}):
        return start, "DNP"  # 对 [他 的 计划] 表示 满意
    if word in {"与", "同", "和", "跟"}:
        return (start, "DNP") if ahead.predicate and ahead.head.tag != "vn" else (before, "DNP")
    deverbal = ahead.head.tag in {"vn", "an"} or word in {"关于", "有关"} or not ahead.predicate
    return (before if deverbal else start), "DNP"


def _is_relative(done: Sequence[Chunk], verb: int, noun: int, ahead: Ahead) -> bool:
    """Say whether verb, noun and 的 are a relative clause rather than a predicate with the beginning of its object."""
    if ahead.head is None:
        return True
    kind, word = done[noun].kind, done[verb].head
    if (kind == PLACE and word not in classes.PLACE_VERBS) or (kind == QUANTITY and word not in classes.MEASURE_VERBS):
        return False
    last, place = verb, _before_adjuncts(done, verb)
    while place >= 0 and done[place].kind == VERB and _goes_on(done[place]):
        verb, place = place, _before_adjuncts(done, place)  # 加快 推进 改革 的 要求: what holds for one holds for both
    if any(done[number].head in classes.DUTY_VERBS for number in range(place + 1, last)):
        return False
    if place < 0 or done[place].kind in {CONJUNCTION, OTHER, PARTICLE, LOCALISER}:
        return _opens(done, verb, place, noun, ahead)
    before = done[place]
    if before.kind in {QUANTITY, MODIFIER}:
        return before.kind == MODIFIER or before.tag == "q"
    if before.kind == VERB:
        return _after_verb(done, place, verb, ahead)
    if before.kind == PREPOSITION:
        takes_noun = before.head not in classes.VERBAL_PREPOSITIONS and done[noun].tag != "r"
        return takes_noun or _explains(ahead) or _is_framed(ahead)
    describes = done[verb].head in classes.DESCRIBING_VERBS or _explains(ahead)
    pivot = _noun_start(done, place) - 1
    if done[noun].tag == "r" or done[verb].tag in classes.ASPECTS:
        return False
    if pivot >= 0 and done[pivot].kind == VERB:
        return describes or _is_series(done, pivot, ahead)
    return describes and ahead.predicate


def _goes_on(verb: Chunk) -> bool:
    return verb.head in classes.INTENT_VERBS and verb.tag not in classes.ASPECTS


def _is_series(done: Sequence[Chunk], verb: int, ahead: Ahead) -> bool:
    """买 灯笼 迎 新年 的 顾客 很 多: two predicates without a subject, and a third after the head."""
    plain = done[verb].head not in classes.CLAUSE_VERBS and done[verb].tag not in classes.ASPECTS
    return ahead.predicate and plain and _before_adverbs(done, verb) < 0 and verb == 0


def _before_adverbs(done: Sequence[Chunk], place: int) -> int:
    """Return the place of the last chunk before `place` that is neither adverb nor modal, -1 where there is none."""
    place -= 1
    while place >= 0 and done[place].kind in LIGHT:
        place -= 1
    return place


def _before_adjuncts(done: Sequence[Chunk], place: int) -> int:
    """Return the place of the last chunk before `place` that is not an adverb, modal, time or prepositional phrase."""
    place = _before_adverbs(done, place)
    while place >= 0 and done[place].kind in NOMINAL:
        phrase = _in_phrase(done, place)
        classifier = done[place].kind == QUANTITY and done[place].tag == "q"  # 对 那些 [...]: it waits for a noun
        if classifier or not (phrase or done[place].kind == TIME):
            break
        place = _before_adverbs(done, _noun_start(done, place) - 1 if phrase else place)
    return place


def _explains(ahead: Ahead) -> bool:
    return ahead.head is not None and ahead.head.head in classes.CLAUSE_NOUNS


def _is_framed(ahead: Ahead) -> bool:
    """在 发展 经济 的 过程 中: a localiser after the head shows that the preposition waits for it."""
    head, after = ahead.head, ahead.after
    return (head is not None and head.kind == PLACE) or (after is not None and after.kind == LOCALISER)


def _in_phrase(done: Sequence[Chunk], place: int) -> bool:
    start = _noun_start(done, place)
    return start > 0 and done[start - 1].kind == PREPOSITION


def _after_verb(done: Sequence[Chunk], before: int, verb: int, ahead: Ahead) -> bool:
    """成为 了 [拍 电影 的] 导演, but 开始 写 [他 的 书]."""
    head, tag = done[before].head, done[before].tag
    if tag in classes.ASPECTS or head in classes.NAMING_VERBS:
        return True
    if head in classes.INTENT_VERBS or head in classes.CLAUSE_VERBS or done[verb].tag in classes.ASPECTS:
        return _explains(ahead) and head not in classes.INTENT_VERBS
    return not any(done[place].head in classes.MAIN_ADVERBS for place in range(before + 1, verb))


def _opens(done: Sequence[Chunk], verb: int, place: int, noun: int, ahead: Ahead) -> bool:
    """Say whether a verb without a subject before it begins a relative clause."""
    if place >= 0 and done[place].kind == CONJUNCTION and _coordinated_with(done, place, ahead) is not None:
        return True
    if ahead.head is not None and ahead.head.tag == "nr":
        return True
    words = {done[number].head for number in range(max(place, -1) + 1, verb)}
    if words & classes.MAIN_ADVERBS or done[noun].tag == "r" or done[verb].head.endswith("是"):
        return False
    if done[verb].tag in classes.ASPECTS and not ahead.predicate:
        return False
    head = ahead.head
    if head is not None and head.tag == "vn" and not head.label and head.head not in classes.ACTIVITY_NOUNS:
        return False
    return ahead.predicate or done[verb].head in classes.DESCRIBING_VERBS


# --- relative clauses -------------------------------------------------------------------------------------------------


def _clause_start(done: Sequence[Chunk], verb: int, ahead: Ahead, *, object_inside: bool) -> int:
    """Return where a relative clause begins whose last verb is at `verb`; with its object it takes no subject."""
    start = verb
    while start > 0:
        before = done[start - 1]
        if before.kind in LIGHT or (before.kind == TIME and not _in_phrase(done, start - 1)):
            start -= 1
        elif before.kind == VERB:
            if not _goes_on(before) and not _is_series(done, start - 1, ahead):
                break
            start -= 1
        elif before.kind == PREPOSITION and before.head in classes.PASSIVES and start == verb:
            start -= 1
        elif before.kind in NOMINAL:
            step, object_inside = _take_noun(done, start - 1, verb, ahead, object_inside)
            if step is None:
                break
            start = step
            if before.kind != TIME and start > 0 and done[start].kind in NOMINAL:
                break
        elif before.kind == CONJUNCTION:
            conjunct = _coordinated_with(done, start - 1, ahead)
            if conjunct is None:
                break
            start = conjunct
        else:
            break
    return start


def _take_noun(
    done: Sequence[Chunk], place: int, verb: int, ahead: Ahead, object_inside: bool
) -> tuple[int | None, bool]:
    """Return where the clause begins with this noun in it, and whether the object is inside then; None: without it."""
    start = _noun_start(done, place)
    before = done[start - 1] if start else None
    if before is not None and before.kind == PREPOSITION:
        if _is_outer(before.head, done[verb].head, ahead):
            classifier = done[place].kind == QUANTITY and done[place].tag == "q"
            return (None if object_inside or classifier else place), object_inside
        return start - 1, object_inside
    if before is not None and before.kind == VERB and before.head in classes.CAUSE_VERBS and not before.tag.strip("v"):
        people = done[place].tag == "r" or done[place].head in {"人", "人们"}
        if people or not ahead.predicate or before.head not in classes.MAKING_VERBS:
            return start - 1, True
    if object_inside and before is not None and before.kind == VERB and _is_series(done, start - 1, ahead):
        return start - 1, True
    if done[place].head in {"讯", "电"}:
        return None, object_inside
    if object_inside or (done[place].kind == QUANTITY and done[place].tag == "q"):
        return None, object_inside
    if start < place and done[start].tag == "q" and done[start].head not in classes.PERSON_CLASSIFIERS:
        return place, object_inside
    return start, object_inside


def _is_outer(preposition: str, verb: str, ahead: Ahead) -> bool:
    """Whether the noun after a preposition is the subject of the clause, and the preposition stays outside."""
    if _is_framed(ahead):
        return preposition in {"在", "当", "从", "自", "于"}
    if preposition == "对":
        return verb not in classes.LIGHT_VERBS
    return preposition in classes.OUTER_PREPOSITIONS


def _coordinated_with(done: Sequence[Chunk], link: int, ahead: Ahead) -> int | None:
    """Return where the predicate begins that a conjunction joins to the relative clause, if it belongs into it.

    In 成为 了 [拍 电影 并且 写 剧本 的] 导演 the verb before 拍 wants a noun; in 他 写 书 并且 研究 气候 的 变化
    nothing does.
    """
    if done[link].head not in classes.PHRASE_CONJUNCTIONS or link == 0:
        return None
    place = link - 1
    if done[place].kind in NOMINAL:
        place = _noun_start(done, place) - 1
    if place < 0 or done[place].kind not in {VERB, ADJECTIVE}:
        return None
    before = _before_adverbs(done, place)
    if before < 0:
        return place if ahead.predicate else None
    wants = done[before].kind in {VERB, MODIFIER, PREPOSITION} or (
        done[before].kind == QUANTITY and done[before].tag == "q"
    )
    return before + 1 if wants else None


# --- chunks with their modifiers --------------------------------------------------------------------------------------


_NOUN_LABELS = frozenset(("", "NP"))


def with_modifiers(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Put every 的 together with its modifier, and modifiers with the noun that follows them."""
    chunks = _nominalised(chunks)
    predicates = _predicates_after(chunks)
    done: list[Chunk] = []
    for place, chunk in enumerate(chunks):
        if chunk.kind == DE:
            _modify(done, chunk, _ahead(chunks, place, predicates))
        elif chunk.kind in {NOUN, PLACE} or (
            chunk.kind in {TIME, QUANTITY} and done and done[-1].kind == MODIFIER and not _noun_next(chunks, place)
        ):
            _attach(done, chunk, chunks, place)
        else:
            done.append(chunk)
    return done


def _nominalised(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Make a noun of a verb that a noun with 的 modifies: 为 祖国 的 早日 腾飞 作出 贡献."""
    done: list[Chunk] = []
    place = 0
    while place < len(chunks):
        end = place
        if done and _wants_noun(done):
            while end < len(chunks) and chunks[end].kind == ADVERB:
                end += 1
        ends = end + 1 >= len(chunks) or chunks[end + 1].kind in _AFTER_NOMINALISED
        ends = ends or chunks[end + 1].head in _STRESSING
        if done and _wants_noun(done) and end < len(chunks) and chunks[end].kind == VERB and ends:
            verb = chunks[end]
            if verb.tag == "v" and (end + 1 < len(chunks) or end > place):
                words = tuple(part for chunk in chunks[place : end + 1] for part in chunk.trees())
                done.append(Chunk(NOUN, "VP" if end > place else "", words, verb.head, "vn"))
                place = end + 1
                continue
        done.append(chunks[place])
        place += 1
    return done


_STRESSING = frozenset(("不仅", "不但", "既", "也", "都"))
_AFTER_NOMINALISED = frozenset((VERB, LOCALISER, ADVERB, MODAL))


def _wants_noun(found: Sequence[Chunk]) -> bool:
    if found[-1].kind == QUANTITY:
        return found[-1].head in {"这次", "此次", "本次", "那次"}
    if found[-1].kind == DE:
        return len(found) > 1 and found[-2].kind in NOMINAL
    joins = found[-1].kind == CONJUNCTION and found[-1].head in {"和", "与", "及", "、"}
    return joins and len(found) > 2 and found[-2].tag == "vn" and found[-3].kind == DE


def _predicates_after(chunks: Sequence[Chunk]) -> list[bool]:
    """Say of each place whether a predicate follows that is not itself the end of a relative clause."""
    done = [False] * (len(chunks) + 1)
    for place in range(len(chunks) - 1, -1, -1):
        following = chunks[place + 1].kind if place + 1 < len(chunks) else ""
        predicate = chunks[place].kind in {VERB, ADJECTIVE} and following not in {DE, LOCALISER}
        done[place] = done[place + 1] or predicate
    return done


def _ahead(chunks: Sequence[Chunk], place: int, predicates: Sequence[bool]) -> Ahead:
    head = place + 1
    if head < len(chunks) and chunks[head].kind == QUANTITY and _noun_next(chunks, head):
        head += 1
    if head >= len(chunks) or chunks[head].kind not in NOMINAL:
        return Ahead(None, None, predicates[min(head, len(chunks))])
    after = chunks[head + 1] if head + 1 < len(chunks) else None
    return Ahead(chunks[head], after, predicates[head + 1])


def _noun_next(chunks: Sequence[Chunk], place: int) -> bool:
    return place + 1 < len(chunks) and chunks[place + 1].kind in {NOUN, PLACE}


# --- a modifier and its head ------------------------------------------------------------------------------------------


def _attach(done: list[Chunk], noun: Chunk, chunks: Sequence[Chunk], place: int) -> None:
    """Put a noun on the list, with the modifiers before it; a classifier between them comes along."""
    before: list[Tree | str] = []
    quantity = len(done) > 1 and done[-1].kind == QUANTITY and done[-2].kind == MODIFIER and noun.kind == NOUN
    if quantity and not _begins_relative(chunks, place):
        before = list(done.pop().trees())
    while done and done[-1].kind == MODIFIER:
        before[:0] = done.pop().trees()
        if done and done[-1].kind == QUANTITY and len(done) > 1 and done[-2].kind == MODIFIER:
            before[:0] = done.pop().trees()
    owner = bool(before) and bool(done) and done[-1].kind == NOUN and done[-1].label != "QUO"
    owner = owner and done[-1].head not in {"电", "讯"}
    first = before[0] if before else ""
    if owner and isinstance(first, Tree) and first.label == "DNP":
        before[:0] = done.pop().trees()  # 中国 [最 大 的] 银行
    if not before:
        done.append(noun)
    elif noun.kind == PLACE and len(noun.parts) > 1:
        inner = _spread(noun.parts[:-1])
        done.append(Chunk(PLACE, "LCP", (Tree("NP", (*before, *inner)), noun.parts[-1]), noun.head, noun.tag))
    else:
        inside = noun.parts if noun.label in _NOUN_LABELS else noun.trees()
        if _is_coordination(noun):
            inside = noun.trees()
        kind = TIME if noun.head in {"时候", "同时", "时刻"} else NOUN
        done.append(Chunk(kind, "NP", (*before, *inside), noun.head, "n" if noun.tag == "r" else noun.tag))


def _spread(parts: tuple[Tree | str, ...]) -> tuple[Tree | str, ...]:
    only = parts[0]
    return only.children if len(parts) == 1 and isinstance(only, Tree) and only.label == "NP" else parts


def _is_coordination(noun: Chunk) -> bool:
    return any(isinstance(part, str) and part in classes.NOUN_CONJUNCTIONS for part in noun.parts)


def _begins_relative(chunks: Sequence[Chunk], place: int) -> bool:
    """Whether the noun is rather the subject of a relative clause that follows: 买 的 那 本 [老师 写 的] 书."""
    place += 1
    while place < len(chunks) and chunks[place].kind in LIGHT:
        place += 1
    return place + 1 < len(chunks) and chunks[place].kind == VERB and chunks[place + 1].kind == DE


def _modify(done: list[Chunk], de: Chunk, ahead: Ahead) -> None:
    start, label = beginning(done, de, ahead)
    taken = done[start:]
    del done[start:]
    if not taken:
        done.append(Chunk(OTHER, "", de.parts, de.head, de.tag))
        return
    inside = clause_parts(taken) if label == "CP" else _described(taken)
    done.append(Chunk(MODIFIER, label, (*inside, *de.parts), taken[-1].head, taken[-1].tag))


def _described(taken: Sequence[Chunk]) -> tuple[Tree | str, ...]:
    """Return what stands before 的 where that is not a clause; a phrase of several chunks is one constituent."""
    if taken[0].kind == PREPOSITION:
        nouns = _noun_phrase(taken[1:])
        return (Tree("PP", (*taken[0].parts, *nouns)),)
    if taken[-1].kind == ADJECTIVE:
        words = tuple(part for chunk in taken for part in chunk.trees())
        return words if len(words) == 1 else (Tree("ADJP", words),)
    if len(taken) > 1:
        return _noun_phrase(taken)
    return taken[0].trees()


def _noun_phrase(taken: Sequence[Chunk]) -> tuple[Tree | str, ...]:
    if len(taken) == 1:
        return taken[0].whole()
    last = taken[-1]
    if any(chunk.kind not in NOMINAL for chunk in taken[:-1]):
        return tuple(part for chunk in taken for part in chunk.trees())
    inside = last.parts if last.label in _NOUN_LABELS else last.trees()
    return (Tree("NP", (*(part for chunk in taken[:-1] for part in chunk.trees()), *inside)),)
