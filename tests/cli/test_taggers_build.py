"""Does a set follow from what was mined and reviewed, in both formats, and grow from another corpus?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hengliang.tagging import read_listing, read_set
from tests.cli.tagger_folder import TOYS, Capture, answered, here, refused, told

__all__ = ["here"]

KEPT = "pair\tdecision\nn:v\tkeep\nvn:v\tdrop\np+r:d\tkeep\n"


@pytest.fixture(autouse=True)
def mined(here: Path, capsys: Capture) -> None:
    told(capsys, "mine", "-t", "toy", "-t", "worse", "--corpus", "stories.txt", "--least", "2", "--out", "mined", *TOYS)
    Path("kept.tsv").write_text(KEPT, encoding="utf-8")


def build(capsys: Capture, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = answered(capsys, "build", "--run", "mined", "--review", "kept.tsv", *arguments)
    return found


def test_a_set_has_the_words_and_sentences_of_what_is_kept(capsys: Capture) -> None:
    found = build(capsys)
    # n:v is made in 要求 by both and in 决定 by the worse one: 4 and 5 sentences. p+r:d in 就此: 4.
    held = read_set("tagging-set.tsv")
    assert held.words == (("n:v", "决定"), ("n:v", "要求"), ("p+r:d", "就此"))
    assert (found["items"], found["words"], found["entries"], found["sentences"]) == (2, 3, 13, 13)
    assert found["signature"] == str(held.signature())
    assert not held.has_text


def test_the_review_of_the_run_is_taken_if_none_is_named(capsys: Capture) -> None:
    review = Path("mined/review.tsv")
    review.write_text(KEPT.replace("n:v\tkeep", "n:v\tdrop", 1), encoding="utf-8")
    assert answered(capsys, "build", "--run", "mined")["items"] == 1


def test_words_can_be_chosen_by_votes_and_number(capsys: Capture) -> None:
    # Two taggers miss 要求, one 决定; p+r:d has one word that one tagger misses.
    assert build(capsys, "--votes", "2")["words"] == 1
    assert build(capsys, "--words", "1")["words"] == 2
    assert read_set("tagging-set.tsv").words == (("n:v", "要求"), ("p+r:d", "就此"))
    assert build(capsys, "--most", "2")["entries"] == 6


def test_the_hint_names_the_corpus_of_references(capsys: Capture) -> None:
    asked = ("build", "--run", "mined", "--review", "kept.tsv")
    shown = told(capsys, *asked)
    corpus = Path("stories.txt").resolve()
    assert "2 items, 3 words, 13 entries in 13 sentences" in shown
    assert f"hengliang taggers test --set tagging-set.tsv --corpus {corpus} --tagger lac" in shown
    assert "--set mine.tsv --tagger lac" in told(capsys, *asked, "--text", "--out", "mine.tsv")


def test_the_plain_format_is_written_and_read_back(capsys: Capture) -> None:
    assert build(capsys, "--out", "mine.txt")["entries"] == 13
    assert Path("mine.txt").read_text(encoding="utf-8").startswith("# [['n'], ['v']]\n## 决定\n")
    assert read_listing("mine.txt").height == 13


def test_a_set_grows_from_another_corpus(capsys: Capture) -> None:
    Path("more.txt").write_text("事情/n 就/p 此/r 过去/v 。/w\n经理/n 的/u 要求/n 变/v 了/u 。/w\n", encoding="utf-8")
    assert build(capsys, "--grow", "more.txt", "--text")["entries"] == 15
    grown = read_set("tagging-set.tsv").entries
    assert grown.filter(grown["corpus"] == "more")["word"].to_list() == ["要求", "就此"]


def test_what_cannot_be_built_is_explained(capsys: Capture) -> None:
    assert "There is no mining in nowhere. Mine first: hengliang taggers mine --out nowhere" in refused(
        capsys, "build", "--run", "nowhere"
    )
    assert "ends in .tsv (ours) or .txt" in refused(capsys, "build", "--run", "mined", "--out", "set.json")
    assert "gone.tsv" in refused(capsys, "build", "--run", "mined", "--review", "gone.tsv")
    Path("bad.tsv").write_text("pair\tdecision\nn:v\tperhaps\n", encoding="utf-8")
    assert "bad.tsv, line 2: 'perhaps' is no decision about n:v" in refused(
        capsys, "build", "--run", "mined", "--review", "bad.tsv"
    )
    Path("none.tsv").write_text("pair\tdecision\nn:v\tdrop\n", encoding="utf-8")
    assert "Set the decision of some items to 'keep'" in refused(
        capsys, "build", "--run", "mined", "--review", "none.tsv"
    )
    assert not Path("tagging-set.tsv").exists()
