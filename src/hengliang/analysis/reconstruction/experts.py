"""What did experts say of each description: how natural, informative and correct is it?

Scores come from a file (one row a pair, or a pair and a judge, with a column a score; or one row a score) or from the
folder of a rating survey. A pair's score is the mean of its judges.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hengliang.analyses.ratings.reading import ROW, RatingsFile, as_numbers, read_ratings_file
from hengliang.analysis.reconstruction.columns import NAMES
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.signature import digest
from hengliang.people.collected.reading import collected_experiment

SCORES = ("naturalness", "informativity", "correctness")
"""The three questions of Chen et al. (2019), each from 1 to 5."""
_SCORE_NAMES: Mapping[str, str] = {
    "naturalness": "naturalness",
    "自然度": "naturalness",
    "informativity": "informativity",
    "informativeness": "informativity",
    "信息量": "informativity",
    "correctness": "correctness",
    "正确性": "correctness",
}
_SCALE = ("scale", "score", "question", "量表")
_VALUE = ("value", "rating", "分数")


@dataclass(frozen=True, eq=False)
class ExpertScores:
    """The mean score of each pair: `frame` has pair, score, value (the mean) and judges (how many)."""

    frame: pl.DataFrame
    source: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Which scores there are, in the order of the questions."""
        held = self.frame["score"].unique(maintain_order=True).to_list()
        return tuple(sorted(held, key=lambda name: SCORES.index(name) if name in SCORES else len(SCORES)))

    @property
    def checksum(self) -> str:
        """The checksum of the scores."""
        return digest(self.frame.sort("pair", "score").write_csv())

    def of(self, name: str) -> dict[str, float]:
        """Return one score by pair."""
        return dict(self.frame.filter(pl.col("score") == name).select("pair", "value").iter_rows())


def expert_scores(rows: pl.DataFrame, source: str = "") -> ExpertScores:
    """Return the means of single scores; `rows` has pair, score and value, which may be missing."""
    known = rows.drop_nulls("value")
    if not known.height:
        raise UserError(f"{source or 'The experts'} hold no score.", valid=f"Scores such as {', '.join(SCORES)}.")
    means = known.group_by("pair", "score", maintain_order=True).agg(
        pl.col("value").mean(), judges=pl.len().cast(pl.Int64)
    )
    return ExpertScores(means, source)


def read_experts(
    path: str | Path,
    table: TableOptions = AS_RECOGNISED,
    *,
    kind: str = "real",
) -> ExpertScores:
    """Read scores from a file, or those of one kind of participants from the folder of a rating survey."""
    if Path(path).is_dir():
        return survey_scores(Path(path), kind)
    file = read_ratings_file(path, table)
    plain = {name: " ".join(name.replace("_", " ").lower().split()) for name in file.columns}
    pair = _column(plain, NAMES["pair"])
    if pair is None:
        raise UserError(
            f"{file.path} has no column for the pair.",
            valid=f"It may be called {', '.join(NAMES['pair'])}. Columns: {', '.join(file.columns)}.",
        )
    scale, value = _column(plain, _SCALE), _column(plain, _VALUE)
    if scale and value:
        rows = _of_columns(file, pair, {value: ""}).with_columns(
            score=file.frame[scale].str.strip_chars().str.to_lowercase().replace(dict(_SCORE_NAMES))
        )
    else:
        named = {name: _SCORE_NAMES[text] for name, text in plain.items() if text in _SCORE_NAMES}
        if not named:
            raise UserError(
                f"{file.path} has no column with a score.",
                valid=f"Columns {', '.join(SCORES)}, or scale and value. Columns here: {', '.join(file.columns)}.",
            )
        rows = _of_columns(file, pair, named)
    return expert_scores(rows, file.path.name)


def _column(plain: Mapping[str, str], known: Sequence[str]) -> str | None:
    return next((name for one in known for name, text in plain.items() if text == one), None)


def _of_columns(file: RatingsFile, pair: str, named: Mapping[str, str]) -> pl.DataFrame:
    frames = []
    for name, score in named.items():
        numbers, wrong = as_numbers(file.frame[name], decimal_comma=file.decimal_comma)
        if wrong.len():
            row = file.frame[ROW][int(wrong[0])]
            raise UserError(
                f"The column '{name}' holds '{file.frame[name][int(wrong[0])]}' in row {row} of {file.path.name}, "
                "where a score belongs.",
                valid="Numbers; an empty cell is a missing score.",
            )
        pairs = file.frame[pair].str.strip_chars()
        frames.append(pl.DataFrame({"pair": pairs, "score": [score] * len(pairs), "value": numbers}))
    return pl.concat(frames)


def survey_scores(folder: Path, kind: str = "real") -> ExpertScores:
    """Return the ratings of a survey; the pair is that of a stimulus's details, else the stimulus itself."""
    experiment = collected_experiment(folder, kind=kind)
    details = {
        about: (json.loads(text or "{}"), item)
        for about, item, text in experiment.stimuli.select("about", "item", "details").iter_rows()
    }
    pairs = {about: str(held.get("pair", item)) for about, (held, item) in details.items()}
    answers = experiment.answers.filter((pl.col("role") == "target") & (pl.col("status") == "ok"))
    rows = answers.select(
        pair=pl.col("about").replace_strict(pairs, return_dtype=pl.String),
        score=pl.col("scale").str.to_lowercase().replace(dict(_SCORE_NAMES)),
        value="value",
    )
    return expert_scores(rows, folder.name)
