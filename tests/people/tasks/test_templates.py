"""Is a task's part of a page complete, in one language, kept when it comes back, and safe?"""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from hengliang import Bilingual
from hengliang.core import LANGUAGES, Language
from hengliang.people.tasks.base import Problem, Screen, Stimulus
from hengliang.people.tasks.cloze import Cloze
from hengliang.people.tasks.fields import field_id
from hengliang.people.tasks.forced_choice import ForcedChoice
from hengliang.people.tasks.free_text import FreeText
from hengliang.people.tasks.library import TASKS
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.scenes import KINDS, kinds_of, kinds_told
from hengliang.people.tasks.slider import SliderRating
from hengliang.people.tasks.speeded import NO_YES, SpeededResponse
from hengliang.people.tasks.statement_sets import CLARITY, DESCRIPTION
from hengliang.scenes import Domain, Reconstruction
from tests.people.scene_examples import ANIMALS, SIGNS
from tests.people.tasks.examples import EXAMPLES, SCENE, html_of

pytest.importorskip("jinja2", reason="jinja2 is not installed")
pytest.importorskip("starlette", reason="starlette is not installed")

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}"


class Elements(HTMLParser):
    """Collects elements with their attributes, and all text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data

    def ids(self) -> list[str]:
        """Return all ids, in order."""
        return [held["id"] for _, held in self.found if "id" in held]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_every_field_can_be_answered_and_is_named(name: str, language: Language) -> None:
    example = EXAMPLES[name]
    page = Elements(html_of(example.task, example.stimulus, language))
    names = {held.get("name") for _, held in page.found}
    assert {field for field in example.form if field.startswith("answer-")} <= names
    assert len(page.ids()) == len(set(page.ids()))
    pointed = [
        each
        for _, held in page.found
        for part in ("aria-describedby", "aria-labelledby", "for")
        for each in held.get(part, "").split()
    ]
    assert set(pointed) <= set(page.ids())


@pytest.mark.parametrize("name", TASKS)
def test_one_language_only(name: str) -> None:
    example = EXAMPLES[name]
    stimulus = replace(example.stimulus, text="")
    if name in ("cloze", "forced_choice"):
        stimulus = Stimulus("a", "a", "two <CL> horses", details={"options": ["a", "b"]})
    english = html_of(example.task, stimulus, "en")
    assert not re.search("[\u4e00-\u9fff]", english)
    chinese = Elements(html_of(example.task, example.stimulus, "zh")).text
    without = chinese.replace("JavaScript", "").replace("two", "").replace("horses", "")
    assert not re.search("[A-Za-z]{2,}", without)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_a_form_that_comes_back(name: str, language: Language) -> None:
    example = EXAMPLES[name]
    problems = {each.field: each.message[language] for each in _problems(name)}
    page = Elements(html_of(example.task, example.stimulus, language, fields=example.form, problems=problems))
    for field, message in problems.items():
        # The list of problems on top of a page links to the field, and the field is described by what is wrong.
        assert field_id(field) in page.ids()
        assert f"{field_id(field)}-problem" in page.ids()
        assert message in page.text
    for field, value in example.form.items():
        if not field.startswith("answer-"):
            continue
        held = [each for _, each in page.found if each.get("name") == field]
        if held[0].get("type") == "radio":
            assert [each["value"] for each in held if "checked" in each] == [value]
        elif name == "free_text":
            assert value in page.text
        else:
            assert [each["value"] for each in held] == [value]


def _problems(name: str) -> tuple[Problem, ...]:
    example = EXAMPLES[name]
    wrong = example.task.read({}, example.stimulus, example.screen).problems
    if name == "reconstruction":
        return (*wrong, *example.task.read(dict.fromkeys(example.form, "0"), example.stimulus, example.screen).problems)
    return wrong


SAID = Bilingual(HOSTILE, HOSTILE)
HOSTILE_TASKS = {
    "likert": LikertRating((replace(CLARITY, statement=SAID, options=(SAID,) * 7),), bilingual=True),
    "forced_choice": ForcedChoice(SAID),
    "slider": SliderRating(SAID, low_label=SAID, high_label=SAID),
    "cloze": Cloze(SAID),
    "free_text": FreeText(SAID),
    "reconstruction": Reconstruction(SAID, tuple(replace(kind, words=SAID) for kind in KINDS)),
    "speeded": SpeededResponse(SAID, tuple(replace(each, words=SAID, label=each.label + HOSTILE) for each in NO_YES)),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TASKS)
def test_hostile_text_stays_text(name: str, language: Language) -> None:
    task = HOSTILE_TASKS[name]
    details = {"options": [HOSTILE, {"id": HOSTILE + "2", "text": HOSTILE}], "scene_size": 4}
    stimulus = Stimulus(HOSTILE, HOSTILE, HOSTILE + "<CL>", details=details)
    fields = {f"answer-{scale.name}": HOSTILE for scale in task.scales()} | {"detail-outcome": HOSTILE}
    problems = dict.fromkeys([*fields, "detail-sum"], HOSTILE)
    html = html_of(task, stimulus, language, fields=fields, problems=problems)
    page = Elements(html)
    assert HOSTILE in page.text
    scripts = [held for tag, held in page.found if tag == "script"]
    assert all(held["src"].startswith("/static/") for held in scripts)
    assert "img" not in {tag for tag, _ in page.found}
    assert not [part for _, held in page.found for part in held if part.startswith("on") or part == "style"]
    assert "49" not in html.replace("7*7", "")


def test_statements_in_the_order_of_the_screen() -> None:
    html = html_of(LikertRating(), EXAMPLES["likert"].stimulus, "en", screen=Screen(("fluency", "clarity")))
    assert html.index("native speaker") < html.index("is clear")
    assert "这句话" not in html
    assert "这句话" in html_of(LikertRating(bilingual=True), EXAMPLES["likert"].stimulus, "en")


def test_a_scene_beside_a_description() -> None:
    stimulus = replace(SCENE, details={"scene": {"red circle": 3, "blue square": 2}})
    page = Elements(html_of(LikertRating(DESCRIPTION), stimulus, "en"))
    assert [tag for tag, held in page.found if held.get("class", "").startswith("thing-")].count("circle") == 3
    assert [held["aria-label"] for tag, held in page.found if tag == "svg"] == ["red circles: 3, blue squares: 2"]


def test_a_scene_of_kinds_of_ones_own() -> None:
    details = {"scene": {"green triangle": 1, "ochre diamond": 2}, "kinds": kinds_told(kinds_of(SIGNS))}
    page = Elements(html_of(LikertRating(DESCRIPTION), replace(SCENE, details=details), "en"))
    assert [held.get("fill") for tag, held in page.found if tag == "polygon"] == [None, "#b8860b", "#b8860b"]
    details = {"scene": {"black cat": 2, "white dog": 1}, "kinds": kinds_told(kinds_of(ANIMALS))}
    page = Elements(html_of(LikertRating(DESCRIPTION), replace(SCENE, details=details), "zh"))
    assert "svg" not in {tag for tag, _ in page.found} and "黑色的猫：2，白色的狗：1" in page.text


@pytest.mark.parametrize("domain", [SIGNS, ANIMALS], ids=lambda domain: domain.name)
def test_kinds_that_are_counted(domain: Domain) -> None:
    page = Elements(html_of(Reconstruction(kinds=kinds_of(domain)), SCENE, "en"))
    names = [held["name"] for tag, held in page.found if tag == "input"]
    assert names == [f"answer-{name}" for name in domain.kind_names]
    # Drawn: a sign at each of four fields, and the drawing that follows the numbers.
    assert [tag for tag, _ in page.found].count("svg") == (5 if domain is SIGNS else 0)


def test_target_words_stand_out_in_a_speeded_task() -> None:
    example = EXAMPLES["speeded"]
    assert '<strong class="target">匹</strong>' in html_of(example.task, example.stimulus)
    assert "<noscript>" in html_of(example.task, example.stimulus)
