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

FOUNDATIONS = {
    *("aliases", "bilingual", "closure", "core", "doors"),
    *("environment", "errors", "experiments", "files", "findings"),
    *("places", "progress", "records", "registry", "runs", "segmentation", "signature", "skeletons", "text"),
}
STAGES = ["materials", "systems", "measures", "people", "analysis", "report"]
COMPOSERS = {"description", "overview", "stages", "study", "study_files", "suite_runs", "tagger_runs", "tree_runs"}
# Packages that export the names of a subject from wherever they lie. Of core and the report, modules lie there as well.
DOORS = {
    *("acceptability", "analyses", "classifiers", "core", "corpora", "grammar", "language_models"),
    *("replication", "report", "scenes", "statistics", "surveys", "tagging"),
}
# Packages that compose the others. Nobody imports from them but tests, which use their modules.
WITHOUT_A_DOOR = {"cli", "studies", "study"}
BELOW_THE_TOP = {*FOUNDATIONS, *STAGES, *COMPOSERS}
# What a module of the folder or file on the left may import; "" is the package itself, `from hengliang import Study`.
MAY_IMPORT: dict[str, set[str]] = {
    **dict.fromkeys(FOUNDATIONS, FOUNDATIONS),
    **{stage: {*FOUNDATIONS, *STAGES[: place + 1]} for place, stage in enumerate(STAGES)},
    **dict.fromkeys(COMPOSERS, BELOW_THE_TOP),
    **{door: {"aliases", "doors"} for door in ["", *DOORS] if door not in {"core", "report"}},
    "studies": {*DOORS, "", "studies"},
    "workbench": {*BELOW_THE_TOP, *DOORS, "", "workbench"},
    "cli": {*BELOW_THE_TOP, *DOORS, "", "studies", "workbench", "cli"},
}
# Modules of a subject that lie in the report until the subject has a folder of its own: what a measure of the same
# subject shows besides numbers (`Measure.views`). It fetches them when it is asked, and nothing of the report itself.
VIEWS = {
    "grammar": {"grammar.views", "grammar.views", "grammar.views_html"},
    "tagging": {"tagging.views_html", "tagging.views"},
}
# What tests import from inside another package, and why; a module stands for all of its names.
INSIDE = {
    "what an estimate or a refusal is called in the tables of a run": """
        analysis.descriptions.beside_describers analyses.ratings.parts.ADJUSTED
        analysis.reconstruction.published_swaps analysis.reconstruction.swap_table.SHARE
        grammar.structure materials.classifier_inventory.OURS corpora.sentence_files
        core.io.delimited language_models.regions.CROSSED tree_runs.ASKED
    """,
    "what is left on disk by work that was cut short, or belongs to this machine": """
        core.engine.cache.note_of core.engine.mapping.LOCAL core.training_loop files.SEAL_OF_JSON places
        systems.classifier_choosers.trained.write_labels
    """,
    "all readers of tables are tried on the same quotation marks": "grammar.pairs.pair_set",
    "the tasks about scenes are tried as pages of a survey": """
        people.bots.page_reading people.bots.task_answers people.tasks.scenes
    """,
    "the database of a survey is looked into": """
        people.collected.answers.connected people.pages.starting people.storage.engines.engine_of
        people.storage.events people.storage.facts people.storage.tables
    """,
    "the sentences of pages are the same wherever they are shown": "report.words",
    "what is patched or cleared, for it is remembered by the process": """
        core.engine.cache._Pieces core.learning tagging.sentences registry
        language_models.neural.pretrained_encoder tagging.taggers.jieba text.missing_chinese_library
    """,
    "toys of one package are made of another's parts": """
        corpora.parts.PART_CYCLE core.io.json_values.Value
        corpora.trees.chunk_words.SUBORDINATORS language_models.neural.masked._blank_tokenizer
        language_models.structured.networks language_models.structured.plm
        core.labelling.spans.ORDINARY
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


def test_every_module_has_a_place_in_the_design() -> None:
    unplaced = {top(module) for module in FILES} - set(MAY_IMPORT)
    assert not told(sorted(unplaced), "Say in this file what these may import:")


def test_imports_follow_the_flow() -> None:
    house = our_house()
    wrong = [
        f"{module} imports {target}"
        for module, targets in graph().items()
        for target in sorted(targets)
        if top(module) in MAY_IMPORT and top(target) not in MAY_IMPORT[top(module)]
        if target.removeprefix("hengliang.") not in VIEWS.get(house.home(module), ())
    ]
    assert not told(wrong, "Imports against the flow:")


def test_the_report_and_the_study_know_no_subject() -> None:
    house = our_house()
    subjects = DOORS - {"analyses", "core", "report", "statistics"}
    wrong = [
        f"{module} imports {target}"
        for module, targets in graph().items()
        for target in sorted(targets)
        if house.home(module) in {"report", "study"} or module == "hengliang.core.runs"
        if house.home(target) in subjects
    ]
    assert not told(wrong, "Imports of a subject:")


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
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((SOURCE / "skeleton_files").iterdir())]
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
            if not module.startswith("hengliang") or (module, name) in public or whole.startswith("hengliang.cli"):
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
