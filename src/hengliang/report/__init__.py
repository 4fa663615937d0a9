"""How are the results of a study shown: as tables, as figures, on one page that opens anywhere?"""

from hengliang.report.compare import compare_estimates
from hengliang.report.content import (
    AnalysisEntry,
    MaterialEntry,
    MeasureEntry,
    ReportContent,
    StageEntry,
    SystemEntry,
)
from hengliang.report.index import IndexEntry, headline, index_entry, render_index
from hengliang.report.markdown import render_json, render_markdown
from hengliang.report.page import render_page
from hengliang.report.pivot import estimate_table
from hengliang.report.rows import estimate_rows, estimates_from_rows, estimates_object
from hengliang.report.tables import Column, Table

__all__ = [
    "AnalysisEntry",
    "Column",
    "IndexEntry",
    "MaterialEntry",
    "MeasureEntry",
    "ReportContent",
    "StageEntry",
    "SystemEntry",
    "Table",
    "compare_estimates",
    "estimate_rows",
    "estimate_table",
    "estimates_from_rows",
    "estimates_object",
    "headline",
    "index_entry",
    "render_index",
    "render_json",
    "render_markdown",
    "render_page",
]
