"""Are the published scores of taggers entered whole, and do they agree with each other and with the set?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.tagging.published import is_share, paper_004, published_columns, published_scores, published_total
from hengliang.tagging.test_sets.test_set import error_pair


def test_seventy_items_for_each_of_five_taggers() -> None:
    for column in published_columns():
        held = published_scores(column)
        assert len(held) == 70 == paper_004().facts["items"]
        assert all(re.fullmatch(r"\d{1,3}\.\d\d", text) for text in held.values())
        assert all(error_pair(pair).name == pair for pair in held)
    assert published_scores("B")["p+r:d"] == "37.50" and published_scores("C")["p+r:d"] == "100.00"
    assert sum(error_pair(pair).about_words for pair in published_scores("A")) == paper_004().facts["items_about_words"]


def test_the_mean_of_each_column_is_the_printed_z() -> None:
    for column, total in zip("ABCDE", ("44.15", "53.43", "55.20", "35.85", "43.23"), strict=True):
        assert published_total(column) == total
        values = [float(text) for text in published_scores(column).values()]
        # D is 35.8467 and E 43.2267 before rounding: all five are means over 70 items, none over 69.
        assert f"{sum(values) / len(values):.2f}" == total


def test_tables_3_and_4_are_means_of_the_appendix() -> None:
    for table, size in (("3", 9), ("4", 15)):
        held = paper_004().tables[table]
        assert len(held["items"]) == size
        for column, mean in zip(published_columns(), held["mean"], strict=True):
            values = [float(published_scores(column)[pair]) for pair in held["items"]]
            assert f"{sum(values) / size:.2f}" == mean


def test_a_tagger_that_the_paper_does_not_have() -> None:
    with pytest.raises(UserError, match="'F'"):
        published_total("F")


# --- against the files of the paper ---------------------------------------------------------------------------------


def report(folder: Path, column: str) -> dict[str, str]:
    """Return the lines of a report: the item and the share of correct sentences."""
    text = (folder / "pos_finegrained" / f"evalreport_{column}.txt").read_text(encoding="gb18030")
    found = re.findall(r"^(\[\[.*\]\])\s+([\d.]+)%", text, re.MULTILINE)
    return {error_pair(name).name: share for name, share in found}


def sentences(folder: Path) -> dict[str, int]:
    """Count the sentences of each item of the evaluation set."""
    counts: dict[str, int] = {}
    for line in (folder / "pos_finegrained" / "evaluation_set.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            item = error_pair(line[2:]).name
            counts[item] = 0
        elif line.strip() and not line.startswith("#"):
            counts[item] += 1
    return counts


@pytest.mark.mirror
def test_the_reports_are_the_columns_without_one_item(mirror: Path) -> None:
    for column in published_columns():
        printed = dict(published_scores(column))
        del printed["v:v+v"]
        assert report(mirror, column) == printed


@pytest.mark.mirror
def test_printed_scores_are_correct_over_total(mirror: Path) -> None:
    # A share by formula (1) has Total − Record below the line, which differs between taggers. The printed values of 67
    # items are whole numbers of sentences over the number of sentences of the item, for all five taggers.
    counts = sentences(mirror)
    assert set(counts) == set(published_scores("A"))
    impossible = {
        pair
        for pair, n in counts.items()
        if not all(is_share(published_scores(column)[pair], n) for column in published_columns())
    }
    assert impossible == {"v:u", "n:u", "v:v+v"}
    # Two of the three fit a set with one sentence more than the published one has.
    assert (counts["v:u"], counts["n:u"], counts["v:v+v"]) == (20, 8, 47)
    for pair, n in (("v:u", 21), ("n:u", 9)):
        assert all(is_share(published_scores(column)[pair], n) for column in published_columns())
    # The third is impossible for every tagger.
    assert not any(is_share(published_scores(column)["v:v+v"], 47) for column in published_columns())
