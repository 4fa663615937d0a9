"""Which small tables of classifier slots do the tests of analyses share?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from hengliang import Item, Material, Signature, Span, Tables
from hengliang.core import SYSTEM_SCHEMA, items_frame, responses_frame, with_response_ids
from hengliang.core import AttributeValue as Attribute
from tests.analyses.answers import answer, judge


@dataclass(frozen=True)
class Use:
    """One slot of our own making: `before` and `after` stand on either side of the missing classifier."""

    noun: str
    gold: str | None
    before: str = "有一"
    after: str = ""
    trigger: str = "numeral"
    construction: str = "plain"
    block: int = 0


def slot_items(uses: Sequence[Use], **attributes: Sequence[Attribute]) -> pl.DataFrame:
    """Return the item table of the uses; without `after` the noun follows the slot."""
    items = []
    for number, use in enumerate(uses):
        place = len(use.before.encode())
        own: dict[str, Attribute] = {
            "head": use.noun,
            "trigger": use.trigger,
            "construction": use.construction,
            "block": use.block,
        }
        own |= {"segmented": f"{use.before[:-1]} {use.before[-1]} <CL> {use.after or use.noun}"}
        items.append(
            Item(
                f"i{number:03}", f"i{number:03}", "made up", "", use.before + (use.after or use.noun),
                (Span("slot", place, place),), use.gold,
                attributes={**own, **{name: values[number] for name, values in attributes.items()}},
            )
        )  # fmt: skip
    return items_frame(items)


class Given(Material):
    """A material of given uses."""

    name = "given"

    def __init__(self, uses: Sequence[Use]) -> None:
        self.uses = tuple(uses)

    def items(self) -> pl.DataFrame:
        """Return the uses as items."""
        return slot_items(self.uses)

    def signature(self) -> Signature:
        """Name the uses."""
        return Signature.of(material=self.name, uses=str(self.uses))


def slot_tables(uses: Sequence[Use], answers: Mapping[str, Sequence[str | None]], seeds: int = 1) -> Tables:
    """Return the tables of a run on the uses; with several seeds each system has given its answers as often."""
    items = slot_items(uses)
    rows = [
        answer(item, system, label, seed)
        for system, labels in answers.items()
        for seed in range(1, seeds + 1)
        for item, label in zip(items["id"].to_list(), labels, strict=True)
    ]
    responses = with_response_ids(responses_frame(rows, "label"), "label")
    names = [system for system in answers for _ in range(seeds)]
    systems = pl.DataFrame(
        {"name": names, "seed": [seed for _ in answers for seed in range(1, seeds + 1)]}, schema=SYSTEM_SCHEMA
    )
    return judge(Tables(items, systems, {"label": responses}, pl.DataFrame()))


def shuffled(held: Tables, seed: int) -> Tables:
    """Return the same tables with their rows in another order."""
    mixed = {kind: frame.sample(fraction=1, shuffle=True, seed=seed) for kind, frame in held.responses.items()}
    items = held.items.sample(fraction=1, shuffle=True, seed=seed + 1)
    return Tables(items, held.systems, mixed, held.judgements.sample(fraction=1, shuffle=True, seed=seed + 2))
