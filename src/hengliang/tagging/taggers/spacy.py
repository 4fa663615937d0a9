"""spaCy tagger: words and coarse or fine part-of-speech tags from a spaCy pipeline.

Tags are the coarse ones of Universal Dependencies [1] (NOUN, VERB, …), which spaCy makes from its fine tags and from
syntax, or the fine ones of the pipeline's own training corpus (NN, VBD, …). White space, to spaCy a word of its own
where there is more than one, belongs to the word after it as everywhere here.

[1] de Marneffe, M.-C., Manning, C. D., Nivre, J., Zeman, D. (2021). Universal Dependencies. Computational Linguistics
    47.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

from hengliang.core.errors import UserError
from hengliang.core.labelling.spacy_loading import USUAL_PIPELINE, Pipeline, open_pipeline
from hengliang.core.labelling.spans import Labelled, LabelledSpans
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import byte_offsets

Grain = Literal["coarse", "fine"]

# English coarse tags depend on the parser: without it they differ in 259 of 1000 sentences (spaCy 3.8). So everything
# is kept but what surely says nothing about the kind of a word.
_COARSE = frozenset(["attribute_ruler", "morphologizer"])
_FINE = frozenset(["tagger"])
_IDLE = frozenset(["ner", "beam_ner", "entity_ruler", "entity_linker", "lemmatizer", "trainable_lemmatizer", "textcat"])


@register("spacy")
class SpacyTagger(Tagger):
    """The tagger of a pipeline of spaCy, named by its package or its folder; `/fine` after it asks for fine tags."""

    title = Bilingual("Tags by spaCy", "spaCy 词性标注")
    batch_size = 2000  # it makes batches of its own of these, and is quick

    def __init__(self, pipeline: str = USUAL_PIPELINE) -> None:
        self.pipeline = pipeline
        self.name = "spacy" if pipeline == USUAL_PIPELINE else f"spacy:{pipeline}"

    @property
    def grain(self) -> Grain:
        """Whether the tags are coarse or fine."""
        return "fine" if self.pipeline.endswith("/fine") else "coarse"

    def _open(self) -> Pipeline:
        return open_pipeline(self.pipeline.removesuffix("/fine"))

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        """Return the words of each sentence, labelled by tag."""
        pipeline = self._open()
        return pipeline.read(sentences, _parts(pipeline, self.grain), _fine if self.grain == "fine" else _coarse)

    def signature(self) -> Signature:
        """Return the arguments and the code, spaCy's version, and version and checksum of the pipeline."""
        return constructor_signature(self).and_(library=self._open().signature())


def _parts(pipeline: Pipeline, grain: Grain) -> list[str]:
    """Return the parts that tag, with what they need."""
    factories = {part: pipeline.nlp.get_pipe_meta(part).factory for part in pipeline.parts}
    wanted = _FINE if grain == "fine" else _COARSE
    tagging = [part for part, factory in factories.items() if factory in wanted]
    if not tagging:
        raise UserError(
            f"The pipeline '{pipeline.name}' of spaCy gives no {grain} tags.",
            valid=f"A pipeline that does has a part {' or '.join(sorted(wanted))}; "
            f"this one has: {', '.join(pipeline.parts) or 'none'}.",
        )
    if grain == "fine":
        return pipeline.with_feeders(tagging)
    return [part for part, factory in factories.items() if factory not in _IDLE]


def _coarse(content: str, document: Any) -> list[Labelled]:
    return _words(content, [(token.idx, len(token), token.pos_) for token in document if not token.is_space])


def _fine(content: str, document: Any) -> list[Labelled]:
    return _words(content, [(token.idx, len(token), token.tag_) for token in document if not token.is_space])


def _words(content: str, tokens: Sequence[tuple[int, int, str]]) -> list[Labelled]:
    """Return the words with the white space before them, and the last one with that after it."""
    if not tokens:
        return []
    edges = [0, *(start + length for start, length, _ in tokens[:-1]), len(content)]
    offsets: list[int] = byte_offsets(content)[edges].tolist()
    return [(start, end, tag) for (start, end), (_, _, tag) in zip(pairwise(offsets), tokens, strict=True)]
