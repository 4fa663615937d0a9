"""What R says about means and variances (tests/oracles/variance.R)."""

import json
from typing import Any

from tests import ORACLES


def oracle() -> dict[str, Any]:
    """Return everything that R computed."""
    found: dict[str, Any] = json.loads((ORACLES / "variance.json").read_text())
    return found


SETS: dict[str, Any] = oracle()["sets"]
TABLE_4: dict[str, list[float]] = SETS["table_4"]["data"]
TABLE_5: dict[str, list[float]] = SETS["table_5"]["data"]
