from __future__ import annotations

import pickle
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Item, Material, Signature, UserError
from hengliang.core import find_registered as find
from hengliang.core import items_frame
from hengliang.measures.label_match import LabelMatch
from hengliang.measures.soft_match import ALTERNATIVE, EXACT, GOLD, UNUSED, Scale, SoftMatch, soft_match
from hengliang.systems.classifier_choosers.rule import COUNT_SCHEMA, NounCounts
from tests.measures.rankings import even, judged, judged_labels, slot, unanswered

# 教师 elsewhere: five times 名, three times 位, once 个. 书: once 本. What 马 takes is not known.
TABLE = [("教师", "名", 5), ("教师", "位", 3), ("教师", "个", 1), ("书", "本", 1)]
COUNTS = NounCounts(pl.DataFrame(TABLE, schema=COUNT_SCHEMA, orient="row"), "made up")


class Slots(Material):
    """Some items of our own as a material."""

    name = "made up"
    licence = "CC0-1.0"

    def __init__(self, *items: Item) -> None:
        self.held = items

    def items(self) -> pl.DataFrame:
        return items_frame(self.held)

    def signature(self) -> Signature:
        return Signature.of(items=" ".join(item.id for item in self.held))


def score(noun: str, gold: str, answer: str, scale: Scale = "share") -> tuple[float, str]:
    found = judged(SoftMatch(COUNTS, scale), [slot("x", noun, gold)], [even("x", answer)]).row(0, named=True)
    return found["value"], found["label"]


def test_the_gold_answer_is_right_whatever_the_corpus_says() -> None:
    assert score("教师", "名", "名") == (1.0, GOLD)
    assert score("教师", "条", "条") == (1.0, GOLD)
    assert score("马", "匹", "匹") == (1.0, EXACT)


def test_an_alternative_counts_by_its_share_of_the_uses() -> None:
    # Nine uses elsewhere and this one: ten.
    assert score("教师", "名", "位") == (3 / 10, ALTERNATIVE)
    assert score("教师", "位", "名") == (5 / 10, ALTERNATIVE)
    assert score("教师", "位", "个") == (1 / 10, ALTERNATIVE)
    # One use elsewhere, with 本, and this one, with 部.
    assert score("书", "部", "本") == (1 / 2, ALTERNATIVE)
    assert score("教师", "名", "条") == (0.0, UNUSED)


def test_a_noun_without_another_use_leaves_exact_match() -> None:
    assert score("马", "匹", "个") == (0.0, EXACT)
    assert score("", "匹", "个") == (0.0, EXACT)


@pytest.mark.parametrize(
    ("gold", "answer", "relative", "most"),
    [
        # With this use counted: gold 名 makes 名 6, 位 3, 个 1; gold 位 makes 名 5, 位 4, 个 1; gold 条 adds 条 1.
        ("名", "位", 3 / 6, 3 / 6),
        ("位", "名", 1.0, 1.0),
        ("位", "个", 1 / 4, 1 / 5),
        ("条", "个", 1.0, 1 / 5),
        ("条", "名", 1.0, 1.0),
        ("名", "条", 0.0, 0.0),
    ],
)
def test_the_other_scales_by_hand(gold: str, answer: str, relative: float, most: float) -> None:
    assert score("教师", gold, answer, "gold")[0] == pytest.approx(relative)
    assert score("教师", gold, answer, "most frequent")[0] == pytest.approx(most)


def test_an_item_of_the_reference_is_counted_once() -> None:
    # Of three uses one is the judged item itself: 位 has one of three, not one of four.
    inside = [slot("a", "教师", "名"), slot("b", "教师", "名"), slot("c", "教师", "位")]
    measure = SoftMatch(Slots(*inside))
    found = judged(measure, [*inside, slot("new", "教师", "名")], [even("a", "位"), even("new", "位")])
    assert found["value"].to_list() == pytest.approx([1 / 3, 1 / 4])
    # The only use of a noun is its own: nothing else is known.
    alone = judged(SoftMatch(Slots(slot("d", "马", "匹"))), [slot("d", "马", "匹")], [even("d", "个")])
    assert (alone["value"][0], alone["label"][0]) == (0.0, EXACT)


def test_labels_are_judged_like_rankings_and_in_nfc() -> None:
    counts = NounCounts(pl.DataFrame([("月", "\uf9d7", 1)], schema=COUNT_SCHEMA, orient="row"), "made up")
    found = judged_labels(SoftMatch(counts), [slot("m", "月", "个")], {"m": "輪"})
    assert found["value"].to_list() == [0.5]


def test_what_cannot_be_judged_has_no_value_and_no_label() -> None:
    items = [slot("a", "教师", None), slot("b", "教师", "名")]
    found = judged(SoftMatch(COUNTS), items, [even("a", "名"), unanswered("b", "missing", "no opinion")])
    assert found.select("value", "label").rows() == [(None, None), (None, None)]
    assert found["reason"].to_list() == ["the item has no gold answer", "no opinion"]
    assert judged(SoftMatch(COUNTS), items, []).height == 0


NOUNS = st.sampled_from(["教师", "书", "马"])
LABELS = st.sampled_from(["名", "位", "个", "本", "匹"])
USES = st.dictionaries(st.tuples(NOUNS, LABELS), st.integers(1, 9), max_size=10)


@given(USES, st.lists(st.tuples(NOUNS, LABELS, LABELS), min_size=1, max_size=8), st.sampled_from(Scale.__args__))  # type: ignore[attr-defined]
@settings(max_examples=25, deadline=None)
def test_it_is_bounded_and_never_below_exact_match(
    uses: dict[tuple[str, str], int], asked: list[tuple[str, str, str]], scale: Scale
) -> None:
    table = pl.DataFrame([(*pair, n) for pair, n in uses.items()], schema=COUNT_SCHEMA, orient="row")
    items = [slot(f"i{n}", noun, gold) for n, (noun, gold, _) in enumerate(asked)]
    answers = [even(f"i{n}", answer) for n, (_, _, answer) in enumerate(asked)]
    soft = judged(SoftMatch(NounCounts(table, "made up"), scale), items, answers)["value"].to_list()
    exact = judged(LabelMatch(), items, answers)["value"].to_list()
    for value, right, (noun, gold, answer) in zip(soft, exact, asked, strict=True):
        assert right <= value <= 1
        counts = {label: n for (held, label), n in uses.items() if held == noun}
        if scale == "share" and answer != gold:
            assert value == pytest.approx(float(Fraction(counts.get(answer, 0), sum(counts.values()) + 1)))
        if answer not in counts and answer != gold:
            assert value == 0
    backwards = judged(SoftMatch(NounCounts(table, "made up"), scale), items[::-1], answers[::-1])["value"].to_list()
    assert backwards[::-1] == soft


@given(USES, NOUNS, LABELS)
@settings(max_examples=25, deadline=None)
def test_the_shares_of_all_classifiers_sum_to_one(uses: dict[tuple[str, str], int], noun: str, gold: str) -> None:
    table = pl.DataFrame([(*pair, n) for pair, n in uses.items()], schema=COUNT_SCHEMA, orient="row")
    labels = ["名", "位", "个", "本", "匹"]
    answers = [even("x", label, system=label) for label in labels]
    found = judged(SoftMatch(NounCounts(table, "made up")), [slot("x", noun, gold)], answers)["value"].to_list()
    others = sum(value for value, label in zip(found, labels, strict=True) if label != gold)
    total = sum(n for (held, _), n in uses.items() if held == noun)
    assert others + (uses.get((noun, gold), 0) + 1) / (total + 1) == pytest.approx(1)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(UserError, match="most frequent"):
        judged(SoftMatch(COUNTS, "best"), [], [])  # type: ignore[arg-type]
    with pytest.raises(UserError, match="NounCounts"):
        judged(SoftMatch("train.csv"), [], [])  # type: ignore[arg-type]


def test_it_is_registered_and_keeps_its_promises() -> None:
    assert find("measure", "soft match").kind is SoftMatch
    measure = soft_match(COUNTS)
    assert measure.signature() == SoftMatch(COUNTS).signature() != soft_match(COUNTS, "gold").signature()
    assert [finding for finding in measure.conformance() if not finding.kept] == []
    copy = pickle.loads(pickle.dumps(measure))
    items, answers = [slot("x", "教师", "名")], [even("x", "位")]
    assert judged(copy, items, answers).equals(judged(measure, items, answers))


def test_the_default_reference_is_the_training_part() -> None:
    # In the training part of the default corpus 孩子 is counted with 个 above all.
    found = judged(SoftMatch(), [slot("x", "孩子", "名")], [even("x", "个"), even("x", "张", system="B")])
    assert found["value"][0] > 0.5 and found["value"][1] == 0
    assert dict(SoftMatch().signature().pairs)["reference.part"] == "train"
