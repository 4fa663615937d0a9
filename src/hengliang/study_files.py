"""Which studies are there, and where is the one that was asked for?"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from hengliang.errors import UserError, unknown_name
from hengliang.registry import load_file
from hengliang.runs import Form
from hengliang.study import Study

PACKAGE = "hengliang.studies"


def study_names() -> list[str]:
    """Return the names of the studies that come with hengliang."""
    return sorted(module.name for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__))


def load_study(name: str, *, quick: bool = False) -> Study:
    """Return the study of this name, or the one in the Python file at this path."""
    if name.endswith(".py") or "/" in name or Path(name).is_file():
        return _study_of(load_file(name), name, quick)
    if name not in study_names():
        raise unknown_name("study", name, study_names())
    return _study_of(importlib.import_module(f"{PACKAGE}.{name}"), name, quick)


def missing_for(name: str) -> str:
    """Say what the study of this name needs that is not here, and how to get it; nothing when it can run.

    A study says so itself, by a function `missing()` whose answer can follow "it needs"; one without it needs nothing
    but what is installed.
    """
    found = getattr(importlib.import_module(f"{PACKAGE}.{name}"), "missing", None)
    return str(found()) if callable(found) else ""


def _study_of(module: ModuleType, name: str, quick: bool) -> Study:
    found = getattr(module, "study", None)
    form: Form = "full"  # a study that is no function has one form only, and that is the whole of it
    if callable(found):
        found, form = found(quick=quick), "quick" if quick else "full"
    if not isinstance(found, Study):
        raise UserError(
            f"{name} defines no study.",
            valid="It must hold a Study called 'study', or a function study(quick) that returns one.",
            remedy="See a working one: hengliang new study my_study",
        )
    return replace(found, form=found.form or form)
