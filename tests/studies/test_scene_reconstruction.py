"""Does the study run to a report without the corpus and with it, and stand beside the paper?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.analysis.reconstruction.published_swaps import PRINTED
from hengliang.analysis.reconstruction.swap_table import SHARE
from hengliang.core import estimate_records
from hengliang.study import load_study

NAME = "scene_reconstruction"


def test_without_the_corpus_the_algorithms_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    run = load_study(NAME, quick=True).run(tmp_path / "run")
    rows = list(estimate_records(run.estimates))
    conditions = {row.by["condition"] for row in rows if row.statistic == SHARE and "condition" in row.by}
    assert conditions == {"QDG-IA", "QDG-GREEDY", "total"}
    # Sizes 4, 9 and 20 of Table 2 and 6, 10 and 16 of Table 3, two describers, four kinds of reader.
    assert sum(row.statistic == PRINTED for row in rows) == 6 * 2 * 4
    exact = [row.value for row in rows if row.statistic == SHARE and row.by.get("scene_size") == "4"]
    assert max(value for value in exact if value is not None) <= 0.05
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "hengliang data get qtuna" in page


@pytest.mark.untraced
@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_with_the_corpus_people_stand_beside_the_algorithms(tmp_path: Path) -> None:
    run = load_study(NAME, quick=True).run(tmp_path / "run")
    rows = {
        (row.by["system"], row.by["condition"], row.by["scene_size"]): row
        for row in estimate_records(run.estimates)
        if row.analysis == "swap table" and row.statistic == SHARE
    }
    people = [rows["sampling reader", "Human", size].value or 0 for size in ("4", "9", "20")]
    # What the paper's second hypothesis says of its readers: the larger the scene, the further off.
    assert people == sorted(people)
    small = rows["sampling reader", "Human", "4"]
    assert (small.n or 0) + (small.n_missing or 0) == 4 * 656
