"""What does a participant write about a stimulus, in words of their own?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hengliang.core.terms import Bilingual, Language
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Column, Given, Reading, Screen, Stimulus, Task
from hengliang.people.tasks.fields import field_id, field_of, sent, text_problem, tidied
from hengliang.people.tasks.names import names_fault
from hengliang.people.tasks.pieces import span_fault

LONGEST = 10_000
QUESTION = Bilingual("What does this sentence mean? Say it in other words.", "这句话是什么意思？请换一种说法。")
LEFT_EMPTY = "left empty"
"""The reason of a missing answer where none was required."""


@dataclass(frozen=True, slots=True)
class FreeText(Task):
    """A text of any content; `required` says whether it may be left empty."""

    name: ClassVar[str] = "free_text"
    template: ClassVar[str] = "free_text.html"

    question: Bilingual = QUESTION
    longest: int = 1000
    rows: int = 4
    required: bool = True
    scale: str = "text"

    def fault(self) -> str | None:
        """Return why nobody can write such a text, or nothing."""
        if not 1 <= self.longest <= LONGEST:
            return f"longest is {self.longest}; it has to be 1 to {LONGEST} characters"
        if not 1 <= self.rows <= 40:
            return f"rows is {self.rows}; it has to be 1 to 40"
        return names_fault(self.scales())

    def scales(self) -> tuple[Scale, ...]:
        """Return the one scale."""
        return (Scale(self.scale, self.question),)

    def columns(self) -> tuple[Column, ...]:
        """Return the text."""
        meaning = Bilingual(
            f"{self.question.en} What was written, in NFC, without spaces around it.",
            f"{self.question.zh}所写内容（NFC 规范化，去除首尾空格）。",
        )
        return (Column(self.scale, "label", meaning),)

    def check(self, stimulus: Stimulus) -> str | None:
        """A stimulus needs a text."""
        return span_fault(stimulus) if stimulus.text.strip() else "it has no text"

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return the question and the size of the field."""
        field = field_of(self.scale)
        limit = Bilingual(f"At most {self.longest} characters.", f"最多 {self.longest} 个字符。")
        optional = Bilingual("You may leave this empty.", "可以不填。")
        return {
            "question": self.question[language],
            "field": field,
            "id": field_id(field),
            "longest": self.longest,
            "rows": self.rows,
            "required": self.required,
            "help": limit[language]
            if self.required
            else optional[language] + (" " if language == "en" else "") + limit[language],
        }

    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return what was written, tidied."""
        field = field_of(self.scale)
        raw = sent(form, field)
        if not self.required and not raw.strip():
            return Reading((Given(self.scale, status="missing", reason=LEFT_EMPTY),))
        problem = text_problem(field, raw, self.longest, lines=True)
        return Reading(problems=(problem,)) if problem else Reading((Given(self.scale, label=tidied(raw)),))
