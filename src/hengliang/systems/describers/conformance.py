"""Does a describer keep its promises?

The kit puts scenes of the describer's own domain to it, large and small, crowded and empty ones, and tries one promise
at a time. Ours and a user's own describers run it alike: `hengliang check NAME`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import polars as pl

from hengliang.core.base_classes import check_answers
from hengliang.core.conformance import Promise
from hengliang.core.labelling.same_answers import SameAnswers
from hengliang.core.records import Item, items_frame
from hengliang.materials.quantified_expressions import consistent, is_true
from hengliang.materials.scenes import Scene, SceneSpace, scene_space
from hengliang.systems.describers.base import Described, Describer, Ending
from hengliang.systems.readers.parsing import parse_description

SIZES = (1, 2, 4, 6, 9)
MOST_SCENES = 60_000
"""A size that has more scenes than this in the describer's domain is left out: the kit should not take minutes."""


def scene_items(codes: Iterable[str]) -> pl.DataFrame:
    """Return the item table of codes of scenes."""
    return items_frame(
        Item(f"scene-{number}", f"scene-{number}", "conformance", "", code) for number, code in enumerate(codes, 1)
    )


def describer_promises(describer: Describer) -> list[Promise]:
    """Return what every describer promises; `hengliang.core.conformance.examine` tries it."""
    kit = _Kit(describer)
    return [
        ("describes ordinary scenes", kit.each(_says_something)),
        ("what it says is true of the scene", kit.each(kit.says_what_is_true)),
        ("tells how many scenes are left", kit.each(kit.counts_what_is_left)),
        ("is complete when exactly one scene is left", kit.each(_completeness)),
        ("tells truly why it ended", kit.each(kit.ends_honestly)),
        ("stays within its length", kit.each(kit.keeps_its_length)),
        ("its text can be read back", kit.each(kit.reads_back)),
        ("its answer is the text of its description", kit.answers_with_the_text),
        *kit.same.promises(),
        ("a copy made by pickling gives the same answer", kit.same_when_pickled),
        ("an empty table gives an empty table", kit.nothing_for_nothing),
        ("a code that is no scene gets a reason", kit.gives_a_reason),
    ]


@dataclass(frozen=True)
class _Kit:
    """The promises about one describer; each method returns a counterexample or nothing."""

    describer: Describer

    @cached_property
    def scenes(self) -> list[Scene]:
        """Of each size the first scene, where one kind has all things, the last one, and five between them."""
        domain = self.describer.domain
        found = []
        for size in SIZES:
            if SceneSpace(domain, size).number <= MOST_SCENES:
                space = scene_space(domain, size)
                rows = space.counts[sorted({step * (space.number - 1) // 6 for step in range(7)})]
                found += [Scene(tuple(row), domain) for row in rows.tolist()]
        return found

    @cached_property
    def said(self) -> list[Described]:
        return self.describer.describe(self.scenes)

    @cached_property
    def items(self) -> pl.DataFrame:
        return scene_items(scene.code for scene in self.scenes)

    def _texts(self, items: pl.DataFrame) -> list[str | None]:
        return check_answers(self.describer.answer(items), items, self.describer)["content"].to_list()

    def each(self, fault: Callable[[Scene, Described], str]) -> Callable[[], str]:
        def counterexample() -> str:
            if len(self.said) != len(self.scenes):
                return f"{len(self.said)} descriptions of {len(self.scenes)} scenes"
            for scene, described in zip(self.scenes, self.said, strict=True):
                problem = fault(scene, described)
                if problem:
                    return f"{scene.code}, {described.text!r}: {problem}"
            return ""

        return counterexample

    def says_what_is_true(self, scene: Scene, described: Described) -> str:
        reading = self.describer.reading
        wrong = next((one for one in described.expressions if not is_true(one, scene, reading)), None)
        return f"{wrong} is not true in the {reading} reading" if wrong else ""

    def counts_what_is_left(self, scene: Scene, described: Described) -> str:
        space = scene_space(scene.domain, scene.size)
        left = consistent(described.expressions, space, self.describer.reading).bit_count()
        return "" if left == described.left else f"{left} scenes are left, and it says {described.left}"

    def ends_honestly(self, scene: Scene, described: Described) -> str:
        if described.ending not in get_args(Ending):
            return f"'{described.ending}' is no ending"
        longest, length = self.describer.longest, len(described.expressions)
        if described.ending == "limit" and (longest is None or length < longest):
            return f"it ended at a limit of {longest} with {length}"
        if described.ending == "exhausted" and length == longest:
            return f"it ended because nothing would help, and not at its limit of {longest}"
        return ""

    def keeps_its_length(self, scene: Scene, described: Described) -> str:
        longest, length = self.describer.longest, len(described.expressions)
        return f"{length} expressions, and {longest} is the limit" if longest is not None and length > longest else ""

    def reads_back(self, scene: Scene, described: Described) -> str:
        parse = parse_description(described.text, self.describer.domain, self.describer.language)
        if parse.unread:
            return f"{parse.unread[0]!r} cannot be read"
        said, read = (list(map(str, one)) for one in (described.expressions, parse.expressions))
        return "" if parse.expressions == described.expressions else f"{said} was meant, and {read} is read"

    @cached_property
    def same(self) -> SameAnswers:
        return SameAnswers(self.items, self._texts)

    def answers_with_the_text(self) -> str:
        return self.same.difference([described.text for described in self.said])

    def same_when_pickled(self) -> str:
        copy: Describer = pickle.loads(pickle.dumps(self.describer))
        return self.same.difference(_Kit(copy)._texts(self.items))

    def nothing_for_nothing(self) -> str:
        count = max(len(self._texts(self.items.clear())), len(self.describer.describe([])))
        return f"{count} answers to nothing" if count else ""

    def gives_a_reason(self) -> str:
        code = self.describer.domain.codes[0]
        for content in ("", "three things", f"{code}=-1", f"{code}=1 {code}=1", f"{code}=0", "QQ=4", f"{code}=100000"):
            items = scene_items([content, f"{code}=4"])
            answers = check_answers(self.describer.answer(items), items, self.describer)
            if answers["status"].to_list() != ["failed", "ok"] or not answers["reason"][0]:
                return f"{content!r}: {answers['status'][0]}, {answers['reason'][0]!r}"
        return ""


def _says_something(scene: Scene, described: Described) -> str:
    return "" if described.text.strip() and described.expressions else "it says nothing"


def _completeness(scene: Scene, described: Described) -> str:
    complete = described.ending == "complete"
    return "" if complete == (described.left == 1) else f"{described.ending}, and {described.left} scenes are left"
