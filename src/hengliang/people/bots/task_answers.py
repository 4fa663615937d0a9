"""What does a simulated participant answer in each task?

One small function a task returns the fields of its form. A task of which nothing is known here is answered by what its
form offers: one of the choices, a number between the bounds, a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from hengliang.people.bots.drawing import chosen
from hengliang.people.bots.page_reading import Field, Form
from hengliang.people.bots.scene_reading import read_counts
from hengliang.people.bots.simulated_rater import SimulatedRater
from hengliang.people.tasks.base import Stimulus, Task
from hengliang.people.tasks.cloze import Cloze
from hengliang.people.tasks.fields import field_of
from hengliang.people.tasks.forced_choice import CHOICE, ForcedChoice, options_of
from hengliang.people.tasks.free_text import FreeText
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.reconstruction import Reconstruction, size_of
from hengliang.people.tasks.slider import SliderRating, plain
from hengliang.people.tasks.speeded import OUTCOME_FIELD, RESPONSE, TIME, TIMEOUT, SpeededResponse


@dataclass(frozen=True, slots=True)
class Asked:
    """One page about a stimulus, as one participant sees it."""

    rater: SimulatedRater
    stimulus: Stimulus
    occurrence: int
    form: Form
    right: Mapping[str, Any]
    """The right answers of a catch item that this participant does not fail, by scale."""


@singledispatch
def answers_to(task: Task, asked: Asked) -> dict[str, str]:
    """Return the fields that answer a page of the task."""
    return {held.name: _offered(scale, held, asked) for scale, held in asked.form.answers().items()}


def _offered(scale: str, held: Field, asked: Asked) -> str:
    where = (asked.stimulus, asked.occurrence)
    if held.kind in ("radio", "select"):
        return asked.rater.choice(scale, [value for value in held.values if value], *where)
    if held.kind in ("range", "number"):
        low, high = (float(held.attributes.get(name, usual)) for name, usual in (("min", "0"), ("max", "100")))
        return f"{round(asked.rater.position(scale, low, high, *where))}"
    return asked.rater.text(scale, asked.rater.model.answers, *where)


@answers_to.register
def _(task: LikertRating, asked: Asked) -> dict[str, str]:
    shown = asked.form.answers()
    points = {scale.name: scale.points for scale in task.statements if scale.name in shown}
    return {
        field_of(name): str(asked.right.get(name) or asked.rater.rating(name, most, asked.stimulus, asked.occurrence))
        for name, most in points.items()
    }


@answers_to.register
def _(task: ForcedChoice, asked: Asked) -> dict[str, str]:
    options = [option.id for option in options_of(asked.stimulus)]
    systems = {option: (option,) for option in options}
    picked = asked.rater.choice(CHOICE, options, asked.stimulus, asked.occurrence, systems)
    return {field_of(CHOICE): str(asked.right.get(CHOICE, picked))}


@answers_to.register
def _(task: SliderRating, asked: Asked) -> dict[str, str]:
    place = asked.rater.position(task.scale, task.low, task.high, asked.stimulus, asked.occurrence)
    steps = round((place - task.low) / task.step)
    return {field_of(task.scale): plain(float(asked.right.get(task.scale, task.low + steps * task.step)))}


@answers_to.register
def _(task: Cloze, asked: Asked) -> dict[str, str]:
    texts = [text for text in asked.rater.model.cloze if len(text) <= task.longest] or ["个"]
    drawn = asked.rater.text(task.scale, texts, asked.stimulus, asked.occurrence)
    return {field_of(task.scale): str(asked.right.get(task.scale, drawn))}


@answers_to.register
def _(task: FreeText, asked: Asked) -> dict[str, str]:
    text = asked.rater.text(task.scale, asked.rater.model.answers, asked.stimulus, asked.occurrence)
    return {field_of(task.scale): str(asked.right.get(task.scale, text[: task.longest]))}


@answers_to.register
def _(task: Reconstruction, asked: Asked) -> dict[str, str]:
    names = [kind.name for kind in task.kinds]
    size = size_of(asked.stimulus)
    if asked.rater.model.by == "description":
        true = _scene(read_counts(asked.rater, asked.stimulus, asked.occurrence), names)
    else:
        scene = asked.stimulus.details.get("scene")
        true = _scene(scene, names) if isinstance(scene, Mapping) else {}
    if sum(true.values()) != size:
        # Nobody says what the description is of: any scene of the stated size will do, the same for all.
        drawn = [_any_of(names, asked, place) for place in range(size)]
        true = {name: drawn.count(name) for name in names}
    counts = asked.right or asked.rater.counts(true, asked.stimulus, asked.occurrence)
    return {field_of(name): str(counts.get(name, 0)) for name in names}


def _scene(scene: Mapping[str, Any], names: Sequence[str]) -> dict[str, int]:
    return {name: int(scene.get(name, 0)) for name in names}


def _any_of(names: Sequence[str], asked: Asked, place: int) -> str:
    return chosen(names, [1.0] * len(names), asked.rater.seed, "scene", asked.stimulus.about, place)


@answers_to.register
def _(task: SpeededResponse, asked: Asked) -> dict[str, str]:
    milliseconds = 1000 * asked.rater.reaction(asked.stimulus, asked.occurrence)
    if task.timeout is not None and milliseconds > task.timeout:
        return {field_of(RESPONSE): "", field_of(TIME): "", OUTCOME_FIELD: TIMEOUT}
    labels = [response.label for response in task.responses]
    picked = asked.rater.choice(RESPONSE, labels, asked.stimulus, asked.occurrence)
    return {
        field_of(RESPONSE): str(asked.right.get(RESPONSE, picked)),
        field_of(TIME): f"{milliseconds:.1f}",
        OUTCOME_FIELD: "",
    }
