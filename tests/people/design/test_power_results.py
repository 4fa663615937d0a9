"""Is the smallest number of raters that suffices taken from a power analysis?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.people.design.power_results import raters_from_power


def result(file: Path, powers: dict[tuple[int, int, str], float], assignment: str = "all", wanted: float = 0.8) -> Path:
    """Write a result as `hengliang power --json` prints it."""
    signature = f"hengliang:0.1.0|systems:corpus, a, b|assignment:{assignment}|power:{wanted}"
    rows = [
        {
            "by": {"raters": str(raters), "items": str(items), "system": system},
            "statistic": statistic,
            "value": value if statistic == "power" else 0.05,
            "signature": signature,
        }
        for (raters, items, system), value in powers.items()
        for statistic in ("power", "false positives")
    ]
    file.write_text(json.dumps({"schema_version": 1, "estimates": rows}))
    return file


POWERS = {
    **{(8, 20, "a"): 0.9, (8, 20, "b"): 0.5, (16, 20, "a"): 0.99, (16, 20, "b"): 0.7},
    **{(8, 40, "a"): 0.95, (8, 40, "b"): 0.6, (16, 40, "a"): 1.0, (16, 40, "b"): 0.82},
    **{(32, 20, "a"): 1.0, (32, 20, "b"): 0.9, (8, 200, "a"): 1.0, (8, 200, "b"): 0.95},
}


@pytest.mark.parametrize(
    ("items", "raters"),
    # With 200 items 8 are enough; with 40 the system b is found in 82 % by 16; with 20 only by 32.
    [(200, 8), (199, 16), (40, 16), (39, 32), (20, 32)],
)
def test_every_comparison_is_found_often_enough(items: int, raters: int, tmp_path: Path) -> None:
    found = raters_from_power(result(tmp_path / "power.json", POWERS), items)
    assert (found.each, found.raters) == (raters, raters)


def test_it_says_what_it_rests_on(tmp_path: Path) -> None:
    found = raters_from_power(result(tmp_path / "power.json", POWERS), 40)
    assert (
        str(found)
        == "16 raters and 40 items find every effect in 82 % of experiments, and one that is not there in 5 %"
    )


def test_the_power_is_the_one_that_the_plan_wants(tmp_path: Path) -> None:
    # With 40 items or fewer the system b is found in 82 % by 16 raters, and in 90 % by 32 only.
    assert raters_from_power(result(tmp_path / "power.json", POWERS, wanted=0.9), 40).each == 32


def test_in_a_latin_square_raters_are_divided_among_systems(tmp_path: Path) -> None:
    # 16 raters, each of whom judges one of three versions of an item: 16 / 3, rounded up.
    assert raters_from_power(result(tmp_path / "power.json", POWERS, "latin square"), 40).each == 6


def test_bad_results(tmp_path: Path) -> None:
    file = tmp_path / "power.json"
    with pytest.raises(UserError, match="experiments of 20 items or more; this one has 10"):
        raters_from_power(result(file, POWERS), 10)
    with pytest.raises(UserError, match=r"no number of raters reaches a power of 0\.8") as caught:
        raters_from_power(result(file, {(8, 20, "a"): 0.3, (16, 20, "a"): 0.5}), 30)
    assert caught.value.valid == "The best is 0.50, with 16 raters and 20 items."
    no_power = (
        result(file, {}).read_text().replace("[]", '[{"statistic": "n", "signature": "systems:a|assignment:all"}]')
    )
    for content in ('{"estimates": []}', "[]", '{"estimates": [{"statistic": "power"}]}', no_power, "[design]"):
        file.write_text(content)
        with pytest.raises(UserError, match="is not a result of a power analysis"):
            raters_from_power(file, 10)
    with pytest.raises(UserError, match="Cannot read"):
        raters_from_power(tmp_path / "lost.json", 10)
