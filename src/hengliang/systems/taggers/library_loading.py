"""How is somebody else's library opened: without a word on the screen, and with a remedy where it is missing?"""

from __future__ import annotations

import importlib
import importlib.util
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import metadata
from pathlib import Path
from types import ModuleType

from hengliang.core.errors import UserError


@contextmanager
def quietly() -> Iterator[None]:
    """Keep what a library prints and warns of while it loads away from the user."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def library(module: str, extra: str) -> ModuleType:
    """Return a module of a library, imported quietly; a missing one is an error that names the extra to install."""
    try:
        with quietly():
            return importlib.import_module(module)
    except ImportError as error:
        raise missing_library(module.partition(".")[0], extra) from error


def library_folder(package: str, extra: str) -> Path:
    """Return the folder of an installed library without importing it: a signature should not load a model."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise missing_library(package, extra)
    return Path(next(iter(spec.submodule_search_locations)))


def library_version(package: str, extra: str) -> str:
    """Return the version of an installed library without importing it."""
    library_folder(package, extra)
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError as error:
        raise missing_library(package, extra) from error


def missing_library(name: str, extra: str) -> UserError:
    """Return the error for a tagger whose library is not installed."""
    return UserError(
        f"The tagger {name} needs the library {name}, which is not installed.",
        remedy=f"Install it with: pip install 'hengliang[{extra}]'",
    )
