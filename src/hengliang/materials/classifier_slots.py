"""Which classifier did the writer choose here?

The material of classifier choice: sentences of a tagged corpus with one classifier taken out, the place where it stood
(span `slot`), the head noun (span `head`), and the classifier itself as gold. How slots are found is in
`hengliang.materials.slot_extraction`, how well in `hengliang.materials.slot_checks`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.records import check_items
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import SLOT_MARK
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import BLOCK_SIZE, PARTS, Part, cut_blocks
from hengliang.corpora.plain_text import OnBroken, Reading
from hengliang.corpora.tagged import TaggedParagraph, read_pku
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.materials.slot_extraction import certain_pairs, extract

NAME = "classifier_slots"
_SHORT_NAMES = {sources.DEFAULT_CORPUS: "pd199801"}
_CAPTION = f"[（(]([^（()）]*{SLOT_MARK}[^（()）]*)[）)]"


@register(NAME)
class ClassifierSlots(Material):
    """The classifier slots of a corpus with PKU tags, or of one part of it.

    `corpus` is a name of the catalogue or the path of a file in the PKU format. `part` is train, dev, test or None for
    all; `block_size` is how many paragraphs a block has at least; `errors="skip"` leaves broken lines out. Heads with
    several readings are settled by counts from the whole corpus. Within a process a corpus is extracted once, whatever
    parts of it are used.
    """

    name = NAME
    title = Bilingual("Classifier slots", "量词空位")
    licence = "unclear"

    def __init__(
        self,
        corpus: str | Path = sources.DEFAULT_CORPUS,
        part: Part | None = None,
        block_size: int = BLOCK_SIZE,
        encoding: str = "utf-8",
        errors: OnBroken = "raise",
    ) -> None:
        self.corpus = corpus
        self.part = part
        self.block_size = block_size
        self.encoding = encoding
        self.errors = errors

    def items(self) -> pl.DataFrame:
        """Return the slots in the order of the corpus; identical ones are one item, and `copies` says of how many."""
        if self.part is not None and self.part not in PARTS:
            raise unknown_name("part", str(self.part), PARTS)
        path = corpus_file(self.corpus)
        reader = Reader(path, self.encoding, self.errors)
        found = _extracted(reader, sources.checksum(path), _source_name(self.corpus), self.block_size)
        if self.part is None:
            return found
        chosen = found.filter(pl.col("corpus_part") == self.part)
        if not chosen.height:
            raise UserError(
                f"The {self.part} part of {self.corpus} has no slots: the corpus makes "
                f"{found['block'].n_unique()} blocks of at least {self.block_size} paragraphs.",
                valid="Of each ten blocks the fifth is dev and the tenth is test.",
                remedy="Make the blocks smaller with block_size=…, or use the whole corpus with part=None.",
            )
        return chosen

    def signature(self) -> Signature:
        """Return what can change the items: the corpus, the rules, the part and the size of the blocks."""
        return Signature.of(
            material=NAME,
            corpus=_source_name(self.corpus),
            sha256=sources.checksum(corpus_file(self.corpus)),
            code=code_checksum(type(self)),
            compatibility="same corpus",
            copies="merged",
            part=self.part,
            block_size=self.block_size,
            encoding=self.encoding,
            broken_lines=self.errors,
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of a report should know about these slots besides their number."""
        ambiguous = items.filter(pl.col("construction") == "through 的").height
        held = _catalogued(self.corpus)
        corpus = f"{held.name} ({held.citation})" if held is not None else Path(self.corpus).name
        return [
            (Bilingual("Corpus", "语料"), corpus),
            (Bilingual("Part", "部分"), self.part or "all"),
            (Bilingual("Classifiers", "量词种数"), f"{items['gold'].n_unique():,}"),
            (Bilingual("Head nouns", "中心名词种数"), f"{items['head'].n_unique():,}"),
            (Bilingual("Blocks", "文本块数"), f"{items['block'].n_unique():,}"),
            (
                Bilingual("Share of 个", "“个”的比例"),
                f"{items.filter(pl.col('gold') == '个').height / max(items.height, 1):.1%}",
            ),
            (Bilingual("Heads with a second reading through 的", "“的”两侧均可为中心语"), f"{ambiguous:,}"),
            (Bilingual("Identical slots merged", "合并的重复空位"), f"{int(items['copies'].sum()) - items.height:,}"),
        ]


def classifier_slots(
    part: Part | None = None,
    corpus: str | Path = sources.DEFAULT_CORPUS,
    block_size: int = BLOCK_SIZE,
    encoding: str = "utf-8",
    errors: OnBroken = "raise",
) -> ClassifierSlots:
    """Return the classifier slots of a corpus, or of its train, dev or test part."""
    return ClassifierSlots(corpus, part, block_size, encoding, errors)


# --- the corpus -----------------------------------------------------------------------------------------------------


def corpus_file(corpus: str | Path) -> Path:
    """Return the file of a corpus that is given by its path or by its name in the catalogue."""
    held = _catalogued(corpus)
    if held is None:
        return Path(corpus)
    problem = f"Classifier slots cannot be taken from {held.name}: it is no corpus with PKU tags."
    sources.check_format(held, "pku", problem, files="the path of a file with word/tag tokens, a paragraph a line")
    return sources.locate(held.name)[0]


def _catalogued(corpus: str | Path) -> sources.Source | None:
    """Return the catalogue's entry, or None for a path; a name that is neither is an error that lists the names."""
    if isinstance(corpus, Path) or Path(corpus).suffix or Path(corpus).exists():
        return None
    return sources.source(corpus)


def _source_name(corpus: str | Path) -> str:
    """Return a short name for the ids of the items: of a file its name without ending and without odd characters."""
    if _catalogued(corpus) is not None:
        return _SHORT_NAMES.get(str(corpus), str(corpus))
    return re.sub(r"[^\w.-]+", "-", Path(corpus).stem)


class Reader(NamedTuple):
    """How the paragraphs of a corpus are read."""

    path: Path
    encoding: str
    errors: OnBroken

    def paragraphs(self) -> Reading[TaggedParagraph]:
        """Read the corpus from its beginning."""
        return read_pku(self.path, encoding=self.encoding, errors=self.errors)


@lru_cache(maxsize=4)
def _extracted(reader: Reader, checksum: str, source: str, block_size: int) -> pl.DataFrame:
    """Extract a corpus; `checksum` is only there so that a file that has changed is extracted again."""
    pairs: Counter[tuple[str, str]] = Counter()
    numbers: list[int] = []

    def texts() -> Iterator[str]:
        # One reading serves both the blocks and the counts.
        for paragraph in reader.paragraphs():
            numbers.append(paragraph.number)
            pairs.update(certain_pairs(paragraph))
            yield "".join(paragraph.words)

    blocks = cut_blocks(texts(), block_size)
    found = list(extract(reader.paragraphs(), Compatibility.of(pairs), source=source, material=NAME))
    if not found:
        raise UserError(
            f"{reader.path} has no classifier slots.", valid="In a corpus with PKU tags classifiers look like 个/q."
        )
    places = pl.DataFrame({"paragraph": numbers, "block": blocks.numbers, "corpus_part": blocks.paragraph_parts})
    items = merge_copies(pl.concat(found))
    return check_items(items.join(places, on="paragraph", how="left", maintain_order="left"))


def merge_copies(items: pl.DataFrame) -> pl.DataFrame:
    """Keep the first of identical slots; the column `copies` says how many there were.

    Two slots are identical when they ask for the same place in the same sentence. Of a caption with the noun first,
    such as （附图片1张）, only the remark in brackets counts: it stands behind headlines by the hundred.
    """
    key = pl.concat_str(
        pl.col("spans").list.first().struct.field("start").cast(pl.String), pl.lit(" "), pl.col("content")
    )
    caption = (
        pl.when(pl.col("construction") == "noun first")
        .then(pl.col("segmented").str.replace_all(" ", "").str.extract(_CAPTION, 1))
        .otherwise(None)
    )
    keyed = items.with_columns(pl.coalesce(caption, key).alias("key"))
    return (
        keyed.with_columns(pl.len().over("key", "gold").cast(pl.Int64).alias("copies"))
        .unique(["key", "gold"], keep="first", maintain_order=True)
        .drop("key")
    )
