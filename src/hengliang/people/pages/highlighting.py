"""How do the target words of a text stand out on a page?"""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup, escape

from hengliang.core.records import Span
from hengliang.people.tasks.base import Stimulus
from hengliang.people.tasks.pieces import pieces_of


def marked_text(stimulus: Stimulus, highlighted: bool) -> Markup:
    """Return the text as safe HTML; its spans, given in bytes of UTF-8, are bold and blue when `highlighted`."""
    return _marked(stimulus.text, stimulus.spans if highlighted else ())


@lru_cache(maxsize=4096)
def _marked(text: str, spans: tuple[Span, ...]) -> Markup:
    # An element that means "stands out", so that it is more than a colour to whoever cannot see the colour.
    return Markup().join(
        Markup('<strong class="target">{}</strong>').format(piece.text) if piece.target else escape(piece.text)
        for piece in pieces_of(text, spans)
    )
