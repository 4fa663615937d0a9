"""Is a skeleton whole, named as asked, and never written over something?"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.cli.skeletons import PLUGIN_KINDS, new_plugin, new_study


@pytest.mark.parametrize("kind", PLUGIN_KINDS)
def test_a_plugin_is_a_package_with_an_entry_point_and_a_test(kind: str, tmp_path: Path) -> None:
    folder = new_plugin("red_panda", kind, tmp_path)
    files = {file.name for file in folder.iterdir()}
    assert files == {"red_panda.py", "test_red_panda.py", "pyproject.toml", "README.md"}
    module = ast.parse((folder / "red_panda.py").read_text())
    assert "RedPanda" in {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    assert 'red_panda = "red_panda"' in (folder / "pyproject.toml").read_text()
    assert not any("$" in file.read_text() for file in folder.iterdir())


def test_a_study_is_one_file(tmp_path: Path) -> None:
    file = new_study("red_panda", tmp_path)
    assert 'name="red_panda"' in file.read_text()


@pytest.mark.parametrize("name", ["", "1st", "für", "with space", "../up", "import", "_hidden"])
def test_a_name_that_is_no_identifier_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be a name here"):
        new_study(name, tmp_path)
    assert list(tmp_path.iterdir()) == []
