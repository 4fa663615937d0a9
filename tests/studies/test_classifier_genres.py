"""Are the published choices counted right on the sentences of another genre?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hengliang.core import estimate_records
from hengliang.studies import classifier_genres
from hengliang.study import load_study

NAME = "classifier_genres"


def test_without_data_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    assert "hengliang data get ccd-sample" in classifier_genres.missing()


@pytest.mark.untraced
@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_published_accuracies_come_out(tmp_path: Path) -> None:
    study = load_study(NAME, quick=True)
    published = [system for system in study.systems if system.name.startswith("published")]
    run = replace(study, systems=published, analyses=study.analyses[:1]).run(tmp_path / "run")
    found = {
        (row.by["system"], row.by["collection"]): (row.value, row.n, row.n_missing)
        for row in estimate_records(run.estimates)
    }
    assert {level for _, level in found} == {"whole dataset", "exp1", "exp2_random"}
    # exp1.csv: 131, 154 and 168 of 200 rows have the corpus's classifier; exp2_random.csv: 73, 84 and 89 of 100.
    assert found["published RULE", "exp1"] == pytest.approx((0.655, 200, 0))
    assert found["published LSTM", "exp1"] == pytest.approx((0.77, 200, 0))
    assert found["published BERT", "exp1"] == pytest.approx((0.84, 200, 0))
    assert found["published GE", "exp2_random"] == pytest.approx((0.73, 100, 0))
    assert found["published RULE", "exp2_random"] == pytest.approx((0.84, 100, 0))
    assert found["published BERT", "exp2_random"] == pytest.approx((0.89, 100, 0))
    # A model that was not asked is missing, not wrong.
    assert found["published GE", "whole dataset"] == pytest.approx((0.73, 100, 200))
