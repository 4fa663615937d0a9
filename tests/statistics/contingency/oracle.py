"""What R says about counts (tests/oracles/contingency.R)."""

import json
from typing import Any

from tests import ORACLES


def tables() -> dict[str, Any]:
    """Return what R computed for each table, by its name."""
    found: dict[str, Any] = json.loads((ORACLES / "contingency.json").read_text())["tables"]
    return found


def squares() -> dict[str, Any]:
    """Return the 2 × 2 tables among them."""
    return {name: case for name, case in tables().items() if "yates" in case}
