"""Does the command about faults of suites translate its arguments, and end as it should?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hengliang import UserError
from hengliang.grammar.cli import lint
from tests.grammar.suites.lint_toys import HEADER, ITEMS


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "toy.suite"
    path.write_text("\n".join([HEADER, *ITEMS]), encoding="utf-8")
    return path


@pytest.fixture
def counts(tmp_path: Path) -> str:
    """Give a table in which every word of the toy suite occurs 50 times, one verb 500 times and 爷爷 never."""
    words = {word for text in ITEMS for line in text.splitlines()[1:] for word in line.split()[1:]} - {"|", "爷爷"}
    rows = {**dict.fromkeys(words, 50), "登上": 500, "了": 1000}
    path = tmp_path / "counts.tsv"
    path.write_text("".join(f"{word}\t{count}\n" for word, count in rows.items()), encoding="utf-8")
    return str(path)


def call(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(lint, list(arguments), catch_exceptions=False, standalone_mode=False)
    assert (result.return_value or 0) == code, result.output
    return result


def parsed(*arguments: str, code: int = 0) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(call(*arguments, "--json", code=code).stdout)
    assert value["schema_version"] == 1
    return value


def test_a_good_suite_passes(written: Path) -> None:
    shown = call(str(written), "--frequencies", "none", "--no-inventory").stdout
    assert shown == "1 suite: 0 errors, 0 warnings, 0 notes.\n"


def test_errors_end_with_one_and_are_shown_with_their_lines(written: Path, counts: str) -> None:
    shown = call(str(written), "--frequencies", counts, "--no-inventory", code=1).stdout
    lines = shown.splitlines()
    assert lines[0] == "toy"
    # Item 3 stands on line 17, item 4 on line 21: seven lines of header, then four lines an item.
    assert lines[1].startswith("  line 17, item 3: warning [unknown-word] The word '爷爷'")
    assert lines[2].startswith("  line 21, item 4: error [unequal-frequency]")
    assert lines[-1] == "1 suite: 1 error, 1 warning, 0 notes."


def test_the_ratio_and_the_least_count_can_be_set(written: Path, counts: str) -> None:
    # (500 + 1) / (50 + 1) = 9.8
    options = (str(written), "--frequencies", counts, "--no-inventory", "--max-ratio", "10")
    found = parsed(*options, "--min-count", "51")["findings"]
    assert {one["code"] for one in found} == {"unknown-word", "rare-word"}
    assert {one["code"] for one in parsed(*options, "--min-count", "50")["findings"]} == {"unknown-word"}


def test_strict_counts_warnings(written: Path, counts: str) -> None:
    options = (str(written), "--frequencies", counts, "--no-inventory", "--max-ratio", "10")
    result = parsed(*options)
    assert result["passed"] is True
    assert result["tables"][0].startswith("frequencies:counts.tsv|")
    assert parsed(*options, "--strict", code=1)["passed"] is False


def test_classifiers_are_checked_against_the_inventory(written: Path) -> None:
    text = written.read_text("utf-8").replace("这 匹", "这 艘")
    written.write_text(text, encoding="utf-8")
    found = parsed(str(written), "--frequencies", "none", code=1)["findings"]
    assert [(one["item"], one["line"], one["code"]) for one in found] == [("3", 17, "classifier-misfit")]
    assert parsed(str(written), "--frequencies", "none", "--no-inventory")["findings"] == []


def test_suites_of_ours_are_found_by_name_and_by_class() -> None:
    options = ("--frequencies", "none", "--no-inventory", "--no-transitivity")
    assert parsed("missing_object.none", *options)["suites"] == ["missing_object.none"]
    assert len(parsed("missing object", "missing_object.none", *options)["suites"]) == 4
    assert len(parsed(*options)["suites"]) == 24


def test_mistakes_are_named(written: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No suite is called 'nope'"):
        call("nope")
    with pytest.raises(UserError, match="no such file"):
        call(str(tmp_path / "absent.suite"))
    with pytest.raises(UserError, match="no such file"):
        call(str(written), "--frequencies", str(tmp_path / "absent.tsv"))
    other = tmp_path / "other" / "toy.suite"
    other.parent.mkdir()
    other.write_text(written.read_text("utf-8").replace("爷爷", "奶奶"), encoding="utf-8")
    with pytest.raises(UserError, match="Two suites are called 'toy'"):
        call(str(written), str(other), "--frequencies", "none", "--no-inventory")
