"""How does a sentence look when every word is seen by its class only?

The classes are learned from the training texts: words that stand between the same words share one [1]. A word that
training saw too rarely has the class `<class:unknown>`, and so has every word that it did not see at all: what a model
learns of the rare words holds for the unknown ones.

[1] Brown, P. F., Della Pietra, V. J., de Souza, P. V., Lai, J. C., Mercer, R. L. (1992). Class-based n-gram models of
    natural language. Computational Linguistics 18.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.labelling.texts import Texts
from hengliang.core.signature import Signature, code_checksum, digest
from hengliang.systems.language_models.coarse.exchange_clustering import ITERATIONS, exchange_clusters
from hengliang.systems.language_models.coarse.representation import Coarse, Representation, symbol, without_reserved
from hengliang.systems.language_models.vocabulary import SEEN_AT_LEAST, UNKNOWN

KIND = "class"
UNKNOWN_CLASS = symbol(KIND, "unknown")
"""The class of words that training saw too rarely or not at all."""


class WordClasses(Representation):
    """Sentences in which each word stands as the symbol of its class.

    `learned` is what `learn` returned for the training texts; without it there are no classes yet. Words seen fewer
    than `least` times are not put into one.
    """

    def __init__(
        self,
        classes: int = 100,
        learned: Mapping[str, Any] = MappingProxyType({}),
        least: int = SEEN_AT_LEAST,
        iterations: int = ITERATIONS,
    ) -> None:
        self.classes = classes
        self.learned = learned
        self.least = least
        self.iterations = iterations

    def learn(self, texts: Texts) -> dict[str, Any]:
        """Put the words of training texts into classes: `{"classes": n, "words": {word: class}}`, frequent words first.

        A million words and a hundred classes take some ten seconds.
        """
        words = without_reserved(texts).words
        counted = (
            pl.DataFrame({"word": words})
            .group_by("word")
            .agg(count=pl.len().cast(pl.Int64))
            .sort("count", "word", descending=[True, False])
            .with_row_index("id")
        )
        if not counted.height:
            raise UserError("The training texts have no words to put into classes.", valid="Texts with words.")
        ids = pl.DataFrame({"word": words}).join(counted, on="word", how="left", maintain_order="left")["id"]
        found = exchange_clusters(
            ids.to_numpy(), texts.offsets, counted.height, self.classes, iterations=self.iterations, least=self.least
        )
        held = zip(counted["word"].to_list(), found.classes.tolist(), strict=True)
        kept = {word: number for word, number in held if number < self.classes and word != UNKNOWN}
        return {"classes": self.classes, "words": kept}

    def coarsen(self, texts: Texts) -> Coarse:
        """Return the texts with the class of every word in its place; a class is one word, so no length changes."""
        known = self._known
        words = pl.DataFrame({"word": without_reserved(texts).words})
        symbols = words.join(known, on="word", how="left", maintain_order="left")["symbol"].fill_null(UNKNOWN_CLASS)
        counts = pl.Series("words", np.diff(texts.offsets))
        return Coarse(replace(texts, words=symbols.alias("word")), ("",) * len(texts), counts)

    def signature(self) -> Signature:
        """Return how many classes there are and a checksum of what was learned."""
        return Signature.of(
            replaced="words by classes",
            code=code_checksum(type(self)),
            classes=self.classes,
            least=self.least,
            iterations=self.iterations,
            learned=self._checksum,
        )

    @cached_property
    def _checksum(self) -> str:
        if not self.learned:
            return "nothing"
        return digest(json.dumps(dict(self.learned), sort_keys=True, ensure_ascii=False))

    @cached_property
    def _known(self) -> pl.DataFrame:
        """The words that have a class, each with its symbol."""
        if not self.learned:
            raise UserError(
                "No word has a class yet.",
                remedy="Learn the classes first: WordClasses(n, WordClasses(n).learn(training_texts)).",
            )
        words = self.learned.get("words")
        if self.learned.get("classes") != self.classes or not isinstance(words, Mapping):
            raise UserError(
                f"What was learned does not hold the words of {self.classes} classes, "
                f"but of {self.learned.get('classes', 'no')}.",
                valid="What learn() returned, with the same number of classes.",
                remedy="Train the model again, or copy its folder again.",
            )
        symbols = [symbol(KIND, str(number)) for number in words.values()]
        return pl.DataFrame({"word": list(words), "symbol": symbols}, schema={"word": pl.String, "symbol": pl.String})
