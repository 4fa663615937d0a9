"""Does `hengliang lm train` train, resume, show and refuse?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengliang.cli.main import outcome
from hengliang.core import places
from hengliang.corpora import read_brackets
from hengliang.language_models import Recipe, read_card, train
from hengliang.language_models.cli import card_lines
from tests.language_models.stories import story
from tests.language_models.structured.toy_treebank import trees, write_bank


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return story(tmp_path / "story.txt")


def test_a_model_is_trained_into_the_store_and_used(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["lm", "train", "ngram", "--size", "3", "--data", data]) == 0
    told = capsys.readouterr().out
    card = read_card(places.models() / "ngram-3-story")
    assert str(places.models() / "ngram-3-story") in told
    assert f"test: per word {card['perplexity']['test']['per_word']:,.4g}" in told
    assert outcome(["lm", "surprisal", "他 昨天 去 学校 。", "--model", "ngram-3-story"]) == 0
    assert "学校" in capsys.readouterr().out
    assert outcome(["models", "list"]) == 0
    assert "ngram-3-story" in capsys.readouterr().out


def test_the_folder_and_the_form_of_the_answer_can_be_chosen(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["lm", "train", "ngram", "--size", "2", "--data", data, "--out", "mine", "--json"]) == 0
    held = json.loads(capsys.readouterr().out)
    assert held["folder"] == "mine"
    assert held["card"] == json.loads(Path("mine/card.json").read_text(encoding="utf-8"))


SUITE = """\
class: missing object / 宾语缺失
conditions: good *bad
regions: subject verb object stop
predict: bad.stop > good.stop

1  He bought a book.
   good  他 昨天 | 买 了 | 一 本 书 | 。
   bad   他 昨天 | 买 了 |          | 。

2  The teacher wrote letters.
   good  老师 早上 | 写 了 | 三 封 信 | 。
   bad   老师 早上 | 写 了 |          | 。
"""


def test_a_model_with_structure_is_trained_and_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write_bank(tmp_path / "toy.brackets", trees(1000))
    assert outcome(["lm", "train", "rnng", "--size", "tiny", "--data", data, "--quiet"]) == 0
    told = capsys.readouterr().out
    card = read_card(places.models() / "rnng-tiny-1-toy")
    assert f"test: per word {card['perplexity']['test']['per_word']:,.4g}" in told
    assert f"test, best trees: labelled f1 {card['parsing']['test']['labelled_f1']:,.4g}" in told
    named = ["--model", "rnng-tiny-1-toy"]
    assert outcome(["lm", "surprisal", "老师 昨天 买 了 一 本 书 。", *named]) == 0
    assert "昨天" in capsys.readouterr().out
    assert outcome(["lm", "next", "老师 昨天 买 了", *named, "--top", "1", "--json"]) == 0
    (first,) = json.loads(capsys.readouterr().out)["next"]
    assert first["unit"] == "一"
    (tmp_path / "some.txt").write_text("老师 买 了 一 本 书 。\n\n学生 看 了 一 只 猫 。\n", encoding="utf-8")
    assert outcome(["lm", "perplexity", "some.txt", *named, "--quiet"]) == 0
    assert "perplexity" in capsys.readouterr().out
    (tmp_path / "mine.suite").write_text(SUITE, encoding="utf-8")
    assert outcome(["suites", "run", *named, "--suite", "mine.suite", "--out", "run", "--quiet"]) == 0
    assert "missing object" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grammar"], "No kind of language model is called 'grammar'"),
        (["rnng", "--data", "story.txt"], "it has no trees"),
        (["rnng", "--trees", "upside-down"], "No kind of trees is called 'upside-down'"),
        (["lstm", "--trees", "given"], "learns from no trees"),
        (["plm", "--preprocess", "sp"], "cannot be trained with the preprocessing 'sp'"),
        (["lstm", "--size", "huge"], "No size of lstm is called 'huge'"),
        (["ngram", "--data", "none.txt"], "There is no file none.txt"),
        (["ngram", "--data", "peoples-daily"], "Did you mean peoples-daily-199801?"),
        (["ngram", "--longest", "0"], "at most 0 words"),
    ],
)
def test_wrong_requests_are_explained(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["lm", "train", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_fixed_set_is_trained_once(
    data: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The real set takes minutes and the default corpus; the command is the same for a smaller one.
    small = (Recipe("ngram", "2", data=data), Recipe("lstm", "tiny", data=data))
    monkeypatch.setattr("hengliang.language_models.cli_models.FIXED_SET", small)
    assert outcome(["models", "train", "--only", "ngram", "--engine", "processes:2"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("ngram-2-story: ngram 2, trained on story.txt")
    assert "lstm" not in told
    before = (places.models() / "ngram-2-story" / "card.json").stat().st_mtime_ns
    assert outcome(["models", "train", "--only", "ngram"]) == 0
    assert (places.models() / "ngram-2-story" / "card.json").stat().st_mtime_ns == before
    capsys.readouterr()
    # The fixed set has no models with structure: nothing to do would look like something done.
    assert outcome(["models", "train", "--only", "rnng"]) == 2
    assert "hengliang lm train KIND" in capsys.readouterr().err


def test_a_card_is_told_in_a_few_lines(data: str) -> None:
    folder = train(Recipe("ngram", "2", data=data))
    lines = card_lines(read_card(folder))
    assert lines[0] == "ngram 2, trained on story.txt (" + f"{read_card(folder)['words']['train']:,} words)"
    assert [line.split(":")[0] for line in lines[2:]] == ["dev", "test"]


def test_a_model_of_trees_parses_what_it_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = write_bank(tmp_path / "toy.brackets", trees(300))
    assert outcome(["lm", "train", "rnng", "--size", "tiny", "--data", bank, "--epochs", "3", "--out", "toy"]) == 0
    assert "best trees" in capsys.readouterr().out
    words = [" ".join(tree.words()) for tree in trees(2)]
    assert outcome(["lm", "parse", "\n".join(words), "--model", "toy"]) == 0
    Path("found.brackets").write_text(capsys.readouterr().out, encoding="utf-8")
    assert [" ".join(tree.words()) for tree in read_brackets("found.brackets")] == words
    assert outcome(["lm", "parse", words[0], "--model", "toy", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["trees"]
    assert row["sentence"] == words[0]
    assert row["logprob"] < 0 and row["problem"] == ""


def test_a_sentence_without_a_tree_and_a_model_without_trees_are_told(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bank = write_bank(tmp_path / "toy.brackets", trees(40))
    assert outcome(["lm", "train", "plm", "--size", "tiny", "--data", bank, "--epochs", "1", "--out", "toy"]) == 0
    capsys.readouterr()
    # A row of steps longer than any of the training cannot be read.
    assert outcome(["lm", "parse", " ".join(["老师"] * 200), "--model", "toy", "--any-script", "--json"]) == 1
    told = capsys.readouterr()
    (row,) = json.loads(told.out)["trees"]
    assert row["tree"] is None and row["logprob"] is None
    assert "no analysis is left at word" in row["problem"]
    assert "1 line has no score" in told.err
    assert outcome(["lm", "train", "ngram", "--size", "2", "--data", data, "--out", "plain"]) == 0
    assert outcome(["lm", "parse", "他 来 了", "--model", "plain"]) == 2
    assert "The model plain builds no trees." in capsys.readouterr().err
