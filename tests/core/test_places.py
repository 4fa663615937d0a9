"""Are things kept where the user says?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.core import places


def test_the_variables_decide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HENGLIANG_CACHE", "~/cache")
    monkeypatch.setenv("HENGLIANG_MIRROR", str(tmp_path))
    assert places.models() == tmp_path / "home" / "models"
    assert places.data() == tmp_path / "home" / "data"
    assert places.cache() == Path.home() / "cache"
    assert places.mirror() == tmp_path


def test_without_them_the_users_own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HENGLIANG_HOME", "HENGLIANG_CACHE", "HENGLIANG_MIRROR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert places.home() == Path.home() / ".local" / "share" / "hengliang"
    assert places.cache() == tmp_path / "hengliang"
    monkeypatch.setenv("HENGLIANG_MIRROR", "  ")
    assert places.mirror() is None
