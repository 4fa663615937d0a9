"""What does R say? (tests/oracles/ranks.R made the numbers.)"""

import json
from functools import cache
from pathlib import Path
from typing import Any

SIDES = ("two-sided", "greater", "less")


@cache
def oracle() -> dict[str, Any]:
    path = Path(__file__).parents[2] / "oracles" / "ranks.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
