"""Is a library opened quietly, and a missing one named?"""

from __future__ import annotations

import sys
import warnings

import pytest

from hengliang import UserError
from hengliang.tagging.taggers.libraries import library, library_folder, library_version, quietly


def test_nothing_is_printed_or_warned(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as heard, quietly():
        print("Model loaded")
        print("Building", file=sys.stderr)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr() == ("", "")
    assert heard == []


def test_an_installed_library_is_found_without_being_imported() -> None:
    assert library("polars", "extra").__name__ == "polars"
    assert library_version("polars", "extra").count(".") >= 1
    assert (library_folder("polars", "extra") / "__init__.py").is_file()


@pytest.mark.parametrize("work", [library, library_folder, library_version])
def test_a_missing_library_is_named(work: object) -> None:
    assert callable(work)
    with pytest.raises(UserError, match=r"needs the library nosuchtagger.*pip install 'hengliang\[some\]'"):
        work("nosuchtagger", "some")


def test_a_module_that_is_no_package_has_no_version() -> None:
    with pytest.raises(UserError, match="which is not installed"):
        library_version("json", "some")  # part of Python, so that no package of this name is installed
