"""Which page does a participant get, and what happens to what they send?

There is one address, `/page`, for wherever a participant is; the position is the server's. A page that is sent twice,
or late, or from another tab, changes nothing and leads to the same next page.
"""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from hengliang.people.pages import entering, leaving
from hengliang.people.pages.entering import arrival_of, crowded
from hengliang.people.pages.faults import KEEP, RETRY_SECONDS, SESSION, forbidden, no_session, to_page
from hengliang.people.pages.form_reading import NotAForm, form_of, whole_number
from hengliang.people.pages.rendering import Pages
from hengliang.people.pages.security import check_form_token, cookie
from hengliang.people.pages.step_pages import PURPOSE, Place, Returned, keepsake, page_of, return_address
from hengliang.people.pages.step_reading import read_step
from hengliang.people.storage.participants import Participant, participant_of_session
from hengliang.people.storage.registration import Refused
from hengliang.people.storage.submission import Outcome, Submission, go_on, submit

ENDINGS = {"withdrawn": "withdrawn", "expired": "expired", "excluded": "closed"}
"""Which words are said to somebody whose part has ended otherwise than by finishing."""


def routes() -> list[BaseRoute]:
    """Return all addresses of participants."""
    return [
        Route("/page", _page),
        Route("/submit", _submit, methods=["POST"]),
        Route("/health", _health),
        *entering.routes(),
        *leaving.routes(),
    ]


async def _page(request: Request) -> Response:
    participant = await _participant(request)
    if participant is None:
        return no_session(request)
    state = request.app.state
    now = state.clock()
    if participant.status in ("active", "expired") and not participant.holds_place(now):
        # Who was away too long gets a place again if there is one, before another answer is asked for.
        try:
            goes_on = await state.database.writing(
                go_on, participant.id, state.survey.settings, now, arrival=arrival_of(request)
            )
        except Refused:
            return await crowded(request)
        participant = replace(participant, status="active" if goes_on else "expired")
    return _shown(request, _place(request, participant))


async def _submit(request: Request) -> Response:
    state = request.app.state
    form = await form_of(request)
    participant = await _participant(request)
    if participant is None:
        return no_session(request)
    step = whole_number(form, "step")
    if step is None:
        raise NotAForm("no step")
    if not check_form_token(state.secret, participant.id, f"{PURPOSE} {step}", form.get("token", "")):
        return forbidden(request)
    if step != participant.step or participant.status not in ("active", "expired"):
        return to_page()
    place = _place(request, participant)
    now, open_for = state.clock(), state.openings.seconds(participant.id, step, state.steady())
    read = read_step(place, form, now - participant.since if open_for is None else open_for)
    if not isinstance(read, Submission):
        return _shown(request, place, Returned(form, read))
    # Only when this returns is the answer on the disk; only then is the next page shown.
    try:
        outcome: Outcome = await state.database.writing(
            submit, read, state.survey.settings, now, arrival=arrival_of(request)
        )
    except Refused:
        return await crowded(request, form)
    if outcome.kind == "stored":
        state.openings.begin(participant.id, outcome.step, state.steady())
    return to_page()


async def _health(request: Request) -> Response:
    """Say whether answers can be kept, for a program that watches the server: else this is 503, with the reason."""
    state = request.app.state
    fault = await state.health.fault(state.clock(), state.steady())
    if fault:
        return JSONResponse({"status": "failing", "reason": fault}, 503, {"retry-after": str(RETRY_SECONDS)})
    return JSONResponse({"status": "ok"})


async def _participant(request: Request) -> Participant | None:
    session = cookie(request, SESSION)
    if session is None:
        return None
    found: Participant | None = await request.app.state.database.reading(participant_of_session, session)
    return found


def _place(request: Request, participant: Participant) -> Place:
    state = request.app.state
    return Place(
        survey=state.survey,
        participant=participant,
        course=state.course_of(participant),
        secret=state.secret,
        public_url=state.public_url,
        resume=cookie(request, KEEP),
    )


def _shown(request: Request, place: Place, returned: Returned | None = None) -> Response:
    pages: Pages = request.app.state.pages
    ending = ENDINGS.get(place.participant.status)
    if ending:
        return _ended(pages, place, ending)
    template, shown = page_of(place, returned)
    return pages.respond(template, place.language, status=422 if returned else 200, **shown)


def _ended(pages: Pages, place: Place, ending: str) -> Response:
    """Say that there is nothing more to do, though the end was not reached; answers can still be withdrawn."""
    kept = None if ending == "withdrawn" else keepsake(place.public_url, place.resume)
    settings = place.survey.settings
    return pages.respond(
        "ended.html",
        place.language,
        title=place.survey.experiment.title[place.language],
        ending=ending,
        contact=settings.contact,
        keepsake=kept,
        resumable=False,
        panel=return_address(settings, place.participant.external or ""),
    )
