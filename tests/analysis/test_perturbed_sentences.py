"""Do the right originals stand against the right versions?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analysis.discrimination import Discrimination
from hengliang.analysis.perturbed_sentences import ACCEPTABLE, Cell, place_told, scores_of
from tests.analysis.perturbed_runs import run, sentence, simulated

ITEMS = [
    sentence("a", entity=False),
    sentence("a/order", "word order", entity=False),
    sentence("a/classifier", "classifier", entity=True),
    sentence("b", entity=False),
    sentence("b/order", "word order", entity=True),
    sentence("c", entity=False),
]
SCORES: dict[str, float | None] = {"a": 3, "a/order": 1, "a/classifier": 2, "b": 5, "b/order": None, "c": 9}


TABLES = run(
    ITEMS,
    {
        ("A", 1, "SLOR"): SCORES,
        ("A", 2, "SLOR"): {**SCORES, "b": None},
        ("B", None, "SLOR"): SCORES,
        ("B", None, "LogProb"): SCORES,
    },
)


def cells(**options: Any) -> list[Cell]:
    return list(Discrimination(parts=["SLOR", "LogProb"], **options).cells(TABLES))


def items_of(found: list[Cell]) -> dict[tuple[str, ...], list[str]]:
    return {tuple(cell.by.values()): cell.rows["item"].to_list() for cell in found}


def test_originals_stand_against_the_versions_of_the_same_sets() -> None:
    found = items_of(cells())
    assert found["A", "SLOR", "word order"] == ["a", "b", "a/order", "b/order"]
    assert found["A", "SLOR", "classifier"] == ["a", "a/classifier"]
    # The sentence c has no version at all.
    assert found["A", "SLOR"] == ["a", "b", "a/classifier", "a/order", "b/order"]
    # Kinds in the order of items, all kinds last.
    assert list(found)[:3] == [("A", "SLOR", "word order"), ("A", "SLOR", "classifier"), ("A", "SLOR")]


def test_a_sentence_is_scored_when_every_seed_scored_it() -> None:
    order = next(cell for cell in cells() if cell.by.get("perturbation") == "word order" and cell.by["system"] == "A")
    assert order.seeds == ("score 1", "score 2")
    assert order.complete["item"].to_list() == ["a", "a/order"]
    assert scores_of(order.complete, order.seeds).tolist() == [[3, 1], [3, 1]]


def test_levels_are_those_of_the_versions_and_bring_their_originals() -> None:
    found = items_of(cells(by=["perturbation", "entity"]))
    assert found["A", "SLOR", "word order", "no"] == ["a", "a/order"]
    assert found["A", "SLOR", "word order", "yes"] == ["b", "b/order"]
    assert found["A", "SLOR", "yes"] == ["a", "b", "a/classifier", "b/order"]


@pytest.mark.parametrize("level", [True, "yes", [True]])
def test_some_sentences_only(level: Any) -> None:
    found = items_of(cells(where={"entity": level}))
    assert found["A", "SLOR", "word order"] == ["b", "b/order"]
    assert found["A", "SLOR", "classifier"] == ["a", "a/classifier"]


def test_some_systems_or_kinds_only() -> None:
    assert {cell.by["system"] for cell in cells(where={"system": "B"})} == {"B"}
    found = items_of(cells(where={"perturbation": "classifier"}, by=()))
    assert found["A", "SLOR"] == ["a", "a/classifier"]


def test_the_order_of_tables_does_not_matter() -> None:
    held = simulated(12)
    turned = run(list(reversed(ITEMS)), {("A", None, "SLOR"): SCORES})
    plain = run(ITEMS, {("A", None, "SLOR"): SCORES})
    one, two = (items_of(list(Discrimination("SLOR").cells(tables))) for tables in (plain, turned))
    assert {key: sorted(rows) for key, rows in one.items()} == {key: sorted(rows) for key, rows in two.items()}
    assert len(list(Discrimination("SLOR").cells(held))) == 2 * 3


def test_a_place_in_words() -> None:
    by = {"part": "SLOR", "perturbation": "classifier", "has_entity": "yes"}
    told = place_told(by, ["perturbation", "has_entity"])
    assert (told.en, told.zh) == ("SLOR, classifier, Has an entity: yes", "SLOR，量词，含实体：是")
    assert place_told({"part": "SLOR"}, ["perturbation"], part=False).en == "all kinds"
    assert place_told({"part": "SLOR"}, [], part=False).zh == "全部类型"


@pytest.mark.parametrize(
    ("items", "options", "said"),
    [
        ([*ITEMS, sentence("d", acceptable=False)], {}, "'d' is not acceptable and its perturbation is ''"),
        ([*ITEMS, sentence("d/x", "x", acceptable=True)], {}, "'d/x' is acceptable and its perturbation is 'x'"),
        ([*ITEMS, sentence("a/again", entity=True)], {}, "The set 'a' has several originals"),
        ([sentence("a", entity=True)], {}, "No perturbed sentence was judged"),
        (ITEMS, {"where": {"entity": "perhaps"}}, "No level of 'entity' is called 'perhaps'"),
        (ITEMS, {"by": "entities"}, "No column is called 'entities'"),
        (ITEMS, {"cluster": "block"}, "No column is called 'block'"),
        (ITEMS, {"parts": "SLORE"}, "SLORE"),
        (ITEMS, {"measure": "acceptable"}, "No measure is called"),
    ],
)
def test_what_cannot_be_compared_is_said(items: list[Any], options: dict[str, Any], said: str) -> None:
    held = run(items, {("A", None, "SLOR"): {item.id: 1.0 for item in items}})
    with pytest.raises(UserError, match=said):
        list(Discrimination(**{"parts": "SLOR", **options}).cells(held))


def test_items_that_do_not_say_what_is_acceptable() -> None:
    held = run(ITEMS, {("A", None, "SLOR"): SCORES})
    with pytest.raises(UserError, match="no attribute 'acceptable'"):
        list(Discrimination("SLOR").cells(replace(held, items=held.items.drop(ACCEPTABLE))))
    words = held.items.with_columns(pl.lit("yes").alias(ACCEPTABLE))
    with pytest.raises(UserError, match="no yes or no"):
        list(Discrimination("SLOR").cells(replace(held, items=words)))
    empty = held.items.with_columns(block=pl.lit(None, dtype=pl.String))
    with pytest.raises(UserError, match="'block' is empty"):
        list(Discrimination("SLOR", cluster="block").cells(replace(held, items=empty)))


def test_levels_within_kinds_are_not_summed_up_once_more() -> None:
    items = [
        sentence("a", rule=""),
        sentence("a/order", "word order", rule="swapped"),
        sentence("a/classifier", "classifier", rule="replaced"),
    ]
    held = run(items, {("A", None, "SLOR"): {"a": 3.0, "a/order": 1.0, "a/classifier": 2.0}})
    found = items_of(list(Discrimination(parts="SLOR", by=("perturbation", "rule")).cells(held)))
    # Each rule makes one kind: a row for all kinds of a rule would be the same row again.
    assert list(found) == [("A", "SLOR", "word order", "swapped"), ("A", "SLOR", "classifier", "replaced")]
    assert found["A", "SLOR", "word order", "swapped"] == ["a", "a/order"]
    # By another factor all kinds still stand together, for some levels have several.
    assert any(len(cell.by) == 3 for cell in cells(by=("perturbation", "entity")))
