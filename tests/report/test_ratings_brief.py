"""Does a screenful hold the main findings of an analysis of ratings, with the numbers of the report?"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from hengliang.analyses import Battery, run_battery
from hengliang.analyses import RatingQuestions as Questions
from hengliang.analyses.ratings import ADJUSTED
from hengliang.core import Language
from hengliang.report.ratings import ratings_brief
from hengliang.statistics import TestResult, write_p
from tests.analyses.ratings.made_ratings import made_ratings, table_of


def shown(battery: Battery, language: Language = "en") -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=80, color_system=None, legacy_windows=False, highlight=False)
    for each in ratings_brief(battery, language):
        console.print(each)
    return stream.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ratings")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Battery:
    """Four systems and two measures, with everything that can be asked."""
    ratings = table_of(folder, made_ratings(items=8, raters=7), "fluency", "clarity", split="match")
    return run_battery(ratings, Questions(margin=0.5))


def test_four_systems_and_two_measures_take_a_screenful(whole: Battery) -> None:
    lines = shown(whole).splitlines()
    # 6 comparisons and 3 lines of titles a measure; the rest wraps at 80.
    assert len(lines) <= 50
    assert all(len(line) <= 80 for line in lines)
    assert sum(line.startswith("RULE − LSTM") for line in lines) == 2


def test_the_numbers_are_those_of_the_report(whole: Battery) -> None:
    text = shown(whole)
    for name in ("signed ranks", "clustered"):
        part = whole.part(name)
        (place, result), *_ = part.results
        assert isinstance(result, TestResult)
        corrected = next(row.value for row in part.estimates if row.statistic == ADJUSTED and row.by == place)
        line = next(line for line in text.splitlines() if line.startswith(place["comparison"]))
        assert corrected is not None and write_p(corrected) in line
        effect = result.effects[0]
        assert f"{abs(effect.value):.2f}".removeprefix("0") in line


def test_each_part_has_its_line(whole: Battery) -> None:
    text = " ".join(shown(whole).split())
    for said in (
        "ratings.csv: 224 rows; item 8; rater 7; scale 1–7",
        "Ordinal mixed model, log-odds against CORPUS: RULE",
        "random intercepts only: where the effect of 'system' varies between 'item' and 'rater'",
        "Wilcoxon takes pairs of one item or rater for independent",
        "Roles: item is 'item' and rater 'rater', recognised by name (--item, --rater).",
        "Equivalent within ±0.5 points:",
        "7 raters, Krippendorff's α",
        "Mood's median test",
        "Spearman, fluency, clarity: ρ =",
        "* significant at α = 0.05",
        "--verbose",
    ):
        assert said in text
    chinese = "".join(shown(whole, "zh").split())
    for said in ("有序混合模型", "±0.5分以内等效", "7名评分者", "Mood中位数检验", "在α=0.05下显著", "Holm校正"):
        assert said in chinese


def test_unique_ratings_are_shown_and_copies_are_not(folder: Path) -> None:
    frame = made_ratings(items=8, raters=5, shared=True)
    battery = run_battery(table_of(folder, frame, response="response"), Questions(model=False))
    text = shown(battery)
    unique = next(result for by, result in battery.part("signed ranks").results if by["ratings"] == "unique ratings")
    assert isinstance(unique, TestResult)
    assert f"{abs(unique.effects[0].value):.2f}".removeprefix("0") in text
    copied = next(result for by, result in battery.part("signed ranks").results if by["ratings"] == "with copies")
    assert isinstance(copied, TestResult) and copied.n > unique.n
    assert "85 of 160 rows are copies" in text
    assert text.count("CORPUS − RULE") == 1


def test_without_pairs_there_is_one_test(folder: Path) -> None:
    battery = run_battery(table_of(folder, made_ratings(items=6, raters=3), pair=()), Questions())
    text = shown(battery)
    assert "Mann–Whitney" in text and "clustered" not in text


def test_few_clusters_are_said_to_prove_nothing(folder: Path) -> None:
    # Three raters change sides in 2³ ways, so that p is 2/8 at least, whatever the ratings.
    ratings = table_of(folder, made_ratings(items=12, raters=3), levels=("RULE", "BERT"))
    battery = run_battery(ratings, Questions(model=False))
    text = " ".join(shown(battery).split())
    assert "With 3 clusters (rater) p of the clustered test, corrected, cannot fall below .250" in text
    assert "the one to believe" not in text
    assert "p, Holm" not in text  # one comparison is not corrected


def test_what_only_the_naive_test_finds_is_named(folder: Path) -> None:
    # BERT is higher on one item of eight and lower on none: forty raters of that item are one observation.
    rows = [
        (f"s{item}", f"p{rater}", system, 3 + (item + rater) % 2 + 2 * (item == 0 and system == "BERT"))
        for item in range(8)
        for rater in range(40)
        for system in ("RULE", "BERT")
    ]
    frame = pl.DataFrame(rows, schema=["item", "rater", "system", "fluency"], orient="row")
    battery = run_battery(table_of(folder, frame), Questions(model=False))
    assert "Not found by the clustered test, which is the one to believe: RULE − BERT" in shown(battery)


def test_what_one_unit_alone_finds_is_not_marked(folder: Path) -> None:
    # One sentence of four makes one kind higher for every rater, which says nothing of other sentences.
    rows = [
        (f"s{item}", f"p{rater}", "ab"[item % 2], 3 + rater % 2 + 3 * (item == 0))
        for item in range(8)
        for rater in range(12)
    ]
    frame = pl.DataFrame(rows, schema=["item", "rater", "system", "fluency"], orient="row")
    text = shown(run_battery(table_of(folder, frame), Questions(model=False)))
    line = next(line for line in text.splitlines() if line.startswith("a − b"))
    # Twelve raters with the same difference: exact p is 2 / 2¹² = .0005, and .0005 by the normal distribution too.
    assert "< .001" in line and "*" not in line
    assert "Found by items or by raters alone" in text and "not marked: a − b" in " ".join(text.split())


def test_too_few_raters_take_no_mark_away(folder: Path) -> None:
    rows = [(f"s{n}", f"p{r}", "ab"[n % 2], 2 + 3 * (n % 2) + (n + r) % 3 // 2) for n in range(20) for r in range(3)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "system", "fluency"], orient="row")
    text = " ".join(shown(run_battery(table_of(folder, frame), Questions(model=False))).split())
    assert "a − b < .001*" in text and "With so few 'rater' (3)" in text and "alone" not in text


def test_a_rater_of_sevens_is_named(folder: Path) -> None:
    frame = made_ratings(items=8, raters=5).with_columns(
        fluency=pl.when(pl.col("rater") == "p3").then(7).otherwise(pl.col("fluency"))
    )
    battery = run_battery(table_of(folder, frame, levels=("RULE", "BERT")), Questions(model=False))
    assert "to be looked at: p3" in " ".join(shown(battery).split())


def test_equivalence_is_not_shown_by_tests_that_take_pairs_for_independent(folder: Path) -> None:
    # One rater: there is no interval by raters, and the t test over pairs, which finds A and B equivalent, does not
    # stand in for it.
    gaps = [0, 1, -1] * 8
    rows = [(f"s{i}", "p1", system, 4 + gap * (system == "A")) for i, gap in enumerate(gaps) for system in "AB"]
    frame = pl.DataFrame(rows, schema=["item", "rater", "system", "fluency"], orient="row")
    battery = run_battery(table_of(folder, frame), Questions(margin=0.5, model=False))
    assert any("A and B are equivalent" in said.en for said in battery.part("equivalence").sentences)
    assert "Equivalent within ±0.5 points: none; not shown for: A − B" in " ".join(shown(battery).split())
