"""How quickly does a participant answer a question about a text?

Proposed in paper 000, section 7.3: a text with one of several classifiers is shown, a question is answered as quickly
as possible, and the times are compared. A browser's clock is coarse, and screens and keyboards add tens of milliseconds
of their own. Those are the same in all conditions of one participant, so differences within a participant mean
something; an absolute time does not. Only relative times are promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hengliang.core.terms import Bilingual, Language
from hengliang.experiments import Scale
from hengliang.people.tasks.base import Column, Given, Problem, Reading, Screen, Stimulus, Task
from hengliang.people.tasks.fields import STRANGE, decimal_number, field_id, field_of, sent, unkept
from hengliang.people.tasks.names import names_fault
from hengliang.people.tasks.pieces import language_of, span_fault

RESPONSE, TIME = "response", "reaction time"
OUTCOME_FIELD = "detail-outcome"
"""`timeout` when the time ran out before a response."""
TIMEOUT = "timeout"
DAY = 86_400_000
"""A reaction takes less than a day, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Response:
    """One way to answer: the label that is kept, the words on the button, and the key."""

    label: str
    words: Bilingual
    key: str


QUESTION = Bilingual("Does this sentence sound right?", "这句话说得通吗？")
NO_YES = (
    Response("no", Bilingual("no", "否"), "f"),
    Response("yes", Bilingual("yes", "是"), "j"),
)


@dataclass(frozen=True, slots=True)
class SpeededResponse(Task):
    """A fixation mark, a text, and a question to be answered as quickly as possible by key or button.

    The question is the stimulus's own where its details have a `question` (a text, or one in each language).
    `timeout` is in milliseconds; none: the text waits. `text_time` takes the text away after so many milliseconds.
    """

    name: ClassVar[str] = "speeded"
    template: ClassVar[str] = "speeded.html"
    needs_script: ClassVar[bool] = True
    shows_text: ClassVar[bool] = True

    question: Bilingual = QUESTION
    responses: tuple[Response, ...] = NO_YES
    fixation: int = 500
    text_time: int | None = None
    timeout: int | None = None

    def fault(self) -> str | None:
        """Return why nobody can respond so, or nothing."""
        labels, keys = ({getattr(each, part) for each in self.responses} for part in ("label", "key"))
        if len(self.responses) < 2 or len(labels) < len(self.responses) or len(keys) < len(self.responses):
            return "it needs two responses or more, with labels and keys that differ"
        for each in self.responses:
            if len(each.key) != 1 or not each.key.isascii() or not (each.key.isdigit() or each.key.islower()):
                return f"the key of '{each.label}' is '{each.key}'; it has to be a small letter or a digit"
            if not each.label.strip() or len(each.label) > 64 or unkept(each.label):
                return f"'{each.label[:20]}' is no label"
        for name, least in (("fixation", 0), ("text_time", 17), ("timeout", 100)):
            value = getattr(self, name)
            if value is not None and not least <= value <= 600_000:
                return f"{name} is {value}; it has to be {least} to 600000 milliseconds"
        return names_fault(self.scales())

    def scales(self) -> tuple[Scale, ...]:
        """Return the response and the time it took."""
        return (
            Scale(RESPONSE, self.question, options=tuple(each.words for each in self.responses)),
            Scale(TIME, Bilingual("Reaction time in milliseconds", "反应时（毫秒）")),
        )

    def columns(self) -> tuple[Column, ...]:
        """Return the response's label and the milliseconds."""
        labels = ", ".join(each.label for each in self.responses)
        return (
            Column(
                RESPONSE,
                "label",
                Bilingual(f"{self.question.en} One of: {labels}.", f"{self.question.zh}取值：{labels}。"),
            ),
            Column(
                TIME,
                "value",
                Bilingual(
                    "Milliseconds from the first frame with the text to the key press or touch, by the browser's clock."
                    " Compare within a participant only: absolute times include the delays of screen and keyboard.",
                    "从文本出现的第一帧到按键或触摸的毫秒数（浏览器时钟）。仅可在同一参与者内部比较：绝对时间包含屏幕和键盘的延迟。",
                ),
            ),
        )

    def check(self, stimulus: Stimulus) -> str | None:
        """A stimulus needs a text; a question of its own is a text, or one in each language."""
        if not stimulus.text.strip():
            return "it has no text"
        if "question" in stimulus.details and own_question(stimulus) is None:
            return 'its question is neither a text nor {"en": "…", "zh": "…"}'
        return span_fault(stimulus)

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return the question, the responses and the times; the page gives the text with its targets marked."""
        return {
            "question": (own_question(stimulus) or self.question)[language],
            "lang": language_of(stimulus.text),
            "responses": [
                {"label": each.label, "words": each.words[language], "key": each.key} for each in self.responses
            ],
            "field": field_of(RESPONSE),
            "id": field_id(field_of(RESPONSE)),
            "time_field": field_of(TIME),
            "time_id": field_id(field_of(TIME)),
            "outcome_field": OUTCOME_FIELD,
            "fixation": self.fixation,
            "text_time": self.text_time or 0,
            "timeout": self.timeout or 0,
            "said": {name: text[language] for name, text in _WORDS.items()},
        }

    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return the response and its time; a timeout, where there is one, is a missing answer with that reason."""
        response, field = sent(form, field_of(RESPONSE)), field_of(RESPONSE)
        if self.timeout and not response and sent(form, OUTCOME_FIELD) == TIMEOUT:
            return Reading(tuple(Given(name, status="missing", reason=TIMEOUT) for name in (RESPONSE, TIME)))
        if response not in {each.label for each in self.responses}:
            return Reading(problems=(Problem(field, STRANGE if response else _WORDS["unanswered"]),))
        time = decimal_number(sent(form, field_of(TIME)))
        if time is None or not 0 <= time < DAY:
            return Reading(problems=(Problem(field_of(TIME), _WORDS["untimed"]),))
        return Reading((Given(RESPONSE, label=response), Given(TIME, time)))


def own_question(stimulus: Stimulus) -> Bilingual | None:
    """Return the question that a stimulus brings along, or nothing."""
    held = stimulus.details.get("question")
    if isinstance(held, str) and held.strip():
        return Bilingual(held, held)
    if isinstance(held, Mapping) and set(held) == {"en", "zh"} and all(isinstance(text, str) for text in held.values()):
        return Bilingual(held["en"], held["zh"])
    return None


_WORDS = {
    "ready": Bilingual(
        "Put your fingers on the keys, or use the buttons. A text follows the cross. Answer as quickly as you can.",
        "请将手指放在按键上，或使用按钮。十字之后会出现文本，请尽快作答。",
    ),
    "start": Bilingual("Start", "开始"),
    "key": Bilingual("key", "按键"),
    "done": Bilingual("Your answer is recorded. Go on when you are ready.", "您的回答已记录。准备好后请继续。"),
    "timeout": Bilingual("The time is up. Go on when you are ready.", "时间到。准备好后请继续。"),
    "script": Bilingual(
        "This task measures time and needs JavaScript. Please switch it on and reload the page.",
        "此任务需要计时，必须启用 JavaScript。请启用后刷新页面。",
    ),
    "unanswered": Bilingual("Please press Start, then answer the question.", "请先按“开始”，然后回答问题。"),
    "untimed": Bilingual("The time could not be measured. Please answer once more.", "未能测得时间，请再作答一次。"),
}
