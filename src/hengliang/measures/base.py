"""What must a measure do to judge responses?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Self

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.closure import outside_signatures
from hengliang.core.views import View
from hengliang.findings import Finding, examine, general_promises
from hengliang.measures.conformance import measure_promises
from hengliang.records import RESPONSE_KINDS, JudgeKind, ResponseKind
from hengliang.signature import Signature, constructor_signature


class Measure(ABC):
    """A judge: one method, from items and the responses to them to judgements.

    `judge` is called with whole sets: all items of a set and all responses to them are in one call, so that the
    conditions of a set can be compared.
    """

    role: ClassVar[str] = "measure"
    kinds: ClassVar[tuple[ResponseKind, ...]] = RESPONSE_KINDS
    judge_kind: JudgeKind = "machine"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    simulated: bool = False
    """Whether a program made up what people are said to have judged; a report then says so on every figure."""

    @abstractmethod
    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return the judgement table (`JUDGEMENT_SCHEMA`) about these responses, all of one kind, or these sets."""

    def at_this_moment(self) -> Self:
        """Return the measure for the time of a run: one whose answers come in meanwhile reads them here, once."""
        return self

    @outside_signatures("a view shows judgements and makes none")
    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        """Return what a report shows of its judgements besides numbers (`View`); by default nothing.

        It is asked once a run, with the whole tables: all items, the responses by kind, the judgements of all measures.
        """
        return ()

    def signature(self) -> Signature:
        """Return all that can change a judgement: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises that every measure makes."""
        return examine([*general_promises(self), *measure_promises(self)])
