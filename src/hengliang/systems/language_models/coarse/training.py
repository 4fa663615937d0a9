"""What does a model learn from, when it sees a corpus through a preprocessing?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hengliang.core.errors import UserError
from hengliang.core.labelling.remembered import remembered_entities
from hengliang.core.labelling.texts import Texts
from hengliang.core.progress import Watcher
from hengliang.corpora.parts import Part
from hengliang.systems.language_models.coarse.entities import ReplacedEntities
from hengliang.systems.language_models.coarse.preprocessing import Preprocessor, preprocessing, representation
from hengliang.systems.language_models.corpora import Corpus


@dataclass(frozen=True, slots=True)
class SeenCorpus:
    """A corpus as a model sees it, what the representation learned from its training part, and its fingerprint."""

    corpus: Corpus
    learned: Mapping[str, Any]
    view: str


def preprocessed_corpus(corpus: Corpus, preprocess: str, watcher: Watcher) -> SeenCorpus:
    """Return the corpus as a model will see it.

    Sentences that are too short are left out of the training part only. A sentence that cannot be brought into the
    form is left out of every part.
    """
    steps = preprocessing(preprocess)
    raw = dict(corpus.parts)
    raw["train"] = Preprocessor(steps, None).long_enough(raw["train"])
    form = representation(steps.coarse)
    learned = form.learn(raw["train"]) if form is not None else {}
    worker = Preprocessor(steps, representation(steps.coarse, learned) if learned else form)
    parts: dict[Part, Texts] = {}
    for part, texts in raw.items():
        if isinstance(worker.form, ReplacedEntities):
            # Now, with progress; the entities are then found in the cache.
            remembered_entities(worker.form.recogniser, texts.contents.to_list(), watcher)
        seen = worker.see(texts)
        good = np.flatnonzero([not problem for problem in seen.problems])
        if not len(good):
            raise UserError(
                f"No sentence of the part '{part}' is left by the preprocessing '{preprocess}'.",
                valid=next((f"The first: {problem}" for problem in seen.problems if problem), "All are too short."),
            )
        parts[part] = seen.texts if len(good) == len(texts) else seen.texts.take(good)
    return SeenCorpus(replace(corpus, parts=parts), learned, worker.fingerprint())
