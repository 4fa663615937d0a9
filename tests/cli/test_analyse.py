"""Does `hengliang analyse` analyse good ratings, and name every fault of bad ones in one message?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang.cli.main import outcome
from tests.analyses.ratings.made_ratings import made_ratings, write_ratings

FRAME = made_ratings(items=6, raters=4)
PARTS = ["--measure", "fluency", "--by", "system", "--pair", "item,rater"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed(row: int, **cells: str) -> pl.DataFrame:
    """Return the ratings with other cells in one row of the file, whose header is row 1."""
    place = pl.int_range(pl.len()) == row - 2
    return FRAME.with_columns(pl.all().cast(pl.String)).with_columns(
        pl.when(place).then(pl.lit(value)).otherwise(pl.col(name)).alias(name) for name, value in cells.items()
    )


def test_a_report_is_written_and_its_place_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings(here, FRAME)
    assert outcome(["analyse", "ratings.csv", *PARTS, "--scale", "1-7", "-q"]) == 0
    out = capsys.readouterr().out
    assert out.rstrip().endswith("ratings-report.html")
    assert "Wilcoxon" in out and "Ordinal mixed model, log-odds against CORPUS" in out
    page = (here / "ratings-report.html").read_text(encoding="utf-8")
    assert "Wilcoxon 符号秩检验" in page and "The scale 1–7 was given." in page


def test_every_sentence_is_printed_on_demand(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings(here, FRAME)
    assert outcome(["analyse", "ratings.csv", *PARTS, "--no-model", "-q", "--verbose"]) == 0
    out = capsys.readouterr().out
    for said in ("The scale 1–7 was inferred", "Wilcoxon's signed-rank test, two-sided", "sign test", "Friedman"):
        assert said in out
    assert out.rstrip().endswith("ratings-report.html")


def test_json_is_estimates_and_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings(here, FRAME)
    assert outcome(["analyse", "ratings.csv", *PARTS, "--no-model", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["schema_version"] == 1
    row = next(row for row in value["estimates"] if row["statistic"] == "signed-rank")
    assert row["by"]["comparison"] == "CORPUS − RULE" and 0 < row["p"] < 1 and row["n"] == 24
    assert {"en", "zh", "analysis"} == set(value["sentences"][0])
    assert value["report"] is None
    assert [path.name for path in here.iterdir()] == ["ratings.csv"]


def test_markdown_in_chinese_and_the_whole_battery(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings(here, made_ratings(items=6, raters=4, shared=True))
    options = ["-m", "clarity", "--split", "match", "--response", "response", "--margin", "0.5", "--no-model"]
    assert outcome(["analyse", "ratings.csv", *PARTS, *options, "--language", "zh", "--out", "报告.md", "-q"]) == 0
    text = (here / "报告.md").read_text(encoding="utf-8")
    for heading in ("Mood 中位数检验", "各分界点的卡方检验", "±0.5 分以内的等效性", "Spearman"):
        assert heading in text
    assert "报告.md" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["wide.csv", "wide.xlsx", "long.sav", "long.parquet", "long.jsonl", "gb18030.csv"])
def test_any_file_gives_the_same_numbers(here: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings(here, FRAME)
    assert outcome(["analyse", "ratings.csv", *PARTS, "--no-model", "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)["estimates"]
    options = _write(here, form)
    assert outcome(["analyse", form, *PARTS, "--no-model", "--json", *options]) == 0
    found = json.loads(capsys.readouterr().out)["estimates"]
    # The order of systems in a wide file is that of its columns, which is that of the long one here.
    assert [(row["by"], row["value"], row["p"]) for row in found] == [
        (row["by"], row["value"], row["p"]) for row in expected
    ]


def _write(folder: Path, form: str) -> list[str]:
    path = folder / form
    wide = FRAME.pivot(on="system", index=["item", "rater"], values="fluency")
    if form == "wide.csv":
        path.write_text(wide.write_csv(), encoding="utf-8-sig")
        return ["--wide", "item,rater"]
    if form == "wide.xlsx":
        wide.write_excel(path, worksheet="评分")
        return ["--wide", "item,rater", "--sheet", "评分"]
    if form == "long.sav":
        import pyreadstat

        pyreadstat.write_sav(FRAME.to_pandas(), str(path))
    elif form == "long.parquet":
        FRAME.write_parquet(path)
    elif form == "long.jsonl":
        FRAME.write_ndjson(path)
    else:
        path.write_bytes(FRAME.write_csv(separator=";").encode("gb18030"))
    return []


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        (changed(5, fluency="9"), ["--scale", "1-7"], ("'fluency'", "9 in row 5", "scale 1–7", "--scale")),
        (changed(5, fluency="gut"), [], ("'fluency'", "'gut' in row 5", "number", "Correct the cell")),
        (changed(2, rater="p2"), [], ("item 's01', rater 'p2'", "rows 2, 6", "Remove the copies")),
        (FRAME.filter(pl.col("system") == "BERT"), [], ("'system' has one level", "rows 2 to 25", "--by")),
        (FRAME.with_columns(fluency=7), [], ("All 96 ratings", "'fluency' are 7", "--measure")),
        (FRAME.drop("fluency"), [], ("No column is called 'fluency'", "clarity", "--measure")),
        (FRAME, ["--pair", "itm,rater"], ("No column is called 'itm'. Did you mean item?", "--pair")),
        (FRAME, ["--split", "item"], ("'item' is named by --pair and by --split",)),
        (FRAME, ["--split", "response"], ("'response' has 6 levels", "--by response")),
        (FRAME, ["--reference", "BART"], ("No level of 'system' is called 'BART'. Did you mean BERT?",)),
        (FRAME, ["--levels", "BERT,GPT"], ("No level of 'system' is called 'GPT'",)),
        (FRAME, ["--scale", "7"], ("'7' is no scale", "--scale 1-7")),
        (FRAME, ["--margin", "8"], ("margin 8 is no difference on the scale",)),
        (FRAME, ["--alpha", "5"], ("alpha = 5", "0 < alpha < 1")),
        (FRAME, ["--response", "response"], ("has different ratings 'fluency' in rows", "--response")),
        (FRAME, ["--out", "a.pdf"], ("'a.pdf' names no form", ".html")),
        (FRAME, ["--out", "ratings.csv"], ("'ratings.csv' names no form",)),
        (FRAME, ["--wide", "item"], ("could stand for system or rater", "--wide item,rater")),
        (FRAME, ["--wide", "item,rater"], ("has a column 'fluency'", "Leave --wide away")),
        (FRAME, ["--sheet", "one"], ("has no sheets",)),
        (FRAME, ["--encoding", "klingon"], ("'klingon' does not exist",)),
        (FRAME, ["--seed", "-1"], ("-1 is not in the range x>=0",)),
        (FRAME, ["-m", "clarity,match"], ("'clarity,match'", "--measure clarity --measure match")),
        (
            FRAME.drop("system", "fluency"),
            [],
            ("No column is called 'fluency'", "one column a system: --wide item,rater"),
        ),
        (
            FRAME.with_columns(fluency=pl.col("fluency").replace_strict({n: "差好"[n > 3] for n in range(1, 8)})),
            [],
            ("'fluency' holds '", "hengliang fit --scale"),
        ),
        (pl.concat([FRAME, FRAME.head(1)]), [], ("is rated 2 times, in rows 2, 98", "Remove the copies.")),
        (
            pl.concat([FRAME.with_columns(day=pl.lit("1")), FRAME.head(1).with_columns(day=pl.lit("2"))]),
            [],
            ("is rated 2 times", "--pair item,rater,day"),
        ),
        (FRAME, ["--pair", ","], ("--pair names no column",)),
        (FRAME.with_columns(fluency=pl.lit(None)), [], ("'fluency' holds no rating",)),
    ],
)
def test_bad_input_is_one_clear_message(
    here: Path, frame: pl.DataFrame, options: list[str], said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    write_ratings(here, frame)
    assert outcome(["analyse", "ratings.csv", *PARTS, "--no-model", *options]) == 2
    captured = capsys.readouterr()
    for part in said:
        assert part in captured.err
    assert "Traceback" not in captured.err and not captured.out
    assert [path.name for path in here.iterdir()] == ["ratings.csv"]


def between_items() -> pl.DataFrame:
    """Return ratings of sentences that are either grammatical or not, each by all people."""
    rows = [
        (f"s{item}", f"p{person}", "yes" if item < 5 else "no", 1 + (3 * item + person * (item + 1)) % 7)
        for item in range(10)
        for person in range(8)
    ]
    return pl.DataFrame(rows, schema=["sent_id", "participant", "grammatical", "rating"], orient="row")


def test_a_design_without_pairs_is_recognised_and_has_its_tests(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings(here, between_items())
    options = ["-m", "rating", "--by", "grammatical", "--pair", "sent_id,participant", "--no-model", "-q"]
    assert outcome(["analyse", "ratings.csv", *options, "--out", "report.md"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "No sent_id × participant has ratings under two levels of 'grammatical'" in out
    assert "Every 'sent_id' (10) stands under one 'grammatical' only (nested)" in out
    assert "by item" in out and "by rater" in out and "—" not in out
    report = (here / "report.md").read_text(encoding="utf-8")
    results = report[report.index("## Results") :]
    assert "80 ratings are not 80 independent observations" in results
    assert "Item, nested in 'grammatical' (recognised by name)" in report and "sent_id (10)" in report.replace("\\", "")


def test_roles_are_stated(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = between_items().rename({"sent_id": "frame", "participant": "who"})
    write_ratings(here, frame)
    common = ["analyse", "ratings.csv", "-m", "rating", "--by", "grammatical", "--no-model", "-q"]
    assert outcome(common) == 0
    assert "Warning: No column is known that names items or raters" in " ".join(capsys.readouterr().out.split())
    assert outcome([*common, "--item", "frame", "--rater", "who", "--language", "zh"]) == 0
    out = "".join(capsys.readouterr().out.split())
    assert "条目为“frame”，评分者为“who”，已指定" in out and "嵌套" in out
    assert outcome([*common, "--item", "fram"]) == 2
    assert "Did you mean frame" in capsys.readouterr().err


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["analyse", "none.csv", *PARTS]) == 2
    assert "Cannot read none.csv: no such file" in capsys.readouterr().err


# --- experiments ------------------------------------------------------------------------------------------------------


@pytest.fixture
def experiment(here: Path) -> Path:
    """A folder with the answers of six people and of six programs in its database."""
    pytest.importorskip("sqlalchemy")
    from hengliang.surveys import database_url
    from tests.people.collected.answered import answered_survey, six_readers

    folder = answered_survey(here / "fluency").folder
    for kind in ("real", "simulated"):
        six_readers(database_url(folder), kind)
    return folder


def test_an_experiment_needs_no_options(experiment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["analyse", "fluency", "--no-model", "-q"]) == 0
    out = capsys.readouterr().out
    assert out.rstrip().endswith("fluency-report.html") and "imulated" not in out
    # 12 systems' responses by 6 readers stand in 72 rows; the 8 distinct ones were rated 48 times.
    assert "24 of 72 rows are copies" in out and "There are 48 unique ratings" in out
    assert "scale 1–7" in out and "inferred" not in out
    # The margin of the plan, and the primary outcome first.
    assert "Equivalent within ±0.5 points" in out and out.index("\nfluency  ") < out.index("\nclarity  ")
    assert "imulated data" not in Path("fluency-report.html").read_text(encoding="utf-8")


def test_options_go_before_the_plan(experiment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-m", "clarity", "--margin", "1", "--reference", "CORPUS", "--levels", "CORPUS,RULE", "--no-model"]
    assert outcome(["analyse", str(experiment), *options, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    places = [row["by"] for row in value["estimates"]]
    assert {place["measure"] for place in places if "measure" in place} == {"clarity"}
    assert {place["system"] for place in places if "system" in place} == {"CORPUS", "RULE"}
    margins = [sentence["en"] for sentence in value["sentences"] if sentence["analysis"] == "equivalence"]
    assert margins and all("±1" in sentence or "(−1, 1)" in sentence or "1.00" in sentence for sentence in margins)
    assert value["simulated"] is False


def test_simulated_answers_are_marked_in_every_form(
    experiment: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["analyse", str(experiment), "--kind", "simulated", "--no-model"]
    for form in ("html", "md", "json"):
        assert outcome([*common, "--out", f"report.{form}", "-q", *(["--verbose"] if form == "md" else [])]) == 0
        assert capsys.readouterr().out.startswith("Simulated data.")
    assert json.loads((here / "report.json").read_text(encoding="utf-8"))["simulated"] is True
    text = (here / "report.md").read_text(encoding="utf-8")
    headings = text[text.index("## Results") :].split("\n### ")[1:]
    assert len(headings) > 5 and all("**Simulated data**" in part for part in headings)
    assert outcome([*common, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["simulated"] is True


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "system"], "--by is for a file"),
        (["--wide", "item"], "--wide is for a file"),
        (["--item", "item"], "--item is for a file"),
        (["--split", "sample"], "have no column 'sample'"),
        (["--kind", "pilot"], "Nobody has rated anything"),
        (["-m", "beauty"], "No scale is called 'beauty'"),
        (["--database", "sqlite:///none.sqlite"], "no survey in"),
    ],
)
def test_what_an_experiment_cannot_be_asked(
    experiment: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert outcome(["analyse", str(experiment), *options]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and not captured.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "system"], "--measure is missing"),
        (["-m", "fluency"], "--by is missing"),
        ([*PARTS, "--kind", "pilot"], "--kind is for the folder"),
        ([*PARTS, "--finished-only"], "--finished-only is for the folder"),
        ([*PARTS, "--database", "sqlite:///x"], "--database is for the folder"),
    ],
)
def test_a_file_needs_its_columns_named(
    here: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_ratings(here, FRAME)
    assert outcome(["analyse", "ratings.csv", *options]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_no_experiment(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["analyse", str(here)]) == 2
    assert "There is no experiment in" in capsys.readouterr().err
