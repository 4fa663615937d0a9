"""Does the code keep to the design: the direction of imports, the size of modules, names that are documented?"""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import click
from scripts.rewrite_imports import House, our_house

import hengliang
from hengliang.cli.main import cli
from tests import ROOT

SOURCE = ROOT / "src" / "hengliang"

# General libraries, and what each of them may import besides itself and what stands in its own row.
CORE = {"core"}
NUMBERS = {*CORE, "corpora", "statistics", "analyses"}
GENERAL: dict[str, set[str]] = {
    "core": CORE,
    "corpora": CORE,
    "statistics": CORE,
    "analyses": {*CORE, "statistics"},
    "report": {*CORE, "statistics", "analyses"},
    "study": {*CORE, "analyses", "report"},
    "language_models": {*NUMBERS, "report"},
    "surveys": {*NUMBERS, "report", "study"},
    "replication": {*NUMBERS, "report", "study"},
}
# A subject imports general libraries freely, and other subjects through their doors.
SUBJECTS = {"acceptability", "classifiers", "grammar", "scenes", "tagging"}
# These compose the others. Nobody imports from them but tests; the command line starts the workbench.
COMPOSERS = {"cli", "studies", "workbench"}
DOORS = {*GENERAL, *SUBJECTS}
WITHOUT_A_DOOR = {"cli", "studies"}
# Folders of stages, whose modules move to the folders of their subjects; scripts/homes.toml says which these are.
STAGES = {"analysis", "materials", "measures", "people", "systems"}
MAY_IMPORT: dict[str, set[str]] = {
    **{home: {home, *below} for home, below in GENERAL.items()},
    **dict.fromkeys(SUBJECTS, DOORS),
    **{home: {*DOORS, *COMPOSERS} for home in COMPOSERS},
}
# What tests import from inside another package, and why; a module stands for all of its names.
INSIDE = {
    "what an estimate or a refusal is called in the tables of a run": """
        analysis.descriptions.beside_describers analysis.reconstruction.published_swaps
        analysis.reconstruction.swap_table.SHARE corpora.sentence_files grammar.runs.ASKED grammar.structure
        language_models.regions.CROSSED materials.classifier_inventory.OURS
    """,
    "what is left on disk by work that was cut short, or belongs to this machine": """
        core.places core.training_loop systems.classifier_choosers.trained.write_labels
    """,
    "the tasks about scenes are tried as pages of a survey": """
        people.bots.page_reading people.bots.task_answers people.tasks.scenes
    """,
    "what commands share is tried by itself": "corpora.given_sentences",
    "the database of a survey is looked into": """
        people.collected.answers.connected people.pages.starting people.storage.engines.engine_of
        people.storage.events people.storage.facts people.storage.tables
    """,
    "the sentences of pages are the same wherever they are shown": "report.words",
    "what is patched or cleared, for it is remembered by the process": """
        core.engine.cache._Pieces core.learning core.registry language_models.neural.pretrained_encoder
        statistics.permutation tagging.sentences tagging.taggers.jieba
    """,
    "toys of one package are made of another's parts": """
        corpora.parts.PART_CYCLE language_models.neural.masked._blank_tokenizer language_models.structured.networks
        language_models.structured.plm
    """,
}
# Composed, so that this file does not hold what it looks for.
UNWANTED = ["TO" + "DO", "FIX" + "ME", *(".".join(host) for host in (("py" + "pi", "org"), ("pythonhosted", "org")))]
UNWANTED += [".".join(host) for host in (("npmjs", "org"), ("npmjs", "com"), ("anaconda", "org"), ("crates", "io"))]


TESTS = sorted((ROOT / "tests").rglob("*.py"))


def module_name(file: Path) -> str:
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(["hengliang", *(part for part in parts if part != "__init__")])


FILES = {module_name(file): file for file in sorted(SOURCE.rglob("*.py"))}


@cache
def trees() -> Mapping[str, ast.Module]:
    """Return every module as a tree; it is made by the first test that asks, not in each process that collects."""
    # Nothing of a million new nodes can be thrown away; to look for it takes three times as long as to make them.
    gc.disable()
    found = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in FILES.items()}
    gc.freeze()
    gc.enable()
    return found


def top(module: str) -> str:
    """Return the folder or file directly under src/hengliang to which a module belongs."""
    return module.split(".")[1] if "." in module else ""


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a module that run when it is imported: not functions, not what is for types only."""
    for child in ast.iter_child_nodes(node):
        for_types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if not for_types and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from at_import(child)


def called(node: ast.Call) -> str:
    """Return the name of the function that is called, without the module or the object to which it belongs."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def imports(module: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every module of ours that these parts of a module import, also for types only or by a literal name."""
    package = module if FILES[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            # `from hengliang import places` imports a module, `from hengliang import Study` the package.
            named = [full if (full := f"{source}.{alias.name}") in FILES else source for alias in node.names]
        elif isinstance(node, ast.Call) and called(node).endswith("import_module"):
            named = [str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)]
        else:
            continue
        yield from (name for name in named if name.partition(".")[0] == "hengliang")


@cache
def graph() -> Mapping[str, set[str]]:
    """Return which modules of ours each module imports, wherever it does so."""
    return {module: set(imports(module, ast.walk(tree))) - {module} for module, tree in trees().items()}


def told(found: Iterable[object], why: str) -> str:
    """Return everything that was found, a line each after the reason, or nothing when nothing was found."""
    lines = [str(thing) for thing in found]
    return "\n".join([why, *lines]) if lines else ""


def home_of(module: str) -> str:
    """Return the package to whose subject a module belongs; the top level belongs to none."""
    return the_house().home(module)


@cache
def the_house() -> House:
    return our_house()


def crossings() -> Iterator[tuple[str, str]]:
    """Yield every import that goes from a module that lies in its home to a module of another."""
    for module, targets in graph().items():
        if module.count(".") and home_of(module) == top(module):
            yield from ((module, target) for target in sorted(targets) if home_of(target) not in {"", home_of(module)})


def test_imports_follow_the_direction_of_the_design() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, target in crossings()
        if home_of(target) not in MAY_IMPORT[home_of(module)]
    ]
    assert not told(wrong, "Imports against the direction:")


def test_subjects_import_each_other_through_their_doors_and_seldom() -> None:
    between = [pair for pair in crossings() if {home_of(module) for module in pair} <= SUBJECTS]
    inside = [f"{module} imports {target}" for module, target in between if target.count(".") > 2]
    assert not told(inside, "Imports from inside another subject:")
    assert len(between) < 40


def test_folders_are_no_longer_than_a_list_that_one_can_read() -> None:
    beside: dict[str, list[str]] = {}
    for module, file in FILES.items():
        if file.name != "__init__.py" and home_of(module) == top(module):
            beside.setdefault(module.rpartition(".")[0], []).append(module)
    long = {name: len(held) for name, held in beside.items() if len(held) > 20}
    assert not told(long.items(), "More than 20 modules:")


def test_every_package_has_a_door() -> None:
    packages = [name for name, file in FILES.items() if file.name == "__init__.py"]
    closed = [name for name in packages if not hasattr(importlib.import_module(name), "__all__")]
    closed = [name for name in closed if top(name) not in STAGES | WITHOUT_A_DOOR]
    assert not told(closed, "Packages without a door:")


def test_no_modules_import_each_other_in_a_circle() -> None:
    # A conformance kit may know its base class by type, and the base class may fetch its kit when that is asked for.
    imported = {module: set(imports(module, at_import(tree))) - {module} for module, tree in trees().items()}
    circle: list[str] = []
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        circle = list(reversed(error.args[1]))
    assert not circle, " imports ".join(circle)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_modules_and_functions_are_short() -> None:
    modules = {name: len(file.read_text(encoding="utf-8").splitlines()) for name, file in FILES.items()}
    lengths = {
        f"{module}:{function.lineno} {function.name}": (function.end_lineno or 0) - function.lineno + 1
        for module, tree in trees().items()
        for function in functions(tree)
    }
    for sizes, usual, most in ((modules, 600, 900), (lengths, 45, 80)):
        assert not told((f"{name}: {size}" for name, size in sizes.items() if size > most), f"More than {most} lines:")
        long = [f"{name}: {size}" for name, size in sizes.items() if size >= usual]
        assert not told(long if len(long) > len(sizes) / 10 else [], f"More than one in ten has {usual} lines or more:")


def test_every_module_says_what_it_holds() -> None:
    silent = [name for name, tree in trees().items() if not (ast.get_docstring(tree) or "").partition("\n")[0]]
    assert not told(silent, "Modules without a docstring:")


def test_the_package_says_that_it_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()


def code_in(page: Path) -> str:
    """Return what a page sets as code, in blocks and within lines."""
    return "\n".join(re.findall(r"^```.*?^```|`[^`\n]+`", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))


def doors() -> dict[str, dict[str, object]]:
    """Return the values of all names that each door exports, the top level among the doors."""
    modules = [
        importlib.import_module(name) for name in ("hengliang", *(f"hengliang.{door}" for door in sorted(DOORS)))
    ]
    # Twice, for a module of the same name could hide a public name once it has been imported.
    return [
        {module.__name__: {name: getattr(module, name) for name in module.__all__} for module in modules} for _ in "ab"
    ][-1]


def test_every_name_of_a_door_is_there_and_explained() -> None:
    values = {f"{door}.{name}": value for door, names in doors().items() for name, value in names.items()}
    assert not told((name for name, value in values.items() if inspect.ismodule(value)), "Names hidden by a module:")
    explained = {name: value for name, value in values.items() if inspect.isroutine(value) or inspect.isclass(value)}
    # A dataclass without a docstring gets its own signature for one.
    silent = [
        name for name, value in explained.items() if (value.__doc__ or "(").startswith((f"{value.__name__}(", "("))
    ]
    assert not told(silent, "Names of doors without a docstring:")
    private = [name for name in values if name.rpartition(".")[2].startswith("_")]
    assert not told(private, "Private names that a door exports:")


def test_names_that_a_door_gives_to_things_are_listed_for_type_checkers() -> None:
    for stub in SOURCE.rglob("__init__.pyi"):
        tree = ast.parse(stub.read_text(encoding="utf-8"))
        imported = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
        listed = [name for node in tree.body if isinstance(node, ast.Assign) for name in ast.literal_eval(node.value)]
        renamed = [str(alias.asname) for alias in imported if alias.asname != alias.name]
        assert sorted(listed) == sorted(renamed), stub


def test_no_two_doors_give_one_name_to_two_things() -> None:
    things: dict[str, dict[int, str]] = {}
    for door, names in doors().items():
        for name, value in names.items():
            things.setdefault(name, {}).setdefault(id(value), door)
    twice = [f"{name}: {', '.join(homes.values())}" for name, homes in things.items() if len(homes) > 1]
    assert not told(twice, "Names of several things:")
    # The top level only repeats what every study needs; no other name is exported twice.
    stubs = [name for door, names in doors().items() if door != "hengliang" for name in names]
    assert not told(sorted({name for name in stubs if stubs.count(name) > 1}), "Names that two doors export:")


def test_the_top_level_is_small_and_documented() -> None:
    assert len(hengliang.__all__) <= 25
    code = "\n".join(code_in(page) for page in sorted((ROOT / "docs").glob("*.md")))
    unsaid = [name for name in hengliang.__all__ if not re.search(rf"\b{re.escape(name)}\b", code)]
    assert not told(unsaid, "Public names not in docs/*.md:")


def test_the_documentation_says_what_is_in_each_room() -> None:
    page = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert not told((door for door in sorted(DOORS) if f"| `hengliang.{door}` |" not in page), "Not in docs/README.md:")


def test_documentation_and_studies_import_at_most_two_levels_deep() -> None:
    skeletons = sorted((SOURCE / "cli" / "skeleton_files").iterdir())
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *skeletons]
    deep = [
        f"{page.relative_to(ROOT)}: {line.strip()}"
        for page in [*pages, *sorted((SOURCE / "studies").glob("*.py"))]
        for line in page.read_text(encoding="utf-8").splitlines()
        if re.match(r"[\s>.]*(from|import) hengliang(\.\w+){2}", line)
    ]
    assert not told(deep, "Imports from behind a door:")


def test_every_module_has_one_home() -> None:
    table = tomllib.loads((ROOT / "scripts" / "homes.toml").read_text(encoding="utf-8"))
    assert set(table) == DOORS | WITHOUT_A_DOOR
    prefixes = [prefix for home in table.values() for prefix in home]
    assert not told(sorted({prefix for prefix in prefixes if prefixes.count(prefix) > 1}), "Modules with two homes:")
    assert not told((prefix for prefix in prefixes if f"hengliang.{prefix}" not in FILES), "Homes of nothing:")
    house = our_house()
    packages = {"hengliang", *(f"hengliang.{door}" for door in DOORS)}
    assert not told((name for name in FILES if name not in packages and not house.home(name)), "Without a home:")


def inside_imports(test: Path, house: House) -> Iterator[str]:
    """Yield what a test imports from inside a package that is not its own."""
    own, public = house.home_of_test(test.relative_to(ROOT / "tests")), set(house.doors.values())
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            named = [(str(node.module), alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            named = [(alias.name.rpartition(".")[0], alias.name.rpartition(".")[2]) for alias in node.names]
        else:
            continue
        for module, name in named:
            whole = f"{module}.{name}"
            if (
                not module.startswith("hengliang")
                or (module, name) in public
                or {"cli", "commands"} & set(module.split("."))
            ):
                continue
            defined = whole if whole in FILES else house.definition(module, name)[0]
            if defined != "hengliang" and house.home(defined) not in {own, *WITHOUT_A_DOOR}:
                yield whole.removeprefix("hengliang.")


def test_tests_import_other_packages_through_their_doors() -> None:
    house = our_house()
    found = {(str(test.relative_to(ROOT)), name) for test in TESTS for name in inside_imports(test, house)}
    allowed = {f"{name}." for names in INSIDE.values() for name in names.split()}
    wrong = [f"{test} imports {name}" for test, name in sorted(found) if not f"{name}.".startswith(tuple(allowed))]
    assert not told(wrong, "Imports from inside another package:")
    unused = [name for name in sorted(allowed) if not any(f"{used}.".startswith(name) for _, used in found)]
    assert not told(unused, "Exceptions that nobody needs:")


def commands(command: click.Command, path: str = "hengliang") -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, f"{path} {name}")


def test_every_command_has_an_example_and_a_place_in_the_documentation() -> None:
    found = dict(commands(cli))
    assert not told(
        (path for path, command in found.items() if "Example" not in (command.help or "")), "Without an example:"
    )
    parts = [(path, part) for path, command in found.items() for part in command.params]
    options = [(path, part) for path, part in parts if isinstance(part, click.Option)]
    unsaid = [f"{path} {option.opts[0]}" for path, option in options if not option.help]
    assert not told(unsaid, "Options without a help text:")
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert not told(
        (path for path in found if not re.search(rf"\b{path}\b", page)), "Commands not in docs/command-line.md:"
    )


def test_nothing_is_left_undone_and_no_package_index_is_named() -> None:
    folders = ["src", "tests", "docs", "benchmarks", "scripts", ".ci"]
    suffixes = {"", ".py", ".md", ".sh", ".toml", ".txt", ".json", ".tsv", ".css", ".js", ".cff"}
    files = [file for folder in folders for file in (ROOT / folder).rglob("*") if "egg-info" not in str(file)]
    texts = {
        file.relative_to(ROOT): file.read_text(encoding="utf-8")
        for file in [*files, *ROOT.glob("[!.]*")]
        if file.suffix in suffixes and file.is_file()
    }
    wrong = [
        f"{file}: {word}"
        for file, text in texts.items()
        for word in UNWANTED
        # To look for the plain text first takes a tenth of the time.
        if word in text and re.search(rf"\b{re.escape(word)}\b", text)
    ]
    assert not told(wrong, "Unwanted words:")
