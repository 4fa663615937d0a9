"""Review of error pairs: the table in which a person decides which of them become items of a test set, and why.

The candidates that mining found go into a table that a person edits with any editor or spreadsheet: one line per pair,
the decision already filled in with what the principles suggest, the reason beside it, the counts and some words.
Sentences are named by their place in the corpus only, so that the file can be passed on. Read back, the decisions say
which pairs stay. Writing the file again keeps what a person decided and noted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hengliang.core.closure import package_data
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.files import write_text
from hengliang.core.io.tables import UserTable, read_user_table
from hengliang.tagging.test_sets.building import DECISIONS, suggestion
from hengliang.tagging.test_sets.test_set import error_pair

EXAMPLES = 12
LONGEST_EXAMPLE = 12

REVIEW_SCHEMA: dict[str, pl.DataType] = {
    "pair": pl.String(),
    "decision": pl.String(),
    "suggestion": pl.String(),
    "state": pl.String(),
    "reason": pl.String(),
    "reason_zh": pl.String(),
    "note": pl.String(),
    "systems": pl.Int64(),
    "instances": pl.Int64(),
    "words": pl.Int64(),
    "counts": pl.String(),
    "examples": pl.String(),
    "references": pl.String(),
    "comment": pl.String(),
}
"""The columns of a review; `comment` are the lines with # before the pair, which stand in the file as they are."""

STATES = ("", "new", "changed", "gone")
"""A pair is new since the review was last written, has another suggestion than then, or is no candidate any more."""

_COLUMNS = [name for name in REVIEW_SCHEMA if name != "comment"]
_REQUIRED = ("pair", "decision")
_HEAD = (
    "# Which error pairs become items? Edit the columns decision (keep or drop) and note; the rest is filled in.",
    "# 哪些错误类型成为评测项目？请编辑 decision（keep 保留、drop 筛除）和 note（备注）两栏，其余各栏由程序填写。",
    "# references: corpus-paragraph-offset of a sentence for each example word.",
)


@dataclass(frozen=True, slots=True)
class ReviewSummary:
    """How a review came out: candidates, what stays and goes, where a person decided otherwise than was suggested."""

    candidates: int
    kept: int
    dropped: int
    kept_about_words: int
    decided_otherwise: int
    noted: int
    gone: int


# --- the review table -------------------------------------------------------------------------------------------------


def review_table(
    candidates: pl.DataFrame, instances: pl.DataFrame, earlier: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return the review of the kept candidates (`REVIEW_SCHEMA`), in their order.

    `candidates` and `instances` are the tables of mining. From an `earlier` review notes and comments are taken over,
    and each decision that a person made: one that differs from what was suggested then, or has a note. Pairs that are
    no candidates any more stay at the end, marked as gone, if a person had decided on them.
    """
    kept = candidates.filter("kept")
    if not kept.height:
        return _with_earlier(pl.DataFrame(schema=REVIEW_SCHEMA), earlier)
    of_kept = instances.join(kept.select("pair"), on="pair", how="semi")
    table = kept.join(_suggestions(of_kept), on="pair", how="left", maintain_order="left").join(
        _examples(of_kept), on="pair", how="left", maintain_order="left"
    )
    counts = pl.format("{}={}", pl.element().struct.field("system"), pl.element().struct.field("instances"))
    filled = table.with_columns(
        decision="suggestion",
        state=pl.lit(""),
        note=pl.lit(""),
        comment=pl.lit(""),
        counts=pl.col("counts").list.eval(counts).list.join(" "),
        examples=pl.col("examples").fill_null(""),
        references=pl.col("references").fill_null(""),
    )
    return _with_earlier(filled.select(pl.col(name).cast(dtype) for name, dtype in REVIEW_SCHEMA.items()), earlier)


def reviewed(candidates: pl.DataFrame, review: pl.DataFrame) -> pl.DataFrame:
    """Return the candidates that stay: kept by mining and by the review, with decision, suggestion and note."""
    kept = candidates.filter("kept")
    missing = kept.join(review, on="pair", how="anti")["pair"].to_list()
    if missing:
        raise UserError(
            f"{len(missing)} of {kept.height} candidates are not in the review: {', '.join(missing[:5])}"
            + (", …" if len(missing) > 5 else "."),
            remedy="Write the review again: it keeps all decisions and adds the new candidates.",
        )
    decisions = review.select("pair", "decision", "suggestion", "note")
    joined = kept.join(decisions, on="pair", how="left", maintain_order="left")
    return joined.filter(pl.col("decision") == "keep")


def summary(review: pl.DataFrame) -> ReviewSummary:
    """Return how many candidates a review keeps and drops, and where a person decided otherwise."""
    here = review.filter(pl.col("state") != "gone")
    kept = here.filter(pl.col("decision") == "keep")
    otherwise = (pl.col("suggestion") != "") & (pl.col("decision") != pl.col("suggestion"))
    return ReviewSummary(
        here.height,
        kept.height,
        here.height - kept.height,
        sum(error_pair(pair).about_words for pair in kept["pair"].to_list()),
        here.filter(otherwise).height,
        here.filter(pl.col("note") != "").height,
        review.height - here.height,
    )


def _suggestions(instances: pl.DataFrame) -> pl.DataFrame:
    distinct = instances.select("pair", "gold", "predicted").unique().sort("pair", "gold", "predicted")
    rows = []
    for (name,), cases in distinct.group_by("pair", maintain_order=True):
        suggested = suggestion(error_pair(str(name)), cases.select("gold", "predicted").iter_rows())
        rows.append((str(name), suggested.decision, suggested.reason.en, suggested.reason.zh))
    return pl.DataFrame(
        rows, schema=dict.fromkeys(("pair", "suggestion", "reason", "reason_zh"), pl.String), orient="row"
    )


def _examples(instances: pl.DataFrame) -> pl.DataFrame:
    """Return the most frequent words of each pair with one place of each; a place counts once, not once a tagger."""
    short = instances.filter(pl.col("word").str.len_chars() <= LONGEST_EXAMPLE)
    words = (
        short.group_by("pair", "word")
        .agg(places=pl.struct("item", "start").n_unique(), reference=pl.col("item").min())
        .sort("pair", "places", "word", descending=[False, True, False])
        .group_by("pair", maintain_order=True)
        .head(EXAMPLES)
    )
    return words.group_by("pair", maintain_order=True).agg(
        examples=pl.col("word").str.replace_all(r"\s+", "\u00a0").str.join(" "),
        references=pl.col("reference").str.join(" "),
    )


def _with_earlier(table: pl.DataFrame, earlier: pl.DataFrame | None) -> pl.DataFrame:
    if earlier is None:
        return table
    before = earlier.select(
        "pair", "note", "comment", old_decision="decision", old_suggestion="suggestion", known=pl.lit(True)
    )
    # Who left the suggestion as it was and wrote no note has not said that it must stay when the suggestion changes.
    decided = (pl.col("old_decision") != pl.col("old_suggestion")) | (pl.col("note") != "")
    merged = table.drop("note", "comment").join(before, on="pair", how="left", maintain_order="left")
    state = (
        pl.when(pl.col("known").is_null()).then(pl.lit("new"))
        .when((pl.col("old_suggestion") != "") & (pl.col("old_suggestion") != pl.col("suggestion")))
        .then(pl.lit("changed")).otherwise(pl.lit(""))
    )  # fmt: skip
    merged = merged.with_columns(
        decision=pl.when(decided.fill_null(False)).then("old_decision").otherwise("decision"),
        state=state,
        note=pl.col("note").fill_null(""),
        comment=pl.col("comment").fill_null(""),
    )
    by_person = (pl.col("decision") != pl.col("suggestion")) | (pl.col("note") != "") | (pl.col("comment") != "")
    gone = earlier.join(table, on="pair", how="anti", maintain_order="left").filter(by_person)
    columns = list(REVIEW_SCHEMA)
    return pl.concat([merged.select(columns), gone.with_columns(state=pl.lit("gone")).select(columns)])


# --- the file of a review ---------------------------------------------------------------------------------------------


def write_review(path: Path | str, candidates: pl.DataFrame, instances: pl.DataFrame) -> pl.DataFrame:
    """Write the review of the candidates and return it; a review that stands there already is taken over into it."""
    file = Path(path)
    review = review_table(candidates, instances, read_review(file) if file.exists() else None)
    lines = [*_HEAD, "\t".join(_COLUMNS)]
    for row in review.iter_rows(named=True):
        lines += [line for line in row["comment"].split("\n") if line]
        lines.append("\t".join(_cell(row[name]) for name in _COLUMNS))
    write_text(file, "\n".join(lines) + "\n")
    return review


def review_file(name: str) -> Path:
    """Return the review of this name that comes with hengliang, or else the path that was given."""
    folder = Path(str(package_data(__name__, "tagging_reviews")))
    return folder / f"{name}.tsv" if (folder / f"{name}.tsv").is_file() else Path(name)


def read_review(
    path: Path | str, pairs: Collection[str] | None = None, table: TableOptions = AS_RECOGNISED
) -> pl.DataFrame:
    """Read a review (`REVIEW_SCHEMA`); with `pairs`, another pair is a mistake unless it is marked as gone.

    Only the columns pair and decision must be there, so that a review can be written by hand. Lines that begin with #
    are comments.
    """
    file = Path(path)
    read = read_user_table(file, table, what="pair", comment="#")
    read.require(*_REQUIRED, remedy=f"The first line names the columns: {', '.join(_COLUMNS)}.")
    rows: list[dict[str, str | int | None]] = []
    seen: dict[str, int] = {}
    comments = [(number, text) for number, text in read.comments if text not in _HEAD]
    for number, cells in read:
        row = _row(read, number, cells)
        _check_row(read, number, row, seen, pairs)
        # Comments stand before the pair that they are about; those at the end belong to the last one.
        until = read.numbers[-1] == number
        above = [text for line, text in comments if until or line < number]
        rows.append({**row, "comment": "\n".join(above)})
        comments = comments[len(above) :]
    return pl.DataFrame(rows, schema=REVIEW_SCHEMA)


def _row(table: UserTable, number: int, cells: Mapping[str, str]) -> dict[str, str | int | None]:
    row: dict[str, str | int | None] = {}
    for name in _COLUMNS:
        text = cells.get(name, "").strip(" ")
        if REVIEW_SCHEMA[name] == pl.Int64():
            if text and not text.isdecimal():
                raise table.fault(number, f"'{text}' is not a count of {name}", valid="A whole number.")
            row[name] = int(text) if text else None
        else:
            row[name] = text
    return row


def _check_row(
    table: UserTable,
    number: int,
    row: dict[str, str | int | None],
    seen: dict[str, int],
    pairs: Collection[str] | None,
) -> None:
    where = f"{table.where(number)}:"
    try:
        pair = error_pair(str(row["pair"])).name
    except UserError as error:
        raise UserError(f"{where} {error.problem}", valid=error.valid) from error
    for name, valid in (("decision", DECISIONS), ("suggestion", ("", *DECISIONS)), ("state", STATES)):
        row[name] = str(row[name]).lower()
        if row[name] not in valid:
            raise UserError(
                f"{where} '{row[name]}' is no {name} about {pair}.",
                valid=f"Valid: {', '.join(value for value in valid if value)}.",
            )
    if pair in seen:
        raise UserError(f"{where} {pair} stands on line {seen[pair]} already.", remedy="Remove one of the two lines.")
    if pairs is not None and pair not in pairs and row["state"] != "gone":
        raise UserError(
            f"{where} {pair} is no candidate.",
            remedy="Remove the line, or write gone into the column state.",
        )
    seen[pair] = number
    row["pair"] = pair


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split("\t"))
