"""Does `hengliang scenes analyse` print, write and refuse what it should?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.reconstruction.made_answers import made, scores_of, spread_answers, swap_answers, write_wide
from tests.analysis.reconstruction.made_survey import rating_survey, reading_survey
from tests.cli.scene_runs import Capture, complaint, output, result

QUICK = ("--draws", "50")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    write_wide(tmp_path, [*spread_answers("4"), *spread_answers("5")])
    scores_of(made(spread_answers("4"), spread_answers("5"))).write_csv(tmp_path / "scores.csv")
    return tmp_path


def test_both_experiments_are_printed_and_nothing_is_written(here: Path, capsys: Capture) -> None:
    before = sorted(here.iterdir())
    text = output(capsys, "analyse", "answers.csv", "--experts", "scores.csv", *QUICK)
    assert "192 answers by 20 participants to 66 pairs; sizes 4, 6, 9, 10, 16, 20" in text
    assert "4–9 p = .456" in text and "The higher the informativity, the fewer swaps (30 pairs)" in text
    assert "Hypothesis 1" in text and "All experiments" in text
    assert sorted(here.iterdir()) == before


def test_json_has_estimates_and_hypotheses(capsys: Capture) -> None:
    found = result(capsys, "analyse", "answers.csv", *QUICK)
    anova = [
        row for row in found["estimates"] if row["by"].get("test") == "ANOVA" and row["statistic"] == "one-way-anova"
    ]
    assert [row["by"]["experiment"] for row in anova] == ["A", "B"]
    # Printed: 2.2167e-06 and 0.0008.
    assert anova[0]["p"] == pytest.approx(2.2167e-06, abs=1e-10) and round(anova[1]["p"], 4) == 0.0008
    assert [(one["experiment"], one["hypothesis"]) for one in found["hypotheses"]][:5] == [
        *(("A", number) for number in (1, 2, 3, 4)),
        ("B", 1),
    ]
    assert found["report"] is None and found["schema_version"] == 1 and found["sentences"]


def test_a_report_in_each_form(here: Path, capsys: Capture) -> None:
    for name in ("report.html", "report.md", "report.json"):
        assert output(capsys, "analyse", "answers.csv", "--out", name, *QUICK).rstrip().endswith(name)
        assert (here / name).stat().st_size > 1000


def test_in_chinese_and_with_every_sentence(capsys: Capture) -> None:
    assert "假设 2" in output(capsys, "analyse", "answers.csv", "--language", "zh", *QUICK)
    text = output(capsys, "analyse", "answers.csv", "--experts", "scores.csv", "--verbose", *QUICK)
    assert "One-way analysis of variance" in text and "Hypothesis 3" in text


def test_table_2(here: Path, capsys: Capture) -> None:
    write_wide(here, list(swap_answers("2")), "table2.csv")
    found = result(capsys, "analyse", "table2.csv", *QUICK)
    shares = {
        (row["by"]["describer"], row["by"]["size"]): f"{100 * row['value']:.2f}"
        for row in found["estimates"]
        if row["analysis"] == "swaps" and row["statistic"] == "swap percentage"
    }
    assert [shares["Human", size] for size in ("4", "9", "20")] == ["8.33", "6.25", "15.00"]
    assert [shares["total", size] for size in ("4", "9", "20")] == ["3.47", "8.80", "16.11"]


def test_surveys_of_readers_and_of_experts(here: Path, capsys: Capture) -> None:
    reading_survey(here / "survey")
    rating_survey(here / "ratings")
    text = output(capsys, "analyse", "survey", "--experts", "ratings", *QUICK)
    assert "15 answers by 4 participants to 8 pairs" in text and "not understood 1" in text
    assert "The higher the informativity, the fewer swaps (8 pairs)" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere.csv",), "nowhere.csv"),
        (("answers.csv", "--human", "Nobody"), "No describer is called 'Nobody'"),
        (("answers.csv", "--out", "report.doc"), "names no form of report"),
        (("answers.csv", "--out", "answers.csv"), "names no form of report"),
        (("answers.csv", "--reader", "X"), "--reader is for a folder"),
        (("answers.csv", "--kind", "pilot"), "--kind is for the folder of a survey"),
        (("answers.csv", "--alpha", "2"), "is no probability of error"),
        (("scores.csv",), "no column for the describer"),
        (("answers.csv", "--experts", "answers.csv"), "no column with a score"),
        ((".",), "holds neither a run nor a survey"),
    ],
)
def test_mistakes_are_said_in_one_message(capsys: Capture, arguments: tuple[str, ...], told: str) -> None:
    assert told in complaint(capsys, "analyse", *arguments)


def test_wrong_sums_are_refused_with_the_way_out_and_then_left_out(here: Path, capsys: Capture) -> None:
    path = write_wide(here, list(swap_answers("2")), "wrong.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[5] = lines[5].rsplit(",", 1)[0] + ",99"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = complaint(capsys, "analyse", "wrong.csv")
    assert "Row 6 of wrong.csv" in said and "do not add up to 4" in said and "--wrong missing" in said
    text = output(capsys, "analyse", "wrong.csv", "--wrong", "missing", *QUICK)
    assert "1 of 120 answers are missing (counts do not add up 1)" in text
