"""Rewrite imports to go through doors.

`from hengliang.core.base_classes import Measure` becomes `from hengliang import Measure`:

    python scripts/rewrite_imports.py docs tests benchmarks src/hengliang/studies

What a door exports is read from its stub, where a module has moved to from the table of aliases, and whose private
modules a test may use from `scripts/homes.toml`. Python files, templates and the Python blocks of Markdown pages are
rewritten name by name; local names stay, so that nothing else in the file changes. A module that is imported as a
module stays one, for a test may have to patch it. Imports that no door offers are left and listed.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from hengliang.core.aliases import MOVED_MODULES, MOVED_NAMES, MovedModules
from hengliang.core.doors import exported_names

ROOT = Path(__file__).parent.parent
PYTHON_BLOCK = re.compile(r"^(?P<indent> *)```python\n(?P<code>.*?)^ *```", re.DOTALL | re.MULTILINE)
OUTSIDERS = ("cli", "studies", "benchmarks")
"""Folders of tests that look at packages from outside, whatever their subject."""


@dataclass(frozen=True, eq=False)
class House:
    """Which modules a source folder has, what its doors export, and to which package each module belongs."""

    source: Path
    package: str = "hengliang"
    homes: Mapping[str, str] = field(default_factory=dict)
    moved_names: Mapping[str, str] = field(default_factory=dict)
    moved_modules: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def modules(self) -> Mapping[str, Path]:
        """The file of every module."""
        files = sorted((self.source / self.package).rglob("*.py"))
        parts = {file: file.relative_to(self.source).with_suffix("").parts for file in files}
        return {".".join(part for part in parts[file] if part != "__init__"): file for file in files}

    @cached_property
    def doors(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """The door and the exported name of every public object, by where it is defined; the top is the first door."""
        found: dict[tuple[str, str], tuple[str, str]] = {}
        stubs = sorted((self.source / self.package).rglob("__init__.pyi"), key=_depth)
        for stub in stubs:
            door = ".".join(stub.parent.relative_to(self.source).parts)
            for name, defined in exported_names(stub).items():
                found.setdefault(self.definition(*defined), (door, name))
        return found

    @cache  # noqa: B019 - there is one house a run
    def definition(self, module: str, name: str) -> tuple[str, str]:
        """Return the module in which a name is defined, and its name there, following those that only hand it on."""
        moved = self.moved_names.get(f"{module}.{name}")
        if moved:
            door, _, present = moved.rpartition(".")
            return self.definition(door, present)
        module = self.present(module)
        file = self.modules.get(module)
        if file is None:
            return module, name
        for node in _tree(file).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == self.package:
                for alias in node.names:
                    if (alias.asname or alias.name) == name and f"{node.module}.{name}" not in self.modules:
                        return self.definition(str(node.module), alias.name)
        return module, name

    def present(self, module: str) -> str:
        """Return where a module is now."""
        return MovedModules(self.moved_modules).present_path(module) or module

    def home(self, module: str) -> str:
        """Return the package to which a module belongs, by the longest prefix, or nothing."""
        path = self.present(module).removeprefix(f"{self.package}.")
        while path and path not in self.homes:
            path = path.rpartition(".")[0]
        return self.homes.get(path, "")

    def home_of_test(self, test: Path) -> str:
        """Return the package whose private modules a file in `tests` may use: that of the module it is named after."""
        *folders, name = test.with_suffix("").parts
        if folders[:1] and folders[0] in OUTSIDERS:
            return ""
        name = name.removeprefix("test_")
        while name and ".".join([self.package, *folders, name]) not in self.modules:
            name = name.rpartition("_")[0]
        return self.home(".".join([self.package, *folders, *([name] if name else [])]))


@cache
def _tree(file: Path) -> ast.Module:
    """Return a module as a tree, by its stub where it has one."""
    stub = file.with_suffix(".pyi")
    return ast.parse((stub if stub.is_file() else file).read_text(encoding="utf-8"))


def _depth(stub: Path) -> tuple[int, Path]:
    return len(stub.parts), stub


@dataclass
class Rewriting:
    """The imports of one text, and those of them that no door offers."""

    house: House
    own: str = ""
    left: list[str] = field(default_factory=list)

    def python(self, code: str) -> str:
        """Return Python code with its imports through the doors."""
        lines = code.splitlines(keepends=True)
        nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom | ast.Import)]
        for node in sorted(nodes, key=_from_the_end):
            found = self._statements(node)
            segment = "".join(lines[node.lineno - 1 : node.end_lineno])
            if found is None or (node.lineno != node.end_lineno and "#" in segment):
                continue
            after = lines[(node.end_lineno or 0) - 1].encode()[node.end_col_offset or 0 :].decode()
            indent = " " * node.col_offset
            lines[node.lineno - 1 : node.end_lineno] = [f"{indent}{statement}\n" for statement in found[:-1]]
            lines.insert(node.lineno - 2 + len(found), f"{indent}{found[-1]}{after}")
        return "".join(lines)

    def _statements(self, node: ast.ImportFrom | ast.Import) -> list[str] | None:
        """Return the statements that take the place of an import, or nothing when it stays."""
        if isinstance(node, ast.Import):
            names = [(alias.name, self.house.present(alias.name), alias.asname) for alias in node.names]
            # Without `as` the first part of the path is bound, and the rest of the file spells the old path out.
            if all(old == new or not local for old, new, local in names):
                return None
            return [f"import {new}{_as(local, '')}" for _, new, local in names]
        if node.level or not node.module or node.module.partition(".")[0] != self.house.package:
            return None
        by_source: dict[str, list[str]] = {}
        for alias in node.names:
            source, name = self._source(node.module, alias.name)
            by_source.setdefault(source, []).append(name + _as(alias.asname or alias.name, name))
        if list(by_source) == [node.module]:
            return None
        return [f"from {source} import {', '.join(names)}" for source, names in by_source.items()]

    def _source(self, module: str, name: str) -> tuple[str, str]:
        """Return from where a name is imported, and what it is called there."""
        whole = self.house.present(f"{module}.{name}")
        if whole in self.house.modules and (module, name) not in self._public:
            package, _, present = whole.rpartition(".")
            return package, present
        defined = self.house.definition(module, name)
        if self.own and self.house.home(defined[0]) == self.own and module != self.house.package:
            # A package's own tests may use its modules; where one has moved they follow it.
            return (module, name) if self.house.present(module) == module else defined
        door = self.house.doors.get(defined)
        if door is None:
            self.left.append(f"{module}.{name}")
        return door or (self.house.present(module), name)

    @cached_property
    def _public(self) -> set[tuple[str, str]]:
        return set(self.house.doors.values())

    def page(self, text: str) -> str:
        """Return a Markdown page with the imports of its Python blocks through the doors."""
        return PYTHON_BLOCK.sub(self._block, text)

    def _block(self, found: re.Match[str]) -> str:
        code = textwrap.dedent(found["code"])
        written = self.python(code)
        if written == code:
            return found[0]
        ruff = [sys.executable, "-m", "ruff", "check", "--quiet", "--select", "I001", "--fix", "-"]
        written = subprocess.run(ruff, input=written, capture_output=True, text=True, check=True, cwd=ROOT).stdout
        return f"{found['indent']}```python\n{textwrap.indent(written, found['indent'])}{found['indent']}```"


def _as(local: str | None, name: str) -> str:
    return f" as {local}" if local and local != name else ""


def _from_the_end(node: ast.stmt) -> int:
    return -node.lineno


def our_house() -> House:
    """Return the house of this repository."""
    table = tomllib.loads((ROOT / "scripts" / "homes.toml").read_text(encoding="utf-8"))
    homes = {prefix: home for home, prefixes in table.items() for prefix in prefixes}
    return House(ROOT / "src", "hengliang", homes, MOVED_NAMES, MOVED_MODULES)


def rewritten(file: Path, house: House) -> tuple[str, list[str]]:
    """Return the text of a file with its imports through the doors, and the imports that no door offers."""
    tests = ROOT / "tests"
    own = house.home_of_test(file.relative_to(tests)) if file.is_relative_to(tests) else ""
    work = Rewriting(house, own)
    text = file.read_text(encoding="utf-8")
    return (work.page if file.suffix == ".md" else work.python)(text), work.left


def files_of(paths: list[Path]) -> Iterator[Path]:
    """Yield the files that are named, and those in the folders that are named."""
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file.resolve() for file in found if file.suffix in {".py", ".md"} or not path.is_dir())


def main() -> None:
    """Rewrite the files and folders named on the command line, and let ruff sort and wrap what was written."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path)
    house, changed = our_house(), []
    for file in files_of(parser.parse_args().paths):
        text, left = rewritten(file, house)
        for name in left:
            print(f"{file.relative_to(ROOT)}: no door exports {name}")
        if text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8")
            changed.append(str(file))
    python = [file for file in changed if file.endswith(".py")]
    for command in (["check", "--quiet", "--select", "I001", "--fix"], ["format", "--quiet"]):
        if python:
            subprocess.run([sys.executable, "-m", "ruff", *command, *python], check=True, cwd=ROOT)
    print(f"{len(changed)} files rewritten")


if __name__ == "__main__":
    main()
