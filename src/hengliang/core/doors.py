"""Doors: a package exports the names of its subject, wherever their modules lie, and imports each when it is used.

A door is an `__init__.py` of a docstring and a line, `__getattr__, __dir__, __all__ = open_door(__name__, __file__)`.
Its names stand once, in the stub `__init__.pyi` beside it, a line `from module import name as name` each: type checkers
read the stub, and so does this module. A name that would stand for two things has another one there, and is listed in
the stub's `__all__` as well. `attach_stub` of lazy_loader does the same, but for relative imports only, and the names
of a subject may lie in other packages.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from hengliang.core.aliases import moved_attribute


class _Door(ModuleType):
    """A package whose public names are not hidden by its modules: `scenes` of `hengliang.scenes` stays the function."""

    def __setattr__(self, name: str, value: object) -> None:
        # The import system binds a submodule to its package under its own name; it is found in sys.modules anyway.
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def exported_names(stub: Path) -> dict[str, tuple[str, str]]:
    """Return the names that a stub exports, each with the module where it is defined and its name there."""
    names: dict[str, tuple[str, str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update({alias.asname or alias.name: (node.module, alias.name) for alias in node.names})
    return names


def open_door(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package whose stub lies beside its `__init__.py`."""
    homes = exported_names(Path(file).with_suffix(".pyi"))
    door = sys.modules[package]
    door.__class__ = _Door

    def attribute(name: str) -> Any:
        """Import a public name from the module where it is defined."""
        if name not in homes:
            # After `import hengliang` the rooms can be reached as attributes, too.
            is_room = name.isidentifier() and Path(file).with_name(name).joinpath("__init__.pyi").is_file()
            return importlib.import_module(f"{package}.{name}") if is_room else moved_attribute(package, name)
        module, defined = homes[name]
        value = getattr(importlib.import_module(module), defined)
        setattr(door, name, value)
        return value

    def names() -> list[str]:
        return sorted({*homes, *vars(door)})

    return attribute, names, sorted(homes)
