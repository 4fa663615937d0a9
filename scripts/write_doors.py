"""Write the doors of packages inside a subject: the names that other packages use of them.

    python scripts/write_doors.py

A package directly below `hengliang` has a door that is written by hand: its public names. A package inside one of these
gets a stub with the names that modules, tests and benchmarks outside of it import from its modules. A name that two
modules of a package define is left out, and printed.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
OPENING = (
    "from hengliang.core.doors import open_door\n\n__getattr__, __dir__, __all__ = open_door(__name__, __file__)\n"
)


def module_of(file: Path) -> str:
    """Return the name of the module in a file."""
    base = SOURCE if file.is_relative_to(SOURCE) else ROOT
    return ".".join(part for part in file.relative_to(base).with_suffix("").parts if part != "__init__")


def imported(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the modules of ours and the names that a file imports from them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hengliang."):
            yield from ((str(node.module), alias.name) for alias in node.names)


def main() -> None:
    """Write the stub of every package inside a subject, and the line that opens it."""
    files = {module_of(file): file for file in sorted(SOURCE.rglob("*.py"))}
    packages = [name for name, file in files.items() if file.name == "__init__.py" and name.count(".") >= 2]
    inner = {name for name in packages if files[".".join(name.split(".")[:2])].with_suffix(".pyi").is_file()}
    used: dict[str, dict[str, set[str]]] = {package: defaultdict(set) for package in inner}
    for file in [*files.values(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]:
        own = module_of(file)
        for module, name in imported(file):
            package = module if module in inner else module.rpartition(".")[0]
            is_module = f"{module}.{name}" in files
            # A name that is a module's, too, would hide the module.
            is_module = is_module or f"{package}.{name}" in files
            if package in inner and not f"{own}.".startswith(f"{package}.") and not is_module and name[0] != "_":
                used[package][name].add(module)
    for package in sorted(inner):
        write_door(package, files[package], used[package])


def write_door(package: str, init: Path, names: dict[str, set[str]]) -> None:
    """Write the stub of one package, with the names that it had and those that are used from outside."""
    stub = init.with_suffix(".pyi")
    known = {name: module for module, name in imported(stub)} if stub.is_file() else {}
    tree = ast.parse(init.read_text(encoding="utf-8"))
    known |= {name: module for module, name in imported(init) if name != "open_door"}
    for name, modules in sorted(names.items()):
        defined = modules - {package}
        if len(defined | ({known[name]} if name in known else set())) > 1:
            print(f"{package}: {name} is in {', '.join(sorted(defined))}")
        elif defined:
            known.setdefault(name, defined.pop())
    lines = [f"from {module} import {name} as {name}\n" for name, module in known.items()]
    stub.write_text("".join(sorted(lines)), encoding="utf-8")
    docstring = ast.get_docstring(tree) or ""
    init.write_text(f'"""{docstring}"""\n\n{OPENING}', encoding="utf-8")


if __name__ == "__main__":
    main()
