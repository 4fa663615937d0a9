from __future__ import annotations

import re
from pathlib import Path

from hengliang.people.pages.static_files import static_files
from tests.people.pages.browser_stand_in import open_site


def test_every_file_that_a_page_names_is_there_and_may_be_kept(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        browser = site.participant()
        page = browser.go_to("trial")
        named = re.findall(r'(?:href|src)="(/static/[^"]*)"', page)
        assert {address.partition("?")[0] for address in named} >= {"/static/survey.css", "/static/survey.js"}
        for address in named:
            answer = browser.get(address)
            assert answer.status_code == 200
            assert "immutable" in answer.headers["cache-control"]
            assert answer.headers["content-type"].startswith(("text/css", "text/javascript"))
        assert browser.get("/static/survey.css").headers["cache-control"] == "no-cache"


def test_nothing_else_can_be_asked_for(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        browser = site.browser()
        for name in ("none.css", "..%2Fapp.py", "..%2f..%2fsurvey.toml", ""):
            assert browser.get(f"/static/{name}").status_code == 404


def test_no_file_asks_anything_of_others() -> None:
    for name, (content, _) in static_files().items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert "//" not in re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE), name
        assert "@import" not in text, name
        assert "url(" not in text, name
