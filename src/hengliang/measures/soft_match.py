"""How right is an answer that the corpus does not give here, but gives elsewhere with the same noun?

A mismatch with the one classifier that stood in the text is not an error of Chinese: 一名教师 and 一位教师 are both in
use. The soft score gives the gold answer g 1, and another answer c the share that it has among the known uses of the
noun n: those of a reference corpus and this one, which is a use of g,

    share          p(c | n) = uses of c / (uses of n elsewhere + 1)        the default
    gold           min(1, p(c | n) / p(g | n))                             relative to the gold answer
    most frequent  p(c | n) / max p(· | n)                                 relative to the noun's most frequent one

The share is the probability that another writer, met at random with this noun, uses this classifier. It is the only one
of the three that keeps context in play: by the other two whoever always says the noun's most frequent classifier is
right nearly everywhere, and no model that reads the sentence can be better. When gold answers follow p(· | n), an
answer that looks at the noun alone scores p + (1 − p) p = 1 − (1 − p)² on average by share, which grows with p: nothing
is gained by naming a rarer classifier.

The item itself counts once, whether or not the reference holds it, and only for the gold answer: so no chooser gains by
an item's own count, and a noun that was seen once elsewhere, with another classifier, gives that one ½ and not 1. A
noun that occurs nowhere else leaves exact match, and the judgement's label says so.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

import polars as pl

from hengliang.core.base_classes import Material, Measure
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.judging import judgements, with_gold
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.rule import COUNT_SCHEMA, NounCounts, count_nouns, default_training
from hengliang.systems.classifier_choosers.slots import slots_of

Scale = Literal["share", "gold", "most frequent"]
"""What the share of an alternative is divided by: nothing, the gold answer's share, or the largest one."""

GOLD = "the gold answer"
ALTERNATIVE = "in use with the noun"
UNUSED = "not seen with the noun"
EXACT = "exact match: no other use of the noun is known"

_MEMBER = ("id", "content", "gold")


@register("soft match")
class SoftMatch(Measure):
    """1 for the gold answer; another answer counts by how often the reference uses it with the item's noun.

    `reference` is a material of classifier slots or counts by noun; without it, the training part of the default
    corpus. An item that a reference material holds (same id, content and gold) is counted once and not twice; of bare
    counts nobody knows what they hold, so they should come from other text. The noun is the head as choosers
    are told it (`hengliang.systems.classifier_choosers.slots`). The first label of a ranking is the answer.
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("label", "ranking")
    title = Bilingual("Soft match", "宽松匹配")

    def __init__(
        self, reference: Material | NounCounts | None = None, scale: Scale = "share", name: str = "soft match"
    ) -> None:
        self.reference = default_training() if reference is None else reference
        self.scale: Scale = scale
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement for each answer of each system; the label says how the value came about."""
        if self.scale not in get_args(Scale):
            raise unknown_name("scale", str(self.scale), get_args(Scale))
        nouns = items.select(item="id", noun=slots_of(items)["noun"].fill_null(""), own=self._own(items))
        found = with_gold(items, responses).with_columns(given=pl.col("labels").list.first())
        found = found.join(nouns, on="item", how="left", maintain_order="left")
        pairs, totals = self._counts
        given = pairs.rename({"label": "given", "count": "uses"})
        golden = pairs.rename({"label": "gold", "count": "gold_uses"})
        found = (
            found.join(given, on=["noun", "given"], how="left", maintain_order="left")
            .join(golden, on=["noun", "gold"], how="left", maintain_order="left")
            .join(totals, on="noun", how="left", maintain_order="left")
        )
        return judgements(self._scored(found), self.name, f"soft match by {self.scale}", label="explained")

    def _scored(self, found: pl.DataFrame) -> pl.DataFrame:
        uses, own = pl.col("uses").fill_null(0), pl.col("own").fill_null(0)
        elsewhere = pl.col("total").fill_null(0) - own
        gold_uses = pl.col("gold_uses").fill_null(0) - own + 1
        others = pl.when(pl.col("first_label") == pl.col("gold")).then("second").otherwise("first")
        whole = {
            "share": elsewhere + 1,
            "gold": gold_uses,
            "most frequent": pl.max_horizontal(gold_uses, others.fill_null(0)),
        }[self.scale]
        soft = (uses / whole).clip(0.0, 1.0)
        exact, known = pl.col("given") == pl.col("gold"), elsewhere > 0
        return found.with_columns(
            value=pl.when(exact).then(1.0).otherwise(soft),
            explained=pl.when(~known).then(pl.lit(EXACT)).when(exact).then(pl.lit(GOLD))
            .when(uses > 0).then(pl.lit(ALTERNATIVE)).otherwise(pl.lit(UNUSED)),
        )  # fmt: skip

    # --- the reference ---

    def _own(self, items: pl.DataFrame) -> pl.Series:
        """Say of each item how often the reference counted it: once or never."""
        members = self._read[1]
        if members is None:
            return pl.Series([0] * items.height, dtype=pl.Int64)
        found = items.select(_MEMBER).join(members, on=_MEMBER, how="left", maintain_order="left")
        return found["own"].fill_null(0)

    @property
    def _counts(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return how often each noun has each classifier, and of each noun the total and its two largest counts."""
        pairs = self._read[0]
        count, label = pl.col("count").sort_by("count", "label", descending=[True, False]), pl.col("label")
        totals = pairs.group_by("noun").agg(
            total=pl.col("count").sum(),
            first=count.first(),
            first_label=label.sort_by("count", "label", descending=[True, False]).first(),
            second=count.get(1, null_on_oob=True).fill_null(0),
        )
        return pairs, totals

    @property
    def _read(self) -> tuple[pl.DataFrame, pl.DataFrame | None]:
        held: tuple[pl.DataFrame, pl.DataFrame | None] | None = self.__dict__.get("_held")
        if held is None:
            held = _read_reference(self.reference)
            self.__dict__["_held"] = held
        return held

    def __getstate__(self) -> dict[str, Any]:
        """Count before leaving for a worker process."""
        _ = self._read
        return self.__dict__


def _read_reference(reference: Material | NounCounts) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the counts by noun and classifier, and the items that were counted, if they are known."""
    if not isinstance(reference, Material | NounCounts):
        raise UserError(
            f"{reference!r} is no reference of classifier uses.",
            valid="A material such as classifier_slots('train'), or NounCounts.",
        )
    counts = reference if isinstance(reference, NounCounts) else count_nouns(reference)
    table = counts.table.select(list(COUNT_SCHEMA)).with_columns(pl.col("label").str.normalize("NFC"))
    table = table.group_by("noun", "label").agg(pl.col("count").sum())
    table = table.filter((pl.col("count") > 0) & (pl.col("noun") != ""))
    if isinstance(reference, NounCounts):
        return table, None
    items = reference.items()
    slots = slots_of(items)
    counted = items.filter((slots["problem"] == "") & (slots["noun"].fill_null("") != ""))
    return table, counted.select(*_MEMBER, own=pl.lit(1, dtype=pl.Int64)).unique(_MEMBER)


def soft_match(
    reference: Material | NounCounts | None = None, scale: Scale = "share", *, name: str = "soft match"
) -> SoftMatch:
    """Judge how often other writers give this answer with the same noun."""
    return SoftMatch(reference, scale, name)
