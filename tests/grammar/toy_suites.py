"""Which small suites do the tests of failing items show? Every surprisal is written down, so all sums are by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from hengliang import Item, Response
from hengliang.core import ScoredUnit, View, items_frame, responses_frame
from hengliang.grammar import SuiteItemLimits as Limits
from hengliang.grammar import (
    SuiteView,
    Ties,
    failing_items_view,
    parse_suite,
    prediction,
    suite_items,
    suite_views,
    surprisal_difference,
)

TEXT = """\
class:      missing object / 宾语缺失
modifier:   none / 无修饰语
conditions: complete *missing
regions:    subject verb object stop
predict:    missing.stop > complete.stop
control total: missing.* > complete.subject:verb

1  He became a doctor.
   complete  他 | 成为 了 | 医生 | 。
   missing   他 | 成为 了 |      | 。

2  She became a teacher.
   complete  她 | 成为 了 | 老师 | 。
   missing   她 | 成为 了 |      | 。

3  I became a singer.
   complete  我 | 成为 了 | 歌手 | 。
   missing   我 | 成为 了 |      | 。
"""
NAME = "toys.none"

Numbers = Sequence[float] | str
"""The surprisal of each word and of the end, or why there are none."""

Units = Mapping[str, Sequence[tuple[bytes, float]] | str]
"""By item and condition: units as bytes with their surprisals, or why there are none."""

# By item and condition. The last two numbers are those of 。 and of the end.
FIRST: Mapping[str, Numbers] = {
    "1/complete": (1.0, 2.0, 0.5, 4.0, 3.0, 0.25),
    "1/missing": (1.0, 2.0, 0.5, 2.5, 0.25),  # 2.5 > 3.0 is false, by 0.5
    "2/complete": (1.0, 2.0, 0.5, 4.0, 1.0, 0.25),
    "2/missing": (1.0, 2.0, 0.5, 6.0, 0.25),  # 6 > 1 is true, by 5
    "3/complete": (1.0, 2.0, 0.5, 4.0, 1.5, 0.25),
    "3/missing": (1.0, 2.0, 0.5, 1.5, 0.25),  # a tie
}
SECOND: Mapping[str, Numbers] = {
    **FIRST,
    "1/missing": (1.0, 2.0, 0.5, 2.0, 0.25),  # false, by 1
    "3/missing": "the model is out",
}


def toy_items() -> pl.DataFrame:
    return suite_items([parse_suite(TEXT, NAME)])


def answers(items: pl.DataFrame, model: str, numbers: Mapping[str, Numbers], seed: int | None = None) -> pl.DataFrame:
    """Return the responses of a model whose units are the words; the last number is that of the end."""
    rows = []
    for id, content, spans in items.select("id", "content", "spans").iter_rows():
        edges = [(span["start"], span["end"]) for span in spans if span["name"] == "word"]
        edges.append((len(content.encode()),) * 2)
        rows.append(_response(id, model, seed, numbers[id.removeprefix(f"{NAME}/")], edges))
    return responses_frame(rows, "units")


def unit_answers(items: pl.DataFrame, model: str, units: Units) -> pl.DataFrame:
    """Return the responses of a model whose units are given as bytes with their surprisals."""
    rows = []
    for id in items["id"]:
        held = units[id.removeprefix(f"{NAME}/")]
        if isinstance(held, str):
            rows.append(_response(id, model, None, held, []))
            continue
        edges, place = [], 0
        for unit, _ in held:
            edges.append((place, place + len(unit)))
            place += len(unit)
        rows.append(_response(id, model, None, [number for _, number in held], edges))
    return responses_frame(rows, "units")


def _response(id: str, model: str, seed: int | None, numbers: Numbers, edges: Sequence[tuple[int, int]]) -> Response:
    if isinstance(numbers, str):
        return Response(id, id, model, seed, "", "units", None, "missing", numbers)
    units = [ScoredUnit(*edge, -number, None) for edge, number in zip(edges, numbers, strict=True)]
    return Response(id, id, model, seed, "", "units", tuple(units))


def judged(
    items: pl.DataFrame, responses: pl.DataFrame, ties: Ties = "failure", name: str = "prediction", coin_seed: int = 0
) -> pl.DataFrame:
    measures = (prediction(ties, coin_seed=coin_seed, name=name), surprisal_difference())
    return pl.concat([measure.judge(items, responses) for measure in measures])


def toy_tables() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return items, responses and judgements of two models; the second did not answer one sentence."""
    items = toy_items()
    responses = pl.concat([answers(items, "first", FIRST), answers(items, "second", SECOND)])
    return items, responses, judged(items, responses)


def toy_suites(limits: Limits | None = None) -> tuple[SuiteView, ...]:
    return suite_views(*toy_tables(), limits)


def suites_view() -> View:
    return failing_items_view(toy_suites())


def pair_items(sizes: Mapping[str, int]) -> pl.DataFrame:
    """Return minimal pairs without words: so many of each paradigm."""
    return items_frame(
        Item(
            f"{paradigm}/{number}/{condition}",
            f"{paradigm}/{number}",
            "pairs",
            condition,
            "他来了。" if condition == "good" else "他了来。",
            attributes={
                "suite": paradigm,
                "acceptable": condition == "good",
                "predictions": "predict sentence: bad.* > good.*",
                "tolerance": 1e-5,
            },
        )
        for paradigm, size in sizes.items()
        for number in range(size)
        for condition in ("good", "bad")
    )


def pair_answers(items: pl.DataFrame, model: str, margins: Mapping[str, float]) -> pl.DataFrame:
    """Return answers by character in which the bad sentence is so much more surprising; by set, 1 for the others."""
    units: dict[str, Sequence[tuple[bytes, float]] | str] = {}
    for id, name, condition, content in items.select("id", "set", "condition", "content").iter_rows():
        more = margins.get(name, 1.0) if condition == "bad" else 0.0
        numbers = [10.0 + more, *[1.0] * (len(content) - 1)]
        units[id] = [*zip((one.encode() for one in content), numbers, strict=True), (b"", 0.5)]
    return unit_answers(items, model, units)
