"""Tests of every package, in folders that mirror them."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
ORACLES = ROOT / "tests" / "oracles"
"""Expected values that other programs computed."""
