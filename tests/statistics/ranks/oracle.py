"""What does R say? (tests/oracles/ranks.R made the numbers.)"""

import json
from functools import cache
from typing import Any

from tests import ORACLES

SIDES = ("two-sided", "greater", "less")


@cache
def oracle() -> dict[str, Any]:
    path = ORACLES / "ranks.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
