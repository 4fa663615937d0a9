"""What does a participant put into the gap of a sentence?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hengliang.core.terms import Bilingual, Language
from hengliang.core.text.characters import SLOT_MARK
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Column, Given, Reading, Screen, Stimulus, Task
from hengliang.people.tasks.fields import field_id, field_of, sent, text_problem, tidied
from hengliang.people.tasks.names import names_fault
from hengliang.people.tasks.pieces import language_of, span_fault

SLOT = "slot"
"""The name of the span that is the gap; what the text has there is not shown."""
LONGEST = 200
QUESTION = Bilingual("Which word fits the gap best?", "空格处填哪个词最合适？")


@dataclass(frozen=True, slots=True)
class Cloze(Task):
    """One gap to fill: the stimulus's one span `slot`, or the one `<CL>` in its text."""

    name: ClassVar[str] = "cloze"
    template: ClassVar[str] = "cloze.html"
    shows_text: ClassVar[bool] = True

    question: Bilingual = QUESTION
    longest: int = 10
    scale: str = "filled"

    def fault(self) -> str | None:
        """Return why nobody can fill such a gap, or nothing."""
        if not 1 <= self.longest <= LONGEST:
            return f"longest is {self.longest}; it has to be 1 to {LONGEST} characters"
        return names_fault(self.scales())

    def scales(self) -> tuple[Scale, ...]:
        """Return the one scale, which has categories."""
        return (Scale(self.scale, self.question),)

    def columns(self) -> tuple[Column, ...]:
        """Return the text that was filled in."""
        meaning = Bilingual(
            f"{self.question.en} What was filled in, in NFC, without spaces around it.",
            f"{self.question.zh}所填内容（NFC 规范化，去除首尾空格）。",
        )
        return (Column(self.scale, "label", meaning),)

    def check(self, stimulus: Stimulus) -> str | None:
        """A stimulus needs one gap."""
        fault = span_fault(stimulus)
        if fault:
            return fault
        return None if gap_of(stimulus) else f"it needs one gap: one span '{SLOT}', or one {SLOT_MARK} in its text"

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return what stands before and after the gap."""
        field = field_of(self.scale)
        before, after = gap_of(stimulus) or (stimulus.text, "")
        return {
            "question": self.question[language],
            "field": field,
            "id": field_id(field),
            "before": before,
            "after": after,
            "lang": language_of(stimulus.text),
            "longest": self.longest,
            "width": min(max(self.longest, 3), 12),
        }

    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return what was filled in, tidied."""
        field = field_of(self.scale)
        raw = sent(form, field)
        problem = text_problem(field, raw, self.longest)
        return Reading(problems=(problem,)) if problem else Reading((Given(self.scale, label=tidied(raw)),))


def gap_of(stimulus: Stimulus) -> tuple[str, str] | None:
    """Return what stands before and after the one gap, or nothing when there is none or more than one."""
    spans = [span for span in stimulus.spans if span.name == SLOT]
    marks = stimulus.text.count(SLOT_MARK)
    if len(spans) == 1 and not marks:
        raw = stimulus.text.encode()
        start, end = spans[0].start, spans[0].end
        return raw[:start].decode(errors="replace"), raw[end:].decode(errors="replace")
    if marks == 1 and not spans:
        before, _, after = stimulus.text.partition(SLOT_MARK)
        # A segmenter's spaces beside the mark are no part of Chinese.
        return (before.rstrip(), after.lstrip()) if language_of(stimulus.text) == "zh" else (before, after)
    return None
