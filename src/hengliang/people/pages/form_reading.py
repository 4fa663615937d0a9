"""What does a submitted form say, and is it a form at all?"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request

FIELDS = 200
"""How many fields a form may have."""
NAME_LENGTH = 128
LONGEST_TIMING = 8_000
"""How many characters of timing are kept with an answer."""
LONGEST_TIME = 86_400.0
FORM = "application/x-www-form-urlencoded"


class NotAForm(Exception):
    """What was sent cannot be read as a form of ours."""


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a submitted form; a field that comes twice counts as it comes last."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise NotAForm(f"content type {kind!r}")
    return read_form(await request.body())


def read_form(body: bytes) -> dict[str, str]:
    """Return the fields of a form in the encoding of HTML forms; whatever else it is raises `NotAForm`."""
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            encoding="utf-8",
            errors="strict",
            max_num_fields=FIELDS,
        )
    except ValueError as error:
        raise NotAForm(str(error)) from error
    if any(len(name) > NAME_LENGTH for name, _ in pairs):
        raise NotAForm("a field with a very long name")
    # PostgreSQL keeps no character zero, and nobody types one: it is shown as what it is, a wrong character.
    return {name.replace("\0", "\ufffd"): value.replace("\0", "\ufffd") for name, value in pairs}


def whole_number(form: Mapping[str, str], field: str) -> int | None:
    """Return a field as a number from 0, or nothing where it is none."""
    value = form.get(field, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def seconds_of(form: Mapping[str, str], by_server: float) -> float | None:
    """Return how long the page was open by the browser's clock, or else by the server's; never more than a day.

    A browser cannot have had the page for longer than the page has been the current one: what it claims beyond that
    (and half a minute for clocks) is not believed. A negative time by the server says that its clock was set back: then
    the browser alone knows, and without its word nobody does.
    """
    known = min(by_server, LONGEST_TIME) if by_server >= 0 else None
    try:
        claimed = float(form.get("seconds", ""))
    except ValueError:
        return known
    most = LONGEST_TIME if known is None else known + 30
    return claimed if math.isfinite(claimed) and 0 <= claimed <= most else known


def timing_of(form: Mapping[str, str]) -> str:
    """Return the browser's record of frames, visibility and keys as JSON; nothing, if it is too long or not so."""
    told = form.get("timing", "")
    if not told or len(told) > LONGEST_TIMING:
        return ""
    try:
        held = json.loads(told)
    except (ValueError, RecursionError):
        return ""
    return json.dumps(held, separators=(",", ":")) if isinstance(held, dict) else ""
