"""Are the files of SMOG read as they are printed, and what is wrong with a line named?"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.materials.rated_sentences.lau import read_lau2015
from hengliang.materials.rated_sentences.material import smog, z_scores
from hengliang.materials.rated_sentences.smog import PARTS, read_smog, read_smog_file, smog_file, translation_blocks
from hengliang.materials.rated_sentences.source_sentences import source_sentences

HEADER = "MOP\tlanguage\ttext\tlength\trating_list\tmean_rating\n"
GOOD = HEADER + (
    "MOP2\tadger-good\tThe dog barked.\t3\t4, 4, 1\t3.0\n"
    "MOP2\tadger-bad\tDog’s the barked.\t3\t1, 1\t1.0\n"
    "MOP100\tadger-bad\tDog's the barked. \t3\t10, 30\t20.0\n"
)


def test_rows_are_read_as_they_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "textbook.csv"
    path.write_text(GOOD)
    rows = read_smog_file(path)
    assert [(row.line, row.key, row.mode) for row in rows] == [
        (2, "0001", "MOP2"),
        (3, "0002", "MOP2"),
        (4, "0001", "MOP100"),
    ]
    assert [(row.origin, row.textbook) for row in rows] == [("adger", "good"), ("adger", "bad"), ("adger", "bad")]
    assert rows[0].ratings == (4, 4, 1) and rows[0].raters == 3
    # Of 4, 4, 1 the squares from 3 are 1, 1, 4: √(6 / 2).
    assert rows[0].rating_sd == pytest.approx(3**0.5)
    # The files differ in their apostrophes, and one has a space at its end.
    assert rows[1].source_sentence == rows[2].source_sentence == "adger: Dog's the barked."


def test_translations_get_the_source_of_their_original(tmp_path: Path) -> None:
    path = tmp_path / "translated.csv"
    lines = [
        ("en", "The gardener watered the roses before breakfast ."),
        ("en", "Nobody could find the key to the library ."),
        ("zh", "Before breakfast roses were watered by a gardener ."),
        ("zh", "Seven ships left the harbour at midnight ."),
    ]
    rows = [f"{mode}\t{language}\t{text}\t9\t4, 1\t2.5\n" for mode in ("MOP2", "MOP4") for language, text in lines]
    path.write_text(HEADER + "".join(rows))
    found = read_smog_file(path)
    assert [row.source_sentence for row in found] == [f"translated-00{number}" for number in (1, 2, 1, 3)] * 2
    assert list(translation_blocks(found)) == ["en", "zh"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MOP2\ten\tThe dog barked.\t3\t4, 4\n", "line 5: there are 5 columns"),
        ("MOP2\ten\tThe dog barked.\t3\t4, 3\t3.5\n", "line 5: 3 is no rating of MOP2"),
        ("MOP4\ten\tThe dog barked.\t3\t5\t5\n", "line 5: 5 is no rating of MOP4"),
        ("MOP4\ten\tThe dog barked.\t3\t2.5\t2.5\n", "line 5: 2.5 is no rating of MOP4"),
        ("MOP100\ten\tThe dog barked.\t3\t0\t0\n", "line 5: 0 is no rating of MOP100"),
        ("MOP7\ten\tThe dog barked.\t3\t4\t4\n", "line 5: 4 is no rating of MOP7"),
        ("MOP2\ten\tThe dog barked.\t3\t\t4\n", "line 5: there are no ratings"),
        ("MOP2\ten\tThe dog barked.\t3\t4\tfour\n", "line 5: the mean rating 'four' is no number"),
        ("MOP2\ten\t \t3\t4\t4\n", "line 5: there is no sentence"),
    ],
)
def test_what_is_wrong_with_a_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "broken.csv"
    path.write_text(GOOD + line)
    with pytest.raises(UserError) as caught:
        read_smog_file(path)
    assert message in str(caught.value)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a\tb\n")
    with pytest.raises(UserError, match="line 1: the header is another"):
        read_smog_file(path)
    path.write_text(HEADER)
    with pytest.raises(UserError, match="holds no rated sentences"):
        read_smog_file(path)
    with pytest.raises(UserError, match="No part of SMOG is called 'adger_filtered'"):
        smog_file("adger_filtered")


@pytest.mark.mirror
def test_the_published_files(mirror: Path) -> None:
    held = {part: read_smog(part) for part in PARTS}
    counts = {"bnc": 5250, "enwiki": 2500, "adger": 300, "adger filtered": 133}
    assert {part: len(rows) for part, rows in held.items()} == counts
    assert Counter(row.mode for row in held["bnc"]) == {"MOP2": 2500, "MOP4": 2500, "MOP100": 250}
    assert Counter(row.mode for row in held["adger"]) == {"MOP2": 100, "MOP4": 100, "MOP100": 100}
    assert Counter((row.mode, row.textbook) for row in held["adger filtered"]) == {
        ("MOP4", "good"): 91,
        ("MOP4", "bad"): 42,
    }
    # No printed mean differs from its list.
    assert not any(row.mean_differs for rows in held.values() for row in rows)
    assert {part: len({row.text for row in rows}) for part, rows in held.items()} == {
        "bnc": 2469,
        "enwiki": 2439,
        "adger": 100,
        "adger filtered": 132,
    }
    # The slider was shown with about a tenth, not evenly from the languages; MOP2 and MOP4 have the same rows.
    bnc = held["bnc"]
    assert Counter(row.origin for row in bnc if row.mode == "MOP100") == {
        "ja": 59,
        "en": 50,
        "zh": 50,
        "no": 47,
        "es": 44,
    }
    two, four = ([(row.key, row.text) for row in bnc if row.mode == mode] for mode in ("MOP2", "MOP4"))
    assert two == four
    assert len({row.source_sentence for row in bnc}) == 602
    # Of the filtered sentences 63 are in the other file too.
    sources = [{row.source_sentence for row in held[part]} for part in ("adger", "adger filtered")]
    assert len(sources[0] & sources[1]) == 63
    # Quotation marks are doubled, as in a table with quoting that was read without.
    assert sum('""' in row.text for row in bnc) == 212


@pytest.mark.mirror
def test_the_sentences_of_wikipedia(mirror: Path) -> None:
    rows = read_smog("enwiki")
    assert Counter((row.mode, row.origin) for row in rows) == dict.fromkeys(
        [("MOP4", language) for language in ("en", "zh", "ja", "es", "no")], 500
    )
    # Of 599 sources 250 have a sentence in each language; a higher least similarity tells two more apart.
    sizes = Counter(Counter(row.source_sentence for row in rows).values())
    assert (sizes.total(), sizes[5]) == (599, 250)
    assert source_sentences(translation_blocks(rows), least=0.24).count == 601
    # The first hundred are those that come with the authors' program of 2015, but for quotation marks, which are
    # doubled here and missing at the beginning of a sentence, and for spaces before 's.
    letters = re.compile(r"\w+")
    for row, other in zip(rows, read_lau2015(), strict=False):
        assert row.rating == other.rating
        assert "".join(letters.findall(row.text)) == "".join(letters.findall(other.text))
    # Table 9 of Daultani and Okazaki (2022): the ratings of sentence s.157 have the z-score 1.033.
    assert rows[156].key == "0157"
    assert z_scores(rows)[156] == pytest.approx(1.033, abs=5e-4)
    assert smog("enwiki").name == "smog-enwiki"
