"""Clauses of the chunker: predicates, subjects, and the clauses that conjunctions join.

The last stage of the cascade (`chunking`): from the chunks of a clause its subject and its predicate are made. Numbers
go to their nouns, prepositions and localisers take what they govern; then the predicate begins after the last noun
before the first verb. Predicates that a conjunction joins share their subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hengliang.corpora.trees import chunk_words as classes
from hengliang.corpora.trees.chunks import (
    ADJECTIVE,
    ADVERB,
    CONJUNCTION,
    LOCALISER,
    MODAL,
    MODIFIER,
    NOMINAL,
    NOUN,
    PARTICLE,
    PLACE,
    PREPOSITION,
    PREPOSITIONAL,
    QUANTITY,
    TIME,
    VERB,
    Chunk,
)
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.phrases import coordinated

# --- predicates -------------------------------------------------------------------------------------------------------
# A verb takes the nouns after it as objects and the next verb as a complement, so that predicates branch to the right:
# 开始 [写 [一 本 书]]. Verbs of saying and causing take a clause with a subject of its own: 希望 [儿子 [住 在 城里]].
# Adverbs, modal verbs, aspect and complements of one word stand bare beside the verb.

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


# --- clauses ----------------------------------------------------------------------------------------------------------


def clause_parts(chunks: Sequence[Chunk]) -> Parts:
    """Return the parts of a clause within another constituent: subject and predicate, or the predicate alone."""
    clauses = _clauses(chunks)
    if len(clauses) == 1 and clauses[0].label != "VP":
        return clauses[0].parts
    return tuple(part for clause in clauses for part in clause.trees())


def clause_trees(chunks: Sequence[Chunk]) -> Parts:
    """Return a clause of the sentence: IP with a subject, VP without, CP with 如果 and its like; else its phrases."""
    return tuple(part for clause in _clauses(chunks) for part in clause.trees())


@dataclass(frozen=True, slots=True)
class _Clause:
    """The parts of a clause and its label, none where it has no predicate; `link` is the conjunction before it.

    `joined` says that its predicate consists of several that conjunctions join.
    """

    label: str
    parts: Parts
    link: Parts = ()
    joined: bool = False

    def trees(self) -> Parts:
        if not self.label:
            return (*self.link, *self.parts)
        if len(self.parts) == 1 and isinstance(self.parts[0], Tree) and self.parts[0].label == self.label:
            return (*self.link, *self.parts)
        return (*self.link, Tree(self.label, self.parts))


def _clauses(chunks: Sequence[Chunk], level: int = 0) -> list[_Clause]:
    """Cut at conjunctions between predicates; predicates that share a subject become one."""
    settled = _phrases(chunks, level)
    clauses: list[_Clause] = []
    for link, piece in _pieces(settled):
        clause = _clause(piece, link)
        if clauses and clause.label == "VP" and clauses[-1].label in {"IP", "VP", "CP"} and link:
            clauses[-1] = _shared(clauses[-1], clause)
        else:
            clauses.append(clause)
    return clauses


def _shared(first: _Clause, second: _Clause) -> _Clause:
    """Join two predicates below one subject: 他 [[写 书] 并且 [教 课]]."""
    added = (*second.link, Tree("VP", second.parts))
    before: Parts = ()
    predicate = Tree("VP", first.parts)
    if first.label != "VP":
        last = first.parts[-1]
        if not isinstance(last, Tree) or last.label != "VP":
            return _Clause(first.label, (*first.parts, *added), first.link, first.joined)
        before, predicate = first.parts[:-1], last
    joined = (*predicate.children, *added) if first.joined else (predicate, *added)
    parts = joined if first.label == "VP" else (*before, Tree("VP", joined))
    return _Clause(first.label, parts, first.link, joined=True)


def _pieces(chunks: Sequence[Chunk]) -> list[tuple[Parts, list[Chunk]]]:
    """Cut before every conjunction that has a predicate on both sides."""
    left_to_come = [False] * (len(chunks) + 1)
    for place in range(len(chunks) - 1, -1, -1):
        left_to_come[place] = left_to_come[place + 1] or chunks[place].kind in {VERB, ADJECTIVE}
    pieces: list[tuple[Parts, list[Chunk]]] = [((), [])]
    predicate = False
    for place, chunk in enumerate(chunks):
        joins = chunk.kind == CONJUNCTION and chunk.head in classes.PHRASE_CONJUNCTIONS
        if joins and predicate and left_to_come[place + 1]:
            pieces.append((chunk.parts, []))
            predicate = False
            continue
        predicate = predicate or chunk.kind in {VERB, ADJECTIVE}
        pieces[-1][1].append(chunk)
    return pieces


# --- phrases within a clause ------------------------------------------------------------------------------------------


def _phrases(chunks: Sequence[Chunk], level: int) -> list[Chunk]:
    """Give numbers to their nouns, join nouns, and let prepositions and localisers take what they govern."""
    done = _owned(coordinated(_counted(chunks), early=False))
    done = _clause_places(_prepositions(done, level), level)
    return [_headless(chunk) if chunk.kind == MODIFIER else chunk for chunk in done]


def _headless(modifier: Chunk) -> Chunk:
    """A modifier without a noun stands for one: 卖 菜 的 来 了."""
    return Chunk(NOUN, modifier.label, modifier.parts, modifier.head, "u")


def _counted(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Put numbers and determiners to the noun that follows them."""
    done: list[Chunk] = []
    for chunk in chunks:
        if done and done[-1].kind == QUANTITY and chunk.kind in {NOUN, PLACE} and chunk.label != "QUO":
            done.append(_count(done.pop(), chunk))
        else:
            done.append(chunk)
    return done


def _owned(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Put a name before a counted noun into its phrase: 北京市 各 城区."""
    done: list[Chunk] = []
    for chunk in chunks:
        owner = done[-1] if done else None
        first = chunk.parts[0]
        if isinstance(first, Tree) and first.label == "NP":
            first = first.children[0]
        counted = first.label in {"QP", "DP"} if isinstance(first, Tree) else first in classes.COUNTING_WORDS
        names = owner is not None and (owner.tag in {"ns", "nt"} or owner.head in classes.WHOLE_NOUNS)
        if owner is not None and names and counted and owner.kind == chunk.kind == NOUN and chunk.label == "NP":
            done[-1] = Chunk(NOUN, "NP", (*owner.trees(), *chunk.parts), chunk.head, chunk.tag)
        else:
            done.append(chunk)
    return done


def _count(quantity: Chunk, noun: Chunk) -> Chunk:
    if noun.kind == PLACE and len(noun.parts) > 1:
        inner = noun.parts[0]
        inside = inner.children if isinstance(inner, Tree) and inner.label == "NP" else noun.parts[:-1]
        counted = Tree("NP", (*quantity.trees(), *inside))
        return Chunk(PLACE, "LCP", (counted, noun.parts[-1]), noun.head, noun.tag)
    inside = noun.parts if noun.label in {"", "NP"} else noun.trees()
    return Chunk(NOUN, "NP", (*quantity.trees(), *inside), noun.head, noun.tag)


def _prepositions(chunks: Sequence[Chunk], level: int) -> list[Chunk]:
    """Put prepositions to their nouns; one before a predicate governs it, up to its localiser if there is one."""
    done: list[Chunk] = []
    place = 0
    while place < len(chunks):
        chunk = chunks[place]
        place += 1
        if chunk.kind != PREPOSITION:
            done.append(chunk)
            continue
        if place < len(chunks) and (chunks[place].kind in NOMINAL or chunks[place].kind == MODIFIER):
            place = _governed(done, chunk, chunks, place, level)
        else:
            end = _predicate_end(chunk, chunks, place) if level < _NESTED else place
            if end > place:
                inside = tuple(part for clause in _clauses(chunks[place:end], level + 1) for part in clause.trees())
                done.append(Chunk(PREPOSITIONAL, "PP", (*chunk.parts, *inside), chunk.head, "p"))
                place = end
            else:
                done.append(Chunk(ADVERB, "", chunk.parts, chunk.head, "p"))
    return done


def _governed(found: list[Chunk], preposition: Chunk, chunks: Sequence[Chunk], place: int, level: int) -> int:
    """Add the phrase of a preposition and its noun, and of a localiser or 来说 after them; return the next place."""
    end = _localiser_end(preposition, chunks, place) if level < _NESTED else 0
    if (
        not end
        and level < _NESTED
        and preposition.head in classes.CLAUSE_PREPOSITIONS
        and _has_predicate(chunks, place + 1)
    ):
        end = _short_end(chunks, place) if any(one.kind in NOMINAL for one in found) else len(chunks)
        inside: Parts = tuple(part for one in _clauses(chunks[place:end], level + 1) for part in one.trees())
    elif end:
        clause = tuple(part for one in _clauses(chunks[place : end - 1], level + 1) for part in one.trees())
        inside = (Tree("LCP", (*clause, *chunks[end - 1].parts)),)
    else:
        end = place + 1
        inside = chunks[place].whole()
    if end < len(chunks) and chunks[end].head in classes.FRAME_ENDS and chunks[end].tag == "u":
        inside = (*inside, *chunks[end].parts)
        end += 1
    found.append(Chunk(PREPOSITIONAL, "PP", (*preposition.parts, *inside), preposition.head, "p"))
    return end


def _short_end(chunks: Sequence[Chunk], place: int) -> int:
    """Return where the reason ends that stands between subject and predicate: 工厂 [因 资金 短缺] 停产."""
    verbs = [number for number in range(place, len(chunks)) if chunks[number].kind in {VERB, ADJECTIVE}]
    if len(verbs) < 2:
        return len(chunks)
    end = verbs[0] + 1
    while end < verbs[1] and chunks[end].kind in NOMINAL:
        end += 1
    return end


def _has_predicate(chunks: Sequence[Chunk], place: int) -> bool:
    """Whether a predicate follows directly: 随着 经济 发展."""
    while place < len(chunks) and chunks[place].kind in {ADVERB, MODAL, PREPOSITION, TIME}:
        place += 1
    return place < len(chunks) and chunks[place].kind in {VERB, ADJECTIVE}


def _localiser_end(preposition: Chunk, chunks: Sequence[Chunk], place: int) -> int:
    """Return the place after the localiser that ends a clause governed by 在, 当, 自 or 从, or 0."""
    if preposition.head not in {"在", "当", "自", "从", "每当", "自从"}:
        return 0
    for number in range(place, min(place + _LONGEST_FRAME, len(chunks))):
        if chunks[number].kind == LOCALISER:
            return number + 1
        if chunks[number].kind in {PREPOSITION, CONJUNCTION}:
            return 0
    return 0


_LONGEST_FRAME = 8
_NESTED = 4
"""So many clauses may stand one within the other below prepositions; a preposition below them stands bare."""


def _predicate_end(preposition: Chunk, chunks: Sequence[Chunk], place: int) -> int:
    """Return where the predicate ends that a preposition governs: at its localiser, a conjunction, or the end."""
    if preposition.head not in classes.PURPOSE_PREPOSITIONS or place >= len(chunks):
        return place
    if chunks[place].kind not in {VERB, MODAL, ADVERB, ADJECTIVE}:
        return place
    framed = _localiser_end(preposition, chunks, place)
    if framed:
        return framed
    end = place
    while end < len(chunks) and not (chunks[end].kind == CONJUNCTION and chunks[end].head in {"而", "以", "来"}):
        if chunks[end].kind == VERB and chunks[end].head in {"为", "作为"} and end > place:
            break
        end += 1
    return end


def _clause_places(chunks: Sequence[Chunk], level: int) -> list[Chunk]:
    """Let a localiser that follows a predicate take the clause before it: 他 来 北京 后."""
    done: list[Chunk] = []
    for chunk in chunks:
        if chunk.kind != LOCALISER or not done:
            done.append(chunk)
            continue
        start = len(done)
        while start > 0 and done[start - 1].kind != CONJUNCTION:
            start -= 1
        inside = tuple(part for clause in _clauses(done[start:], level + 1) for part in clause.trees())
        del done[start:]
        done.append(
            Chunk(TIME if inside else ADVERB, "LCP" if inside else "", (*inside, *chunk.parts), chunk.head, "f")
        )
    return done


# --- subject and predicate --------------------------------------------------------------------------------------------


def _clause(chunks: Sequence[Chunk], link: Parts) -> _Clause:
    verb = next((place for place, chunk in enumerate(chunks) if chunk.kind in {VERB, ADJECTIVE}), None)
    if verb is None:
        modal = next((place for place, chunk in enumerate(chunks) if chunk.kind == MODAL), None)
        if modal is None:
            return _Clause("", tuple(part for chunk in chunks for part in chunk.whole()), link)
        verb = modal
    start = _predicate_start(chunks, verb)
    named = _naming(chunks, verb) if not any(chunk.kind in NOMINAL for chunk in chunks[:verb]) else 0
    if named:
        subject = predicate_tree(chunks[:named])
        return _Clause("IP", (subject, predicate_tree(chunks[named:])), link)
    before = chunks[:start]
    outside: list[Tree | str] = []
    ends = len(chunks)
    while ends > verb + 1 and chunks[ends - 1].kind == PARTICLE:
        ends -= 1
    for chunk in before:
        outside.extend(chunk.whole())
    particles = tuple(part for chunk in chunks[ends:] for part in chunk.parts)
    predicate = predicate_tree(chunks[start:ends])
    subordinate = any(
        chunk.head in classes.SUBORDINATORS and chunk.kind in {CONJUNCTION, ADVERB} for chunk in chunks[:verb]
    )
    if subordinate:
        return _Clause("CP", (*outside, predicate, *particles), link)
    naming = chunks[verb].head in classes.NAMING_VERBS  # 今年 是 虎年: here the time is the subject
    if any(chunk.kind in NOMINAL and (naming or chunk.kind != TIME) for chunk in before):
        return _Clause("IP", (*outside, predicate, *particles), link)
    return _Clause("VP", (*outside, *predicate.children, *particles), link)


def _naming(chunks: Sequence[Chunk], verb: int) -> int:
    """Return where 是 with its adverbs begins, if a predicate without subject is its subject: 罚款 不 是 目的."""
    if chunks[verb].head in classes.CLAUSE_VERBS | classes.NAMING_VERBS or verb > 0:
        return 0
    for place in range(verb + 1, len(chunks)):
        if chunks[place].kind == VERB:
            if chunks[place].head not in {"是", "就是", "不是"}:
                return 0
            while place - 1 > verb and chunks[place - 1].kind in {ADVERB, MODAL}:
                place -= 1
            return place
    return 0


def _predicate_start(chunks: Sequence[Chunk], verb: int) -> int:
    """Return where the predicate begins: after the subject, the last noun before the verb that is not a time."""
    for place in range(verb - 1, -1, -1):
        if chunks[place].kind in NOMINAL and chunks[place].kind != TIME and not _is_duration(chunks, place):
            return place + 1
    for place in range(verb - 1, -1, -1):
        if chunks[place].kind == TIME or chunks[place].kind == CONJUNCTION:
            return place + 1
    return 0


def _is_duration(chunks: Sequence[Chunk], place: int) -> bool:
    """三 次 访问: a number before the verb, after another noun, says how often."""
    return chunks[place].kind == QUANTITY and any(chunk.kind in NOMINAL for chunk in chunks[:place])
