"""Does a one-time link make a researcher of one browser, once, and does nobody else get in?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hengliang.people.bots.page_reading import forms_of
from hengliang.people.pages.researcher_access import REFUSED, moment
from hengliang.people.storage.administration import LINK_SECONDS, SESSION_SECONDS, one_time_link
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, filled, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        yield held


def link_of(served: Served) -> str:
    return served.database.write(one_time_link, served.clock()).result()


def test_looking_at_a_link_does_not_spend_it(served: Served) -> None:
    link = link_of(served)
    for _ in range(3):
        preview = served.visitor().get(f"/admin/link/{link}")
        assert preview.status_code == 200
        assert "set-cookie" not in preview.headers
    assert served.visitor().client.head(f"/admin/link/{link}").status_code == 200
    visitor = served.visitor()
    assert visitor.sign_in(link).headers["location"] == "/admin"
    assert visitor.get("/admin").status_code == 200


def test_a_spent_a_late_and_an_invented_link_lead_to_the_same_page(served: Served) -> None:
    spent, late = link_of(served), link_of(served)
    served.visitor().sign_in(spent)
    served.clock.ahead += LINK_SECONDS + 1
    ends = []
    for link in (spent, late, "x" * 43):
        visitor = served.visitor()
        form = forms_of(visitor.get(f"/admin/link/{link}").text)[0]
        answer = visitor.post(form.action, filled(form))
        ends.append((answer.status_code, answer.headers["location"], answer.headers.get("set-cookie")))
    assert ends == [(303, REFUSED, None)] * 3
    refused = served.visitor().get(REFUSED)
    assert refused.status_code == 403
    assert "hengliang survey invite" in refused.text
    # Who has no access is not told to what.
    assert served.survey.experiment.title.en not in refused.text


def test_the_session_lasts_half_a_day_and_no_longer(served: Served) -> None:
    visitor = served.researcher()
    began = served.clock.ahead
    served.clock.ahead = began + SESSION_SECONDS - 60
    assert visitor.get("/admin").status_code == 200
    served.clock.ahead = began + SESSION_SECONDS + 60
    answer = visitor.get("/admin")
    assert (answer.status_code, answer.headers["location"]) == (303, REFUSED)


def test_signing_out_ends_the_session_also_for_a_copy_of_the_cookie(served: Served) -> None:
    visitor = served.researcher()
    kept = {name: value for name, value in visitor.client.cookies.items() if "researcher" in name}
    form = next(each for each in forms_of(visitor.get("/admin").text) if each.action == "/admin/sign-out")
    assert visitor.post(form.action, filled(form)).headers["location"] == REFUSED
    copy = served.visitor()
    copy.client.cookies.update(kept)
    assert copy.get("/admin").headers["location"] == REFUSED


def test_a_page_for_nobody_in_particular_says_what_was_done_with_a_foreign_form(served: Served) -> None:
    visitor = served.researcher()
    answer = visitor.post("/admin/close", {"token": "0" * 64})
    assert answer.status_code == 403
    assert "Nothing was done" in answer.text
    assert "Open: new participants can begin." in visitor.get("/admin").text


def test_an_unknown_address_is_not_found_by_a_researcher(served: Served) -> None:
    visitor = served.researcher()
    assert visitor.get("/admin/nothing/here").status_code == 404
    assert visitor.get("/admin/participants/nobody").status_code == 404


def test_the_language_is_the_browsers_until_one_is_chosen_and_then_stays(served: Served) -> None:
    visitor = served.researcher()
    assert '<html lang="en">' in visitor.get("/admin").text
    chinese = visitor.get("/admin", headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})
    assert '<html lang="zh-Hans">' in chinese.text
    chosen = visitor.get("/admin/export?language=zh")
    assert "导出" in chosen.text
    assert "Path=/admin" in chosen.headers["set-cookie"]
    kept = visitor.get("/admin", headers={"Accept-Language": "en"})
    assert '<html lang="zh-Hans">' in kept.text
    assert served.survey.experiment.title.zh in kept.text
    assert "set-cookie" not in visitor.get("/admin?language=tlh").headers


def test_a_link_with_strange_letters_is_only_a_wrong_link(served: Served) -> None:
    visitor = served.visitor()
    page = visitor.get("/admin/link/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert "<script>alert" not in page.text
    form = forms_of(visitor.get("/admin/link/%E4%B8%AD%20%22x").text)[0]
    assert visitor.post(form.action, filled(form)).headers["location"] == REFUSED


def test_moments_are_told_in_utc() -> None:
    # 86,400 × 365 seconds after the beginning of 1970, and one and a half minutes.
    assert moment(86_400 * 365 + 90.5) == {"machine": "1971-01-01T00:01:30Z", "people": "1971-01-01 00:01:30 UTC"}
