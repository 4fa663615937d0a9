"""Do tests and models of a study reach its report, in numbers and in words?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from hengliang import Bilingual, Study, chooser, open_run
from hengliang.analyses import Accuracy, accuracy, compare_systems, mixed
from hengliang.classifiers import label_match
from hengliang.core import estimate_records
from hengliang.study.description import report_content
from hengliang.surveys import Experiment, Scale, answers_frame, people, stimuli_frame, write_experiment
from tests.tiny import ByTable, Sentences

READERS = 8


def ask_readers(run_folder: Path, experiment: Path) -> None:
    """Let eight readers who like a right classifier rate every distinct answer once."""
    run = open_run(run_folder)
    answers = run.responses["ranking"].join(run.items.select("gold", item="id"), on="item")
    rows = answers.select("item", "gold", about="id", label=pl.col("content").list.first().struct.field("label"))
    rows = rows.unique("about").sort("item", "about")
    told = [
        {
            "participant": f"p{reader}",
            "about": row["about"],
            "scale": "fluency",
            "value": float(max(1, min(7, 3 + 3 * (row["label"] == row["gold"]) + (reader * 7 + place * 5) % 4 - 1))),
        }
        for place, row in enumerate(rows.iter_rows(named=True))
        for reader in range(READERS)
    ]
    stimuli = [
        {"about": row["about"], "item": row["item"], "text": row["label"], "spans": [], "systems": []}
        for row in rows.iter_rows(named=True)
    ]
    scales = (Scale("fluency", Bilingual("It is fluent.", "通顺"), 7),)
    title = Bilingual("fluency", "通顺")
    write_experiment(
        experiment, Experiment("fluency", title, scales, stimuli_frame(stimuli), answers=answers_frame(told))
    )


def study(experiment: Path | None, name: str = "statistics") -> Study:
    judged = [] if experiment is None else [people(experiment)]
    of_people = [
        mixed("fluency ~ system + (1 | item) + (1 | rater)", family="ordinal", reference="GE", name="ordinal"),
        compare_systems("fluency", shared="both", draws=100, permutations=99),
    ]
    return Study(
        name=name,
        materials=Sentences(copies=4),
        systems=[chooser("GE"), ByTable()],
        measures=[label_match(), *judged],
        analyses=[
            accuracy(draws=50),
            mixed("match ~ system + (1 | head)", name="linear"),
            compare_systems("match", tests=("mcnemar",), cluster="block", draws=100),
            *(of_people if judged else ()),
        ],
    )


def run_with_people(tmp_path: Path) -> Path:
    Study(name="first", materials=Sentences(copies=4), systems=[chooser("GE"), ByTable()]).run(tmp_path / "first")
    ask_readers(tmp_path / "first", tmp_path / "experiment")
    study(tmp_path / "experiment").run(tmp_path / "run")
    return tmp_path / "run"


def test_ratings_of_an_experiment_are_modelled_and_compared_each_once(tmp_path: Path) -> None:
    run = open_run(run_with_people(tmp_path))
    # 24 slots; both systems say 个 to 朋友, 苹果 and 鸟, and differ on three nouns: 4 · (3 + 3 · 2) responses.
    ratings = READERS * 4 * 9
    assert run.judgements.filter(pl.col("judge_kind") == "person").height == ratings
    rows = list(estimate_records(run.estimates))
    ordinal = {row.by["term"]: row for row in rows if row.analysis == "ordinal" and row.statistic == "coefficient"}
    assert list(ordinal) == ["share_by table"]
    assert ordinal["share_by table"].n == ratings
    # Readers like right answers, and the table has more of them than 个.
    assert (ordinal["share_by table"].low or 0) > 0
    means = {
        (row.by["measure"], row.by.get("ratings", "")): row.value
        for row in rows
        if row.by.get("test") in {"mean difference", "system-difference"} and row.statistic == "mean difference"
    }
    assert means["match", ""] == 0.5  # right on 20 slots against 8, of 24
    assert (means["fluency", "unique ratings"] or 0) > 1
    assert run.estimates["signature"].str.contains(r"\|data:[0-9a-f]{16}$").all()


def test_the_report_says_it_in_words_and_keeps_saying_it(tmp_path: Path) -> None:
    folder = run_with_people(tmp_path)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Each rating counts once. The effects of systems are by multiple membership" in page
    assert "每个评分只计一次" in page
    assert "succeeds more often than GE" in page
    markdown = open_run(folder).report("markdown", tmp_path / "report.md", "zh").read_text(encoding="utf-8")
    assert "成功率显著高于" in markdown
    told = open_run(folder).sentences
    assert set(told["analysis"]) == {
        "linear",
        "ordinal",
        "comparison of systems match",
        "comparison of systems fluency",
    }
    study(tmp_path / "experiment").run(folder, only="report")
    assert (folder / "report.html").read_text(encoding="utf-8") == page
    entries = {entry.name: entry.sentences for entry in report_content(open_run(folder).folder).analyses}
    assert entries["accuracy"] == ()
    assert len(entries["ordinal"]) == 1


def test_a_run_is_up_to_date_with_its_sentences(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    study(None).run(folder)
    record = json.loads((folder / "manifest.json").read_text())["stages"]["estimates"]
    assert set(record["files"]) == {"estimates.parquet", "sentences.parquet"}
    assert record["rows"] == pl.read_parquet(folder / "estimates.parquet").height
    manifest = (folder / "manifest.json").read_text()
    study(None).run(folder)
    assert (folder / "manifest.json").read_text() == manifest
    (folder / "sentences.parquet").unlink()
    study(None).run(folder)
    assert open_run(folder).sentences.height


def test_a_run_made_before_there_were_sentences_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    study(None).run(folder)
    (folder / "sentences.parquet").unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["stages"]["estimates"]["files"]["sentences.parquet"]
    for entry in manifest["description"]["analyses"]:
        del entry["sentences"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    run = open_run(folder)
    assert run.sentences.height == 0
    assert all(entry.sentences == () for entry in report_content(run.folder).analyses)
    assert "MD = " not in run.report("markdown").read_text()


def test_words_about_other_numbers_are_not_shown(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    study(None).run(folder)
    edited = pl.read_parquet(folder / "estimates.parquet").head(3)
    edited.write_parquet(folder / "estimates.parquet")
    assert open_run(folder).sentences.height == 0


class InWords(Accuracy):
    """Says its numbers itself, from its estimates alone."""

    def sentences(self, estimates: pl.DataFrame) -> list[Bilingual]:
        """Return one sentence a system."""
        rows = list(estimate_records(estimates))
        return [
            Bilingual(f"{row.by['system']}: {row.value:.2f}", f"{row.by['system']}：{row.value:.2f}") for row in rows
        ]


def test_an_analysis_of_ones_own_says_its_numbers_in_words(tmp_path: Path) -> None:
    own = InWords(draws=50, name="in words")
    assert [finding for finding in own.conformance() if not finding.kept] == []
    systems = [chooser("GE"), ByTable()]
    spoken = Study("words", Sentences(), systems, [label_match()], [own]).run(tmp_path / "run")
    assert spoken.sentences.rows() == [
        ("in words", "GE: 0.33", "GE：0.33"),
        ("in words", "by table: 0.83", "by table：0.83"),
    ]
    assert "by table：0.83" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_study_without_words_has_no_file_of_sentences(tmp_path: Path) -> None:
    quiet = Study(
        name="quiet",
        materials=Sentences(),
        systems=[chooser("GE")],
        measures=[label_match()],
        analyses=[accuracy(draws=50)],
    )
    quiet.run(tmp_path / "run")
    assert not (tmp_path / "run" / "sentences.parquet").exists()
    assert open_run(tmp_path / "run").sentences.height == 0
