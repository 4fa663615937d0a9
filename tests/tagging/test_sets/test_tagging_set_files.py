"""Does a test set come back from a file as it was written, and is a broken file told by its line?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora import locate
from hengliang.tagging.test_sets.test_set import (
    EXTRA_SCHEMA,
    LISTING_SCHEMA,
    SET_SCHEMA,
    ErrorPair,
    HeldCorpus,
    TaggingSet,
    is_set_file,
    read_listing,
    read_set,
    tagging_set,
    without_text,
    write_listing,
    write_set,
)

TAGS = st.lists(st.sampled_from(["n", "v", "Ng", "d"]), min_size=1, max_size=2)
HAN = st.text(st.sampled_from("天下雨风，。#\"'é"), max_size=4)
NUMBERS = st.none() | st.integers(0, 10**6)


@st.composite
def sets(draw: st.DrawFn) -> TaggingSet:
    """Draw a set of right entries, some without a place in a corpus, and words that have none."""
    rows, listed = [], []
    for _ in range(draw(st.integers(0, 5))):
        tags, wrong = draw(TAGS), draw(TAGS)
        words = [draw(st.text(st.sampled_from("他来去看"), min_size=1, max_size=2)) for _ in tags]
        before, word = draw(HAN), "".join(words)
        start = len(before.encode())
        row = {
            "pair": ErrorPair(tuple(tags), tuple(wrong)).name,
            "word": word,
            "gold": " ".join(f"{one}/{tag}" for one, tag in zip(words, tags, strict=True)),
            "start": start,
            "end": start + len(word.encode()),
            "content": before + word + draw(HAN),
            "places": draw(NUMBERS),
        }
        if draw(st.booleans()):
            row |= {"corpus": "small corpus", "paragraph": draw(st.integers(1, 9)), "offset": draw(st.integers(0, 99))}
            row |= {"corpus_part": draw(st.sampled_from(["train", None]))}
        rows.append(row)
        listed.append((str(row["pair"]), draw(st.sampled_from([word, "没有"]))))
    table = pl.DataFrame(rows, schema={**SET_SCHEMA, "places": EXTRA_SCHEMA["places"]})
    # In a file the entries of one word stand together, in the order in which words are named first.
    order = list(dict.fromkeys([*listed, *table.select("pair", "word").rows()]))
    ranks = [order.index(key) for key in table.select("pair", "word").rows()]
    table = table.with_columns(pl.Series("rank", ranks, dtype=pl.Int64)).sort("rank", maintain_order=True).drop("rank")
    corpora = draw(st.sampled_from([(), (HeldCorpus("small corpus", "0f" * 32),), (HeldCorpus("small corpus"),)]))
    return tagging_set(table, draw(st.sampled_from(["", "a|b: c", " x "])), draw(st.integers(1, 3)), corpora, listed)


def same(one: TaggingSet, other: TaggingSet) -> bool:
    facts = [(held.name, held.version, held.corpora, held.words, str(held.signature())) for held in (one, other)]
    return facts[0] == facts[1] and one.entries.equals(other.entries)


RIGHT = tagging_set(
    pl.DataFrame(
        {"pair": "p+r:d", "word": "就此", "gold": "就/p 此/r", "corpus": "small", "paragraph": 1, "offset": 0,
         "start": 3, "end": 9, "content": "他就此走了。", "corpus_part": "train"},
        schema=SET_SCHEMA,
    ),
    name="mine",
    corpora=[HeldCorpus("small", "ab" * 32)],
    listed=[("p+r:d", "从此"), ("p+r:d", "就此")],
)  # fmt: skip


# --- our format -----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(sets())
def test_a_set_with_its_text_comes_back(tmp_path_factory: pytest.TempPathFactory, held: TaggingSet) -> None:
    path = tmp_path_factory.mktemp("sets") / "set.tsv"
    write_set(path, held, text=True)
    assert same(read_set(path), held)
    assert is_set_file(path)


@settings(max_examples=40)
@given(sets())
def test_a_set_of_references_comes_back(tmp_path_factory: pytest.TempPathFactory, held: TaggingSet) -> None:
    path = tmp_path_factory.mktemp("sets") / "set.tsv"
    write_set(path, held)
    assert same(read_set(path), without_text(held))


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    write_set(tmp_path / "set.tsv", RIGHT)
    lines = (tmp_path / "set.tsv").read_text(encoding="utf-8").split("\n")
    assert lines[:4] == ["# hengliang tagging set 1", "# name: mine", "# version: 1", f"# corpus: small {'ab' * 32}"]
    assert lines[4].startswith("# table: ")
    assert lines[5] == f"# signature: {RIGHT.signature()}"
    assert lines[6] == "pair\tword\tgold\tcorpus\tparagraph\toffset\tstart\tend\tcorpus_part\tcontent"
    # A word without a sentence stands alone; no text of the corpus is in the file.
    assert lines[7:] == ["p+r:d\t从此" + "\t" * 8, "p+r:d\t就此\t就/p 此/r\tsmall\t1\t0\t3\t9\ttrain\t", ""]


def changed(folder: Path, old: str, new: str) -> Path:
    path = folder / "set.tsv"
    write_set(path, RIGHT, text=True)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("tagging set 1", "tagging set 9", "does not begin like a test set for taggers"),
        ("就/p 此/r", "就/p 此/n", r"set\.tsv, line 9: the item p\+r:d is about p\+r"),
        ("\t3\t9", "\t0\t6", r"set\.tsv, line 9: at the bytes 0–6 of the sentence stands '他就'"),
        ("\t3\t9", "\tthree\t9", r"set\.tsv, line 9: start 'three' is no whole number"),
        ("\ttrain", "", r"set\.tsv, line 9 has 9 cells"),
        ("corpus_part", "part", r"set\.tsv, line 7: there is no column 'corpus_part'"),
        ("\tcontent", "\tcontent\tage", r"set\.tsv, line 7: the column 'age' is strange"),
        ("p+r:d\t从此", "p+r\t从此", r"set\.tsv, line 8: 'p\+r' is no error pair"),
        ("p+r:d\t从此", "p+r:d\t", r"set\.tsv, line 8: an item and a word"),
        ("他就此走了", "她就此走了", "was changed after it was written: a sentence or a part of the corpus"),
        ("\ttrain", "\ttest", "was changed after it was written: a sentence or a part of the corpus"),
        ("\t3\t9", "\t 3\t9", r"set\.tsv, line 9: start ' 3' is no whole number"),
        ("\t3\t9", "\t3\t9" + "0" * 20, r"set\.tsv, line 9: end '90+' is no whole number"),
        ("# corpus: small ", "# corpus: ", "names no corpus"),
        ("# version: 1", "# version: one", "version 'one' is no whole number"),
        ("\t1\t0\t", "\t2\t0\t", "was changed after it was written"),
        ("# name: mine", "# name: yours", "was changed after it was written"),
    ],
)
def test_a_broken_file_is_told_by_its_line(tmp_path: Path, old: str, new: str, fault: str) -> None:
    path = changed(tmp_path, old, new)
    with pytest.raises(UserError, match=fault):
        read_set(path)


def test_a_file_without_a_signature_is_read(tmp_path: Path) -> None:
    path = changed(tmp_path, f"# signature: {RIGHT.signature()}\n", "")
    assert same(read_set(path), RIGHT)


def test_what_a_person_changed_is_read_once_the_signature_is_out(tmp_path: Path) -> None:
    path = changed(tmp_path, f"# signature: {RIGHT.signature()}\n", "")
    text = path.read_text(encoding="utf-8").replace("他就此走了", "她就此走了").replace("version: 1", "version: 0")
    path.write_text(text, encoding="utf-8")
    found = read_set(path)
    assert found.entries["content"].to_list() == ["她就此走了。"]
    assert found.version == 0


def test_a_file_without_a_digest_of_its_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "set.tsv"
    write_set(path, RIGHT, text=True)
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if not line.startswith("# table")]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert same(read_set(path), RIGHT)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").write_bytes(b"")
    with pytest.raises(UserError, match="does not begin like"):
        read_set(tmp_path / "empty.tsv")
    (tmp_path / "head.tsv").write_bytes(b"# hengliang tagging set 1\n# name: x\n")
    with pytest.raises(UserError, match="has a head but no table"):
        read_set(tmp_path / "head.tsv")
    with pytest.raises(UserError, match="Cannot read"):
        read_set(tmp_path / "none.tsv")


def test_what_would_break_a_line_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds a tab or a line break"):
        write_set(tmp_path / "set.tsv", TaggingSet(RIGHT.entries, name="a\nb"))
    assert not (tmp_path / "set.tsv").exists()


# --- the plain format -----------------------------------------------------------------------------------------------


def test_the_plain_format_is_read(tmp_path: Path) -> None:
    path = tmp_path / "set.txt"
    text = (
        "# [['v'], ['t']]\r\n## 过去\r\n船过去了。\r\n## 从前\r\n# [['p', 'r'], ['d']]\r\n## 就此\r\n他就此走了。\r\n"
    )
    path.write_bytes(text.encode())
    found = read_listing(path)
    assert dict(found.schema) == LISTING_SCHEMA
    assert found.rows() == [
        ("v:t", "过去", "船过去了。", 3),
        ("v:t", "从前", None, 4),
        ("p+r:d", "就此", "他就此走了。", 7),
    ]
    assert not is_set_file(path)


@settings(max_examples=40)
@given(sets())
def test_a_listing_comes_back(tmp_path_factory: pytest.TempPathFactory, held: TaggingSet) -> None:
    path = tmp_path_factory.mktemp("sets") / "set.txt"
    contents = held.entries["content"].to_list()
    if any(text.startswith("#") for text in contents):
        with pytest.raises(UserError, match="cannot stand in the plain format"):
            write_listing(path, held)
        return
    write_listing(path, held)
    if not held.words:
        with pytest.raises(UserError, match="holds no words"):
            read_listing(path)
        return
    found = read_listing(path)
    order = list(held.pairs)
    words = sorted(held.words, key=lambda word: order.index(word[0]))  # all words of an item stand together
    assert list(dict.fromkeys(found.select("pair", "word").rows())) == words
    for pair, word in words:
        own = (pl.col("pair") == pair) & (pl.col("word") == word)
        assert found.filter(own)["content"].drop_nulls().to_list() == held.entries.filter(own)["content"].to_list()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "holds no words to test"),
        ("# [['v'], ['t']]\n", "holds no words to test"),
        ("## 过去\n", "line 1: a word without an item"),
        ("# [['v'], ['t']]\n船过去了。\n", "line 2: a sentence without a word"),
        ("# [['v'], ['t']]\n##\n", "line 2: an item's word is empty"),
        ("# v\n", "line 1: ' v' is no error pair"),
    ],
)
def test_a_broken_listing_is_told_by_its_line(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "set.txt").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=fault):
        read_listing(tmp_path / "set.txt")


def test_references_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="only where they stand"):
        write_listing(tmp_path / "set.txt", without_text(RIGHT))


@pytest.mark.mirror
def test_the_published_listing(mirror: Path) -> None:
    found = read_listing(locate("pos-finegrained", "evaluation_set.txt"))
    # grep -c '^# ', grep -c '^## ' and the other lines of the file; 48 words are followed by no sentence.
    assert found["pair"].n_unique() == 70
    assert found.select("pair", "word").n_unique() == 2325
    assert found["content"].null_count() == 48
    assert (found.height - 48, found["content"].drop_nulls().n_unique()) == (5905, 1382)
