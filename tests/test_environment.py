"""Does the diagnosis see what is there and what is not?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import environment
from hengliang.environment import Feature, diagnose


def by_name() -> dict[str, environment.Diagnosis]:
    return {diagnosis.name: diagnosis for diagnosis in diagnose()}


def test_what_is_installed_is_shown_with_its_version() -> None:
    found = by_name()["running studies, tables, reports"]
    assert found.good
    assert "polars 2" in found.detail or "polars 1" in found.detail


def test_every_feature_names_an_extra_that_exists() -> None:
    from importlib import metadata

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
