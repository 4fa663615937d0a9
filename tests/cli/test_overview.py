"""Does one page lead to all reports?"""

from __future__ import annotations

from pathlib import Path

from hengliang import Study, chooser
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from hengliang.cli.overview import write_overview
from tests.tiny import Sentences


def test_the_index_names_and_links_every_report(tmp_path: Path) -> None:
    runs = [
        Study(
            name=name,
            question=f"What does {name} ask?",
            materials=Sentences(),
            systems=[chooser("GE")],
            measures=[label_match()],
            analyses=[accuracy(draws=50)],
        ).run(tmp_path / name)
        for name in ("one", "two")
    ]
    page = write_overview(tmp_path, runs).read_text(encoding="utf-8")
    for name in ("one", "two"):
        assert f'href="{name}/report.html"' in page
        assert f"What does {name} ask?" in page
    assert "33.3" in page  # 个 is right twice in six
