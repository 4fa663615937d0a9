"""What do all tests share?"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.tracing import traced_at_first, untraced

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Two busy cores make honest tests slow: time is no property to test here. Whoever works on the code is shown new
# examples each time; a machine that decides about somebody's change tries the same ones twice. A property that says
# nothing else is tried on fifty examples, or on as many as HENGLIANG_EXAMPLES says.
settings.register_profile(
    "hengliang",
    deadline=None,
    max_examples=int(os.environ.get("HENGLIANG_EXAMPLES", "50")),
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("hengliang")

# These files take longest. They come first, so that no process is left alone with one of them at the end.
LONGEST = (
    "tests/test_docs.py",
    "tests/test_clean_environment.py",
    "tests/studies/",
    "tests/cli/",
    "tests/people/",
    "tests/systems/language_models/",
    "tests/report/",
    "tests/materials/",
)
_numbers = itertools.count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the longest files to the front; within a file, and among the others, the order stays."""

    def rank(item: pytest.Item) -> int:
        return next((place for place, path in enumerate(LONGEST) if item.nodeid.startswith(path)), len(LONGEST))

    items.sort(key=rank)


# Thousands of tests and the modules of all of them live as long as the process. Whoever looks for what can be thrown
# away need not look among them: not while they are collected, and not afterwards either.
def pytest_collectstart() -> None:
    """Let memory be while tests are collected."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave out what is there by now whenever memory is tidied up."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Leave the lines of a test on much data untraced, with all that it sets up."""
    if item.get_closest_marker("untraced") is None:
        return (yield)
    with untraced():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Leave the later examples of a property untraced."""
    handle = getattr(getattr(item, "obj", None), "hypothesis", None)
    if handle is None:
        return (yield)
    with traced_at_first(handle):
        return (yield)


@pytest.fixture(scope="session")
def all_places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the private places of all tests; thousands of folders beside each other are slow to number."""
    return tmp_path_factory.mktemp("places")


@pytest.fixture(autouse=True)
def private_places(all_places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every test away from the user's own models, cache and data."""
    own = all_places / str(next(_numbers))
    for name in ("home", "cache"):
        (own / name).mkdir(parents=True)
        monkeypatch.setenv(f"HENGLIANG_{name.upper()}", str(own / name))


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
