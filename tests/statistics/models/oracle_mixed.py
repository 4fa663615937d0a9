"""The cases of tests/oracles/mixed.R, with lme4's names of coefficients turned into ours."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import polars as pl

from hengliang.statistics.models.mixed import MixedFit, fit_mixed
from tests import ORACLES

FILE = ORACLES / "mixed.json"


@cache
def cases() -> dict[str, dict[str, Any]]:
    return {case["name"]: case for case in json.loads(FILE.read_text())["cases"]}


def names(family: str) -> list[str]:
    return [name for name, case in cases().items() if case["family"] == family]


def table(case: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(case["data"])


@cache
def fitted(name: str) -> MixedFit:
    case = cases()[name]
    return fit_mixed(case["formula"], table(case), family=case["family"], reml=case["reml"])


def plain(name: str) -> str:
    """Write a name of ours as R does: `system[GPT]:modifier[relative]` is `systemGPT:modifierrelative`."""
    return name.replace("[", "").replace("]", "")
