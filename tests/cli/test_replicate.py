"""Does `hengliang replicate` show, store and explain the recomputed claims, and is its page of documentation right?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from tests import ROOT

DOCS = ROOT / "docs" / "replication.md"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")


def test_a_claim_with_its_verdict_and_the_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", "--claim", "median-test.chi2"]) == 0
    shown = capsys.readouterr().out
    assert "53.33" in shown
    assert "51.388" in shown
    assert "differs" in shown
    assert "not recomputable" in shown
    assert "Conclusion stays" not in shown


def test_a_paper_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", "001", "--language", "zh"]) == 0
    shown = capsys.readouterr().out
    assert "不一致" in shown
    assert "spread.A-anova" in shown
    assert "median-test.chi2" not in shown


def test_a_narrow_terminal_lists_what_does_not_follow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert outcome(["replicate", "000"]) == 0
    shown = capsys.readouterr().out
    assert "median-test.chi2  (000 5.5.1)  differs" in shown
    assert "published 53.33, recomputed 51.388" in shown
    assert "median-test.phi " not in shown and "…  " not in shown
    assert "--verdict same" in shown
    assert len(shown.splitlines()) < 60
    assert outcome(["replicate", "000", "--claim", "median-test"]) == 0
    assert "median-test.phi " in capsys.readouterr().out


def test_conventions_of_one_claim_closely_and_of_all_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", "--claim", "hypotheses-2.h5-decision", "--multiverse"]) == 0
    closely = capsys.readouterr().out
    assert "two-sided, Holm correction over 5" in closely
    assert "1 of 8 defensible conventions keep it" in closely
    assert outcome(["replicate", "001", "--multiverse"]) == 0
    assert "Games–Howell test" in capsys.readouterr().out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", "--json", "--multiverse", "--claim", "spread"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["summary"]["within rounding"] == 1
    claims = {claim["claim"]: claim for claim in found["claims"]}
    assert claims["spread.A-anova"]["recomputed"] == pytest.approx(2.21537e-06, rel=1e-5)
    assert claims["spread.A-anova"]["low"] < 2.2167e-06 < claims["spread.A-anova"]["high"]
    assert {each["claim"] for each in found["multiverses"]} <= set(claims)
    assert "paper_001:" in found["signature"]


def test_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", "--claim", "median-test", "--out", "r.html"]) == 0
    assert capsys.readouterr().out == "r.html\n"
    assert Path("r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert outcome(["replicate", "--claim", "median-test", "--out", "r.md", "--language", "zh"]) == 0
    assert "| 53.33 | 51.388 | 不一致 |" in Path("r.md").read_text(encoding="utf-8").replace("\\", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["002"], "No paper is called '002'"),
        (["--claim", "medain-test"], "No claim is called 'medain-test'. Did you mean median-test?"),
        (["001", "--claim", "median-test"], "No claim is called 'median-test'"),
        (["--claim", "means", "--multiverse"], "'means' is no conclusion that a convention could change"),
        (["--claim", "spread.A-tukey-4-9", "--verdict", "same"], "None of these claims has the verdict same"),
        (["--out", "r.pdf"], "'r.pdf' has no form that can be written. A name that ends in .html or .md."),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().iterdir())


def doc_tables(first_heading: str) -> list[list[str]]:
    """Return the rows of the table of the page whose first column is called so."""
    rows, within = [], False
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            within = False
        elif cells[0] == first_heading:
            within = True
        elif within and not cells[0].startswith("---"):
            rows.append(cells)
    assert rows
    return rows


def test_the_figures_of_the_page_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", "--multiverse", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert outcome(["replicate", "--out", "r.md"]) == 0
    written = Path("r.md").read_text(encoding="utf-8").splitlines()
    lines = {cells[1]: cells for line in written if len(cells := [cell.strip() for cell in line.split("|")]) == 9}
    for name, where, published, recomputed, verdict in doc_tables("claim"):
        shown = [cell.replace("\\", "").replace("&lt;", "<") for cell in lines[name]]
        assert [shown[2], *shown[4:7]] == [where, published, recomputed, verdict]
    for paper, *counts in doc_tables("paper"):
        verdicts = [claim["verdict"] for claim in found["claims"] if claim["paper"] == paper]
        assert [verdicts.count(verdict) for verdict in found["summary"]] == [int(count) for count in counts]
    changed = [
        [each["claim"], str(each["kept"]), str(each["decided"])]
        for each in found["multiverses"]
        if each["kept"] < each["decided"]
    ]
    assert [[name, kept, decided] for name, _, kept, decided in doc_tables("conclusion")] == changed


def test_the_recovered_table_of_the_page() -> None:
    from hengliang.replication import published_numbers as published
    from hengliang.replication import recovered_table

    table = recovered_table(published("000"))
    shown = {name: tuple(map(int, counts)) for name, *counts in doc_tables("answer")}
    assert shown == {"matching": table.matching, "others": table.others}


def test_only_some_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["replicate", "000", "--verdict", "differs", "--verdict", "not recomputable", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert {claim["verdict"] for claim in value["claims"]} == {"differs", "not recomputable"}
    assert value["summary"]["same"] == 0
    assert value["summary"]["differs"] > 0
