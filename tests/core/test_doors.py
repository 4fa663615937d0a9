"""Does a door give its names when they are used, and stay cheap until then?"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hengliang
from hengliang.core.doors import exported_names

DOORS = sorted(stub.parent.name for stub in Path(hengliang.__file__).parent.glob("*/__init__.pyi"))


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `gallery` with a door, and a module that has the name of a public function."""
    folder = tmp_path / "gallery"
    folder.mkdir()
    line = (
        "from hengliang.core.doors import open_door\n\n__getattr__, __dir__, __all__ = open_door(__name__, __file__)\n"
    )
    (folder / "__init__.py").write_text(line, encoding="utf-8")
    stub = (
        "from gallery.paintings import paintings as paintings\nfrom gallery.paintings import frame as picture_frame\n"
    )
    (folder / "__init__.pyi").write_text(stub, encoding="utf-8")
    (folder / "paintings.py").write_text("def paintings(): ...\n\n\ndef frame(): ...\n\n\nHOOK = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "gallery"]:
        del sys.modules[name]


@pytest.mark.usefixtures("room")
def test_a_module_does_not_hide_the_public_name_that_it_shares() -> None:
    gallery = importlib.import_module("gallery")
    module = importlib.import_module("gallery.paintings")
    assert gallery.paintings is module.paintings
    names: dict[str, object] = {}
    exec("from gallery import paintings\nfrom gallery.paintings import HOOK\nimport gallery.paintings", names)
    assert names["paintings"] is module.paintings
    assert names["HOOK"] == 1
    assert gallery.paintings is module.paintings


@pytest.mark.usefixtures("room")
def test_a_door_lists_its_names_and_gives_them_under_other_names_too() -> None:
    gallery = importlib.import_module("gallery")
    assert gallery.__all__ == ["paintings", "picture_frame"]
    assert {"paintings", "picture_frame", "__all__"} <= set(dir(gallery))
    assert gallery.picture_frame.__name__ == "frame"
    with pytest.raises(AttributeError, match="module 'gallery' has no attribute 'frame'"):
        _ = gallery.frame
    with pytest.raises(ImportError, match="cannot import name 'frame' from 'gallery'"):
        exec("from gallery import frame")


@pytest.mark.usefixtures("room")
def test_a_name_of_a_door_can_be_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = importlib.import_module("gallery")
    monkeypatch.setattr(gallery, "paintings", "other")
    assert gallery.paintings == "other"


def test_a_stub_names_where_each_name_is_defined(room: Path) -> None:
    found = exported_names(room / "__init__.pyi")
    module = "gallery.paintings"
    assert found == {"paintings": (module, "paintings"), "picture_frame": (module, "frame")}


def test_the_doors_of_the_design_are_there() -> None:
    general = {
        "analyses",
        "core",
        "corpora",
        "language_models",
        "replication",
        "report",
        "statistics",
        "study",
        "surveys",
    }
    assert set(DOORS) == {*general, "acceptability", "classifiers", "grammar", "scenes", "tagging"}


def test_to_open_all_doors_loads_nothing_behind_them() -> None:
    code = (
        "import importlib, sys, hengliang\n"
        f"doors = [importlib.import_module('hengliang.' + name) for name in {DOORS}]\n"
        "assert all(door.__all__ and door.__doc__ for door in doors)\n"
        "print(*sorted(name for name in sys.modules if name.partition('.')[0] in\n"
        "    {'polars', 'numpy', 'scipy', 'torch', 'click', 'rich', 'hengliang'}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert found == sorted(
        ["hengliang", "hengliang.core.aliases", "hengliang.core.doors", *(f"hengliang.{d}" for d in DOORS)]
    )


def test_rooms_are_attributes_of_the_top() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import hengliang; print(hengliang.scenes.scenes.__module__, hengliang.statistics)"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "scene_sets" in done.stdout, done.stderr


def test_a_moved_name_is_told_once() -> None:
    done = subprocess.run([sys.executable, "-c", "from hengliang import label_match"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("has moved") == 1
