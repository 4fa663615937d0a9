"""Are the scores of taggers on a test set those that follow by hand, and is bad input told?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hengliang.cli.main import outcome
from hengliang.tagging import HeldCorpus, TaggingSet, write_set
from tests.cli.tagger_folder import TOYS, Capture, answered, here, refused, told
from tests.small_tagged_corpus import MISSED, small_set

__all__ = ["here"]

pytestmark = pytest.mark.usefixtures("here")


def numbers(found: dict[str, Any], system: str, pair: str) -> dict[str, Any]:
    rows = [row for row in found["estimates"] if row["by"].get("system") == system and row["by"].get("pair") == pair]
    return {row["statistic"]: row["value"] for row in rows if row["analysis"] == "tagging diagnosis"}


def test_the_scores_are_those_that_follow_by_hand(capsys: Capture) -> None:
    found = answered(capsys, "test", "--set", "set.tsv", "-t", "toy", *TOYS)
    # 决定/n five times right, 要求/n four times v, 邻居/n once two words.
    item = numbers(found, "toy", "n:v")
    assert (item["correct"], item["wrong"], item["record"], item["total"], item["failed"]) == (5, 4, 1, 10, 0)
    assert (item["D"], item["D published"], item["R"]) == pytest.approx((500 / 9, 50.0, 0.1))
    # All five 大家/r are d, which is neither right nor the error of the pair: there is nothing to divide by.
    item = numbers(found, "toy", "r:n")
    assert (item["record"], item["D"], item["D published"], item["R"]) == (5, None, 0.0, 1.0)
    # 帮助/vn four times right, 学习/vn three times v.
    whole = numbers(found, "toy", "all items")
    assert whole["D"] == pytest.approx((500 / 9 + 400 / 7 + 100 + 100) / 4)
    assert whole["D published"] == pytest.approx((50 + 400 / 7 + 0 + 100 + 100) / 5)
    assert whole["left out"] == 1
    assert found["notes"] == []


def test_what_a_tagger_cannot_give_is_marked(capsys: Capture) -> None:
    pytest.importorskip("jiagu")
    found = answered(capsys, "test", "--set", "set.tsv", "-t", "jiagu", "--quiet")
    # The tags of jiagu know neither vn nor an.
    assert [numbers(found, "jiagu", pair)["reachable"] for pair in ("vn:v", "an:a", "n:v", "r:n")] == [0, 0, 1, 1]
    # Two of four 要求 and 邻居 are right, 3 of 10; nothing else is. So Z is 30 over five items, or over three.
    assert numbers(found, "jiagu", "all items")["D published"] == pytest.approx(30 / 5)
    assert numbers(found, "jiagu", "items within reach")["D published"] == pytest.approx(30 / 3)
    shown = told(capsys, "test", "--set", "set.tsv", "-t", "jiagu", "--quiet")
    assert "vn:v *" in shown and "n:v *" not in shown.replace("vn:v *", "")


def test_what_is_printed_fits_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = told(capsys, "test", "--set", "set.tsv", "-t", "toy", "-t", "worse", *TOYS)
    assert "toy: Z = 61.43" in shown and "78.17" in shown and "worse: Z = 0.00" in shown
    assert "5/4/1" in shown and "…" not in shown
    assert "worse − toy: Z as published differs by" in shown
    assert shown.endswith("runs/tagger-test/report.html\n")
    shown = told(capsys, "test", "--set", "set.tsv", "-t", "toy", *TOYS, "--out", "zh", "--language", "zh")
    assert "toy：按论文实际算法" in shown and "标注器" in shown


def test_a_program_that_calls_every_character_a_noun_is_not_crowned(capsys: Capture) -> None:
    pytest.importorskip("snownlp")
    lines = "import sys\nfor line in sys.stdin:\n    print(' '.join(f'{one}/n' for one in line.strip()), flush=True)\n"
    Path("nouns.py").write_text(lines, encoding="utf-8")
    # 书/n has one character, so that the program is right in this item; all others are wrong in another way.
    write_set("book.tsv", small_set(Path("stories.txt"), missed=[*MISSED, ("n:a", "书")]), text=True)
    nouns = f"program:{sys.executable} nouns.py"
    found = answered(capsys, "test", "--set", "book.tsv", "-t", nouns, "-t", "snownlp", "--quiet")
    program, other = (numbers(found, name, "all items") for name in (nouns, "snownlp"))
    assert program["D"] == 100 and program["D"] > other["D"]  # formula (1) alone would crown it: one item counts
    assert program["D published"] == pytest.approx(100 / 6) and program["D published"] < other["D published"]
    assert [row["statistic"] for row in found["estimates"][:2]] == ["D published", "D"]
    shown = told(capsys, "test", "--set", "book.tsv", "-t", nouns, "-t", "snownlp", "--quiet")
    assert "Z = 16.67" in shown.splitlines()[0] and "over 1 of 6 items" in shown.splitlines()[0]
    assert "formula (1) rests on 1 of 6 items" in shown.splitlines()[1]


def test_references_are_filled_from_their_corpus(capsys: Capture) -> None:
    found = answered(capsys, "test", "--set", "bare.tsv", "--corpus", "stories.txt", "-t", "toy", *TOYS)
    assert numbers(found, "toy", "n:v")["D published"] == 50
    assert "--corpus stories.txt" in refused(capsys, "test", "--set", "bare.tsv", "-t", "toy", *TOYS, "--out", "b")


def test_failures_are_told_and_the_rest_is_scored(capsys: Capture) -> None:
    # 谢谢 has 邻居 and 帮助: two items and one sentence. The three other sentences have one item each.
    bad = {"谢谢": "raise ValueError('no')", "请": "return []", "父母": "return [('父目的健康最重要。', 'n')]"}
    lines = "".join(f"        if '{word}' in sentence:\n            {what}\n" for word, what in bad.items())
    Path("bad.py").write_text(
        "import time\nfrom hengliang.core.registry import register\n"
        "from hengliang.core.labelling.taggers import WordwiseTagger\n\n\n"
        "@register('bad')\nclass Bad(WordwiseTagger):\n    name, tag_map = 'bad', 'pku'\n\n"
        f"    def words(self, sentence):\n{lines}"
        "        if '吸烟' in sentence:\n            time.sleep(600)\n"
        "        return [(character, 'r') for character in sentence]\n",
        encoding="utf-8",
    )
    command = ["test", "--set", "set.tsv", "-t", "bad", "--plugin", "bad.py", "--time-limit", "2", "--quiet", "--json"]
    assert outcome(["taggers", *command]) == 0
    shown = capsys.readouterr()
    assert sorted(shown.err.splitlines()) == [
        "bad: 1 of 28 sentences: no answer within 2 s",
        "bad: 1 of 28 sentences: no words came back",
        "bad: 1 of 28 sentences: the tagger raised ValueError",
        "bad: 1 of 28 sentences: the words are not the text of the sentence",
    ]
    found = answered(capsys, *command[:-1])
    # 大家 is asked five times and 健康 three times; one and two of these sentences failed. None of the rest is right.
    item = numbers(found, "bad", "r:n")
    assert (item["failed"], item["total"], item["record"]) == (1, 4, 4)
    item = numbers(found, "bad", "an:a")
    assert (item["failed"], item["total"]) == (2, 1)
    assert numbers(found, "bad", "n:v")["failed"] == 1
    assert numbers(found, "bad", "vn:v")["failed"] == 1


def test_whoever_has_seen_the_answers_is_named(capsys: Capture) -> None:
    pytest.importorskip("snownlp")
    # The sentences are ours; the set says that they stand in the People's Daily.
    entries = small_set(Path("stories.txt")).entries.head(2).with_columns(corpus=pl.lit("pd199801"))
    write_set("seen.tsv", TaggingSet(entries, "seen", corpora=(HeldCorpus("pd199801"),)), text=True)
    command = ("test", "--set", "seen.tsv", "-t", "snownlp", "--quiet")
    assert "snownlp was trained on these very sentences" in told(capsys, *command)
    assert "snownlp 正是用这些句子" in told(capsys, *command, "--language", "zh")
    (note,) = answered(capsys, *command)["notes"]
    assert note["en"].startswith("snownlp was trained")
    assert "snownlp was trained on these very sentences" in Path("runs/tagger-test/report.html").read_text("utf-8")
    # On sentences of another corpus there is nothing to warn of.
    assert answered(capsys, "test", "--set", "set.tsv", "-t", "snownlp", "-q", "--out", "own")["notes"] == []


def test_what_cannot_be_tested_is_explained(capsys: Capture) -> None:
    toy = ("test", "-t", "toy", *TOYS)
    assert "No tagger is named" in refused(capsys, "test", "--set", "set.tsv", *TOYS)
    assert "Did you mean toy?" in refused(capsys, "test", "-t", "toi", "--set", "set.tsv", *TOYS)
    assert "No tag set is called 'ptb'" in refused(capsys, *toy, "--set", "set.tsv", "--tags", "ptb")
    assert "pos-finegrained" in refused(capsys, *toy, "--set", "nothing")
    assert "no such file" in refused(capsys, *toy, "--set", "nothing.tsv")
    Path("empty.txt").write_text("", encoding="utf-8")
    assert "empty.txt holds no words to test" in refused(capsys, *toy, "--set", "empty.txt")
    assert "stories.txt, line 1: a sentence without a word" in refused(capsys, *toy, "--set", "stories.txt")
    text = Path("set.tsv").read_text(encoding="utf-8").replace("n:v\t决定\t决定/n", "n:v\t决定\t决定/m", 1)
    Path("broken.tsv").write_text(text, encoding="utf-8")
    assert "broken.tsv, line" in refused(capsys, *toy, "--set", "broken.tsv")
    assert "'dev'" in refused(capsys, *toy, "--set", "set.tsv", "--part", "dev")
    assert not Path("runs").exists()
