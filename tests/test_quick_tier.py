"""Do the quick tests reach every package, and does the list of slow files name files that are there?"""

from __future__ import annotations

from tests import ROOT
from tests.conftest import SLOW

FILES = [str(file.relative_to(ROOT)) for file in sorted((ROOT / "tests").rglob("test_*.py"))]


def test_every_entry_of_the_list_names_a_file() -> None:
    assert [entry for entry in SLOW if not any(file.startswith(entry) for file in FILES)] == []


def test_every_package_has_quick_tests() -> None:
    quick = {file.rpartition("/")[0] for file in FILES if not file.startswith(tuple(SLOW))}
    assert {file.rpartition("/")[0] for file in FILES} - quick == set()
