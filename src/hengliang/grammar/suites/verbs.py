"""Verb transitivity in a tagged corpus, and the verbs of test suites about a missing object.

The first section counts how a corpus uses verbs, the second looks up the verbs of the suites there.

The verb of a starred condition must need its object; that of a control must not. The share of uses without an object in
a corpus is a check on the writers' judgement, not a replacement of it; the section on transitivity says what it misses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from hengliang.core.signature import Signature, digest
from hengliang.corpora import catalogue as sources
from hengliang.corpora.tagged import TaggedParagraph, read_pku
from hengliang.grammar.suites.suite import Suite

# --- transitivity -----------------------------------------------------------------------------------------------------
# How often a verb does without an object. The uses of a verb in a corpus with PKU tags are sorted by what stands around
# it in its clause:
#
# - nominal: tagged `vn` or `vd` (采访/vn 任务), counted separately;
# - excluded: after 被, 由, 所 or 给 in its clause, or right before 的, where an object is missing for another reason;
# - without an object: right before the end of its clause, not counting a particle (了 过 着) or a sentence particle
#   between them, and no 把 or 将 before it;
# - with an object: all others.
#
# A verb of two words (走 进, 输 给) is one of its own, written with a space, beside its first word.
#
# The rule looks at neighbours only. It takes whatever follows the verb for an object, so that complements (工作 三 天)
# and second verbs of a series count as objects. It misses objects that were put to the front (这 本 书 他 读 了 。) or
# left out because they were just named, which make a transitive verb look less so. The share is thus a figure to
# compare verbs by, not the share of intransitive uses.

Use = Literal["with", "without", "excluded", "nominal"]

CLAUSE_ENDS = frozenset("，。；！？：…,;!?:") | {"……", "——"}
"""Marks after which a clause has ended; the pause mark 、 and quotation marks do not end one."""
_CLOSING = frozenset("”’』」）》〉)")
_PARTICLES = frozenset("了过着")
_SENTENCE_PARTICLE = "y"
_EXCLUDING = frozenset((("被", "p"), ("由", "p"), ("给", "p"), ("所", "u")))
_SECOND_TAGS = frozenset(("v", "p"))
_NO_SECOND_WORDS = frozenset("被把将由所") | CLAUSE_ENDS
_OBJECT_BEFORE = frozenset((("把", "p"), ("将", "p")))


@dataclass(frozen=True, slots=True)
class VerbUses:
    """How a verb is used: `uses` with or without object, of them `without_object`; `excluded` and `nominal` apart."""

    verb: str
    uses: int
    without_object: int
    excluded: int = 0
    nominal: int = 0

    @property
    def share(self) -> float | None:
        """The share of uses without object; there is none where there is no use."""
        return self.without_object / self.uses if self.uses else None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return Wilson's interval of the share; without uses it is everything from 0 to 1."""
        if not self.uses:
            return 0.0, 1.0
        from scipy.stats import binomtest  # takes half a second to import, and most users never ask

        interval = binomtest(self.without_object, self.uses).proportion_ci(level, method="wilson")
        return float(interval.low), float(interval.high)


@dataclass(frozen=True, slots=True, eq=False)
class TransitivityTable:
    """The uses of every verb of a corpus."""

    name: str
    verbs: Mapping[str, VerbUses]
    checksum: str

    def __len__(self) -> int:
        return len(self.verbs)

    def uses(self, verb: str) -> VerbUses:
        """Return how a verb is used; one that the corpus does not have has no uses."""
        return self.verbs.get(verb, VerbUses(verb, 0, 0))

    def signature(self) -> Signature:
        """Return what can change a figure: the corpus and the counts that were made of it."""
        return Signature.of(transitivity=self.name, checksum=self.checksum, verbs=len(self.verbs))


def count_uses(paragraphs: Iterable[TaggedParagraph], name: str) -> TransitivityTable:
    """Sort the uses of every verb of a corpus with PKU tags."""
    counts: Counter[tuple[str, Use]] = Counter()
    for paragraph in paragraphs:
        counts.update(verb_uses(paragraph.words, paragraph.tags))
    verbs = sorted({verb for verb, _ in counts})
    uses = {verb: _record(verb, counts) for verb in verbs}
    return TransitivityTable(name, MappingProxyType(uses), digest(*(repr(record) for record in uses.values())))


def _record(verb: str, counts: Counter[tuple[str, Use]]) -> VerbUses:
    without = counts[verb, "without"]
    return VerbUses(verb, counts[verb, "with"] + without, without, counts[verb, "excluded"], counts[verb, "nominal"])


def verb_uses(words: Sequence[str], tags: Sequence[str]) -> Iterator[tuple[str, Use]]:
    """Yield every verb of a paragraph, and every two words that may be one verb, with how they are used."""
    excluding = object_before = False
    for position, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if word in CLAUSE_ENDS:
            excluding = object_before = False
        elif (word, tag) in _EXCLUDING:
            excluding = True
        elif (word, tag) in _OBJECT_BEFORE:
            object_before = True
        elif tag in {"vn", "vd"}:
            yield word, "nominal"
        elif tag == "v":
            yield word, _use(words, tags, position, excluding=excluding, object_before=object_before)
            if _is_compound(words[position + 1 : position + 2], tags[position + 1 : position + 2]):
                compound = f"{word} {words[position + 1]}"
                yield compound, _use(words, tags, position + 1, excluding=excluding, object_before=object_before)


def _is_compound(word: Sequence[str], tag: Sequence[str]) -> bool:
    """Say whether the next word, if there is one, may be the second half of a verb."""
    return bool(word) and tag[0] in _SECOND_TAGS and word[0] not in _NO_SECOND_WORDS


def _use(words: Sequence[str], tags: Sequence[str], place: int, *, excluding: bool, object_before: bool) -> Use:
    after = place + 1
    if excluding or (after < len(words) and words[after] == "的"):
        return "excluded"
    while after < len(words) and (
        words[after] in _PARTICLES or words[after] in _CLOSING or tags[after] == _SENTENCE_PARTICLE
    ):
        after += 1
    ended = after == len(words) or words[after] in CLAUSE_ENDS
    return "without" if ended and not object_before else "with"


@lru_cache(maxsize=2)
def corpus_transitivity(data: str = sources.DEFAULT_CORPUS) -> TransitivityTable:
    """Sort the uses of the verbs of a tagged corpus of the catalogue; all of it, not the training part alone."""
    return count_uses(read_pku(sources.locate(data)[0]), data)


# --- verbs of suites --------------------------------------------------------------------------------------------------


VERB = "verb"
Role = Literal["needs an object", "needs none"]


class SuiteVerb(NamedTuple):
    """A verb of the suites: what it is there for, in which items, and how the corpus uses it."""

    role: Role
    items: tuple[str, ...]
    uses: VerbUses


def suite_verbs(suites: Sequence[Suite], transitivity: TransitivityTable) -> list[SuiteVerb]:
    """Return the verbs of all suites that have a region `verb` and controls, by role and then by their characters."""
    items_of: dict[tuple[Role, str], dict[str, None]] = {}
    for suite in suites:
        bad = {condition.name for condition in suite.conditions if not condition.acceptable}
        controls = [condition.name for condition in suite.conditions if condition.name.startswith("control")]
        if VERB not in suite.regions or not controls:
            continue
        position = suite.regions.index(VERB)
        for item in suite.items:
            for name, sentence in item.sentences.items():
                if name in bad or name in controls:
                    role: Role = "needs an object" if name in bad else "needs none"
                    items_of.setdefault((role, " ".join(sentence[position])), {})[item.id] = None
    return [SuiteVerb(role, tuple(items), transitivity.uses(verb)) for (role, verb), items in sorted(items_of.items())]
