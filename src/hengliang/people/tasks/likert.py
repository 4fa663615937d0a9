"""How much does a participant agree with each of some statements?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from hengliang.core.terms import Bilingual, Language
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Column, Given, Problem, Reading, Screen, Stimulus, Task
from hengliang.people.tasks.fields import STRANGE, UNANSWERED, field_id, field_of, sent
from hengliang.people.tasks.names import names_fault
from hengliang.people.tasks.orders import order_of
from hengliang.people.tasks.pieces import span_fault
from hengliang.people.tasks.scenes import drawn_scene, scene_fault
from hengliang.people.tasks.statement_sets import SCALES, scale_fault

Pages = Literal["together", "separate", "counterbalanced", "separate counterbalanced"]


@dataclass(frozen=True, slots=True)
class LikertRating(Task):
    """Any number of statements, each with any number of points.

    `pages`: all statements on one page (`together`), one page each (`separate`), one page with the order alternating
    from participant to participant (`counterbalanced`), or one page each in such an order (`separate counterbalanced`).
    `bilingual` shows both languages to everybody, as paper 000 did.
    """

    name: ClassVar[str] = "likert"
    template: ClassVar[str] = "likert.html"

    statements: tuple[Scale, ...] = SCALES
    pages: Pages = "together"
    bilingual: bool = False

    def fault(self) -> str | None:
        """Return why these statements cannot be asked, or nothing."""
        faults = [scale_fault(scale) for scale in self.statements]
        return names_fault(self.scales()) or next((fault for fault in faults if fault), None)

    def scales(self) -> tuple[Scale, ...]:
        """Return the statements."""
        return self.statements

    def columns(self) -> tuple[Column, ...]:
        """Return one number a statement."""
        return tuple(Column(scale.name, "value", _meaning(scale)) for scale in self.statements)

    def check(self, stimulus: Stimulus) -> str | None:
        """A stimulus needs a text; a `scene` in its details is drawn."""
        if not stimulus.text.strip():
            return "it has no text"
        return span_fault(stimulus) or scene_fault(stimulus.details.get("scene"), stimulus.details)

    def screens(self, number: int) -> tuple[Screen, ...]:
        """Return one screen, or one a statement, in the order of the participant with this number."""
        turn = number if "counterbalanced" in self.pages else 0
        names = tuple(self.statements[place].name for place in order_of(len(self.statements), turn))
        return tuple(Screen((name,)) for name in names) if "separate" in self.pages else (Screen(names),)

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return the questions of the screen, each with its answers."""
        by_name = {scale.name: scale for scale in self.statements}
        questions = [self._question(by_name[name], language) for name in screen.scales if name in by_name]
        return {"questions": questions, "scene": drawn_scene(stimulus.details.get("scene"), language, stimulus.details)}

    def _question(self, scale: Scale, language: Language) -> dict[str, Any]:
        def said(text: Bilingual) -> list[tuple[Language, str]]:
            return [("zh", text.zh), ("en", text.en)] if self.bilingual else [(language, text[language])]

        named = len(scale.options) == scale.points
        ends = scale.options if len(scale.options) == 2 and not named else ()
        answers = [
            {
                "value": str(point),
                "words": said(scale.options[point - 1]) if named else [],
                "end": said(ends[0] if point == 1 else ends[-1]) if ends and point in (1, scale.points) else [],
            }
            for point in range(1, scale.points + 1)
        ]
        field = field_of(scale.name)
        return {
            "field": field,
            "id": field_id(field),
            "statement": said(scale.statement),
            "named": named,
            "answers": answers,
        }

    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return the point chosen on each statement of the screen."""
        given: list[Given] = []
        problems: list[Problem] = []
        for scale in self.statements:
            if scale.name not in screen.scales:
                continue
            field = field_of(scale.name)
            chosen = sent(form, field)
            if chosen in {str(point) for point in range(1, scale.points + 1)}:
                given.append(Given(scale.name, float(chosen)))
            else:
                problems.append(Problem(field, STRANGE if chosen else UNANSWERED))
        given.sort(key=lambda each: screen.scales.index(each.scale))
        problems.sort(key=lambda each: screen.scales.index(each.field.removeprefix("answer-")))
        return Reading(problems=tuple(problems)) if problems else Reading(tuple(given))


def _meaning(scale: Scale) -> Bilingual:
    """Return what the numbers of a statement mean."""
    if not scale.options:
        return Bilingual(
            f"{scale.statement.en} From 1 to {scale.points}.", f"{scale.statement.zh}从 1 到 {scale.points}。"
        )
    first, last = scale.options[0], scale.options[-1]
    return Bilingual(
        f"{scale.statement.en} From 1 ({first.en}) to {scale.points} ({last.en}).",
        f"{scale.statement.zh}从 1（{first.zh}）到 {scale.points}（{last.zh}）。",
    )
