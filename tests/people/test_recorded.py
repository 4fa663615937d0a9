"""Do people's answers join the responses they are about, and only those?"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from hengliang.bilingual import Bilingual
from hengliang.experiments import Experiment, Scale, answers_frame, stimuli_frame, write_experiment
from hengliang.measures.conformance import sample_items, sample_responses
from hengliang.people import people


def experiment(folder: Path, about: list[str]) -> None:
    write_experiment(
        folder,
        Experiment(
            "e",
            Bilingual("e", "e"),
            (Scale("fluency", Bilingual("fluent", "通顺"), 7),),
            stimuli_frame([{"about": name, "item": "i", "text": "t", "spans": [], "systems": []} for name in about]),
            answers=answers_frame(
                [{"participant": "p1", "about": name, "scale": "fluency", "value": 5.0} for name in about]
            ),
        ),
    )


def test_answers_join_the_responses_they_are_about(tmp_path: Path) -> None:
    responses = sample_responses("ranking")
    known = responses["id"][0]
    experiment(tmp_path / "e", [known, "another study's response"])
    judge = people(tmp_path / "e")
    doubled = pl.concat([responses, responses.with_columns(system=pl.lit("copy"))])
    frame = judge.judge(sample_items(), doubled)
    assert frame["about"].to_list() == [known]
    assert (judge.name, judge.judge_kind) == ("people:e", "person")


def test_new_answers_change_the_signature(tmp_path: Path) -> None:
    experiment(tmp_path, ["a"])
    before = people(tmp_path).signature()
    assert people(tmp_path).signature() == before
    experiment(tmp_path, ["a", "b"])
    assert people(tmp_path).signature() != before
