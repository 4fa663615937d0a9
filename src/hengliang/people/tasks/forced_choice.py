"""Which of two or more texts does a participant choose?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hengliang.core.terms import Bilingual, Language
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Column, Given, Problem, Reading, Screen, Stimulus, Task
from hengliang.people.tasks.fields import STRANGE, UNANSWERED, field_id, field_of, sent, unkept
from hengliang.people.tasks.names import names_fault
from hengliang.people.tasks.orders import order_of, turn_of
from hengliang.people.tasks.pieces import language_of, span_fault

CHOICE, SIDE = "choice", "side"
ORDER_FIELD = "detail-order"
"""The order in which the options stood on the page, as numbers of the stimulus's options: `2,1`."""
MOST_OPTIONS = 20
LONGEST_ID = 200
QUESTION = Bilingual("Which one sounds better?", "哪一个听起来更好？")


@dataclass(frozen=True, slots=True)
class Option:
    """One text to choose, and the name under which the choice is kept."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class ForcedChoice(Task):
    """One of the options in the stimulus's details: `{"options": ["…", {"id": "BERT", "text": "…"}]}`.

    The order of the options alternates from participant to participant, and differs between items; a reload keeps it.
    """

    name: ClassVar[str] = "forced_choice"
    template: ClassVar[str] = "forced_choice.html"

    question: Bilingual = QUESTION

    def fault(self) -> str | None:
        """Return why the question cannot be asked, or nothing."""
        return names_fault(self.scales())

    def scales(self) -> tuple[Scale, ...]:
        """Return the choice and the place at which it stood."""
        return (
            Scale(CHOICE, self.question),
            Scale(SIDE, Bilingual("Place of the chosen option", "所选项的位置")),
        )

    def columns(self) -> tuple[Column, ...]:
        """Return the chosen option by its own id, and its place."""
        return (
            Column(
                CHOICE,
                "label",
                Bilingual(
                    f"{self.question.en} The id of the chosen option; its text, where it has no id.",
                    f"{self.question.zh}所选项的编号；没有编号时为其文本。",
                ),
            ),
            Column(
                SIDE,
                "value",
                Bilingual(
                    "The place at which the chosen option stood, from 1 (left or top).",
                    "所选项在页面上的位置，从 1（左或上）开始。",
                ),
            ),
        )

    def check(self, stimulus: Stimulus) -> str | None:
        """A stimulus needs two or more options, all different; its text is their context and may be empty."""
        held = stimulus.details.get("options")
        if not isinstance(held, (list, tuple)) or not 2 <= len(held) <= MOST_OPTIONS:
            return f'its details need "options", a list of 2 to {MOST_OPTIONS} texts'
        options = options_of(stimulus)
        if len(options) < len(held):
            return 'an option is neither a text nor {"id": "…", "text": "…"}, or is empty'
        if len({option.id for option in options}) < len(options):
            return "two of its options have the same id"
        for option in options:
            if len(option.id) > LONGEST_ID or unkept(option.id) or option.id != option.id.strip():
                return f"the id of an option ('{option.id[:20]}') is longer than {LONGEST_ID} or not one plain line"
        return span_fault(stimulus)

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return the options in the order of this participant and item."""
        options = options_of(stimulus)
        order = order_of(len(options), turn_of(number, stimulus.about))
        field = field_of(CHOICE)
        return {
            "question": self.question[language],
            "field": field,
            "id": field_id(field),
            "order_field": ORDER_FIELD,
            "order": ",".join(str(place + 1) for place in order),
            "options": [
                {"id": options[place].id, "text": options[place].text, "lang": language_of(options[place].text)}
                for place in order
            ],
        }

    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return the chosen option by its id, and where it stood."""
        field = field_of(CHOICE)
        ids = [option.id for option in options_of(stimulus)]
        chosen = sent(form, field)
        if chosen not in ids:
            return Reading(problems=(Problem(field, STRANGE if chosen else UNANSWERED),))
        order = sent(form, ORDER_FIELD)
        orders = {
            ",".join(str(place + 1) for place in order_of(len(ids), turn)): order_of(len(ids), turn)
            for turn in range(2 * len(ids))
        }
        if order not in orders:
            lost = Bilingual("The page was not sent whole. Please answer again.", "页面未完整提交，请重新作答。")
            return Reading(problems=(Problem(field, lost),))
        side = orders[order].index(ids.index(chosen)) + 1
        return Reading((Given(CHOICE, label=chosen), Given(SIDE, float(side))))


def options_of(stimulus: Stimulus) -> tuple[Option, ...]:
    """Return the options of a stimulus; what is no option is left out."""
    held = stimulus.details.get("options")
    found: list[Option] = []
    for each in held if isinstance(held, (list, tuple)) else ():
        id, text = (each.get("id"), each.get("text")) if isinstance(each, Mapping) else (each, each)
        if isinstance(id, str) and isinstance(text, str) and id.strip() and text.strip():
            found.append(Option(id, text))
    return tuple(found)
