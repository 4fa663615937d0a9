"""Does a run folder that an earlier version left open, render and go on?"""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from hengliang import open_run
from hengliang.core import STAGES, RunFolder
from tests.core.old_version.toy import RUN, old_study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the old folder, whose report was left out because it is large."""
    return Path(shutil.copytree(RUN, tmp_path / "run"))


def test_its_tables_are_read(folder: Path) -> None:
    run = open_run(folder)
    assert (run.study, run.form) == ("old version", "")
    assert list(RunFolder.open(folder).manifest().stages) == list(STAGES)  # type: ignore[union-attr]
    # Six slots and four sentences; two choosers rank for each of them, two language models score each of them.
    assert run.items.height == 10
    assert {kind: frame.height for kind, frame in run.responses.items()} == {"ranking": 20, "units": 20}
    # GE is right with 朋友 and 苹果, the table with 书, 车 and 鱼 besides.
    values = dict(run.judgements.filter(measure="match").group_by("scored_system").agg(pl.col("value").sum()).rows())
    assert (values["GE"], values["by table"]) == (2, 5)
    assert run.estimates["value"].to_list() == [pytest.approx(2 / 6), pytest.approx(5 / 6), 0.5, None]


def test_its_report_is_rendered(folder: Path) -> None:
    page = open_run(folder).report().read_text(encoding="utf-8")
    assert "Does a folder of an earlier version open?" in page and "旧版本的文件夹能打开吗？" in page
    assert "small bigrams" in open_run(folder).report("markdown").read_text(encoding="utf-8")
    # That version kept no views: what the measures would show is missing, and the page says how to make it.
    assert "own/2" not in page
    assert f"hengliang run &#x27;old version&#x27; --out {folder} --from estimates" in page


def test_the_study_goes_on_in_it(folder: Path, tmp_path: Path) -> None:
    before = open_run(folder)
    items, values = before.items, before.estimates.drop("signature")
    after = old_study(tmp_path).run(folder)
    assert after.items.equals(items)
    assert after.estimates.drop("signature").equals(values)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "own/2" in page and "--from estimates" not in page  # the item of the suite that fails
    # What was made under another signature was made again, and then nothing more is to do.
    log = (folder / "log.txt").read_text(encoding="utf-8")
    old_study(tmp_path).run(folder)
    assert (folder / "log.txt").read_text(encoding="utf-8").removeprefix(log).count("up to date") == len(STAGES)
