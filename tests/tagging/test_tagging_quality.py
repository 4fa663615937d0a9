from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Estimate, Item, Tables, UserError
from hengliang.core import LANGUAGES, SYSTEM_SCHEMA, estimate_records, items_frame, join_words, judgements_frame
from hengliang.core import find_registered as find
from hengliang.report import estimate_table
from hengliang.tagging.quality import (
    SEGMENTATION,
    TAG_ACCURACY,
    TAGGED,
    TaggingQuality,
    gold_words,
    matched_words,
    tagging_quality,
)
from hengliang.tagging.sentences import gold_spans, read_gold
from tests.tagging.diagnostic_answers import diagnostic_tables, tagging, tagging_frame

GOLD = ("他/r 就/p 此/r 离开/v", "他/r 写/v 报告/n", "他/r 走/v")
GIVEN = ("他/r 就此/d 离开/v", "他/r 写/v 报告/v", None)


def tables(gold: Sequence[str] = GOLD, given: Sequence[str | None] = GIVEN, blocks: str = "aab") -> Tables:
    """Return the tables of a run of one tagger on sentences with gold words."""
    items = items_frame(
        Item(
            f"s{n}", f"s{n}", "tagged_sentences", "", join_words(read_gold(text)[0]).content, gold=text,
            attributes={"block": blocks[n % len(blocks)]},
        )
        for n, text in enumerate(gold)
    )  # fmt: skip
    answers = tagging_frame([tagging(f"s{n}", "ONE", text) for n, text in enumerate(given)])
    systems = pl.DataFrame({"name": ["ONE"], "seed": [None]}, schema=SYSTEM_SCHEMA)
    return Tables(items, systems, {"tagging": answers}, judgements_frame([]))


def rows(held: Tables, **settings: object) -> dict[tuple[str, str], Estimate]:
    found = TaggingQuality(**settings).estimate(held)  # type: ignore[arg-type]
    return {(row.by["tag"], row.statistic): row for row in estimate_records(found)}


def test_by_hand() -> None:
    # Two sentences count: 7 words in the corpus, 6 given. Cut right: 他 离开, 他 写 报告, that is 5; with tags 4.
    held = rows(tables())
    words = {name: held[SEGMENTATION, name].value for name in ("precision", "recall", "F1", "support")}
    assert words == pytest.approx({"precision": 5 / 6, "recall": 5 / 7, "F1": 10 / 13, "support": 7})
    tagged = {name: held[TAGGED, name].value for name in ("precision", "recall", "F1", TAG_ACCURACY)}
    assert tagged == pytest.approx({"precision": 4 / 6, "recall": 4 / 7, "F1": 8 / 13, TAG_ACCURACY: 4 / 5})
    # v: 离开 and 写 found; three given, two in the corpus. r: 他 twice found, twice given, three times in the corpus.
    assert [held["v", name].value for name in ("precision", "recall", "F1", "support")] == pytest.approx(
        [2 / 3, 1, 0.8, 2]
    )
    assert [held["r", name].value for name in ("precision", "recall", "F1", "support")] == pytest.approx(
        [1, 2 / 3, 0.8, 3]
    )
    assert (held[SEGMENTATION, "F1"].n, held[SEGMENTATION, "F1"].n_missing) == (2, 1)


def test_what_cannot_be_divided_is_not_available() -> None:
    held = rows(tables())
    # p is never given; d is not in the corpus.
    assert (held["p", "precision"].value, held["p", "recall"].value, held["p", "F1"].value) == (None, 0.0, 0.0)
    assert (held["d", "precision"].value, held["d", "recall"].value) == (0.0, None)
    assert "not available" in held["p", "precision"].method


def test_tags_come_by_frequency_in_the_corpus() -> None:
    order = list(dict.fromkeys(tag for tag, _ in rows(tables())))
    assert order == [SEGMENTATION, TAGGED, "r", "v", "n", "p", "d"]
    assert {tag for tag, _ in rows(tables(), tags=False)} == {SEGMENTATION, TAGGED}


def test_intervals_draw_blocks() -> None:
    held = rows(tables(given=(GIVEN[0], GIVEN[1], "他/r 走/v")))
    # The second block has no error, the first 5 of 6 words right: resamples lie between the two.
    row = held[SEGMENTATION, "precision"]
    assert (row.low, row.high) == pytest.approx((5 / 6, 1.0))
    assert "2 clusters (block)" in row.method
    lone = rows(tables(blocks="a"))[SEGMENTATION, "precision"]
    assert lone.low is None and "no interval" in lone.method


def test_a_tagger_that_failed_always() -> None:
    held = rows(tables(given=(None, None, None)))
    assert (held[SEGMENTATION, "F1"].value, held[SEGMENTATION, "F1"].n_missing) == (None, 3)


def test_the_traditional_scores_of_words_one_for_one_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    # Cut alike, so each word is one case: gold and given tags as two columns.
    gold, given = "nnvvdnavd", "nvvvdnnvn"
    words = "甲乙丙丁戊己庚辛壬"
    texts = [" ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True)) for tags in (gold, given)]
    held = rows(tables([texts[0]], [texts[1]]))
    labels = ["a", "d", "n", "v"]
    expected = metrics.precision_recall_fscore_support(list(gold), list(given), labels=labels, zero_division=0)
    for place, tag in enumerate(labels):
        for name, column in zip(("precision", "recall", "F1", "support"), expected, strict=True):
            assert (held[tag, name].value or 0.0) == pytest.approx(column[place])
    assert held[TAGGED, "F1"].value == pytest.approx(metrics.accuracy_score(list(gold), list(given)))
    assert held[SEGMENTATION, "F1"].value == 1.0


def cut(characters: str) -> st.SearchStrategy[str]:
    """Draw a way to cut and tag these characters."""
    edges = st.lists(st.booleans(), min_size=len(characters), max_size=len(characters))
    tags = st.lists(st.sampled_from("nvd"), min_size=len(characters), max_size=len(characters))
    return st.builds(_tagged, st.just(characters), edges, tags)


def _tagged(characters: str, edges: list[bool], tags: list[str]) -> str:
    pieces = [""]
    for character, edge in zip(characters, edges, strict=True):
        pieces[-1] += character
        pieces += [""] if edge else []
    return " ".join(f"{piece}/{tag}" for piece, tag in zip(filter(None, pieces), tags, strict=False))


@settings(max_examples=40)
@given(st.lists(st.tuples(cut("甲乙丙丁"), cut("甲乙丙丁")), min_size=1, max_size=4))
def test_equal_to_counting_sets(sentences: list[tuple[str, str]]) -> None:
    gold, given = [one for one, _ in sentences], [two for _, two in sentences]
    held = rows(tables(gold, given), draws=2)
    first = {(n, *span) for n, text in enumerate(gold) for span in gold_spans(text)}
    second = {(n, *span) for n, text in enumerate(given) for span in gold_spans(text)}
    same = {word[:3] for word in first} & {word[:3] for word in second}
    assert held[SEGMENTATION, "F1"].value == pytest.approx(2 * len(same) / (len(first) + len(second)))
    assert held[TAGGED, "precision"].value == pytest.approx(len(first & second) / len(second))
    for tag in {word[3] for word in first}:
        right = {word for word in first & second if word[3] == tag}
        assert held[tag, "recall"].value == pytest.approx(len(right) / sum(word[3] == tag for word in first))


def test_words_of_both_sides() -> None:
    answers = tables().responses["tagging"].filter(pl.col("status") == "ok").with_columns(cluster=pl.lit("a"))
    gold = gold_words(tables().items)
    assert gold.filter(pl.col("item") == "s1").rows() == [("s1", 0, 3, "r"), ("s1", 3, 6, "v"), ("s1", 6, 12, "n")]
    found = matched_words(answers, gold)
    assert (found["in_gold"].sum(), found["given"].sum()) == (7, 6)
    assert found.filter("in_gold")["cut"].sum() == found.filter("given")["cut"].sum() == 5


def test_runs_without_gold_words_are_refused() -> None:
    with pytest.raises(UserError, match="no sentences of the material 'tagged_sentences'"):
        tagging_quality().estimate(diagnostic_tables())
    held = tables()
    bare = replace(held, items=held.items.with_columns(gold=pl.lit(None, dtype=pl.String)))
    with pytest.raises(UserError, match="gold words"):
        tagging_quality().estimate(bare)


def test_registered_laid_out_and_kept_promises() -> None:
    analysis = TaggingQuality()
    assert find("analysis", "tagging quality").kind is TaggingQuality
    assert [finding.promise for finding in analysis.conformance() if not finding.kept] == []
    for language in LANGUAGES:
        assert "ONE" in estimate_table(analysis.estimate(tables()), analysis.layout(), language).to_markdown()
