from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.tagging.test_sets.review import (
    EXAMPLES,
    REVIEW_SCHEMA,
    ReviewSummary,
    read_review,
    review_table,
    reviewed,
    summary,
    write_review,
)

# (pair, direction, word, gold, predicted, sentence, start), each made by the taggers A, B and C.
CASES = [
    ("v:n", "same", "跑", "跑/v", "跑/n", "c-1-0", 3),
    ("v:n", "same", "画", "画/v", "画/n", "c-2-0", 0),
    ("v:n", "same", "画", "画/v", "画/n", "c-3-9", 6),
    ("n+n:n", "coarser", "木头房子", "木头/n 房子/n", "木头房子/n", "c-4-0", 0),
    ("p+r:d", "coarser", "对此", "对/p 此/r", "对此/d", "c-5-0", 0),
]
COLUMNS = ["pair", "direction", "word", "gold", "predicted", "item", "start"]


def tables(cases: list[tuple[str, str, str, str, str, str, int]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return candidates, all of them kept, and instances, as mining makes them."""
    instances = pl.concat(
        [
            pl.DataFrame(cases, schema=COLUMNS, orient="row").with_columns(system=pl.lit(system), end=pl.col("start"))
            for system in "ABC"
        ]
    )
    found = (
        instances.group_by("pair", "direction", maintain_order=True)
        .agg(instances=pl.len().cast(pl.Int64), words=pl.col("word").n_unique().cast(pl.Int64))
        .with_columns(
            systems=pl.lit(3, pl.Int64),
            kept=pl.lit(True),
            counts=pl.concat_list(
                [
                    pl.struct(system=pl.lit(system), instances=(pl.col("instances") // 3).cast(pl.Int64))
                    for system in "ABC"
                ]
            ),
        )
    )
    return found, instances


CANDIDATES, INSTANCES = tables(CASES)


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def line_of(path: Path, pair: str) -> str:
    return next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(pair + "\t"))


def decide(path: Path, pair: str, decision: str, note: str = "") -> None:
    cells = line_of(path, pair).split("\t")
    cells[1], cells[6] = decision, note
    edited(path, line_of(path, pair), "\t".join(cells))


# --- what is written ------------------------------------------------------------------------------------------------


def test_a_review_holds_suggestions_counts_words_and_places() -> None:
    found = review_table(CANDIDATES, INSTANCES)
    assert dict(found.schema) == REVIEW_SCHEMA
    row = found.row(0, named=True)
    assert (row["pair"], row["decision"], row["suggestion"], row["state"]) == ("v:n", "keep", "keep", "")
    assert (row["systems"], row["instances"], row["words"], row["counts"]) == (3, 9, 2, "A=3 B=3 C=3")
    # 画 stands in two places, 跑 in one; three taggers count a place once.
    assert (row["examples"], row["references"]) == ("画 跑", "c-2-0 c-1-0")
    assert found["decision"].to_list() == ["keep", "drop", "keep"]
    assert found["reason"][2].startswith("consistency: the head is p, not d")
    assert found["reason_zh"][2].startswith("一致性原则")


def test_candidates_that_mining_did_not_keep_are_not_reviewed() -> None:
    few = CANDIDATES.with_columns(kept=pl.col("pair") == "v:n")
    assert review_table(few, INSTANCES)["pair"].to_list() == ["v:n"]
    assert dict(review_table(few.with_columns(kept=False), INSTANCES).schema) == REVIEW_SCHEMA


def test_examples_are_few_short_and_the_most_frequent() -> None:
    words = [chr(ord("一") + number) for number in range(20)]
    many = [("v:n", "same", word, f"{word}/v", f"{word}/n", f"c-{number}-0", 0) for number, word in enumerate(words)]
    long = "这是很长很长很长的一个句子"
    many += [("v:n", "same", long, f"{long}/v", f"{long}/n", f"c-{number}-0", 9) for number in range(5)]
    many += [("v:n", "same", words[-1], f"{words[-1]}/v", f"{words[-1]}/n", "c-99-0", 0)]
    row = review_table(*tables(many)).row(0, named=True)
    assert row["examples"].split(" ") == [words[-1], *words[: EXAMPLES - 1]]
    assert len(row["references"].split(" ")) == EXAMPLES
    assert long not in row["examples"]  # whole sentences never go into the file


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    written = write_review(path, CANDIDATES, INSTANCES)
    assert read_review(path).equals(written)
    assert read_review(path, CANDIDATES["pair"].to_list()).equals(written)
    assert path.read_text(encoding="utf-8").startswith("# Which error pairs become items?")


# --- what a person does ---------------------------------------------------------------------------------------------


def test_writing_again_keeps_decisions_notes_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    write_review(path, CANDIDATES, INSTANCES)
    decide(path, "v:n", "drop", "too easy")
    edited(path, "p+r:d\t", "# ask again in spring\np+r:d\t")
    more, instances = tables([*CASES, ("a:d", "same", "白", "白/a", "白/d", "c-9-0", 0)])
    write_review(path, more, instances)
    again = read_review(path)
    assert again.select("pair", "decision", "suggestion", "state", "note").rows() == [
        ("v:n", "drop", "keep", "", "too easy"),
        ("n+n:n", "drop", "drop", "", ""),
        ("p+r:d", "keep", "keep", "", ""),
        ("a:d", "keep", "keep", "new", ""),
    ]
    assert "# ask again in spring\np+r:d\t" in path.read_text(encoding="utf-8")
    before = path.read_bytes()
    write_review(path, more, instances)
    assert path.read_bytes() == before.replace(b"a:d\tkeep\tkeep\tnew\t", b"a:d\tkeep\tkeep\t\t")


def test_a_new_suggestion_changes_only_what_nobody_decided(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    write_review(path, CANDIDATES, INSTANCES)
    # As if the principles had said the contrary when the file was written.
    edited(path, "p+r:d\tkeep\tkeep\t", "p+r:d\tdrop\tdrop\t")
    edited(path, "n+n:n\tdrop\tdrop\t", "n+n:n\tdrop\tkeep\t")
    again = {row["pair"]: row for row in write_review(path, CANDIDATES, INSTANCES).iter_rows(named=True)}
    assert (again["p+r:d"]["decision"], again["p+r:d"]["state"]) == ("keep", "changed")
    assert (again["n+n:n"]["decision"], again["n+n:n"]["state"]) == ("drop", "changed")


def test_what_a_person_said_of_a_pair_that_is_gone_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    write_review(path, CANDIDATES, INSTANCES)
    decide(path, "v:n", "keep", "seen")
    rest = CASES[3:]
    again = write_review(path, *tables(rest))
    assert again.select("pair", "state", "note").rows() == [
        ("n+n:n", "", ""),
        ("p+r:d", "", ""),
        ("v:n", "gone", "seen"),
    ]
    assert summary(again) == ReviewSummary(2, 1, 1, 1, 0, 0, 1)
    assert reviewed(tables(rest)[0], again)["pair"].to_list() == ["p+r:d"]
    back = write_review(path, CANDIDATES, INSTANCES).row(0, named=True)
    assert (back["pair"], back["state"], back["note"]) == ("v:n", "", "seen")


def test_the_review_says_which_candidates_stay() -> None:
    review = review_table(CANDIDATES, INSTANCES)
    assert reviewed(CANDIDATES, review)["pair"].to_list() == ["v:n", "p+r:d"]
    turned = review.with_columns(decision=pl.when(pl.col("pair") == "v:n").then(pl.lit("drop")).otherwise("decision"))
    kept = reviewed(CANDIDATES, turned)
    assert kept.select("pair", "decision", "suggestion").rows() == [("p+r:d", "keep", "keep")]
    assert summary(turned) == ReviewSummary(
        candidates=3, kept=1, dropped=2, kept_about_words=1, decided_otherwise=1, noted=0, gone=0
    )


def test_a_candidate_without_a_decision_is_told() -> None:
    review = review_table(CANDIDATES, INSTANCES).filter(pl.col("pair") != "v:n")
    with pytest.raises(UserError, match="1 of 3 candidates are not in the review: v:n"):
        reviewed(CANDIDATES, review)


# --- files written by hand ------------------------------------------------------------------------------------------


def test_a_short_review_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    lines = [
        "\ufeff# mine",
        "pair\tdecision\tnote",
        "",
        "<[p+r], [d]>\tKeep\t",
        '"v:n"\tdrop\t"a ""hard"" one"',
        "# end",
    ]
    path.write_bytes("\r\n".join(lines).encode())
    found = read_review(path)
    assert found.select("pair", "decision", "note", "suggestion", "systems").rows() == [
        ("p+r:d", "keep", "", "", None),
        ("v:n", "drop", 'a "hard" one', "", None),
    ]
    assert found["comment"].to_list() == ["# mine", "# end"]
    assert reviewed(CANDIDATES.filter(pl.col("pair") != "n+n:n"), found)["pair"].to_list() == ["p+r:d"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["pair\tdecision", "v:n\tmaybe"], "line 2: 'maybe' is no decision about v:n"),
        (["pair\tdecision", "# so", "v:n\tkeep", "v:n\tdrop"], "line 4: v:n stands on line 3 already"),
        (["pair\tdecision", "v-n\tkeep"], "line 2: 'v-n' is no error pair"),
        (["pair\tdecision", "a:d\tkeep"], "line 2: a:d is no candidate"),
        (["pair\tdecision", "v:n\tkeep\tmore"], "line 2: there are 3 cells, and 2 columns"),
        (["pair\tdecision\tinstances", "v:n\tkeep\tmany"], "line 2: 'many' is not a count of instances"),
        (["pair\tdecision\tstate", "v:n\tkeep\told"], "line 2: 'old' is no state about v:n"),
        (["pair\tnote", "v:n\tkeep"], "No column of review.tsv is called 'decision'"),
        (["# nothing"], "holds no pairs"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, lines: list[str], said: str) -> None:
    path = tmp_path / "review.tsv"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_review(path, ["v:n"])
    assert said in caught.value.problem
    assert "review.tsv" in caught.value.problem
    assert caught.value.valid or caught.value.remedy


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    path.write_bytes("# 备注\npair\tdecision\nv:n\tkeep\n".encode() + b"\xff\tkeep\n")
    with pytest.raises(UserError, match="line 4: byte 1 of the line is not UTF-8"):
        read_review(path)
    with pytest.raises(UserError, match="Cannot read"):
        read_review(tmp_path / "nowhere.tsv")


notes = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs", "Cc", "Z"]), max_size=10)


@given(st.lists(st.tuples(st.sampled_from(["keep", "drop"]), notes), min_size=3, max_size=3))
def test_no_decision_or_note_is_ever_lost(said: list[tuple[str, str]]) -> None:
    earlier = review_table(CANDIDATES, INSTANCES).with_columns(
        decision=pl.Series([decision for decision, _ in said]), note=pl.Series([note for _, note in said])
    )
    again = review_table(CANDIDATES, INSTANCES, earlier)
    assert again.equals(earlier)
    assert review_table(CANDIDATES.clear(), INSTANCES, earlier).select("pair", "decision", "note").rows() == [
        row
        for row, suggestion in zip(
            earlier.select("pair", "decision", "note").rows(), earlier["suggestion"], strict=True
        )
        if row[1] != suggestion or row[2]
    ]
