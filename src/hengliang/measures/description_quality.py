"""How good is the description of a scene, before any person has read it?

A description is parsed, what it says is held against the scene, and the scenes that a reader would think possible give
the number of swaps to be expected when somebody rebuilds the scene from it. So descriptions of people and of programs
are compared without an experiment, and the prediction of an experiment is there before it is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

import polars as pl

from hengliang.core.base_classes import Measure
from hengliang.core.errors import UserError
from hengliang.core.judging import NO_ITEM, Said, judgements, with_each_part
from hengliang.core.records import ResponseKind
from hengliang.core.registry import register
from hengliang.core.terms import Bilingual, Language
from hengliang.materials.quantified_expressions import Description
from hengliang.materials.quantifiers import Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene, scene_space
from hengliang.measures.reconstruction import swap_percentage
from hengliang.systems.readers.completeness import Completeness, completeness
from hengliang.systems.readers.model_reader import remembered_parse
from hengliang.systems.readers.parsing import language_of
from hengliang.systems.readers.understanding import Prior, Understanding, contradiction, expected_swaps, understand

READ_WHOLE = "read whole"
TRUE_SEMANTIC = "true (semantic)"
TRUE_PRAGMATIC = "true (pragmatic)"
CONSISTENT_SCENES = "consistent scenes"
COMPLETE = "complete"
COMPLETE_AND_TRUE = "complete and true"
EXPECTED_SWAPS = "expected swaps"
EXPECTED_SWAP_PERCENTAGE = "expected swap percentage"
EXPRESSIONS = "expressions"
LENGTH = "words or characters"
PARTS = (
    *(READ_WHOLE, TRUE_SEMANTIC, TRUE_PRAGMATIC, CONSISTENT_SCENES, COMPLETE, COMPLETE_AND_TRUE),
    *(EXPECTED_SWAPS, EXPECTED_SWAP_PERCENTAGE, EXPRESSIONS, LENGTH),
)
STATED_PARTS = (CONSISTENT_SCENES, COMPLETE, COMPLETE_AND_TRUE)
"""The parts in the reading that was asked for and no other; their label says which it was."""
UNDERSTOOD_PARTS = (EXPECTED_SWAPS, EXPECTED_SWAP_PERCENTAGE)
"""The parts of a reader, who reads semantically where no scene is left otherwise; their label says whether."""

NOTHING_READ = "nothing of the description could be read"

_WORD = re.compile(r"\w+(?:['’-]\w+)*")


def description_length(text: str) -> int:
    """Return how many words an English text has, or how many characters a Chinese one has, without punctuation.

    >>> description_length("Half of them aren't red."), description_length("一半是红色的。")
    (5, 6)
    """
    if language_of(text) == "zh":
        return sum(character.isalnum() for character in text)
    return len(_WORD.findall(text))


@register("description quality")
class DescriptionQuality(Measure):
    """What a description says, whether it is true and complete, and how far off a reader of it will be.

    The content of an item is the code of the scene (BS=2 RC=2), a response is the text. `reading` and `prior` are those
    of `understand`; `language=None` lets the characters decide. Of a text that is read in part, what was read counts.
    Consistent scenes and completeness are those of the stated reading. Only the reader whose swaps are expected falls
    back to the semantic one where no scene is left.
    """

    kinds: ClassVar[tuple[ResponseKind, ...]] = ("text",)
    title = Bilingual("Quality of a description", "描述的质量")

    def __init__(
        self,
        domain: Domain = DEFAULT_DOMAIN,
        reading: Reading = "pragmatic",
        prior: Prior = "scenes",
        language: Language | None = None,
        name: str = "description quality",
    ) -> None:
        self.domain = domain
        self.reading: Reading = reading
        self.prior: Prior = prior
        self.language: Language | None = language
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return a judgement for each part (`PARTS`) of each answer of each system."""
        contents = dict(items.select("id", "content").iter_rows())
        found: dict[tuple[str | None, str], tuple[Mapping[str, Said], Mapping[str, str]]] = {}
        asked = responses.select("item", "content", "status").iter_rows()
        keys = [(contents.get(item), content) if status == "ok" else None for item, content, status in asked]
        for key in dict.fromkeys(keys):
            if key is not None:
                found[key] = self._judged(*key)
        said = [found[key] if key is not None else ({}, {}) for key in keys]
        rows = with_each_part(responses, PARTS, [values for values, _ in said], [labels for _, labels in said])
        judge = f"model reader, {self.reading}, {self.prior} alike"
        return judgements(rows, self.name, judge, label="label", part=pl.col("part"))

    def _judged(self, code: str | None, text: str) -> tuple[Mapping[str, Said], Mapping[str, str]]:
        """Return the value of each part, or why it has none, and the reading of the parts that depend on one."""
        if code is None:
            return dict.fromkeys(PARTS, NO_ITEM), {}
        try:
            scene = read_scene(code, self.domain)
            scene_space(self.domain, scene.size)
        except UserError as error:
            return dict.fromkeys(PARTS, f"the item is no scene that can be judged: {error.problem}"), {}
        parse = remembered_parse(text, self.domain, self.language)
        said: dict[str, Said] = {
            **dict.fromkeys(PARTS, NOTHING_READ),
            READ_WHOLE: float(parse.whole),
            EXPRESSIONS: len(parse.expressions),
            LENGTH: description_length(text),
        }
        if not parse.expressions:
            return said, {}
        understood = understand(parse.expressions, scene.size, self.domain, self.reading, self.prior)
        said |= _truth(parse.expressions, scene)
        said |= _stated(completeness(parse.expressions, scene, self.reading))
        said |= _understood(understood, scene)
        return said, dict.fromkeys(STATED_PARTS, self.reading) | dict.fromkeys(UNDERSTOOD_PARTS, _how(understood))


def _truth(expressions: Description, scene: Scene) -> dict[str, Said]:
    parts: tuple[tuple[str, Reading], ...] = ((TRUE_SEMANTIC, "semantic"), (TRUE_PRAGMATIC, "pragmatic"))
    return {part: float(completeness(expressions, scene, reading).true) for part, reading in parts}


def _stated(found: Completeness) -> dict[str, Said]:
    return {
        CONSISTENT_SCENES: found.left,
        COMPLETE: float(found.complete),
        COMPLETE_AND_TRUE: float(found.complete_and_true),
    }


def _understood(understood: Understanding, scene: Scene) -> dict[str, Said]:
    if understood.contradictory:
        reason = f"the description contradicts itself. {contradiction(understood)}"
        return dict.fromkeys(UNDERSTOOD_PARTS, reason)
    swaps = expected_swaps(understood, scene)
    return {EXPECTED_SWAPS: swaps, EXPECTED_SWAP_PERCENTAGE: swap_percentage(swaps, scene.counts)}


def _how(understood: Understanding) -> str:
    return f"{understood.reading} (no scene was left pragmatically)" if understood.fell_back else understood.reading


# What users write among the measures of a study.
description_quality = DescriptionQuality
