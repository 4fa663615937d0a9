"""Does a classifier chooser keep its promises?

The kit puts slots of our own making to the chooser, ordinary and awkward ones, and tries one promise at a time. Ours
and a user's own choosers run it alike: `hengliang check NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, cast

import polars as pl

from hengliang.core.base_classes import System, answer_schema, check_answers
from hengliang.core.conformance import Promise
from hengliang.core.labelling.same_answers import SameAnswers
from hengliang.core.records import Item, Span, items_frame
from hengliang.systems.classifier_choosers.slots import SLOT_SCHEMA, slots_of

SUM_TOLERANCE = 1e-9
ROUNDING_TOLERANCE = 1e-4
"""A ranking that names only the best may round its probabilities."""
SAME_TOLERANCE = 2e-6
"""Two runs of a neural model may differ in the last digits; a ranking may not differ in its order."""

_ORDINARY = (
    # before the slot, between slot and noun, the noun, after it
    ("他牵着一", "", "马", "走过来。"),
    ("我昨天买了三", "新", "书", "。"),
    ("门口站着两", "陌生的", "人", "。"),
    ("桌上有五", "", "苹果", "和一壶茶。"),
    ("她写了一", "很长的", "信", "。"),
    ("山下有一", "", "小河", "，河水很清。"),
    ("这", "", "问题", "我们下周再谈。"),
    ("村里只有一", "", "学校", "。"),
    ("公司又开了两", "", "会议", "。"),
    ("那", "老", "桥", "已经修好了。"),
    ("他养了四", "", "猫", "。"),
    ("市里建起了一", "高大的", "建筑", "。"),
)
_AWKWARD = (
    ("", "", "书", "在桌上。"),
    ("桌上有书三", "", "", ""),
    ("", "", "", ""),
    ("他有一", "", "𠮷𠮟", "。"),
    ("我们用一", "", "laptop", "写字。"),
    ("送你一", "", "🐼", "！"),
    ("一", "", "人", ""),
    ("他说这是一", "", "谁也没见过的怪东西", "。"),
    ("请买 2 ", " ", "ｐｅｎ", " 。"),
    ("字\u0301一", "", "书\u200b", "\n"),
)

Ranking = list[tuple[str, float]]


def slot_items(sentences: Iterable[Sequence[str]], first_id: int = 1) -> pl.DataFrame:
    """Return the item table of sentences given as (before the slot, between slot and noun, noun, after the noun)."""
    items = []
    for number, (before, between, noun, after) in enumerate(sentences, first_id):
        place = len(before.encode())
        head = place + len(between.encode())
        spans = (Span("slot", place, place), Span("head", head, head + len(noun.encode())))
        name = f"slot-{number}"
        items.append(Item(name, name, "conformance", "", before + between + noun + after, spans))
    return items_frame(items)


class Chooser(Protocol):
    """What the kit needs of a chooser; `ClassifierChooser` has it."""

    def choose(self, slots: pl.DataFrame) -> Sized:
        """Return one ranking a slot."""

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return one answer an item."""


def chooser_promises(chooser: Chooser) -> list[Promise]:
    """Return what every classifier chooser promises; `hengliang.core.conformance.examine` tries it."""
    kit = _Kit(chooser, slot_items(_ORDINARY))
    return [
        ("answers ordinary slots", kit.answers_ordinary_slots),
        ("probabilities sum to one", kit.each_ranking(_sums_to_one if kit.whole else _sums_to_at_most_one)),
        ("probabilities lie between 0 and 1", kit.each_ranking(_within_bounds)),
        ("the best comes first", kit.each_ranking(_descending)),
        ("no classifier comes twice", kit.each_ranking(_without_repetition)),
        ("classifiers are Chinese characters", kit.each_ranking(_chinese)),
        *SameAnswers(kit.items, kit.rankings, _alike, _shown).promises(),
        ("an empty table gives an empty table", kit.nothing_for_nothing),
        ("awkward slots get an answer or a reason", kit.survives_awkward_slots),
        ("an item without a slot gets a reason", kit.gives_a_reason_without_slot),
    ]


@dataclass(frozen=True)
class _Kit:
    """The promises about one chooser; each method returns a counterexample or nothing."""

    chooser: Chooser
    items: pl.DataFrame

    @property
    def whole(self) -> bool:
        return getattr(self.chooser, "top", None) is None

    def _answers(self, items: pl.DataFrame) -> pl.DataFrame:
        return check_answers(self.chooser.answer(items), items, cast(System, self.chooser))

    def rankings(self, items: pl.DataFrame) -> list[Ranking | None]:
        """Return the ranking of each item, None where there is none."""
        return [
            None if content is None else [(choice["label"], choice["probability"]) for choice in content]
            for content in self._answers(items)["content"].to_list()
        ]

    def answers_ordinary_slots(self) -> str:
        answers = self._answers(self.items)
        silent = answers.filter(pl.col("status") != "ok")
        if not silent.height:
            return ""
        return f"no answer to {silent.height} of {answers.height}: {silent['reason'][0]}"

    def each_ranking(self, fault: Callable[[Ranking], str]) -> Callable[[], str]:
        def counterexample() -> str:
            everything = pl.concat([self.items, slot_items(_AWKWARD, 1001)])
            for sentence, ranking in zip(everything["content"].to_list(), self.rankings(everything), strict=True):
                problem = fault(ranking) if ranking is not None else ""
                if problem:
                    return f"{sentence!r}: {problem}"
            return ""

        return counterexample

    def nothing_for_nothing(self) -> str:
        nothing = self.items.clear()
        answers = self._answers(nothing)
        chosen = self.chooser.choose(slots_of(nothing).select(list(SLOT_SCHEMA)))
        count = max(answers.height, len(chosen))
        return f"{count} answers to nothing" if count else ""

    def survives_awkward_slots(self) -> str:
        for item in slot_items(_AWKWARD, 1001).iter_slices(1):
            content = item["content"][0]
            try:
                answer = self._answers(item)
            except Exception as error:
                return f"{content!r}: {type(error).__name__}: {error}"
            if answer["status"][0] != "ok" and not answer["reason"][0]:
                return f"{content!r}: {answer['status'][0]} without a reason"
        return ""

    def gives_a_reason_without_slot(self) -> str:
        bare = items_frame([Item("bare", "bare", "conformance", "", "这句话里没有空格可填。")])
        answer = self._answers(pl.concat([self.items, bare], how="diagonal")).select(list(answer_schema("ranking")))[-1]
        if answer["status"][0] == "ok":
            return "it was answered all the same"
        return "" if answer["reason"][0] else f"{answer['status'][0]} without a reason"


def _sums_to_one(ranking: Ranking) -> str:
    total = sum(probability for _, probability in ranking)
    # Written so that a NaN, which is not within any distance of 1, is caught.
    return "" if abs(total - 1) <= SUM_TOLERANCE else f"the probabilities sum to {total!r}"


def _sums_to_at_most_one(ranking: Ranking) -> str:
    total = sum(probability for _, probability in ranking)
    return "" if 0 <= total <= 1 + ROUNDING_TOLERANCE else f"the probabilities sum to {total!r}"


def _within_bounds(ranking: Ranking) -> str:
    wrong = [(label, probability) for label, probability in ranking if not 0 <= probability <= 1]
    return f"the probability of {wrong[0][0]} is {wrong[0][1]!r}" if wrong else ""


def _descending(ranking: Ranking) -> str:
    for (first, higher), (second, lower) in pairwise(ranking):
        if lower > higher:
            return f"{second} ({lower:.6g}) comes after {first} ({higher:.6g})"
    return ""


def _without_repetition(ranking: Ranking) -> str:
    labels = [label for label, _ in ranking]
    twice = [label for label in labels if labels.count(label) > 1]
    return f"{twice[0]!r} comes {labels.count(twice[0])} times" if twice else ""


def _chinese(ranking: Ranking) -> str:
    labels = pl.Series([label for label, _ in ranking], dtype=pl.String)
    wrong = labels.filter(~labels.str.contains(r"^\p{Han}+$").fill_null(False))
    return f"{wrong[0]!r} is among the classifiers" if len(wrong) else ""


def _alike(left: Ranking | None, right: Ranking | None) -> bool:
    if left is None or right is None or len(left) != len(right):
        return left is right
    return all(
        first == second and abs(one - other) <= SAME_TOLERANCE
        for (first, one), (second, other) in zip(left, right, strict=True)
    )


def _shown(ranking: Ranking | None) -> str:
    if ranking is None:
        return "no answer"
    return ", ".join(f"{label} {probability:.6g}" for label, probability in ranking[:5])
