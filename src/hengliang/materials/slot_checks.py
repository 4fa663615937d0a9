"""How many of the extracted slots are right, by readers who looked at them one by one?

`slot_verdicts.tsv` holds the verdicts of readers on slots of the default corpus, by reference only: paragraph, byte
offset, classifier and head noun. They are joined to the present extraction each time, so that the figures stay true
when the rules change. A verdict on a head noun counts as long as the head is the one that was judged, or the one that
the reader named as the right one; else it is reported as changed. The rules were mended on the round `tuning`; the
round `final` was drawn afterwards. Its sample `random` is for the headline figure; a second reader judged it without
knowing the first one's verdicts. The other samples are for rare constructions, and `left out` holds classifiers that
were not extracted, for an estimate of what is missed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl

from hengliang.core.closure import package_data
from hengliang.core.text.segmentation import join_words
from hengliang.corpora.catalogue import DEFAULT_CORPUS
from hengliang.corpora.tagged import TaggedParagraph, read_pku
from hengliang.materials import slot_lexicon as lexicon
from hengliang.materials.classifier_slots import ClassifierSlots, corpus_file
from hengliang.materials.slot_extraction import count_compatibility, extract

VERDICT_SCHEMA: dict[str, pl.DataType] = {
    "round": pl.String(),
    "sample": pl.String(),
    "paragraph": pl.Int64(),
    "offset": pl.Int64(),
    "classifier": pl.String(),
    "head": pl.String(),
    "slot_verdict": pl.String(),
    "head_verdict": pl.String(),
    "better": pl.String(),
    "note": pl.String(),
}
LEFT_OUT = "left out"
SECOND = "random, second reader"
_NORMAL_QUANTILE = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def wilson(right: int, judged: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval [1] of a proportion.

    [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. JASA, 22, 209-212.
    """
    if not judged:
        return 0.0, 1.0
    square = _NORMAL_QUANTILE**2
    share = right / judged
    centre = (share + square / (2 * judged)) / (1 + square / judged)
    half = _NORMAL_QUANTILE * math.sqrt(share * (1 - share) / judged + square / (4 * judged**2)) / (1 + square / judged)
    return max(0.0, centre - half), min(1.0, centre + half)


def read_verdicts() -> pl.DataFrame:
    """Return the reader's verdicts."""
    text = package_data(__name__, "slot_verdicts.tsv").read_bytes()
    return pl.read_csv(text, separator="\t", schema=VERDICT_SCHEMA, quote_char=None)


def slot_precision(items: pl.DataFrame | None = None) -> pl.DataFrame:
    """Return the share of right slots and of right head nouns by round and sample, with Wilson's 95 % interval.

    `items` are the slots of the default corpus, extracted now if they are not given. `judged` counts the verdicts that
    still apply, `gone` the slots that are no longer extracted, `changed` those whose head nobody has judged.
    """
    slots = ClassifierSlots().items() if items is None else items
    verdicts = read_verdicts().filter(pl.col("sample") != LEFT_OUT)
    present = slots.select("paragraph", "offset", pl.col("head").alias("present"))
    joined = verdicts.join(present, on=["paragraph", "offset"], how="left", maintain_order="left").with_columns(
        gone=pl.col("present").is_null(),
        mended=(pl.col("present") == pl.col("better")).fill_null(False),
        same=(pl.col("present") == pl.col("head")).fill_null(False),
    )
    rows = []
    for (name, sample), rest in joined.group_by("round", "sample", maintain_order=True):
        gone = int(rest["gone"].sum())
        held = rest.filter(~pl.col("gone"))
        rows.append((name, sample, "slot", *_share(held["slot_verdict"] == "right"), gone, 0))
        known = held.filter(pl.col("same") | pl.col("mended"))
        right = known["mended"] | (known["head_verdict"] == "right")
        rows.append((name, sample, "head", *_share(right), gone, held.height - known.height))
    names = ["round", "sample", "what", "right", "judged", "precision", "low", "high", "gone", "changed"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _share(right: pl.Series) -> tuple[int, int, float | None, float, float]:
    count, judged = int(right.sum()), right.len()
    return (count, judged, count / judged if judged else None, *wilson(count, judged))


class Agreement(NamedTuple):
    """How often two readers gave the same verdict, and Cohen's κ [2], which allows for chance.

    [2] Cohen, J. (1960). A coefficient of agreement for nominal scales. Educ. Psychol. Meas., 20, 37-46.
    """

    what: str
    same: int
    judged: int
    kappa: float


def reader_agreement() -> list[Agreement]:
    """Return how far the two readers of the random sample agree, on slots and on head nouns."""
    verdicts = read_verdicts().filter(pl.col("round") == "final")
    place = ["paragraph", "offset"]
    both = verdicts.filter(pl.col("sample") == "random").join(
        verdicts.filter(pl.col("sample") == SECOND), on=place, suffix="_second"
    )
    found = []
    for what in ("slot", "head"):
        one, two = both[f"{what}_verdict"] == "right", both[f"{what}_verdict_second"] == "right"
        same, judged = int((one == two).sum()), both.height
        first, second = int(one.sum()) / judged, int(two.sum()) / judged
        chance = first * second + (1 - first) * (1 - second)
        kappa = (same / judged - chance) / (1 - chance) if chance < 1 else math.nan
        found.append(Agreement(what, same, judged, kappa))
    return found


class Recall(NamedTuple):
    """An estimate of how many of the slots of a corpus are found, with a 95 % interval."""

    value: float
    low: float
    high: float
    extracted: int
    left_out: int
    missed: int
    judged: int


def slot_recall() -> Recall:
    """Estimate how many of the default corpus's slots are extracted.

    A random sample of the classifiers that were left out was read; the share of those that should have been extracted,
    times how many were left out, are the missed ones. The interval is that of this share. Units of measure, verbal
    classifiers after 了 and 过 and reduplicated classifiers are left out on purpose and are no slots here.
    """
    path = corpus_file(DEFAULT_CORPUS)
    table = count_compatibility(read_pku(path))
    slots = pl.concat(extract(read_pku(path), table, source=""))
    rest = left_out(read_pku(path), slots)
    verdicts = read_verdicts().filter(pl.col("sample") == LEFT_OUT)
    judged = verdicts.join(rest, on=["paragraph", "offset"], how="semi")
    missed = judged.filter(pl.col("slot_verdict") == "wrong").height
    shares = (missed / max(judged.height, 1), *reversed(wilson(missed, judged.height)))
    random = slot_precision(slots).filter(
        (pl.col("round") == "final") & (pl.col("sample") == "random") & (pl.col("what") == "slot")
    )
    found = slots.height * float(random["precision"][0])
    value, low, high = (found / (found + share * rest.height) for share in shares)
    return Recall(value, low, high, slots.height, rest.height, missed, judged.height)


def draw(items: pl.DataFrame, count: int, seed: int) -> pl.DataFrame:
    """Draw rows without replacement, the same for the same table and seed, in their order."""
    chosen = np.random.default_rng(seed).choice(items.height, size=min(count, items.height), replace=False)
    return items[np.sort(chosen)]


def left_out(paragraphs: Iterable[TaggedParagraph], items: pl.DataFrame) -> pl.DataFrame:
    """Return where classifiers stand that are in no slot: tagged q, or at the end of a numeral or pronoun.

    Only forms of the closed list count; units of measure are left out on purpose and not listed.
    """
    held = set(zip(items["paragraph"].to_list(), items["offset"].to_list(), strict=True))
    rows = []
    for paragraph in paragraphs:
        # Offsets are those of the items: Latin words side by side have a space between them.
        spans = join_words("".join(word.split()) for word in paragraph.words).spans
        for word, tag, (_, end) in zip(paragraph.words, paragraph.tags, spans, strict=True):
            form = word if tag == "q" else _ending(word) if tag in {"m", "r"} else ""
            place = (paragraph.number, end - len(form.encode()))
            if form in lexicon.CLASSIFIERS and place not in held:
                rows.append((*place, form, word, tag))
    schema = {"paragraph": pl.Int64, "offset": pl.Int64, "classifier": pl.String, "word": pl.String, "tag": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _ending(word: str) -> str:
    return next((word[-size:] for size in (2, 1) if len(word) > size and word[-size:] in lexicon.CLASSIFIERS), "")
