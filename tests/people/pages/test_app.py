"""Does the application lead through the whole survey, and does a database stay with its design?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from hengliang import UserError
from hengliang.people.pages.app import survey_app
from hengliang.people.storage.facts import form_secret
from tests.people.pages.browser_stand_in import ANSWERS, URL, Browser, Clock, hidden, open_site, transport_of
from tests.people.survey_folder import small_survey


@pytest.mark.parametrize(("language", "thanks"), [("en", "Thank you"), ("zh", "谢谢您")])
def test_the_whole_path_in_either_language(tmp_path: Path, language: str, thanks: str) -> None:
    with open_site(tmp_path, practice=True, pause_every=2, completion_url="https://panel.example/?cc={code}") as site:
        browser = site.participant(language)
        kinds = []
        while 'id="completion-code"' not in (page := browser.page()):
            kinds.append(page.partition('data-kind="')[2].partition('"')[0])
            assert f'<html lang="{"en" if language == "en" else "zh-Hans"}">' in page
            answer = browser.send()
            assert (answer.status_code, answer.headers["location"]) == (303, "/page")
        # One practice item, then four trials (2 sentences x 2 variants) with a pause after the second.
        trials = ["trial", "trial", "pause", "trial", "trial"]
        assert kinds == ["demographics", "instructions", "trial", "practice done", *trials]
        assert thanks in page
        assert 'id="withdrawal-code"' in page
        code = site.rows("SELECT completion FROM participants")[0][0]
        assert f'href="https://panel.example/?cc={code}"' in page
        stored = site.rows("SELECT role, scale, value, language FROM answers ORDER BY id")
        assert len(stored) == 10
        assert stored[0] == ("practice", "clarity", 6.0, language)
        assert {row[1:] for row in stored} == {("clarity", 6.0, language), ("fluency", 2.0, language)}
        assert site.rows("SELECT status, step FROM participants") == [("finished", 9)]


@pytest.mark.parametrize(("language", "close"), [("en", "close the page"), ("zh", "关闭页面")])
def test_who_came_from_a_panel_is_led_back_there_before_anything_else(
    tmp_path: Path, language: str, close: str
) -> None:
    panel = "https://panel.example/done?cc=C1&who={external}"
    with open_site(tmp_path, completion_url=panel, completion_code="C1", demographics=(), places=1) as site:
        browser = site.browser()
        browser.agree(site.invitation(), language, "PROLIFIC_PID=7")
        while 'id="completion-code"' not in (page := browser.page()):
            browser.send()
        assert close not in page
        # The button comes before the code, which is for those whose button fails, and before what to keep.
        assert page.index('href="https://panel.example/done?cc=C1&amp;who=7"') < page.index('id="completion-code"')
        assert page.index('id="panel"') < page.index('class="keepsake"')


@pytest.mark.parametrize(
    ("settings", "back"),
    [
        ({"completion_url": "https://panel.example/done?cc=C1"}, 'id="panel" href="https://panel.example/"'),
        (
            {
                "completion_url": "https://panel.example/done?cc=C1",
                "return_url": "https://panel.example/no?p={external}",
            },
            'id="panel" href="https://panel.example/no?p=7"',
        ),
        ({}, "You can close the page."),
    ],
)
def test_who_declines_or_lost_the_place_is_led_back_without_a_completion_code(
    tmp_path: Path, settings: dict[str, Any], back: str
) -> None:
    with open_site(tmp_path, versions=1, places=1, reservation_minutes=30, **settings) as site:
        token = site.invitation()
        declining = site.browser()
        fields = declining.consent_fields(token, "en", "PROLIFIC_PID=7")
        declined = declining.post("/consent", {**fields, "decision": "decline"}).text
        late = site.browser()
        late.agree(token, "en", "PROLIFIC_PID=7")
        site.clock.now += 31 * 60
        site.browser().agree(token, "en", "PROLIFIC_PID=8")
        expired = late.page()
        assert "Your place was given away" in expired
        assert back in declined and "C1" not in declined + expired
        assert (back in expired) is bool(settings)


def test_a_trial_shows_one_text_with_its_target_bold_and_a_progress_bar(tmp_path: Path) -> None:
    with open_site(tmp_path, versions=1) as site:
        browser = site.participant("zh")
        page = browser.go_to("trial")
        shown = [stimulus for stimulus in site.survey.stimuli.values() if f'data-about="{stimulus.about}"' in page]
        assert len(shown) == 1
        before, target, after = (
            shown[0].text.encode()[: shown[0].spans[0].start].decode(),
            shown[0].text.encode()[shown[0].spans[0].start : shown[0].spans[0].end].decode(),
            shown[0].text.encode()[shown[0].spans[0].end :].decode(),
        )
        assert f'lang="zh-Hans">{before}<strong class="target">{target}</strong>{after}</p>' in page
        assert 'max="8" value="0"' in page
        browser.send()
        assert 'max="8" value="1"' in browser.page()


def test_at_a_start_it_is_written_down_who_did_not_come_back(tmp_path: Path) -> None:
    with open_site(tmp_path, reservation_minutes=30) as site:
        site.participant("en").send()
        site.clock.now += 31 * 60
        site.participant("zh")
        survey_app(site.survey, site.database, public_url=URL, secure_cookies=False, clock=site.clock)
        assert site.rows("SELECT language, status FROM participants ORDER BY consented") == [
            ("en", "expired"),
            ("zh", "active"),
        ]
        assert site.rows("SELECT count(*) FROM events WHERE kind = 'expired'") == [(1,)]


def test_a_database_of_another_design_is_refused(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        other = small_survey(tmp_path / "other", versions=1)
        with pytest.raises(UserError, match="another design"):
            survey_app(other, site.database, public_url=URL, secure_cookies=False)


def test_forms_stay_valid_when_the_server_starts_again(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        browser = site.participant()
        fields = {**hidden(browser.page()), **ANSWERS}
        again = survey_app(site.survey, site.database, public_url=URL, secure_cookies=False, clock=Clock())
        assert again.state.secret == site.database.write(form_secret).result()
        restarted = Browser(site, httpx.AsyncClient(transport=transport_of(again), base_url=URL))
        restarted.client.cookies = browser.client.cookies
        assert restarted.post("/submit", fields).status_code == 303
        assert site.rows("SELECT step FROM participants") == [(1,)]
