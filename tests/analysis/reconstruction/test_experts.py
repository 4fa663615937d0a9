"""Are experts' scores read from files and surveys, and averaged over judges?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang import Bilingual, UserError
from hengliang.analysis.reconstruction.experts import read_experts
from hengliang.core import both
from hengliang.surveys import Experiment, Scale, answers_frame, stimuli_frame, write_experiment


def written(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_one_column_a_score_and_a_mean_over_judges(tmp_path: Path) -> None:
    path = written(tmp_path, "pair,judge,Informativity,正确性\n1,j1,4,5\n1,j2,5,\n2,j1,2,3\n")
    held = read_experts(path)
    assert held.names == ("informativity", "correctness")
    assert held.of("informativity") == {"1": 4.5, "2": 2.0} and held.of("correctness") == {"1": 5.0, "2": 3.0}
    assert held.frame.filter(pair="1", score="informativity")["judges"].to_list() == [2]


def test_one_row_a_score(tmp_path: Path) -> None:
    path = written(tmp_path, "pair,scale,value\n1,correctness,4\n1,naturalness,2\n2,correctness,5\n")
    held = read_experts(path)
    # In the order of the questions.
    assert held.names == ("naturalness", "correctness") and held.of("correctness") == {"1": 4.0, "2": 5.0}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("description,correctness\n1,4\n", "no column for the pair"),
        ("pair,beauty\n1,4\n", "no column with a score"),
        ("pair,correctness\n1,4\n2,good\n", "holds 'good' in row 3"),
        ("pair,correctness\n1,\n", "hold no score"),
    ],
)
def test_faults(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError) as caught:
        read_experts(written(tmp_path, text))
    assert told in caught.value.problem


def test_the_folder_of_a_rating_survey(tmp_path: Path) -> None:
    stimuli = [
        {"about": f"s{n}", "item": f"scene {n}", "text": "All objects are circles.", "spans": [], "systems": ["x"]}
        | {"details": json.dumps({"pair": f"pair {n}"})}
        for n in (1, 2)
    ]
    answers = [
        {"participant": judge, "about": f"s{n}", "scale": "correctness", "value": float(value), "trial": n}
        for judge, values in (("j1", (5, 2)), ("j2", (4, 1)))
        for n, value in enumerate(values, 1)
    ]
    scales = (Scale("correctness", both("Is it correct?"), 5),)
    held = Experiment("ratings", Bilingual("t", "题"), scales, stimuli_frame(stimuli), answers=answers_frame(answers))
    write_experiment(tmp_path, held)
    assert read_experts(tmp_path).of("correctness") == {"pair 1": 4.5, "pair 2": 1.5}
    with pytest.raises(UserError, match="are not simulated"):
        read_experts(tmp_path, kind="simulated")


def test_the_checksum_follows_the_scores(tmp_path: Path) -> None:
    one = read_experts(written(tmp_path, "pair,correctness\n1,4\n2,5\n")).checksum
    assert one == read_experts(written(tmp_path, "pair,correctness\n2,5\n1,4\n")).checksum
    assert one != read_experts(written(tmp_path, "pair,correctness\n1,4\n2,4\n")).checksum
