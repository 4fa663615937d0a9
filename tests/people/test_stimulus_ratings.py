"""Do ratings of a shared choice reach every system that made it, counted once or labelled as copies?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.analyses import rating_copies as copies
from hengliang.analyses import shared_ratings, with_system_indicators
from hengliang.classifiers import RecordedChoices, choices_of_columns, classifier_experiment, read_ccd
from hengliang.core import response_schema, with_response_ids
from hengliang.experiments import answers_frame, read_experiment, write_experiment
from hengliang.people import people
from hengliang.people.stimulus_ratings import stimulus_ratings
from tests.people.slot_rows import ROWS, write_rows

MODELS = ("RULE", "LSTM", "BERT")
# What both readers say of each item of s1, s2 and s3 in the order of the items, on fluency.
RATINGS = {"封": (7, 6), "匹": (7, 7), "个": (2, 3), "辆": (6, 7), "台": (5, 4), "部": (6, 5)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """From the file to a folder with answers."""
    items = read_ccd(write_rows(tmp_path, ROWS[:3]), MODELS)
    classifier_experiment(items, choices_of_columns(items, MODELS)).write(tmp_path / "fluency")
    held = read_experiment(tmp_path / "fluency")
    rows = [
        {"participant": f"p{reader}", "about": about, "scale": "fluency", "value": float(value)}
        for about, values in zip(held.stimuli["about"].to_list(), RATINGS.values(), strict=True)
        for reader, value in enumerate(values)
    ]
    first = held.stimuli["about"][0]
    rows.append({"participant": "p0", "about": first, "scale": "clarity", "status": "missing", "reason": "not clear"})
    write_experiment(tmp_path / "fluency", replace(held, answers=answers_frame(rows)))
    return tmp_path / "fluency"


def test_ratings_by_system(folder: Path) -> None:
    ratings, givers = stimulus_ratings(read_experiment(folder), "fluency")
    shared = shared_ratings(ratings, givers)
    assert shared.ratings.height == 12
    table = copies(shared).group_by("system").agg(n=pl.len(), mean=pl.col("rating").mean())
    # Two readers, three sentences. CORPUS: 封 匹 辆; RULE: 封 匹 台; LSTM: 封 个 台; BERT: 封 匹 部.
    assert {name: (n, round(mean * 6)) for name, n, mean in table.iter_rows()} == {
        "CORPUS": (6, 7 + 6 + 7 + 7 + 6 + 7),
        "RULE": (6, 7 + 6 + 7 + 7 + 5 + 4),
        "LSTM": (6, 7 + 6 + 2 + 3 + 5 + 4),
        "BERT": (6, 7 + 6 + 7 + 7 + 6 + 5),
    }
    # 封 is the choice of four, 匹 of three, 台 of two.
    assert sorted(with_system_indicators(shared)["n_systems"].to_list()) == [1] * 6 + [2] * 2 + [3] * 2 + [4] * 2


def test_an_answer_without_a_value_has_no_rating(folder: Path) -> None:
    found = stimulus_ratings(read_experiment(folder), "clarity")
    assert found.ratings["rating"].to_list() == [None]
    with pytest.raises(UserError, match="No scale is called 'beauty'"):
        stimulus_ratings(read_experiment(folder), "beauty")


def test_only_targets_are_rated(folder: Path) -> None:
    held = read_experiment(folder)
    first = held.answers.row(0, named=True)
    further = [{**first, "role": "repeat", "occurrence": 2}, {**first, "participant": "p9", "role": "catch"}]
    more = replace(held, answers=pl.concat([held.answers, answers_frame(further)]))
    assert stimulus_ratings(more, "fluency").ratings.equals(stimulus_ratings(held, "fluency").ratings)
    unclaimed = held.stimuli.with_columns(systems=pl.lit([], pl.List(pl.String)))
    assert not stimulus_ratings(replace(held, stimuli=unclaimed), "fluency").givers.height


def test_the_same_folder_is_a_judge_of_a_study(folder: Path, tmp_path: Path) -> None:
    items = read_ccd(tmp_path / "rows.csv", MODELS)
    frames = [
        with_response_ids(
            RecordedChoices(name)
            .answer(items)
            .with_columns(
                id=pl.lit(""),
                system=pl.lit(name),
                seed=pl.lit(None, dtype=pl.Int64),
                respondent=pl.lit(""),
                kind=pl.lit("ranking"),
            ),
            "ranking",
        ).select(list(response_schema("ranking")))
        for name in MODELS
    ]
    judged = people(folder).judge(items, pl.concat(frames))
    # All items but 辆, which only the corpus has, were given by a system: 5 items by 2 readers, and 1 on clarity.
    assert judged.filter(pl.col("measure") == "fluency").height == 10
    assert judged.filter(pl.col("measure") == "clarity")["reason"].to_list() == ["not clear"]
