"""What must an analysis do to say what follows?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import polars as pl

from hengliang.analysis.conformance import analysis_promises
from hengliang.analysis.layout import Layout
from hengliang.bilingual import Bilingual
from hengliang.closure import outside_signatures
from hengliang.core.views import View
from hengliang.findings import Finding, examine, general_promises
from hengliang.runs import Tables
from hengliang.signature import Signature, constructor_signature


class Conclusion(NamedTuple):
    """What an analysis found: the estimate table, and the same in words, as a results section would say it."""

    estimates: pl.DataFrame
    sentences: tuple[Bilingual, ...] = ()


class Analysis(ABC):
    """One method, from the tables of a run to estimates. A value that can be printed, compared and recorded."""

    role: ClassVar[str] = "analysis"
    name: str = ""
    title: Bilingual = Bilingual("", "")
    explanation: Bilingual = Bilingual("", "")

    @abstractmethod
    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return the estimate table (`ESTIMATE_SCHEMA`); the run adds its own part to each row's signature."""

    @abstractmethod
    def layout(self) -> Layout:
        """Return how a report lays out these estimates as a table and a figure."""

    def sentences(self, estimates: pl.DataFrame) -> Sequence[Bilingual]:
        """Return what the estimates say in words, for the report; by default nothing."""
        return ()

    def conclude(self, tables: Tables) -> Conclusion:
        """Return estimates and sentences together; an analysis whose sentences say more than its estimates gives both.

        The run keeps what this method returns.
        """
        estimates = self.estimate(tables)
        return Conclusion(estimates, tuple(self.sentences(estimates)))

    @outside_signatures("a view shows estimates and makes none")
    def views(self, tables: Tables, estimates: pl.DataFrame) -> Sequence[View]:
        """Return what a report shows besides these estimates and their layout (`View`); by default nothing.

        It is asked once a run, with the tables of the run and the analysis's own rows of the estimates.
        """
        return ()

    def signature(self) -> Signature:
        """Return all that can change an estimate: by default the class, its code and the constructor's arguments."""
        return constructor_signature(self)

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises that every analysis makes."""
        return examine([*general_promises(self), *analysis_promises(self)])
