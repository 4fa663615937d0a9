"""Are taggers mined and diagnosed as studies, and is said what went wrong and who has seen the answers?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import Run, UserError
from hengliang.core import LabelledSpans, labelled_spans, load_file
from hengliang.corpora import DEFAULT_CORPUS
from hengliang.tagging import Tagger
from hengliang.tagging.runs import (
    DIAGNOSIS,
    DIFFERENCES,
    VOTERS,
    check_vote,
    corpora_of,
    diagnosis_study,
    failures,
    keep_mining,
    mined,
    mined_material,
    mining_study,
    missed_words,
    opened_taggers,
    overlaps,
    pair_scores,
    unmapped_tags,
    worst_pairs,
)
from hengliang.tagging.taggers.mapped import MappedTagger
from hengliang.tagging.taggers.sheltered import ShelteredTagger
from hengliang.tagging.test_sets.items import tagging_items
from hengliang.tagging.test_sets.test_set import HeldCorpus, TaggingSet
from tests.small_tagged_corpus import small_set, write_corpus, write_plugin


class Gappy(Tagger):
    """Leaves out the last byte's word of one sentence, says nothing to another, and calls all the rest one noun."""

    name = "gappy"

    def tag(self, sentences: list[str]) -> LabelledSpans:  # type: ignore[override]
        return labelled_spans([self._one(sentence) for sentence in sentences])

    @staticmethod
    def _one(sentence: str) -> list[tuple[int, int, str]]:
        if "月亮" in sentence:
            return [(0, 6, "n")]
        return [] if "河水" in sentence else [(0, len(sentence.encode()), "n")]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    load_file(write_plugin(tmp_path))
    return write_corpus(tmp_path)


@pytest.fixture
def diagnosed(corpus: Path, tmp_path: Path) -> Run:
    return diagnosis_study(opened_taggers(["toy"]), tagging_items(small_set(corpus))).run(tmp_path / "run")


def test_taggers_are_opened_once_each_and_sheltered_with_a_time_limit(corpus: Path) -> None:
    found = opened_taggers(["toy", "worse", "toy"])
    assert [tagger.name for tagger in found] == ["toy", "worse"]
    assert "vn" in str(found[0].traits()["tags"]).split()
    (limited,) = opened_taggers(["toy"], seconds=3)
    assert isinstance(limited, ShelteredTagger) and limited.seconds == 3
    with pytest.raises(UserError, match="No tagger is named"):
        opened_taggers([])
    with pytest.raises(UserError, match="No tag set is called 'pkuu'"):
        opened_taggers(["toy"], tags="pkuu")


def test_the_voters_have_five_models(corpus: Path) -> None:
    assert len(set(VOTERS)) == 5
    assert "jieba" not in VOTERS  # rjieba has its model, and a model votes once


@pytest.mark.parametrize(
    ("vote", "told"),
    [
        ({"least": 3}, "At least 3 of 2"),
        ({"least": 2, "share": 1.0}, "share 1.0"),
        ({"least": 1, "times": 0}, "0 times"),
    ],
)
def test_a_vote_that_cannot_be_taken_is_refused_before_any_work(corpus: Path, vote: dict[str, int], told: str) -> None:
    with pytest.raises(UserError, match=told):
        check_vote(opened_taggers(["toy", "worse"]), **vote)
    check_vote(opened_taggers(["toy", "worse"]), least=2)


def test_mining_counts_errors_and_candidates(corpus: Path, tmp_path: Path) -> None:
    run = mining_study(opened_taggers(["toy", "worse"]), corpus).run(tmp_path / "run")
    instances, found = mined(run, least=2)
    counts = {(system, pair): count for system, pair, count in instances.group_by("system", "pair").len().iter_rows()}
    # 要求/n stands in four sentences and is v for both; 决定/n in five, v for the worse one only.
    assert (counts["toy", "n:v"], counts["worse", "n:v"]) == (4, 9)
    # 学习/vn thrice is v for both, 帮助/vn four times for the worse one only.
    assert (counts["toy", "vn:v"], counts["worse", "vn:v"]) == (3, 7)
    kept = found.filter("kept")["pair"].to_list()
    assert {"n:v", "vn:v"} <= set(kept)
    assert "p+r:d" not in kept and "p+r:d" in found["pair"].to_list()  # only the worse one runs 就此 together
    alone, _ = mined(run, segmentation=False, least=2)
    assert set(alone["direction"]) == {"same"}
    assert alone.height < instances.height
    assert run.estimates.filter(pl.col("statistic") == "F1").height > 0


def test_what_was_mined_is_found_again_from_elsewhere(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus.parent)
    folder = tmp_path / "mined"
    folder.mkdir()
    with pytest.raises(UserError, match=r"There is no mining in .*hengliang taggers mine --out"):
        mined_material(folder)
    keep_mining(folder, corpus.name, ("train",), pl.DataFrame({"pair": ["n:v"]}))
    monkeypatch.chdir("/")
    found = mined_material(folder)
    assert found.items().height == 60
    assert found.parts == ("train",)


def test_a_diagnosis_gives_the_scores_that_follow_by_hand(diagnosed: Run) -> None:
    scores = pair_scores(diagnosed, 1)
    # toy has 决定 n (5 right), 要求 v (4 wrong), 邻居 as two nouns (1 recorded): 5 of 10. 帮助 vn (4 right), 学习 v
    # (3 wrong): 4 of 7. 大家 d: 0 of 5. 就/p 此/r and 健康/an: all.
    assert dict(scores.select("pair", "score").iter_rows()) == pytest.approx(
        {"r:n": 0.0, "n:v": 50.0, "vn:v": 400 / 7, "an:a": 100.0, "p+r:d": 100.0}
    )
    assert scores["score"].is_sorted()
    means = diagnosed.estimates.filter(pl.col("analysis") == DIAGNOSIS.name)
    assert means.filter(pl.col("statistic") == "D")["value"][0] == pytest.approx((500 / 9 + 400 / 7 + 200) / 4)


def test_the_worst_pairs_and_the_words_that_are_missed(diagnosed: Run) -> None:
    assert worst_pairs(diagnosed, 2, 1)["pair"].to_list() == ["r:n", "n:v"]
    # Pairs that are always right are never among the worst; r:n has five sentences, an:a three.
    assert worst_pairs(diagnosed, 10, 1)["pair"].to_list() == ["r:n", "n:v", "vn:v"]
    assert worst_pairs(diagnosed, 10, 6)["pair"].to_list() == ["n:v", "vn:v"]
    with pytest.raises(UserError, match=r"No error pair has 99 sentences.*--least 1"):
        worst_pairs(diagnosed, 10, 99)
    assert missed_words(diagnosed, ["n:v", "vn:v"]).rows() == [("n:v", "要求"), ("n:v", "邻居"), ("vn:v", "学习")]


def test_one_tagger_is_not_compared(corpus: Path) -> None:
    material = tagging_items(small_set(corpus))
    names = [analysis.name for analysis in diagnosis_study(opened_taggers(["toy"]), material).analyses]
    assert names == [DIAGNOSIS.name]
    names = [analysis.name for analysis in diagnosis_study(opened_taggers(["toy", "worse"]), material).analyses]
    assert names == [DIAGNOSIS.name, DIFFERENCES.name]


def test_failures_are_counted_by_sentence_and_kind(corpus: Path, tmp_path: Path) -> None:
    run = mining_study([Gappy(), *opened_taggers(["toy"])], corpus).run(tmp_path / "run")
    assert [line.en for line in failures(run)] == [
        "gappy: 1 of 60 sentences: no words came back",
        "gappy: 1 of 60 sentences: the words do not cover the sentence",
    ]
    assert next(failures(run)).zh == "gappy：60 句中有 1 句：没有返回任何词"


class Strange(Tagger):
    """Calls everything a thing, which is no tag of any map."""

    name = "strange"
    tag_map = "pku"

    def tag(self, sentences: list[str]) -> LabelledSpans:  # type: ignore[override]
        return labelled_spans([(0, 3, "n"), (3, len(sentence.encode()), "thing")] for sentence in sentences)


def test_tags_that_no_map_names_are_told(corpus: Path, tmp_path: Path) -> None:
    run = mining_study([MappedTagger(Strange()), *opened_taggers(["toy"])], corpus).run(tmp_path / "run")
    (told,) = unmapped_tags(run)
    assert told.en.startswith("strange: 60 words have a tag that no map names: thing (60).")
    assert told.zh.startswith("strange：60 个词的标记不在映射表中：thing (60)。")


def test_a_sentence_of_two_items_fails_once(corpus: Path, tmp_path: Path) -> None:
    load_file(write_plugin(tmp_path))

    class Silent(Gappy):
        name = "silent"

        @staticmethod
        def _one(sentence: str) -> list[tuple[int, int, str]]:
            return []

    run = diagnosis_study([Silent()], tagging_items(small_set(corpus))).run(tmp_path / "run")
    # 29 items, but 谢谢邻居的帮助 is asked about 邻居 and about 帮助.
    assert run.items.height == 29
    assert [line.en for line in failures(run)] == ["silent: 28 of 28 sentences: no words came back"]


def test_a_tagger_that_has_seen_the_answers_is_warned_about(corpus: Path) -> None:
    taggers = opened_taggers(["toy", "snownlp"])
    (warning,) = overlaps(taggers, DEFAULT_CORPUS)
    assert warning.en.startswith("snownlp was trained on these very sentences")
    assert "训练" in warning.zh
    assert overlaps(taggers, corpus) == []
    assert mining_study(taggers, DEFAULT_CORPUS).notes == [warning]


def test_the_corpora_of_a_set_are_those_of_its_sentences(corpus: Path) -> None:
    own = small_set(corpus)
    taggers = opened_taggers(["snownlp"])
    # The default corpus is where missing text would be looked for, but no sentence stands there.
    assert corpora_of(tagging_items(own)) == []
    assert diagnosis_study(taggers, tagging_items(own)).notes == []
    assert corpora_of(tagging_items(own, [str(corpus)])) == [str(corpus)]
    entries = own.entries.with_columns(corpus=pl.lit("pd199801"))
    theirs = TaggingSet(entries, "theirs", corpora=(HeldCorpus("pd199801"),))
    assert corpora_of(tagging_items(theirs, [str(corpus)])) == [DEFAULT_CORPUS]
    assert len(diagnosis_study(taggers, tagging_items(theirs)).notes) == 1
