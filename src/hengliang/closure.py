"""Static closure over definitions: which functions, classes and constants can change what a class computes.

A signature holds a hash of the code behind a number. What that code is, is read off the source without running it: the
definition of the class, the definitions that its names refer to, the definitions that those refer to, and so on, each
looked up where it is written, through every `__init__` that hands a name on. Comments, docstrings and import lines do
not count, nor do the names of modules, files and top-level definitions: to move, merge or rename changes no hash, and
neither does an edit of anything that the class does not reach. Everything else does.

Three things cannot be read off, and are declared where they are written:

- a file that belongs to the package is opened by `package_data(__name__, "words.txt")`: its content counts;
- a definition that changes no number (a message, a conformance kit), or whose result signs itself (a model opened by
  its name), is marked `@outside_signatures("why")`: the closure ends there;
- what is found by name at run time, from a registry or by `import_module`, is an argument with a signature.

Names of other packages count as they are called there (`numpy.mean`), their code does not: a class whose numbers
depend on the version of a library puts that version into its signature.
"""

from __future__ import annotations

import ast
import gc
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hengliang.aliases import MOVED_NAMES

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Marked = TypeVar("Marked", bound=Callable[..., Any])
Scoped = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
OUTSIDE = "outside "
"""How the text of a definition begins with which the closure ends."""
NAMING = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
"""Syntax that makes a name without a node of its own for it."""


def outside_signatures(why: str) -> Callable[[Marked], Marked]:
    """Mark a function, class or method with which the closure ends, and say why it may."""
    if not why:
        raise ValueError("say why this may stay outside of signatures")

    def unchanged(definition: Marked) -> Marked:
        return definition

    return unchanged


def package_data(module: str, *parts: str) -> Traversable:
    """Return a file or folder beside a module, `package_data(__name__, "words.txt")`; its content is signed."""
    from importlib import resources

    spec = sys.modules[module].__spec__
    found = resources.files((spec.parent if spec else None) or module)
    return found.joinpath(*parts)


def digest(*texts: str | bytes) -> str:
    """Return a 16-digit hash of the texts; their borders count, so ("ab", "c") and ("a", "bc") differ."""
    state = blake2b(digest_size=8)
    for text in texts:
        raw = text.encode() if isinstance(text, str) else text
        state.update(len(raw).to_bytes(8, "little"))
        state.update(raw)
    return state.hexdigest()


# --- modules ----------------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where something is defined: a top-level name of a module, or the whole module when the name is empty."""

    module: str
    name: str


class Import(NamedTuple):
    """What an imported name stands for: a module, or a name in it."""

    module: str
    name: str = ""


@dataclass(slots=True)
class Source:
    """A module as it is written: the statements that make each top-level name, and what is imported."""

    module: str
    file: Path
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Import] = field(default_factory=dict)

    @property
    def package(self) -> str:
        """The package from which relative imports count."""
        return self.module if self.file.stem == "__init__" else self.module.rpartition(".")[0]


@cache
def _file_of(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    name = getattr(loaded, "__file__", None)
    if loaded is None:
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            return None
        name = spec.origin if spec else None
    return Path(name) if name and name.endswith(".py") else None


@cache
def _source(module: str) -> Source | None:
    """Return a module as it is written; once a process, for what counts is the code that was loaded."""
    file = _file_of(module)
    if file is None or not file.is_file():
        return None
    source = Source(module, file)
    for written in (file, file.with_suffix(".pyi")):
        # The stub of a package lists what its door hands on.
        if written.is_file():
            _enter(source, _parsed(written).body)
    return source


def _parsed(file: Path) -> ast.Module:
    # Nothing of the new nodes can be thrown away yet; to look for it takes longer than to make them.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(file.read_bytes())
    finally:
        if collecting:
            gc.enable()


def _enter(source: Source, body: Iterable[ast.stmt]) -> None:
    for statement in body:
        if _is_text(statement):
            continue
        made = _scope([statement], source.package)
        source.imports.update(made.imports)
        for name in [*made.names, *_names_changed(statement)]:
            source.statements.setdefault(name, []).append(statement)


def _names_changed(statement: ast.stmt) -> list[str]:
    """Return the names that a statement changes without making them.

    `table.update(…)` and `table["a"] = …` change table; `register("x")(Thing)` enters Thing.
    """
    changed: list[ast.expr] = []
    if isinstance(statement, ast.Expr):
        changed = [statement.value, *(statement.value.args if isinstance(statement.value, ast.Call) else [])]
    elif isinstance(statement, ast.Assign):
        changed = [target for target in statement.targets if isinstance(target, ast.Attribute | ast.Subscript)]
    return [name for node in changed if (name := _root(node))]


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_text(node: object) -> bool:
    """Tell whether this is a text that stands on its own: a docstring."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that statements make in their own scope, in order, and what they import."""

    names: Mapping[str, None]
    imports: Mapping[str, Import]
    is_class: bool = False


def _scope(body: Iterable[ast.AST], package: str, parameters: Iterable[str] = (), *, is_class: bool = False) -> Scope:
    """Return what statements make in their scope; the scopes inside it keep to themselves."""
    names: dict[str, None] = dict.fromkeys(parameters)
    imports: dict[str, Import] = {}
    foreign: list[str] = []
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is ast.Name:
            if not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                names[node.id] = None  # type: ignore[attr-defined]
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = None
        elif isinstance(node, Comprehension):
            # What `:=` makes in a comprehension belongs to the scope around it.
            waiting += [found.target for found in ast.walk(node) if isinstance(found, ast.NamedExpr)]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports |= _imported_names(node, package)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            foreign += node.names
        elif not isinstance(node, ast.Lambda):
            bare = getattr(node, "name", None) if isinstance(node, NAMING) else getattr(node, "rest", None)
            if isinstance(bare, str):
                names[bare] = None
            waiting += ast.iter_child_nodes(node)
    return Scope({name: None for name in names if name not in foreign}, imports, is_class)


def _imported_names(node: ast.Import | ast.ImportFrom, package: str) -> dict[str, Import]:
    if isinstance(node, ast.Import):
        # `import a.b` makes the name a, `import a.b as c` the name c.
        whole = {alias.asname or alias.name.partition(".")[0]: alias for alias in node.names}
        return {name: Import(alias.name if alias.asname else name) for name, alias in whole.items()}
    above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    module = ".".join([*above, *([node.module] if node.module else [])])
    return {alias.asname or alias.name: Import(module, alias.name) for alias in node.names}


# --- from a name to its definition --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ours:
    """The modules whose code counts: those of hengliang, and those of the package or the folder of a plug-in."""

    packages: frozenset[str]
    folder: Path | None

    @classmethod
    def around(cls, module: str) -> Ours:
        """Return what counts for a class of this module: its package, or the neighbours of a file that stands alone."""
        file = _file_of(module)
        installed = file is None or not {"site-packages", "dist-packages"}.isdisjoint(file.parts)
        alone = "." not in module and not installed
        return cls(frozenset({"hengliang", module.partition(".")[0]}), file.parent if alone and file else None)

    def source(self, module: str) -> Source | None:
        """Return a module of ours as it is written, or nothing for a module of others."""
        if module.partition(".")[0] in self.packages:
            return _source(module)
        file = _file_of(module) if self.folder is not None else None
        return _source(module) if file is not None and self.folder in file.parents else None

    def find(self, module: str, name: str) -> Place | str:
        """Return where a name of a module is defined, through whatever hands it on; a name of others stays a text."""
        seen = set()
        while (module, name) not in seen:
            seen.add((module, name))
            source = self.source(module)
            if source is None:
                return f"{module}.{name}" if name else module
            if not name or name in source.statements:
                return Place(module, name)
            moved = MOVED_NAMES.get(f"{module}.{name}", "")
            if name not in source.imports and not moved:
                below = f"{module}.{name}"
                return Place(below, "") if self.source(below) is not None else name
            module, name = source.imports.get(name) or (moved.rpartition(".")[0], moved.rpartition(".")[2])
            below = f"{module}.{name}" if name else ""
            if below and self.source(below) is not None and not self._has(module, name):
                return Place(below, "")
        return name

    def _has(self, module: str, name: str) -> bool:
        source = self.source(module)
        return source is not None and (name in source.statements or name in source.imports)


# --- one definition ---------------------------------------------------------------------------------------------------


class Definition(NamedTuple):
    """A definition without names of top-level things: its text, and in order what stands in the numbered gaps."""

    text: str
    references: tuple[Place | str, ...]

    @property
    def is_outside(self) -> bool:
        """Whether the closure ends here."""
        return self.text.startswith(f"[\0{OUTSIDE}")


class _Writer:
    """Writes the syntax tree of a definition as text: names of top-level things become numbers, docstrings go."""

    def __init__(self, source: Source, ours: Ours) -> None:
        self.source = source
        self.ours = ours
        self.parts: list[str] = []
        self.numbers: dict[Place | str, int] = {}
        self.scopes: list[Scope] = []

    def definition(self, statements: Iterable[ast.stmt]) -> Definition:
        """Return the statements that make one name, as text."""
        self._write(list(statements))
        return Definition("\0".join(self.parts), tuple(self.numbers))

    def _write(self, node: object) -> None:
        if isinstance(node, ast.Name):
            found = self._found(node.id)
            self.parts.append(self._number(found) if found else node.id)
        elif isinstance(node, ast.Constant):
            self.parts.append(f"{type(node.value).__name__} {node.value!r}")
        elif isinstance(node, ast.Attribute):
            self._attribute(node)
        elif isinstance(node, Scoped):
            self._scoped(node)
        elif isinstance(node, Comprehension):
            self._comprehension(node)
        elif isinstance(node, ast.Call) and _called(node) == package_data.__name__:
            self.parts.append(self._content(node))
        elif isinstance(node, ast.AST):
            self._fields(node, node._fields)
        elif isinstance(node, list):
            self.parts.append("[")
            for part in node:
                if not isinstance(part, ast.Import | ast.ImportFrom) and not _is_text(part):
                    self._write(part)
            self.parts.append("]")
        elif node is not None:
            self.parts.append(str(node))

    def _fields(self, node: ast.AST, names: Iterable[str]) -> None:
        # Fields that are empty are left out: younger versions of Python have more of them.
        self.parts.append(type(node).__name__)
        for name in names:
            value = getattr(node, name, None)
            if value not in (None, []) and name not in {"ctx", "kind", "type_comment"}:
                self.parts.append(f"{name}=")
                self._write(value)

    def _scoped(self, node: Scoped) -> None:
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        if any(_called(decorator) == outside_signatures.__name__ for decorator in decorators):
            self.parts.append(f"{OUTSIDE}{getattr(node, 'name', '')}")
            return
        self.parts.append(type(node).__name__)
        if self.scopes and not isinstance(node, ast.Lambda):
            # At the top its name is one that may change without a consequence.
            self.parts.append(node.name)
        self._write(decorators)
        body: Sequence[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else node.body
        parameters = getattr(node, "type_params", [])
        names = [parameter.name for parameter in parameters]
        if isinstance(node, ast.ClassDef):
            self._write(node.bases)
            self._write(node.keywords)
        else:
            self._write(getattr(node, "returns", None))
            self._write(node.args)
            names += [argument.arg for argument in _arguments(node.args)]
        self.scopes.append(_scope(body, self.source.package, names, is_class=isinstance(node, ast.ClassDef)))
        self._write(parameters)
        self._write(list(body))
        self.scopes.pop()

    def _comprehension(self, node: Comprehension) -> None:
        first = node.generators[0]
        self._write(first.iter)
        targets = [generator.target for generator in node.generators]
        self.scopes.append(_scope(targets, self.source.package))
        self.parts.append(type(node).__name__)
        for generator in node.generators:
            self._fields(generator, [name for name in generator._fields if generator is not first or name != "iter"])
        for name in ("elt", "key", "value"):
            self._write(getattr(node, name, None))
        self.scopes.pop()

    def _imported(self, name: str) -> Import | bool | None:
        """Return what was imported under a name; False for a name of an inner scope, None for one of the module."""
        for depth, scope in enumerate(reversed(self.scopes)):
            if scope.is_class and depth:
                continue
            if name in scope.imports:
                return scope.imports[name]
            if name in scope.names:
                return False
        return self.source.imports.get(name) if name not in self.source.statements else None

    def _found(self, name: str) -> Place | str:
        imported = self._imported(name)
        if isinstance(imported, Import):
            return self.ours.find(imported.module, imported.name)
        if imported is None and name in self.source.statements:
            return Place(self.source.module, name)
        return ""

    def _number(self, found: Place | str) -> str:
        return f"\1{self.numbers.setdefault(found, len(self.numbers))}"

    def _attribute(self, node: ast.Attribute) -> None:
        """Write `module.name` as the thing that the name stands for, and any other attribute as it is."""
        names: list[str] = []
        value: ast.expr = node
        while isinstance(value, ast.Attribute):
            names.insert(0, value.attr)
            value = value.value
        imported = self._imported(value.id) if isinstance(value, ast.Name) else False
        if not isinstance(imported, Import):
            self._write(value)
        else:
            found = self.ours.find(imported.module, imported.name)
            while names and (not isinstance(found, Place) or not found.name):
                # A module, ours or another's: what is meant is the name in it.
                name = names.pop(0)
                found = self.ours.find(found.module, name) if isinstance(found, Place) else f"{found}.{name}"
            self.parts.append(self._number(found))
        self.parts.extend(f".{name}" for name in names)

    def _content(self, node: ast.Call) -> str:
        """Return a hash of the files that a call of `package_data` may open; a computed name may be any."""
        pattern = "/".join(self._pattern(part, node.lineno) for part in node.args[1:])
        files = _package_files(self.source.file.parent, pattern)
        if not files:
            raise TypeError(f"{self.source.module}, line {node.lineno}: there is no {pattern} beside this module")
        return f"content {digest(*(part for file in files for part in (file.name, file.read_bytes())))}"

    def _pattern(self, node: ast.expr, line: int) -> str:
        if isinstance(node, ast.Name):
            made = self.source.statements.get(node.id, [])
            value = made[0].value if len(made) == 1 and isinstance(made[0], ast.Assign) else None
            return self._pattern(value, line) if isinstance(value, ast.Constant) else "*"
        if isinstance(node, ast.JoinedStr):
            return "".join(self._pattern(part, line) for part in node.values)
        if isinstance(node, ast.FormattedValue):
            return self._pattern(node.value, line) if isinstance(node.value, ast.Name) else "*"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        raise TypeError(f"{self.source.module}, line {line}: package_data wants names as texts or f-strings")


def _called(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _arguments(given: ast.arguments) -> list[ast.arg]:
    several = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return several + [one for one in (given.vararg, given.kwarg) if one is not None]


@cache
def _package_files(folder: Path, pattern: str) -> tuple[Path, ...]:
    """Return the files of this name, or below the folder of this name, that hold no code."""
    found = [folder] if not pattern else sorted(folder.glob(pattern))
    files = [file for top in found for file in (sorted(top.rglob("*")) if top.is_dir() else [top])]
    return tuple(file for file in files if file.is_file() and not file.suffix.startswith(".py"))


# --- the closure ------------------------------------------------------------------------------------------------------


class Closure(NamedTuple):
    """All definitions that can change what a class computes, and one hash of them."""

    definitions: Mapping[Place, Definition]
    checksum: str

    @property
    def modules(self) -> list[str]:
        """The modules in which they are written, as they are called today."""
        return sorted({place.module for place in self.definitions})

    def reaches(self, thing: Callable[..., object]) -> bool:
        """Tell whether an edit of this class or function changes the checksum."""
        return Place(thing.__module__, thing.__qualname__.partition(".")[0]) in self.definitions


def closure(*things: Callable[..., object]) -> Closure:
    """Return everything that these classes and functions reach."""
    definitions: dict[Place, Definition] = {}
    own: list[Place | str] = []
    for thing in things:
        ours = Ours.around(thing.__module__)
        roots = list(_roots(thing, ours))
        own += [*roots, *(_loaded_code(thing) if len(roots) < len(_ancestors(thing, ours)) else ())]
        waiting = list(roots)
        while waiting:
            place = waiting.pop()
            if place not in definitions:
                definitions[place] = _definition(place, ours)
                waiting += [found for found in definitions[place].references if isinstance(found, Place)]
    labels = _labels(definitions)
    first = [labels[part] if isinstance(part, Place) else part for part in own]
    return Closure(definitions, digest(*first, "", *sorted(set(labels.values())))[:8])


def _ancestors(thing: Callable[..., object], ours: Ours) -> list[Callable[..., object]]:
    """Return a class with those of its ancestors that are ours."""
    kinds: Sequence[Callable[..., object]] = inspect.getmro(thing) if isinstance(thing, type) else [thing]
    return [kind for kind in kinds if kind is thing or kind.__module__.partition(".")[0] in ours.packages]


def _roots(thing: Callable[..., object], ours: Ours) -> Iterator[Place]:
    """Yield where a class and its ancestors are defined, except for those without a file, as in a notebook."""
    for kind in _ancestors(thing, ours):
        name = kind.__qualname__.partition(".")[0]
        source = ours.source(kind.__module__)
        if source is not None and name in source.statements:
            yield Place(kind.__module__, name)


@cache
def _definition(place: Place, ours: Ours) -> Definition:
    source = ours.source(place.module)
    if source is None:
        raise TypeError(f"there is no source of {place.module}")
    if place.name:
        return _Writer(source, ours).definition(source.statements[place.name])
    # A module as a whole, handed on as a value: everything in it.
    return Definition("module", tuple(Place(place.module, name) for name in sorted(source.statements)))


def _labels(definitions: Mapping[Place, Definition]) -> dict[Place, str]:
    """Return a label for each definition that two definitions share only if nothing they reach differs.

    Labels are refined until no round tells more definitions apart: each takes in the labels of what it refers to, in
    order. So no name of a definition enters, and two copies of one helper are as good as one.
    """
    labels = {place: digest(definition.text) for place, definition in definitions.items()}
    apart = 0
    while len(set(labels.values())) > apart:
        apart = len(set(labels.values()))
        labels = {
            place: digest(
                labels[place],
                *(labels[found] if isinstance(found, Place) else f"other {found}" for found in definition.references),
            )
            for place, definition in definitions.items()
        }
    return labels


def _loaded_code(thing: Callable[..., object]) -> list[str]:
    """Return hashes of what was typed into a session and has no source on disk: of the code as it was compiled."""
    hashes: dict[int, str] = {}
    waiting: list[object] = [thing]
    while waiting:
        value = waiting.pop()
        if id(value) in hashes or getattr(value, "__module__", None) != thing.__module__:
            continue
        members = [*vars(value).values(), *value.__bases__] if isinstance(value, type) else [value]
        functions = [function for member in members if isinstance(function := _function(member), FunctionType)]
        plain = [repr(member) for member in members if isinstance(member, str | int | float | tuple)]
        hashes[id(value)] = digest(*plain, *(_compiled(function.__code__) for function in functions))
        waiting += [member for member in members if isinstance(member, type)]
        waiting += [function.__globals__.get(name) for function in functions for name in function.__code__.co_names]
    return sorted(hashes.values())


def _function(member: object) -> object:
    """Return the function behind a method, a class method, a property or a decorator that keeps what it wraps."""
    for name in ("__func__", "fget", "func"):
        member = getattr(member, name, None) or member
    return inspect.unwrap(member) if callable(member) else member


def _compiled(code: CodeType) -> str:
    constants = [_compiled(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return digest(code.co_code, *code.co_names, *code.co_varnames, *constants)
