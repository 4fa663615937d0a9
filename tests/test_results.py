"""Do the tables in the documentation hold what the committed results of the full studies hold?"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hengliang.signature import Signature

ROOT = Path(__file__).parent.parent
RESULTS = sorted((ROOT / "docs" / "results").glob("*.json"))


def held(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "docs" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    return found


def values(name: str, analysis: str, statistic: str) -> dict[str, Any]:
    """Return the estimates of one statistic by system."""
    rows = [row for row in held(name)["estimates"] if row["analysis"] == analysis and row["statistic"] == statistic]
    return {row["by"]["system"]: row for row in rows}


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_every_committed_number_is_signed(file: Path) -> None:
    rows = json.loads(file.read_text(encoding="utf-8"))["estimates"]
    assert rows
    for row in rows:
        keys = {key for key, _ in Signature.parse(row["signature"]).pairs}
        assert {"class", "code", "hengliang"} <= keys


def test_the_perplexities_of_the_page_are_those_of_the_study() -> None:
    name = "language_model_perplexity"
    page = (ROOT / "docs" / "perplexity.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \[([\d.]+), ([\d.]+)\] \| ([\d.]+) \|", page, flags=re.MULTILINE)
    words, characters = values(name, "perplexity", "word"), values(name, "perplexity", "character")
    assert [line[0] for line in lines] == list(words) == ["2-gram", "3-gram", "4-gram", "5-gram", "LSTM", "Transformer"]
    for system, *shown in lines:
        row = words[system]
        found = [row["value"], row["low"], row["high"], characters[system]["value"]]
        assert shown == [f"{number:.1f}" for number in found]
