"""What R says about the correlations and regressions of tests/oracles/correlation.R."""

from __future__ import annotations

import json
from typing import Any

from tests import ORACLES

ORACLE: dict[str, Any] = json.loads((ORACLES / "correlation.json").read_text(encoding="utf-8"))
DATA: dict[str, list[float]] = ORACLE["data"]
R_SIDES = {"two-sided": "two.sided", "greater": "greater", "less": "less"}
