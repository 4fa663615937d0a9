from __future__ import annotations

import gzip
import math
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.language_models.ngram.arpa import read_arpa, write_arpa
from hengliang.language_models.ngram.lookup import Level, NgramTables
from tests.language_models.ngram.samples import SMALL, TINY


def read(text: str | bytes, folder: Path, name: str = "model.arpa") -> NgramTables:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_arpa(path)


def assert_same(one: NgramTables, other: NgramTables, tolerance: float = 0.0) -> None:
    assert one.words.to_list() == other.words.to_list()
    assert one.order == other.order
    for left, right in zip(one.levels, other.levels, strict=True):
        assert left.prefixes.tolist() == right.prefixes.tolist()
        assert left.words.tolist() == right.words.tolist()
        np.testing.assert_allclose(left.logprobs, right.logprobs, atol=tolerance, rtol=0)
        np.testing.assert_allclose(left.backoffs, right.backoffs, atol=tolerance, rtol=0)


def test_the_tables_of_a_file(tmp_path: Path) -> None:
    tables = read(TINY, tmp_path)
    assert tables.words.to_list() == ["<unk>", "<s>", "</s>", "山", "水"]
    assert tables.levels[0].logprobs[1] == -np.inf
    np.testing.assert_allclose(tables.levels[0].logprobs[[0, 2, 3, 4]], np.log([0.1, 0.3, 0.4, 0.2]), rtol=1e-6)
    np.testing.assert_allclose(tables.levels[0].backoffs, np.log([1, 5 / 6, 1, 1 / 2, 1]), rtol=1e-6)
    # Sorted by prefix and word, though the file has 山 水 (3 4) before 山 </s> (3 2).
    assert list(zip(tables.levels[1].prefixes.tolist(), tables.levels[1].words.tolist(), strict=True)) == [
        (1, 3),
        (3, 2),
        (3, 4),
    ]
    # The trigram's prefix <s> 山 is row 0 of the bigrams.
    assert (tables.levels[2].prefixes.tolist(), tables.levels[2].words.tolist()) == ([0], [4])
    assert tables.levels[2].backoffs.tolist() == [0.0]


def test_the_order_of_lines_makes_no_difference(tmp_path: Path) -> None:
    lines = SMALL.read_text(encoding="utf-8").split("\n")
    start = lines.index("\\3-grams:") + 1
    end = lines.index("", start)
    turned = [*lines[:start], *reversed(lines[start:end]), *lines[end:]]
    assert_same(read("\n".join(turned), tmp_path), read_arpa(SMALL))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\t", " "),
        ("\t", "  "),
        ("\n", "\r\n"),
        ("\n", " \n"),
        ("\\data\\", "made by hand\n\n\\data\\"),
        ("\\data\\", "\ufeff\\data\\"),
        ("\\data\\", "\\note\n\\data\\"),
        ("\n\n", "\n"),
        ("ngram 1=5", "ngram  1 = 5"),
        ("\\end\\\n", "\\end\\"),
        ("\\end\\\n", "\\end\\\nand more\n\\2-grams:\n"),
        ("<s> 山 水", "<s> 山 水\t0"),
    ],
)
def test_what_other_programs_write_is_read_alike(old: str, new: str, tmp_path: Path) -> None:
    assert old in TINY
    assert_same(read(TINY.replace(old, new), tmp_path), read(TINY, tmp_path))


def test_a_word_may_be_an_ideographic_space_or_a_quote(tmp_path: Path) -> None:
    text = TINY.replace("山", "\u3000").replace("水", '"')
    assert read(text, tmp_path).words.to_list()[3:] == ["\u3000", '"']


def test_a_compressed_file_is_read_alike(tmp_path: Path) -> None:
    assert_same(read(gzip.compress(TINY.encode()), tmp_path, "any-name"), read(TINY, tmp_path))


def test_a_model_without_unknown_words_gives_them_a_very_small_probability(tmp_path: Path) -> None:
    lines = [line for line in TINY.split("\n") if "<unk>" not in line]
    tables = read("\n".join(lines).replace("ngram 1=5", "ngram 1=4"), tmp_path)
    assert tables.words.to_list() == ["<unk>", "<s>", "</s>", "山", "水"]
    assert tables.levels[0].logprobs[0] == pytest.approx(-100 * math.log(10))


def test_unknown_words_may_be_written_in_capitals(tmp_path: Path) -> None:
    text = TINY.replace("<unk>", "<UNK>").replace("<s> 山 水", "<s> 山 <UNK>")
    tables = read(text, tmp_path)
    assert tables.words[0] == "<unk>"
    assert tables.levels[2].words.tolist() == [0]


def test_classes_of_unknown_words_come_before_words(tmp_path: Path) -> None:
    assert read(TINY.replace("水", "<unk:han:1>"), tmp_path).words.to_list()[3:] == ["<unk:han:1>", "山"]


BROKEN = [
    ("ngram 2=3", "ngram 2=4", "has 3 2-grams, and its header says 4"),
    ("ngram 3=1\n", "", r"line 17: '\\3-grams:' stands where \\end\\ should be"),
    ("ngram 2=3", "ngram 4=3", "line 3: 'ngram 4=3' stands in the header.*ngram 2=… is next"),
    ("ngram 1=5\nngram 2=3\nngram 3=1\n", "", "header names no n-grams"),
    ("\\end\\\n", "", r"ends without \\end\\: it is cut short"),
    ("\\2-grams:", "\\5-grams:", r"line 13: '\\5-grams:' stands where \\2-grams: should be"),
    ("\\data\\\n", "", "is not an ARPA file"),
    ("0.1249", "x0.1249", "line 19: '-x0.1249.*' is not a probability's logarithm"),
    ("-0.1249", "nan", "line 19: 'nan.*' is not a probability's logarithm"),
    ("-0.1249", "0.1249", "line 19: the probability 10.0.1249.* is above 1"),
    ("山 水\n", "山 水\tabc\n", "line 15: 'abc' is not a back-off weight's logarithm"),
    ("山 水\n", "山 水\tinf\n", "line 15: 'inf' is not a back-off weight's logarithm"),
    ("山 水\n", "山 水 水 水\n", "line 15: .* has too many words"),
    ("山 水\n", "水\n", "line 15: .* has too few words"),
    ("山 水\n", "山 月\n", "line 15: the word '月' is not among the 1-grams"),
    ("山 </s>", "山 水", "line 16: the 2-gram '山 水' stands here a second time"),
    ("\t水\t0", "\t山\t0", "line 11: the 1-gram '山' stands here a second time"),
    ("<s> 山 水", "水 山 水", "line 19: the 3-gram '水 山 水' begins with '水 山', which is not among the 2-grams"),
    ("<s> 山\t-0.3010299956639812", "<s> 山", "line 14: missing back-off weight: the 3-gram of line 19"),
    ("山\t-0.3010299956639812\n-0.69", "山\n-0.69", "line 10: missing back-off weight: the 2-gram of line 15"),
    ("<s>", "<S>", "has no 1-gram <s>"),
    ("</s>", "</S>", "has no 1-gram </s>"),
]


@pytest.mark.parametrize(("old", "new", "message"), BROKEN, ids=[message[:30] for _, _, message in BROKEN])
def test_what_is_wrong_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in TINY
    with pytest.raises(UserError, match=message):
        read(TINY.replace(old, new), tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not an ARPA file"),
        (b"\\data\\\nngram 1=5\n", "cut short within its header"),
        (b"mmap lm http://kheafield.com/code format version 5\n\0", "binary file of KenLM"),
        (gzip.compress(TINY.encode())[:-20], "cannot be decompressed"),
        (b"\x1f\x8bnothing", "cannot be decompressed"),
        (TINY.replace("山", "?").encode().replace(b"?", "我".encode("gb18030")), "line 10: the bytes .* are not UTF-8"),
    ],
)
def test_what_is_no_arpa_file_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        read(data, tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.arpa: no such file"):
        read_arpa(tmp_path / "none.arpa")


@pytest.mark.parametrize("name", ["again.arpa", "again.arpa.gz"])
def test_a_written_file_reads_as_the_model_it_was(name: str, tmp_path: Path) -> None:
    tables = read_arpa(SMALL)
    write_arpa(tables, tmp_path / name)
    assert_same(read_arpa(tmp_path / name), tables)
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")


def test_what_lmplz_writes_is_written_alike(tmp_path: Path) -> None:
    """The same n-grams with the same numbers, the probability of <s> as 0, no back-off at the highest order."""
    write_arpa(read_arpa(SMALL), tmp_path / "again.arpa")

    def entries(path: Path) -> dict[str, list[float]]:
        held = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
        return {line[1]: [float(line[0]), *map(float, line[2:])] for line in held if len(line) > 1}

    written, given_ = entries(tmp_path / "again.arpa"), entries(SMALL)
    assert written.keys() == given_.keys()
    for ngram, numbers in given_.items():
        assert written[ngram] == pytest.approx(numbers, abs=1e-6)
    assert "\n0.0\t<s>\t" in (tmp_path / "again.arpa").read_text(encoding="utf-8")


@given(st.lists(st.tuples(st.floats(-60, 0, width=32), st.floats(-9, 3, width=32)), min_size=6, max_size=6))
def test_numbers_come_back_as_they_were(numbers: list[tuple[float, float]]) -> None:
    logprobs, backoffs = np.array(numbers, np.float32).T.copy()
    logprobs[1] = -np.inf
    rows = np.arange(6, dtype=np.uint32)
    first = Level(np.zeros(6, np.uint32), rows, logprobs, backoffs)
    second = Level(rows, rows, np.append(logprobs[2:], logprobs[:1])[[0, 1, 2, 3, 4, 0]], np.zeros(6, np.float32))
    words = pl.Series(["<unk>", "<s>", "</s>", "山", "水", "月"])
    tables = NgramTables(words, np.zeros(6, np.int64), (first, second))
    with tempfile.TemporaryDirectory() as folder:
        write_arpa(tables, Path(folder) / "model.arpa")
        assert_same(read_arpa(Path(folder) / "model.arpa"), tables, 1e-6)


def test_a_probability_of_zero_is_written_as_srilm_does(tmp_path: Path) -> None:
    tables = read(TINY, tmp_path)
    tables.levels[0].logprobs[0] = -np.inf
    write_arpa(tables, tmp_path / "zero.arpa")
    assert "\n-99.0\t<unk>\t0.0\n" in (tmp_path / "zero.arpa").read_text(encoding="utf-8")
