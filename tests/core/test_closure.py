"""Is the code behind a number all of what it reaches, and nothing else: edits, moves and merges of real files."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hengliang
from hengliang.classifiers import ClassifierSlots, General, label_match
from hengliang.core.closure import (
    UNKNOWN,
    Definition,
    Ours,
    Place,
    Source,
    _enter,
    _Writer,
    closure,
    outside_signatures,
    package_data,
)
from hengliang.core.registry import entries, load_file
from hengliang.core.signature import code_checksum
from hengliang.core.text.segmentation import join_words
from hengliang.scenes import Expression, Greedy, ModelReader, fitted_meanings

SOURCE = Path(hengliang.__file__).parent


def printed(folder: Path, program: str) -> str:
    """Return what a program prints in a process of its own that takes its modules from a folder."""
    made = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(SOURCE.parent)])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=made, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# --- a small plug-in, edited ------------------------------------------------------------------------------------------

PLUGIN = {
    "__init__.py": "",
    "main.py": '''
import numpy as np
from plugin import rules
from plugin.door import weigh
from plugin.words import WORDS

class Judge:
    """Judges."""

    factor = 2

    def judge(self, text):
        # a remark
        from plugin.late import finish
        rest = [word for word in WORDS if word in text]
        return finish(np.mean([weigh(word) for word in rest]) * self.factor + rules.LIMIT)
''',
    "door/__init__.py": """
def __getattr__(name):
    from plugin import weights
    return getattr(weights, name)
""",
    "door/__init__.pyi": "from plugin.weights import weigh as weigh\n",
    "weights.py": '''
def weigh(word):
    """Weighs."""
    return _helper(word) + 1

def _helper(word):
    return len(word)

def unused(word):
    return 0
''',
    "words.py": """
from hengliang.core.closure import package_data
WORDS = set(package_data(__name__, "words.txt").read_text().split())
WORDS.add("c")
""",
    "words.txt": "a b\n",
    "rules.py": "LIMIT = 3\nOTHER = 4\n",
    "late.py": """
from hengliang.core.closure import outside_signatures

def finish(value):
    show(value)
    return value

@outside_signatures("shown, not counted")
def show(value):
    print(value)
""",
}


def plugin_checksum(folder: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        file = folder / "plugin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return printed(
        folder,
        "from plugin.main import Judge; from hengliang.core.closure import closure; print(closure(Judge).checksum)",
    )


def edited(name: str, old: str, new: str) -> dict[str, str]:
    assert old in PLUGIN[name]
    return {**PLUGIN, name: PLUGIN[name].replace(old, new)}


USED = {
    "the class": edited("main.py", "self.factor +", "self.factor -"),
    "an attribute of the class": edited("main.py", "factor = 2", "factor = 3"),
    "what numpy's name stands for": edited("main.py", "import numpy as np", "import scipy.stats as np"),
    "a function through a door": edited("weights.py", "+ 1", "+ 2"),
    "a function that a function calls": edited("weights.py", "len(word)", "len(word) + 1"),
    "a constant of a module": edited("rules.py", "LIMIT = 3", "LIMIT = 5"),
    "a function imported late": edited("late.py", "return value", "return -value"),
    "a constant changed after it was made": edited("words.py", '"c"', '"d"'),
    "a file of the package": edited("words.txt", "b", "x"),
    "where a door leads": {
        **edited("door/__init__.pyi", "weights", "others"),
        "others.py": "def weigh(word):\n    return 1\n",
    },
}
UNRELATED = {
    "a comment": edited("main.py", "# a remark", "# another remark"),
    "a docstring": edited("weights.py", "Weighs.", "Weighs a word."),
    "a function nobody calls": edited("weights.py", "return 0", "return 1"),
    "a constant nobody uses": edited("rules.py", "OTHER = 4", "OTHER = 5"),
    "blank lines and the order of imports": edited(
        "main.py",
        "import numpy as np\nfrom plugin import rules\n",
        "\n\nfrom plugin import rules\nimport numpy as np\n",
    ),
    "what is outside": edited("late.py", "print(value)", "print(value, value)"),
    "another file beside it": {**PLUGIN, "another.py": "X = 1\n"},
    "a helper's name": edited("weights.py", "_helper(", "_length("),
    "a moved module": {
        **{name: text for name, text in PLUGIN.items() if name != "late.py"},
        "main.py": PLUGIN["main.py"].replace("plugin.late", "plugin.below.last"),
        "below/__init__.py": "",
        "below/last.py": PLUGIN["late.py"],
    },
    "a merged module": {
        **{name: text for name, text in PLUGIN.items() if name != "rules.py"},
        "main.py": PLUGIN["main.py"]
        .replace("from plugin import rules\n", "LIMIT = 3\n")
        .replace("rules.LIMIT", "LIMIT"),
    },
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    return plugin_checksum(tmp_path_factory.mktemp("plain"), PLUGIN)


@pytest.mark.parametrize("files", USED.values(), ids=USED)
def test_an_edit_of_something_used_changes_the_checksum(tmp_path: Path, plain: str, files: dict[str, str]) -> None:
    assert plain != plugin_checksum(tmp_path, files)


@pytest.mark.parametrize("files", UNRELATED.values(), ids=UNRELATED)
def test_an_edit_of_something_else_changes_nothing(tmp_path: Path, plain: str, files: dict[str, str]) -> None:
    assert plain == plugin_checksum(tmp_path, files)


# --- hengliang itself, edited -----------------------------------------------------------------------------------------

KINDS = {
    "GE": "hengliang.systems.classifier_choosers.general:General",
    "slots": "hengliang.materials.classifier_slots:ClassifierSlots",
    "n-gram": "hengliang.language_models.ngram.model:NgramModel",
    "neural": "hengliang.language_models.neural.model:NeuralModel",
    "structured": "hengliang.language_models.structured.model:StructuredModel",
    "Hugging Face": "hengliang.language_models.huggingface.causal:HuggingFaceCausal",
    "segmenter": "hengliang.tagging.trained.segmenter:PkuSegmenter",
    "match": "hengliang.measures.label_match:LabelMatch",
    "accuracy": "hengliang.analyses.classification:Accuracy",
}
PROGRAM = f"""
import importlib, json
from hengliang.core.closure import closure
found = {{}}
for name, path in {KINDS!r}.items():
    module, kind = path.split(":")
    found[name] = closure(getattr(importlib.import_module(module), kind)).checksum
print(json.dumps(found))
"""


def copied_checksums(folder: Path, edit: Callable[[Path], object]) -> dict[str, str]:
    """Return the checksums of some classes after an edit of a copy of the whole package."""
    copy = folder / "hengliang"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    edit(copy)
    found: dict[str, str] = json.loads(printed(folder, PROGRAM))
    return found


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return copied_checksums(tmp_path_factory.mktemp("untouched"), lambda copy: None)


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file} has no {old!r}"
    file.write_text(text.replace(old, new), encoding="utf-8")


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    return {name for name in before if before[name] != after[name]}


def test_the_checksum_is_that_of_the_code_that_runs(untouched: dict[str, str]) -> None:
    assert untouched["GE"] == code_checksum(General) and untouched["slots"] == code_checksum(ClassifierSlots)


def test_an_unrelated_edit_changes_no_signature(tmp_path: Path, untouched: dict[str, str]) -> None:
    def edit(copy: Path) -> None:
        for name in (
            "report/html.py",
            "core/errors.py",
            "systems/classifier_choosers/rule.py",
            "language_models/perplexity_analysis.py",
        ):
            text = (copy / name).read_text(encoding="utf-8")
            (copy / name).write_text(f"{text}\n\ndef added() -> int:\n    return 1\n", encoding="utf-8")
        replaced(copy / "core/text/segmentation.py", "\ndef ", "\n# a remark\ndef ")
        (copy / "systems" / "classifier_choosers" / "zhong.py").write_text("ZHONG = '种'\n", encoding="utf-8")

    assert changed(untouched, copied_checksums(tmp_path, edit)) == set()


def test_an_edit_of_segmentation_changes_every_model_that_segments(tmp_path: Path, untouched: dict[str, str]) -> None:
    def edit(copy: Path) -> None:
        # What belongs to the character before it decides where the units of every model lie.
        replaced(copy / "core/text/segmentation.py", "_JOINER = ", "_JOINER = ASIDE = ")

    models = {"n-gram", "neural", "structured", "Hugging Face"}
    assert changed(untouched, copied_checksums(tmp_path, edit)) == {*models, "slots", "segmenter"}


def test_an_edit_of_how_words_are_joined_changes_what_joins_words(tmp_path: Path, untouched: dict[str, str]) -> None:
    def edit(copy: Path) -> None:
        replaced(copy / "core/text/segmentation.py", "STARTS_LATIN = ", "STARTS_LATIN = ASIDE = ")

    # A segmenter learns from joined words. It is found by its name: models for which it cuts sign its code beside it.
    assert changed(untouched, copied_checksums(tmp_path, edit)) == {"slots", "Hugging Face", "segmenter"}


def test_an_edit_of_a_word_list_changes_what_reads_it(tmp_path: Path, untouched: dict[str, str]) -> None:
    def edit(copy: Path) -> None:
        with (copy / "materials" / "slot_lexicon.txt").open("a", encoding="utf-8") as stream:
            stream.write("\n一个新词\n")

    assert changed(untouched, copied_checksums(tmp_path, edit)) == {"slots"}


def rewrite_imports(copy: Path, old: str, new: str) -> None:
    for file in copy.rglob("*.py*"):
        text = file.read_text(encoding="utf-8")
        if old in text:
            file.write_text(re.sub(rf"{re.escape(old)}\b", new, text), encoding="utf-8")


def test_a_moved_module_changes_no_signature(tmp_path: Path, untouched: dict[str, str]) -> None:
    def edit(copy: Path) -> None:
        for name in ("text.segmentation", "records", "text.characters"):
            former, present = copy.joinpath("core", *name.split(".")), name.replace(".", "_")
            shutil.move(former.with_suffix(".py"), copy / "core" / f"{present}_.py")
            rewrite_imports(copy, f"hengliang.core.{name} import", f"hengliang.core.{present}_ import")

    assert changed(untouched, copied_checksums(tmp_path, edit)) == set()


def test_merged_modules_change_no_signature(tmp_path: Path, untouched: dict[str, str]) -> None:
    def edit(copy: Path) -> None:
        parts = ["slot_compatibility", "slot_heads", "slot_candidates"]
        texts = [(copy / "materials" / f"{name}.py").read_text(encoding="utf-8") for name in parts]
        rest = "".join(text.replace("from __future__ import annotations", "") for text in texts)
        rest = re.sub(rf"from hengliang\.materials\.({'|'.join(parts)}) import (\([^)]*\)|[^\n]*)\n", "", rest)
        (copy / "materials" / "slot_reading.py").write_text(
            f"from __future__ import annotations\n{rest}", encoding="utf-8"
        )
        for name in parts:
            (copy / "materials" / f"{name}.py").unlink()
            rewrite_imports(copy, f"hengliang.materials.{name} import", "hengliang.materials.slot_reading import")

    assert changed(untouched, copied_checksums(tmp_path, edit)) == set()


# --- what the closure reaches -----------------------------------------------------------------------------------------


def test_every_registered_class_has_a_closure_of_its_own() -> None:
    found = {entry.kind: closure(entry.kind) for entry in entries() if entry.kind.__module__.startswith("hengliang.")}
    assert len(found) > 100
    for kind, reached in found.items():
        assert reached.reaches(kind) and len(reached.checksum) == 8
    # Two kinds of one code would be a class written twice.
    assert len({reached.checksum for reached in found.values()}) == len(found)


def test_no_name_of_ours_stays_unresolved() -> None:
    stray = {
        f"{place.module}: {found}"
        for entry in entries()
        for place, definition in closure(entry.kind).definitions.items()
        for found in definition.references
        if isinstance(found, str) and found.startswith((UNKNOWN, "hengliang"))
    }
    assert not stray


@pytest.mark.filterwarnings(r"ignore:hengliang\.label_match has moved:DeprecationWarning")
@pytest.mark.parametrize(
    "line",
    [
        "from hengliang.classifiers import label_match",
        "from hengliang import label_match",
        "import hengliang as classifiers",
    ],
    ids=["door", "old name", "module"],
)
def test_a_plug_in_reaches_through_whatever_it_imports_from(tmp_path: Path, line: str) -> None:
    called = "classifiers.classifiers.label_match" if "as classifiers" in line else "label_match"
    file = tmp_path / "plugin.py"
    file.write_text(f"{line}\n\nclass Judge:\n    def judge(self):\n        return {called}()\n", encoding="utf-8")
    assert closure(load_file(file).Judge).reaches(label_match)


def test_who_reads_or_writes_descriptions_depends_on_what_quantifiers_mean() -> None:
    for kind in (ModelReader, Greedy):
        assert closure(kind).reaches(Expression) and closure(kind).reaches(fitted_meanings)


def test_presentation_is_outside() -> None:
    reached = closure(General)
    assert not [module for module in reached.modules if "conformance" in module or "report" in module]
    assert not reached.reaches(join_words)


def test_a_reason_is_wanted_for_what_is_outside() -> None:
    with pytest.raises(ValueError, match="say why"):
        outside_signatures("")


def test_package_data_lies_beside_its_module() -> None:
    assert package_data("hengliang.materials.classifier_slots", "slot_lexicon.txt").is_file()
    assert package_data("hengliang.materials", "slot_lexicon.txt").is_file()


def test_package_data_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    files = edited("words.py", '"words.txt").read_text().split()', '"gone.txt").name')
    with pytest.raises(AssertionError, match=r"there is no gone\.txt beside this module"):
        plugin_checksum(tmp_path, files)


# --- classes without a file -------------------------------------------------------------------------------------------


def typed(text: str) -> str:
    """Return the checksum of a class that was typed into a session."""
    namespace: dict[str, object] = {"__name__": "typed_in", "OTHER": 1}
    exec(compile(text, "<session>", "exec"), namespace)
    kind = namespace["Judge"]
    assert isinstance(kind, type)
    return closure(kind).checksum


CELL = """
WEIGHT = {weight}

def weigh(word, more={more}):
    return len(word) * WEIGHT + {added} + more if word in {{"a", "b", "c", "d"}} else 0

class Judge:
    factor = {factor}

    @property
    def twice(self):
        return {twice}

    def judge(self, text):
        return weigh(text) * self.factor
"""


USUAL = {"added": 1, "factor": 2, "twice": 2, "weight": 1, "more": 0}


def test_a_class_typed_into_a_session_is_known_by_what_was_compiled() -> None:
    plain = typed(CELL.format(**USUAL))
    assert plain == typed(CELL.format(**USUAL))
    edited_cells = [CELL.format(**{**USUAL, name: value + 1}) for name, value in USUAL.items()]
    assert len({plain, *map(typed, edited_cells)}) == 1 + len(USUAL)


def test_a_class_typed_into_a_session_is_the_same_in_every_process(tmp_path: Path) -> None:
    program = (
        "from hengliang.core.closure import closure; space = {'__name__': 'typed_in'}; "
        f"exec({CELL.format(**USUAL)!r}, space); "
        "print(closure(space['Judge']).checksum)"
    )
    assert len({printed(tmp_path, program) for _ in range(3)}) == 1


# --- names and scopes -------------------------------------------------------------------------------------------------

names = st.sampled_from(["a", "b", "c"])


@given(st.lists(st.tuples(names, names), min_size=1, max_size=6))
def test_only_names_of_the_module_are_followed(pairs: list[tuple[str, str]]) -> None:
    # Each function has an argument and returns a name: it reaches another function only if the names differ.

    functions = dict(zip("xyzuvw", pairs, strict=False))
    made = (f"def {place}({argument}):\n    return {name}" for place, (argument, name) in functions.items())
    text = "\n".join(made)
    for place, (argument, name) in functions.items():
        written = definition(text + "\na = 1\nb = 2\nc = 3\n", place)
        assert written.references == (() if argument == name else (Place("m", name),))


def definition(text: str, name: str) -> Definition:
    """Return a top-level name of a module that nothing else belongs to."""
    source = Source("m", Path("m.py"))
    _enter(source, ast.parse(text).body)
    return _Writer(source, Ours(frozenset({"m"}), None)).definition(name)


DIFFERENT = [
    ("(a - b).t", "a - b.t"),
    ("(a if b else c).x", "a if b else c.x"),
    ("a[b].x", "a[b.x]"),
    ("(-a).x", "-a.x"),
    ("a + [f(x) for x in b]", "[f(x) for x in a + b]"),
    ("not [x for x in b]", "[x for x in not b]"),
    ("{**a, 'b': c}", "{'b': a, **c}"),
    ("lambda *, a=1, b: a", "lambda *, a, b=1: a"),
    ("f(a, *b)", "f(*a, b)"),
    ("a if b else c", "b if a else c"),
    ("a[1:]", "a[:1]"),
    ("f'{a}b'", "f'{a!r}b'"),
    ("1", "1.0"),
    ("'1'", "1"),
    ("b'a'", "'a'"),
]


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_expressions_are_different_texts(left: str, right: str) -> None:
    assert definition(f"k = {left}", "k").text != definition(f"k = {right}", "k").text


REACHED = {
    "a call": "helper(3)\nk = 1\nother = k",
    "a table changed": "k = {}\nk[3] = helper",
    "an increase": "k = [0]\nk[0] += helper",
    "a loop that fills a table": "k = {}\nfor i in range(3):\n    k[i] = helper(i)",
    "a condition": "k = 1\nif helper:\n    k = 2",
    "a keyword": "k = {}\nfill(t=k, by=helper)",
    "a registered kind": "@singledispatch\ndef k(x):\n    return 0\n@k.register\ndef _(x: int):\n    return helper(x)",
    "a class that takes it": "class k:\n    helper = staticmethod(helper)",
    "a default in a class": "class k:\n    def helper(self, w=helper):\n        return w",
    "an annotation": "def k(x: helper):\n    return x",
    "a decorator": "@helper\ndef k(x):\n    return x",
    "a default": "def k(x=helper):\n    return x",
    "a nested class": "def k():\n    class Inner:\n        y = helper\n    return Inner",
    "a walrus": "def k(x):\n    return [y for z in x if (y := helper(z))]",
    "a match": "def k(x):\n    match x:\n        case [first, *_]:\n            return helper(first)",
    "a global": "def k():\n    global helper\n    helper = 2",
}


@pytest.mark.parametrize("text", REACHED.values(), ids=REACHED)
def test_whatever_way_a_name_is_used_it_is_reached(text: str) -> None:
    name = "helper" if text.startswith("helper") else "k"
    made = definition("from functools import singledispatch\ndef helper(x):\n    return x\n" + text, name)
    assert Place("m", "helper") in made.references or name == "helper"


SHADOWED = {
    "an argument": "def k(helper):\n    return helper",
    "an assignment": "def k():\n    helper = 1\n    return helper",
    "a loop": "def k(x):\n    return [helper for helper in x]",
    "an exception": "def k():\n    try:\n        pass\n    except ValueError as helper:\n        return helper",
    "a pattern": "def k(x):\n    match x:\n        case {'a': helper}:\n            return helper",
    "a lambda": "k = lambda helper: helper",
    "an attribute": "def k(x):\n    return x.helper",
}


@pytest.mark.parametrize("text", SHADOWED.values(), ids=SHADOWED)
def test_a_name_of_its_own_is_not_followed(text: str) -> None:
    made = definition("def helper(x):\n    return x\n" + text, "k")
    assert Place("m", "helper") not in made.references


# --- imports of every kind --------------------------------------------------------------------------------------------

IMPORTS = {
    "late change": "from beside import helper\nTABLE = {}\nTABLE[1] = helper\nUSED = TABLE",
    "call": "from beside import helper\nhelper(3)\nUSED = helper",
    "fallback": "try:\n    from beside import helper\nexcept ImportError:\n    helper = None\nUSED = helper",
    "second": "try:\n    from no import helper\nexcept ImportError:\n    from beside import helper\nUSED = helper",
    "star": "from beside import *\nUSED = helper",
    "stars in a circle": "from circle import *\nUSED = helper",
    "module": "import beside\nUSED = beside.helper",
    "module as a value": "import beside\nUSED = vars(beside)",
    "in a class": "class USED:\n    from beside import helper",
}


@pytest.mark.parametrize("text", IMPORTS.values(), ids=IMPORTS)
def test_whatever_way_a_neighbour_is_imported_it_is_reached(tmp_path: Path, text: str) -> None:
    found = []
    for value in (1, 2):
        folder = tmp_path / str(value)
        folder.mkdir()
        (folder / "plug.py").write_text(f"{text}\n\nclass Judge:\n    used = USED\n", encoding="utf-8")
        (folder / "beside.py").write_text(f"def helper(x=0):\n    return {value}\n", encoding="utf-8")
        (folder / "circle.py").write_text("from round import *\nfrom beside import helper\n", encoding="utf-8")
        (folder / "round.py").write_text("from circle import *\n", encoding="utf-8")
        program = "from hengliang.core.closure import closure; import plug; print(closure(plug.Judge).checksum)"
        found.append(printed(folder, program))
    assert found[0] != found[1]


def test_libraries_beside_a_plug_in_are_not_its_code(tmp_path: Path) -> None:
    library = tmp_path / ".venv" / "lib" / "site-packages" / "library"
    library.mkdir(parents=True)
    (library / "__init__.py").write_text("def helper():\n    return 1\n", encoding="utf-8")
    (tmp_path / "plug.py").write_text(
        "from library import helper\n\nclass Judge:\n    used = helper\n", encoding="utf-8"
    )
    program = f"import sys; sys.path.insert(0, {str(library.parent)!r}); import plug; "
    program += "from hengliang.core.closure import closure; print(closure(plug.Judge).modules)"
    assert printed(tmp_path, program) == "['plug']"


def test_code_is_signed_as_it_was_loaded(tmp_path: Path) -> None:
    file = tmp_path / "plug.py"
    text = "from hengliang import Measure, register\n\n@register('edited')\nclass Edited(Measure):\n    size = 1\n"
    file.write_text(text, encoding="utf-8")
    kind = load_file(file).Edited
    file.write_text(text.replace("size = 1", "size = 2"), encoding="utf-8")
    signed = code_checksum(kind)
    other = tmp_path / "other.py"
    other.write_text(text.replace("edited", "edited again"), encoding="utf-8")
    twin = load_file(other).Edited
    assert signed != code_checksum(twin)  # the name under which it is registered differs
    other = tmp_path / "same.py"
    other.write_text(text.replace("size = 1", "size = 1  # a remark"), encoding="utf-8")
    assert signed == code_checksum(load_file(other).Edited)
