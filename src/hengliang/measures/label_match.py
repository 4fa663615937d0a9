"""Did the system give the answer that the item holds as right?"""

from __future__ import annotations

from importlib import metadata
from typing import ClassVar, Literal, get_args

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.errors import UserError
from hengliang.measures.base import Measure
from hengliang.records import JUDGEMENT_SCHEMA, ResponseKind
from hengliang.registry import register
from hengliang.signature import Signature, constructor_signature

Script = Literal["exact", "simplified"]

NO_GOLD = "the item has no gold answer"
NO_ITEM = "there is no item with this id"
NO_LABEL = "the answer names no label"


@register("match")
class LabelMatch(Measure):
    """1 when the label, or the first label of a ranking, is the item's gold answer, else 0.

    Where there is no answer or no gold there is no judgement either: status and reason are carried over, never a 0.
    Both sides are compared in NFC; with `script="simplified"` also after conversion to simplified characters.

    Every row names its system (`scored_system`): the judgement is a machine's remark about that system's answer, it
    costs nothing to repeat, and a system that gave no answer has a row of its own although the answers have one id.
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("label", "ranking")
    title = Bilingual("Match with the gold answer", "与标准答案一致")

    def __init__(self, script: Script = "exact", name: str = "match") -> None:
        self.script = script
        self.name = name

    def signature(self) -> Signature:
        """Return the arguments and, where characters are converted, the version of the converter."""
        signature = constructor_signature(self)
        return signature.and_(opencc=_opencc_version()) if self.script == "simplified" else signature

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return one judgement for each answer of each system."""
        if self.script not in get_args(Script):
            raise UserError(f"No way of comparing is called '{self.script}'.", valid="Scripts: exact, simplified.")
        gold = items.select(item="id", gold="gold", known=pl.lit(True))
        found = responses.with_columns(given=first_labels(responses)).join(
            gold, on="item", how="left", maintain_order="left"
        )
        found = found.with_columns(given=self._compared(found["given"]), gold=self._compared(found["gold"]))
        ok = pl.col("status") == "ok"
        problem = (
            pl.when(ok.not_()).then("reason")
            .when(pl.col("known").is_null()).then(pl.lit(NO_ITEM))
            .when(pl.col("gold").is_null()).then(pl.lit(NO_GOLD))
            .when(pl.col("given").is_null()).then(pl.lit(NO_LABEL))
            .otherwise(pl.lit(""))
        )  # fmt: skip
        return (
            found.with_columns(problem=problem)
            .select(
                about="id",
                scored_system="system",
                measure=pl.lit(self.name),
                part=pl.lit(""),
                judge_kind=pl.lit(self.judge_kind),
                judge=pl.lit("label match"),
                value=pl.when(pl.col("problem") == "").then((pl.col("given") == pl.col("gold")).cast(pl.Float64)),
                label=pl.lit(None, dtype=pl.String),
                status=pl.when(ok.not_()).then("status")
                .when(pl.col("problem") != "").then(pl.lit("missing")).otherwise(pl.lit("ok")),
                reason="problem",
            )
            .unique(maintain_order=True)
            .select(list(JUDGEMENT_SCHEMA))
        )  # fmt: skip

    def _compared(self, labels: pl.Series) -> pl.Series:
        composed = labels.str.normalize("NFC")
        if self.script == "exact":
            return composed
        from hengliang.text import to_simplified

        distinct = composed.drop_nulls().unique()
        converted = [to_simplified(label) for label in distinct.to_list()]
        return composed.replace(distinct, pl.Series(converted, dtype=pl.String))


def label_match(script: Script = "exact", name: str = "match") -> LabelMatch:
    """Judge whether an answer is the one that the corpus or the annotator gave."""
    return LabelMatch(script, name)


def first_labels(responses: pl.DataFrame) -> pl.Series:
    """Return the label of each response, of a ranking the first one; null where there is none."""
    content = responses["content"]
    if content.dtype == pl.String:
        return content
    return content.list.first().struct.field("label")


def _opencc_version() -> str:
    try:
        return metadata.version("opencc")
    except metadata.PackageNotFoundError:
        return "not installed"
