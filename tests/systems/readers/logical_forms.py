"""How are descriptions read that are written as logical forms?"""

from __future__ import annotations

from hengliang import UserError
from hengliang.core import Language
from hengliang.materials.quantified_expressions import read_expression
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.readers.parsing import Parse


def parse_logical_forms(text: str, domain: Domain = DEFAULT_DOMAIN, language: Language | None = None) -> Parse:
    """Read `all(object, red) & half(object, square)`, so that a test does not hang on a grammar."""
    expressions, unread = [], []
    for piece in filter(None, map(str.strip, text.split("&"))):
        try:
            expressions.append(read_expression(piece, domain))
        except UserError:
            unread.append(piece)
    return Parse(tuple(expressions), tuple(unread))
