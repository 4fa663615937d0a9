"""Does a question become a report, and does every stage stand alone?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hengliang import Bilingual, Study, UserError, chooser, open_run
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from hengliang.core import STAGES, Stage, Watcher, file_checksum, judgement_records
from hengliang.report import words
from hengliang.study.description import report_content
from hengliang.surveys import Experiment, Scale, answers_frame, people, stimuli_frame, write_experiment
from tests.tiny import ByTable, Sentences


def tiny(log: Path | None = None, wrong: bool = False, draws: int = 50) -> Study:
    return Study(
        name="tiny",
        question=Bilingual("Does a table beat 个?", "表能胜过“个”吗？"),
        materials=Sentences(),
        systems=[chooser("GE"), ByTable(log=str(log or ""), wrong=wrong)],
        measures=[label_match()],
        analyses=[accuracy(draws=draws)],
        notes=["Made for the tests."],
    )


def tables(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file_checksum(file) for file in sorted(folder.rglob("*.parquet"))}


def stages_run(folder: Path) -> list[str]:
    words = [line.split(" ", 1)[1] for line in (folder / "log.txt").read_text().splitlines()]
    return [word.removesuffix(": begun") for word in words if word.endswith(": begun")]


def test_a_question_becomes_a_report(tmp_path: Path) -> None:
    run = tiny().run(tmp_path / "run")
    values = {row["by"][0]["level"]: row["value"] for row in run.estimates.to_dicts()}
    # GE is right with 朋友 and 苹果 (2 of 6); the table with 书, 车, 鱼 besides (5 of 6): 鸟 wants 只.
    assert values == {"GE": pytest.approx(2 / 6), "by table": pytest.approx(5 / 6)}
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Does a table beat 个?" in page
    assert "表能胜过“个”吗？" in page
    assert "Made for the tests." in page
    assert open_run(tmp_path / "run").table("accuracy").to_polars().height == 2


def test_every_number_says_what_could_change_it(tmp_path: Path) -> None:
    one, two = tiny().run(tmp_path / "one").estimates, tiny(wrong=True).run(tmp_path / "two").estimates
    assert one["signature"].str.contains(r"\|data:[0-9a-f]{16}$").all()
    assert not set(one["signature"]) & set(two["signature"])
    assert one["signature"].to_list() == tiny().run(tmp_path / "three").estimates["signature"].to_list()


def test_the_same_line_does_nothing_twice(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tiny().run(folder)
    before, manifest = tables(folder), (folder / "manifest.json").read_text()
    tiny().run(folder)
    assert stages_run(folder) == list(STAGES)
    assert tables(folder) == before
    assert (folder / "manifest.json").read_text() == manifest


def test_a_changed_analysis_leaves_the_stages_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tiny().run(folder)
    tiny(draws=60).run(folder)
    assert stages_run(folder) == [*STAGES, "estimates", "report"]


def test_a_changed_system_goes_through_to_the_report(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tiny().run(folder)
    tiny(wrong=True).run(folder)
    assert stages_run(folder) == [*STAGES, *STAGES[1:]]


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_runs_alone(stage: Stage, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tiny().run(folder)
    before = tables(folder)
    tiny().run(folder, only=stage)
    assert stages_run(folder) == [*STAGES, stage]
    assert tables(folder) == before


def test_a_run_begins_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tiny().run(folder)
    tiny().run(folder, start="judgements")
    assert stages_run(folder) == [*STAGES, "judgements", "estimates", "report"]


def test_a_stage_whose_input_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no items yet"):
        tiny().run(tmp_path / "run", only="responses")
    with pytest.raises(UserError, match="cannot be given together"):
        tiny().run(tmp_path / "run", only="items", start="items")


def test_recorded_responses_are_judged_without_a_system(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tiny().run(folder)
    file = folder / "responses" / "ranking.parquet"
    frame = pl.read_parquet(file)
    frame.filter(pl.col("system") == "GE").write_parquet(file)
    run = tiny().run(folder, start="judgements")
    assert run.judgements["scored_system"].unique().to_list() == ["GE"]


def test_without_the_shared_cache_batches_stay_in_the_folder(tmp_path: Path) -> None:
    log = tmp_path / "calls"
    tiny(log).run(tmp_path / "one", cache=False)
    done = len(log.read_text().splitlines())
    assert (tmp_path / "one" / "cache").is_dir()
    tiny(log).run(tmp_path / "two", cache=False)
    assert len(log.read_text().splitlines()) == 2 * done


def test_a_folder_belongs_to_one_study(tmp_path: Path) -> None:
    tiny().run(tmp_path / "run")
    other = Study(name="other", materials=Sentences())
    with pytest.raises(UserError, match="holds a run of the study 'tiny', not of 'other'"):
        other.run(tmp_path / "run")


def test_two_systems_of_one_name_are_refused(tmp_path: Path) -> None:
    study = Study(name="x", materials=Sentences(), systems=[ByTable(), ByTable()])
    with pytest.raises(UserError, match="Two systems of the study 'x' are called 'by table'"):
        study.run(tmp_path / "run")


class Seeded(ByTable):
    def __init__(self, name: str = "seeded", seed: int | None = 1, log: str = "") -> None:
        super().__init__(name)
        self.seed = seed
        self.log = log

    def prepare(self, watcher: Watcher) -> None:
        with Path(self.log).open("a") as stream:
            stream.write(f"prepared {self.seed}\n")


def test_systems_of_one_name_are_told_apart_by_their_seeds(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    study = Study(name="x", materials=Sentences(), systems=[Seeded(seed=1, log=log), Seeded(seed=2, log=log)])
    run = study.run(tmp_path / "run")
    assert run.responses["ranking"].group_by("seed").len().sort("seed")["len"].to_list() == [6, 6]
    assert [(entry.seed, entry.n_responses) for entry in report_content(run.folder).systems] == [(1, 6), (2, 6)]
    with pytest.raises(UserError, match=r"called 'seeded \(seed 2\)'"):
        Study(name="x", materials=Sentences(), systems=[Seeded(seed=2), Seeded(seed=2)]).run(tmp_path / "other")


def test_systems_are_prepared_before_the_first_batch_and_only_for_the_responses(tmp_path: Path) -> None:
    log = tmp_path / "log"
    study = Study(name="x", materials=Sentences(), systems=[Seeded(log=str(log))])
    study.run(tmp_path / "run", only="items")
    assert not log.exists()
    study.run(tmp_path / "run")
    assert log.read_text().splitlines()[0] == "prepared 1"


def test_the_manifest_says_how_the_run_was_made(tmp_path: Path) -> None:
    run = tiny().run(tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["format"] == 1
    assert set(manifest["stages"]) == set(STAGES)
    for stage in STAGES[:-1]:
        record = manifest["stages"][stage]
        assert record["seconds"] >= 0
        assert all(file_checksum(run.folder.path / name) == checksum for name, checksum in record["files"].items())
    assert "by table" in manifest["stages"]["responses"]["parts"]
    assert {"python", "polars"} <= set(manifest["versions"])
    assert "GE" in manifest["seeds"]


def test_a_report_is_made_again_from_the_folder_alone(tmp_path: Path) -> None:
    run = tiny().run(tmp_path / "run")
    page = run.folder.path / "report.html"
    before = page.read_bytes()
    page.unlink()
    assert open_run(tmp_path / "run").report().read_bytes() == before
    assert json.loads(run.report("json").read_text())["schema_version"] == 1
    assert "| GE" in run.report("markdown", tmp_path / "here.md").read_text()


def test_a_run_without_estimates_has_no_report(tmp_path: Path) -> None:
    tiny().run(tmp_path / "run", only="items")
    with pytest.raises(UserError, match="has no estimates yet"):
        open_run(tmp_path / "run").report()


def test_people_judge_a_shared_answer_once(tmp_path: Path) -> None:
    run = tiny().run(tmp_path / "run")
    shared = run.responses["ranking"].filter(pl.col("item") == "sentences-0-2")
    assert shared["id"].n_unique() == 1  # both systems say 个
    about = shared["id"][0]
    write_experiment(
        tmp_path / "experiment",
        Experiment(
            "fluency",
            Bilingual("fluency", "通顺"),
            (Scale("fluency", Bilingual("It is fluent.", "通顺"), 7),),
            stimuli_frame(
                [{"about": about, "item": "sentences-0-2", "text": "他有两个朋友。", "spans": [], "systems": ["GE"]}]
            ),
            answers=answers_frame([{"participant": "p1", "about": about, "scale": "fluency", "value": 7.0}]),
        ),
    )
    judged = Study(
        name="with people",
        materials=Sentences(),
        systems=[chooser("GE"), ByTable()],
        measures=[label_match(), people(tmp_path / "experiment")],
    ).run(tmp_path / "judged")
    rows = [row for row in judgement_records(judged.judgements) if row.judge_kind == "person"]
    assert [(row.about, row.judge, row.value, row.scored_system) for row in rows] == [(about, "p1", 7.0, "")]


# --- stopped before the first stage is recorded ---


class Untrained(ByTable):
    """A system that cannot be described before a file is there, as one that has not been trained yet."""

    def __init__(self, model: Path) -> None:
        super().__init__("untrained")
        self.model = str(model)

    def traits(self) -> dict[str, str]:
        if not Path(self.model).exists():
            raise UserError("There is no trained tagger.", remedy="Train one.")
        return {"model": Path(self.model).name}


class Locked(Sentences):
    """A material whose text cannot be had."""

    def items(self) -> pl.DataFrame:
        raise UserError("The text is not here.", remedy="Download it.")


def test_a_run_that_stopped_before_its_first_stage_was_recorded_leaves_the_folder_free(tmp_path: Path) -> None:
    study = Study(name="x", materials=Locked(), systems=[chooser("GE")])
    with pytest.raises(UserError, match="text is not here"):
        study.run(tmp_path / "run")
    # Nothing is finished yet, so that another study may have the folder.
    tiny().run(tmp_path / "run", only="items")
    with pytest.raises(UserError, match=r"holds a run of the study 'tiny', not of 'x'\. Choose another --run\."):
        study.run(tmp_path / "run", option="--run")


def test_a_system_that_cannot_be_described_stops_the_run_before_any_answer_and_keeps_the_items(tmp_path: Path) -> None:
    log = tmp_path / "calls.txt"
    systems = [ByTable(log=str(log)), Untrained(tmp_path / "model")]
    study = Study(name="x", materials=Sentences(), systems=systems, measures=[label_match()])
    with pytest.raises(UserError, match="no trained tagger"):
        study.run(tmp_path / "run")
    assert open_run(tmp_path / "run").items.height == 6 and not log.exists()
    (tmp_path / "model").touch()
    assert study.run(tmp_path / "run").judgements.height == 12
    assert stages_run(tmp_path / "run") == ["items", "responses", *STAGES[1:]]


# --- the form ---


def told(folder: Path) -> list[bool]:
    """Say of the page, Markdown in both languages and JSON whether they call the run a trial."""
    run = open_run(folder)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert (words.QUICK.en in page) == (words.QUICK.zh in page)
    markdown = [run.report("markdown", folder / "report.md", language).read_text() for language in ("en", "zh")]
    quick = json.loads(run.report("json").read_text())["form"] == "quick"
    return [words.QUICK.en in page, words.QUICK.en in markdown[0], words.QUICK.zh in markdown[1], quick]


def test_a_quick_run_says_so_until_no_table_of_it_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    quick, full = replace(tiny(draws=40), form="quick"), replace(tiny(draws=50), form="full")
    assert quick.run(folder).form == "quick"
    assert '"form": "quick"' in (folder / "manifest.json").read_text()
    assert told(folder) == [True] * 4
    # The estimates are of the full form, but the answers they rest on were asked for in the quick one.
    full.run(folder, only="estimates")
    full.run(folder, only="report")
    assert told(folder) == [True] * 4
    # Items, responses and judgements are the same in both forms: they need not be made again to be the full ones.
    assert full.run(folder).form == "full"
    assert told(folder) == [False] * 4
    assert stages_run(folder) == [*STAGES, "estimates", "report", "report"]


def test_a_run_of_unknown_form_has_no_banner_and_learns_its_form(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert tiny().run(folder).form == ""
    assert told(folder) == [False] * 4
    assert json.loads((folder / "report.json").read_text())["form"] == ""
    replace(tiny(), form="quick").run(folder)
    assert told(folder) == [True] * 4
    assert stages_run(folder) == [*STAGES, "report"]


# --- what is no study ---


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"systems": "GE"}, r"The systems of the study 'x' are 'GE' \(str\)\. systems are a list, .* a System\."),
        ({"systems": ["GE"]}, r"Among the systems of the study 'x' is 'GE' \(str\)"),
        ({"systems": [ByTable]}, r"Among the systems of the study 'x' is the class ByTable, not what it makes"),
        ({"systems": ByTable()}, r"The systems of the study 'x' are <.*ByTable.* \(ByTable\)"),
        ({"systems": [accuracy()]}, r"Among the systems .*Accuracy"),
        ({"materials": "corpus.txt"}, r"The materials of the study 'x' are 'corpus.txt' \(str\)"),
        ({"materials": None}, r"The materials of the study 'x' are None"),
        ({"measures": [None]}, r"Among the measures of the study 'x' is None \(NoneType\)"),
        ({"analyses": [label_match()]}, r"Among the analyses .*an Analysis"),
        ({"notes": "one note"}, r"The notes of the study 'x' are 'one note'"),
        ({"question": 5}, r"The question of the study 'x' is 5 \(int\)"),
        ({"name": ""}, r"'' is no name of a study"),
        ({"form": "fast"}, r"No form of a study is called 'fast'"),
    ],
)
def test_what_is_no_part_of_a_study_is_named(parts: dict[str, Any], message: str, tmp_path: Path) -> None:
    study = Study(**{"name": "x", "materials": Sentences(), **parts})
    with pytest.raises(UserError, match=message):
        study.run(tmp_path / "run")
    assert not (tmp_path / "run").exists()
