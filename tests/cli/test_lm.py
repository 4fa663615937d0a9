"""Does `hengliang lm` ask the right model, print what it says, and end with the right code?"""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import polars as pl
import pytest

from hengliang.cli.main import outcome
from hengliang.language_models import write_card
from tests.language_models import small_models
from tests.language_models.test_export import unigrams

BIGRAMS = ("--model", "small bigrams", "--file", small_models.__file__)
PAIRS = ("--model", "pairs of characters")

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def text() -> str:
    Path("text.txt").write_bytes("他 买 了 书 。\n\n她来了\n".encode() + b"\xff\n")
    return "text.txt"


# --- surprisal ------------------------------------------------------------------------------------------------------


def test_surprisal_draws_a_bar_a_word(capsys: Capture) -> None:
    assert outcome(["lm", "surprisal", "他 终于 来 了 。", *BIGRAMS]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].startswith("他    1.5   █▌")
    assert lines[1].startswith("终于  2.5?  ██▌")
    assert lines[5].startswith("</s>  1.2   █▏")


def test_surprisal_as_json_in_bits(capsys: Capture) -> None:
    assert outcome(["lm", "surprisal", "他 来 了", *BIGRAMS, "--json", "--bits"]) == 0
    shown = json.loads(capsys.readouterr().out)
    (row,) = shown["surprisals"]
    assert (row["sentence"], row["model"], row["unit"]) == ("他来了", "small bigrams", "bits")
    # P(他 | <s>) = 3/13, in three sentences with one added to each count.
    assert row["rows"][0]["surprisal"] == pytest.approx(-math.log2(3 / 13))


def test_surprisal_reads_sentences_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("他 来 了\n\n她 来 了\n"))
    assert outcome(["lm", "surprisal", "-", *BIGRAMS]) == 0
    assert capsys.readouterr().out.count("Surprisal in nats by word.") == 2


def test_surprisal_writes_a_picture(capsys: Capture) -> None:
    assert outcome(["lm", "surprisal", "他 来 了", *BIGRAMS, *PAIRS, "--plot", "new/picture.svg"]) == 0
    assert "他来" in Path("new/picture.svg").read_text(encoding="utf-8")
    assert outcome(["lm", "surprisal", "他 来 了", *BIGRAMS, "--plot", "picture.png"]) == 2
    assert "A picture in '.png' cannot be drawn." in capsys.readouterr().err


def test_surprisal_of_what_cannot_be_scored_ends_with_1(capsys: Capture) -> None:
    assert outcome(["lm", "surprisal", "x 好", *BIGRAMS, *PAIRS]) == 1
    assert "no score: there is an x in it" in capsys.readouterr().out


def test_text_in_the_wrong_script_is_refused_unless_the_user_insists(text: str, capsys: Capture) -> None:
    Path(text).write_text("他們 來 了\n", encoding="utf-8")
    given = (
        ["surprisal", "他們 來 了"],
        ["score", text, "--out", "scores.tsv"],
        ["perplexity", text],
        ["next", "他們"],
        ["sample", "--prefix", "他們", "--longest", "1"],
    )
    for command in given:
        assert outcome(["lm", *command, *BIGRAMS]) == 2
        told = capsys.readouterr().err
        assert "The text has traditional characters" in told
        assert "to_simplified" in told
        assert "--any-script" in told
        assert outcome(["lm", *command, *BIGRAMS, "--any-script"]) == 0
        assert "warning: The text has traditional characters" in capsys.readouterr().err


# --- perplexity -----------------------------------------------------------------------------------------------------


def test_perplexity_of_a_file_by_several_models(text: str, capsys: Capture) -> None:
    assert outcome(["lm", "perplexity", text, *BIGRAMS, *PAIRS, "--quiet"]) == 0
    shown = capsys.readouterr()
    rows = [line.split() for line in shown.out.split("\n")]
    # Five and three characters are 3 + 2 pairs of one nat: exp(5 / 8).
    assert [row[-1] for row in rows if row[:3] == ["perplexity", "per", "character"]] == [f"{math.exp(5 / 8):.2f}"]
    assert ["texts", "without", "a", "score", "1", "1"] in rows
    assert shown.err.count("warning: 1 line has no score:\n  line 4: not utf-8") == 2


def test_perplexity_as_json_and_on_other_processes(text: str, capsys: Capture) -> None:
    found = []
    for engine in ("local", "processes:2"):
        assert outcome(["lm", "perplexity", text, *BIGRAMS, "--json", "--quiet", "--engine", engine]) == 0
        found.append(json.loads(capsys.readouterr().out)["estimates"])
    assert found[0] == found[1]
    assert [row["statistic"] for row in found[0]] == ["word", "character", "unit", "unknown", "logprob"]


def test_perplexity_of_a_part_of_a_corpus(capsys: Capture) -> None:
    Path("corpus.txt").write_text("\n".join(f"他 买 了 {number} 。" for number in range(60)), encoding="utf-8")
    assert outcome(["lm", "perplexity", "--data", "corpus.txt", "--part", "dev", *BIGRAMS, "--json", "--quiet"]) == 0
    row = json.loads(capsys.readouterr().out)["estimates"][0]
    assert "part:dev" in row["signature"]
    assert row["n"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give either a file or --data NAME."),
        (["a.txt", "--data", "b"], "Give either a file or --data NAME."),
        (["none.txt"], "Cannot read none.txt"),
        (["text.txt", "--broken", "raise"], "text.txt, line 4 is not utf-8"),
        (["text.txt", "--engine", "quick"], "No engine is called 'quick'"),
        (["text.txt", "--encoding", "big99"], "The encoding 'big99' does not exist"),
        (["--data", "nothing"], "nothing"),
    ],
)
def test_perplexity_of_wrong_input(arguments: list[str], message: str, text: str, capsys: Capture) -> None:
    assert outcome(["lm", "perplexity", *arguments, *BIGRAMS, "--quiet"]) == 2
    assert message in capsys.readouterr().err


# --- score ----------------------------------------------------------------------------------------------------------


def test_score_writes_a_table_and_reports_broken_lines(text: str, capsys: Capture) -> None:
    arguments = ["lm", "score", text, *BIGRAMS, "--out", "scores.parquet", "--batch", "1", "--quiet"]
    assert outcome([*arguments, "--engine", "processes:2"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "3 lines, 10 units, 0 of them unknown to the model.\nscores.parquet\n"
    assert "line 4: not utf-8" in shown.err
    assert pl.read_parquet("scores.parquet")["line"].to_list() == [1] * 6 + [3] * 4 + [4]
    assert outcome([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["units"] == 10


def test_score_reads_other_encodings(text: str) -> None:
    Path(text).write_bytes("他来了".encode("gb18030"))
    assert outcome(["lm", "score", text, *BIGRAMS, "--out", "scores.tsv", "--encoding", "gb18030", "--quiet"]) == 0
    assert "来" in Path("scores.tsv").read_text(encoding="utf-8")


def test_an_unknown_model_lists_what_there_is(text: str, capsys: Capture) -> None:
    unknown = ("--model", "small bigram", "--file", small_models.__file__)
    assert outcome(["lm", "score", text, *unknown, "--out", "scores.tsv"]) == 2
    assert "Did you mean small bigrams?" in capsys.readouterr().err


# --- next, sample, export -------------------------------------------------------------------------------------------


def test_next_ranks_units(capsys: Capture) -> None:
    assert outcome(["lm", "next", "他 买 了", *BIGRAMS, "--top", "2"]) == 0
    assert [line.split()[:3] for line in capsys.readouterr().out.splitlines()] == [
        ["1", "书", "0.1538"],
        ["2", "车", "0.1538"],
    ]
    assert outcome(["lm", "next", "他 买 了", *BIGRAMS, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["next"]) == 10


def test_sample_draws_the_same_texts_from_the_same_seed(capsys: Capture) -> None:
    drawn = []
    for seed in ("1", "1", "2"):
        assert outcome(["lm", "sample", *BIGRAMS, "--prefix", "他 买", "--count", "3", "--seed", seed]) == 0
        drawn.append(capsys.readouterr().out)
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(line.startswith("他 买") for line in drawn[0].splitlines())
    assert outcome(["lm", "sample", *BIGRAMS, "--longest", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["texts"][0]["words"]) <= 2
    assert outcome(["lm", "sample", *BIGRAMS, "--temperature", "0"]) == 2


def test_export_writes_an_arpa_file_that_can_be_asked(capsys: Capture) -> None:
    unigrams(Path("model"))
    assert outcome(["lm", "export", "model", "--arpa", "model.arpa"]) == 0
    assert capsys.readouterr().out == "model.arpa\n"
    assert outcome(["lm", "surprisal", "他 来", "--model", "arpa:model.arpa", "--model", "model", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["surprisals"]
    # Every symbol has the probability ¼, and two words and the end have three times ln 4.
    assert first["total"] == pytest.approx(3 * math.log(4), abs=1e-5)
    assert second["total"] == pytest.approx(3 * math.log(4), abs=1e-5)


def test_a_neural_model_is_not_exported(capsys: Capture) -> None:
    write_card(Path("network"), kind="transformer")
    assert outcome(["lm", "export", "network", "--arpa", "model.arpa"]) == 2
    assert "a neural model has none" in capsys.readouterr().err


# --- in the manner of the model ---


@pytest.fixture
def news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Give a model of text in full width, and a raw file in both widths."""
    monkeypatch.chdir(tmp_path)
    lines = [f"增长 {share} 左右 。" for share in ("５％", "８％", "１２％")] * 10
    Path("news.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("raw.txt").write_text("增长5%左右。\n增长５％左右。\n增长 ５％ 左右 。\n", encoding="utf-8")
    assert outcome(["lm", "train", "ngram", "--size", "2", "--data", "news.txt", "--out", "news", "--quiet"]) == 0
    capsys.readouterr()
    return "news"


def test_a_sentence_is_read_in_the_width_that_the_model_learned(news: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(["lm", "surprisal", "增长5%左右。", "-m", news, "--json"]) == 0
    shown = capsys.readouterr()
    (found,) = json.loads(shown.out)["surprisals"]
    assert (found["cut_by"], found["folded"]) == ("rjieba", 2)
    # 增长 and 左右 are six bytes each, 5% two, the stop three.
    assert [(row["text"], row["start"], row["end"]) for row in found["rows"]] == [
        *(("增长", 0, 6), ("5%", 6, 8), ("左右", 8, 14), ("。", 14, 17)),
    ]
    assert not any(row["unknown"] for row in found["rows"])
    assert shown.err.startswith("hengliang: 1 text was cut into words by rjieba; 2 characters read in the width")
    assert outcome(["lm", "surprisal", "增长5%左右。", "-m", news, "--json", "--no-fold"]) == 0
    (plain,) = json.loads(capsys.readouterr().out)["surprisals"]
    assert [row["unknown"] for row in plain["rows"]] == [False, True, False, False]
    assert plain["signature"] != found["signature"]
    assert outcome(["lm", "surprisal", "增长5%左右。", "-m", news, "--json", "--segmenter", "characters"]) == 0
    (cut,) = json.loads(capsys.readouterr().out)["surprisals"]
    assert (len(cut["rows"]), cut["cut_by"]) == (7, "characters")
    assert outcome(["lm", "surprisal", "增长 ５％ 左右 。", "-m", news]) == 0
    assert capsys.readouterr().err == ""


def test_a_file_is_read_in_the_manner_that_the_model_learned(news: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for name, more in (("own", []), ("plain", ["--no-fold"]), ("cut", ["--segmenter", "characters"])):
        assert outcome(["lm", "perplexity", "raw.txt", "-m", news, "--json", *more]) == 0
        shown = capsys.readouterr()
        answer = json.loads(shown.out)
        values = {row["statistic"]: row for row in answer["estimates"]}
        found[name] = (answer["reading"][news], values["word"]["n"], values["unknown"]["value"])
        assert "news: 2 texts were cut into words by " in shown.err
    # Three lines of four words; as characters two of them have seven.
    assert found["own"] == ({"given": 1, "cut": 2, "folded": 2}, 12, 0.0)
    assert found["plain"] == ({"given": 1, "cut": 2, "folded": 0}, 12, pytest.approx(1 / 12))
    assert found["cut"][:2] == ({"given": 1, "cut": 2, "folded": 2}, 18)
    assert outcome(["lm", "score", "raw.txt", "-m", news, "--out", "raw.tsv", "--json"]) == 0
    shown = capsys.readouterr()
    told = json.loads(shown.out)["scores"]
    assert (told["segmenter"], told["folded"], told["unknown"]) == ("rjieba", 2, 0)
    assert "lines without spaces were cut into words by rjieba" in shown.err
    table = pl.read_csv("raw.tsv", separator="\t")
    lines = table.partition_by("line", maintain_order=True)
    assert lines[0]["logprob"].to_list() == lines[1]["logprob"].to_list() == lines[2]["logprob"].to_list()
    assert lines[0]["unit"].to_list()[1] == "5%" and lines[0]["end"].to_list() == [6, 8, 14, 17, 17]
    assert outcome(["lm", "score", "raw.txt", "-m", news, "--out", "raw.tsv", "--segmenter", "characters"]) == 0
    assert pl.read_csv("raw.tsv", separator="\t").height == 2 * 8 + 5
