from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.sessions.demographics import QUESTIONS, field_of, read_demographics
from hengliang.people.sessions.settings import DEMOGRAPHICS


def read(**answers: str) -> tuple[dict[str, str], list[str]]:
    form = {field_of(name.replace("__", "-")): value for name, value in answers.items()}
    details, problems = read_demographics(form, DEMOGRAPHICS, 18)
    return details, [problem.field for problem in problems]


def test_every_question_of_the_settings_is_there_in_both_languages() -> None:
    assert tuple(QUESTIONS) == DEMOGRAPHICS
    for question in QUESTIONS.values():
        assert question.label.en
        assert question.label.zh
        assert (question.kind == "choice") == bool(question.options)


def test_nothing_needs_an_answer() -> None:
    assert read() == ({}, [])
    assert read(age=" ", gender="", region="  ") == ({}, [])


def test_what_somebody_says() -> None:
    said = {
        "age": "３６",
        "gender": "female",
        "education": "master",
        "native_language": "wu",
        "other_languages": " 英语 ",
        "region": "江苏",
        "field": "统计学",
    }
    assert read(**said) == ({**said, "age": "36", "other_languages": "英语"}, [])


@pytest.mark.parametrize("age", ["17", "121", "-20", "20.5", "twenty", "1" * 50])
def test_ages_that_cannot_be(age: str) -> None:
    assert read(age=age) == ({}, ["about-age"])


def test_the_minimum_age_is_the_survey_s() -> None:
    assert read_demographics({"about-age": "16"}, DEMOGRAPHICS, 16) == ({"age": "16"}, ())


def test_only_options_can_be_chosen() -> None:
    assert read(gender="<b>")[1] == ["about-gender"]
    assert read(education="Master")[1] == ["about-education"]


def test_another_language_is_said_beside_the_choice() -> None:
    assert read(native_language="other", native_language__other="Uyghur") == ({"native_language": "Uyghur"}, [])
    assert read(native_language="", native_language__other="Uyghur") == ({"native_language": "Uyghur"}, [])
    assert read(native_language="other") == ({"native_language": "other"}, [])
    assert read(native_language="mandarin", native_language__other="x") == ({"native_language": "mandarin"}, [])


def test_texts_have_a_length_and_no_control_characters() -> None:
    assert read(region="a" * 201)[1] == ["about-region"]
    assert read(region="a" * 100_000)[1] == ["about-region"]
    assert read(field="a\x07b")[1] == ["about-field"]
    assert read(region="a" * 200) == ({"region": "a" * 200}, [])


@given(st.dictionaries(st.sampled_from([field_of(name) for name in DEMOGRAPHICS]), st.text()))
def test_whatever_is_sent_each_question_has_an_answer_a_problem_or_nothing(form: dict[str, str]) -> None:
    details, problems = read_demographics(form, DEMOGRAPHICS, 18)
    wrong = {problem.field for problem in problems}
    for name in DEMOGRAPHICS:
        assert not (name in details and field_of(name) in wrong)
    assert all(value.strip() for value in details.values())
