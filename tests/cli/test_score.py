"""Does `hengliang score` score what is given, print or write it, and tell what it could not score?"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hengliang.acceptability import SentenceScorer
from hengliang.cli.main import outcome
from hengliang.cli.scoring_options import Asked
from hengliang.language_models import write_card
from tests.language_models import small_models
from tests.measures.scored_lines import LINES, trained

Capture = pytest.CaptureFixture[str]
BIGRAMS = ("--model", "small bigrams", "--file", small_models.__file__)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("models") / "lessons"
    trained(path)
    return str(path)


@pytest.fixture(autouse=True)
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_bytes("\n".join([*LINES, "", ""]).encode() + b"\xff\n")
    return "text.txt"


def test_scores_are_printed_for_programs_as_a_table(text: str, folder: str, capsys: Capture) -> None:
    assert outcome(["score", text, "--model", folder, "--measure", "slor", "--measure", "norm-lp-div"]) == 0
    shown = capsys.readouterr()
    table = pl.read_csv(io.StringIO(shown.out), separator="\t")
    assert table.columns == [
        *("number", "id", "slor", "norm_lp_div", "words", "words_seen", "unknown", "cut_by", "folded", "problem"),
    ]
    assert table["slor"].null_count() == 2
    assert shown.err == (
        "hengliang: warning: 2 sentences have no score:\n"
        "  line 8: the line is empty\n"
        "  line 9: not utf-8: byte 1 does not decode\n"
        # Two of the seven lines have no spaces.
        "hengliang: 2 texts were cut into words by rjieba, 5 came cut.\n"
    )
    assert table["cut_by"].to_list() == [*["given"] * 2, "rjieba", *["given"] * 2, "rjieba", "given", None, None]
    assert table["folded"].to_list() == [0] * 7 + [None] * 2


def test_scores_are_drawn_for_people(text: str, folder: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hengliang.cli.score.sys.stdout.isatty", lambda: True, raising=False)
    assert outcome(["score", text, "--model", folder, "--explain", "--lowest", "2"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.split("\n")
    assert lines[0].split() == ["id", "slor", "words", "sentence"]
    assert LINES[0] in lines[1]
    assert "(the line is empty)" in shown.out
    assert "hello?" in shown.out or "world?" in shown.out or "说?" in shown.out
    assert len(lines) == 1 + 9 + 2 * 7 + 1
    assert shown.err == "hengliang: 2 texts were cut into words by rjieba, 5 came cut.\n"


def test_scores_as_json_with_their_explanation(text: str, folder: str, capsys: Capture) -> None:
    assert outcome(["score", text, "--model", folder, "--explain", "--json", "--with-text"]) == 0
    shown = json.loads(capsys.readouterr().out)
    rows = shown["sentences"]
    assert [row["sentence"] for row in rows[:7]] == LINES
    assert len(rows[0]["pulled_down_by"]) == 3
    assert "measures:slor" in shown["signature"]


def test_scores_are_written_and_the_same_command_does_nothing_more(text: str, folder: str, capsys: Capture) -> None:
    given = ["score", text, "--model", folder, "--out", "new/scores.parquet", "--quiet"]
    assert outcome(given) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("9 sentences, 2 without a score; mean slor ")
    assert shown.out.endswith("\nnew/scores.parquet\n")
    assert "line 9: not utf-8" in shown.err
    written = Path("new/scores.parquet").stat().st_mtime_ns
    assert outcome([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["rows"] == 9
    assert Path("new/scores.parquet").stat().st_mtime_ns == written


def test_standard_input(folder: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    for more in ([], ["--out", "scores.tsv", "--quiet"]):
        stream = io.TextIOWrapper(io.BytesIO('{"t": "他 来 了", "k": "a"}\n'.encode()))
        monkeypatch.setattr("sys.stdin", stream)
        given = ["score", "-", "--format", "jsonl", "--column", "t", "--id", "k", "--model", folder]
        assert outcome([*given, *more]) == 0
    assert capsys.readouterr().out.splitlines()[1].split("\t")[:2] == ["1", "a"]
    assert Path("scores.tsv").read_text().splitlines()[1].startswith("1\ta\t")


def test_options_reach_the_measures(text: str, folder: str, capsys: Capture) -> None:
    found = []
    for more in ([], ["--end", "excluded"], ["--engine", "processes:1"], ["--batch", "2"]):
        assert outcome(["score", text, "--model", folder, *more]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] != found[1]
    assert found[0] == found[2] == found[3]


def test_a_file_that_grew_is_told(text: str, folder: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    score = SentenceScorer.__call__

    def score_while_somebody_writes(self: SentenceScorer, chunk: object) -> pl.DataFrame:
        with Path(text).open("ab") as stream:
            stream.write(b"more\n")
        return score(self, chunk)  # type: ignore[arg-type]

    monkeypatch.setattr(SentenceScorer, "__call__", score_while_somebody_writes)
    assert outcome(["score", text, "--model", folder]) == 0
    assert "text.txt grew by 5 bytes while it was read; what was added is not scored." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--measure", "slo"], "No measure is called 'slo'. Did you mean slor?"),
        (["--measure", "wpslor"], "wpslor is for models of subwords"),
        (["--column", "text"], "plain text, which has no column 'text'"),
        (["--out", "scores.xls"], "Scores cannot be written as '.xls'"),
        (["--engine", "cluster"], "No engine is called 'cluster'"),
        (["--scheduler", "tcp://here:1"], "--scheduler tcp://here:1 does not go with --engine local"),
        (["--rne", "lac", "--unigrams", "x.txt"], "--unigrams does not go with --rne"),
        (["--unigrams", "text.txt"], "has unigrams of its own"),
        (["--preprocess", "tidy"], "'tidy' is no step of a preprocessing"),
    ],
)
def test_mistakes_are_told_before_any_work(
    text: str, folder: str, capsys: Capture, more: list[str], message: str
) -> None:
    assert outcome(["score", text, "--model", folder, *more]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_a_model_without_unigrams_is_refused_for_slor(text: str, capsys: Capture) -> None:
    assert outcome(["score", text, *BIGRAMS]) == 2
    assert "slor cannot be computed with 'small bigrams'" in capsys.readouterr().err
    assert outcome(["score", text, *BIGRAMS, "--measure", "mean-lp"]) == 0


def test_text_in_the_wrong_script_is_refused_unless_the_user_insists(capsys: Capture) -> None:
    Path("t.csv").write_text("text,n\n他們來了,1\n", encoding="utf-8")
    given = ["score", "t.csv", *BIGRAMS, "--measure", "logprob"]
    assert outcome(given) == 2
    assert "The text has traditional characters" in capsys.readouterr().err
    assert outcome([*given, "--any-script"]) == 0
    assert "warning: The text has traditional characters" in capsys.readouterr().err


def test_a_model_of_subwords_takes_its_unigrams_from_a_corpus(text: str, tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("transformers")
    from tests.language_models.huggingface.tiny_models import gpt2

    gpt2(tmp_path / "gpt")
    given = ["score", text, "--model", "hf:gpt", "--quiet", "--measure", "slor", "--measure", "wpslor"]
    assert outcome(given) == 2
    assert "--unigrams CORPUS.txt" in capsys.readouterr().err
    Path("corpus.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    assert outcome([*given, "--unigrams", "corpus.txt", "--json", "--explain", "--lowest", "99"]) == 0
    row = json.loads(capsys.readouterr().out)["sentences"][0]
    # No end is scored. Of the seven words some share a token, and count as one where the model sees them.
    assert (row["words"], row["words_seen"]) == (7, len(row["pulled_down_by"]))
    assert row["words_seen"] < 7
    assert row["slor"] == pytest.approx(sum(word["contribution"] for word in row["pulled_down_by"]), abs=1e-9)
    assert abs(row["wpslor"]) < abs(row["slor"])


def test_a_model_that_sees_entities_by_their_types(text: str, capsys: Capture, tmp_path: Path) -> None:
    from hengliang.language_models import Recipe, train
    from tests.language_models.preprocessing import recognisers
    from tests.measures.scored_lines import LESSONS

    Path("lessons.txt").write_text("\n".join(LESSONS) + "\n", encoding="utf-8")
    plain = Recipe("ngram", "3", data="lessons.txt")
    train(plain)
    Path("names.txt").write_text("他 去 过 法国 。\n他 去 过 基里巴斯 。\n他 去 过 咣当 。\n", encoding="utf-8")
    given = ["score", "names.txt", "--model", plain.name, "--json", "--explain", "--lowest", "9", "--quiet"]
    assert outcome([*given, "--rne", recognisers.ListedNames.name]) == 0
    shown = capsys.readouterr()
    rows = json.loads(shown.out)["sentences"]
    assert rows[0]["slor"] == rows[1]["slor"]
    assert {word["word"]: word["seen_as"] for word in rows[1]["pulled_down_by"]}["基里巴斯"] == "<ne:GPE>"
    assert rows[2]["problem"].startswith("the entity recogniser listed names failed")
    assert outcome(given) == 0
    rows = json.loads(capsys.readouterr().out)["sentences"]
    assert rows[0]["slor"] != rows[1]["slor"]
    assert rows[2]["problem"] is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["nothing.txt"], "Cannot read nothing.txt"),
        (["text.txt", "--out", "scores.xls"], "Scores cannot be written as '.xls'"),
        (["text.txt", "--measure", "slo"], "No measure is called 'slo'"),
        (["text.txt", "--encoding", "klingon"], "The encoding 'klingon' does not exist"),
    ],
)
def test_what_is_wrong_is_told_before_the_model_is_opened(capsys: Capture, given: list[str], message: str) -> None:
    # Opening may train a model or count a corpus, for an hour.
    assert outcome(["score", *given, "--model", "nobody"]) == 2
    assert message in capsys.readouterr().err


def test_the_script_of_standard_input_is_looked_at_too(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("他們來了\n".encode())))
    assert outcome(["score", "-", *BIGRAMS, "--measure", "logprob"]) == 2
    assert "The text has traditional characters" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--out", "scores.tsv", "--quiet"]])
def test_a_text_that_the_model_does_not_know_is_told(folder: str, capsys: Capture, more: list[str]) -> None:
    Path("en.txt").write_text("The cat sat on the mat.\n", encoding="utf-8")
    assert outcome(["score", "en.txt", "--model", folder, *more]) == 0
    assert "does not know 6 of the 6 words: the scores say little" in capsys.readouterr().err
    assert outcome(["score", "text.txt", "--model", folder]) == 0
    assert "scores say little" not in capsys.readouterr().err


def test_spaces_in_text_that_is_not_cut_into_words_are_told(folder: str, capsys: Capture) -> None:
    Path("raw.txt").write_text("老师去过法国。 我们认识王小明。\n", encoding="utf-8")
    assert outcome(["score", "raw.txt", "--model", folder, "--json"]) == 0
    shown = capsys.readouterr()
    assert "--spaces ignored finds the words of such lines" in shown.err
    assert json.loads(shown.out)["sentences"][0]["words"] == 2
    assert outcome(["score", "raw.txt", "--model", folder, "--json", "--spaces", "ignored"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "hengliang: 1 text was cut into words by rjieba.\n"
    assert json.loads(shown.out)["sentences"][0]["words"] == 8


def test_a_worker_that_dies_is_told_where_nobody_sees_a_bar(capsys: Capture) -> None:
    given: dict[str, Any] = dict.fromkeys(Asked.__dataclass_fields__)
    for quiet in (False, True):
        Asked(**{**given, "quiet": quiet}).watcher().say("A worker process died.")
        assert capsys.readouterr().err == "hengliang: A worker process died.\n"


def test_a_recogniser_that_has_changed_since_the_training_is_told(folder: str, capsys: Capture) -> None:
    from tests.language_models.preprocessing import recognisers

    trained(Path("coarse"), f"rne:{recognisers.ListedNames.name}")
    assert outcome(["score", "text.txt", "--model", "coarse"]) == 0
    assert "was trained when" not in capsys.readouterr().err
    card = json.loads(Path("coarse/card.json").read_text())
    write_card(Path("coarse"), **{**card, "view": "an earlier version"})
    assert outcome(["score", "text.txt", "--model", "coarse"]) == 0
    assert "warning: 'coarse' was trained when 'rne:listed names'" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--json"], ["--out", "scores.tsv"]])
def test_a_file_of_which_nothing_was_scored_ends_with_exit_code_1(
    folder: str, capsys: Capture, more: list[str]
) -> None:
    Path("g.txt").write_bytes("他 走 了\n".encode("gb18030"))
    assert outcome(["score", "g.txt", "--model", folder, "--encoding", "utf-8", *more]) == 1
    assert "line 1: not utf-8: byte 1 does not decode; it may be gb18030" in capsys.readouterr().err


def test_marks_that_open_a_cell_swallow_no_rows(folder: str, capsys: Capture) -> None:
    Path("q.tsv").write_text('id\ttext\n1\t" 他来了。\n2\t我走了。\n3\t"好。\n4\t走。\n', encoding="utf-8")
    assert outcome(["score", "q.tsv", "--model", folder, "--with-text"]) == 0
    shown = capsys.readouterr()
    table = pl.read_csv(io.StringIO(shown.out), separator="\t")
    assert table["sentence"].to_list() == ['" 他来了。', "我走了。", '"好。', "走。"]
    assert table["slor"].null_count() == 0
    assert "The quotation marks of q.tsv are read as part of the text: as quoting, they would" in shown.err
    assert "would leave no whole row on line 2. --quoting standard takes them for quoting" in shown.err
    assert outcome(["score", "q.tsv", "--model", folder, "--quoting", "none"]) == 0
    assert "quotation marks" not in capsys.readouterr().err


def test_a_table_without_a_header_is_read_by_number(folder: str, capsys: Capture) -> None:
    Path("cola.tsv").write_text("k1\t1\t\t他 来 了\nk2\t0\t*\t来 他 了\n", encoding="utf-8")
    given = ["score", "cola.tsv", "--model", folder, "--column", "4"]
    assert outcome([*given, "--no-header", "--id", "1"]) == 0
    assert [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()[1:]] == ["k1", "k2"]
    assert outcome(given) == 2
    assert "--no-header" in capsys.readouterr().err


def test_the_segmenter_that_is_asked_for_cuts_and_the_width_is_that_of_the_model(capsys: Capture) -> None:
    lines = [f"增长 {share} 左右 。" for share in ("５％", "８％", "１２％")] * 10
    Path("news.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert outcome(["lm", "train", "ngram", "--size", "2", "--data", "news.txt", "--out", "news", "--quiet"]) == 0
    Path("raw.txt").write_text("增长5%左右。\n增长５％左右。\n", encoding="utf-8")
    capsys.readouterr()
    found = {}
    for more in ([], ["--no-fold"], ["--segmenter", "characters"]):
        assert outcome(["score", "raw.txt", "--model", "news", "--json", *more]) == 0
        shown = capsys.readouterr()
        found["".join(more[:1])] = json.loads(shown.out)
        cutter = "characters" if "characters" in more else "rjieba"
        assert f"hengliang: 2 texts were cut into words by {cutter}" in shown.err
        assert ("2 characters read in the width that the model learned" in shown.err) == ("--no-fold" not in more)
    half, full = found[""]["sentences"]
    assert half["slor"] == full["slor"] and (half["unknown"], half["folded"], full["folded"]) == (0, 2, 0)
    half, full = found["--no-fold"]["sentences"]
    assert half["slor"] < full["slor"] and (half["unknown"], half["folded"]) == (1, 0)
    # Seven characters: 增 长 5 % 左 右 and the stop.
    assert [row["words"] for row in found["--segmenter"]["sentences"]] == [7, 7]
    assert len({held["signature"] for held in found.values()}) == 3
    assert outcome(["score", "raw.txt", "--model", "news", "--segmenter", "pkuseg"]) == 2
    assert "characters, crf, crf:NAME, english, pku, rjieba" in capsys.readouterr().err


def test_filter_and_the_note_say_what_was_done(text: str, folder: str, capsys: Capture) -> None:
    assert outcome(["filter", text, "--model", folder, "--keep", "3", "--out", "kept.txt"]) == 0
    assert "hengliang: 2 texts were cut into words by rjieba, 5 came cut.\n" in capsys.readouterr().err
    note = json.loads(Path("kept.txt.scores.parquet.about.json").read_text(encoding="utf-8"))
    assert (note["segmenter"], note["given"], note["cut"], note["folded"]) == ("rjieba", 5, 2, 0)
