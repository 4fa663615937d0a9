from __future__ import annotations

from pathlib import Path

from starlette.routing import Route

from tests.people.pages.browser_stand_in import ANSWERS, hidden, open_site


def test_while_the_database_is_away_nothing_is_lost(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        browser = site.participant("en")
        browser.go_to("trial")
        fields = {**hidden(browser.page()), **ANSWERS, "comment": "a\n<b>"}
        file = site.survey.folder / "survey.sqlite"
        hide = file.rename(file.with_suffix(".hidden"))
        file.mkdir()
        for engine in (site.database.readers, site.database.writers):
            engine.dispose()
        away = browser.post("/submit", fields)
        assert away.status_code == 503
        assert away.headers["retry-after"] == "5"
        # The page holds what was sent, to be sent again without a script.
        again = hidden(away.text)
        assert again == {name: value for name, value in fields.items() if name != "comment"}
        assert '<textarea name="comment" hidden>\na\n&lt;b&gt;</textarea>' in away.text
        shown = browser.get("/page")
        assert (shown.status_code, 'href="/page"' in shown.text) == (503, True)
        assert site.browser().get("/health").status_code == 503
        file.rmdir()
        hide.rename(file)
        assert browser.post("/submit", {**again, "comment": fields["comment"]}).status_code == 303
        assert site.rows("SELECT scale, value FROM answers") == [("clarity", 6.0), ("fluency", 2.0)]


def test_a_fault_of_ours_is_a_page_without_its_inside(tmp_path: Path) -> None:
    async def broken(_: object) -> None:
        raise RuntimeError("a secret of the server")

    with open_site(tmp_path) as site:
        site.app.routes.insert(0, Route("/broken", broken))
        answer = site.browser().get("/broken")
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "系统出现错误" in answer.text
        assert "Something went wrong on our side" in answer.text


def test_what_is_no_form_is_refused_in_both_languages(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        browser = site.participant()
        state = browser.state
        form = {"content-type": "application/x-www-form-urlencoded"}
        for body, headers in (
            (b'{"step": 0}', {"content-type": "application/json"}),
            (b"step=%ff", form),
            (b"--x\r\n\r\n--x--", {"content-type": "multipart/form-data; boundary=x"}),
            (b"&".join(b"a%d=1" % number for number in range(300)), form),
        ):
            answer = browser.request("POST", "/submit", content=body, headers=headers)
            assert answer.status_code == 400
            assert "提交的内容不是本系统的表单。" in answer.text
            assert "What was sent is not a form of ours." in answer.text
        assert browser.state == state
