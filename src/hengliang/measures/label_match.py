"""Did the system give the answer that the item holds as right?"""

from __future__ import annotations

from importlib import metadata
from typing import ClassVar, Literal, get_args

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.errors import UserError
from hengliang.core.judging import judgements, with_gold
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual

Script = Literal["exact", "simplified"]


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
        found = with_gold(items, responses)
        given, gold = self._compared(found["labels"].list.first()), self._compared(found["gold"])
        return judgements(found.with_columns(value=given == gold), self.name, "label match")

    def _compared(self, labels: pl.Series) -> pl.Series:
        if self.script == "exact":
            return labels
        from hengliang.core.text.characters import to_simplified

        distinct = labels.drop_nulls().unique()
        converted = [to_simplified(label) for label in distinct.to_list()]
        return labels.replace(distinct, pl.Series(converted, dtype=pl.String))


def label_match(script: Script = "exact", name: str = "match") -> LabelMatch:
    """Judge whether an answer is the one that the corpus or the annotator gave."""
    return LabelMatch(script, name)


def _opencc_version() -> str:
    try:
        return metadata.version("opencc")
    except metadata.PackageNotFoundError:
        return "not installed"
