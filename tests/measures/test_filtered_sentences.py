"""Are the best rows kept, byte for byte, and none lost?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import Failure
from hengliang.core.engine import note_of
from hengliang.language_models import LanguageModel
from hengliang.measures.filtered_sentences import Keep, chosen, filter_sentences, read_keep, read_scores
from hengliang.measures.scored_sentence_files import score_sentences
from tests.measures.scored_lines import LINES, trained

VALUES = st.lists(st.one_of(st.just(float("nan")), st.integers(-3, 3).map(float)), max_size=20)
KEEPS = st.one_of(
    st.floats(0.01, 1).map(lambda share: Keep(share=share)),
    st.integers(1, 25).map(lambda count: Keep(count=count)),
    st.integers(-4, 4).map(lambda above: Keep(above=float(above))),
)


@given(VALUES, KEEPS)
def test_no_rejected_row_is_better_than_a_kept_one(values: list[float], keep: Keep) -> None:
    scores = np.array(values, np.float64)
    found = chosen(scores, keep)
    kept, rest = scores[found.kept], scores[~found.kept]
    assert not np.isnan(kept).any()
    rest = rest[~np.isnan(rest)]
    if len(kept):
        assert found.threshold == kept.min()
        assert not len(rest) or kept.min() >= rest.max()
        assert found.tied == (rest == kept.min()).sum()
        # Of rows with the same score the first are kept.
        last = np.flatnonzero(found.kept & (scores == found.threshold)).max()
        assert not ((scores == found.threshold) & ~found.kept)[:last].any()
    else:
        assert (found.threshold, found.tied) == (None, 0)
    scored = len(kept) + len(rest)
    if keep.above is not None:
        assert (kept >= keep.above).all()
        assert (rest < keep.above).all()
    else:
        expected = keep.count if keep.count is not None else (keep.share or 0) * scored
        assert abs(len(kept) - min(expected, scored)) <= 0.5


@pytest.mark.parametrize(
    ("keep", "above", "expected"),
    [
        ("0.8", None, Keep(share=0.8)),
        ("80%", None, Keep(share=0.8)),
        ("1.0", None, Keep(share=1.0)),
        ("1", None, Keep(count=1)),
        ("1000", None, Keep(count=1000)),
        (None, -1.2, Keep(above=-1.2)),
    ],
)
def test_what_to_keep(keep: str | None, above: float | None, expected: Keep) -> None:
    assert read_keep(keep, above) == expected


@pytest.mark.parametrize(
    ("keep", "above", "message"),
    [
        (None, None, "Say which sentences to keep"),
        ("0.5", 1.0, "Say which sentences to keep"),
        ("1.5", None, "--keep 1.5 says neither"),
        ("0", None, "keeps nothing"),
        ("0.0", None, "says neither"),
        ("-5", None, "says neither"),
        ("most", None, "--keep most says neither"),
        ("nan", None, "says neither"),
        (None, float("nan"), "No score is above nan"),
    ],
)
def test_what_to_keep_must_be_clear(keep: str | None, above: float | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_keep(keep, above)


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return trained(tmp_path_factory.mktemp("plain") / "model")


def as_text(rows: list[str]) -> bytes:
    return b"\xef\xbb\xbf" + "".join(f"{row}\r\n" for row in rows).encode() + b"\xff\n\n" + rows[0].encode()


def as_csv(rows: list[str]) -> bytes:
    quoted = "".join(f'{number},"{row}\n",x\r\n' for number, row in enumerate(rows))
    return f"key,text,n\r\n{quoted}9,,x\n8,好\n".encode() + b"7,\xff,x\n"


def as_jsonl(rows: list[str]) -> bytes:
    return b"".join(json.dumps({"text": row, "n": 1}).encode() + b"  \n" for row in rows) + b"{\n\n"


@pytest.mark.parametrize(("suffix", "write"), [("txt", as_text), ("csv", as_csv), ("jsonl", as_jsonl)])
@pytest.mark.parametrize("keep", [Keep(share=0.5), Keep(count=2), Keep(above=0.0), Keep(above=99.0)])
def test_kept_rows_are_verbatim_and_every_row_is_somewhere(
    model: LanguageModel, tmp_path: Path, suffix: str, write: Any, keep: Keep
) -> None:
    file, out, rest = tmp_path / f"a.{suffix}", tmp_path / f"new/kept.{suffix}", tmp_path / "rest.tsv"
    file.write_bytes(write(LINES))
    scores = tmp_path / "scores.parquet"
    score_sentences(model, file, scores)
    found = filter_sentences(file, scores, out, keep, rejected=rest)
    table = pl.read_parquet(scores)
    rejected = pl.read_csv(rest, separator="\t", schema_overrides={"id": pl.String, "problem": pl.String})
    kept = table.join(rejected, on="number", how="anti", maintain_order="left")
    assert (found.kept, found.kept + rejected.height, found.rows) == (kept.height, table.height, table.height)
    assert kept["problem"].null_count() == kept.height
    if kept.height:
        assert found.threshold == kept["slor"].min()
    left = rejected["slor"].drop_nulls()
    assert not kept.height or not len(left) or kept["slor"].min() >= left.max()  # type: ignore[operator]
    unscored = rejected.filter(pl.col("slor").is_null())
    assert unscored["problem"].null_count() == 0
    assert found.unscored == unscored.height > 0
    # What is left of the file when the rejected rows are taken out, row by row.
    raw = file.read_bytes()
    assert out.read_bytes() == _without(raw, suffix, rejected["number"].to_list())


def _without(raw: bytes, suffix: str, numbers: list[int]) -> bytes:
    """Take rows out of a file by other means than the code does: each file is cut by what is known of it."""
    if suffix == "csv":
        head, rest = raw.split(b"\r\n", 1)
        rows = [row for piece in rest.split(b'",x\r\n') for row in ([piece + b'",x\r\n'] if b'"' in piece else [piece])]
        rows = [*rows[:-1], *rows[-1].splitlines(keepends=True)]
        return head + b"\r\n" + b"".join(row for number, row in enumerate(rows, 1) if number not in numbers)
    head = raw[:3] if raw.startswith(b"\xef") else b""
    rows = raw[len(head) :].splitlines(keepends=True)
    return head + b"".join(row for number, row in enumerate(rows, 1) if number not in numbers)


def test_rejected_rows_carry_their_sentence(model: LanguageModel, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("\n".join([*LINES, ""]) + "\n", encoding="utf-8")
    score_sentences(model, file, tmp_path / "scores.tsv")
    filter_sentences(file, tmp_path / "scores.tsv", tmp_path / "b.txt", Keep(count=1), rejected=tmp_path / "rest.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rest.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["sentence"] for row in rows if row["sentence"]] == [
        line for line in LINES if line != (tmp_path / "b.txt").read_text(encoding="utf-8").strip()
    ]
    assert rows[-1] == {"number": 8, "id": "8", "slor": None, "problem": "the line is empty", "sentence": None}


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".jsonl", ".parquet"])
def test_scores_are_read_in_any_form(model: LanguageModel, tmp_path: Path, suffix: str) -> None:
    file, scores = tmp_path / "a.txt", tmp_path / f"scores{suffix}"
    file.write_text("\n".join(["", *LINES]), encoding="utf-8")
    score_sentences(model, file, scores, ["mean-lp", "slor"])
    table = read_scores(scores, "slor")
    assert table.columns == ["number", "id", "slor", "problem"]
    assert table["slor"].is_null().to_list() == [True, *[False] * 7]
    with pytest.raises(UserError, match=r"has no column 'norm_lp_sub'.*Columns: number, id, mean_lp, slor"):
        read_scores(scores, "norm-lp-sub")


def test_scores_of_another_file_are_refused_and_nothing_is_written(model: LanguageModel, tmp_path: Path) -> None:
    file, scores, out = tmp_path / "a.txt", tmp_path / "scores.parquet", tmp_path / "b.txt"
    file.write_text("\n".join(LINES), encoding="utf-8")
    score_sentences(model, file, scores)
    right = file.read_bytes()
    for changed, why in (
        (right.replace("他".encode(), "她".encode()), "its content has changed"),
        (right.replace(b"\n", b" ", 1), "it has 6 rows, not 7"),
        (b"\n" + right[:-1], "it has more than 7 rows"),
    ):
        file.write_bytes(changed)
        with pytest.raises(Failure, match=why):
            filter_sentences(file, scores, out, Keep(count=2), rejected=tmp_path / "rest.tsv")
        assert not out.exists()
        assert not (tmp_path / "rest.tsv").exists()
    # Without the note only the number of rows tells.
    note_of(scores).unlink()
    file.write_bytes(right.replace("他".encode(), "她".encode()))
    assert filter_sentences(file, scores, out, Keep(count=2)).kept == 2
    file.write_bytes(right + b"\nx")
    with pytest.raises(Failure, match="more than 7 rows"):
        filter_sentences(file, scores, out, Keep(count=2))


def test_a_file_that_was_added_to_since_it_was_scored_is_refused(model: LanguageModel, tmp_path: Path) -> None:
    file, scores, out = tmp_path / "a.txt", tmp_path / "scores.parquet", tmp_path / "b.txt"
    file.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    score_sentences(model, file, scores)
    with file.open("a", encoding="utf-8") as stream:
        stream.write("新 的 一 行\n")
    # 新 的 一 行 are four characters of three bytes, three spaces and a line end.
    with pytest.raises(Failure, match="it has become 16 bytes longer"):
        filter_sentences(file, scores, out, Keep(share=1.0))
    assert not out.exists()
    # While somebody writes to it, what was there when it was scored is filtered.
    assert filter_sentences(file, scores, out, Keep(share=1.0), growing=True).kept == 7
    assert out.read_text(encoding="utf-8").splitlines() == LINES


def test_ties_at_the_border_are_counted(model: LanguageModel, tmp_path: Path) -> None:
    file, scores, out = tmp_path / "a.txt", tmp_path / "scores.parquet", tmp_path / "b.txt"
    file.write_text("好\n他 买 了 一 本 书 。\n好\n好\n", encoding="utf-8")
    score_sentences(model, file, scores)
    found = filter_sentences(file, scores, out, Keep(count=2))
    # 好 alone is worse than the sentence, three rows are the same, and the first of them fits.
    assert (found.kept, found.tied) == (2, 2)
    assert out.read_text(encoding="utf-8") == "好\n他 买 了 一 本 书 。\n"
    assert found.threshold is not None
    assert filter_sentences(file, scores, out, Keep(above=found.threshold)).kept == 4


@pytest.mark.parametrize(
    ("path", "out", "rejected", "message"),
    [
        ("-", "b.txt", None, "can be read only once"),
        ("a.txt", "b.csv", None, "would be no .csv file"),
        ("a.csv", "b", None, "would be no plain text file"),
        ("a.txt", "a.txt", None, "a.txt is named twice"),
        ("a.txt", "link.txt", None, "a.txt is named twice"),
        ("a.tsv", "b.tsv", "b.tsv", "b.tsv is named twice"),
        ("a.txt", "b.txt", "c.xlsx", "Rejected sentences cannot be written as '.xlsx'"),
    ],
)
def test_results_that_cannot_be_written_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, out: str, rejected: str | None, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("好\n", encoding="utf-8")
    Path("link.txt").symlink_to("a.txt")
    with pytest.raises(UserError, match=message):
        filter_sentences(
            Path(path), Path("s.tsv"), Path(out), Keep(count=1), rejected=Path(rejected) if rejected else None
        )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.txt", b"", "is no file of scores"),
        ("s.parquet", b"PAR1", "is no whole file of scores"),
        ("s.tsv", b"", "is no whole file of scores"),
        ("s.tsv", b"number\tid\tslor\tproblem\n2\t2\t1.0\t\n", "not in the order"),
        ("s.tsv", b"number\tid\tslor\tproblem\n1\t2\tgood\t\n", "is no whole file of scores"),
    ],
)
def test_scores_that_are_none(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_scores(tmp_path / name, "slor")
    with pytest.raises(UserError, match="No measure is called"):
        read_scores(tmp_path / name, "glor")
    with pytest.raises(UserError, match="Cannot read"):
        read_scores(tmp_path / "none.tsv", "slor")
