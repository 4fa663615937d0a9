"""How do a verb, its objects and the verbs after it make a predicate?

A verb takes the nouns after it as objects and the next verb as a complement, so that predicates branch to the right:
开始 [写 [一 本 书]]. Verbs of saying and causing take a clause with a subject of its own: 希望 [儿子 [住 在 城里]].
Adverbs, modal verbs, aspect and complements of one word stand bare beside the verb.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hengliang.materials.trees import chunk_words as classes
from hengliang.materials.trees.chunks import (
    ADJECTIVE,
    NOMINAL,
    NOUN,
    PARTICLE,
    PREPOSITIONAL,
    TIME,
    VERB,
    Chunk,
)
from hengliang.materials.trees.constituents import Tree

Parts = tuple[Tree | str, ...]
DEEPEST = 8
"""So many predicates may stand one within the other; those of a longer series stand side by side."""


@dataclass(slots=True)
class _Frame:
    """A verb with what stands before it and after it, up to what stands before the next one."""

    before: list[Tree | str] = field(default_factory=list)
    verb: Chunk | None = None
    after: list[Chunk] = field(default_factory=list)


def predicate_tree(chunks: Sequence[Chunk]) -> Tree:
    """Return the predicate that these chunks make, from its adverbs to its last object."""
    frames = _frames(chunks)
    nested, rest = frames[:DEEPEST], frames[DEEPEST:]
    tail: Parts = tuple(part for frame in rest for part in _flat(frame))
    for number in range(len(nested) - 1, -1, -1):
        tail = (_built(nested[number], tail),)
    built = tail[0]
    return built if isinstance(built, Tree) else Tree("VP", tail)


def _built(frame: _Frame, following: Parts) -> Tree:
    verb = frame.verb
    words: Parts = (*frame.before, *(verb.parts if verb is not None else ()))
    if verb is None or not following:
        return Tree("VP", (*words, *(part for chunk in frame.after for part in chunk.whole())))
    objects = [part for chunk in frame.after for part in chunk.whole()]
    noun = bool(frame.after) and frame.after[-1].kind in NOMINAL
    tells = isinstance(following[0], Tree) and following[0].children[0] in classes.TENSE_ADVERBS
    if noun and (tells or (verb.head in classes.CLAUSE_VERBS and verb.tag not in classes.ASPECTS)):
        return Tree("VP", (*words, Tree("IP", (*objects, *following))))
    return Tree("VP", (*words, *objects, *following))


def _flat(frame: _Frame) -> Parts:
    return (
        *frame.before,
        *(frame.verb.parts if frame.verb is not None else ()),
        *(part for chunk in frame.after for part in chunk.whole()),
    )


def _frames(chunks: Sequence[Chunk]) -> list[_Frame]:
    """Give every chunk to the verb before it or after it."""
    frames = [_Frame()]
    waiting: list[Chunk] = []
    for chunk in chunks:
        current = frames[-1]
        if chunk.kind in {VERB, ADJECTIVE}:
            if current.verb is None:
                current.before.extend(_bare(waiting))
                current.verb = chunk
            elif chunk.kind == ADJECTIVE and not waiting and not current.after and not chunk.label:
                current.verb = Chunk(VERB, "", (*current.verb.parts, *chunk.parts), current.verb.head, "v")
            else:
                frames.append(_Frame(_bare(waiting), chunk))
            waiting = []
        elif current.verb is not None and not waiting and _belongs_before(current, chunk):
            current.after.append(chunk)
        else:
            waiting.append(chunk)
    if frames[-1].verb is None:
        frames[-1].before.extend(_bare(waiting))
    else:
        frames[-1].after.extend(waiting)
    return frames


def _bare(chunks: Sequence[Chunk]) -> list[Tree | str]:
    return [part for chunk in chunks for part in (chunk.whole() if chunk.kind in {TIME, NOUN} else chunk.trees())]


def _belongs_before(frame: _Frame, chunk: Chunk) -> bool:
    """Whether a chunk after a verb is its object or complement rather than the beginning of the next predicate."""
    if chunk.kind in NOMINAL:
        return chunk.kind != TIME or not frame.after
    if chunk.kind != PREPOSITIONAL or frame.after or frame.verb is None:
        return chunk.kind == PARTICLE
    close = len(frame.verb.parts) == 1 and len(frame.verb.head) == 1 and frame.verb.head not in {"是", "有", "要"}
    return chunk.head in classes.CLOSE_PREPOSITIONS or (close and chunk.head in classes.PATH_PREPOSITIONS)
