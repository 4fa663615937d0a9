"""Does `hengliang agree` read what it is given, print what it found, and name mistakes?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from hengliang import UserError
from hengliang.cli.agree import agree
from hengliang.core import Manifest, RunFolder, StageRecord
from tests.analyses.test_judge_agreement import tables
from tests.analyses.test_judges import judges

QUICK = ("--draws", "20", "--splits", "5")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = judges()
    first.frame.drop("response", "rater").write_csv("machine.csv")
    second.frame.drop("response").rename({"score": "fluency", "rater": "reader"}).write_parquet("people.parquet")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(agree, [*arguments, *QUICK], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: str) -> str:
    with pytest.raises(UserError) as error:
        CliRunner().invoke(agree, [*arguments, *QUICK], catch_exceptions=False, standalone_mode=False)
    return str(error.value)


def estimates(*arguments: str) -> dict[tuple[str, str], dict[str, Any]]:
    rows = json.loads(run(*arguments, "--json"))["estimates"]
    return {(row["by"].get("level", row["analysis"]), row["statistic"]): row for row in rows}


PEOPLE = ("--second-score", "fluency", "--rater", "reader")


def test_tables_and_sentences_are_printed() -> None:
    shown = run("machine.csv", "people.parquet", *PEOPLE)
    assert "Do the two judges agree?" in shown
    assert "machine × fluency" in shown.replace("\n", " ")
    assert "Items on which they part most" in shown
    assert "worth" in shown
    assert "个条目的" not in shown
    assert "个条目的" in run("machine.csv", "people.parquet", *PEOPLE, "--language", "zh")


def test_marks_of_a_table_of_commas_can_be_said_to_be_text() -> None:
    text = Path("machine.csv").read_text(encoding="utf-8")
    header, first, rest = text.split("\n", 2)
    others = "".join(f"{line},\n" for line in rest.splitlines())
    Path("marked.csv").write_text(f'{header},note\n{first},"好\n{others}', encoding="utf-8")
    assert "marked.csv, line 2: a quotation mark" in (told := refused("marked.csv", "people.parquet", *PEOPLE))
    assert "--quoting none" in told
    given = ("people.parquet", *PEOPLE, "--json")
    found = [
        json.loads(run(file, *given, *more))
        for file, more in (("machine.csv", ()), ("marked.csv", ("--quoting", "none")))
    ]
    values = [[row["value"] for row in one["estimates"]] for one in found]
    assert values[0] == values[1]


def test_json_has_the_estimates() -> None:
    found = estimates("machine.csv", "people.parquet", *PEOPLE)
    assert found["items", "pearson"]["n"] == 75
    assert found["items", "pearson"]["low"] < found["items", "pearson"]["value"] < found["items", "pearson"]["high"]
    assert found["systems", "kendall"]["n"] == 3
    assert found["raters of fluency", "raters worth"]["signature"]
    assert found["judge items", "difference"]["by"]["item"]


def test_a_report_is_written() -> None:
    shown = run("machine.csv", "people.parquet", *PEOPLE, "--out", "new/report.html", "--items", "3")
    assert shown.rstrip().endswith("new/report.html")
    assert "machine 与 fluency 是否一致？" in Path("new/report.html").read_text(encoding="utf-8")
    assert "ends in .html" in refused("machine.csv", "people.parquet", *PEOPLE, "--out", "report.pdf")


def test_two_columns_of_one_file() -> None:
    frame = pl.DataFrame({"id": list("abcd"), "clarity": [1, 2, 3, 5], "fluency": [1, 3, 2, 4]})
    frame.write_csv("both.tsv", separator="\t")
    found = estimates("both.tsv", "both.tsv", "--first-score", "clarity", "--second-score", "fluency", "--item", "id")
    # Pairs of (1, 1), (2, 3), (3, 2), (5, 4): five of six in the same order.
    assert found["pairs of items", "accuracy with ties"]["value"] == pytest.approx(5 / 6)


def test_any_file_of_ratings_is_read_and_sentences_are_in_the_json() -> None:
    frame = pl.DataFrame({"item": list("abcd"), "机器": ["1", "２", "3", "5"], "流利度": [1, 3, 2, 4]})
    Path("both.csv").write_bytes(frame.write_csv().encode("gb18030"))
    frame.write_excel("both.xlsx")
    for file in ("both.csv", "both.xlsx"):
        command = (file, file, "--first-score", "机器", "--second-score", "流利度")
        assert estimates(*command)["pairs of items", "accuracy with ties"]["value"] == pytest.approx(5 / 6)
        assert set(json.loads(run(*command, "--json"))["sentences"][0]) == {"en", "zh"}


def test_ratings_without_names() -> None:
    pl.DataFrame({"item": list("aabbccdd"), "score": [1, 2, 3, 3, 5, 4, 7, 6]}).write_csv("ratings.csv")
    pl.DataFrame({"item": list("abcd"), "score": [1, 2, 3, 4]}).write_csv("length.csv")
    assert "--anonymous" in refused("length.csv", "ratings.csv")
    found = estimates("length.csv", "ratings.csv", "--anonymous")
    assert found["raters of ratings", "noise ceiling"]["n"] == 4


def test_measures_of_a_run() -> None:
    held = tables()
    folder = RunFolder.create("run")
    (Path("run") / "responses").mkdir()
    files = {
        "items": {folder.table_file("items"): held.items},
        "responses": {
            folder.path / "systems.parquet": held.systems,
            folder.table_file("responses", "text"): held.responses["text"],
        },
        "judgements": {folder.table_file("judgements"): held.judgements},
    }
    stages = {name: StageRecord("", {}, folder.write_tables(given), 1, 0.0, "") for name, given in files.items()}
    folder.write_manifest(Manifest("study", stages=stages))
    found = estimates("run:surprisal", "run:fluency", "--reverse", "first")
    assert found["items", "pearson"]["n"] == 32
    assert found["items", "pearson"]["value"] > 0.5
    assert "No measure is called 'clarity'" in refused("run:surprisal", "run:clarity")
    # A run beside a file.
    held.items.select(item="id", length=pl.col("content").str.len_chars()).write_csv("length.csv")
    message = refused("length.csv", "run:fluency", "--first-score", "length")
    assert "names systems and 'length' does not" in message


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("machine.csv", "people.parquet"), "No column is called 'score'"),
        (("machine.csv", "people.parquet"), "Name a column of people.parquet: --second-score NAME"),
        (("machine.csv", "people.parquet", *PEOPLE, "--system", "model"), "No column is called 'model'"),
        (("machine.csv", "people.parquet", "--second-score", "fluency"), "--rater NAME"),
        (("none.csv", "people.parquet"), "no such file"),
        (("nowhere:fluency", "people.parquet"), "RUN:MEASURE"),
        (("machine.csv", "people.parquet", *PEOPLE, "--level", "2"), "no probability"),
        (("machine.csv", "people.parquet", *PEOPLE, "--item", "sentence"), "No column is called 'sentence'"),
    ],
)
def test_mistakes_are_named(arguments: tuple[str, ...], problem: str) -> None:
    assert problem in refused(*arguments)


def test_a_word_among_the_scores_is_named_with_its_row() -> None:
    pl.DataFrame({"item": list("abc"), "score": ["1", "好", "3"]}).write_csv("words.csv")
    assert "'score' holds '好' in row 3 of words.csv" in refused("machine.csv", "words.csv")


def test_constant_scores_are_refused() -> None:
    pl.DataFrame({"item": list("abc"), "score": [1, 1, 1]}).write_csv("flat.csv")
    pl.DataFrame({"item": list("abc"), "score": [1, 2, 3]}).write_csv("steps.csv")
    assert "All 3 scores of 'flat' are 1" in refused("flat.csv", "steps.csv")
    pl.DataFrame({"item": list("xyz"), "score": [1, 2, 3]}).write_csv("others.csv")
    assert "no item in common" in refused("steps.csv", "others.csv")
