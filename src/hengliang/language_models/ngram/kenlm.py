"""KenLM models: binary and ARPA files scored by the `kenlm` module.

For the binary files of KenLM [1], which only its own library reads, and as the peer of our own look-up: the module
`kenlm` reads ARPA files too. Its log10 numbers of 32 bits become natural logarithms of 64.

[1] Heafield, K. (2011). KenLM: Faster and smaller language model queries. WMT 2011.
"""

from __future__ import annotations

from functools import cached_property
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hengliang.core.errors import UserError, file_errors
from hengliang.core.labelling.texts import Texts
from hengliang.core.signature import Signature
from hengliang.core.text.segmentation import USUAL_SEGMENTER
from hengliang.language_models.base import Conventions, LanguageModel
from hengliang.language_models.scores import Scores
from hengliang.language_models.vocabulary import UNKNOWN, scores_of_words, words_of_texts

# Typed in a text these are words that no model knows; KenLM would take the symbols for themselves, and cut at a space.
_NO_WORD = r"^<(?:unk|UNK|/?s)>$|[\s\x00]|^$"


class KenlmModel(LanguageModel):
    """A model in a binary file of KenLM, or in an ARPA file, scored by the module `kenlm`."""

    def __init__(self, file: Path, name: str = "") -> None:
        self.file = Path(file)
        self.name = name or self.file.name

    def __getstate__(self) -> dict[str, Any]:
        """Leave the open model behind: a copy opens its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_model"}

    @cached_property
    def _model(self) -> Any:
        return _open(self.file)

    def conventions(self) -> Conventions:
        """Return how the log-probabilities are to be read."""
        context = f"{self._model.order - 1} words"
        return Conventions("causal", "word", True, True, UNKNOWN, "none", context, USUAL_SEGMENTER)

    def signature(self) -> Signature:
        """Return all that can change a score, the version of KenLM's module among it."""
        return super().signature().and_(kenlm=_version())

    def score(self, texts: Texts) -> Scores:
        """Return the log-probability of each word of each text and of its end."""
        texts = words_of_texts(texts, USUAL_SEGMENTER)
        frame = pl.DataFrame({"word": texts.words})
        no_word = pl.col("word").str.contains(_NO_WORD)
        words = frame.select(pl.when(no_word).then(pl.lit(UNKNOWN)).otherwise("word"))["literal"].to_list()
        scored = [
            unit
            for start, end in pairwise(texts.offsets.tolist())
            for unit in self._model.full_scores(" ".join(words[start:end]))
        ]
        logprobs = np.array([logprob for logprob, _, _ in scored], np.float64) * np.log(10.0)
        unknown = np.array([unknown for _, _, unknown in scored], np.bool_)
        return scores_of_words(texts, logprobs, np.full(len(scored), np.nan), unknown)


def _open(path: Path) -> Any:
    try:
        import kenlm
    except ImportError as error:
        raise UserError(
            "Models in the binary format of KenLM need the library kenlm, which is not installed.",
            remedy="Install it with: pip install 'hengliang[kenlm]'",
        ) from error
    with file_errors(path, "read"), path.open("rb") as stream:
        stream.read(1)
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:
        return kenlm.Model(str(path), config)
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        # KenLM quotes the bytes of a file that is not text, and its Python module then fails on its own message.
        message = error.object.decode(errors="replace") if isinstance(error, UnicodeDecodeError) else str(error)
        # KenLM names the C++ function first; what went wrong is after the name of the exception.
        reason = " ".join(_shown(message.split("threw ")[-1].rstrip(")")).split())
        raise UserError(
            f"KenLM cannot read {path}: {reason}.",
            valid="A whole ARPA file, or a binary file that build_binary of the same KenLM wrote on such a machine.",
            remedy="Copy the file again, or build it again from its ARPA file.",
        ) from error


def _shown(text: str) -> str:
    """Return a text without what a terminal would obey instead of showing."""
    return "".join(character if character.isprintable() else " " for character in text)


def _version() -> str:
    for package in ("kenlm-ex", "kenlm"):
        try:
            return f"{package} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            continue
    return "unknown"
