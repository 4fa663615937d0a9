"""What does a working study or plug-in look like that one can start from?"""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template
from typing import Literal, get_args

from hengliang.core.closure import package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.files import write_text
from hengliang.core.signature import version

PluginKind = Literal["chooser", "material", "measure", "analysis"]
PLUGIN_KINDS: tuple[PluginKind, ...] = get_args(PluginKind)


def _filled(template: str, name: str) -> str:
    text = package_data(__name__, "skeleton_files", f"{template}.txt").read_text(encoding="utf-8")
    words = [word.capitalize() for word in name.split("_") if word]
    return Template(text).substitute(name=name, class_name="".join(words), version=version())


def _checked(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii() or name.startswith("_"):
        raise UserError(
            f"'{name}' cannot be a name here.",
            valid="Use small letters, digits and '_', beginning with a letter: my_chooser.",
        )
    return name


def _fresh(path: Path) -> Path:
    if path.exists():
        raise UserError(f"{path} is there already.", remedy="Choose another name, or remove it first.")
    return path


def new_study(name: str, folder: Path) -> Path:
    """Write a study file that runs as it is, and return its path."""
    file = _fresh(folder / f"{_checked(name)}.py")
    write_text(file, _filled("study", name))
    return file


def new_plugin(name: str, kind: str, folder: Path) -> Path:
    """Write a plug-in package that installs and passes its conformance kit as it is, and return its folder."""
    if kind not in PLUGIN_KINDS:
        raise unknown_name("kind of plug-in", kind, PLUGIN_KINDS)
    package = _fresh(folder / _checked(name))
    write_text(package / f"{name}.py", _filled(kind, name))
    write_text(package / f"test_{name}.py", _filled("plugin_test", name))
    write_text(package / "pyproject.toml", _filled("plugin_project", name))
    write_text(package / "README.md", _filled("plugin_readme", name))
    return package
