"""How is the agreement of two judges shown, on a terminal and as a page?"""

from __future__ import annotations

import polars as pl

from hengliang.analyses.judge_agreement import EXPLANATIONS, SHOWN, TITLES, Show, agreement_estimates, agreement_layout
from hengliang.analyses.judge_levels import JudgeAgreement
from hengliang.core.records import estimates_frame
from hengliang.core.runs import now, package_versions
from hengliang.core.terms import Bilingual, both
from hengliang.report.content import AnalysisEntry, MaterialEntry, MeasureEntry, ReportContent
from hengliang.report.pivot import estimate_table
from hengliang.report.tables import Table


def judge_estimates(found: JudgeAgreement, items: int = 10) -> pl.DataFrame:
    """Return everything that was found as one table of estimates, an analysis for each part."""
    return estimates_frame(row for show in SHOWN for row in agreement_estimates(found, show, _name(show), items))


def _name(show: Show) -> str:
    return f"judge {show}"


def judge_tables(found: JudgeAgreement, items: int = 10) -> list[Table]:
    """Return the tables that a terminal shows; a part without numbers is left out."""
    estimates = judge_estimates(found, items)
    tables = []
    for show in SHOWN:
        own = estimates.filter(pl.col("analysis") == _name(show))
        if own.height:
            table = estimate_table(own, agreement_layout(show, found.names))
            # A column that says of every row that nothing is missing says nothing.
            shown = tuple(column for column in table.columns if column.name != "n_missing" or _any(table, column.name))
            tables.append(Table(table.frame, shown, table.language, TITLES[show]))
    return tables


def _any(table: Table, name: str) -> bool:
    return bool((table.frame[name].fill_null(0) > 0).any())


def judge_report(found: JudgeAgreement, items: int = 10) -> ReportContent:
    """Return what a page shows of the comparison."""
    estimates = judge_estimates(found, items)
    present = set(estimates["analysis"].to_list())
    one, two = found.names
    entries = tuple(
        AnalysisEntry(
            _name(show),
            TITLES[show],
            EXPLANATIONS[show],
            agreement_layout(show, found.names),
            (found.sentence(),) if show == "agreement" else (),
        )
        for show in SHOWN
        if _name(show) in present
    )
    return ReportContent(
        name=f"{one} × {two}",
        question=Bilingual(f"Do {one} and {two} agree?", f"{one} 与 {two} 是否一致？"),
        created=now(),
        materials=(MaterialEntry("items", Bilingual("items that both scored", "双方都评过的条目"), found.n_items),),
        measures=tuple(
            MeasureEntry(name, both(name), "person" if side in found.ceilings else "machine", found.data)
            for name, side in zip(found.names, ("first", "second"), strict=True)
        ),
        analyses=entries,
        estimates=estimates,
        versions=package_versions(),
    )
