"""Does mining count errors, leave what the next commands need, and go on where a tagger fails?"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from hengliang.cli.main import outcome
from hengliang.tagging import read_review, tagged_sentences
from hengliang.tagging import sentences as corpora
from tests.cli.tagger_folder import TOYS, Capture, answered, here, refused, told
from tests.small_tagged_corpus import SENTENCES

__all__ = ["here"]

pytestmark = pytest.mark.usefixtures("here")

TWO = ("mine", "-t", "toy", "-t", "worse", "--corpus", "stories.txt", "--least", "2", "--out", "mined", *TOYS)


def test_errors_are_counted_and_kept(capsys: Capture) -> None:
    found = answered(capsys, *TWO)
    assert found["sentences"] == 60
    instances = pl.read_parquet("mined/instances.parquet")
    for row in found["taggers"]:
        own = instances.filter(pl.col("system") == row["tagger"])
        assert (row["instances"], row["pairs"]) == (own.height, own["pair"].n_unique())
    # Both say v for 要求/n and 学习/vn. Only the worse one says d for 就/p 此/r, and one of two is not more than 51 %.
    assert {"n:v", "vn:v"} <= set(found["candidates"])
    assert "p+r:d" not in found["candidates"]
    assert set(found["suggested"]) <= set(found["candidates"])
    assert read_review("mined/review.tsv")["pair"].to_list() == found["candidates"]
    assert found["notes"] == []
    assert Path("mined/report.html").is_file()


def test_what_is_printed_says_what_to_do_next(capsys: Capture) -> None:
    shown = told(capsys, *TWO)
    candidates = read_review("mined/review.tsv").height
    assert "instances of" in shown and f"{candidates} candidates made by enough taggers" in shown
    assert f"  … and {candidates - 10} more\n" in shown
    assert shown.endswith("Decide in mined/review.tsv, then: hengliang taggers build --run mined\nmined/report.html\n")


def test_how_much_counts_can_be_chosen(capsys: Capture) -> None:
    # toy errs three times with 学习/vn, the worse one seven times with it and 帮助/vn.
    assert "vn:v" in answered(capsys, *TWO, "--times", "3")["candidates"]
    assert "vn:v" not in answered(capsys, *TWO, "--times", "4")["candidates"]
    assert "p+r:d" in answered(capsys, *TWO, "--least", "1", "--share", "0.49")["candidates"]
    alone = answered(capsys, *TWO, "--no-segmentation")["candidates"]
    assert "n:v" in alone and not any("+" in pair for pair in alone)


def test_a_tagger_that_fails_in_four_ways_costs_four_sentences(capsys: Capture) -> None:
    wanted = ("月亮", "河水", "火车", "厨房", "窗台", "枣树")
    lines = [line for line in SENTENCES.splitlines() if any(word in line for word in wanted)]
    Path("few.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["mine", "-t", "moody", "--corpus", "few.txt", "--least", "1", "--out", "few", "--time-limit", "2", *TOYS]
    assert outcome(["taggers", *command]) == 0
    shown = capsys.readouterr()
    assert sorted(shown.err.splitlines()) == [
        "moody: 1 of 6 sentences: no answer within 2 s",
        "moody: 1 of 6 sentences: no words came back",
        "moody: 1 of 6 sentences: the tagger raised ValueError",
        "moody: 1 of 6 sentences: the words are not the text of the sentence",
    ]
    # Of the other two every word but the nouns of one character is wrong: 院子 里 有 三 棵 枣树 。 and 睡 在 窗台 上 。
    assert shown.out.startswith("moody              12 instances of")


def test_tag_sets_that_do_not_meet_are_told(capsys: Capture) -> None:
    # The same sentences with tags of another set: no tagger gives VV or NN, so all of their words are "errors".
    text = Path("stories.txt").read_text(encoding="utf-8").replace("/v ", "/VV ").replace("/n ", "/NN ")
    Path("other.txt").write_text(text, encoding="utf-8")
    command = ["mine", "-t", "toy", "--least", "1", *TOYS]
    assert outcome(["taggers", *command, "--corpus", "other.txt", "--out", "other"]) == 0
    told_of = capsys.readouterr().err
    assert "toy: " in told_of and "VV (" in told_of and "NN (" in told_of and "--tags" in told_of


def test_a_corpus_in_another_encoding_with_a_broken_line(capsys: Capture) -> None:
    lines = Path("stories.txt").read_text(encoding="utf-8").splitlines()
    Path("gb.txt").write_text("\n".join([*lines[:3], "没有标记", *lines[3:]]) + "\n", encoding="gb18030")
    command = ["mine", "-t", "toy", "--least", "1", "--corpus", "gb.txt", *TOYS]
    assert "--errors skip" in refused(capsys, *command, "--out", "one")
    assert "gb18030" in refused(capsys, *command, "--out", "two", "--encoding", "utf-8")
    assert outcome(["taggers", *command, "--out", "three", "--errors", "skip", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["sentences"] == len(lines)
    assert "1 lines of gb.txt cannot be read and were left out; the first: gb.txt, line 4" in shown.err


def test_whoever_has_seen_the_answers_is_named(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("snownlp")
    few = tagged_sentences("stories.txt").items().head(3)

    def first_sentences(*_: object) -> pl.DataFrame:
        return few

    # Three sentences stand for the corpus, which has tens of thousands.
    monkeypatch.setattr(corpora, "_sentences", first_sentences)
    command = ("mine", "-t", "snownlp", "--part", "train", "--least", "1", "--out", "seen", "--quiet")
    assert "snownlp was trained on these very sentences" in told(capsys, *command)
    assert "snownlp 正是用这些句子" in told(capsys, *command, "--language", "zh")
    (note,) = answered(capsys, *command)["notes"]
    assert note["en"].startswith("snownlp was trained")
    assert "snownlp was trained on these very sentences" in Path("seen/report.html").read_text(encoding="utf-8")


def test_what_cannot_be_mined_is_explained(capsys: Capture) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    assert "empty.txt holds no tagged words" in refused(capsys, *TWO, "--corpus", "empty.txt")
    assert "Did you mean toy?" in refused(capsys, *TWO, "-t", "toi")
    assert "At least 5 of 2 taggers (toy, worse)" in refused(capsys, *TWO, "--least", "5")
    assert "No tag set is called 'ptb'" in refused(capsys, *TWO, "--tags", "ptb")
    assert "too short to be cut" in refused(capsys, *TWO, "--part", "dev")
    assert not Path("mined/instances.parquet").exists()
