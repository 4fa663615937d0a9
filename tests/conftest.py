"""What do all tests share?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Two busy cores make honest tests slow: time is no property to test here. Whoever works on the code is shown new
# examples each time; a machine that decides about somebody's change tries the same ones twice.
settings.register_profile(
    "hengliang", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("hengliang")


@pytest.fixture(autouse=True)
def private_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test away from the user's own models, cache and data."""
    monkeypatch.setenv("HENGLIANG_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("HENGLIANG_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def mirror() -> Path:
    """Give the folder of real data, or skip the test where there is none."""
    value = os.environ.get("HENGLIANG_MIRROR", "")
    if not value or not Path(value).is_dir():
        pytest.skip("HENGLIANG_MIRROR is not set to the folder of real data")
    return Path(value)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give a Chromium without a window, or skip the test where there is none."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from playwright.sync_api import sync_playwright

    programs = (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))
    program = next((found for found in programs if found), None)
    if program is None:
        pytest.skip("Chromium is not installed: apt-get install chromium fonts-noto-cjk")
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not work for root, as whom containers run.
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()
