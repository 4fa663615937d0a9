"""Does the methods paragraph say what is known, and only that?"""

from __future__ import annotations

import re
from pathlib import Path

from hengliang import Bilingual
from hengliang.people.collected.answers import read_collected
from hengliang.people.collected.methods import NOT_STATED, methods_paragraph
from hengliang.people.collected.study_facts import StudyFacts
from hengliang.people.design.item_files import read_items
from hengliang.people.design.list_division import Lists
from hengliang.people.design.survey_design import Wanted, design_survey
from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.survey import read_survey
from hengliang.people.storage.engines import database_url
from hengliang.people.tasks.likert import LikertRating
from tests.people.collected.answered import answered_survey, person, six_readers, store


def test_everything_that_is_known_is_said_in_both_languages(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e", ethics="Board 12, approval 7", payment=Bilingual("5 euros", "五欧元"))
    url = database_url(survey.folder)
    six_readers(url)
    store(url, [person("w", status="withdrawn"), person("x", status="excluded", reason="bot-like")])
    text = methods_paragraph(StudyFacts(survey, read_collected(url)))
    for said in (
        "8 target stimuli, variants of 4 items",
        "3 systems (CORPUS, BERT, RULE)",
        "Further stimuli: catch items with a known answer 1, repeated items 1.",
        "one list of 10 presentations",
        "at least 2 places apart (seed 1)",
        "Checked by the software: checked for the test.",
        "“This sentence was written by a native speaker.” (1 to 7, strongly disagree to strongly agree)",
        "8 people gave consent: 6 finished, 0 did not (their answers are in the data), 1 withdrew",
        "1 were excluded. Reasons for exclusion: bot-like 1.",
        "judged by 6 participants (median 6)",
        "median duration was 10.0 minutes",
        "Age: M = 27.5, SD = 5.6, 20 to 35 years, told by 6",
        "Gender: female 3, male 3. Native language: [not stated]",
        "text version 1",
        "Ethics approval: Board 12, approval 7. Institution: [not stated]. Payment: 5 euros. Recruitment: [not stated]",
        "primary outcome fluency; margin for no difference 0.5; family of tests all pairs, Holm; stopping rule "
        "[not stated]; exclusion rules fails the catch item; raters per item [not stated]",
    ):
        assert said in text.en
    for said in ("8 个目标刺激", "“这句话表达清晰。”", "女 3，男 3", "6 人完成", "报酬：五欧元", "机构：［未说明］"):
        assert said in text.zh
    assert re.search(r"hengliang:[^|]+\|design:[0-9a-f]+\|kind:real", text.en)
    assert "None" not in text.en + text.zh


def test_nothing_is_said_of_participants_before_there_are_any(tmp_path: Path) -> None:
    text = methods_paragraph(StudyFacts(answered_survey(tmp_path / "e")))
    assert "Nobody has taken part yet." in text.en and "尚无人参加" in text.zh
    assert "Everybody" not in text.en and "The consent text has version 1" in text.en
    assert "Age" not in text.en and NOT_STATED.zh in text.zh


def test_programs_never_pass_for_people(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    six_readers(database_url(survey.folder), "simulated")
    text = methods_paragraph(StudyFacts(survey, read_collected(database_url(survey.folder), "simulated")))
    assert text.en.startswith("SIMULATED") and text.zh.startswith("模拟数据")


def test_the_text_of_the_consent_is_named_before_anybody_came(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e", consent_version="2b")
    text = methods_paragraph(StudyFacts(survey, read_collected(database_url(survey.folder))))
    assert "The consent text has version 2b;" in text.en and "版本为 2b；" in text.zh


def test_words_of_ones_own_are_not_repeated(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    url = database_url(survey.folder)
    store(url, [person("p")], details=[("p", "native_language", "张家村话")])
    text = methods_paragraph(StudyFacts(survey, read_collected(url)))
    assert "Native language: another language 1." in text.en and "张家村话" not in text.en + text.zh


def test_orders_blocks_and_highlighting_are_told_where_there_are_any(tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    rows = [f"{n},第{n}句{w}。,{w},{n % 2},{w}" for n in range(4) for w in "甲乙"]
    file.write_text("\n".join(["item,text,system,block,target", *rows]), encoding="utf-8")
    task = LikertRating(pages="separate counterbalanced")
    both: tuple[tuple[Lists, bool], ...] = (("clusters", True), ("latin", False))
    for lists, apart in both:
        design_survey(read_items(file), task, Wanted(lists=lists), settings=Settings(highlight="item")).write(
            tmp_path / lists
        )
        text = methods_paragraph(StudyFacts(read_survey(tmp_path / lists)))
        assert "The 2 blocks of a list came in a fixed order; orders were random within blocks." in text.en
        assert "a page of its own, in an order that was balanced over participants" in text.en
        assert "bold and blue in every second trial" in text.en
        assert ("at least 2 places apart (seed 1)" in text.en) is apart
    # The stimuli of the other tests have no target words, no blocks, and statements on one page.
    plain = methods_paragraph(StudyFacts(answered_survey(tmp_path / "plain")))
    assert "bold" not in plain.en and "blocks" not in plain.en and "on one page, in this order" in plain.en
