"""Does the study of mending compare the ways of mending on test sentences alone, and show the gain?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from hengliang import Study
from hengliang.core import estimate_records
from hengliang.studies import tagger_mending
from hengliang.tagging import MENDINGS, MendedTagger
from tests.tagging.trained.small_newspaper import paper_set, write_paper

needs_crfsuite = pytest.mark.skipif(
    importlib.util.find_spec("pycrfsuite") is None, reason="python-crfsuite, with which the tagger learns, is missing"
)


def on_paper(folder: Path, *, quick: bool) -> Study:
    """Return the study on our small newspaper, whose one word in eight is ambiguous."""
    path = write_paper(folder)
    study = tagger_mending.study(quick=quick, tagging_set=paper_set(path))
    systems = [
        MendedTagger(system.how, replace(system.plan, corpus=path, worst=3, least=2, per_word=6, share=0.03))
        for system in study.systems
        if isinstance(system, MendedTagger)
    ]
    assert len(systems) == len(study.systems)
    return replace(study, systems=systems)


def test_the_full_form_has_every_way_of_mending(tmp_path: Path) -> None:
    study = tagger_mending.study(tagging_set=paper_set(write_paper(tmp_path)))
    assert [system.name for system in study.systems] == [f"mended:{how}" for how in MENDINGS]
    plans = {system.plan for system in study.systems if isinstance(system, MendedTagger)}
    assert [plan.share for plan in plans] == [0.25]


def test_only_test_sentences_are_asked(tmp_path: Path) -> None:
    whole = paper_set(write_paper(tmp_path))
    items = tagger_mending.study(tagging_set=whole).material_list()[0].items()
    assert set(items["corpus_part"]) == {"test"}
    assert 0 < items.height < whole.entries.height


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", {}.get)
    assert "hengliang[taggers]" in tagger_mending.missing()


@needs_crfsuite
def test_the_gain_is_in_the_estimates(tmp_path: Path) -> None:
    assert tagger_mending.missing() == ""
    run = on_paper(tmp_path, quick=True).run(tmp_path / "run")
    rows = {
        (row.analysis, row.by["system"], row.by.get("reference", "")): row.value
        for row in estimate_records(run.estimates)
        if row.by.get("pair") == "all items" and row.statistic in {"D published", "D published difference"}
    }
    base, targeted, random = (rows[tagger_mending.MEANS, f"mended:{how}", ""] for how in tagger_mending.QUICK)
    assert base is not None
    assert targeted is not None
    assert random is not None
    # The paper has three error pairs; the base knows few of the rare uses (see test_mended.py).
    assert base + 30 < targeted > random
    gained = rows["tagging differences", "mended:targeted", "mended:base"]
    # No sentence failed, so that the difference of Z is the difference of the two.
    assert gained == pytest.approx(targeted - base)
    assert rows["tagging differences", "mended:targeted", "mended:random"] == pytest.approx(targeted - random)
    words = {row.by["system"]: row.value for row in estimate_records(run.estimates) if row.analysis == "traits"}
    assert words["mended:base"] < words["mended:targeted"] <= words["mended:random"]  # type: ignore[operator]
