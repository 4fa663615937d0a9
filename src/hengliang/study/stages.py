"""Stages of a study: items, responses, judgements and estimates, each from tables to a table.

Batches hold whole sets and go through the cache and the engine; the order of the output is the order of the items,
whatever the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import polars as pl

from hengliang.core.base_classes import Analysis, Material, Measure, System, check_answers
from hengliang.core.engine.cache import BatchCache, content_key
from hengliang.core.engine.mapping import Engine, map_batches
from hengliang.core.environment import missing_library
from hengliang.core.errors import Failure, UserError
from hengliang.core.progress import Watcher
from hengliang.core.records import (
    ESTIMATE_SCHEMA,
    JUDGEMENT_SCHEMA,
    RESPONSE_KINDS,
    ResponseKind,
    attribute_names,
    check_items,
    check_judgements,
    check_responses,
    response_schema,
    with_response_ids,
)
from hengliang.core.runs import SENTENCE_SCHEMA, SYSTEM_SCHEMA, Tables
from hengliang.core.signature import Signature
from hengliang.core.views import View

Batch = TypeVar("Batch")

JUDGED_AT_ONCE = 5000
HOPELESS = 5


@dataclass(frozen=True, slots=True)
class Workshop:
    """With what the work is done: none of it can change a number."""

    engine: Engine
    cache: Path
    watcher: Watcher
    log: Callable[[str], None]


def gather_items(materials: Sequence[Material]) -> pl.DataFrame:
    """Return the items of all materials, the items of a set together."""
    frames = []
    for material in materials:
        items = check_items(material.items())
        if not items.height:
            raise UserError(
                f"The material '{material.name}' has no items.",
                remedy="Check the corpus or the options it was made with.",
            )
        frames.append(items)
    together = pl.concat(frames, how="diagonal")
    # No attribute may be called "item", so that this column is nobody's.
    first = pl.col("item").min().over("set")
    return check_items(together.with_row_index("item").sort(first, maintain_order=True).drop("item"))


def batches_of_sets(items: pl.DataFrame, size: int) -> Iterator[pl.DataFrame]:
    """Cut an item table into batches of at least `size` items (but for the last) that never part a set."""
    starts = items.select(pl.arg_where(pl.col("set") != pl.col("set").shift()))["set"].to_list() if items.height else []
    begin = 0
    for border in [*starts, items.height]:
        if border - begin >= size or (border == items.height and border > begin):
            yield items.slice(begin, border - begin)
            begin = border


# --- responses --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Answering:
    """Puts a batch of items to a system; an item on which it breaks is reported, and the others are answered."""

    system: System

    def __call__(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the answers to these items."""
        try:
            return check_answers(self.system.answer(items), items, self.system)
        except UserError:
            raise
        except Exception as error:  # a stranger's system may raise anything
            missing = missing_library(error) if isinstance(error, ImportError) else None
            if missing is not None:
                raise missing from error
            return self._one_by_one(items, error)

    def _one_by_one(self, items: pl.DataFrame, first: Exception) -> pl.DataFrame:
        answers, failures = [], 0
        for item in items.iter_slices(1):
            try:
                answers.append(check_answers(self.system.answer(item), item, self.system))
            except UserError:
                raise
            except Exception as error:
                failures += 1
                if failures == len(answers) + 1 and failures >= min(HOPELESS, items.height):
                    raise Failure(
                        f"The system '{self.system.name}' fails: {type(first).__name__}: {first}.",
                        remedy=f"Try it alone: hengliang check {self.system.name}",
                    ) from error
                answers.append(_failed(item, self.system, f"{type(error).__name__}: {error}"))
        return pl.concat(answers)


def _failed(item: pl.DataFrame, system: System, reason: str) -> pl.DataFrame:
    row = {"item": item["id"].to_list(), "content": [None], "status": ["failed"], "reason": [reason]}
    schema = {name: response_schema(system.kind)[name] for name in row}
    return pl.DataFrame(row, schema=schema)


def visible(items: pl.DataFrame, system: System) -> pl.DataFrame:
    """Return what a system may look at: never the gold answer, and only the attributes that it says it looks at."""
    hidden = [] if system.looks_at is None else [n for n in attribute_names(items) if n not in system.looks_at]
    return items.with_columns(gold=pl.lit(None, dtype=pl.String)).drop(hidden)


def answer_key(items: pl.DataFrame) -> str:
    """Return the hash of what an answer may depend on."""
    return content_key(items.select("content", "spans", *sorted(attribute_names(items))))


def collect_responses(
    items: pl.DataFrame, systems: Sequence[System], shop: Workshop
) -> tuple[pl.DataFrame, dict[ResponseKind, pl.DataFrame]]:
    """Put the items to every system; return the systems table and one response table per kind."""
    tables: dict[ResponseKind, list[pl.DataFrame]] = {}
    for system in systems:
        answers = _answers(items, system, shop)
        frame = answers.with_columns(
            id=pl.lit(""),
            system=pl.lit(system.name),
            seed=pl.lit(system.seed, dtype=pl.Int64),
            respondent=pl.lit(""),
            kind=pl.lit(system.kind),
        )
        frame = with_response_ids(frame, system.kind).select(list(response_schema(system.kind)))
        tables.setdefault(system.kind, []).append(check_responses(frame, system.kind))
    kinds = [kind for kind in RESPONSE_KINDS if kind in tables]
    return systems_table(systems), {kind: pl.concat(tables[kind]) for kind in kinds}


def _answers(items: pl.DataFrame, system: System, shop: Workshop) -> pl.DataFrame:
    cache = BatchCache(shop.cache / "responses", system.signature())
    batches = list(batches_of_sets(visible(items, system), system.batch_size))
    frames = _through_cache(f"responses: {system.name}", Answering(system), batches, answer_key, cache, shop)
    # Cached answers carry no item ids: another study may ask the same under other ids.
    return pl.concat([frame.with_columns(item=batch["id"]) for batch, frame in zip(batches, frames, strict=True)])


def systems_table(systems: Sequence[System]) -> pl.DataFrame:
    """Return name, seed and traits of the systems, one row each."""
    rows = [{"name": system.name, "seed": system.seed, **system.traits()} for system in systems]
    if not rows:
        return pl.DataFrame(schema=SYSTEM_SCHEMA)
    return pl.DataFrame(rows, schema_overrides=SYSTEM_SCHEMA, infer_schema_length=None)


# --- judgements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judging:
    """Lets a measure judge the responses to a batch of items."""

    measure: Measure

    def __call__(self, batch: tuple[pl.DataFrame, pl.DataFrame]) -> pl.DataFrame:
        """Return the judgements about this batch."""
        judgements = self.measure.judge(*batch)
        return check_judgements(judgements.select(list(JUDGEMENT_SCHEMA)))


def _judging_key(batch: tuple[pl.DataFrame, pl.DataFrame]) -> str:
    return content_key(*batch)


def collect_judgements(
    items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], measures: Sequence[Measure], shop: Workshop
) -> pl.DataFrame:
    """Let every measure judge the responses of its kinds, whole sets at a time."""
    frames = [pl.DataFrame(schema=JUDGEMENT_SCHEMA)]
    for measure in measures:
        cache = BatchCache(shop.cache / "judgements", measure.signature())
        for kind in measure.kinds:
            if kind not in responses:
                continue
            batches = list(_batches_with_responses(items, responses[kind]))
            frames += _through_cache(
                f"judgements: {measure.name}", Judging(measure), batches, _judging_key, cache, shop
            )
    return pl.concat(frames)


def _batches_with_responses(
    items: pl.DataFrame, responses: pl.DataFrame
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    for batch in batches_of_sets(items, JUDGED_AT_ONCE):
        yield batch, responses.join(batch.select(item="id"), on="item", how="semi", maintain_order="left")


# --- estimates --------------------------------------------------------------------------------------------------------


def collect_estimates(
    tables: Tables, analyses: Sequence[Analysis], data: str, watcher: Watcher
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Let every analysis say what follows; return the estimates and what they say in words, one row per sentence.

    The hash of the data joins the signature of each number.
    """
    frames = [pl.DataFrame(schema=ESTIMATE_SCHEMA)]
    sentences: list[tuple[str, str, str]] = []
    with watcher.watch("estimates", len(analyses)) as steps:
        for analysis in analyses:
            conclusion = analysis.conclude(tables)
            sentences += [(analysis.name, sentence.en, sentence.zh) for sentence in conclusion.sentences]
            frame = conclusion.estimates.select(list(ESTIMATE_SCHEMA))
            lines = [str(Signature.parse(line).and_(data=data)) for line in frame["signature"].to_list()]
            frames.append(frame.with_columns(pl.Series("signature", lines, dtype=pl.String)))
            steps.advance()
    return pl.concat(frames), pl.DataFrame(sentences, schema=SENTENCE_SCHEMA, orient="row")


def measure_views(tables: Tables, measures: Sequence[Measure]) -> dict[str, Sequence[View]]:
    """Let every measure say what a report shows of its judgements besides numbers; by who it is that says so."""
    parts = (tables.items, tables.responses, tables.judgements)
    return {f"the measure '{measure.name}'": measure.views(*parts) for measure in measures}


def analysis_views(tables: Tables, analyses: Sequence[Analysis], estimates: pl.DataFrame) -> dict[str, Sequence[View]]:
    """Let every analysis say what a report shows besides its numbers; by who it is that says so."""
    return {
        f"the analysis '{analysis.name}'": analysis.views(tables, estimates.filter(pl.col("analysis") == analysis.name))
        for analysis in analyses
    }


# --- batches through cache and engine ---------------------------------------------------------------------------------


def _through_cache(
    what: str,
    function: Callable[[Batch], pl.DataFrame],
    batches: Sequence[Batch],
    key_of: Callable[[Batch], str],
    cache: BatchCache,
    shop: Workshop,
) -> list[pl.DataFrame]:
    """Return the result of each batch, from the cache where it is there, else by the engine and then into the cache."""
    keys = [key_of(batch) for batch in batches]
    results_by_key, damaged = cache.get_all(keys)
    todo = [index for index, key in enumerate(keys) if key not in results_by_key]
    shop.log(f"{what}: {len(batches) - len(todo)} of {len(batches)} batches were done already")
    if damaged:
        shop.log(f"{what}: damaged in the cache and computed again: {damaged}")
    with shop.watcher.watch(what, len(batches)) as steps:
        steps.advance(len(batches) - len(todo))
        work = ((keys[index], batches[index]) for index in todo)
        results = map_batches(cache.in_pieces(function), work, engine=shop.engine, on_event=_logger(shop))
        for index, frame in zip(todo, results, strict=True):
            results_by_key[keys[index]] = frame
            if not (frame["status"] == "failed").any():
                cache.put(keys[index], frame)
            steps.advance()
    return [results_by_key[key] for key in keys]


def _logger(shop: Workshop) -> Callable[[object], None]:
    def tell(event: object) -> None:
        shop.log(str(event))
        shop.watcher.say(str(event))

    return tell
