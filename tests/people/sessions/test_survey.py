"""Is a survey on disk what was designed, and does everything about a participant follow from it?"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from hengliang import Bilingual, UserError
from hengliang.experiments import Experiment, Scale, stimuli_frame, versions_frame, write_experiment
from hengliang.people.sessions.settings import HIGHLIGHTS, Highlight, Settings
from hengliang.people.sessions.steps import Presentation
from hengliang.people.sessions.survey import EVERYBODY, FILE, Design, Survey, read_survey, write_survey
from hengliang.people.tasks.likert import LikertRating

FLUENT = Scale("fluent", Bilingual("It is fluent.", "通顺。"), 7, tuple(Bilingual(str(n), str(n)) for n in range(1, 8)))
TASK = LikertRating((FLUENT,))
DESIGN = Design(distance=2, seed=3)
EXPERIMENT = Experiment(
    "small",
    Bilingual("A small one", "小实验"),
    (FLUENT,),
    stimuli_frame(
        {"about": f"r{place}", "item": f"i{place // 2}", "text": "一本书", "spans": [], "systems": ["A"]}
        for place in range(4)
    ),
)
VERSIONS = versions_frame(
    [
        {"version": "2", "position": 2, "about": "r0"},
        {"version": "2", "position": 1, "about": "r1", "role": "practice"},
        {"version": "1", "position": 1, "about": "r2", "block": 2},
        {"version": "1", "position": 2, "about": "r2", "role": "repeat", "occurrence": 2},
    ]
)


def folder_with(folder: Path, experiment: Experiment) -> Path:
    write_experiment(folder, experiment)
    write_survey(folder, TASK, DESIGN, Settings(pause_every=0))
    return folder


def test_a_survey_goes_to_disk_and_back(tmp_path: Path) -> None:
    survey = read_survey(folder_with(tmp_path, replace(EXPERIMENT, versions=VERSIONS)))
    assert (survey.task, survey.design, survey.settings.pause_every) == (TASK, DESIGN, 0)
    assert survey.lists == {
        "1": (Presentation("r2", block=2), Presentation("r2", "repeat", occurrence=2)),
        "2": (Presentation("r1", "practice"), Presentation("r0")),
    }
    assert survey.stimuli["r3"].item == "i1"


def test_without_versions_everybody_sees_everything(tmp_path: Path) -> None:
    survey = read_survey(folder_with(tmp_path, EXPERIMENT))
    assert survey.lists == {EVERYBODY: tuple(Presentation(f"r{place}") for place in range(4))}


def test_an_order_is_that_of_the_list_s_rows(tmp_path: Path) -> None:
    survey = read_survey(folder_with(tmp_path, EXPERIMENT))
    assert [each.about for each in survey.presentations(EVERYBODY, (2, 0, 3, 1))] == ["r2", "r0", "r3", "r1"]
    trials = [step.presentation for step in survey.steps(EVERYBODY, (2, 0, 3, 1), 0) if step.kind == "trial"]
    assert tuple(trials) == survey.presentations(EVERYBODY, (2, 0, 3, 1))


def test_the_digest_changes_with_what_is_shown_and_not_with_the_settings(tmp_path: Path) -> None:
    survey = read_survey(folder_with(tmp_path, EXPERIMENT))
    changed = [
        replace(survey, experiment=replace(EXPERIMENT, versions=VERSIONS)),
        replace(survey, task=LikertRating((replace(FLUENT, points=5),))),
        replace(survey, design=replace(DESIGN, seed=4)),
    ]
    assert len({survey.digest, *(each.digest for each in changed)}) == 4
    assert replace(survey, settings=Settings(contact="me")).digest == survey.digest


def test_the_course_names_what_pages_depend_on(tmp_path: Path) -> None:
    survey = read_survey(folder_with(tmp_path, EXPERIMENT))
    usual = survey.settings
    changed = [replace(usual, pause_every=3), replace(usual, demographics=()), replace(usual, highlight="off")]
    courses = {survey.course, *(replace(survey, settings=each).course for each in changed)}
    assert len(courses) == 4
    assert replace(survey, settings=replace(usual, demographics=("age",), contact="me")).course == survey.course


@pytest.mark.parametrize("way", HIGHLIGHTS)
def test_highlighting_as_a_factor_is_balanced(way: Highlight, tmp_path: Path) -> None:
    survey = read_survey(folder_with(tmp_path, EXPERIMENT))
    survey = Survey(
        survey.folder, survey.experiment, survey.task, survey.design, replace(survey.settings, highlight=way)
    )
    seen = Counter(
        (number, about) for number in range(8) for about in survey.stimuli if survey.highlighted(number, about)
    )
    # Eight participants with four stimuli each: all, none, or half of the 32.
    assert seen.total() == {"on": 32, "off": 0, "participant": 16, "item": 16}[way]
    if way == "item":
        assert set(Counter(number for number, _ in seen).values()) == {2}
        assert set(Counter(about for _, about in seen).values()) == {4}


def test_an_experiment_without_a_survey_says_how_to_design_one(tmp_path: Path) -> None:
    write_experiment(tmp_path, EXPERIMENT)
    with pytest.raises(UserError, match="hengliang survey design"):
        read_survey(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 9}, "is not a survey of format 1"),
        ({"task": {"name": "likert"}}, r"survey.json has no task\.parameters\."),
        ({"task": {"name": "likrt", "parameters": {}}}, "likrt"),
        ({"design": {"sead": 3}}, "No entry in design of .* is called 'sead'. Did you mean seed"),
    ],
)
def test_a_broken_description_is_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    folder_with(tmp_path, EXPERIMENT)
    held = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps({**held, **change}))
    with pytest.raises(UserError, match=message):
        read_survey(tmp_path)


@pytest.mark.parametrize("way", ["participant", "item"])
@pytest.mark.parametrize("statements", range(1, 13))
def test_highlighting_is_crossed_with_the_order_of_statements(statements: int, way: Highlight, tmp_path: Path) -> None:
    task = LikertRating(
        tuple(replace(FLUENT, name=f"s{place}") for place in range(statements)), pages="counterbalanced"
    )
    survey = Survey(tmp_path, EXPERIMENT, task, DESIGN, Settings(highlight=way))
    # A round has as many participants as statements, or twice as many of an odd number; everything is seen twice in
    # two rounds, and in four if a round has less than a pair.
    length = statements if statements % 2 == 0 or statements == 1 else 2 * statements
    seen = Counter((task.screens(number), survey.highlighted(number, "r3")) for number in range(4 * length))
    assert len(seen) == 2 * length and set(seen.values()) == {2}
    assert sum(survey.highlighted(number, "r3") for number in range(4)) == 2
