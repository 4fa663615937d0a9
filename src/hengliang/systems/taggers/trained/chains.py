"""How is a linear chain learned from labelled sequences, and asked for the labels of a new one?

The chain is a conditional random field [1] as the library CRFsuite [2] trains and decodes it. The library draws the
order of the training sequences from the C library's one generator of random numbers. We set that generator before every
training, so that equal sequences, settings and seed give the same model, byte for byte, whatever was done before.

[1] Lafferty, J., McCallum, A., & Pereira, F. (2001). Conditional random fields. ICML 2001, 282–289.
[2] Okazaki, N. (2007). CRFsuite: a fast implementation of conditional random fields. http://www.chokkan.org/software/crfsuite/
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

from hengliang.core.errors import Failure, UserError, file_errors, unknown_name
from hengliang.core.progress import Steps, Watcher
from hengliang.systems.taggers.trained.features import Features

Algorithm = Literal["l2sgd", "lbfgs", "ap", "pa"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
"""How weights are found: stochastic gradients, L-BFGS, the averaged perceptron, passive-aggressive updates."""

_PENALISED = ("l2sgd", "lbfgs")


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """How a chain is learned: passes over the sequences, the penalty, and how often a feature must occur with a label.

    The penalty does not count where weights are found by updates alone (`ap`, `pa`).
    """

    algorithm: Algorithm = "l2sgd"
    passes: int = 15
    penalty: float = 0.5
    least: int = 2

    def parameters(self) -> dict[str, float]:
        """Return the settings under the library's names, or say which of them cannot be."""
        if self.algorithm not in ALGORITHMS:
            raise unknown_name("algorithm", self.algorithm, ALGORITHMS)
        for name, held, lowest in (("passes", self.passes, 1), ("penalty", self.penalty, 0), ("least", self.least, 0)):
            if not lowest <= held < float("inf"):
                raise UserError(f"The setting {name} is {held}.", valid=f"{name} is a number from {lowest} on.")
        found = {"max_iterations": self.passes, "feature.minfreq": float(self.least)}
        return {**found, "c2": self.penalty} if self.algorithm in _PENALISED else found


def train_chain(
    path: Path,
    sequences: Iterable[tuple[Features, list[str]]],
    settings: ChainSettings,
    seed: int,
    watcher: Watcher,
    what: str,
) -> None:
    """Learn from sequences of features with their labels, and write the model; `what` is shown while it is learned."""
    crfsuite = crfsuite_library()
    with watcher.watch(what, settings.passes) as steps:
        trainer = _trainer(crfsuite, settings, steps)
        for features, labels in sequences:
            trainer.append(features, labels)
        ctypes.CDLL(None).srand(seed)
        beside = path.with_name(f".{path.name}.tmp")
        with file_errors(path, "write"):
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.unlink(missing_ok=True)
            trainer.train(str(beside))
            if not beside.is_file():
                raise Failure(f"CRFsuite wrote no model to {path.parent}.")
            beside.replace(path)


def _trainer(crfsuite: ModuleType, settings: ChainSettings, steps: Steps) -> Any:
    class WatchedTrainer(crfsuite.Trainer):  # type: ignore[misc, name-defined]
        """Counts the passes by what the library says."""

        def message(self, message: str) -> None:
            """Hear one line of the library's log."""
            if message.startswith(("***** Epoch #", "***** Iteration #")):
                steps.advance()

    return WatchedTrainer(algorithm=settings.algorithm, params=settings.parameters(), verbose=False)


def open_chain(path: Path) -> Any:
    """Return the library's decoder for a model file: `tag(features)` gives the best labels."""
    crfsuite = crfsuite_library()
    opened = crfsuite.Tagger()
    with file_errors(path, "read"):
        path.stat()
    try:
        opened.open(str(path))
    except ValueError as error:
        raise UserError(f"{path} is no model of CRFsuite.", remedy="Train the tagger again.") from error
    return opened


def crfsuite_library() -> ModuleType:
    """Return the library, or say how to install it."""
    try:
        import pycrfsuite
    except ImportError as error:
        raise UserError(
            "The tagger crf needs the library python-crfsuite, which is not installed.",
            remedy="Install it with: pip install 'hengliang[taggers]'",
        ) from error
    found: ModuleType = pycrfsuite
    return found
