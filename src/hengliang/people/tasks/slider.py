"""Where between two ends does a participant put a stimulus?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from hengliang.core.settings import AsWritten
from hengliang.core.terms import Bilingual, Language
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Column, Given, Problem, Reading, Screen, Stimulus, Task
from hengliang.people.tasks.fields import UNANSWERED, decimal_number, field_id, field_of, sent
from hengliang.people.tasks.names import names_fault
from hengliang.people.tasks.pieces import span_fault

LARGEST = 1_000_000_000
QUESTION = Bilingual("How natural does this sentence sound?", "这句话听起来有多自然？")
LOW = Bilingual("not natural at all", "完全不自然")
HIGH = Bilingual("completely natural", "完全自然")


@dataclass(frozen=True, slots=True)
class SliderRating(Task):
    """A number between two ends, in steps; there is no default, and a slider that nobody moved is not answered.

    Without JavaScript the number is typed. `show_number` says whether the number stands beside the slider.
    """

    name: ClassVar[str] = "slider"
    template: ClassVar[str] = "slider.html"

    question: Bilingual = QUESTION
    low: Annotated[float, AsWritten()] = 0
    high: Annotated[float, AsWritten()] = 100
    step: Annotated[float, AsWritten()] = 1
    low_label: Bilingual = LOW
    high_label: Bilingual = HIGH
    scale: str = "rating"
    show_number: bool = True

    def fault(self) -> str | None:
        """Return why there is no such slider, or nothing."""
        for name in ("low", "high", "step"):
            if not (math.isfinite(getattr(self, name)) and abs(getattr(self, name)) <= LARGEST):
                return f"{name} is {getattr(self, name)}; it has to be a number up to {LARGEST}"
        if not self.low < self.high:
            return f"it goes from {plain(self.low)} to {plain(self.high)}; the first has to be below the second"
        if not self.step > 0 or not _steps(self.high, self):
            return f"from {plain(self.low)} to {plain(self.high)} there are no whole steps of {plain(self.step)}"
        return names_fault(self.scales())

    def scales(self) -> tuple[Scale, ...]:
        """Return the one scale."""
        return (Scale(self.scale, self.question),)

    def columns(self) -> tuple[Column, ...]:
        """Return the number."""
        low, high = plain(self.low), plain(self.high)
        return (
            Column(
                self.scale,
                "value",
                Bilingual(
                    f"{self.question.en} From {low} ({self.low_label.en}) to {high} ({self.high_label.en}).",
                    f"{self.question.zh}从 {low}（{self.low_label.zh}）到 {high}（{self.high_label.zh}）。",
                ),
            ),
        )

    def check(self, stimulus: Stimulus) -> str | None:
        """A stimulus needs a text."""
        return span_fault(stimulus) if stimulus.text.strip() else "it has no text"

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return the question, the ends, and the words of the slider."""
        field = field_of(self.scale)
        low, high = plain(self.low), plain(self.high)
        between = Bilingual(f"A number from {low} to {high}", f"{low} 到 {high} 之间的数字")
        return {
            "question": self.question[language],
            "field": field,
            "id": field_id(field),
            "low": low,
            "high": high,
            "stride": plain(self.step),
            "low_label": self.low_label[language],
            "high_label": self.high_label[language],
            "between": between[language],
            "help": _HELP[language],
            "untouched": _UNTOUCHED[language],
            "show_number": self.show_number,
        }

    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return the number; one off the grid of steps is a problem, as is none."""
        field = field_of(self.scale)
        typed = sent(form, field)
        value = decimal_number(typed)
        steps = None if value is None else _steps(value, self)
        if value is None or steps is None or not 0 <= steps <= (_steps(self.high, self) or 0):
            low, high, step = plain(self.low), plain(self.high), plain(self.step)
            wrong = Bilingual(
                f"Please give a number from {low} to {high}, in steps of {step}.",
                f"请填写 {low} 到 {high} 之间的数字，间隔为 {step}。",
            )
            return Reading(problems=(Problem(field, wrong if typed.strip() else UNANSWERED),))
        return Reading((Given(self.scale, value),))


_HELP = Bilingual(
    "Move the slider with mouse, finger or arrow keys. To choose the middle, click it or press the space bar.",
    "用鼠标、手指或方向键移动滑块。如要选择中间位置，请点击滑块或按空格键。",
)
_UNTOUCHED = Bilingual("not answered yet", "尚未作答")


def _steps(value: float, slider: SliderRating) -> int | None:
    """Return how many steps a value is above the lowest, or nothing when it is between two of them."""
    # Within what floating-point numbers can tell: 0.3 is three steps of 0.1.
    steps = (value - slider.low) / slider.step
    return round(steps) if math.isfinite(steps) and abs(steps - round(steps)) < 1e-6 else None


def plain(number: float) -> str:
    """Return a number as people write it, and as HTML takes it.

    >>> plain(100), plain(0.1), plain(-2.0), plain(0.00001)
    ('100', '0.1', '-2', '0.00001')
    """
    text = f"{number:.10f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
