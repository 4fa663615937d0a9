"""Which nouns do conjunctions join?

北京 、 上海 和 广州: members of one word stand bare in their phrase; where one of them is a phrase, all of them are. 等
ends an enumeration, and the noun after it names what was listed: 北京 、 上海 等 城市.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.materials.trees import chunk_words as classes
from hengliang.materials.trees.chunks import (
    CONJUNCTION,
    DE,
    NOMINAL,
    NOUN,
    PLACE,
    QUANTITY,
    Chunk,
)
from hengliang.materials.trees.constituents import Tree


def coordinated(chunks: Sequence[Chunk], *, early: bool) -> list[Chunk]:
    """Put nouns together that a conjunction or 、 joins, and 等 with what it ends.

    Before modifiers are known (`early`), a noun that itself modifies with 的 is kept apart where the one before it is
    modified too: 他 的 老师 和 我 的 朋友.
    """
    found: list[Chunk] = []
    place = 0
    while place < len(chunks):
        members = [place]
        while not (early and _must_wait(chunks, members)) and (step := _next_member(chunks, members[-1], members[0])):
            members.append(step)
        end = members[-1] + 1
        if len(members) > 1 and early and end < len(chunks) and _must_wait(chunks, members):
            end = members[-2] + 1
            members.pop()
        if len(members) > 1:
            _add_coordination(found, chunks[place:end])
        else:
            found.extend(chunks[place:end])
        place = end
        if place < len(chunks) and chunks[place].head in classes.ENUMERATION_ENDS and found[-1].kind in NOMINAL:
            place = _enumeration(found, chunks, place)
    return found


def _next_member(chunks: Sequence[Chunk], place: int, first: int) -> int:
    """Return the place of the next member of a coordination, or 0 where there is none."""
    if chunks[first].kind not in NOMINAL or place + 2 >= len(chunks):
        return 0
    link = chunks[place + 1]
    if link.kind != CONJUNCTION or link.head not in classes.NOUN_CONJUNCTIONS:
        return 0
    after = chunks[place + 2]
    if after.kind == QUANTITY and place + 3 < len(chunks) and chunks[place + 3].kind == NOUN:
        return place + 3 if chunks[first].kind == NOUN else 0
    if after.kind == chunks[first].kind or {after.kind, chunks[first].kind} <= {NOUN, PLACE}:
        return place + 2
    return 0


def _must_wait(chunks: Sequence[Chunk], members: Sequence[int]) -> bool:
    last, first = members[-1], members[0]
    if len(members) < 2 or last + 1 >= len(chunks) or chunks[last + 1].kind != DE:
        return False
    return chunks[last].tag == "r" or (first > 0 and chunks[first - 1].kind == DE)


def _add_coordination(found: list[Chunk], chunks: Sequence[Chunk]) -> None:
    """Add a coordination; where a later member is counted, the first one takes its number too: 各 省 、 各 市."""
    later = any(chunk.kind == QUANTITY for chunk in chunks[1:]) and chunks[0].kind == NOUN
    counted = [found.pop()] if later and found and found[-1].kind == QUANTITY else []
    found.extend(_coordination((*counted, *chunks), bool(counted) or chunks[0].kind != QUANTITY))


def _coordination(chunks: Sequence[Chunk], nouns: bool) -> list[Chunk]:
    """Return the members as one chunk; if one of them is a phrase, all of them are."""
    phrases = any(chunk.label or (nouns and chunk.kind == QUANTITY) for chunk in chunks)
    parts: list[Tree | str] = []
    waiting: tuple[Tree | str, ...] = ()
    for chunk in chunks:
        if chunk.kind == QUANTITY and nouns:
            waiting = chunk.trees()
            continue
        if waiting:
            parts.append(Tree("NP", (*waiting, *(chunk.parts if chunk.label in {"", "NP"} else chunk.trees()))))
            waiting = ()
        else:
            parts.extend(chunk.whole() if phrases else chunk.trees())
    last = chunks[-1]
    label = {QUANTITY: "QP", PLACE: "LCP"}.get(last.kind, "NP")
    return [Chunk(last.kind, label, tuple(parts), last.head, last.tag if last.tag != "r" else "n")]


def _enumeration(found: list[Chunk], chunks: Sequence[Chunk], place: int) -> int:
    """Put 等 to the nouns before it, and both to the noun after it: 北京 、 上海 等 城市."""
    before = found.pop()
    parts = (*(before.parts if before.label in {"", "NP"} else before.trees()), *chunks[place].parts)
    listed = Chunk(before.kind, "NP", parts, before.head, before.tag)
    end = place + 1
    quantity = end + 1 < len(chunks) and chunks[end].kind == QUANTITY
    head = end + quantity
    if head < len(chunks) and chunks[head].kind == NOUN and chunks[head].tag != "r" and before.kind == NOUN:
        noun = chunks[head]
        named = noun.parts if noun.label in {"", "NP"} else noun.trees()
        counted = chunks[end].trees() if quantity else ()
        found.append(Chunk(NOUN, "NP", (Tree("NP", parts), *counted, *named), noun.head, noun.tag))
        return head + 1
    found.append(listed)
    return end
