"""Is a task made again from plain JSON the same, and is no form ever too much for it?"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Bilingual, UserError
from hengliang.core import LANGUAGES
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Given, Reading, Task
from hengliang.people.tasks.library import TASKS, task_of
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.scenes import Kind
from hengliang.people.tasks.slider import SliderRating
from hengliang.people.tasks.speeded import SpeededResponse
from hengliang.people.tasks.statement_sets import ACCEPTABILITY, SETS
from hengliang.scenes import Reconstruction
from tests.people.tasks.examples import EXAMPLES

OTHERS: list[Task] = [
    *(LikertRating(each.scales, "separate counterbalanced", bilingual=True) for each in SETS.values()),
    SliderRating(low=-1, high=1, step=0.25, scale="valence", show_number=False),
    Reconstruction(
        kinds=(
            Kind("triangle", Bilingual("triangles", "三角形"), "triangle", "green"),
            Kind("dot", Bilingual("dots", "圆点"), "circle", "black"),
        )
    ),
    SpeededResponse(timeout=3000, text_time=400),
]
RESERVED = frozenset(
    [
        *("comment_limit", "done", "example", "fields", "first", "heading", "instructions", "keepsake", "kind"),
        *("language", "practice", "preview", "problems", "progress", "screen", "shown", "static", "step", "stimulus"),
        *("submission", "summary", "tag", "task", "task_template", "text", "text_tag", "title", "token", "trials"),
        *("words", "has_example", "minimum_age"),
    ]
)
"""Names that a page gives its templates; a task that showed something under one of them would change the page."""


def test_every_task_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(TASKS)


@pytest.mark.parametrize("task", [*(each.task for each in EXAMPLES.values()), *OTHERS], ids=repr)
def test_a_task_survives_json(task: Task) -> None:
    assert task_of(task.name, json.loads(json.dumps(task.parameters()))) == task
    assert task.fault() is None


@pytest.mark.parametrize("name", TASKS)
def test_right_forms_are_read(name: str) -> None:
    example = EXAMPLES[name]
    assert example.task.check(example.stimulus) is None
    reading = example.task.read(example.form, example.stimulus, example.screen)
    assert reading.problems == ()
    assert [each.scale for each in reading.given] == list(example.screen.scales)
    assert all(each.status == "ok" for each in reading.given)


@pytest.mark.parametrize("name", TASKS)
def test_columns_say_where_each_answer_stands(name: str) -> None:
    example = EXAMPLES[name]
    columns = {column.scale: column.kind for column in example.task.columns()}
    assert list(columns) == [scale.name for scale in example.task.scales()]
    for each in example.task.read(example.form, example.stimulus, example.screen).given:
        assert (each.value is not None, each.label is not None) == (
            columns[each.scale] == "value",
            columns[each.scale] == "label",
        )
    assert all(column.meaning.en and column.meaning.zh for column in example.task.columns())


@pytest.mark.parametrize("name", TASKS)
def test_an_empty_form_is_no_answer(name: str) -> None:
    example = EXAMPLES[name]
    reading = example.task.read({}, example.stimulus, example.screen)
    assert reading.problems
    assert reading.given == ()
    assert all(problem.message.en and problem.message.zh for problem in reading.problems)


def fair(reading: Reading, task: Task) -> bool:
    """Return whether a reading is answers on the task's scales or problems, and nothing that storage could not keep."""
    if reading.problems:
        return reading.given == ()
    return len(reading.given) > 0 and all(_kept(each, task) for each in reading.given)


def _kept(each: Given, task: Task) -> bool:
    scale = {scale.name: scale for scale in task.scales()}[each.scale]
    within = each.value is None or (not scale.points or each.value in range(1, scale.points + 1))
    label = each.label or ""
    label.encode()
    return within and "\0" not in label and (each.value is not None or each.label is not None)


VALUES = st.one_of(
    st.text(),
    st.sampled_from(
        ["", "0", "1", "7", "8", "-1", "４", "nan", "inf", "-inf", "1e309", "9" * 400, "\0", "yes", "pi", "2,1"]
    ),
    st.floats().map(str),
)


@pytest.mark.parametrize("name", TASKS)
@settings(max_examples=50)
@given(data=st.data())
def test_no_form_raises(name: str, data: st.DataObject) -> None:
    example = EXAMPLES[name]
    names = st.one_of(st.sampled_from([*example.form, "detail-outcome", "answer-side"]), st.text())
    form = data.draw(st.dictionaries(names, VALUES))
    base = data.draw(st.sampled_from([{}, dict(example.form)]))
    reading = example.task.read({**base, **form}, example.stimulus, example.screen)
    assert fair(reading, example.task)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", TASKS)
@settings(max_examples=50)
@given(data=st.data())
def test_strange_details_are_a_fault_or_can_be_shown(name: str, data: st.DataObject) -> None:
    example = EXAMPLES[name]
    keys = st.sampled_from(["options", "scene_size", "scene", "question"])
    stimulus = replace(example.stimulus, details=data.draw(st.dictionaries(keys, JSON)), text=data.draw(st.text()))
    fault = example.task.check(stimulus)
    if fault is None:
        assert example.task.shown(stimulus, example.screen, "zh", 3)
        assert example.task.read({}, stimulus, example.screen).problems
    else:
        assert isinstance(fault, str)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_nothing_shown_changes_the_page(name: str, language: Any) -> None:
    example = EXAMPLES[name]
    shown = example.task.shown(example.stimulus, example.screen, language, 0)
    assert not RESERVED & set(shown)


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("lickert", {}, "No task is called 'lickert'. Did you mean likert"),
        ("likert", {"statement": []}, "No parameter in task 'likert' is called 'statement'. Did you mean statements"),
        ("likert", {"statements": []}, "cannot be carried out: it asks nothing"),
        ("likert", {"statements": 3}, "task 'likert': statements is 3. A list"),
        (
            "likert",
            {"statements": [{"name": "a"}]},
            r"has no statements\[0\]\.statement. An object with name, statement",
        ),
        (
            "likert",
            {"pages": "apart"},
            'pages is "apart". Did you mean separate\\? One of: together, separate, counterbalanced',
        ),
        ("likert", {"bilingual": 1}, "bilingual is 1. true or false"),
        ("likert", [], "task 'likert' is \\[\\]\\. An object with statements"),
        ("slider", {"low": "0"}, 'low is "0". A number'),
        ("slider", {"low": True}, "low is true. A number"),
        ("slider", {"low": 100}, "from 100 to 100"),
        ("slider", {"step": 0.3}, "no whole steps of 0.3"),
        ("slider", {"high": float("inf")}, "high is inf"),
        ("cloze", {"longest": 0}, "longest is 0"),
        ("cloze", {"question": "Which?"}, 'question is "Which\\?". An object with en, zh'),
        ("free_text", {"rows": 0}, "rows is 0"),
        ("reconstruction", {"kinds": []}, "two kinds or more"),
        ("speeded", {"timeout": 5}, "timeout is 5"),
        ("speeded", {"responses": []}, "two responses or more"),
    ],
)
def test_wrong_parameters_are_named(name: str, parameters: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        task_of(name, parameters)


def test_records_may_stand_for_themselves() -> None:
    assert task_of("likert", {"statements": ACCEPTABILITY}) == LikertRating(ACCEPTABILITY)
    five = Scale("five", Bilingual("Good?", "好吗？"), 5)
    assert task_of("likert", {"statements": [five]}).scales() == (five,)
