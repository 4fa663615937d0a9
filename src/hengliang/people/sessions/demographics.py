"""What are participants asked about themselves, and which answers make sense?

Each question may be left unanswered; then nothing is stored for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hengliang.core.terms import Bilingual
from hengliang.people.tasks.base import Problem
from hengliang.people.tasks.fields import tidied, too_long, unkept, whole_number

OLDEST = 120
OTHER = "other"
"""The option beside which a text says what is meant."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question: a number, a choice (a value and its words), or a text of some length."""

    name: str
    label: Bilingual
    kind: Literal["number", "choice", "text"]
    options: tuple[tuple[str, Bilingual], ...] = ()
    other: Bilingual | None = None
    """How the text beside the option `other` is asked for."""
    hint: Bilingual | None = None
    longest: int = 200


_UNREADABLE = Bilingual("Please write this without control characters.", "请不要使用控制字符。")
_STRANGE = Bilingual("Please choose one of the options.", "请选择其中一项。")

QUESTIONS: dict[str, Question] = {
    question.name: question
    for question in (
        Question("age", Bilingual("How old are you?", "您的年龄？"), "number"),
        Question(
            "gender",
            Bilingual("What is your gender?", "您的性别？"),
            "choice",
            (
                ("female", Bilingual("female", "女")),
                ("male", Bilingual("male", "男")),
                (OTHER, Bilingual("another", "其他")),
            ),
        ),
        Question(
            "education",
            Bilingual("What is your highest finished education?", "您已完成的最高学历？"),
            "choice",
            (
                ("primary", Bilingual("primary school", "小学")),
                ("lower secondary", Bilingual("lower secondary school", "初中")),
                ("upper secondary", Bilingual("upper secondary or vocational school", "高中或中专")),
                ("college", Bilingual("college without a degree", "大专")),
                ("bachelor", Bilingual("bachelor's degree", "本科")),
                ("master", Bilingual("master's degree", "硕士")),
                ("doctorate", Bilingual("doctorate", "博士")),
            ),
        ),
        Question(
            "native_language",
            Bilingual("What is your native language?", "您的母语？"),
            "choice",
            (
                ("mandarin", Bilingual("Mandarin (Putonghua, Guoyu)", "普通话（国语）")),
                ("mandarin dialect", Bilingual("another variety of Mandarin", "官话方言")),
                ("cantonese", Bilingual("Cantonese (Yue)", "粤语")),
                ("wu", Bilingual("Wu (for example Shanghainese)", "吴语（如上海话）")),
                ("min", Bilingual("Min (for example Hokkien)", "闽语（如闽南话）")),
                ("hakka", Bilingual("Hakka", "客家话")),
                ("english", Bilingual("English", "英语")),
                (OTHER, Bilingual("another language", "其他语言")),
            ),
            other=Bilingual("If another language: which?", "如为其他语言：是哪一种？"),
        ),
        Question(
            "other_languages",
            Bilingual("Which other languages do you speak?", "您还会说哪些语言？"),
            "text",
            hint=Bilingual("for example: English, some Japanese", "例如：英语，一点日语"),
        ),
        Question(
            "region",
            Bilingual("In which region did you grow up?", "您在哪个地区长大？"),
            "text",
            hint=Bilingual("a province, a city or a country", "省份、城市或国家"),
        ),
        Question(
            "field",
            Bilingual("What is your field of study or work?", "您的专业或职业领域？"),
            "text",
        ),
    )
}
"""All questions that `survey.toml` can ask for, by name."""


def field_of(name: str) -> str:
    """Return the field of a form that answers a question."""
    return f"about-{name}"


def read_demographics(
    form: Mapping[str, str], wanted: Sequence[str], minimum_age: int
) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """Return what somebody says about themselves, by question, and what is wrong with it."""
    details: dict[str, str] = {}
    problems: list[Problem] = []
    for name in wanted:
        question = QUESTIONS[name]
        value = _read(form, question, minimum_age)
        if isinstance(value, Problem):
            problems.append(value)
        elif value:
            details[name] = value
    return details, tuple(problems)


def _read(form: Mapping[str, str], question: Question, minimum_age: int) -> str | Problem:
    field = field_of(question.name)
    typed = form.get(field, "")
    if question.kind == "number":
        return _age(field, typed, minimum_age)
    if question.kind == "text":
        return _text(field, typed, question.longest)
    if typed and typed not in {value for value, _ in question.options}:
        return Problem(field, _STRANGE)
    if question.other is None:
        return typed
    # Who says which language it is need not also have chosen "another".
    own = _text(f"{field}-other", form.get(f"{field}-other", ""), question.longest)
    return own if isinstance(own, Problem) or (own and typed in ("", OTHER)) else typed


def _age(field: str, typed: str, minimum_age: int) -> str | Problem:
    if not typed.strip():
        return ""
    age = whole_number(typed)
    if age is None or not minimum_age <= age <= OLDEST:
        return Problem(
            field,
            Bilingual(
                f"Please give your age in years, from {minimum_age} to {OLDEST}, or leave it empty.",
                f"请填写年龄（{minimum_age} 至 {OLDEST} 之间的整数），或留空。",
            ),
        )
    return str(age)


def _text(field: str, typed: str, longest: int) -> str | Problem:
    if len(typed) > longest * 4:
        return too_long(field, longest)
    if unkept(typed.strip()):
        return Problem(field, _UNREADABLE)
    text = tidied(typed)
    return too_long(field, longest) if len(text) > longest else text
