"""Is the experiment that of the paper, and is its folder whole, readable and never overwritten?"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import read_table
from hengliang.materials.ccd import read_ccd
from hengliang.people.choice_merging import choices_of_columns
from hengliang.people.classifier_experiment import ClassifierExperiment, classifier_experiment
from hengliang.people.experiment_samples import drawn_samples
from hengliang.surveys import CLARITY, FLUENCY, answers_frame, read_experiment, write_experiment
from tests.people.slot_rows import write_rows

MODELS = ("RULE", "LSTM", "BERT")


@pytest.fixture
def made(tmp_path: Path) -> ClassifierExperiment:
    items = read_ccd(write_rows(tmp_path), MODELS)
    return classifier_experiment(items, choices_of_columns(items, MODELS), groups=2)


def test_two_statements_with_seven_answers(made: ClassifierExperiment) -> None:
    assert made.experiment.scales == (CLARITY, FLUENCY)
    assert all((scale.points, len(scale.options)) == (7, 7) for scale in made.experiment.scales)
    assert (FLUENCY.options[0].en, FLUENCY.options[3].zh, FLUENCY.options[6].zh) == (
        *("strongly disagree", "不确定", "非常同意"),
    )
    assert made.experiment.plan.primary_outcome == "fluency"


def test_the_folder_holds_everything(made: ClassifierExperiment, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    made.write(folder)
    back = read_experiment(folder)
    assert back.stimuli.equals(made.experiment.stimuli)
    assert back.versions.equals(made.experiment.versions)
    assert Counter(back.versions["version"]).total() == 13 and back.answers.height == 0
    items = read_table(folder / "items.parquet")
    assert items["id"].to_list() == ["s1", "s2", "s3", "s4", "s5"] and set(items["sample"]) == {"all"}
    with (folder / "stimuli.tsv").open(encoding="utf-8", newline="") as stream:
        listed = list(csv.DictReader(stream, delimiter="\t"))
    assert [row["classifier"] for row in listed[:3]] == ["封", "匹", "个"]
    assert listed[1]["systems"] == "CORPUS, RULE, BERT" and listed[1]["head"] == "马"
    assert {row["version"] for row in listed} == {"1", "2"}
    assert (folder / "left_out.tsv").read_text(encoding="utf-8") == "item\tclassifier\tsample\treason\n"


def test_the_same_command_again_is_fine_but_answers_are_kept(made: ClassifierExperiment, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    made.write(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    made.write(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    about = made.experiment.stimuli["about"][0]
    answers = answers_frame([{"participant": "p", "about": about, "scale": "fluency", "value": 7.0}])
    write_experiment(folder, replace(made.experiment, answers=answers))
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(UserError, match="holds 1 answers of an experiment"):
        made.write(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_folders_of_others(made: ClassifierExperiment, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.docx").write_text("x")
    with pytest.raises(UserError, match=r"holds other things \(thesis\.docx\)"):
        made.write(tmp_path / "mine")
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="is a file, not a folder"):
        made.write(tmp_path / "file")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "answers.parquet").write_text("x")
    with pytest.raises(UserError, match="not a whole Parquet file"):
        made.write(tmp_path / "broken")


def test_estimates(made: ClassifierExperiment) -> None:
    rows = made.estimates()
    found = {
        (row["statistic"], tuple((pair["factor"], pair["level"]) for pair in row["by"])): row["value"]
        for row in rows.iter_rows(named=True)
    }
    assert found["items", ()] == 13 and found["sentences", (("choices", "3"),)] == 2
    assert found["accuracy", (("system", "RULE"),)] == 0.4
    assert found["neighbours", ()] == 0
    assert found["items", (("version", "1"),)] + found["items", (("version", "2"),)] == 13
    assert rows["signature"].n_unique() == 1 and "merged:displayed text, NFC" in rows["signature"][0]


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    items = read_ccd(write_rows(tmp_path), MODELS)
    drawn = drawn_samples(items, 3, seed=4, without={"s1": "noise", "s2": "noise"})
    made = classifier_experiment(drawn, choices_of_columns(items, MODELS))
    told = made.estimates().filter(pl.col("statistic") == "left out")
    assert told["value"].sum() == made.sample.left_out.height
    assert made.merged.sentences == 3
    everything = drawn_samples(items, without=dict.fromkeys(items["id"].to_list(), "noise"))
    with pytest.raises(UserError, match=r"No sentence can be shown\. Left out: 5: noise"):
        classifier_experiment(everything, choices_of_columns(items, MODELS))


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "models", "accuracy", "distinct", "items"),
    [
        # Of the second the paper prints the same; of the first it prints 321 items and 112/60/23/5.
        ("exp1", MODELS, (0.655, 0.770, 0.840), {1: 111, 2: 62, 3: 23, 4: 4}, 320),
        ("exp2_random", ("GE", "RULE", "BERT"), (0.73, 0.84, 0.89), {1: 63, 2: 33, 3: 3, 4: 1}, 142),
    ],
)
def test_the_published_choices(
    name: str,
    models: tuple[str, ...],
    accuracy: tuple[float, ...],
    distinct: dict[int, int],
    items: int,
    mirror: Path,
) -> None:
    file = mirror / "ccd_sample" / f"{name}.csv"
    held = read_ccd(file, models)
    made = classifier_experiment(held, choices_of_columns(held, models), groups=4)
    assert made.merged.distinct() == distinct
    assert made.merged.stimuli.height == items
    found = made.estimates().filter(pl.col("statistic") == "accuracy")["value"].to_list()
    assert found == pytest.approx(accuracy, abs=1e-12)
    assert made.sample.left_out.height == 0 and made.neighbours == 0
    sizes = Counter(made.experiment.versions["version"].to_list())
    assert sum(sizes.values()) == items and max(sizes.values()) - min(sizes.values()) <= 1
    # The same without any of our code: sets of cells.
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = [[cell.strip() for cell in row[3:]] for row in csv.reader(stream)]
    assert Counter(len(set(row)) for row in rows) == distinct
    assert sum(len(set(row)) for row in rows) == items
    assert [sum(row[0] == row[1 + place] for row in rows) / len(rows) for place in range(3)] == list(accuracy)
