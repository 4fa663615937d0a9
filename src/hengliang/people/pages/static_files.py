"""Which styles and scripts do the pages load, and how long may browsers keep them?"""

from __future__ import annotations

from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from hengliang.people.pages.faults import elsewhere
from hengliang.people.pages.rendering import STATIC

TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@lru_cache(maxsize=1)
def static_files() -> dict[str, tuple[bytes, str]]:
    """Return every file under `static/` by its name, with its kind; only what is here can be asked for."""
    found = (file for file in sorted(STATIC.iterdir()) if file.suffix in TYPES)
    return {file.name: (file.read_bytes(), TYPES[file.suffix]) for file in found}


def routes() -> list[BaseRoute]:
    """Return the route of the files."""
    return [Route("/static/{name}", _static)]


async def _static(request: Request) -> Response:
    file = static_files().get(request.path_params["name"])
    if file is None:
        return await elsewhere(request, None)
    content, kind = file
    # The address that pages give changes with the content; without that word nothing is promised.
    kept = "public, max-age=31536000, immutable" if request.url.query else "no-cache"
    return Response(content, headers={"content-type": kind, "cache-control": kept})
