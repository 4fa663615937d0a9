"""Which words of which error pair does each tagger get wrong, and what does a report show of them?

Items are grouped by pair and by word. A pair shows the words that most taggers miss most often, each with its sentences
and with what every tagger gave where the target stands; the others are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import polars as pl

from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import utf8
from hengliang.measures.tagging_items import LABELS, NAME

WORDS_SHOWN, SENTENCES_SHOWN = 8, 1500
"""At most so many words of a pair are shown, and so many sentences on a page, of which each pair has its share."""

TITLE = Bilingual("Error pairs, words and sentences", "错误对、词例与句子")
COUNTS = Bilingual(
    "Of each tagger: right, wrong as the pair says, wrong otherwise (recorded), and after a minus without an answer.",
    "各标注器的数依次为：标对、按该模式标错、以其他方式标错（记录），减号后为无回答。",
)


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a tagger was right, wrong as the pair says, wrong otherwise, and without an answer."""

    correct: int = 0
    wrong: int = 0
    record: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All answers that were judged."""
        return self.correct + self.wrong + self.record

    def to_json(self) -> list[int]:
        """Return the four counts."""
        return [self.correct, self.wrong, self.record, self.failed]

    @classmethod
    def from_json(cls, counts: Sequence[int]) -> Self:
        """Read back what `to_json` gave."""
        return cls(*counts)

    def __str__(self) -> str:
        return f"{self.correct}/{self.wrong}/{self.record}" + (f" (−{self.failed})" if self.failed else "")


@dataclass(frozen=True, slots=True)
class SentenceView:
    """A sentence in three pieces, the second of which is the target, and what each tagger gave there."""

    before: str
    target: str
    after: str
    gold: str
    given: Mapping[str, tuple[str, str]]

    def to_json(self) -> dict[str, Any]:
        """Return the sentence as a JSON object."""
        pieces = [self.before, self.target, self.after]
        return {"pieces": pieces, "gold": self.gold, "given": {name: list(pair) for name, pair in self.given.items()}}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Read back what `to_json` gave."""
        before, target, after = value["pieces"]
        given = {name: (pair[0], pair[1]) for name, pair in value["given"].items()}
        return cls(before, target, after, value["gold"], given)


@dataclass(frozen=True, slots=True)
class WordView:
    """A word of a pair: how each tagger fares with it, and its sentences, if they are shown."""

    word: str
    tallies: Mapping[str, Tally]
    sentences: tuple[SentenceView, ...] = ()


@dataclass(frozen=True, slots=True)
class PairView:
    """An error pair: how many words it has, how each tagger fares with it, and the words that are shown."""

    pair: str
    n_words: int
    tallies: Mapping[str, Tally]
    words: tuple[WordView, ...]


# --- from the tables of a run ---------------------------------------------------------------------------------------


def pair_views(
    items: pl.DataFrame, responses: pl.DataFrame, judgements: pl.DataFrame, measure: str = NAME
) -> tuple[PairView, ...]:
    """Return the pairs of a run with the words that taggers miss; none when this measure judged no tagging items."""
    if not {"pair", "word", "gold_tags"} <= set(items.columns):
        return ()
    rows = _judged(items, responses, judgements.filter(pl.col("measure") == measure))
    if not rows.height:
        return ()
    share = SENTENCES_SHOWN // rows["pair"].n_unique()
    return tuple(_pair_view(pair, held, share) for (pair,), held in rows.group_by("pair", maintain_order=True))


def _pair_view(pair: object, rows: pl.DataFrame, left: int) -> PairView:
    """Return a pair with the words that are missed most, and `left` sentences at most."""
    views = []
    for word in _worst_words(rows):
        own = rows.filter(pl.col("word") == word)
        sentences = _sentence_views(own, left)
        left -= len(sentences)
        views.append(WordView(word, _counted(own), sentences))
    return PairView(str(pair), rows["word"].n_unique(), _counted(rows), tuple(views))


def _judged(items: pl.DataFrame, responses: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """Return one row an item and system: its place, the tagger's words and the label; failures have none."""
    asked = items.drop_nulls("pair").select(
        "pair", "word", "content", "gold", item="id", target=pl.col("spans").list.first()
    )
    given = responses.select("item", "system", about="id", words="content")
    labels = judgements.select("about", "label", system="scored_system")
    rows = asked.join(given, on="item", how="inner", maintain_order="left")
    return rows.join(labels.unique(), on=["about", "system"], how="inner", maintain_order="left")


def _counted(rows: pl.DataFrame) -> dict[str, Tally]:
    counted: dict[str, dict[str | None, int]] = {}
    for system, label, count in rows.group_by("system", "label", maintain_order=True).len().iter_rows():
        counted.setdefault(system, {})[label] = count
    return {system: Tally(*(counts.get(label, 0) for label in (*LABELS, None))) for system, counts in counted.items()}


def _worst_words(rows: pl.DataFrame) -> list[str]:
    missed = (pl.col("label") != LABELS[0]).fill_null(False)
    ranked = rows.group_by("word").agg(missed=missed.sum(), share=missed.mean())
    ranked = ranked.sort(["missed", "share", "word"], descending=[True, True, False])
    return ranked.filter(pl.col("missed") > 0)["word"].head(WORDS_SHOWN).to_list()


def _sentence_views(rows: pl.DataFrame, most: int) -> tuple[SentenceView, ...]:
    found = []
    for _, held in islice(rows.group_by("item", maintain_order=True), most):
        first = held.row(0, named=True)
        raw, start, end = utf8(first["content"]), first["target"]["start"], first["target"]["end"]
        given = {
            row["system"]: (_given(raw, row["words"], start, end), row["label"] or "")
            for row in held.iter_rows(named=True)
        }
        before, target, after = raw[:start].decode(), raw[start:end].decode(), raw[end:].decode()
        found.append(SentenceView(before, target, after, first["gold"] or "", given))
    return tuple(found)


def _given(raw: bytes, words: Sequence[Mapping[str, Any]] | None, start: int, end: int) -> str:
    touching = [word for word in words or () if word["end"] > start and word["start"] < end]
    return " ".join(f"{raw[word['start'] : word['end']].decode().strip()}/{word['tag']}" for word in touching)
