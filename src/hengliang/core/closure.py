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
from threading import Lock
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from hengliang.core.aliases import MOVED_NAMES

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Marked = TypeVar("Marked", bound=Callable[..., Any])
Defining = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Scoped = Defining | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
UNKNOWN = "unknown "
"""How a reference begins to a name that is nowhere in the module that should have it."""
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
    folder = resources.files((spec.parent if spec else None) or module)
    return folder.joinpath(*parts)


def digest(*texts: str | bytes) -> str:
    """Return a 16-digit hash of the texts; their borders count, so ("ab", "c") and ("a", "bc") differ."""
    state = blake2b(digest_size=8)
    for text in texts:
        raw = text.encode() if isinstance(text, str) else text
        state.update(len(raw).to_bytes(8, "little"))
        state.update(raw)
    return state.hexdigest()


# --- source of modules ------------------------------------------------------------------------------------------------


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
    """A module as it is written: the statements that make or change each top-level name, and what is imported."""

    module: str
    file: Path
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, list[Import]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    @property
    def package(self) -> str:
        """The package from which relative imports count."""
        return self.module if self.file.stem == "__init__" else self.module.rpartition(".")[0]

    def is_defined(self, name: str) -> bool:
        """Tell whether a name is more than one thing imported from elsewhere."""
        return name in self.statements or len(self.imports.get(name, ())) > 1


@cache
def _file_of(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    name = getattr(loaded, "__file__", None)
    if loaded is None:
        try:
            spec = importlib.util.find_spec(module)
        except Exception:  # the package around it may be a stranger's, and raise anything
            return None
        name = spec.origin if spec else None
    return Path(name) if name and name.endswith(".py") else None


def written_source(module: str) -> str | None:
    """Return the source of a module, which is not imported for it; None where only its compiled form is there.

    What is in a zip has a source but no file, and a module that does not exist has an empty one.
    """
    spec = importlib.util.find_spec(module)
    if spec is None:
        return ""
    read: Callable[[str], str | None] | None = getattr(spec.loader, "get_source", None)
    return None if read is None else read(module)


_texts: dict[Path, bytes] = {}
_parsing = Lock()


def keep_source(module: str) -> None:
    """Keep the text of a module while it is loaded, for an editor may have saved another when it is signed."""
    file = _file_of(module)
    if file is not None and file.is_file():
        _texts[file] = file.read_bytes()


@cache
def _source(module: str, file: Path) -> Source:
    """Return a module as it is written; once per process, for what counts is the code that was loaded."""
    source = Source(module, file)
    for written in (file, file.with_suffix(".pyi")):
        # The stub of a package lists what its door hands on.
        if written.is_file():
            text = _texts.get(written) or written.read_bytes()
            _enter(source, _parsed(text, written).body)
    return source


def _parsed(text: bytes, file: Path) -> ast.Module:
    # Nothing of the new nodes can be thrown away yet; to look for it takes three times as long as to make them.
    with _parsing:
        collects = gc.isenabled()
        gc.disable()
        try:
            return ast.parse(text, filename=str(file))
        finally:
            if collects:
                gc.enable()


def _enter(source: Source, body: Sequence[ast.stmt]) -> None:
    scopes = [(statement, _scope([statement], source.package)) for statement in body if not _is_idle(statement)]
    for _, made in scopes:
        source.stars += made.stars
        for name, targets in made.imports.items():
            known = source.imports.setdefault(name, [])
            known += [target for target in targets if target not in known]
    made_here = {name for _, made in scopes for name in made.names}
    for statement, made in scopes:
        known_names = made_here if isinstance(statement, Defining) else made_here | set(source.imports)
        touched = [name for name in _names_touched(statement) if name in known_names]
        for name in dict.fromkeys([*made.names, *touched]):
            source.statements.setdefault(name, []).append(statement)


def _names_touched(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement may change without making them.

    A definition or plain assignment changes none, but that `@kinds.register` adds to kinds. Of any other statement,
    such as `table.update(words)` or a loop that fills a table, each name in it may be the one that is changed.
    """
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return
    if isinstance(statement, Defining):
        marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in statement.decorator_list)
        yield from (_root(mark) for mark in marks if isinstance(mark, ast.Attribute))
        return
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    plain = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign)
    if plain and all(isinstance(target, ast.Name | ast.Tuple | ast.List) for target in targets):
        return
    if not all(isinstance(part, ast.Import | ast.ImportFrom) for part in getattr(statement, "body", [statement])):
        yield from (node.id for node in ast.walk(statement) if isinstance(node, ast.Name))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_idle(node: object) -> bool:
    """Tell whether a statement does nothing: a text on its own, such as a docstring, or `pass`."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(node, ast.Pass) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that statements make in their own scope, in order, and what they import."""

    names: Mapping[str, None]
    imports: Mapping[str, list[Import]]
    stars: Sequence[str] = ()
    is_class: bool = False


def _scope(body: Iterable[ast.AST], package: str, parameters: Iterable[str] = (), *, is_class: bool = False) -> Scope:
    """Return what statements make in their scope; the scopes inside it keep to themselves."""
    names: dict[str, None] = dict.fromkeys(parameters)
    imports: dict[str, list[Import]] = {}
    stars: list[str] = []
    foreign: list[str] = []
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names[node.id] = None
        elif isinstance(node, Defining):
            names[node.name] = None
        elif isinstance(node, Comprehension):
            # What `:=` makes in a comprehension belongs to the scope around it.
            waiting += [expression.target for expression in ast.walk(node) if isinstance(expression, ast.NamedExpr)]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for name, target in _imported_names(node, package):
                if name == "*":
                    stars.append(target.module)
                else:
                    imports.setdefault(name, []).append(target)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            foreign += node.names
        elif not isinstance(node, ast.Lambda):
            bare = getattr(node, "name", None) if isinstance(node, NAMING) else getattr(node, "rest", None)
            if isinstance(bare, str):
                names[bare] = None
            waiting += ast.iter_child_nodes(node)
    return Scope({name: None for name in names if name not in foreign}, imports, stars, is_class)


def _imported_names(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, Import]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            # `import a.b` makes the name a, `import a.b as c` the name c.
            top = alias.name.partition(".")[0]
            yield alias.asname or top, Import(alias.name if alias.asname else top)
        return
    above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    module = ".".join([*above, *([node.module] if node.module else [])])
    for alias in node.names:
        yield alias.asname or alias.name, Import(module, alias.name)


# --- resolution of names ----------------------------------------------------------------------------------------------


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

    @cache  # noqa: B019  # few are ever made, and they are as good as equal ones
    def source(self, module: str) -> Source | None:
        """Return a module of ours as it is written, or nothing for a module of others."""
        if module.partition(".")[0] in self.packages:
            file = _file_of(module)
        else:
            file = _neighbour(self.folder, module) if self.folder is not None else None
        return _source(module, file) if file is not None and file.is_file() else None

    def find(self, module: str, name: str) -> Place | str:
        """Return where a name of a module is defined, through whatever hands it on; a name of others stays a text."""
        seen = set()
        while (module, name) not in seen:
            seen.add((module, name))
            source = self.source(module)
            if source is None:
                return f"{module}.{name}" if name else module
            if not name or source.is_defined(name):
                return Place(module, name)
            below = f"{module}.{name}"
            moved = MOVED_NAMES.get(below, "")
            star = next((other for other in source.stars if self.has(other, name)), "")
            if name in source.imports:
                module, name = source.imports[name][0]
            elif moved:
                module, _, name = moved.rpartition(".")
            elif star:
                module = star
            elif self.source(below) is not None:
                return Place(below, "")
            else:
                break
            if name and self.source(f"{module}.{name}") is not None and not self.has(module, name):
                return Place(f"{module}.{name}", "")
        return f"{UNKNOWN}{name}"

    def has(self, module: str, name: str, asked: frozenset[str] = frozenset()) -> bool:
        """Tell whether a module of ours has a name; modules may take each other's names by stars."""
        source = self.source(module)
        if source is None or module in asked:
            return False
        stars = (self.has(star, name, asked | {module}) for star in source.stars)
        return name in source.statements or name in source.imports or any(stars)


def _neighbour(folder: Path, module: str) -> Path | None:
    """Return the file of a module that lies in this folder or in a package in it; others are not looked for."""
    path = folder.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


# --- text of a definition ---------------------------------------------------------------------------------------------


class Definition(NamedTuple):
    """A definition without names of top-level things: its text, and in order what stands in the numbered gaps."""

    text: str
    references: tuple[Place | str, ...]

    @property
    def is_outside(self) -> bool:
        """Whether the closure ends here."""
        return self.text.startswith(f"[\0(\0{OUTSIDE}")


class _Writer:
    """Writes the syntax tree of a definition as text: names of top-level things become numbers, docstrings go."""

    def __init__(self, source: Source, ours: Ours) -> None:
        self.source = source
        self.ours = ours
        self.parts: list[str] = []
        self.numbers: dict[Place | str, int] = {}
        self.scopes: list[Scope] = []

    def definition(self, name: str) -> Definition:
        """Return all that makes or changes a name, as text; what is imported under the name belongs to it."""
        self._write(self.source.statements.get(name, []))
        for imported in self.source.imports.get(name, ()):
            self.parts.append(self._number(self.ours.find(*imported)))
        return Definition("\0".join(self.parts), tuple(self.numbers))

    def _write(self, node: object) -> None:
        if isinstance(node, ast.AST):
            # Brackets, for without them (a - b).c would be the same text as a - b.c.
            self.parts.append("(")
            self._node(node)
            self.parts.append(")")
        elif isinstance(node, list):
            self.parts.append("[")
            for part in node:
                if not isinstance(part, ast.Import | ast.ImportFrom) and not _is_idle(part):
                    self._write(part)
            self.parts.append("]")
        else:
            self.parts.append(str(node))

    def _node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            referent = self._found(node.id)
            self.parts.append(self._number(referent) if referent else node.id)
        elif isinstance(node, ast.Constant):
            self.parts.append(f"{type(node.value).__name__} {node.value!a}")
        elif isinstance(node, ast.Attribute):
            self._attribute(node)
        elif isinstance(node, Scoped):
            self._scoped(node)
        elif isinstance(node, Comprehension):
            self._comprehension(node)
        elif isinstance(node, ast.Call) and self._calls(node, package_data):
            self.parts.append(self._content(node))
        else:
            self._fields(node, node._fields)

    def _fields(self, node: ast.AST, names: Iterable[str]) -> None:
        # Fields that are empty are left out: younger versions of Python have more of them.
        self.parts.append(type(node).__name__)
        for name in names:
            value = getattr(node, name, None)
            if value is not None and value != [] and name not in {"ctx", "kind", "type_comment"}:
                self.parts.append(f"{name}=")
                self._write(value)

    def _scoped(self, node: Scoped) -> None:
        decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
        if any(isinstance(mark, ast.Call) and self._calls(mark, outside_signatures) for mark in decorators):
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
        scope = _scope(body, self.source.package, names, is_class=isinstance(node, ast.ClassDef))
        if scope.is_class:
            # They are attributes of the class, whoever looks them up.
            self.parts += [
                self._number(self.ours.find(*target)) for targets in scope.imports.values() for target in targets
            ]
        self.scopes.append(scope)
        self._write(parameters)
        self._write(list(body))
        self.scopes.pop()

    def _comprehension(self, node: Comprehension) -> None:
        self.parts.append(type(node).__name__)
        first = node.generators[0]
        self._write(first.iter)
        targets = [generator.target for generator in node.generators]
        self.scopes.append(_scope(targets, self.source.package))
        for generator in node.generators:
            self._fields(generator, [name for name in generator._fields if generator is not first or name != "iter"])
        self._write([getattr(node, name) for name in ("elt", "key", "value") if hasattr(node, name)])
        self.scopes.pop()

    def _local(self, name: str) -> Scope | None:
        """Return the scope inside the definition that makes a name; nothing for a name of the module."""
        for depth, scope in enumerate(reversed(self.scopes)):
            if (name in scope.imports or name in scope.names) and not (scope.is_class and depth):
                return scope
        return None

    def _found(self, name: str) -> Place | str:
        """Return what a name refers to beyond the definition; nothing for a name of its own, or of Python."""
        scope = self._local(name)
        if scope is not None and name in scope.imports:
            # Where several imports make a name, as in `try` and `except`, the others are written beside the first.
            first, *others = [self.ours.find(*target) for target in scope.imports[name]]
            self.parts += [self._number(other) for other in others]
            return first
        known = self.source.is_defined(name) or name in self.source.imports
        # In the body of a class, a name that it makes is that of the module until then.
        if scope is not None and not (scope.is_class and known):
            return ""
        if self.source.is_defined(name):
            return Place(self.source.module, name)
        if known:
            return self.ours.find(self.source.module, name)
        starred = any(self.ours.has(star, name) for star in self.source.stars)
        return self.ours.find(self.source.module, name) if starred else ""

    def _calls(self, node: ast.Call, function: Callable[..., object]) -> bool:
        """Tell whether a call is one of this function, by whatever name it was imported."""
        referent: Place | str = ""
        if isinstance(node.func, ast.Name):
            imported = [node.func.id, *(target.name for target in self.source.imports.get(node.func.id, ()))]
            # Almost no call is one of it; to look each of them up would take longer than all the rest.
            referent = self._found(node.func.id) if function.__name__ in imported else ""
        elif isinstance(node.func, ast.Attribute) and node.func.attr == function.__name__:
            referent = self._chain(node.func)[0]
        return referent == Place(function.__module__, function.__name__)

    def _number(self, found: Place | str) -> str:
        return f"\1{self.numbers.setdefault(found, len(self.numbers))}"

    def _attribute(self, node: ast.Attribute) -> None:
        """Write `module.name` as the thing that the name stands for, and any other attribute as it is."""
        referent, names = self._chain(node)
        if names:
            self.parts.append("Attribute " + ".".join(names))
        if referent:
            self.parts.append(self._number(referent))
        else:
            self._write(_start(node))

    def _chain(self, node: ast.Attribute) -> tuple[Place | str, list[str]]:
        """Return what the beginning of `a.b.c` refers to, if that is something imported, and the rest of the names."""
        names: list[str] = []
        value: ast.expr = node
        while isinstance(value, ast.Attribute):
            names.insert(0, value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            return "", names
        referent = self._found(value.id)
        is_module = isinstance(referent, str) or not referent.name
        while referent and names and is_module:
            # A module, ours or another's: what is meant is the name in it.
            name = names.pop(0)
            referent = self.ours.find(referent.module, name) if isinstance(referent, Place) else f"{referent}.{name}"
            is_module = isinstance(referent, str) or not referent.name
        return referent, names

    def _content(self, node: ast.Call) -> str:
        """Return a hash of the files that a call of `package_data` may open; a computed name may be any."""
        where = f"{self.source.module}, line {node.lineno}"
        if not (node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == "__name__"):
            raise TypeError(f"{where}: package_data wants __name__ first, for its files lie beside the module")
        pattern = "/".join(self._pattern(part, where) for part in node.args[1:])
        folder = self.source.file.parent
        files = _package_files(folder, pattern)
        if not files:
            raise TypeError(f"{where}: there is no {pattern} beside this module")
        return f"content {digest(*(part for name in files for part in (name, folder.joinpath(name).read_bytes())))}"

    def _pattern(self, node: ast.expr, where: str) -> str:
        if isinstance(node, ast.Name):
            made = self.source.statements.get(node.id, []) if self._local(node.id) is None else []
            value = made[0].value if len(made) == 1 and isinstance(made[0], ast.Assign) else None
            return self._pattern(value, where) if isinstance(value, ast.Constant) else "*"
        if isinstance(node, ast.JoinedStr):
            return "".join(self._pattern(part, where) for part in node.values)
        if isinstance(node, ast.FormattedValue):
            return self._pattern(node.value, where) if isinstance(node.value, ast.Name) else "*"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        raise TypeError(f"{where}: package_data wants names as texts or f-strings")


def _start(node: ast.Attribute) -> ast.expr:
    value: ast.expr = node
    while isinstance(value, ast.Attribute):
        value = value.value
    return value


def _arguments(given: ast.arguments) -> list[ast.arg]:
    several = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return several + [argument for argument in (given.vararg, given.kwarg) if argument is not None]


@cache
def _package_files(folder: Path, pattern: str) -> tuple[str, ...]:
    """Return the paths of the files of this name, or below the folder of this name, that hold no code."""
    tops = [folder] if not pattern else folder.glob(pattern)
    files = [file for top in tops for file in (top.rglob("*") if top.is_dir() else [top])]
    kept = [file for file in files if file.is_file() and not file.suffix.startswith(".py")]
    return tuple(sorted(file.relative_to(folder).as_posix() for file in kept))


# --- closure and checksum ---------------------------------------------------------------------------------------------


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
                waiting += [reference for reference in definitions[place].references if isinstance(reference, Place)]
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
        if source is not None and source.is_defined(name):
            yield Place(kind.__module__, name)


@cache
def _definition(place: Place, ours: Ours) -> Definition:
    source = ours.source(place.module)
    if source is None:
        raise TypeError(f"there is no source of {place.module}")
    if place.name:
        return _Writer(source, ours).definition(place.name)
    # A module as a whole, handed on as a value: everything in it, and everything that it hands on.
    names = sorted({*source.statements, *source.imports})
    return Definition("module", tuple(ours.find(place.module, name) for name in names))


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
                *(
                    labels[reference] if isinstance(reference, Place) else f"other {reference}"
                    for reference in definition.references
                ),
            )
            for place, definition in definitions.items()
        }
    return labels


NOT_CODE = {"__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__dict__"}


def _loaded_code(thing: Callable[..., object]) -> list[str]:
    """Return hashes of what was typed into a session and has no source on disk: of the code as it was compiled."""
    hashes: dict[int, str] = {}
    waiting: list[object] = [thing]
    while waiting:
        value = waiting.pop()
        if id(value) in hashes or getattr(value, "__module__", None) != thing.__module__:
            continue
        attributes = {name: part for name, part in vars(value).items() if name not in NOT_CODE}
        members = [*attributes.values(), *value.__bases__] if isinstance(value, type) else [value]
        functions = [function for member in members if isinstance(function := _function(member), FunctionType)]
        parts = [f"{name}={_plain(part)}" for name, part in sorted(attributes.items())]
        for function in functions:
            parts += [_compiled(function.__code__), _plain(function.__defaults__), _plain(function.__kwdefaults__)]
            known = function.__globals__
            named = [name for name in dict.fromkeys(_names(function.__code__)) if name in known]
            parts += [f"{name}={_plain(known[name])}" for name in named]
            waiting += [known[name] for name in named]
        hashes[id(value)] = digest(*parts)
        waiting += [member for member in members if isinstance(member, type)]
    return sorted(hashes.values())


def _plain(value: object) -> str:
    """Return a value as a text that is the same in every process; of other things their kind."""
    if isinstance(value, str | bytes | int | float | complex | None):
        return ascii(value)
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}[{', '.join(map(_plain, value))}]"
    if isinstance(value, set | frozenset):
        return f"set[{', '.join(sorted(map(_plain, value)))}]"
    if isinstance(value, dict):
        return f"dict[{', '.join(f'{_plain(key)}: {_plain(part)}' for key, part in value.items())}]"
    return type(value).__name__


def _function(member: object) -> object:
    """Return the function behind a method, a class method, a property or a decorator that keeps what it wraps."""
    for name in ("__func__", "fget", "func"):
        member = getattr(member, name, None) or member
    return inspect.unwrap(member) if callable(member) else member


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


def _compiled(code: CodeType) -> str:
    constants = [_compiled(part) if isinstance(part, CodeType) else _plain(part) for part in code.co_consts]
    return digest(code.co_code, *code.co_names, *code.co_varnames, *constants)
