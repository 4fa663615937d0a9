"""Which tasks are there, and how is one made again from what a folder says of it?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.settings import settings_from
from hengliang.people.tasks.base import Task
from hengliang.people.tasks.cloze import Cloze
from hengliang.people.tasks.forced_choice import ForcedChoice
from hengliang.people.tasks.free_text import FreeText
from hengliang.people.tasks.likert import LikertRating
from hengliang.people.tasks.reconstruction import Reconstruction
from hengliang.people.tasks.slider import SliderRating
from hengliang.people.tasks.speeded import SpeededResponse

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (LikertRating, ForcedChoice, SliderRating, Cloze, FreeText, Reconstruction, SpeededResponse)
}
"""Every task by its name."""


def task_of(name: str, parameters: Mapping[str, Any]) -> Task:
    """Return the task of this name with these parameters, plain JSON or the records themselves."""
    if name not in TASKS:
        raise unknown_name("task", name, TASKS)
    task = settings_from(TASKS[name], parameters, f"task '{name}'", entry="parameter")
    fault = task.fault()
    if fault:
        raise UserError(f"The task '{name}' cannot be carried out: {fault}.")
    return task
