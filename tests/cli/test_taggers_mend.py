"""Are the sentences found that teach a tagger what it misses, and none that the test asks?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.tagging import read_gold, read_set
from tests.cli.tagger_folder import TOYS, Capture, answered, here, refused, told

__all__ = ["here"]

pytestmark = pytest.mark.usefixtures("here")

TOY = (
    "mend", "--set", "two.tsv", "--part", "train", "-t", "toy", "--pool", "stories.txt", "--least", "2", "--run", "run",
    *TOYS,
)  # fmt: skip


def test_the_worst_pairs_come_with_sentences_to_learn_from(capsys: Capture) -> None:
    found = answered(capsys, *TOY)
    # Two sentences a word. 大家: never right. 决定 twice right, 要求 never, and the one 邻居 never: 2 of 5. 帮助 twice
    # right, 学习 never: 2 of 4.
    assert found["pairs"] == [
        {"pair": "r:n", "score": 0.0, "n": 2},
        {"pair": "n:v", "score": 40.0, "n": 5},
        {"pair": "vn:v", "score": 50.0, "n": 4},
    ]
    counts: dict[tuple[str, str], int] = {}
    for row in found["sentences"]:
        counts[row["word"], row["kind"]] = counts.get((row["word"], row["kind"]), 0) + 1
    # The set has two of five 大家/r, two of four 要求/n, two of three 学习/vn and the one 邻居: the others are left.
    # 要求 and 学习 are verbs twice each, but there are never more contrasts than right uses; 大家 is never a noun.
    assert counts == {
        ("大家", "right"): 3,
        ("要求", "right"): 2,
        ("要求", "contrast"): 2,
        ("学习", "right"): 1,
        ("学习", "contrast"): 1,
    }


def test_no_sentence_of_the_test_is_written(capsys: Capture) -> None:
    shown = told(capsys, *TOY, "--out", "more.txt")
    assert shown.splitlines() == [
        "<[r], [n]>         D   0.0  1 word, 3 right and 0 contrasting uses",
        "<[n], [v]>         D  40.0  1 word, 2 right and 2 contrasting uses",
        "<[vn], [v]>        D  50.0  1 word, 1 right and 1 contrasting uses",
        "9 sentences in all",
        "more.txt",
    ]
    lines = Path("more.txt").read_text(encoding="utf-8").splitlines()
    texts = ["".join(read_gold(line)[0]) for line in lines]
    assert len(set(texts)) == 9
    assert set(texts).isdisjoint(read_set("two.tsv").entries["content"].to_list())
    assert "共 9 句" in told(capsys, *TOY, "--language", "zh")


def test_how_much_is_mended_can_be_chosen(capsys: Capture) -> None:
    assert [row["pair"] for row in answered(capsys, *TOY, "--worst", "1")["pairs"]] == ["r:n"]
    found = answered(capsys, *TOY, "--per-word", "1", "--no-contrast")["sentences"]
    assert sorted((row["word"], row["kind"]) for row in found) == [
        ("大家", "right"),
        ("学习", "right"),
        ("要求", "right"),
    ]


def test_a_tagger_without_faults_has_nothing_to_mend(capsys: Capture) -> None:
    # an:a alone: toy has all 健康/an right.
    lines = Path("set.tsv").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("# signature") and (line[0] in "#p" or "an:a" in line)]
    Path("easy.tsv").write_text("\n".join(line for line in kept if not line.startswith("p+r")) + "\n", encoding="utf-8")
    shown = told(capsys, *TOY, "--set", "easy.tsv", "--out", "more.txt")
    assert shown.startswith("It gets all of these error pairs right: there is nothing to mend.\n")
    assert Path("more.txt").read_text(encoding="utf-8") == ""


def test_what_cannot_be_mended_is_explained(capsys: Capture) -> None:
    assert "No error pair has 50 sentences that were judged. Ask for fewer" in refused(capsys, *TOY, "--least", "50")
    assert "'dev'" in refused(capsys, "mend", "--set", "two.tsv", "-t", "toy", *TOYS)
    assert "Did you mean toy?" in refused(capsys, *TOY, "-t", "toi")
    assert "nowhere.txt" in refused(capsys, *TOY, "--pool", "nowhere.txt")
    assert "nowhere.tsv" in refused(capsys, *TOY, "--set", "nowhere.tsv")
