"""Perplexity per word, character and unit: of a batch, a file or a corpus; out-of-vocabulary (unknown) words.

Perplexity is exp(−Σ log p / N) over all scored texts. N counts the units of the chosen view (words, characters, or the
model's own units) and one end of sentence per text where the model scores it, so that the sum and the count are about
the same events. For a masked model it is a pseudo-perplexity [1]: comparable among masked models only.

[1] Salazar, J., Liang, D., Nguyen, T. Q., Kirchhoff, K. (2020). Masked language model scoring. ACL 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import asdict, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import ClassVar, Literal, TypeVar

import numpy as np
import polars as pl

from hengliang.core import places
from hengliang.core.base_classes import System, answer_schema
from hengliang.core.engine.cache import BatchCache
from hengliang.core.engine.mapping import LOCAL, Engine
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.texts import Texts, texts_of_items
from hengliang.core.progress import Silent, Watcher
from hengliang.core.records import CONTENT_TYPES, Attribute, ResponseKind
from hengliang.core.signature import Signature, code_checksum, digest, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import Offsets
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.core.text.segmenters import segmented_by
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.plain_text import OnBroken
from hengliang.language_models.base import LanguageModel
from hengliang.language_models.manner import Reading
from hengliang.language_models.regions import sentence_logprobs
from hengliang.language_models.scores import Scores
from hengliang.language_models.streaming import BATCH, Chunk, line_count, read_chunks, scores_of_texts, texts_of_chunk
from hengliang.language_models.training_texts import Corpus

# --- perplexity of scored texts ---------------------------------------------------------------------------------------


Per = Literal["word", "character", "unit"]


@dataclass(frozen=True, slots=True)
class Perplexity:
    """The perplexities of a model on a batch of texts, and the counts behind them.

    `words` is 0, and the perplexity per word NaN, where some text carries no words. `ends` counts the scored ends of
    sentences.
    """

    logprob: float
    words: int
    characters: int
    units: int
    ends: int
    unknown: int
    texts: int
    unscored: int

    def __add__(self, other: Perplexity) -> Perplexity:
        """Return the perplexity of both batches together."""
        sums = {field.name: getattr(self, field.name) + getattr(other, field.name) for field in fields(self)}
        # Texts without words would add to the log-probability and not to the count of words.
        if any(part.characters and not part.words for part in (self, other)):
            sums["words"] = 0
        return Perplexity(**sums)

    def per(self, view: Per) -> float:
        """Return the perplexity per word, per character or per unit of the model; NaN where there are none."""
        count = {"word": self.words, "character": self.characters, "unit": self.units - self.ends}[view]
        total = count + self.ends
        return float(np.exp(-self.logprob / total)) if count else float("nan")

    @property
    def unknown_share(self) -> float:
        """The share of units that the model did not know."""
        return self.unknown / (self.units - self.ends) if self.units > self.ends else float("nan")


def perplexity(scores: Scores, texts: Texts) -> Perplexity:
    """Sum up the scores of these texts; texts that were not scored are counted and left out."""
    scored = scores.scored
    units = np.repeat(scored, scores.counts)
    # An end is of no width; a unit of no width elsewhere would be an empty word, and no model has those.
    ends = units & (scores.starts == scores.ends)
    lengths = texts.contents.str.len_chars().to_numpy()
    # An empty text has no words, whether anybody has said so or not.
    segmented = bool((texts.segmented | (lengths == 0))[scored].all())
    return Perplexity(
        logprob=float(np.nansum(sentence_logprobs(scores))),
        words=int(np.diff(texts.offsets)[scored].sum()) if segmented else 0,
        characters=int(lengths[scored].sum()),
        units=int(units.sum()),
        ends=int(ends.sum()),
        unknown=int(scores.unknown[units].sum()),
        texts=int(scored.sum()),
        unscored=int((~scored).sum()),
    )


# --- unknown words ----------------------------------------------------------------------------------------------------
# Counts the words of each sentence that a language model does not know. It is a system of the kind `counts`, made from
# a model: it answers with the number of words as the model sees them (to one that replaces entities an entity is one
# word) and how many of those it did not know. The end of a sentence is not a word.

WORDS, UNKNOWN = "words", "unknown"


class UnknownWords(System):
    """Counts the words of each sentence and those of them that a language model does not know."""

    kind: ClassVar[ResponseKind] = "counts"
    looks_at: ClassVar[tuple[str, ...] | None] = ()
    title = Bilingual("Unknown words", "未登录词数")

    def __init__(self, model: LanguageModel, name: str = "") -> None:
        self.model = model
        self.name = name or f"unknown words ({model.name})"
        self.seed = model.seed
        self.batch_size = model.batch_size

    def prepare(self, watcher: Watcher) -> None:
        """Get the model ready."""
        self.model.prepare(watcher)

    def traits(self) -> Mapping[str, Attribute]:
        """Return the properties of the model."""
        return self.model.traits()

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the words of each item's content and how many are unknown; what is not scored is not counted."""
        unit = self.model.conventions().unit
        if unit != "word":
            raise UserError(
                f"The unit of the language model '{self.model.name}' is the {unit}.",
                valid="Unknown words are counted for models whose unit is the word.",
            )
        scores = self.model.score(texts_of_items(items))
        words, unknown = counted_words(scores)
        pairs = zip(words.tolist(), unknown.tolist(), scores.problems, strict=True)
        content = [
            None if problem else [{"kind": WORDS, "count": all_words}, {"kind": UNKNOWN, "count": strange}]
            for all_words, strange, problem in pairs
        ]
        answers = pl.DataFrame(
            {
                "item": items["id"],
                "content": pl.Series(content, dtype=CONTENT_TYPES["counts"]),
                "reason": pl.Series(scores.problems, dtype=pl.String),
            }
        )
        status = pl.when(pl.col("reason") == "").then(pl.lit("ok")).otherwise(pl.lit("failed"))
        return answers.with_columns(status=status).select(list(answer_schema("counts")))


def counted_words(scores: Scores) -> tuple[Offsets, Offsets]:
    """Return how many words each scored text has, its end not counted, and how many of them are unknown."""
    is_word = scores.ends > scores.starts
    rows = scores.rows
    words = np.bincount(rows[is_word], minlength=len(scores))
    unknown = np.bincount(rows[is_word & scores.unknown], minlength=len(scores))
    return words.astype(np.int64), unknown.astype(np.int64)


def unknown_words(model: LanguageModel) -> UnknownWords:
    """Count the words of each sentence that a language model does not know."""
    return UnknownWords(model)


# --- perplexity of files and corpora of any size ----------------------------------------------------------------------
# Sums up the scores of a file or corpus that need not fit into memory.
#
# Texts go to the model some at a time, here or on several processes, and only sums are kept. Per word needs words
# everywhere: those of raw lines are found by the segmenter that is asked for, else by the model's, or by rjieba where
# the model needs none. The sums of each finished batch are kept in the cache, so that work that was stopped goes on
# there.

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
        result, problems, reading = _perplexity(self.model, texts)
        return _row(result, reading, filter(None, problems))


@dataclass(frozen=True)
class _OfChunk:
    model: LanguageModel
    segmenter: str

    def __call__(self, chunk: Chunk) -> pl.DataFrame:
        texts, unread = texts_of_chunk(chunk, self.segmenter or self.model.conventions().segmenter)
        readable = np.flatnonzero([not problem for problem in unread]).tolist()
        result, unscored, reading = _perplexity(self.model, texts.take(readable), self.segmenter)
        problems = dict(enumerate(unread)) | dict(zip(readable, unscored, strict=True))
        remarks = (f"line {chunk.numbers[index]}: {problem}" for index, problem in problems.items() if problem)
        return _row(result + Perplexity(0.0, 0, 0, 0, 0, 0, 0, len(chunk) - len(readable)), reading, remarks)


def _row(found: Perplexity, reading: Reading, problems: Iterable[str]) -> pl.DataFrame:
    kept_problems = list(islice(problems, _KEPT_PROBLEMS))
    return pl.DataFrame([{**asdict(found), **asdict(reading), "problems": kept_problems}], schema=_FOUND)


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
    """Return the perplexity of a file of plain text, one text per line; lines that cannot be read count as unscored.

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
    keyed = ((_key(some_texts), some_texts) for some_texts in batches)
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

    summed, reading = Perplexity(0.0, 0, 0, 0, 0, 0, 0, 0), Reading()
    problems: tuple[str, ...] = ()
    work = Signature.of(of=signature, code=code_checksum(type(function)))
    cache = BatchCache(places.cache() / "perplexities", work)
    with watcher.watch("scoring", total) as steps:
        for number, frame in enumerate(cache.worked(function, counted(), engine=engine, schema=_FOUND)):
            row = frame.row(0, named=True)
            problems = (*problems, *row.pop("problems"))[:_KEPT_PROBLEMS]
            reading += Reading(**{name: row.pop(name) for name in asdict(reading)})
            summed += Perplexity(**row)
            steps.advance(sizes[number])
    return CorpusPerplexity(summed, signature, problems, reading)
