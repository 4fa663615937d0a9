"""Shared parts of the tagger adapters: quiet loading of optional libraries, and batched Viterbi decoding.

The library of a tagger is opened without a word on the screen, and where it is missing an error says how to install it.
The decoder takes the scores of a network and finds the best tags of many sentences at once.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import metadata
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

from hengliang.core.errors import UserError

# --- loading of libraries ---------------------------------------------------------------------------------------------


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


# --- Viterbi decoding -------------------------------------------------------------------------------------------------
# The best path through a linear chain [1], for many sentences side by side. A step costs the same few calls of numpy
# for one sentence as for a hundred, and every sentence is worked on with the same additions and comparisons as if it
# were alone, so that its tags never depend on its neighbours.
#
# [1] Forney, G. D. (1973). The Viterbi algorithm. Proceedings of the IEEE, 61(3), 268–278.

Emissions = npt.NDArray[np.float32]
"""How well each tag (column) fits each character (row)."""

Tags = npt.NDArray[np.int64]


def best_paths(emissions: Sequence[Emissions], transitions: Emissions) -> list[Tags]:
    """Return the best tags of each sentence; `transitions[a, b]` is the score of tag b after tag a.

    Of two paths with the same score, the one whose last tag comes first in the order of tags is taken. Sentences have
    one character or more; those of about the same length are best given together.
    """
    if not emissions:
        return []
    lengths = np.array([len(table) for table in emissions], np.int64)
    order = np.argsort(-lengths, kind="stable")
    padded = np.zeros((int(lengths.max()), len(emissions), transitions.shape[0]), np.float32)
    for position, row in enumerate(order.tolist()):
        padded[: lengths[row], position] = emissions[row]
    # How many sentences are still going on at each character: the longest come first, so they are a prefix.
    alive = (lengths[:, None] > np.arange(len(padded))).sum(axis=0)
    paths = _walk_back(*_walk_forth(padded, alive, np.ascontiguousarray(transitions.T)), alive)
    places = np.argsort(order)
    return [paths[: lengths[row], places[row]].copy() for row in range(len(emissions))]


def _walk_forth(padded: Emissions, alive: Tags, into: Emissions) -> tuple[Tags, npt.NDArray[np.int16]]:
    """Return the best last tag of each sentence, and from which tag each tag of each character was best reached."""
    best = padded[0].copy()
    came_from = np.zeros(padded.shape, np.int16)
    for step in range(1, len(padded)):
        going = int(alive[step])
        scores = best[:going, None, :] + into
        source = scores.argmax(axis=2)
        came_from[step, :going] = source
        best[:going] = np.take_along_axis(scores, source[:, :, None], axis=2)[:, :, 0] + padded[step, :going]
    return best.argmax(axis=1), came_from


def _walk_back(last: Tags, came_from: npt.NDArray[np.int16], alive: Tags) -> Tags:
    steps, sentences, _ = came_from.shape
    paths = np.zeros((steps, sentences), np.int64)
    tags, rows = last.copy(), np.arange(sentences)
    for step in range(steps - 1, -1, -1):
        going = int(alive[step])
        paths[step, :going] = tags[:going]
        if step:
            tags[:going] = came_from[step, rows[:going], tags[:going]]
    return paths
