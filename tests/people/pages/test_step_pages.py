from __future__ import annotations

from collections.abc import Iterator

import pytest

from hengliang import Bilingual
from hengliang.people.pages.step_pages import Place, Returned, keepsake, page_of, panel_address
from hengliang.people.storage.participants import participants
from hengliang.people.storage.registration import withdrawal_code
from hengliang.people.tasks.base import Problem
from hengliang.people.tasks.library import task_of
from tests.people.pages.browser_stand_in import Site, open_site


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site(tmp_path_factory.mktemp("site"), practice=True) as opened:
        yield opened


def place_of(site: Site, resume: str | None = "r" * 43) -> Place:
    person = site.database.read(participants).result()[0]
    return Place(site.survey, person, site.app.state.course_of(person), b"secret", "https://survey.example", resume)


def test_a_trial_s_page_says_what_the_task_needs(site: Site) -> None:
    site.participant("zh").go_to("trial")
    template, shown = page_of(place_of(site))
    assert template == "trial.html"
    assert shown["task_template"] == "tasks/likert.html"
    assert shown["about"] == "practice-1"
    assert shown["heading"] == "练习题 1"
    assert shown["keepsake"] is None
    assert shown["task_given"]["fields"] == {}
    assert not shown["task_given"]["example"]


def test_items_are_counted_without_practice(site: Site) -> None:
    browser = site.participant("en")
    browser.go_to("practice done")
    browser.send()
    assert page_of(place_of(site))[1]["heading"] == "Item 1 of 4"


def test_a_form_that_comes_back_keeps_its_fields_and_its_id(site: Site) -> None:
    site.participant("en").go_to("trial")
    returned = Returned(
        {"submission": "same", "answer-clarity": "3"}, (Problem("answer-fluency", Bilingual("wrong", "错")),)
    )
    _, shown = page_of(place_of(site), returned)
    assert shown["submission"] == "same"
    assert shown["summary"] == [("field-answer-fluency", "This sentence was written by a native speaker.", "wrong")]
    assert shown["task_given"]["fields"]["answer-clarity"] == "3"
    assert shown["task_given"]["problems"] == {"answer-fluency": "wrong"}


def test_every_page_has_an_id_of_its_own(site: Site) -> None:
    site.participant("en")
    assert page_of(place_of(site))[1]["submission"] != page_of(place_of(site))[1]["submission"]


def test_the_instructions_show_an_example_that_cannot_be_answered(site: Site) -> None:
    page = site.participant("en").go_to("instructions")
    before_form, _, form = page.partition("<form")
    assert '<fieldset class="example-page" disabled' in before_form
    # A sentence of ours: the practice item comes on the next page, and would be no practice a second time.
    assert "这是一个例句。" in before_form and "桌上放着一" not in before_form
    assert 'name="answer-clarity"' in before_form
    assert "answer-clarity" not in form


def test_without_practice_the_example_is_a_sentence_of_ours(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_site(tmp_path_factory.mktemp("plain")) as site:
        page = site.participant("en").go_to("instructions")
        assert "这是一个例句。" in page
        assert not any(stimulus.text in page for stimulus in site.survey.stimuli.values())


def test_a_task_by_script_has_no_example(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_site(tmp_path_factory.mktemp("speeded"), task=task_of("speeded", {})) as site:
        assert "An example" not in site.participant("en").go_to("instructions")


def test_what_to_keep_follows_from_one_s_own_token() -> None:
    kept = keepsake("https://survey.example", "token")
    assert kept == {
        "resume": "https://survey.example/resume/token",
        "withdrawal": withdrawal_code("token"),
        "withdraw": "https://survey.example/withdraw",
    }
    assert keepsake("https://survey.example", None) is None


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://panel.example/?cc={code}&p={external}", "https://panel.example/?cc=A%26B&p=%3Cid%3E"),
        ("https://panel.example/", "https://panel.example/"),
        ("", ""),
        ("javascript:alert(1)", ""),
        ("//panel.example", ""),
    ],
)
def test_the_way_back_to_a_panel(url: str, address: str) -> None:
    assert panel_address(url, "A&B", "<id>") == address


def test_highlighting_off_leaves_the_target_plain(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_site(tmp_path_factory.mktemp("off"), highlight="off") as site:
        assert 'class="target"' not in site.participant("en").go_to("trial")


@pytest.mark.parametrize("task", ["likert", "slider", "free_text", "speeded"])
def test_every_task_that_shows_any_text_has_a_page(tmp_path_factory: pytest.TempPathFactory, task: str) -> None:
    with open_site(tmp_path_factory.mktemp("task"), task=task_of(task, {})) as site:
        page = site.participant("zh").go_to("trial")
        assert f'data-task="{task}"' in page
        assert 'name="not-understood"' in page
