"""Folders for models, cached responses, downloaded and mirrored data on this machine.

Each follows from an environment variable of ours, or else from the XDG base directories.
"""

from __future__ import annotations

import os
from pathlib import Path


def _folder(variable: str, default: Path) -> Path:
    value = os.environ.get(variable, "").strip()
    return Path(value).expanduser() if value else default


def home() -> Path:
    """Return the folder of everything we keep for the user: `HENGLIANG_HOME`, else the XDG data folder."""
    data = _folder("XDG_DATA_HOME", Path.home() / ".local" / "share")
    return _folder("HENGLIANG_HOME", data / "hengliang")


def cache() -> Path:
    """Return the folder of cached batches: `HENGLIANG_CACHE`, else the XDG cache folder. It may be deleted any time."""
    data = _folder("XDG_CACHE_HOME", Path.home() / ".cache")
    return _folder("HENGLIANG_CACHE", data / "hengliang")


def models() -> Path:
    """Return the folder of trained models."""
    return home() / "models"


def data() -> Path:
    """Return the folder into which the catalogue downloads."""
    return home() / "data"


def mirror() -> Path | None:
    """Return the folder that stands in for every download (`HENGLIANG_MIRROR`), if one is set."""
    value = os.environ.get("HENGLIANG_MIRROR", "").strip()
    return Path(value).expanduser() if value else None
