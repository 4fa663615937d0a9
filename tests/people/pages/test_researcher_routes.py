"""Is every address of the researchers closed to others, and does the table of routes leave none out?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.routing import Route

from hengliang.people.pages.researcher_access import REFUSED
from hengliang.people.pages.researcher_routes import GUARDED, OPEN, routes
from tests.people.survey_folder import small_survey
from tests.people.survey_visitor import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(small_survey(tmp_path_factory.mktemp("survey"))) as held:
        yield held


def test_the_routes_are_those_of_the_two_tables_and_all_under_admin() -> None:
    made = [route for route in routes() if isinstance(route, Route)]
    assert [(route.path, sorted((route.methods or set()) - {"HEAD"})) for route in made] == [
        (path, [method]) for method, path, _ in (*OPEN, *GUARDED)
    ]
    assert all(route.path == "/admin" or route.path.startswith("/admin/") for route in made)
    # What is open: the entry, spending it, and the page that refuses.
    assert len(OPEN) == 3


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in GUARDED])
def test_without_a_session_every_address_leads_to_the_same_page(served: Served, method: str, path: str) -> None:
    events = served.rows("SELECT COUNT(*) FROM events")
    address = re.sub(r"\{[^}]*\}", "x", path)
    for cookies in ({}, {"researcher": "x" * 43}):
        visitor = served.visitor()
        visitor.client.cookies.update(cookies)
        answer = visitor.client.request(method, address)
        assert (answer.status_code, answer.headers["location"], answer.text) == (303, REFUSED, "")
    assert served.rows("SELECT COUNT(*) FROM events") == events


@pytest.mark.parametrize("path", [path for method, path, _ in GUARDED if method == "POST"])
def test_a_form_without_its_token_does_nothing(served: Served, path: str) -> None:
    visitor = served.researcher()
    before = served.dump()
    answer = visitor.post(re.sub(r"\{[^}]*\}", "x", path), {"reason": "x", "confirm": "x", "form": "long"})
    assert answer.status_code == 403
    assert served.dump() == before
