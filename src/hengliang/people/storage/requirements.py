"""Are the libraries there that a survey needs?"""

from __future__ import annotations

from importlib.util import find_spec

from hengliang.core.errors import UserError

LIBRARIES = {
    "sqlalchemy": "SQLAlchemy",
    "alembic": "alembic",
    "psycopg": "psycopg",
    "starlette": "starlette",
    "uvicorn": "uvicorn",
    "httptools": "httptools",
    "jinja2": "Jinja2",
    "httpx": "httpx",
    "xlsxwriter": "xlsxwriter",
}
"""Modules that storage and pages import, with the names under which they are installed.

uvloop makes a server faster where there is one: nothing needs it."""


def need_survey_extra() -> None:
    """Say what to install where a library of the extra `survey` is missing; imports none of them."""
    missing = [name for module, name in LIBRARIES.items() if find_spec(module) is None]
    if missing:
        raise UserError(
            f"A survey needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed.",
            remedy="pip install 'hengliang[survey]'",
        )
