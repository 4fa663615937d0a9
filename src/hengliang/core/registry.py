"""Registry of plug-ins: materials, systems, measures and analyses by role and name.

Everything that can be named is registered by one decorator, ours and a user's alike. A plug-in package names its module
under the entry-point group `hengliang.plugins`; a single file is loaded by its path.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from hengliang.core.closure import keep_source, outside_signatures, written_source
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.signature import digest

GROUP = "hengliang.plugins"
ROLES = (
    "material",
    "classifier chooser",
    "language model",
    "tagger",
    "entity recogniser",
    "describer",
    "reader",
    "segmenter",
    "system",
    "measure",
    "analysis",
)

Thing = TypeVar("Thing", bound=type)
Made = TypeVar("Made")


@outside_signatures("what is found by name has a signature of its own")
@dataclass(frozen=True, slots=True)
class Entry:
    """A registered class: what it does in a study, its name, and where it was defined."""

    role: str
    name: str
    kind: type[Any]

    def make(self) -> Any:
        """Make one with the default arguments, or say which argument has no default."""
        try:
            return self.kind()
        except TypeError as error:
            raise UserError(
                f"The {self.role} '{self.name}' cannot be made without arguments: {error}.",
                remedy="Give every argument of its constructor a default value.",
            ) from error


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A plug-in whose module could not be imported, and why."""

    name: str
    module: str
    reason: str


_entries: dict[tuple[str, str], Entry] = {}
_broken: dict[str, BrokenPlugin] = {}
_loaded: set[str] = set()


@outside_signatures("a name in the registry changes no number")
def register(name: str) -> Callable[[Thing], Thing]:
    """Register the class below under `name`; its base class says what role it has in a study."""

    def enter(kind: Thing) -> Thing:
        role = getattr(kind, "role", "")
        if role not in ROLES:
            raise UserError(
                f"{kind.__name__} cannot be registered: it has no role in a study.",
                valid="Derive it from Material, ClassifierChooser, Measure, Analysis or another base class.",
            )
        if not _is_ours(kind.__module__):
            # A name of ours is refused, whether or not somebody has asked for it before.
            load_plugins(quoting=name)
        known = _entries.get((role, name))
        if known is not None and known.kind.__qualname__ != kind.__qualname__:
            raise UserError(
                f"Two classes want to be the {role} '{name}': {known.kind.__module__}.{known.kind.__qualname__} "
                f"and {kind.__module__}.{kind.__qualname__}.",
                remedy="Rename one of them.",
            )
        _entries[role, name] = Entry(role, name, kind)
        if not _is_ours(kind.__module__):
            keep_source(kind.__module__)
        return kind

    return enter


def load_plugins(quoting: str = "", calling: str = "", registering: str = "") -> tuple[BrokenPlugin, ...]:
    """Import every plug-in module once; one that fails is reported and does not stop the others.

    With `quoting`, only modules of ours in whose source this text stands in quotation marks, as does a name that is
    registered; with `calling`, only those in which a function of this name is called; with `registering`, only those
    that register this name in so many words. A stranger's come after all of ours, so that they never take a name that
    is ours.
    """
    marks = (f'"{quoting}"', f"'{quoting}'") if quoting else (f"{calling}(",) if calling else ()
    marks = (f'@register("{registering}")',) if registering else marks
    for point in sorted(metadata.entry_points(group=GROUP), key=_entry_point_order):
        if point.value in _loaded or (marks and not (_is_ours(point.value) and _holds(point.module, marks))):
            continue
        _loaded.add(point.value)
        try:
            point.load()
        except Exception as error:  # a stranger's module may raise anything, and ours must go on
            _broken[point.value] = BrokenPlugin(point.name, point.value, f"{type(error).__name__}: {error}")
    return tuple(_broken.values())


def _holds(module: str, marks: Sequence[str]) -> bool:
    try:
        source = written_source(module) or ""
    except Exception:  # what is wrong with a module shows when all are imported
        return False
    return any(mark in source for mark in marks)


def _is_ours(module: str) -> bool:
    return module.startswith("hengliang.")


def _entry_point_order(point: metadata.EntryPoint) -> tuple[bool, str]:
    return (not _is_ours(point.value), point.value)


@outside_signatures("what is found by name has a signature of its own")
def entries(role: str | None = None) -> list[Entry]:
    """Return all registered things, or those of one role, by name."""
    load_plugins()
    matching = [entry for entry in _entries.values() if role in {None, entry.role}]
    return sorted(matching, key=_by_name)


def _by_name(entry: Entry) -> tuple[str, str]:
    return (entry.name, entry.role)


@outside_signatures("what is found by name has a signature of its own")
def find(role: str, name: str) -> Entry:
    """Return the entry with this role and name; an unknown name lists the valid ones and the closest."""
    # To import one plug-in is much quicker than to import all, and most often one is enough.
    for narrowed in ({"registering": name}, {"quoting": name}, {}):
        if (role, name) not in _entries:
            load_plugins(**narrowed)
    entry = _entries.get((role, name))
    if entry is None:
        raise unknown_name(
            role, name, (known for its_role, known in _entries if its_role == role), remedy=_broken_hint()
        )
    return entry


@outside_signatures("what is found by name has a signature of its own")
def make(role: str, name: str, kind: type[Made], options: Mapping[str, object]) -> Made:
    """Return the thing of this role and name, made with these options; wrong options list the valid ones."""
    entry = find(role, name)
    try:
        made = entry.kind(**options)
    except TypeError as error:
        valid = ", ".join(inspect.signature(entry.kind).parameters) or "none"
        raise UserError(f"The {role} '{name}': {error}.", valid=f"Options: {valid}.") from error
    if not isinstance(made, kind):
        raise UserError(f"'{name}' is registered as a {role}, but is none.")
    return made


def find_any(name: str) -> Entry:
    """Return the one entry with this name, whatever its role; `role:name` tells two of the same name apart."""
    role, _, rest = name.rpartition(":")
    matching = [entry for entry in entries(role or None) if entry.name == (rest if role else name)]
    if len(matching) > 1:
        # A segmenter may have the name of the tagger whose words it finds; then the tagger is meant.
        matching = [entry for entry in matching if entry.role != "segmenter"]
    if not matching:
        raise unknown_name("plug-in", name, (entry.name for entry in entries()), remedy=_broken_hint())
    if len(matching) > 1:
        choices = " or ".join(f"'{entry.role}:{entry.name}'" for entry in matching)
        raise UserError(f"'{name}' names {len(matching)} things.", remedy=f"Say {choices}.")
    return matching[0]


def _broken_hint() -> str:
    return " ".join(f"(The plug-in {broken.name} could not be loaded: {broken.reason}.)" for broken in _broken.values())


def load_file(path: str | Path) -> ModuleType:
    """Import a user's Python file by its path, so that what it registers can be found."""
    file = Path(path).resolve()
    if not file.is_file():
        raise UserError(f"There is no file {path}.", remedy="Check the path for a typing mistake.")
    if file.suffix != ".py":
        raise UserError(f"{path} is not a Python file.", valid="Its name must end in .py.")
    name = f"hengliang_file_{file.stem}_{digest(str(file))[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} cannot be imported.")
    module = importlib.util.module_from_spec(spec)
    # Registered first, so that dataclasses and pickling in it find their module.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        if isinstance(error, UserError):
            raise
        raise UserError(
            f"{path}{_line_of(error, file)}: {type(error).__name__}: {error}.", remedy="Mend the file."
        ) from error
    return module


def _line_of(error: BaseException, file: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return f", line {error.lineno}"
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f", line {line}" if line else ""
