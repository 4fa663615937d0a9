"""Which of several nouns fits a classifier best, by what the corpus shows elsewhere?

Where a classifier stands right before its only possible head, the pair is evidence. `Compatibility` counts these pairs
and gives the lift of a classifier for a noun, p(classifier | noun) / p(classifier), smoothed by the noun's last
character: 领导人 was perhaps never counted, but nouns in 人 were. `choose` settles the head of a slot that has several
readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from hengliang.core.signature import digest
from hengliang.materials import slot_lexicon as lexicon
from hengliang.materials.slot_heads import Bridge
from hengliang.materials.slot_triggers import Trigger

_SOME, _MUCH = 2.0, 5.0
"""Lifts that count as some and as much evidence; set by reading a first sample (see docs/classifier-slots.md)."""
_NOUN_WEIGHT = 1.0
_ENDING_WEIGHT = 4.0


@dataclass(frozen=True, slots=True)
class Compatibility:
    """How often each classifier stands right before each noun; make one with `Compatibility.of`."""

    pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    classifiers: Mapping[str, int] = field(default_factory=dict)
    nouns: Mapping[str, int] = field(default_factory=dict)
    ending_pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    endings: Mapping[str, int] = field(default_factory=dict)
    total: int = 0

    @classmethod
    def of(cls, counts: Counter[tuple[str, str]]) -> Self:
        """Make the table from how often each (classifier, noun) pair was seen."""
        classifiers: Counter[str] = Counter()
        nouns: Counter[str] = Counter()
        ending_pairs: Counter[tuple[str, str]] = Counter()
        endings: Counter[str] = Counter()
        for (classifier, noun), count in counts.items():
            classifiers[classifier] += count
            nouns[noun] += count
            ending_pairs[classifier, noun[-1]] += count
            endings[noun[-1]] += count
        return cls(counts, classifiers, nouns, ending_pairs, endings, counts.total())

    def attested(self, classifier: str, noun: str) -> int:
        """Return how often the pair was seen."""
        return self.pairs.get((classifier, noun), 0)

    def lift(self, classifier: str, noun: str) -> float:
        """Return how many times likelier the classifier is before this noun than before any; 1 if nothing is known."""
        kinds = len(self.classifiers) + 1
        prior = (self.classifiers.get(classifier, 0) + 0.5) / (self.total + 0.5 * kinds)
        ending = noun[-1]
        seen = self.ending_pairs.get((classifier, ending), 0)
        by_ending = (seen + _ENDING_WEIGHT * prior) / (self.endings.get(ending, 0) + _ENDING_WEIGHT)
        share = (self.attested(classifier, noun) + _NOUN_WEIGHT * by_ending) / (self.nouns.get(noun, 0) + _NOUN_WEIGHT)
        return share / prior

    def checksum(self) -> str:
        """Return a hash of the counts, for signatures."""
        return digest(*(f"{form} {noun} {count}" for (form, noun), count in sorted(self.pairs.items())))


class Candidate(NamedTuple):
    """A reading with its text and tag, and whether an adjective or another noun stands right before it."""

    noun: str
    tag: str
    bridge: Bridge
    described: bool
    compounded: bool


def choose(table: Compatibility, classifier: str, trigger: Trigger, candidates: Sequence[Candidate]) -> int:
    """Return the index of the best candidate, or -1 when none is good enough. The first one is the nearest."""
    if len(candidates) > 1 and candidates[1].bridge == "object" and _is_object(table, classifier, candidates):
        return 1
    if not _is_good_enough(table, classifier, candidates):
        return -1
    inner = [index for index, candidate in enumerate(candidates) if candidate.bridge in {"run", "object"}]
    best = _inner(table, classifier, trigger, candidates, inner) if inner else 0
    if best:
        return best
    for index in range(1 + len(inner), len(candidates)):
        candidate = candidates[index]
        if _is_better(table, classifier, candidates[best], candidate):
            best = index
        elif candidate.bridge != "and":
            break
    return best


def _is_object(table: Compatibility, classifier: str, candidates: Sequence[Candidate]) -> bool:
    """Say whether the noun between the verb and 的 is counted, and not the one after 的: 百家供应厂商的工作."""
    counted = candidates[1].noun
    fits = table.attested(classifier, counted) > 0 and table.lift(classifier, counted) > _MUCH
    return fits and table.lift(classifier, candidates[0].noun) < 0.5


def _is_good_enough(table: Compatibility, classifier: str, candidates: Sequence[Candidate]) -> bool:
    """Ask for evidence where the structure alone is weak: after a verb a classifier often has no head at all."""
    first = candidates[0]
    if first.bridge == "compound":
        return table.lift(classifier, first.noun) > _SOME and table.attested(classifier, first.noun) > 1
    if first.bridge == "relative" and classifier in lexicon.COUNTING_PERSONS:
        known = table.nouns.get(first.noun, 0) >= 10 and not first.noun.endswith(lexicon.PERSONS)
        return not known or table.lift(classifier, first.noun) > 0.02
    alone = not first.bridge and len(candidates) == 1
    if alone and classifier in lexicon.COUNTING_PERSONS and first.noun in lexicon.RELATIONAL:
        return table.attested(classifier, first.noun) > 1  # 一百户纯收入超万元
    if first.bridge == "before" and classifier in lexicon.DOUBTFUL_AFTER_NOUNS:
        return table.lift(classifier, first.noun) > 1
    return True


def _inner(
    table: Compatibility, classifier: str, trigger: Trigger, candidates: Sequence[Candidate], inner: Sequence[int]
) -> int:
    """Return 0 for the last noun of the run, or an earlier one that the classifier counts by itself (一艘潜艇电机)."""
    last = candidates[0]
    lift = table.lift(classifier, last.noun)
    if candidates[1].bridge == "object":
        return 0
    if classifier == "个":
        return _inner_of_general(candidates, trigger, inner) if lift < _SOME else 0
    if classifier == "段" and candidates[inner[0]].noun in lexicon.PERIODS:
        return inner[0]
    common = [
        index
        for index in inner
        if candidates[index].tag in {"n", "vn", "j", "nz"} and candidates[index].noun not in lexicon.ATTRIBUTIVE
    ]
    if classifier in lexicon.FIRST_OF_RUN:
        common = [index for index in common if not lexicon.describes(candidates[index].noun)]
        occasions = [index for index in common if table.lift(classifier, candidates[index].noun) > 10 * max(lift, 0.3)]
        return occasions[0] if occasions else 0
    if lift >= 0.5:
        return 0
    if last.noun in lexicon.RELATIONAL:
        fitting = [index for index in common if candidates[index].noun not in lexicon.RELATIONAL]
    elif classifier in lexicon.GENERIC_CLASSIFIERS:
        return 0
    else:
        fitting = [index for index in common if table.attested(classifier, candidates[index].noun)]
        fitting = [index for index in fitting if table.lift(classifier, candidates[index].noun) > _MUCH]
    return fitting[-1] if fitting else 0


def _inner_of_general(candidates: Sequence[Candidate], trigger: Trigger, inner: Sequence[int]) -> int:
    """Return which noun 个 counts: every noun goes with it, so that only the kinds of the nouns can tell."""
    first, last = candidates[inner[0]].noun, candidates[0]
    property_of = last.noun in lexicon.RELATIONAL or last.tag == "vn"
    bodies = lexicon.BODIES if trigger == "demonstrative" or property_of else frozenset()
    counted = lexicon.PLACES | bodies
    if first in counted and last.noun not in counted:
        return inner[0]
    if last.noun in lexicon.RELATIONAL:
        persons = [index for index in inner if candidates[index].noun.endswith(lexicon.PERSONS)]
        return persons[-1] if persons else 0
    return 0


def _is_better(table: Compatibility, classifier: str, near: Candidate, far: Candidate) -> bool:
    """Say whether the farther of two readings is the head; without evidence the nearer one is."""
    if far.bridge == "之":
        return far.noun not in lexicon.AFTER_ZHI
    near_lift, far_lift = table.lift(classifier, near.noun), table.lift(classifier, far.noun)
    if far.bridge in {"predicate", "clause"} and lexicon.is_amount(near.noun):
        return True
    if far.bridge == "predicate":
        return near_lift < max(1.5, far_lift) or lexicon.describes(near.noun)
    seen = table.attested(classifier, far.noun)
    if far.bridge == "quoted":
        return near_lift < 0.5
    if far.bridge == "and":
        unknown = near_lift <= 1 and not table.attested(classifier, near.noun)
        return unknown and seen > 0 and far_lift > max(_SOME, 2 * near_lift)
    if far.bridge == "的" and _describes(classifier, near, far):
        return True
    if far.bridge == "的" and near.tag == "vn" and near.compounded and not table.attested(classifier, near.noun):
        return seen > 0  # 一个动态升级的过程
    if classifier in lexicon.SORTAL and near_lift < 0.05 and table.nouns.get(near.noun, 0) >= 5:
        return True  # 两封读者发来的邮件
    misfit = near_lift < 0.4 and table.attested(classifier, near.noun) < 3
    return misfit and ((seen > 1 and far_lift > _SOME) or far_lift > 2 * _MUCH)


def _describes(classifier: str, near: Candidate, far: Candidate) -> bool:
    """Say whether the noun before 的 describes the one after it: 一个暂时性的问题, 这批北京的工人, 一个冬天的夜晚."""
    if near.tag == "ns":
        return classifier != "个" or near.noun != "中国"
    if near.tag == "t":
        return far.tag == "t"
    return lexicon.describes(near.noun) or (near.described and near.noun in lexicon.DIMENSIONS)
