"""Are the findings of the corpus tested on the corpus, and does the study say when it is missing?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hengliang.analysis.descriptions.beside_describers import DESCRIBERS, PEOPLE, less_people
from hengliang.core import estimate_records
from hengliang.scenes import DEFAULT_DOMAIN, is_complete, parse_description, read_descriptions, scene_space
from hengliang.studies import scene_descriptions
from hengliang.study import load_study


def test_without_data_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    assert "hengliang data get qtuna" in scene_descriptions.missing()


def complete_by_people() -> dict[str, float]:
    """Count by size the complete descriptions among those parsed whole, without the analysis."""
    counted: dict[str, list[bool]] = {}
    for row in read_descriptions().iter_rows(named=True):
        parse = parse_description(row["text"])
        if parse.whole:
            space = scene_space(DEFAULT_DOMAIN, row["scene_size"])
            counted.setdefault(str(row["scene_size"]), []).append(is_complete(parse.expressions, space))
    return {size: sum(held) / len(held) for size, held in counted.items()}


@pytest.mark.untraced
@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_algorithms_are_laid_beside_people(tmp_path: Path) -> None:
    """The findings themselves are tested in tests/analysis/descriptions; here the quick study runs to its report."""
    study = load_study("scene_descriptions", quick=True)
    run = replace(study, analyses=study.analyses[1:]).run(tmp_path / "run")
    found = {
        (row.by["describer"], row.by["size"]): row.value
        for row in estimate_records(run.estimates)
        if row.by.get("measure") == "complete (pragmatic)"
    }
    columns = (PEOPLE, *DESCRIBERS, *map(less_people, DESCRIBERS))
    assert set(found) == {(name, size) for name in columns for size in ("4", "9", "20")}
    assert {size: found[PEOPLE, size] for size in ("4", "9", "20")} == pytest.approx(complete_by_people())
    # Four things are told apart by both algorithms always, and by people not.
    assert [found[name, "4"] for name in DESCRIBERS] == [1, 1]
    assert all((found[less_people(name), "4"] or 0) > 0 for name in DESCRIBERS)
    assert (tmp_path / "run" / "report.html").is_file()
