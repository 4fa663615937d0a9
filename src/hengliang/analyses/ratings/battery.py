"""Battery of tests for a file of ratings, in the order in which an experimenter would run them.

The battery is that of a published experiment on readers' judgements (Mood's median test, χ² at all cut-offs, Wilcoxon,
Mann–Whitney, Spearman), with what was missing there beside it: tests that do not order differences, tests that respect
items and raters, equivalence, a model of all ratings, and every convention that would have decided otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from hengliang.analyses.ratings.comparisons import (
    MAIN,
    Unique,
    clustered_part,
    comparison_parts,
    comparisons_of,
    family_note,
    suspicion,
    unique_ratings,
)
from hengliang.analyses.ratings.description import answers_part, correlation_part, middles_part, omnibus_part
from hengliang.analyses.ratings.design import design_note
from hengliang.analyses.ratings.equivalences import equivalence_parts
from hengliang.analyses.ratings.modelling import model_parts
from hengliang.analyses.ratings.parts import Part, Questions
from hengliang.analyses.ratings.raters import rater_parts
from hengliang.analyses.ratings.splits import split_levels, split_parts
from hengliang.analyses.ratings.table import Ratings
from hengliang.core.errors import UserError
from hengliang.core.progress import Silent, Watcher
from hengliang.core.terms import Bilingual
from hengliang.statistics.multiple_testing import CORRECTIONS
from hengliang.statistics.results import SIDES, check_alpha, check_choice, check_sidedness


@dataclass(frozen=True, slots=True, eq=False)
class Battery:
    """Everything that was found, part by part, and what a reader should know of it."""

    ratings: Ratings
    questions: Questions
    parts: tuple[Part, ...]
    notes: tuple[Bilingual, ...]

    def part(self, name: str) -> Part:
        """Return the part of this name."""
        for part in self.parts:
            if part.name == name:
                return part
        raise KeyError(name)


def run_battery(ratings: Ratings, questions: Questions | None = None, watcher: Watcher | None = None) -> Battery:
    """Run all tests that these ratings allow."""
    asked = questions or Questions()
    _check(ratings, asked)
    unique = unique_ratings(ratings)
    steps = _steps(ratings, asked, unique)
    parts: list[Part] = []
    with (watcher or Silent()).watch("analyse", len(steps)) as counter:
        for step in steps:
            parts += [part for part in step() if part is not None]
            counter.advance()
    warnings = [note for note in (suspicion(ratings), design_note(ratings)) if note is not None]
    return Battery(ratings, asked, _warned(parts, warnings), _notes(ratings, asked, unique, warnings))


def _warned(parts: Sequence[Part], warnings: Sequence[Bilingual]) -> tuple[Part, ...]:
    """Say warnings where the comparisons are read, not only among the notes."""
    english, chinese = "".join(f"{each.en} " for each in warnings), "".join(each.zh for each in warnings)
    return tuple(
        replace(part, explanation=Bilingual(english + part.explanation.en, chinese + part.explanation.zh))
        if part.name in (*MAIN, "omnibus")
        else part
        for part in parts
    )


def _check(ratings: Ratings, questions: Questions) -> None:
    check_alpha(questions.alpha)
    check_sidedness(questions.alternative)
    check_choice("family", questions.family, tuple(CORRECTIONS))
    comparisons_of(ratings, questions)
    if ratings.columns.split:
        split_levels(ratings)
    width = ratings.scale.high - ratings.scale.low
    if questions.margin is not None and not 0 < questions.margin < width:
        raise UserError(
            f"The margin {questions.margin:g} is no difference on the scale {ratings.scale}.",
            valid=f"More than 0 and less than {width:g} points, decided before the ratings were seen.",
        )


Step = Callable[[], Iterable[Part | None]]


def _steps(ratings: Ratings, questions: Questions, unique: Unique | None) -> list[Step]:
    """Return the pieces of work, in the order of the report."""

    def described() -> list[Part | None]:
        return [answers_part(ratings) if ratings.scale.steps else None, middles_part(ratings, questions)]

    def raters() -> list[Part | None]:
        return list(rater_parts(ratings, questions))

    def overall() -> list[Part | None]:
        return [omnibus_part(ratings, questions) if len(ratings.levels) > 2 else None]

    def compared() -> list[Part | None]:
        return list(comparison_parts(ratings, questions))

    def clustered() -> list[Part | None]:
        return [clustered_part(ratings, questions, unique)]

    def equivalent() -> list[Part | None]:
        return list(equivalence_parts(ratings, questions, unique))

    def split() -> list[Part | None]:
        return list(split_parts(ratings, questions, unique))

    def correlated() -> list[Part | None]:
        return [correlation_part(ratings, questions, unique)]

    def modelled() -> list[Part | None]:
        return list(model_parts(ratings, questions, unique))

    wanted = (
        (described, True),
        (raters, len(ratings.clusters) > 1),
        (overall, True),
        (compared, True),
        (clustered, ratings.is_paired),
        (equivalent, questions.margin is not None),
        (split, ratings.columns.split is not None),
        (correlated, len(ratings.columns.measures) > 1),
        (modelled, questions.model),
    )
    return [step for step, is_wanted in wanted if is_wanted]


def _notes(
    ratings: Ratings, questions: Questions, unique: Unique | None, warnings: Sequence[Bilingual]
) -> tuple[Bilingual, ...]:
    side = SIDES[questions.alternative]
    sides = Bilingual(
        f"Tests with a direction are {side.en}; a difference is the first level minus the second. α = "
        f"{questions.alpha:g}.",
        f"有方向的检验为{side.zh}；差值为第一个水平减第二个水平。α = {questions.alpha:g}。",
    )
    return (
        *warnings,
        *([unique.note(ratings)] if unique else []),
        *([ratings.roles.note()] if ratings.clusters else []),
        *ratings.notes,
        sides,
        family_note(questions, ratings),
    )
