"""Which invented language models stand for trained ones in the tests of studies?

Their surprisals are drawn by a hash of the words so far and the seed, so that they vary and are the same each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

from hengliang.core import AttributeValue as Attribute
from hengliang.core import ScoredUnit
from hengliang.language_models import Conventions, LanguageModel, Scores, Texts, TrainedModel, scores_of


class Invented(LanguageModel):
    """A model with the name, seed and traits of a trained one, and surprisals between 0 and 10 nats."""

    def __init__(self, name: str = "", seed: int | None = None, architecture: str = "lstm", trees: str = "") -> None:
        self.name = name
        self.seed = seed
        self.architecture = architecture
        self.trees = trees

    def conventions(self) -> Conventions:
        return Conventions("causal", "word", False, False, "none", "none", "nothing", "rjieba")

    def traits(self) -> Mapping[str, Attribute]:
        return MappingProxyType(
            {
                "architecture": self.architecture,
                "structured": self.architecture in ("rnng", "plm"),
                "trees": self.trees or None,
                "data": "invented",
                **dict.fromkeys(("parameters", "vocabulary", "training_words", "training_seconds"), 1.0),
            }
        )

    def score(self, texts: Texts) -> Scores:
        found = []
        for text in texts.with_words("rjieba"):
            so_far = f"{self.name} {self.seed}"
            units = []
            for word, (start, end) in zip(text.words, text.spans, strict=True):
                so_far += f" {word}"
                drawn = int.from_bytes(hashlib.blake2b(so_far.encode(), digest_size=4).digest()) / 2**32
                units.append(ScoredUnit(start, end, -10 * drawn, None))
            found.append(units)
        return scores_of(found)


def invented(model: TrainedModel) -> Invented:
    """Return an invented model in the place of a trained one."""
    trees = model.trees or ("given" if model.architecture in ("rnng", "plm") else "")
    return Invented(model.name, model.seed, model.architecture, trees)
