"""How does a table with one column a system (or a rater) become one row a rating?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hengliang.analysis.ratings.reading import ROW, RatingsFile
from hengliang.core.errors import UserError, unknown_name


def melted_part(by: str, pair: Sequence[str], identifiers: Sequence[str]) -> str:
    """Return what the rating columns of a wide file stand for: the one part that is no column of its own."""
    parts = [part for part in dict.fromkeys((by, *pair)) if part not in identifiers]
    if len(parts) == 1:
        return parts[0]
    named = ", ".join(identifiers)
    if not parts:
        raise UserError(
            f"With --wide {named} every part is a column already, and the other columns stand for nothing.",
            valid="One of --by and --pair is left out of --wide: the rating columns are its levels.",
            remedy=f"For one column a {by}: --wide {','.join(name for name in identifiers if name != by) or 'item'}",
        )
    raise UserError(
        f"With --wide {named} the rating columns could stand for {' or '.join(parts)}.",
        valid="--wide names all columns of --by and --pair but one: the rating columns are the levels of that one.",
        remedy=f"For one column a {parts[0]}: --wide {','.join((*identifiers, *parts[1:]))}",
    )


def melt(file: RatingsFile, measure: str, part: str, identifiers: Sequence[str]) -> RatingsFile:
    """Return the file with one row a rating: `part` holds the name of the column it came from, `measure` the rating."""
    for name in identifiers:
        if name not in file.columns:
            raise unknown_name("column", name, file.columns)
    for name, option in ((measure, "--measure"), (part, "--by or --pair")):
        if name in identifiers:
            raise UserError(f"'{name}' is named by {option} and by --wide.", valid="A column has one part to play.")
        if name in file.columns:
            raise UserError(
                f"{file.path} has a column '{name}': one row a rating, not one column a {part}.",
                valid=f"The rating columns of a wide file are called by the levels of '{part}'.",
                remedy=f"Leave --wide away, or choose another name with {option}.",
            )
    rated = [name for name in file.columns if name not in identifiers]
    if len(rated) < 2:
        raise UserError(
            f"{file.path} has {len(rated)} columns besides those that --wide names.",
            valid=f"One column of ratings for every {part}, two at least.",
        )
    frame = file.frame.unpivot(on=rated, index=[ROW, *identifiers], variable_name=part, value_name=measure)
    labels = {name: held for name, held in file.labels.items() if name in identifiers}
    kept = next((held for name, held in file.labels.items() if name in rated), None)
    if kept is not None:
        labels[measure] = kept
    return replace(file, frame=frame, form=f"{file.form}; wide, one column a {part}", labels=labels)
