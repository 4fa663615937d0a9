"""Does `hengliang fit` fit the three families, and name what is wrong with a formula or a table?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang.cli.main import outcome
from tests.analyses.ratings.made_ratings import made_ratings, write_ratings

FRAME = made_ratings(items=8, raters=5)
FORMULA = "fluency ~ system + (1 | rater) + (1 | item)"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_ratings(tmp_path, FRAME)
    return tmp_path


@pytest.mark.parametrize(
    ("formula", "options", "said"),
    [
        (
            FORMULA,
            ["--family", "ordinal", "--scale", "1-7"],
            ("cumulative-link mixed model", "累积链接混合模型", "1|2"),
        ),
        (FORMULA, ["--family", "ordinal", "--link", "probit", "--threshold", "equidistant"], ("probit", "equidistant")),
        (FORMULA, [], ("linear mixed model", "线性混合模型", "REML")),
        (FORMULA, ["--ml"], ("linear mixed model", "ML")),
        ("match ~ system + (1 | item)", ["--family", "binomial"], ("logistic mixed model", "success: yes")),
    ],
)
def test_a_summary_and_a_sentence(
    formula: str, options: list[str], said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["fit", formula, "ratings.csv", *options]) == 0
    out = capsys.readouterr().out
    assert all(part in out for part in (*said, "log-likelihood", "system[RULE]", "(N = 160)"))
    assert "（N = 160）" not in out


def test_a_sentence_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["fit", FORMULA, "ratings.csv", "--language", "zh"]) == 0
    captured = capsys.readouterr()
    assert "（N = 160）" in captured.out and "(N = 160)" not in captured.out
    assert "“system”的系数是与 BERT 的差异。" in captured.err


@pytest.mark.parametrize("family", ["gaussian", "ordinal"])
def test_the_reference_is_chosen_and_said(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["fit", FORMULA, "ratings.csv", "--family", family, "--json"]
    assert outcome(command) == 0
    plain = _coefficients(capsys.readouterr().out)
    assert outcome([*command, "--reference", "system=RULE"]) == 0
    text = capsys.readouterr().out
    chosen = _coefficients(text)
    assert "system[RULE]" in plain and "system[RULE]" not in chosen
    # The same model under other names: BERT against RULE is RULE against BERT the other way round.
    assert chosen["system[BERT]"] == pytest.approx(-plain["system[RULE]"], abs=1e-3)
    assert "Coefficients of system are differences from RULE." in [note["en"] for note in json.loads(text)["notes"]]


def _coefficients(text: str) -> dict[str, float]:
    rows = json.loads(text)["estimates"]
    return {row["by"]["term"]: row["value"] for row in rows if row["statistic"] == "coefficient"}


def test_json_and_a_report(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["fit", FORMULA, "ratings.csv", "--family", "ordinal", "--json", "--out", "fit.html"]
    assert outcome(command) == 0
    value = json.loads(capsys.readouterr().out)
    kinds = [row["statistic"] for row in value["estimates"]]
    assert kinds.count("coefficient") == 3 and kinds.count("threshold") == 6
    assert value["report"] == "fit.html"
    assert "累积链接混合模型" in (here / "fit.html").read_text(encoding="utf-8")


def test_terms_are_tested_and_odds_checked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["fit", FORMULA, "ratings.csv", "--family", "ordinal", "--tests", "--profile", "--out", "fit.html"]
    assert outcome(command) == 0
    out = capsys.readouterr().out
    assert "likelihood-ratio test" in out
    assert "proportional odds" in out
    assert "profile for fixed effects" in out
    page = (here / "fit.html").read_text(encoding="utf-8")
    assert "各项的检验" in page and "是否满足比例优势？" in page


def test_terms_of_a_linear_model_are_tested(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["fit", FORMULA, "ratings.csv", "--tests", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    tested = [row for row in value["estimates"] if row["statistic"] == "likelihood-ratio"]
    assert [row["by"] for row in tested] == [{"term": "system"}]
    assert tested[0]["df"] == [3.0]


def test_words_can_be_ordered(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = pl.col("fluency").replace_strict(
        [1, 2, 3, 4, 5, 6, 7], ["poor", "poor", "poor", "fair", "fair", "good", "good"]
    )
    write_ratings(here, FRAME.with_columns(words))
    command = ["fit", FORMULA, "ratings.csv", "--family", "ordinal", "--scale", "poor,fair,good"]
    assert outcome(command) == 0
    assert "categories: poor < fair < good" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("formula", "options", "said"),
    [
        ("fluncy ~ system", [], ("No column is called 'fluncy'. Did you mean fluency?",)),
        ("fluency ~ sytem + (1 | rater)", [], ("No column is called 'sytem'. Did you mean system?",)),
        ("fluency system", [], ("no '~'",)),
        ("fluency ~ system + (1 | rater", [], ("fluency ~ system + (1 | rater",)),
        (FORMULA, ["--family", "ordinal", "--scale", "1-5"], ("'fluency'", "in row", "scale 1–5")),
        (FORMULA, ["--family", "ordinal", "--scale", "0.5-7"], ("0.5-7", "steps of one", "--scale 0.5,1,1.5,2")),
        (FORMULA, ["--link", "probit"], ("--link belongs to ordinal models", "--family ordinal")),
        (FORMULA, ["--family", "binomial", "--ml"], ("--ml belongs to gaussian",)),
        (FORMULA, ["--family", "binomial"], ("fluency",)),
        (FORMULA, ["--out", "fit.pdf"], ("'fit.pdf' names no form",)),
        (FORMULA, ["--level", "95"], ("95",)),
        (FORMULA, ["--reference", "RULE"], ("--reference RULE names no level", "system=RULE")),
        (FORMULA, ["--reference", "system=RUL"], ("No level of 'system' is called 'RUL'. Did you mean RULE?",)),
        (FORMULA, ["--reference", "match=yes"], ("No factor of the formula is called 'match'", "system")),
        ("match ~ system", [], ("'match' holds '", "in row 2 of ratings.csv", "--family binomial")),
        ("match ~ system", ["--family", "ordinal"], ("nothing says which is higher", "--scale ")),
        (FORMULA, ["--family", "ordinal", "--thresholds-by", "raters"], ("No column is called 'raters'",)),
    ],
)
def test_bad_input_is_one_clear_message(
    formula: str, options: list[str], said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["fit", formula, "ratings.csv", *options]) == 2
    captured = capsys.readouterr()
    assert all(part in captured.err for part in said), captured.err
    assert "Traceback" not in captured.err and not captured.out


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"fluency": pl.lit(7)}, ("fluency", "7")),
        ({"system": pl.lit("BERT")}, ("system", "one level")),
        ({"rater": pl.lit("p1")}, ("rater",)),
        (
            {
                "fluency": pl.when(pl.int_range(pl.len()) == 3)
                .then(pl.lit("gut"))
                .otherwise(pl.col("fluency").cast(pl.String))
            },
            ("'fluency' holds 'gut' in row 5",),
        ),
    ],
)
def test_faults_of_the_table_are_named(
    here: Path, cells: dict[str, pl.Expr], said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    write_ratings(here, FRAME.with_columns(**cells))
    assert outcome(["fit", FORMULA, "ratings.csv", "--family", "ordinal"]) == 2
    message = capsys.readouterr().err
    assert all(part in message for part in said), message
