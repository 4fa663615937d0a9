"""How do researchers get the answers out?"""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from hengliang.core.errors import UserError
from hengliang.people.collected.export import DOWNLOADS, FILES, export_bytes
from hengliang.people.pages.form_reading import form_of
from hengliang.people.pages.researcher_access import language_of, log, lost, page
from hengliang.people.pages.researcher_words import words
from hengliang.people.storage.database import Busy

KINDS = ("real", "pilot", "simulated")
TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".json": "application/json",
    ".zip": "application/zip",
}
"""What browsers are told a file is."""


async def export_page(request: Request) -> Response:
    """Show what can be had."""
    return _page(request, [], 200)


async def download(request: Request) -> Response:
    """Give a file; who asked for it, and whether panel ids are in it, is in the log before it leaves."""
    fields = await form_of(request)
    form, kind, identified = fields.get("form", ""), fields.get("kind", ""), fields.get("identified") == "yes"
    if form not in DOWNLOADS or kind not in KINDS:
        return await lost(request)
    database, survey = request.app.state.database, request.app.state.survey
    try:
        content = await database.exporting(export_bytes, survey, form, kind, identified)
    except Busy:
        response = _page(request, [words(language_of(request))["wrong_moment"]], 503)
        response.headers["retry-after"] = "10"
        return response
    except UserError as error:
        return _page(request, [str(error)], 409)
    # What was refused has not been exported.
    await database.writing(log, request, "exported", form=form, of=kind, identified=identified)
    # The name says what is inside, so that a pilot or a file with personal data is not taken for something else.
    file = Path(FILES[form])
    name = f"{file.stem}-{kind}{'-identified' if identified else ''}{file.suffix}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=TYPES[file.suffix], headers=headers)


def _page(request: Request, problems: list[str], status: int) -> Response:
    return page(request, "export.html", here="export", status=status, forms=DOWNLOADS, kinds=KINDS, problems=problems)
