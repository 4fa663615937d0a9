"""How well does a model foresee a file or corpus of any size?

Texts go to the model some at a time, here or on several processes, and only sums are kept. Per word needs words
everywhere: those of raw lines are found by the segmenter that is asked for, else by the model's, or by rjieba where the
model needs none. The sums of each finished batch are kept in the cache, so that work that was stopped goes on there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from hengliang.core import places
from hengliang.core.engine.cache import BatchCache
from hengliang.core.engine.mapping import LOCAL, Engine
from hengliang.core.errors import unknown_name
from hengliang.core.labelling.texts import Texts
from hengliang.core.progress import Silent, Watcher
from hengliang.core.signature import Signature, code_checksum, digest, file_checksum
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import segmented_by
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.plain_text import OnBroken
from hengliang.systems.language_models.base import LanguageModel
from hengliang.systems.language_models.corpora import Corpus
from hengliang.systems.language_models.line_chunks import (
    BATCH,
    Chunk,
    line_count,
    read_chunks,
    scores_of_texts,
    texts_of_chunk,
)
from hengliang.systems.language_models.manner import Reading
from hengliang.systems.language_models.perplexity import Perplexity, perplexity

_KEPT_PROBLEMS = 10

Batch = TypeVar("Batch", bound=Sized)
_FOUND = {
    **dict.fromkeys(Perplexity.__dataclass_fields__, pl.Int64()),
    "logprob": pl.Float64(),
    **dict.fromkeys(Reading.__dataclass_fields__, pl.Int64()),
    "problems": pl.List(pl.String),
}
"""What is kept of a batch, in one row: the fields of `Perplexity` and `Reading`, and why texts have no score."""


@dataclass(frozen=True, slots=True)
class CorpusPerplexity:
    """A perplexity, everything that could change it, and why the first ten texts without a score have none.

    `reading` says how many texts were cut into words, and how many characters were folded to the model's widths.
    """

    perplexity: Perplexity
    signature: Signature
    problems: tuple[str, ...]
    reading: Reading


@dataclass(frozen=True)
class _OfTexts:
    model: LanguageModel

    def __call__(self, texts: Texts) -> pl.DataFrame:
        found, problems, reading = _perplexity(self.model, texts)
        return _row(found, reading, filter(None, problems))


@dataclass(frozen=True)
class _OfChunk:
    model: LanguageModel
    segmenter: str

    def __call__(self, chunk: Chunk) -> pl.DataFrame:
        texts, unread = texts_of_chunk(chunk, self.segmenter or self.model.conventions().segmenter)
        readable = np.flatnonzero([not problem for problem in unread]).tolist()
        found, unscored, reading = _perplexity(self.model, texts.take(readable), self.segmenter)
        problems = dict(enumerate(unread)) | dict(zip(readable, unscored, strict=True))
        told = (f"line {chunk.numbers[place]}: {problem}" for place, problem in problems.items() if problem)
        return _row(found + Perplexity(0.0, 0, 0, 0, 0, 0, 0, len(chunk) - len(readable)), reading, told)


def _row(found: Perplexity, reading: Reading, problems: Iterable[str]) -> pl.DataFrame:
    told = list(islice(problems, _KEPT_PROBLEMS))
    return pl.DataFrame([{**asdict(found), **asdict(reading), "problems": told}], schema=_FOUND)


def _perplexity(model: LanguageModel, texts: Texts, segmenter: str = "") -> tuple[Perplexity, tuple[str, ...], Reading]:
    conventions = model.conventions()
    reading = Reading.of(texts, conventions.widths)
    texts = texts.with_words(segmenter or conventions.segmenter or USUAL_SEGMENTER)
    scores = scores_of_texts(model, texts)
    return perplexity(scores, texts), scores.problems, reading


def file_perplexity(
    model: LanguageModel,
    path: Path,
    *,
    batch: int = BATCH,
    encoding: str = "utf-8",
    broken: OnBroken = "skip",
    segmenter: str = "",
    engine: Engine = LOCAL,
    watcher: Watcher | None = None,
) -> CorpusPerplexity:
    """Return the perplexity of a file of plain text, one text a line; lines that cannot be read count as unscored.

    `segmenter` finds the words of raw lines instead of the model's own.
    """
    chunks = read_chunks(path, batch=batch, encoding=encoding, broken=broken)
    signature = model.signature().and_(
        **segmented_by(segmenter or model.conventions().segmenter or USUAL_SEGMENTER, "words"),
        batch=batch,
        data=file_checksum(path) if path.is_file() else None,
    )
    keyed = ((chunk.key, chunk) for chunk in chunks)
    return _summed(_OfChunk(model, segmenter), keyed, line_count(path), signature, engine, watcher or Silent())


def part_perplexity(
    model: LanguageModel,
    corpus: Corpus,
    part: str = "test",
    *,
    batch: int = BATCH,
    engine: Engine = LOCAL,
    watcher: Watcher | None = None,
) -> CorpusPerplexity:
    """Return the perplexity of one part of a corpus, in the words of the corpus."""
    texts, source = corpus.parts[_part_named(part)], corpus.source
    signature = model.signature().and_(
        words=source.segmenter,
        batch=batch,
        data=source.name,
        checksum=source.checksum,
        part=part,
        longest=source.longest,
    )
    batches = (texts.take(np.arange(first, min(first + batch, len(texts)))) for first in range(0, len(texts), batch))
    keyed = ((_key(held), held) for held in batches)
    return _summed(_OfTexts(model), keyed, len(texts), signature, engine, watcher or Silent())


def _key(texts: Texts) -> str:
    columns = (texts.offsets, texts.starts, texts.ends, texts.segmented)
    return digest(*texts.contents.to_list(), *(column.tobytes() for column in columns))


def _part_named(name: str) -> Part:
    for part in PARTS:
        if part == name:
            return part
    raise unknown_name("part", name, PARTS)


def _summed(
    function: Callable[[Batch], pl.DataFrame],
    batches: Iterable[tuple[str, Batch]],
    total: int | None,
    signature: Signature,
    engine: Engine,
    watcher: Watcher,
) -> CorpusPerplexity:
    sizes: list[int] = []

    def counted() -> Iterator[tuple[str, Batch]]:
        for key, batch in batches:
            sizes.append(len(batch))
            yield key, batch

    found, reading = Perplexity(0.0, 0, 0, 0, 0, 0, 0, 0), Reading()
    problems: tuple[str, ...] = ()
    work = Signature.of(of=signature, code=code_checksum(type(function)))
    cache = BatchCache(places.cache() / "perplexities", work)
    with watcher.watch("scoring", total) as steps:
        for number, frame in enumerate(cache.worked(function, counted(), engine=engine, schema=_FOUND)):
            row = frame.row(0, named=True)
            problems = (*problems, *row.pop("problems"))[:_KEPT_PROBLEMS]
            reading += Reading(**{name: row.pop(name) for name in asdict(reading)})
            found += Perplexity(**row)
            steps.advance(sizes[number])
    return CorpusPerplexity(found, signature, problems, reading)
