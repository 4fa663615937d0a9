"""Does the diagnosis see what is there and what is not?"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

from hengliang.core import environment
from hengliang.core.environment import Feature, diagnose, missing_library


def by_name() -> dict[str, environment.Diagnosis]:
    return {diagnosis.name: diagnosis for diagnosis in diagnose()}


def test_what_is_installed_is_shown_with_its_version() -> None:
    found = by_name()["running studies, tables, reports"]
    assert found.good
    assert "polars 2" in found.detail or "polars 1" in found.detail


def test_every_feature_names_an_extra_that_exists() -> None:
    extras = set(metadata.metadata("hengliang").get_all("Provides-Extra") or [])
    assert {feature.extra for feature in environment.FEATURES} - {""} <= extras


def test_a_missing_package_and_a_missing_program(monkeypatch: pytest.MonkeyPatch) -> None:
    features = (
        Feature("a", "figures", ("no_such_package", "numpy")),
        Feature("b", "dev", ("numpy",), ("no-such-program",), "apt-get install it"),
    )
    monkeypatch.setattr(environment, "FEATURES", features)
    found = by_name()
    assert (found["a"].detail, found["a"].remedy) == ("missing: no_such_package", "pip install 'hengliang[figures]'")
    assert (found["b"].detail, found["b"].remedy) == ("missing: no-such-program", "apt-get install it")


def test_folders_and_mirror(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "deep" / "down"))
    monkeypatch.setenv("HENGLIANG_MIRROR", str(tmp_path / "gone"))
    found = by_name()
    assert "GB free" in found["folder for models and data"].detail
    assert not found["mirror of the data catalogue"].good


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("torch.nn", "pip install 'hengliang[neural]'"),
        ("sklearn", "pip install 'hengliang[linear]'"),
        ("pandas", "pip install 'hengliang[pandas]'"),
        ("polars", "pip install 'hengliang'"),
    ],
)
def test_a_library_of_ours_that_is_not_here_names_its_extra(module: str, line: str) -> None:
    told = missing_library(ModuleNotFoundError(f"No module named {module!r}", name=module))
    assert told is not None and told.exit_code == 2
    assert line in str(told) and module.partition(".")[0] in told.problem


def test_other_imports_that_fail_are_faults() -> None:
    assert missing_library(ModuleNotFoundError("No module named 'hengliang.gone'", name="hengliang.gone")) is None
    assert missing_library(ModuleNotFoundError("unnamed")) is None
    # torch is there, and has no such thing.
    assert missing_library(ImportError("cannot import name 'Tensr' from 'torch'", name="torch")) is None


def test_every_library_of_an_extra_is_known_by_the_name_it_is_imported_by() -> None:
    distributions = metadata.packages_distributions()
    known = {package for feature in environment.FEATURES for package in feature.packages}
    held = {plain(name) for package in known for name in distributions.get(package, ())}
    installed = {plain(name) for names in distributions.values() for name in names}
    ours = [line for line in metadata.requires("hengliang") or [] if "dev" not in line]
    wanted = {plain(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in ours}
    assert "torch" in wanted
    assert (wanted & installed) - {"hengliang"} <= held


def plain(name: str) -> str:
    """Return the name of a distribution as its index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
