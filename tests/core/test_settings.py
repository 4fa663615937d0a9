"""Are mistakes in settings named by their paths, and do stored records come back, those of former versions too?"""

from __future__ import annotations

import json
import math
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Bilingual, UserError
from hengliang.core import check_settings, from_json, read_settings, settings_from, to_json
from hengliang.core.settings import SHARE, Key, Later, Must, OneOrMany, Within, line_of, written_path
from hengliang.report import ReportContent
from hengliang.statistics import PLAN_TEMPLATE, PlannedExperiment, read_plan
from hengliang.surveys import (
    TASKS,
    ResponseModel,
    read_response_model,
    read_survey,
    task_of,
    write_experiment,
    write_survey,
)

STORED = Path(__file__).parent / "stored"
"""Files as version 0.1.0 wrote them before there was one validator."""


def _odd(number: int) -> str | None:
    return "it is even" if number % 2 == 0 else None


NOTHING = Bilingual("", "")


@dataclass(frozen=True, slots=True)
class Step:
    scale: int
    kind: Literal["rate", "choose"] = "rate"
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Work:
    tasks: tuple[Step, ...]
    title: Bilingual = NOTHING
    minutes: int | None = None
    share: Annotated[float, SHARE] = 0.5
    sizes: Annotated[tuple[int, ...], OneOrMany()] = ()
    pair: tuple[str, int] = ("a", 1)
    odd: Annotated[int, Must(_odd, "An odd number.")] = 1
    pause: Annotated[float, Key("time.pause"), Within("A number below 10.", 0, 10, open=True)] = 1.0
    quick: bool = False
    extra: Any = None


def test_a_mapping_becomes_a_record() -> None:
    value = {
        "tasks": [{"scale": 3, "weights": {"a": 1}}, Step(4)],
        "title": {"en": "Work", "zh": "工作"},
        "sizes": 8,
        "pair": ["b", 2],
        "time": {"pause": 2},
        "extra": [{}],
    }
    made = settings_from(Work, value, "w")
    steps = (Step(3, weights={"a": 1.0}), Step(4))
    assert made == Work(steps, Bilingual("Work", "工作"), sizes=(8,), pair=("b", 2), pause=2.0, extra=[{}])
    # Whole numbers that stand for others are numbers like those, in signatures as well.
    assert repr(made.pause) == "2.0"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tasks": [{"scale": 1}, {}]}, "f has no tasks[1].scale. An object with scale, kind, weights."),
        ({"tasks": [{"scale": "7"}]}, 'f: tasks[0].scale is "7". A whole number. Do this.'),
        ({"tasks": [{"scale": 1.0}]}, "f: tasks[0].scale is 1.0. A whole number."),
        ({"tasks": [{"scale": True}]}, "f: tasks[0].scale is true. A whole number."),
        ({"tasks": [{"scale": 1, "scal": 2}]}, "No entry in tasks[0] of f is called 'scal'. Did you mean scale?"),
        ({"tasks": [{"scale": 1, "kind": "chose"}]}, 'kind is "chose". Did you mean choose? One of: rate, choose.'),
        ({"tasks": [{"scale": 1, "weights": {"a b": None}}]}, 'tasks[0].weights."a b" is null. A number.'),
        ({"tasks": [{"scale": 1, "weights": [1]}]}, "tasks[0].weights is [1]. A table: begin it with the line"),
        ({"tasks": "rate"}, 'f: tasks is "rate". A list: […].'),
        ({"tasks": [3]}, "f: tasks[0] is 3. An object with scale, kind, weights."),
        ({"minutes": "20"}, 'f: minutes is "20". A whole number.'),
        ({"share": 1.5}, "f: share is 1.5. A share from 0 to 1."),
        ({"share": math.nan}, "f: share is NaN. A share from 0 to 1."),
        ({"share": 10**400}, "A number."),
        ({"pair": ["a"]}, 'f: pair is ["a"]. A list of 2.'),
        ({"pair": ["a", "b"]}, 'f: pair[1] is "b". A whole number.'),
        ({"odd": 2}, "f: odd is 2 (it is even). An odd number."),
        ({"time": 3}, "f: time is 3. A table: begin it with the line [time]."),
        ({"time": {"pause": 10}}, "f: time.pause is 10. A number below 10."),
        ({"time": {"pose": 1}}, "No entry in time of f is called 'pose'. Did you mean pause?"),
        ({"quick": 1}, "f: quick is 1. true or false."),
        ({"title": {"en": "x"}}, "f has no title.zh."),
    ],
)
def test_a_mistake_is_named_by_its_path(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as caught:
        settings_from(Work, {"tasks": [], **change}, "f", remedy="Do this.")
    assert said in str(caught.value)
    assert caught.value.remedy.endswith("Do this.")


def test_a_single_value_is_shown_as_it_is_written() -> None:
    plan = {"design": {"systems": ["a", "b"], "raters": 1, "items": [2]}, "answers": {"shares": [0.5, 0.5]}}
    with pytest.raises(UserError, match=r"design\.raters is 1\."):
        settings_from(PlannedExperiment, plan, "f")


def test_what_is_no_object_at_all_is_named() -> None:
    with pytest.raises(UserError, match=r"^f is \[\]\. An object with tasks, title, "):
        settings_from(Work, [], "f")


def test_long_values_are_cut_off() -> None:
    with pytest.raises(UserError) as caught:
        settings_from(Work, {"tasks": "x" * 1000}, "f")
    assert len(caught.value.problem) < 130


def test_entries_for_another_reader_are_passed_over() -> None:
    assert settings_from(Work, {"tasks": [], "design": 3}, "f", passed_over=["design"]) == Work(())


def test_a_record_made_by_hand_is_checked_too() -> None:
    check_settings(Work((Step(1),)), "the work")
    with pytest.raises(UserError, match=r"the work: time.pause is 99"):
        check_settings(Work((), pause=99), "the work")


TOML = """\
quick = true   # [not a table]

tasks = [
  { scale = 1 },
  { scale = "2" },
]
[time]
pause = 50

[title]
"en" = "x"
zh = "y"
"""


def test_a_file_is_read_with_the_line_of_the_mistake(tmp_path: Path) -> None:
    file = tmp_path / "work.toml"
    file.write_text(TOML, encoding="utf-8")
    # The list begins in line 3; where in it the value stands, its path says.
    with pytest.raises(UserError, match=r'work\.toml, line 3: tasks\[1\]\.scale is "2"'):
        read_settings(Work, file)
    file.write_text(TOML.replace('"2"', "2"), encoding="utf-8")
    with pytest.raises(UserError, match=r"work\.toml, line 8: time\.pause is 50"):
        read_settings(Work, file)
    file.write_text(TOML.replace('"2"', "2").replace("50", "5"), encoding="utf-8")
    assert read_settings(Work, file).title == Bilingual("x", "y")
    file.write_text("\ufeffquick = 3\ntasks = []", encoding="utf-8")
    with pytest.raises(UserError, match=r"work\.toml, line 1: quick is 3"):
        read_settings(Work, file)
    file.with_suffix(".json").write_text('{"tasks": [{"scale": 1}]}', encoding="utf-8")
    assert read_settings(Work, file.with_suffix(".json")) == Work((Step(1),))


NAMES = st.text("abc", min_size=1, max_size=3)


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(), min_size=1, max_size=3), max_size=4), st.data())
def test_every_line_is_found(tables: dict[str, dict[str, int]], data: st.DataObject) -> None:
    lines: list[str] = []
    places: dict[tuple[str | int, ...], int] = {}
    for table, entries in tables.items():
        lines += [""] * data.draw(st.integers(0, 2)) + [f"[{table}]"]
        places[table,] = len(lines)
        for name, value in entries.items():
            lines.append(f"{name}={value}")
            places[table, name] = len(lines)
    text = "\n".join(lines)
    assert tomllib.loads(text) == tables
    assert {path: line_of(text, path) for path in places} == places


def test_what_a_text_of_several_lines_holds_is_no_entry() -> None:
    text = 'a = """\nb = 1\n\\"""\n[c]\n"""\nd = \'\'\'\n[e]\\\'\'\'\nb = 2\u2028\nf = 3'
    assert tomllib.loads(text.replace("\u2028", ""))["b"] == 2
    assert [line_of(text, (name,)) for name in "adbfce"] == [1, 6, 8, 9, None, None]


def test_paths_are_written_as_people_read_them() -> None:
    assert written_path(("a", 0, "b-c", 'd"e')) == 'a[0].b-c."d\\"e"'


@dataclass(frozen=True, slots=True)
class Kept:
    numbers: tuple[float, ...]
    best: float | None
    class_: Annotated[str, Key("class")]
    names: Mapping[str, tuple[str, ...]]
    remark: Annotated[str, Later()] = ""


NUMBERS = st.floats() | st.sampled_from([math.nan, math.inf, -math.inf])


@given(
    st.builds(
        Kept,
        st.lists(NUMBERS).map(tuple),
        st.none() | st.floats(allow_nan=False),
        st.text(),
        st.dictionaries(st.text(), st.lists(st.text()).map(tuple)),
        st.text(),
    )
)
def test_records_go_to_json_and_back(kept: Kept) -> None:
    text = json.dumps(to_json(kept), allow_nan=False)
    # repr, for NaN is not equal to itself.
    assert repr(from_json(Kept, json.loads(text), "It")) == repr(kept)


def test_records_of_other_versions_are_read_and_broken_ones_are_named() -> None:
    value = to_json(Kept((math.nan,), None, "c", {}))
    assert value == {"numbers": [None], "best": None, "class": "c", "names": {}, "remark": ""}
    del value["remark"]
    assert from_json(Kept, {**value, "unknown": 1}, "It").remark == ""
    with pytest.raises(UserError, match=r'It: numbers\[1\] is "many"'):
        from_json(Kept, {**value, "numbers": [1, "many"]}, "It")
    del value["class"]
    with pytest.raises(UserError, match=r"It has no class\. Again\."):
        from_json(Kept, value, "It", remedy="Again.")


# --- files of version 0.1.0 -------------------------------------------------------------------------------------------


def test_a_stored_report_opens_and_is_written_as_it_was() -> None:
    value = json.loads((STORED / "report_with_views.json").read_text(encoding="utf-8"))
    assert {"views", "suites", "error_pairs"} <= set(value)
    assert json.dumps(ReportContent.from_json(value).to_json()) == json.dumps(value)


def test_a_report_stored_before_there_were_views_opens_and_is_written_without_them() -> None:
    value = json.loads((STORED / "report.json").read_text(encoding="utf-8"))
    # What they show could only be drawn by whoever knows what it is about.
    assert value.pop("suites") and value.pop("error_pairs")
    for entry in value["measures"]:
        del entry["conventions"]
    assert json.dumps(ReportContent.from_json(value).to_json()) == json.dumps({**value, "views": []})


def test_stored_tasks_open_and_have_the_same_parameters() -> None:
    entries = json.loads((STORED / "tasks.json").read_text(encoding="utf-8"))
    assert {entry["name"] for entry in entries} == set(TASKS)
    for entry in entries:
        again = json.loads(json.dumps(task_of(entry["name"], entry["parameters"]).parameters()))
        # As text, for 0 and 0.0 are equal but not the same in the digest that binds a database to its survey.
        assert json.dumps(again) == json.dumps(entry["parameters"])


def test_a_stored_survey_opens_and_is_written_as_it_was(tmp_path: Path) -> None:
    survey = read_survey(STORED / "survey")
    assert survey.experiment.plan.margin == 0.5
    write_survey(tmp_path, survey.task, survey.design, survey.settings)
    write_experiment(tmp_path, survey.experiment)
    for name in ("survey.json", "survey.toml", "experiment.json"):
        assert (tmp_path / name).read_bytes() == (STORED / "survey" / name).read_bytes()


def test_the_database_of_a_stored_survey_still_belongs_to_it(tmp_path: Path) -> None:
    """Version 0.1.0 gave these digests, the second of the same survey with the slider of `tasks.json`."""
    folder = shutil.copytree(STORED / "survey", tmp_path / "survey")
    assert read_survey(folder).digest == "4e5bb3f636eec278"
    slider = next(each for each in json.loads((STORED / "tasks.json").read_text("utf-8")) if each["name"] == "slider")
    for name, change in (
        ("survey", {"task": slider}),
        ("experiment", {"scales": [{"name": "rating", "statement": NOTHING.to_json(), "points": 0, "options": []}]}),
    ):
        held = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        (folder / f"{name}.json").write_text(json.dumps({**held, **change}), encoding="utf-8")
    assert read_survey(folder).digest == "158a8024564c57a8"


def test_stored_settings_of_surveys_open(tmp_path: Path) -> None:
    folder = shutil.copytree(STORED / "survey", tmp_path / "survey")
    shutil.copy(STORED / "survey.toml", folder)
    settings = read_survey(folder).settings
    assert (settings.contact, settings.minutes, settings.highlight) == ("a@example.org", 20, "item")
    assert settings.payment == Bilingual("a book", "一本书")


def test_stored_models_and_plans_open() -> None:
    assert read_response_model(STORED / "model.toml") == ResponseModel()
    assert (STORED / "plan.toml").read_text(encoding="utf-8") == PLAN_TEMPLATE
    plan = read_plan(STORED / "plan.toml")
    assert (plan.raters, plan.effects, plan.seed) == ((8, 16, 32), {"model": -0.4}, 1)
    # A plan for `hengliang power` is a response model, too.
    assert read_response_model(STORED / "plan.toml").effects == {"model": -0.4}
