"""What does a proofreader say about a place in a text, and how sure must it be to say so?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.systems.classifier_choosers.advice import AdvisedClassifier

Fault = Literal["missing", "wrong"]

FAULTS: dict[Fault, Bilingual] = {
    "missing": Bilingual("classifier missing", "缺少量词"),
    "wrong": Bilingual("classifier doubtful", "量词可疑"),
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How much must speak against a text before something is said; the usual values were set on training text.

    `evidence` is what must be known of a noun's classifiers (a use seen counts 1, a pair listed in a dictionary 3) and
    `evidence_general` the uses that must have been seen, none of them with 个, before 个 is called doubtful.
    `kinship` is how many nouns two classifiers must share to count as exchangeable. `rare` is the probability up to
    which the chooser must agree. A chooser that was trained may also object by itself: to a classifier to which it
    gives at most `never`, if its own first choice has at least `clear`. `sure` is the least probability of what is
    suggested, if anything has as much.
    """

    evidence: int = 4
    evidence_general: int = 10
    kinship: int = 2
    rare: float = 0.002
    never: float = 0.0001
    clear: float = 0.5
    sure: float = 0.1

    def __post_init__(self) -> None:
        for name in ("evidence", "evidence_general", "kinship"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} cannot be {getattr(self, name)}.", valid="A whole number from 1.")
        for name in ("rare", "never", "clear", "sure"):
            if not 0 <= getattr(self, name) <= 1:
                raise UserError(f"{name} cannot be {getattr(self, name)}.", valid="A probability from 0 to 1.")


@dataclass(frozen=True, slots=True)
class Correction:
    """A place in a text, from byte `start` to byte `end`, with what is wrong there and what would be better.

    Where a classifier is missing the place is empty. `suggestions` are ordered, the best first, and are in the script
    of the text.
    """

    text: int
    start: int
    end: int
    fault: Fault
    written: str
    noun: str
    suggestions: tuple[AdvisedClassifier, ...]
    reason: Bilingual
    probability: float | None = None
    """What the chooser gives to the classifier that is written; None where none is."""

    def on_line(self, line: int) -> Correction:
        """Return the correction for a text that has this number."""
        return replace(self, text=line)

    def to_json(self) -> dict[str, Any]:
        """Return the correction as a JSON object; `start` and `end` are bytes of the text's UTF-8."""
        return {
            "line": self.text,
            "start": self.start,
            "end": self.end,
            "fault": self.fault,
            "written": self.written,
            "noun": self.noun,
            "probability": self.probability,
            "suggestions": [one.to_json(rank) for rank, one in enumerate(self.suggestions, 1)],
            "reason": self.reason.to_json(),
        }
