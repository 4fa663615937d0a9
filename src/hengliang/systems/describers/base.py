"""What must a system do to describe scenes?

It answers one question: what can be said of a scene, so that somebody who reads it could draw the scene? A description
is a text together with its logical form, and says how it ended: when exactly one scene was left, at the limit of its
length, or because nothing that the describer can say would have helped.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from hengliang.core.base_classes import System, answer_schema
from hengliang.core.closure import outside_signatures
from hengliang.core.conformance import Finding, examine, general_promises
from hengliang.core.errors import UserError
from hengliang.core.records import ResponseKind
from hengliang.core.registry import make
from hengliang.core.terms import Language
from hengliang.materials.quantified_expressions import Description
from hengliang.materials.quantifiers import Reading
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene, read_scene, scene_space

Ending = Literal["complete", "limit", "exhausted"]


@dataclass(frozen=True, slots=True)
class Described:
    """A description of a scene: its text, its logical form, why it ended, and how many scenes are consistent with it.

    "complete": exactly one scene is left. "limit": several are left, and the description has as many expressions as it
    may have. "exhausted": several are left, and the describer has nothing to say that is new and removes one.
    """

    text: str
    expressions: Description
    ending: Ending
    left: int


class Describer(System):
    """A system that describes scenes: derive from it, write `describe`, and everything else follows.

    The content of an item is the code of a scene, such as BS=2 RC=2. `reading` is the reading in which descriptions are
    true and complete; `longest` is how many expressions one has at most.
    """

    role: ClassVar[str] = "describer"
    kind: ClassVar[ResponseKind] = "text"
    looks_at: ClassVar[tuple[str, ...] | None] = ()
    domain: Domain = DEFAULT_DOMAIN
    language: Language = "en"
    reading: Reading = "pragmatic"
    longest: int | None = None
    """How many expressions a description has at most; None: as many as it takes."""

    @abstractmethod
    def describe(self, scenes: Sequence[Scene]) -> list[Described]:
        """Return one description a scene, in their order; chance may depend on the seed and the scene, on no more."""

    def answer(self, items: pl.DataFrame) -> pl.DataFrame:
        """Return the text of each item's scene; a code that is no scene of the domain fails with the reason."""
        read = {content: self._read(content) for content in dict.fromkeys(items["content"].to_list())}
        scenes = {content: scene for content, scene in read.items() if isinstance(scene, Scene)}
        texts = dict(zip(scenes, (said.text for said in self._descriptions_of(list(scenes.values()))), strict=True))
        rows = [
            (name, texts[content], "ok", "") if content in texts else (name, None, "failed", read[content])
            for name, content in items.select("id", "content").iter_rows()
        ]
        return pl.DataFrame(rows, schema=answer_schema("text"), orient="row")

    def _read(self, content: str) -> Scene | str:
        """Return the scene that a content writes, or why it is none."""
        try:
            scene = read_scene(content, self.domain)
            scene_space(self.domain, scene.size)
        except UserError as error:
            return str(error)
        return scene

    def _descriptions_of(self, scenes: list[Scene]) -> list[Described]:
        said = self.describe(scenes) if scenes else []
        if len(said) != len(scenes):
            raise UserError(
                f"The describer '{self.name}' returned {len(said)} descriptions for {len(scenes)} scenes.",
                remedy=f"Return one a scene, in order, then try: hengliang check {self.name}",
            )
        return said

    @outside_signatures("a conformance kit tries promises and makes no number")
    def conformance(self) -> Iterator[Finding]:
        """Try the promises of a describer on itself."""
        from hengliang.systems.describers.conformance import describer_promises

        return examine([*general_promises(self), *describer_promises(self)])


def describer(name: str, /, **options: object) -> Describer:
    """Return the describer of this name, ours or a plug-in's, made with these options.

    >>> describer("QDG-GREEDY", seed=3).seed
    3
    """
    return make("describer", name, Describer, options)
