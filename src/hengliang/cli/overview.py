"""What did all the studies find, on one page?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from hengliang.core.io.files import write_text
from hengliang.report.index import index_entry, render_index
from hengliang.study.description import report_content
from hengliang.study.study import Run


def write_overview(folder: Path, runs: Sequence[Run], unfinished: Mapping[str, str] = MappingProxyType({})) -> Path:
    """Write `index.html` over the reports of these runs, all below `folder`, and return its path.

    `unfinished` are the studies that were asked for and ended without a report, with the reason.
    """
    entries = []
    for run in runs:
        report = run.folder.path / "report.html"
        entries.append(index_entry(report_content(run.folder), str(report.relative_to(folder))))
    file = folder / "index.html"
    write_text(file, render_index(entries, unfinished))
    return file
