"""Which application serves a survey to participants and researchers?"""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.middleware import Middleware

from hengliang.people.design.list_proof import stated_proof
from hengliang.people.pages import participant_routes, researcher_routes, static_files
from hengliang.people.pages.courses import Openings, courses_of
from hengliang.people.pages.faults import elsewhere, fault_page
from hengliang.people.pages.health import Health
from hengliang.people.pages.rate_limiting import GuessLimit
from hengliang.people.pages.rendering import Pages
from hengliang.people.pages.security import Guard
from hengliang.people.sessions.survey import Survey
from hengliang.people.storage.database import Database
from hengliang.people.storage.endings import expire
from hengliang.people.storage.facts import bind_course, bind_design, form_secret
from hengliang.people.storage.newcomers import Newcomers
from hengliang.people.storage.prepared_orders import PreparedOrders


def survey_app(
    survey: Survey,
    database: Database,
    *,
    public_url: str,
    secure_cookies: bool,
    clock: Callable[[], float] = time.time,
    steady: Callable[[], float] = time.monotonic,
) -> Starlette:
    """Return the application of one survey on one database, which from now on belongs to this survey's design.

    `public_url` is the address that participants use, without a path; `secure_cookies`: whether it is reached by https.
    `clock` tells the time of day, which is kept with answers and which somebody may set; `steady` is never set, and
    measures limits and how long a page was open.
    """
    database.write(bind_design, survey.digest).result()
    database.write(bind_course, survey.course).result()
    database.write(expire, clock()).result()
    # The pages of participants come first: they are asked for most.
    routes = [*participant_routes.routes(), *researcher_routes.routes(), *static_files.routes()]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, public_url=public_url, fault_page=fault_page)],
        exception_handlers={404: elsewhere, 405: elsewhere},
    )
    app.state.survey = survey
    app.state.database = database
    app.state.pages = Pages()
    app.state.secret = database.write(form_secret).result()
    app.state.clock = clock
    app.state.steady = steady
    app.state.proof = stated_proof(survey.experiment, survey.design)
    app.state.openings = Openings()
    app.state.health = Health(database)
    app.state.public_url = public_url.rstrip("/")
    app.state.secure_cookies = secure_cookies
    app.state.course_of = courses_of(survey)
    app.state.guesses = GuessLimit()
    app.state.newcomers = Newcomers()
    app.state.orders = PreparedOrders(survey)
    return app
