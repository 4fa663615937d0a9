"""Which tasks are there, and how is one made again from what a folder says of it?"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hengliang.errors import UserError, unknown_name
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
    task = _record(TASKS[name], parameters, f"The task '{name}'")
    fault = task.fault()
    if fault:
        raise UserError(f"The task '{name}' cannot be carried out: {fault}.")
    return task  # type: ignore[no-any-return]


def _record(kind: type[Any], held: object, where: str) -> Any:
    """Return a dataclass from a JSON object; its constructor does no work, so all checks are here."""
    if isinstance(held, kind):
        return held
    if not isinstance(held, Mapping):
        raise UserError(
            f"{where} is {held!r}.", valid=f"An object with {', '.join(each.name for each in fields(kind))}."
        )
    known = {each.name: each for each in fields(kind)}
    hints = get_type_hints(kind)
    strange = [name for name in held if name not in known]
    if strange:
        raise unknown_name("parameter", str(strange[0]), known, remedy=f"{where} has no other.")
    for name, each in known.items():
        if name not in held and each.default is MISSING and each.default_factory is MISSING:
            raise UserError(f"{where} lacks '{name}'.", valid=f"It needs: {', '.join(known)}.")
    return kind(**{name: _value(hints[name], value, f"{where}, '{name}'") for name, value in held.items()})


_PLAIN: dict[object, tuple[tuple[type, ...], str]] = {
    str: ((str,), "A text."),
    bool: ((bool,), "true or false."),
    int: ((int,), "A whole number."),
    float: ((int, float), "A number."),
}


def _value(kind: Any, held: Any, where: str) -> Any:
    """Return one parameter as its type wants it."""
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, held, where)
    if origin is tuple:
        if not isinstance(held, (list, tuple)):
            raise UserError(f"{where} is {held!r}.", valid="A list.")
        return tuple(_value(get_args(kind)[0], each, f"{where}, number {n}") for n, each in enumerate(held, 1))
    if origin is Literal:
        if held not in get_args(kind):
            raise UserError(f"{where} is {held!r}.", valid=f"One of: {', '.join(map(str, get_args(kind)))}.")
        return held
    if origin in (Union, types.UnionType):
        inner = next(each for each in get_args(kind) if each is not type(None))
        return None if held is None else _value(inner, held, where)
    wanted, valid = _PLAIN[kind]
    if not isinstance(held, wanted) or (kind is not bool and isinstance(held, bool)):
        raise UserError(f"{where} is {held!r}.", valid=valid)
    return held
