"""Minimal pairs as material for language models: one item per sentence, formulas over whole sentences.

Each sentence is an item, the two of a pair are a set. There are no regions: the formulas compare whole sentences, by
log-probability, and beside it per unit, per character and by SLOR [1], which answer to the objection that a longer
sentence is less probable and a sentence of rare words too.

[1] Lau, J. H., Clark, A., & Lappin, S. (2017). Grammaticality, acceptability, and probability: A probabilistic view of
    linguistic knowledge. Cognitive Science 41, 1202-1241.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.records import ITEM_SCHEMA, check_items
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, digest, version
from hengliang.core.terms import Bilingual
from hengliang.core.text.segmentation import is_spaced, plain_content, read_segmented
from hengliang.grammar.pairs.pair_set import Pair, PairSet
from hengliang.grammar.pairs.reading import pair_files, read_pairs
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE
from hengliang.grammar.suites.suite import WORD

NAME = "minimal pairs"
GOOD, BAD = "good", "bad"

PREDICTIONS = """\
predict log-probability: bad.* > good.*
control mean: mean(bad.*) > mean(good.*)
control per character: per_character(bad.*) > per_character(good.*)
control SLOR: slor(good.*) > slor(bad.*)"""
"""What is predicted of every pair, as `hengliang.grammar.suites.suite.predictions_of_text` reads it."""

_DOMAINS = {"syntax": "syntactic", "semantics": "semantic"}


@register(NAME)
class MinimalPairs(Material):
    """Minimal pairs as items: one per sentence, two per set."""

    title = Bilingual("Minimal pairs", "最小对比对")

    def __init__(
        self,
        data: str = "sling",
        phenomena: str | Sequence[str] = (),
        limit: int | None = None,
        seed: int = 0,
        name: str = NAME,
    ) -> None:
        self.data = data
        self.phenomena = (phenomena,) if isinstance(phenomena, str) else tuple(phenomena)
        self.limit = limit
        self.seed = seed
        self.name = name

    def pair_set(self) -> PairSet:
        """Return the whole set from which the pairs are taken."""
        whole = read_pairs(self.data)
        if not whole.pairs and whole.identical:
            raise UserError(
                f"{whole.name} has no pairs that differ: the two sentences of all {len(whole.identical)} are the same.",
                remedy=f"See what was read: hengliang suites pairs {self.data}",
            )
        if not whole.pairs:
            raise UserError(
                f"{whole.name} has no pairs, but {len(whole.rated)} single sentences with labels.",
                valid="Minimal pairs: a good and a bad sentence that belong together.",
                remedy=f"Take the sentences: read_pairs('{self.data}').rated",
            )
        return whole

    def pairs(self) -> list[Pair]:
        """Return the pairs that are asked: of the phenomena, and of each paradigm at most `limit`."""
        if self.limit is not None and self.limit < 1:
            raise UserError(f"At most {self.limit} pairs a paradigm: none is left.", valid="limit is 1 or more.")
        pair_set = self.pair_set()
        wanted = set(pair_set.paradigms(self.phenomena))
        chosen = [pair for pair in pair_set.pairs if pair.paradigm in wanted]
        return chosen if self.limit is None else sample(chosen, self.limit, self.seed)

    def items(self) -> pl.DataFrame:
        """Return one item per sentence; where the words of a paradigm stand apart, they are spans called `word`."""
        return pair_items(self.pair_set().name, self.pairs())

    def signature(self) -> Signature:
        """Return what can change the items: the files, and which pairs are taken."""
        files = pair_files(self.data)
        return Signature.of(
            material=NAME,
            data=files.name,
            sha256=files.checksum,
            phenomena=",".join(self.phenomena) or None,
            limit=self.limit,
            seed=self.seed if self.limit is not None else None,
            code=code_checksum(type(self)),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return whose pairs they are, how many there are, and how many were left out and why."""
        pair_set, files = self.pair_set(), pair_files(self.data)
        paradigms = set(items["suite"].unique())
        left_out = Counter(pair.paradigm for pair in pair_set.identical if pair.paradigm in paradigms)
        listed = ", ".join(f"{paradigm} {count}" for paradigm, count in left_out.items())
        asked = set(items["set"].unique())
        repeated = sum(f"{pair_set.name}/{pair.paradigm}/{pair.id}" in asked for pair in pair_set.repeated)
        return [
            (Bilingual("Set of pairs", "最小对比对集"), f"{pair_set.name} ({files.licence})"),
            (Bilingual("Pairs", "句对"), f"{items['set'].n_unique():,}"),
            (Bilingual("Paradigms", "范式"), f"{len(paradigms):,}"),
            (
                Bilingual("Identical pairs left out", "略去的两句相同的句对"),
                f"{left_out.total():,}" + (f" ({listed})" if listed else ""),
            ),
            (Bilingual("Pairs that repeat an earlier one", "重复的句对"), f"{repeated:,}"),
            (Bilingual("Lines that could not be read", "无法读取的行"), f"{len(pair_set.broken):,}"),
        ]


def minimal_pairs(
    data: str = "sling",
    *,
    phenomena: str | Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    name: str = NAME,
) -> MinimalPairs:
    """Ask the pairs of a set: of these phenomena, paradigms or selections, and of each paradigm at most `limit`.

    `data` is a source of the catalogue, or the path of a file or folder. Which pairs a limit takes depends on the seed
    and on the ids of the pairs alone; a smaller limit takes some of those that a larger one takes. Two sets in one
    study are distinguished by `name`.
    """
    return MinimalPairs(data, phenomena, limit, seed, name)


def sample(pairs: Sequence[Pair], limit: int, seed: int) -> list[Pair]:
    """Return `limit` pairs of each paradigm, or all where there are fewer, in their order."""
    drawn: dict[str, list[tuple[str, int]]] = {}
    for number, pair in enumerate(pairs):
        lot = digest(str(seed), pair.paradigm, pair.id)
        drawn.setdefault(pair.paradigm, []).append((lot, number))
    kept = {number for lots in drawn.values() for _, number in sorted(lots)[:limit]}
    return [pair for number, pair in enumerate(pairs) if number in kept]


def pair_items(name: str, pairs: Sequence[Pair]) -> pl.DataFrame:
    """Return the item table of pairs, by columns: it has two rows per pair, the good sentence first."""
    sentences = [sentence for pair in pairs for sentence in (pair.good, pair.bad)]
    apart = _words_stand_apart(pairs)
    contents, spans = _contents(sentences, [apart[pair.paradigm] for pair in pairs for _ in (GOOD, BAD)])
    sets = pl.Series([f"{name}/{pair.paradigm}/{pair.id}" for pair in pairs], dtype=pl.String)
    by_pair = pl.DataFrame(
        {
            "set": sets,
            "suite": [pair.paradigm for pair in pairs],
            "class": [pair.phenomenon for pair in pairs],
            "domain": [_DOMAINS.get(pair.field, pair.field) for pair in pairs],
        },
        schema_overrides=dict.fromkeys(("suite", "class", "domain"), pl.String),
    )
    twice = by_pair.select(pl.all().repeat_by(2).explode())
    frame = twice.with_columns(
        condition=pl.Series([GOOD, BAD] * len(pairs), dtype=pl.String),
        content=pl.Series(contents, dtype=pl.String),
        spans=spans,
    ).with_columns(
        id=pl.format("{}/{}", "set", "condition"),
        material=pl.lit(NAME),
        gold=pl.lit(None, dtype=pl.String),
        source=pl.lit(""),
        modifier=pl.lit("none"),
        frame=pl.col("set"),
        gloss=pl.lit(""),
        acceptable=pl.col("condition") == GOOD,
        predictions=pl.lit(PREDICTIONS),
        tolerance=pl.lit(DEFAULT_TOLERANCE),
    )
    return check_items(frame.select(*ITEM_SCHEMA, *_ATTRIBUTES))


_ATTRIBUTES = ("suite", "class", "domain", "modifier", "frame", "gloss", "acceptable", "predictions", "tolerance")


def _words_stand_apart(pairs: Sequence[Pair]) -> Mapping[str, bool]:
    """Say of each paradigm whether its words stand apart: in most of its pairs, as a stray space makes no words."""
    spaced: Counter[str] = Counter(pair.paradigm for pair in pairs if is_spaced(pair.good) or is_spaced(pair.bad))
    return {paradigm: spaced[paradigm] > count / 2 for paradigm, count in Counter(p.paradigm for p in pairs).items()}


def _contents(sentences: Sequence[str], apart: Sequence[bool]) -> tuple[list[str], pl.Series]:
    """Return what the models read, and the words as a column of spans; dictionaries would take ten times as long."""
    contents: list[str] = []
    rows: list[int] = []
    words: list[tuple[int, int]] = []
    for row, (sentence, stands_apart) in enumerate(zip(sentences, apart, strict=True)):
        if stands_apart:
            read = read_segmented(sentence)
            contents.append(read.content)
            words.extend(read.spans)
            rows.extend([row] * len(read.spans))
        else:
            contents.append(plain_content(sentence))
    empty = pl.Series("spans", [[]], dtype=ITEM_SCHEMA["spans"])
    flat = pl.DataFrame({"row": rows}, schema={"row": pl.UInt32}).with_columns(
        span=pl.struct(
            name=pl.lit(WORD),
            start=pl.Series([start for start, _ in words], dtype=pl.Int64),
            end=pl.Series([end for _, end in words], dtype=pl.Int64),
        )
    )
    by_row = flat.group_by("row").agg(spans="span")
    every = pl.DataFrame({"row": pl.int_range(len(sentences), dtype=pl.UInt32, eager=True)})
    spans = every.join(by_row, on="row", how="left", maintain_order="left")["spans"]
    return contents, spans.to_frame().select(pl.coalesce("spans", pl.lit(empty))).to_series()
