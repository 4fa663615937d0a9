"""What R says about the correlations and regressions of tests/oracles/correlation.R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ORACLE: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent.parent / "oracles" / "correlation.json").read_text(encoding="utf-8")
)
DATA: dict[str, list[float]] = ORACLE["data"]
R_SIDES = {"two-sided": "two.sided", "greater": "greater", "less": "less"}
