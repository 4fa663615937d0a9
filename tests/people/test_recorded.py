"""Do people's answers join the responses they are about, and only those?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import Bilingual
from hengliang.core import sample_items, sample_responses
from hengliang.experiments import Experiment, Scale, answers_frame, stimuli_frame, write_experiment
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


def test_the_answers_of_a_database_judge_and_a_look_at_them_changes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from hengliang.people.storage.engines import database_url
    from tests.people.collected.answered import answered_survey, six_readers

    folder = answered_survey(tmp_path / "e").folder
    six_readers(database_url(folder))
    judge, programs = people(folder), people(folder, kind="simulated")
    before = judge.signature()
    responses = sample_responses("ranking").head(1).with_columns(id=pl.lit("s1-封"))
    judged = judge.judge(sample_items(), responses)
    # Six readers on two scales; the repeat is not a judgement.
    assert judged.height == 12 and set(judged["scored_system"]) == {""}
    assert judge.signature() == before != programs.signature()
    assert not programs.judge(sample_items(), responses).height
    six_readers(database_url(folder), "simulated")
    assert judge.signature() == before
    assert programs.judge(sample_items(), responses).height == 12
    assert programs.simulated and not judge.simulated
