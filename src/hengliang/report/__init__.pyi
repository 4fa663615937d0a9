from hengliang.core.io.estimate_rows import estimate_rows as estimate_rows
from hengliang.core.io.estimate_rows import estimates_from_rows as estimates_from_rows
from hengliang.core.io.estimate_rows import estimates_object as estimates_object
from hengliang.report.compare import compare_estimates as compare_estimates
from hengliang.report.content import AnalysisEntry as AnalysisEntry
from hengliang.report.content import MaterialEntry as MaterialEntry
from hengliang.report.content import MeasureEntry as MeasureEntry
from hengliang.report.content import ReportContent as ReportContent
from hengliang.report.content import StageEntry as StageEntry
from hengliang.report.content import SystemEntry as SystemEntry
from hengliang.report.html import Html as Html
from hengliang.report.html import bilingual as html_bilingual
from hengliang.report.html import join as html_join
from hengliang.report.html import tag as html_tag
from hengliang.report.html import text as html_text
from hengliang.report.index import IndexEntry as IndexEntry
from hengliang.report.index import headline as headline
from hengliang.report.index import index_entry as index_entry
from hengliang.report.index import render_index as render_index
from hengliang.report.markdown import escape_markdown as escape_markdown
from hengliang.report.markdown import render_json as render_json
from hengliang.report.markdown import render_markdown as render_markdown
from hengliang.report.markdown import table_markdown as table_markdown
from hengliang.report.page import render_page as render_page
from hengliang.report.pivot import estimate_table as estimate_table
from hengliang.report.plots import figure_plan as figure_plan
from hengliang.report.ratings import ratings_content as ratings_content
from hengliang.report.sections import section_html as section_html
from hengliang.report.shell import resource as resource
from hengliang.report.statistics import write_report as write_report
from hengliang.report.tables import Column as Column
from hengliang.report.tables import Table as Table

# Type checkers hold what is imported under another name for private, unless it is listed.
__all__ = [
    "html_bilingual",
    "html_join",
    "html_tag",
    "html_text",
]
