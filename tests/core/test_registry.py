"""Is everything found by its name, and is an unknown name told what there is?"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import polars as pl
import pytest

from hengliang.classifiers import ClassifierChooser
from hengliang.core import registry
from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError
from hengliang.core.records import items_frame


@pytest.fixture(autouse=True)
def own_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test register what it likes without leaving it to others."""
    registry.load_plugins()
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    monkeypatch.setattr(registry, "_broken", dict(registry._broken))
    monkeypatch.setattr(registry, "_loaded", set(registry._loaded))


class Sentences(Material):
    name = "sentences"

    def items(self) -> pl.DataFrame:
        return items_frame([])


def test_a_decorator_registers_by_role() -> None:
    registry.register("my-sentences")(Sentences)
    assert registry.find("material", "my-sentences").kind is Sentences
    assert registry.find_any("my-sentences").role == "material"
    assert registry.find_any("material:my-sentences").make().name == "sentences"


def test_our_own_parts_come_in_by_entry_points() -> None:
    names = [entry.name for entry in registry.entries("classifier chooser")]
    assert {"GE", "RULE"} <= set(names)
    assert names == sorted(names)


def test_each_of_our_names_stands_in_the_module_of_a_plugin_or_in_its_package() -> None:
    """So one plug-in is imported for it, not all, and others cannot take it."""
    modules = {point.module for point in metadata.entry_points(group=registry.GROUP)}
    ours = [entry for entry in registry.entries() if entry.kind.__module__.startswith("hengliang.")]
    assert len(ours) > 100
    for entry in ours:
        home = entry.kind.__module__
        assert home in modules or home.rpartition(".")[0] in modules, entry
        source = Path(str(sys.modules[home].__file__)).read_text(encoding="utf-8")
        assert f'"{entry.name}"' in source, entry


def test_an_unknown_name_lists_the_valid_ones() -> None:
    with pytest.raises(UserError, match=r"No classifier chooser is called 'RULES'. Did you mean RULE\?"):
        registry.find("classifier chooser", "RULES")
    with pytest.raises(UserError, match="ENSEMBLE, GE, HUMAN"):
        registry.find_any("nothing like it")


def test_two_classes_of_one_name_are_refused() -> None:
    class Other(Material):
        def items(self) -> pl.DataFrame:
            return items_frame([])

    registry.register("x")(Sentences)
    with pytest.raises(UserError, match="Two classes want to be the material 'x'"):
        registry.register("x")(Other)


def test_a_name_with_two_roles_must_be_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.register("GE")(Sentences)
    with pytest.raises(UserError, match="'classifier chooser:GE' or 'material:GE'"):
        registry.find_any("GE")
    assert registry.find_any("material:GE").kind is Sentences


def test_a_class_without_a_role_is_refused() -> None:
    with pytest.raises(UserError, match="no role in a study"):
        registry.register("x")(int)


def test_an_argument_without_default_is_named() -> None:
    class Needy(Sentences):
        def __init__(self, corpus: str) -> None:
            self.corpus = corpus

    registry.register("needy")(Needy)
    with pytest.raises(UserError, match="'corpus'"):
        registry.find("material", "needy").make()


def test_a_file_is_loaded_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("answer = 42\n")
    module = registry.load_file(file)
    assert module.answer == 42
    assert registry.load_file(str(file)) is module


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", "line 1: SyntaxError"),
        ("x = 1\n\nimport nothing_like_it\n", "line 3: ModuleNotFoundError"),
        ("x = 1\nx / 0\n", "line 2: ZeroDivisionError"),
    ],
)
def test_a_faulty_file_is_named_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(text)
    with pytest.raises(UserError, match=rf"faulty\.py, {message}"):
        registry.load_file(file)
    assert not any(name.startswith("hengliang_file_faulty") for name in sys.modules)


def test_a_file_that_is_not_there_or_not_python(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no file"):
        registry.load_file(tmp_path / "gone.py")
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(UserError, match="not a Python file"):
        registry.load_file(tmp_path / "a.txt")


def install_plugin(folder: Path, module: str) -> None:
    """Leave the metadata of a distribution as pip does, with an entry point that names the module."""
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hengliang.plugins]\n{module} = {module}\n")


def test_a_broken_plugin_is_reported_and_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('not today')\n")
    install_plugin(tmp_path, "broken")
    monkeypatch.syspath_prepend(str(tmp_path))
    broken = registry.load_plugins()
    assert [(plugin.name, plugin.reason) for plugin in broken] == [("broken", "RuntimeError: not today")]
    assert registry.find("classifier chooser", "GE").name == "GE"
    with pytest.raises(UserError, match="The plug-in broken could not be loaded: RuntimeError: not today"):
        registry.find("material", "nothing")


def test_a_thing_is_made_by_role_and_name_with_options() -> None:
    made = registry.make("classifier chooser", "GE", ClassifierChooser, {})
    assert made.name == "GE"
    with pytest.raises(UserError, match=r"classifier chooser 'GE'.*Options: "):
        registry.make("classifier chooser", "GE", ClassifierChooser, {"colour": "red"})
    with pytest.raises(UserError, match="registered as a classifier chooser, but is none"):
        registry.make("classifier chooser", "GE", int, {})


STRANGER = """
from hengliang import register
from hengliang.classifiers import ClassifierChooser


@register("of a stranger")
class Stranger(ClassifierChooser):
    name = "of a stranger"

    def choose(self, slots):
        return []


@register("DICTIONARY")
class OwnDictionary(Stranger):
    name = "DICTIONARY"
"""
ASK = """
from hengliang import registry
for name in ("of a stranger", "DICTIONARY"):
    print(registry.find("classifier chooser", name).kind.__name__)
"""


def in_a_process(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with an empty registry, and with the modules of a folder at hand."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_plugin_takes_no_name_of_ours_even_if_it_is_asked_for_first(tmp_path: Path) -> None:
    (tmp_path / "stranger.py").write_text(STRANGER, encoding="utf-8")
    install_plugin(tmp_path, "stranger")
    done = in_a_process(tmp_path, ASK)
    assert done.stdout.split() == ["Stranger", "Dictionary"], done.stderr


def test_a_file_takes_no_name_of_ours_whether_or_not_somebody_asked_for_it(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(STRANGER, encoding="utf-8")
    load = "import sys; from hengliang import registry; registry.load_file(sys.argv[1])"
    for before in ("", "from hengliang import chooser; chooser('DICTIONARY'); "):
        done = in_a_process(tmp_path, before + load, str(file))
        assert "Two classes want to be the classifier chooser 'DICTIONARY'" in done.stderr
