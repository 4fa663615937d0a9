"""Which logical forms does a description in English have?

A grammar written by hand, by recursive descent. From every place in a sentence all clauses are read that can begin
there; the sentence is then taken as the sequence of clauses that leaves the fewest words unread and has the fewest
clauses. Each clause gets its meaning in the order in which it was said, since *them* and *the rest* depend on what came
before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.readers.english_comparisons import comparisons, continued_spreads, kinds, spreads
from hengliang.systems.readers.english_discourse import Discourse
from hengliang.systems.readers.english_forms import Clause, Comparison, Existence, Reference, Statement, Subject
from hengliang.systems.readers.english_interpreting import interpret
from hengliang.systems.readers.english_lexer import Sentence, sentences
from hengliang.systems.readers.english_predicates import predicates
from hengliang.systems.readers.english_references import items
from hengliang.systems.readers.english_statements import (
    conditionals,
    existences,
    statements,
    topics,
)
from hengliang.systems.readers.parsing import Parse

CONNECTING = frozenset({",", "also", "and", "but", "while", "with", "where", "plus"})
LONGEST_SENTENCE = 200
"""How many words a sentence may have; longer ones are no descriptions."""
_UNREAD = 100.0
_ABRUPT = 2.0
_BETWEEN = 0.01
"""What it costs to leave a word unread, to begin a clause without a comma or conjunction, and to pass over one."""


@dataclass(frozen=True, slots=True)
class Read:
    """A stretch of a sentence with the clauses that it can be, the likeliest first; without any it is unread."""

    start: int
    end: int
    clauses: tuple[Clause, ...] = ()


def parse_english(text: str, domain: Domain = DEFAULT_DOMAIN) -> Parse:
    """Return the logical forms of a description in English, and the clauses that were not understood."""
    discourse = Discourse(domain)
    unread: list[str] = []
    for sentence in sentences(text, domain):
        stretches = _best(sentence) if len(sentence.tokens) <= LONGEST_SENTENCE else []
        if not stretches:
            discourse.lose_thread()
            unread.append(sentence.written)
        discourse.begin_sentence()
        for stretch in _merged(_surer(stretches, sentence)):
            stretch = _goes_on(stretch)
            if not any(interpret(clause, discourse) for clause in stretch.clauses):
                discourse.lose_thread()
                unread.append(_written(sentence, stretch))
        discourse.topic = None
    return Parse(tuple(discourse.expressions), tuple(unread))


def _goes_on(stretch: Read) -> Read:
    """A list of what there is that goes on with a sentence names only some things: *…, and there are circles*."""
    if stretch.start == 0:
        return stretch
    clauses = tuple(replace(one, also=True) if isinstance(one, Existence) else one for one in stretch.clauses)
    return replace(stretch, clauses=clauses)


def _written(sentence: Sentence, stretch: Read) -> str:
    tokens = sentence.tokens[stretch.start : stretch.end]
    return sentence.text[tokens[0].start : tokens[-1].end].strip()


def _best(sentence: Sentence) -> list[Read]:
    """Return the cheapest way to read a sentence, from its end to its beginning."""
    size = len(sentence.tokens)
    costs: dict[int, float] = {size: 0.0}
    ways: dict[int, list[Read]] = {size: []}
    for start in range(size - 1, -1, -1):
        costs[start], ways[start] = _best_from(sentence, start, costs, ways)
    return ways[0]


def _best_from(
    sentence: Sentence, start: int, costs: dict[int, float], ways: dict[int, list[Read]]
) -> tuple[float, list[Read]]:
    size = len(sentence.tokens)
    if sentence.at(start) in CONNECTING:
        return costs[start + 1] + _BETWEEN, ways[start + 1]
    stop = next((at for at in range(start + 1, size) if sentence.at(at) in CONNECTING), size)
    options: dict[tuple[float, int], list[Clause]] = {}
    for cost, clause, end in _clauses(sentence, start):
        abrupt = _ABRUPT if end < size and sentence.at(end) not in CONNECTING else 0.0
        if abrupt and not ways[end][0].clauses:
            # What goes on with something that nobody understands may mean anything.
            continue
        options.setdefault((cost + abrupt, end), []).append(clause)
    best = (_UNREAD * (stop - start) + costs[stop], [Read(start, stop), *ways[stop]])
    for (cost, end), read in options.items():
        if cost + costs[end] < best[0]:
            best = (cost + costs[end], [Read(start, end, tuple(read)), *ways[end]])
    return best


def _clauses(sentence: Sentence, start: int) -> list[tuple[float, Clause, int]]:
    """Return all clauses from a place on with what each costs: the more is left out in it, the more."""
    found: list[tuple[float, Clause, int]] = []
    found += [(0.5, clause, end) for clause, end in conditionals(sentence, start)]
    found += [(0.8, clause, end) for clause, end in kinds(sentence, start)]
    for compared, end in comparisons(sentence, start):
        one_sided = compared.second is None and len(compared.first.terms) == 1
        found.append((1.8 if one_sided else 0.9, compared, end))
    found += [(0.95, clause, end) for clause, end in spreads(sentence, start)]
    found += [(1.0, clause, end) for clause, end in statements(sentence, start)]
    lead = sentence.at(start) == "there"
    found += [(1.0 if lead else 1.3, clause, end) for clause, end in existences(sentence, start)]
    found += [(1.6, clause, end) for clause, end in _continued(sentence, start)]
    for topic, begin in topics(sentence, start):
        inverted = sentence.follow(begin, "is|are")
        if inverted is not None:
            found += [(1.0, Existence(listed, topic=topic), end) for listed, end in items(sentence, inverted)]
        if begin > start and sentence.at(begin) not in ("of", "among", "for", "in", "from"):
            found += [
                (cost + 0.2, replace(clause, topic=topic), end)
                for cost, clause, end in _clauses(sentence, begin)
                if isinstance(clause, Statement | Existence | Comparison) and clause.topic is None
            ]
    return found


def _continued(sentence: Sentence, start: int) -> list[tuple[Clause, int]]:
    """Read a predicate that goes on with what was spoken of: *… and are mostly red*."""
    subject = Subject(None, Reference("which"))
    if sentence.at(start) not in ("is", "are", "being", "have", "has") or sentence.at(start - 1) not in CONNECTING:
        return []
    found: list[tuple[Clause, int]] = list(continued_spreads(sentence, start))
    found += [(Statement((subject,), predicate), end) for predicate, end in predicates(sentence, start, subject)]
    return found


def _surer(stretches: list[Read], sentence: Sentence) -> list[Read]:
    """Leave unread as well what may be only a piece of something unread beside it."""
    found = list(stretches)
    for place, stretch in enumerate(found):
        if not stretch.clauses or sentence.at(stretch.start) == "there" or not _is_fragment(stretch.clauses[0]):
            continue
        after = not isinstance(stretch.clauses[0], Statement) or stretch.clauses[0].predicate.verbless
        beside = [found[at] for at in (place - 1, *((place + 1,) if after else ())) if 0 <= at < len(found)]
        if any(not other.clauses for other in beside):
            found[place] = replace(stretch, clauses=())
    return found


def _is_fragment(clause: Clause) -> bool:
    """Whether a clause could be the end or the beginning of another: a list, one without a verb or a determiner."""
    if isinstance(clause, Statement):
        first = clause.subjects[0]
        bare = first.quantity is None and first.reference.kind == "named" and not first.reference.definite
        return bare or clause.predicate.verbless
    return isinstance(clause, Existence)


def _merged(stretches: list[Read]) -> list[Read]:
    """Make one list of the lists of what there is that follow each other in a sentence."""
    found: list[Read] = []
    for stretch in stretches:
        one, other = _list_of(found[-1]) if found else None, _list_of(stretch)
        if one is not None and other is not None:
            both = Existence((*one.items, *other.items), also=one.also)
            found[-1] = Read(found[-1].start, stretch.end, (both,))
        else:
            found.append(stretch)
    return found


def _list_of(stretch: Read) -> Existence | None:
    clause = stretch.clauses[0] if stretch.clauses else None
    plain = isinstance(clause, Existence) and not (clause.only or clause.exceptions or clause.topic)
    return clause if plain and isinstance(clause, Existence) else None
