"""Does the battery run what the ratings allow, and always say the same of the same ratings?"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Estimate, UserError
from hengliang.analyses.ratings.battery import run_battery
from hengliang.analyses.ratings.parts import Questions
from tests.analyses.ratings.made_ratings import made_ratings, table_of

FRAME = made_ratings(items=8, raters=4)
QUICK = Questions(model=False)


def numbers(folder: Path, frame: pl.DataFrame, **parts: Any) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    levels = ("CORPUS", "RULE", "LSTM", "BERT")
    found = run_battery(table_of(folder, frame, levels=levels, **parts), QUICK)
    rows: list[Estimate] = []
    for part in found.parts:
        rows += part.estimates
        rows += [row for by, result in part.results for row in result.estimates(part.name, by)]
    return {
        (row.analysis, *sorted(row.by.items()), row.statistic): (row.value, row.low, row.high, row.p) for row in rows
    }


def test_the_parts_follow_from_what_is_asked(tmp_path: Path) -> None:
    ratings = table_of(tmp_path, FRAME, "fluency", "clarity", split="match")
    names = [part.name for part in run_battery(ratings, Questions(margin=0.5)).parts]
    assert names == [
        *("answers", "middles", "agreement", "raters", "omnibus", "signed ranks", "sign", "brunner-munzel"),
        *("clustered", "equivalence"),
        *("split median", "split cut-offs", "split largest cut-off", "split mann-whitney"),
        *("split means", "split means, other unit", "correlation"),
        *("model of fluency", "model of clarity"),
    ]
    plain = run_battery(table_of(tmp_path, FRAME, pair=(), levels=("RULE", "BERT")), QUICK)
    assert [part.name for part in plain.parts] == ["answers", "middles", "mann-whitney", "brunner-munzel"]
    assert plain.part("middles").figure == "intervals"
    with pytest.raises(KeyError):
        plain.part("clustered")


@pytest.mark.untraced
@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_the_rows_changes_no_number(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before = numbers(Path(folder), FRAME)
        after = numbers(Path(folder), FRAME.sample(fraction=1, shuffle=True, seed=seed))
    assert before.keys() == after.keys()
    for key, values in before.items():
        assert after[key] == pytest.approx(values, nan_ok=True), key


def test_copies_are_warned_of_where_the_comparisons_are_read(tmp_path: Path) -> None:
    found = run_battery(table_of(tmp_path, made_ratings(items=8, raters=4, shared=True)), QUICK)
    assert found.notes[0].en.startswith("Warning") and found.notes[0].zh.startswith("警告")
    assert found.part("signed ranks").explanation.en.startswith("Warning")
    named = run_battery(table_of(tmp_path, made_ratings(items=8, raters=4, shared=True), response="response"), QUICK)
    assert "rows are copies" in named.notes[0].en


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (Questions(alpha=2), "no probability"),
        (Questions(family="sidak"), "'sidak' does not exist"),
        (Questions(reference="BART"), "Did you mean BERT"),
        (Questions(margin=0), "no difference on the scale 1–7"),
        (Questions(margin=9), "no difference on the scale 1–7"),
        (Questions(alternative="up"), "'up' does not exist"),  # type: ignore[arg-type]
    ],
)
def test_questions_that_make_no_sense_are_refused_first(tmp_path: Path, questions: Questions, said: str) -> None:
    with pytest.raises(UserError, match=said):
        run_battery(table_of(tmp_path, FRAME), questions)
