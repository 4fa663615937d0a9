"""Move and merge modules as a plan says; imports, entry points, data, tests, aliases and documentation follow.

    python scripts/move_modules.py plan.toml            # check the plan: what is missing, which names clash
    python scripts/move_modules.py plan.toml --write    # carry it out in the working tree

A plan is a TOML file; paths of modules are written without `hengliang.`:

    [packages]                       # new packages, with the docstring of their __init__
    "classifiers.slots" = "Classifier slots: where a sentence wants a classifier."

    [chapters]                       # a new module, and the modules that it takes in, in their order
    "classifiers.slots.extraction" = ["materials.slot_triggers", "materials.slot_candidates"]

    [docstrings]                     # of merged modules; without one the first module's stays
    "classifiers.slots.extraction" = '''...'''

    [sections]                       # heading of a module's part in its chapter; without one, the module's old name
    "materials.slot_triggers" = "triggers"

    [renames]                        # names that would clash, and better names
    "materials.slot_heads._row" = "_head_row"

    [tests]                          # tests that do not follow their module by name
    "materials.small_corpus" = "corpora.small_corpus"

A merged module keeps the code of each part in a section of its own, under its former docstring as a comment. Parts are
put in an order in which nothing is used at import before it is there.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "hengliang"
TEXTS = {".py", ".pyi", ".md", ".toml", ".json", ".txt", ".html", ".cff", ".sh", ".css", ".js", ".tsv"}
WIDTH = 120


def root_of(module: str) -> Path:
    """Return the folder in which the path of a module of ours or of the tests begins."""
    return ROOT if module.partition(".")[0] == "tests" else ROOT / "src"


def file_of(module: str) -> Path:
    """Return the file of a module, that of the package if there is one."""
    path = root_of(module).joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() and not path.with_suffix(".py").is_file() else path.with_suffix(".py")


def git(*arguments: str) -> None:
    """Run git in the repository."""
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)


@dataclass
class Module:
    """A module as it is written, and the names that it binds at its top."""

    name: str
    text: str
    tree: ast.Module = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.splitlines(keepends=True)

    @property
    def docstring(self) -> str:
        """The docstring, or nothing."""
        return ast.get_docstring(self.tree) or ""

    def top(self) -> Iterator[tuple[ast.stmt, bool]]:
        """Yield the statements at the top, and whether they are for type checkers only."""
        for node in self.tree.body:
            if is_for_types(node):
                assert isinstance(node, ast.If)
                yield from ((inner, True) for inner in node.body)
            else:
                yield node, False

    @cached_property
    def imported(self) -> dict[str, tuple[str, str]]:
        """What each imported name at the top stands for: the module, and the name in it or nothing."""
        found: dict[str, tuple[str, str]] = {}
        for node, _ in self.top():
            if isinstance(node, ast.ImportFrom):
                found |= {alias.asname or alias.name: (str(node.module), alias.name) for alias in node.names}
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.asname or alias.name.partition(".")[0]] = (alias.name, "")
        return found

    @cached_property
    def defined(self) -> dict[str, list[ast.stmt]]:
        """The statements that define each name at the top, imports aside."""
        found: dict[str, list[ast.stmt]] = {}
        for node in self.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom) or is_for_types(node):
                continue
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names = [node.name]
            else:
                names = [
                    part.id
                    for part in ast.walk(node)
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and not in_function(node, part)
                ]
            for name in names:
                found.setdefault(name, []).append(node)
        return found


def in_function(node: ast.stmt, part: ast.Name) -> bool:
    """Tell whether a name is bound inside a comprehension or a lambda of a statement."""
    inner = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
    return any(part in ast.walk(found) for found in ast.walk(node) if isinstance(found, inner))


def is_for_types(node: ast.AST) -> bool:
    """Tell whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def replaced(text: str, edits: Sequence[tuple[ast.expr | ast.stmt | ast.alias, str]]) -> str:
    """Return a text with the source of some nodes replaced; an empty statement goes with its line."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    for node, new in sorted(edits, key=lambda edit: (edit[0].lineno, edit[0].col_offset), reverse=True):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset or 0 :]
        if new or before.strip() or (after.strip() and not after.strip().startswith(b"#")):
            lines[first : last + 1] = [before + new.encode() + after]
        else:
            lines[first : last + 1] = []
    return b"".join(lines).decode()


@dataclass
class Plan:
    """What goes where."""

    chapters: Mapping[str, Sequence[str]]
    packages: Mapping[str, str]
    docstrings: Mapping[str, str]
    sections: Mapping[str, str]
    renames: Mapping[tuple[str, str], str]
    tests: Mapping[str, str]

    @classmethod
    def read(cls, file: Path) -> Plan:
        """Read a plan."""
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        unknown = set(table) - {"packages", "chapters", "docstrings", "sections", "renames", "tests"}
        if unknown:
            sys.exit(f"{file}: unknown tables {sorted(unknown)}")

        def full(path: str) -> str:
            return f"{PACKAGE}.{path}"

        renames = {}
        for path, new in table.get("renames", {}).items():
            module, _, name = path.rpartition(".")
            renames[full(module), name] = new
        return cls(
            {full(new): [full(old) for old in olds] for new, olds in table.get("chapters", {}).items()},
            {full(name): text for name, text in table.get("packages", {}).items()},
            {full(name): text for name, text in table.get("docstrings", {}).items()},
            {full(name): text for name, text in table.get("sections", {}).items()},
            renames,
            {f"tests.{old}": f"tests.{new}" for old, new in table.get("tests", {}).items()},
        )

    @cached_property
    def new_of(self) -> dict[str, str]:
        """Where each old module goes, tests among them."""
        found: dict[str, str] = {}
        for new, olds in self.chapters.items():
            for old in olds:
                if old in found:
                    sys.exit(f"{old} has two chapters: {found[old]} and {new}")
                found[old] = new
        return found | self.tests_of(found) | dict(self.tests)

    def tests_of(self, moved: Mapping[str, str]) -> dict[str, str]:
        """Return where the tests of moved modules go: beside where the module lies, under their own name."""
        found: dict[str, str] = {}
        for file in sorted((ROOT / "tests").rglob("*.py")):
            *folders, name = file.relative_to(ROOT / "tests").with_suffix("").parts
            if name in {"__init__", "conftest"} or folders[:1] in (["cli"], ["studies"], ["benchmarks"], ["oracles"]):
                continue
            stem = name.removeprefix("test_")
            while stem and not file_of(".".join([PACKAGE, *folders, stem])).is_file():
                stem = stem.rpartition("_")[0]
            new = moved.get(".".join([PACKAGE, *folders, stem])) if stem else None
            if new:
                package = new.removeprefix(f"{PACKAGE}.").rpartition(".")[0]
                found[".".join(["tests", *folders, name])] = ".".join(part for part in ["tests", package, name] if part)
        taken = [new for old, new in found.items()]
        for old, new in found.items():
            if old != new and (taken.count(new) > 1 or (new not in found and file_of(new).is_file())):
                # Two files of one name meet: each is named after the folder that it comes from, too.
                folder, _, name = new.rpartition(".")
                came_from = old.split(".")[-2]
                found[old] = (
                    f"{folder}.{f'test_{came_from}_' + name[5:] if name[:5] == 'test_' else f'{came_from}_{name}'}"
                )
        return {old: new for old, new in found.items() if old != new}

    @cached_property
    def modules(self) -> dict[str, Module]:
        """All modules that the plan moves, as they are now."""
        missing = [old for old in self.new_of if not file_of(old).is_file()]
        if missing:
            sys.exit("There are no such modules:\n" + "\n".join(missing))
        return {old: Module(old, file_of(old).read_text(encoding="utf-8")) for old in self.new_of}


# --- imports ----------------------------------------------------------------------------------------------------------


@dataclass
class Rewriting:
    """The new text of one module: its imports and the names that are renamed."""

    plan: Plan
    module: Module
    problems: list[str]

    @property
    def chapter(self) -> str:
        """The module that this one becomes, or the module itself."""
        return self.plan.new_of.get(self.module.name, self.module.name)

    def text(self) -> str:
        """Return the module with imports from where things will be."""
        local = {name: new for (module, name), new in self.plan.renames.items() if module == self.module.name}
        edits: list[tuple[ast.expr | ast.stmt | ast.alias, str]] = []
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                statement = self.from_import(node, local)
                if statement is not None:
                    edits.append((node, statement))
            elif isinstance(node, ast.Import):
                names = [self.plain_import(alias) for alias in node.names]
                if names != [ast.unparse(alias) for alias in node.names]:
                    edits.append((node, f"import {', '.join(names)}"))
        text = replaced(self.module.text, edits)
        text = with_pass_in_empty_blocks(text)
        return self.renamed(text, local) if local else text

    def plain_import(self, alias: ast.alias) -> str:
        """Return what `import` names, by its new path."""
        new = self.plan.new_of.get(alias.name)
        if new is None:
            return ast.unparse(alias)
        if alias.asname is None:
            self.problems.append(f"{self.module.name}: import {alias.name} without `as`")
        return f"{new} as {alias.asname}"

    def from_import(self, node: ast.ImportFrom, local: dict[str, str]) -> str | None:
        """Return the statements that take the place of an import; nothing when it stays, an empty text when it goes."""
        by_source: dict[str, list[str]] = {}
        changed = False
        for alias in node.names:
            whole, known = f"{node.module}.{alias.name}", alias.asname or alias.name
            if (self.module.name, known) in self.plan.renames:
                # Also what is imported may have to be called otherwise in a chapter.
                known, changed = self.plan.renames[self.module.name, known], True
            if whole in self.plan.new_of:
                changed = True
                new = self.plan.new_of[whole]
                if new == self.chapter:
                    self.problems.append(f"{self.module.name} uses its neighbour {whole} as a module")
                source, _, name = new.rpartition(".")
            elif node.module in self.plan.new_of:
                changed = True
                source = self.plan.new_of[node.module]
                name = self.plan.renames.get((node.module, alias.name), alias.name)
                if source == self.chapter and not source.startswith("tests."):
                    if known != name:
                        local[known] = name
                    continue
                if name != alias.name and not alias.asname:
                    local[known] = known = name
            else:
                source, name = str(node.module), alias.name
            # `import name as name` hands a name on.
            plain = known == name and alias.asname != alias.name
            by_source.setdefault(source, []).append(name if plain else f"{name} as {known}")
        if not changed:
            return None
        indent = "\n" + " " * node.col_offset
        return indent.join(f"from {source} import {', '.join(names)}" for source, names in by_source.items())

    def renamed(self, text: str, local: Mapping[str, str]) -> str:
        """Return a text in which names of the module are called otherwise, wherever they are used."""
        tree = ast.parse(text)
        edits: list[tuple[ast.expr | ast.stmt | ast.alias, str]] = []
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        used |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        for old, new in local.items():
            if new in used and new not in local and new not in self.module.imported:
                self.problems.append(f"{self.module.name}: {old} cannot be called {new}, there is such a name")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in local:
                edits.append((node, local[node.id]))
            elif isinstance(node, ast.arg) and node.arg in local:
                self.problems.append(f"{self.module.name}: {node.arg} is renamed and the name of an argument")
        text = replaced(text, edits)
        lines = text.splitlines(keepends=True)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in local:
                line = lines[node.lineno - 1]
                lines[node.lineno - 1] = re.sub(rf"\b(def|class) {node.name}\b", rf"\1 {local[node.name]}", line)
            if isinstance(node, ast.Global | ast.Nonlocal) and set(node.names) & set(local):
                line = lines[node.lineno - 1]
                for name in node.names:
                    line = re.sub(rf"\b{name}\b", local.get(name, name), line)
                lines[node.lineno - 1] = line
        return "".join(lines)


def with_pass_in_empty_blocks(text: str) -> str:
    """Return a text in which a block that lost all of its statements is gone, or holds `pass`."""
    while True:
        try:
            ast.parse(text)
        except IndentationError as error:
            lines = text.splitlines(keepends=True)
            place = (error.lineno or 1) - 2
            while place >= 0 and not lines[place].rstrip().endswith(":"):
                place -= 1
            if lines[place].strip() == "if TYPE_CHECKING:":
                del lines[place]
            else:
                indent = len(lines[place]) - len(lines[place].lstrip()) + 4
                lines.insert(place + 1, " " * indent + "pass\n")
            text = "".join(lines)
        else:
            return text


# --- merging ----------------------------------------------------------------------------------------------------------


@dataclass
class Merging:
    """Several modules that become one."""

    plan: Plan
    name: str
    parts: list[Module]
    problems: list[str]

    def ordered(self) -> list[Module]:
        """Return the parts in an order in which each uses at import only what stands above it."""
        names = {part.name: part for part in self.parts}
        original = {old: self.plan.modules[old] for old in names}
        needs = {
            old: {str(source) for source, _ in runtime_imports(module)} & set(names) for old, module in original.items()
        }
        sorter = TopologicalSorter({old: sorted(needs[old], key=list(names).index) for old in names})
        try:
            sorter.prepare()
        except CycleError as error:
            self.problems.append(f"{self.name}: its parts import each other in a circle: {error.args[1]}")
            return self.parts
        order: list[str] = []
        while sorter.is_active():
            ready = sorted(sorter.get_ready(), key=list(names).index)
            order += ready
            sorter.done(*ready)
        # As near to the order of the plan as the needs allow.
        result: list[str] = []

        def place(old: str) -> None:
            for need in sorted(needs[old], key=order.index):
                if need not in result:
                    place(need)
            if old not in result:
                result.append(old)

        for old in names:
            place(old)
        return [names[old] for old in result]

    def check(self, parts: Sequence[Module]) -> set[tuple[str, int]]:
        """Enter clashes of names; return the statements (part, line) that say again what another part says."""
        meaning: dict[str, tuple[str, str, str]] = {}
        again: set[tuple[str, int]] = set()
        for part in parts:
            for name, target in part.imported.items():
                known = meaning.setdefault(name, ("import", "|".join(target), part.name))
                if known[:2] != ("import", "|".join(target)):
                    self.clash(name, known[2], part.name)
            for name, statements in part.defined.items():
                text = "\n".join(ast.unparse(statement) for statement in statements)
                known = meaning.setdefault(name, ("define", text, part.name))
                if known[2] == part.name:
                    continue
                if known[:2] == ("define", text) and len(statements) == 1:
                    again.add((part.name, statements[0].lineno))
                else:
                    self.clash(name, known[2], part.name)
        for part in parts:
            # A builtin in one part must not become something that another part defines.
            used = {node.id for node in ast.walk(part.tree) if isinstance(node, ast.Name)} & set(dir(builtins))
            for name in sorted(used - set(part.imported) - set(part.defined)):
                if name in meaning:
                    self.clash(name, meaning[name][2], part.name)
        return again

    def clash(self, name: str, first: str, second: str) -> None:
        """Enter that two parts mean different things by a name."""
        self.problems.append(f'{self.name}: "{short(second)}.{name}" clashes with {short(first)}.{name}')

    def text(self) -> str:
        """Return the merged module."""
        parts = self.ordered()
        again = self.check(parts)
        imports: dict[str, None] = {}
        for_types: dict[str, None] = {}
        bodies = []
        for part in parts:
            for node, typed in part.top():
                if isinstance(node, ast.Import | ast.ImportFrom):
                    target = for_types if typed else imports
                    for alias in node.names:
                        what = ast.unparse(alias)
                        line = (
                            f"from {node.module} import {what}"
                            if isinstance(node, ast.ImportFrom)
                            else f"import {what}"
                        )
                        target[line] = None
                elif typed:
                    self.problems.append(f"{part.name} defines something for types only")
            bodies.append(self.body(part, again))
        docstring = self.plan.docstrings.get(self.name) or self.plan.modules[self.plan.chapters[self.name][0]].docstring
        text = f'"""{docstring.strip()}\n"""\n\n' if "\n" in docstring.strip() else f'"""{docstring.strip()}"""\n\n'
        future = "from __future__ import annotations"
        if future in imports:
            text += f"{future}\n\n"
        text += "\n".join(line for line in imports if line != future) + "\n\n"
        for_types_only = [line for line in for_types if line not in imports]
        if for_types_only:
            text += "if TYPE_CHECKING:\n" + "\n".join(f"    {line}" for line in for_types_only) + "\n\n"
        return text + "\n\n".join(bodies)

    def body(self, part: Module, again: set[tuple[str, int]]) -> str:
        """Return a part under its heading, without docstring and imports."""
        gone: set[int] = set()
        for node in part.tree.body:
            is_docstring = node is part.tree.body[0] and bool(part.docstring)
            is_import = isinstance(node, ast.Import | ast.ImportFrom) or is_for_types(node)
            if is_docstring or is_import or (part.name, node.lineno) in again:
                gone |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
                if (part.name, node.lineno) in again:
                    following = [n for n in part.tree.body if n.lineno > node.lineno][:1]
                    for after in following:
                        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                            gone |= set(range(after.lineno, (after.end_lineno or after.lineno) + 1))
        kept = "".join(line for number, line in enumerate(part.lines, 1) if number not in gone).strip("\n")
        title = self.plan.sections.get(part.name) or part.name.rpartition(".")[2].replace("_", " ")
        heading = f"# --- {title} ".ljust(WIDTH, "-")
        remark = ""
        is_first = self.plan.chapters[self.name][0] == part.name
        if not (is_first and self.name not in self.plan.docstrings):
            remark = as_comment(part.docstring)
        return "\n".join(piece for piece in (heading, remark, "", kept, "") if piece or piece == "")


def as_comment(docstring: str) -> str:
    """Return a docstring as a comment; a paragraph with a line that becomes too long is wrapped again."""
    lines: list[str] = []
    for paragraph in docstring.split("\n\n"):
        written = paragraph.splitlines()
        if any(len(line) > WIDTH - 2 for line in written):
            written = textwrap.wrap(" ".join(line.strip() for line in written), WIDTH - 2)
        lines += [*written, ""]
    return "\n".join(f"# {line}".rstrip() for line in lines[:-1])


def runtime_imports(module: Module) -> Iterator[tuple[str, str]]:
    """Yield what a module imports when it is imported."""
    for node, typed in module.top():
        if isinstance(node, ast.ImportFrom) and not typed:
            for alias in node.names:
                yield str(node.module), alias.name
                yield f"{node.module}.{alias.name}", ""


HEAVY = {
    *(
        "torch",
        "transformers",
        "tokenizers",
        "scipy",
        "pandas",
        "sklearn",
        "spacy",
        "altair",
        "vl_convert",
        "formulaic",
    ),
    *("sqlalchemy", "alembic", "starlette", "jinja2", "uvicorn", "httpx", "distributed", "dask", "gguf", "kenlm"),
    *("xlsxwriter", "opencc", "rjieba", "snownlp", "pyreadstat", "fastexcel", "pycrfsuite", "msgspec", "rich"),
}


def ours() -> dict[str, Module]:
    """Return all modules of the package."""
    files = sorted((ROOT / "src" / PACKAGE).rglob("*.py"))
    return {module_of(file): Module(module_of(file), file.read_text(encoding="utf-8")) for file in files}


def circles(plan: Plan, modules: Mapping[str, Module]) -> Iterator[str]:
    """Yield groups of chapters that would import each other in a circle, with the imports between them."""
    why: dict[tuple[str, str], set[str]] = {}
    for old, module in modules.items():
        new = plan.new_of.get(old, old)
        for source, name in runtime_imports(module):
            whole = f"{source}.{name}" if name else source
            target = whole if whole in modules else source
            if target in modules and plan.new_of.get(target, target) != new:
                why.setdefault((new, plan.new_of.get(target, target)), set()).add(f"{short(old)} → {short(target)}")
    graph: dict[str, set[str]] = {}
    for new, target in why:
        graph.setdefault(new, set()).add(target)
    for group in components(graph):
        if len(group) > 1:
            yield "circle: " + ", ".join(sorted(map(short, group)))
            for (new, target), lines in sorted(why.items()):
                if new in group and target in group:
                    yield f"    {short(new)} → {short(target)}: {'; '.join(sorted(lines))}"


def short(path: str) -> str:
    """Return a path without the package."""
    return path.removeprefix(f"{PACKAGE}.")


def components(graph: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected components of a graph."""
    back: dict[str, set[str]] = {}
    for node, targets in graph.items():
        for target in targets:
            back.setdefault(target, set()).add(node)
    order: list[str] = []
    seen: set[str] = set()
    stack: list[tuple[str, Iterator[str]]]
    for start in graph:
        stack = [(start, iter(graph.get(start, ())))] if start not in seen else []
        seen.add(start)
        while stack:
            node, left = stack[-1]
            following = next((target for target in left if target not in seen), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(graph.get(following, ()))))
    done: set[str] = set()
    for node in reversed(order):
        if node not in done:
            group: set[str] = set()
            waiting = [node]
            while waiting:
                one = waiting.pop()
                if one not in done:
                    done.add(one)
                    group.add(one)
                    waiting += back.get(one, ())
            yield group


def heavier(plan: Plan, modules: Mapping[str, Module]) -> Iterator[str]:
    """Yield the parts that would load a heavy library at import that they did not load before."""
    loads: dict[str, set[str]] = {}
    uses: dict[str, set[str]] = {}
    for old, module in modules.items():
        loads[old] = {source.partition(".")[0] for source, _ in module.imported.values()} & HEAVY
        loads[old] -= {source.partition(".")[0] for node, typed in module.top() if typed for source in names_of(node)}
        uses[old] = {source for source, _ in runtime_imports(module) if source in modules} - {old}
        uses[old] |= {f"{source}.{name}" for source, name in runtime_imports(module) if f"{source}.{name}" in modules}

    def reach(old: str) -> set[str]:
        seen, waiting, found = {old}, [old], set()
        while waiting:
            one = waiting.pop()
            found |= loads[one]
            waiting += uses[one] - seen
            seen |= uses[one]
        return found

    for new, olds in plan.chapters.items():
        together = set().union(*(reach(old) for old in olds if old in modules))
        for old in olds:
            if old in modules and together - reach(old):
                yield f"heavier: {short(new)} makes {short(old)} load {', '.join(sorted(together - reach(old)))}"


def names_of(node: ast.stmt) -> Iterator[str]:
    """Yield the modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        yield str(node.module)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


# --- carrying it out --------------------------------------------------------------------------------------------------


def data_files(module: Module) -> set[Path]:
    """Return the files of the package that a module opens."""
    found: set[Path] = set()
    folder = file_of(module.name).parent
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("package_data"):
            parts = []
            for part in node.args[1:]:
                parts.append(part.value if isinstance(part, ast.Constant) else "*")
                if isinstance(part, ast.Name):
                    made = module.defined.get(part.id, [])
                    value = made[0].value if len(made) == 1 and isinstance(made[0], ast.Assign) else None
                    parts[-1] = value.value if isinstance(value, ast.Constant) else "*"
                elif isinstance(part, ast.JoinedStr):
                    parts[-1] = "".join(str(v.value) if isinstance(v, ast.Constant) else "*" for v in part.values)
            pattern = "/".join(map(str, parts))
            for path in folder.glob(pattern) if pattern else [folder]:
                files = path.rglob("*") if path.is_dir() else [path]
                found |= {file for file in files if file.is_file() and not file.suffix.startswith(".py")}
    return found


def texts() -> Iterator[Path]:
    """Yield the files of the repository that may name a module."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in listed.splitlines():
        file = ROOT / name
        if file.suffix in TEXTS and file.is_file() and "docs/results" not in name and "benchmarks/baseline" not in name:
            yield file


def module_of(file: Path) -> str:
    """Return the name of the module in a file."""
    base = ROOT / "src" if file.is_relative_to(ROOT / "src") else ROOT
    parts = file.relative_to(base).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def main() -> None:
    """Check a plan, or carry it out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("plan", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    plan = Plan.read(options.plan)
    problems: list[str] = []
    written: dict[Path, str] = {}
    rewritten: dict[str, Module] = {}
    for file in texts():
        if file.suffix not in {".py", ".pyi"}:
            continue
        module = Module(module_of(file), file.read_text(encoding="utf-8"))
        text = Rewriting(plan, module, problems).text()
        if module.name in plan.new_of and file.suffix == ".py":
            rewritten[module.name] = Module(module.name, text)
        elif text != module.text:
            written[file] = text
    for new, olds in plan.chapters.items():
        if new not in plan.new_of and file_of(new).is_file():
            problems.append(f"{new} exists already and is none of those that move")
        if len(olds) > 1:
            Merging(plan, new, [rewritten[old] for old in olds], problems).text()
    modules = ours()
    problems += circles(plan, modules)
    remarks = list(heavier(plan, modules))
    sizes = {new: sum(len(plan.modules[old].lines) for old in olds) for new, olds in plan.chapters.items()}
    print(f"{len(plan.new_of)} modules, {sum(map(len, plan.chapters.values()))} of ours into {len(plan.chapters)}")
    for new, size in sorted(sizes.items()):
        if size > 850:
            print(f"  long: {new} {size}")
    for problem in dict.fromkeys([*problems, *remarks]):
        print(problem)
    if options.write and not problems:
        carry_out(plan, rewritten, written)
    sys.exit(1 if problems else 0)


def carry_out(plan: Plan, rewritten: Mapping[str, Module], written: Mapping[Path, str]) -> None:
    """Write the new files, move data, and let texts and tables follow."""
    data = {file: plan.new_of[old] for old in plan.modules for file in data_files(plan.modules[old])}
    depth = {file: file_of(old).parent for old in plan.modules for file in data_files(plan.modules[old])}
    for file, text in written.items():
        file.write_text(text, encoding="utf-8")
    chapters = {**plan.chapters, **{new: [old] for old, new in plan.new_of.items() if old.startswith("tests.")}}
    pending: list[tuple[Path, str]] = []
    for new, olds in chapters.items():
        merging = Merging(plan, new, [rewritten[old] for old in olds], [])
        text = merging.text() if len(olds) > 1 else rewritten[olds[0]].text
        if len(olds) == 1 and new in plan.docstrings:
            text = with_docstring(text, plan.docstrings[new])
        target = root_of(new).joinpath(*new.split(".")).with_suffix(".py")
        if file_of(olds[0]).name == "__init__.py":
            target = target.with_suffix("") / "__init__.py"
        pending.append((target, text))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(target.name + ".moved")
        git("mv", str(file_of(olds[0])), str(temporary))
        for old in olds[1:]:
            git("rm", "-q", "-f", str(file_of(old)))
    for target, text in pending:
        git("mv", str(target) + ".moved", str(target))
        target.write_text(text, encoding="utf-8")
    for file, new in data.items():
        target = root_of(new).joinpath(*new.split(".")[:-1]) / file.relative_to(depth[file])
        if target != file and file.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            git("mv", str(file), str(target))
    for target, _ in pending:
        make_packages(plan, target.parent)
    follow_in_texts(plan)
    follow_in_homes(plan)
    enter_aliases(plan)
    tidy([target for target, _ in pending] + list(written))


def with_docstring(text: str, docstring: str) -> str:
    """Return a module with another docstring."""
    module = Module("", text)
    new = f'"""{docstring.strip()}\n"""' if "\n" in docstring.strip() else f'"""{docstring.strip()}"""'
    return replaced(text, [(module.tree.body[0], new)])


def make_packages(plan: Plan, folder: Path) -> None:
    """Give a folder and those around it an `__init__`, with the docstring of the plan."""
    while folder not in {ROOT, ROOT / "src", ROOT / "src" / PACKAGE, ROOT / "tests"}:
        init = folder / "__init__.py"
        if not init.is_file():
            text = "" if folder.is_relative_to(ROOT / "tests") else plan.packages.get(module_of(init), "")
            if not text and not folder.is_relative_to(ROOT / "tests"):
                print(f"no docstring for the package {module_of(init)}")
            init.write_text(f'"""{text}"""\n' if text else "", encoding="utf-8")
        folder = folder.parent


def follow_in_texts(plan: Plan) -> None:
    """Let texts, strings and tables name modules by where they are now."""
    paths = sorted(plan.new_of, key=len, reverse=True)
    dotted = re.compile(r"(?<![\w.])(" + "|".join(re.escape(path) for path in paths) + r")(?![\w])(?!\.py\b)")
    # In the tables of scripts and tests, paths are written without the package.
    short = {path.removeprefix(f"{PACKAGE}."): path for path in paths if path.count(".") > 1}
    bare = re.compile(
        r"(?<![\w./])(" + "|".join(re.escape(p) for p in sorted(short, key=len, reverse=True)) + r")(?![\w])"
    )
    files = {old.removeprefix(f"{PACKAGE}.").replace(".", "/"): new for old, new in plan.new_of.items()}
    slashed = re.compile(
        r"(?<![\w])(" + "|".join(re.escape(path) for path in sorted(files, key=len, reverse=True)) + r")\.py\b"
    )
    tables = {ROOT / "tests" / "test_architecture.py"}
    new_paths = set(plan.new_of.values())

    def present(found: re.Match[str]) -> str:
        """Return the new path of a module; a package may have the former name of one of its modules."""
        whole = re.match(r"(\.\w+)*", found.string[found.end() :])
        parts = whole[0].split(".")[1:] if whole else []
        ends = [".".join([found[0], *parts[:count]]) for count in range(1, len(parts) + 1)]
        return found[0] if new_paths & set(ends) else plan.new_of[found[0]]

    for file in texts():
        if file.name in {"homes.toml", "aliases.py", "moved_modules.txt", "move_modules.py"} or file.suffix == ".plan":
            continue
        text = before = file.read_text(encoding="utf-8")
        text = dotted.sub(present, text)
        if "/" in text:
            text = slashed.sub(
                lambda found: files[found[1]].removeprefix(f"{PACKAGE}.").replace(".", "/") + ".py", text
            )
        if file in tables:
            text = bare.sub(lambda found: plan.new_of[short[found[0]]].removeprefix(f"{PACKAGE}."), text)
        if text != before:
            file.write_text(text, encoding="utf-8")


def follow_in_homes(plan: Plan) -> None:
    """Let the table of homes name modules by where they are now; what lies in its home needs no entry."""
    table = ROOT / "scripts" / "homes.toml"
    text = table.read_text(encoding="utf-8")
    written = [text[: text.index("\n\n") + 2]]
    for home, prefixes in tomllib.loads(text).items():
        present = {plan.new_of.get(f"{PACKAGE}.{p}", f"{PACKAGE}.{p}").removeprefix(f"{PACKAGE}.") for p in prefixes}
        left = {p for p in present - {home} if not p.startswith(f"{home}.")}
        away = sorted(p for p in left if file_of(f"{PACKAGE}.{p}").is_file())
        listed = textwrap.fill(", ".join(f'"{p}"' for p in [home, *away]), WIDTH - 4, break_on_hyphens=False)
        written.append(f"{home} = [\n{textwrap.indent(listed, '    ')},\n]\n" if away else f'{home} = ["{home}"]\n')
    table.write_text("".join(written), encoding="utf-8")


def enter_aliases(plan: Plan) -> None:
    """Add the old paths to the table of moved modules."""
    table = ROOT / "src" / PACKAGE / "core" / "moved_modules.txt"
    known = dict(line.split() for line in table.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    ours = {old: new for old, new in plan.new_of.items() if old.startswith(f"{PACKAGE}.")}
    present = {old: ours.get(new, new) for old, new in known.items()} | ours
    # A package that has the name of one of its former modules is found as itself.
    present = {old: new for old, new in present.items() if old != new and file_of(old).name != "__init__.py"}
    head = "# Old paths of modules, and where each is now. They work for one version.\n"
    rows = (f"{old} {new}\n" for old, new in sorted(present.items()))
    table.write_text(head + "".join(rows), encoding="utf-8")


def wrap_comments(file: Path) -> None:
    """Wrap again the paragraphs of comments in which a line has become too long."""
    lines = file.read_text(encoding="utf-8").splitlines()
    place = 0
    while place < len(lines):
        if len(lines[place]) <= WIDTH or not lines[place].startswith("# "):
            place += 1
            continue
        first = last = place
        while first and lines[first - 1].startswith("# ") and not lines[first - 1].startswith("# ---"):
            first -= 1
        while last + 1 < len(lines) and lines[last + 1].startswith("# "):
            last += 1
        text = " ".join(line[2:].strip() for line in lines[first : last + 1])
        lines[first : last + 1] = [f"# {line}" for line in textwrap.wrap(text, WIDTH - 2)]
        place = first
        while place < len(lines) and lines[place].startswith("# "):
            place += 1
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def tidy(files: Sequence[Path]) -> None:
    """Sort imports, wrap lines, and remove empty folders."""
    python = [str(file) for file in files if file.is_file()]
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--select", "F401,F811", "--fix", *python], check=False, cwd=ROOT)
    subprocess.run([*ruff, "check", "--quiet", "--select", "I001", "--fix", "."], check=False, cwd=ROOT)
    subprocess.run([*ruff, "format", "--quiet", "."], check=False, cwd=ROOT)
    for file in python:
        wrap_comments(Path(file))
    for base in (ROOT / "src" / PACKAGE, ROOT / "tests"):
        for folder in sorted((path for path in base.rglob("*") if path.is_dir()), key=lambda p: -len(p.parts)):
            left = [path for path in folder.iterdir() if path.name != "__pycache__"]
            if [path.name for path in left] == ["__init__.py"]:
                lines = left[0].read_text(encoding="utf-8")
                if len(ast.parse(lines).body) <= 1:
                    git("rm", "-q", "-f", "--ignore-unmatch", str(left[0]))
                    left[0].unlink(missing_ok=True)
                    left = []
            if not left:
                shutil.rmtree(folder, ignore_errors=True)
    git("add", "-A")


if __name__ == "__main__":
    main()
