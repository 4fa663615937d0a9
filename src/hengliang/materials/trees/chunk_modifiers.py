"""Which modifiers does a noun have?

Chunks are read from left to right. At each 的 the chunks before it are asked where its modifier begins
(`chunk_relatives`); the modifier becomes a constituent, CP if it is a clause and DNP if not, and joins the noun that
follows. So a modifier within another is finished before the outer one is asked for: [[拍 [反映 历史 的] 电影] 的] 导演.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.materials.trees import chunk_words as classes
from hengliang.materials.trees.chunk_clauses import clause_parts
from hengliang.materials.trees.chunk_relatives import LIGHT, Ahead, beginning
from hengliang.materials.trees.chunks import (
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
    PLACE,
    PREPOSITION,
    QUANTITY,
    TIME,
    VERB,
    Chunk,
)
from hengliang.materials.trees.constituents import Tree

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
    found: list[Chunk] = []
    place = 0
    while place < len(chunks):
        end = place
        if found and _wants_noun(found):
            while end < len(chunks) and chunks[end].kind == ADVERB:
                end += 1
        ends = end + 1 >= len(chunks) or chunks[end + 1].kind in _AFTER_NOMINALISED
        ends = ends or chunks[end + 1].head in _STRESSING
        if found and _wants_noun(found) and end < len(chunks) and chunks[end].kind == VERB and ends:
            verb = chunks[end]
            if verb.tag == "v" and (end + 1 < len(chunks) or end > place):
                words = tuple(part for chunk in chunks[place : end + 1] for part in chunk.trees())
                found.append(Chunk(NOUN, "VP" if end > place else "", words, verb.head, "vn"))
                place = end + 1
                continue
        found.append(chunks[place])
        place += 1
    return found


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
    found = [False] * (len(chunks) + 1)
    for place in range(len(chunks) - 1, -1, -1):
        following = chunks[place + 1].kind if place + 1 < len(chunks) else ""
        predicate = chunks[place].kind in {VERB, ADJECTIVE} and following not in {DE, LOCALISER}
        found[place] = found[place + 1] or predicate
    return found


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


# --- a modifier and its head ----------------------------------------------------------------------------------------


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
    """Return what stands before 的 where that is no clause; a phrase of several chunks is one constituent."""
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
