"""Which entities does a pipeline of spaCy find?

The English and Chinese pipelines of spaCy give the eighteen types of OntoNotes. Those of other languages give PER, LOC,
ORG and MISC: PER is our PERSON, and MISC, which says nothing of what a thing is, is left out. An entity is given as
spaCy gives it, an article at its beginning included, without the white space around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from hengliang.core.errors import UserError
from hengliang.core.labelling.recognisers import ENTITY_TYPES, Recogniser
from hengliang.core.labelling.spacy_loading import USUAL_PIPELINE, Pipeline, open_pipeline
from hengliang.core.labelling.spans import Labelled, LabelledSpans
from hengliang.core.registry import register
from hengliang.core.signature import Signature, constructor_signature
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import byte_offsets

SAME_TYPE = {"PER": "PERSON"}
LEFT_OUT = frozenset(["MISC"])

_ASSIGNS = ("doc.ents",)
_ANY_LANGUAGE = "xx"


@register("spacy")
class SpacyRecogniser(Recogniser):
    """The entity recogniser of a pipeline of spaCy, named by its package or its folder."""

    types: ClassVar[tuple[str, ...]] = tuple(ENTITY_TYPES)
    title = Bilingual("Entities by spaCy", "spaCy 命名实体")

    def __init__(self, pipeline: str = USUAL_PIPELINE) -> None:
        self.pipeline = pipeline
        self.name = "spacy" if pipeline == USUAL_PIPELINE else f"spacy:{pipeline}"

    def recognise(self, contents: Sequence[str]) -> LabelledSpans:
        """Return the entities of each text."""
        pipeline = open_pipeline(self.pipeline)
        return pipeline.read(contents, _parts(pipeline), _entities)

    def language(self) -> str:
        """Return the language of the pipeline: packages are called by it (`en_core_web_sm`), others are asked."""
        named = re.match(r"([a-z]{2,3})_", self.pipeline)
        code = named[1] if named else str(open_pipeline(self.pipeline).nlp.lang)
        return "" if code == _ANY_LANGUAGE else code

    def signature(self) -> Signature:
        """Return the arguments and the code, spaCy's version, and version and checksum of the pipeline."""
        return constructor_signature(self).and_(library=open_pipeline(self.pipeline).signature())


def _parts(pipeline: Pipeline) -> list[str]:
    """Return the parts that find entities, with what they need."""
    parts = pipeline.parts_that_assign(_ASSIGNS)
    if not parts:
        raise UserError(
            f"The pipeline '{pipeline.name}' of spaCy finds no entities.",
            valid=f"A pipeline that does has a part 'ner'; this one has: {', '.join(pipeline.parts) or 'none'}.",
        )
    labels = {label for part in parts for label in getattr(pipeline.nlp.get_pipe(part), "labels", ())}
    strange = sorted(labels - set(ENTITY_TYPES) - set(SAME_TYPE) - LEFT_OUT)
    if strange:
        raise UserError(
            f"The pipeline '{pipeline.name}' of spaCy gives entities of the type {strange[0]}.",
            valid=f"Types: {', '.join([*ENTITY_TYPES, *SAME_TYPE, *sorted(LEFT_OUT)])}.",
            remedy="Write a recogniser of your own that maps its types to these.",
        )
    return pipeline.with_feeders(parts)


def _entities(content: str, document: Any) -> list[Labelled]:
    found = [
        (entity.start_char, entity.end_char, SAME_TYPE.get(entity.label_, entity.label_))
        for entity in document.ents
        if entity.label_ not in LEFT_OUT
    ]
    if not found:
        return []
    offsets = byte_offsets(content)
    return [(int(offsets[start]), int(offsets[end]), label) for start, end, label in found]
