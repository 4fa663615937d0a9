"""Which small runs of rated and scored sentences do the tests of ratings look at?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from hengliang import Item, Judgement, Response, Span, Tables
from hengliang.core import (
    SYSTEM_SCHEMA,
    Count,
    ScoredUnit,
    items_frame,
    judgements_frame,
    responses_frame,
    with_response_ids,
)

Numbers = Sequence[float | None]


def rated(
    ratings: Numbers,
    scores: Mapping[str, Mapping[str, Numbers] | Numbers],
    *,
    sources: Sequence[str | None] | None = None,
    dataset: Sequence[str] | str = "BNC",
    mode: Sequence[str] | str = "MOP2",
    counts: Mapping[str, Sequence[Mapping[str, int] | None]] | None = None,
    seeds: Mapping[str, tuple[str, int]] | None = None,
) -> Tables:
    """Return a run: a rating a sentence, and for each system a score a sentence (part SLOR) or several parts.

    `sources` are the source sentences, by default each its own. `counts` are the answers of counters. `seeds` says of
    which system and seed a name in `scores` speaks.
    """
    n = len(ratings)
    datasets = [dataset] * n if isinstance(dataset, str) else list(dataset)
    modes = [mode] * n if isinstance(mode, str) else list(mode)
    names = [f"s{number:04d}" for number in range(n)]
    held = list(sources) if sources is not None else list(names)
    items = items_frame(
        Item(name, name, "rated", "", "他走了", (Span("word", 0, 3), Span("word", 3, 9)),
             attributes={"dataset": d, "mode": m, "source_sentence": s})
        for name, d, m, s in zip(names, datasets, modes, held, strict=True)
    )  # fmt: skip
    people = [
        Judgement(name, "", "rating", "mean", "people", "mean of 9 raters", value,
                  status="ok" if value is not None else "missing", reason="" if value is not None else "unrated")
        for name, value in zip(names, ratings, strict=True)
    ]  # fmt: skip
    responses, judgements = [], people
    for place, (label, parts) in enumerate(scores.items()):
        system, seed = (seeds or {}).get(label, (label, None))
        by_part = parts if isinstance(parts, Mapping) else {"SLOR": parts}
        # Each system's units differ, so that no two answers share an id.
        answers = [
            Response("", name, system, seed, "", "units", (ScoredUnit(0, 9, -1.0 - place, None),)) for name in names
        ]
        frame = with_response_ids(responses_frame(answers, "units"), "units")
        responses.append(frame)
        for part, values in by_part.items():
            judgements += [
                Judgement(about, system, "acceptability", part, "machine", "m", value,
                          status="ok" if value is not None else "missing",
                          reason="" if value is not None else "not scored")
                for about, value in zip(frame["id"], values, strict=True)
            ]  # fmt: skip
    tables = {"units": pl.concat(responses)} if responses else {}
    systems = [(seeds or {}).get(label, (label, None)) for label in scores]
    for counter, given in (counts or {}).items():
        frame = _counted(counter, names, given)
        tables["counts"] = pl.concat([*([tables["counts"]] if "counts" in tables else []), frame])
        systems.append((counter, None))
    frame = pl.DataFrame(systems, schema=SYSTEM_SCHEMA, orient="row")
    return Tables(items, frame, tables, judgements_frame(judgements))  # type: ignore[arg-type]


_FAILED = ("failed", "the recogniser fell over")


def _counted(counter: str, names: Sequence[str], given: Sequence[Mapping[str, int] | None]) -> pl.DataFrame:
    """Return the answers of a counter, None where it failed."""
    answers = [
        Response("", name, counter, None, "", "counts", _content(one), *(("ok", "") if one is not None else _FAILED))
        for name, one in zip(names, given, strict=True)
    ]
    return with_response_ids(responses_frame(answers, "counts"), "counts")


def _content(counts: Mapping[str, int] | None) -> tuple[Count, ...] | None:
    return None if counts is None else tuple(Count(kind, number) for kind, number in counts.items())


def turned(tables: Tables) -> Tables:
    """Return the same run with all rows in the opposite order, but for the systems."""
    responses = {kind: frame.reverse() for kind, frame in tables.responses.items()}
    return Tables(tables.items.reverse(), tables.systems, responses, tables.judgements.reverse())


def invented(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ratings and two scores, of which the second goes better with the ratings."""
    generator = np.random.default_rng(seed)
    ratings = generator.normal(size=n)
    return ratings, ratings * 0.3 + generator.normal(size=n), ratings * 0.9 + generator.normal(size=n)
