from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest

from hengliang.core import CONTENT_TYPES, Choice, Finding, examine
from hengliang.systems.classifier_choosers import ClassifierChooser, General, Rule, chooser_promises
from tests.systems.classifier_choosers.lessons import Lessons


def broken_promises(chooser: ClassifierChooser) -> set[str]:
    return {finding.promise for finding in examine(chooser_promises(chooser)) if not finding.kept}


@pytest.mark.parametrize("chooser", [General(), Rule(Lessons())])
def test_our_choosers_keep_all_promises(chooser: ClassifierChooser) -> None:
    findings = list(chooser.conformance())
    assert [finding for finding in findings if not finding.kept] == []
    assert len(findings) >= 17


class Broken(ClassifierChooser):
    """A chooser with one fault; without a fault it always says 个."""

    name = "broken"

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.__dict__["_calls"] = 0

    def choose(self, slots: pl.DataFrame) -> list[list[Choice]]:
        self.__dict__["_calls"] += 1
        return getattr(self, f"_{self.fault}", self._nothing_wrong)(slots)

    def _nothing_wrong(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个", 0.75), Choice("只", 0.25)] for _ in range(slots.height)]

    def _sum(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个", 0.75), Choice("只", 0.25 + 1e-6)] for _ in range(slots.height)]

    def _not_a_number(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个", float("nan"))] for _ in range(slots.height)]

    def _negative(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个", 1.25), Choice("只", -0.25)] for _ in range(slots.height)]

    def _ascending(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("只", 0.25), Choice("个", 0.75)] for _ in range(slots.height)]

    def _twice(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个", 0.75), Choice("个", 0.25)] for _ in range(slots.height)]

    def _latin(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("ge", 1.0)] for _ in range(slots.height)]

    def _empty_label(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("", 1.0)] for _ in range(slots.height)]

    def _silent(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[] for _ in range(slots.height)]

    def _empty_batch(self, slots: pl.DataFrame) -> list[list[Choice]]:
        if not slots.height:
            raise IndexError("nothing to choose for")
        return self._nothing_wrong(slots)

    def _something_for_nothing(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return self._nothing_wrong(slots) or [[Choice("个", 1.0)]]

    def _emoji(self, slots: pl.DataFrame) -> list[list[Choice]]:
        for noun in slots["noun"].to_list():
            noun.encode("gb2312")
        return self._nothing_wrong(slots)

    def _order(self, slots: pl.DataFrame) -> list[list[Choice]]:
        # Looks at its neighbour before: the first of a batch is answered otherwise.
        before = [None, *slots["noun"].to_list()]
        return [[Choice("个" if noun is None else "只", 1.0)] for noun, _ in pairwise(before)]

    def _only_order(self, slots: pl.DataFrame) -> list[list[Choice]]:
        # Right as long as horses come before books, whatever the batches.
        nouns = slots["noun"].to_list()
        swapped = "马" in nouns and "书" in nouns and nouns.index("马") > nouns.index("书")
        return [[Choice("只" if swapped else "个", 1.0)] for _ in nouns]

    def _alone(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个" if slots.height == 1 else "只", 1.0)] for _ in range(slots.height)]

    def _five(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个" if slots.height == 5 else "只", 1.0)] for _ in range(slots.height)]

    def _moody(self, slots: pl.DataFrame) -> list[list[Choice]]:
        return [[Choice("个" if self.__dict__["_calls"] % 2 else "只", 1.0)] for _ in range(slots.height)]


def test_a_chooser_without_fault_breaks_nothing() -> None:
    assert broken_promises(Broken()) == set()


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("sum", "probabilities sum to one"),
        ("ascending", "the best comes first"),
        ("twice", "no classifier comes twice"),
        ("negative", "probabilities lie between 0 and 1"),
        ("latin", "classifiers are Chinese characters"),
        ("empty_label", "classifiers are Chinese characters"),
        ("silent", "answers ordinary slots"),
        ("empty_batch", "an empty table gives an empty table"),
        ("something_for_nothing", "an empty table gives an empty table"),
        ("only_order", "gives the same answer in another order"),
        ("five", "gives the same answer in batches of another size"),
    ],
)
def test_the_kit_finds_a_fault_and_only_that(fault: str, promise: str) -> None:
    assert broken_promises(Broken(fault)) == {promise}


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        ("order", "gives the same answer in another order"),
        ("alone", "gives the same answer alone as in a batch"),
        ("moody", "gives the same answer the second time"),
        ("emoji", "awkward slots get an answer or a reason"),
        ("not_a_number", "probabilities sum to one"),
        ("not_a_number", "probabilities lie between 0 and 1"),
    ],
)
def test_the_kit_finds_faults_that_show_in_several_ways(fault: str, promise: str) -> None:
    assert promise in broken_promises(Broken(fault))


class Peeking(General):
    """Looks at the item's id, which it must not."""

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        answers = super().answer(items)
        known = answers["item"].str.starts_with("slot-")
        content = pl.Series([[{"label": "只", "probability": 1.0}]], dtype=CONTENT_TYPES["ranking"])
        return answers.with_columns(content=pl.when(known).then("content").otherwise(pl.lit(content.first())))


def test_the_kit_finds_a_chooser_that_looks_at_ids() -> None:
    assert broken_promises(Peeking()) == {"does not look at the ids of items"}


def test_a_broken_promise_shows_the_counterexample() -> None:
    found: dict[str, Finding] = {finding.promise: finding for finding in examine(chooser_promises(Broken("ascending")))}
    assert "个 (0.75) comes after 只 (0.25)" in found["the best comes first"].detail
