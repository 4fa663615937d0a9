"""Who rebuilt which scene from which description, and how far was the answer from the scene?

A *pair* is a scene with one description of it. A reader gives one answer to a pair: a count for each kind, or none
("I did not understand", withdrawn), which is missing and never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from hengliang.core.errors import UserError
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.materials.scenes import Scene
from hengliang.measures.reconstruction import greatest_swaps, swaps_between

SCHEMA: Mapping[str, pl.DataType] = {
    "pair": pl.String(),
    "plain_pair": pl.String(),
    "describer": pl.String(),
    "experiment": pl.String(),
    "scene": pl.String(),
    "size": pl.Int64(),
    "participant": pl.String(),
    "answer": pl.List(pl.Int64()),
    "reason": pl.String(),
    "swaps": pl.Float64(),
    "share": pl.Float64(),
    "share_of_maximum": pl.Float64(),
    "exact": pl.Float64(),
}
"""One row an answer that was due. `share` is swaps over the size of the scene, `share_of_maximum` swaps over the most
that any answer could make, `exact` 1 where there is no swap; all are empty where there is no answer. `plain_pair` is
what experts call the pair, where `pair` names its reader too; else it is the same."""

UNDERSTOOD_NOT = "did not understand"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as somebody gave it; `where` says for a message where it stands: `row 7 of answers.csv`.

    `plain_pair` is the name under which others speak of the pair; left empty, it is `pair`.
    """

    pair: str
    describer: str
    scene: Scene
    participant: str
    counts: tuple[int, ...] | None
    reason: str = ""
    experiment: str = ""
    where: str = ""
    plain_pair: str = ""


@dataclass(frozen=True, eq=False)
class Reconstructions:
    """All answers, checked; `frame` has the columns of `SCHEMA`, `source` is where they come from."""

    frame: pl.DataFrame
    domain: Domain = DEFAULT_DOMAIN
    source: str = ""
    form: str = ""
    notes: tuple[Bilingual, ...] = ()
    simulated: bool = False
    reasons: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def given(self) -> pl.DataFrame:
        """The answers that are there."""
        return self.frame.filter(pl.col("swaps").is_not_null())

    @property
    def describers(self) -> tuple[str, ...]:
        """Who wrote the descriptions, in the order in which they first occur."""
        return tuple(self.frame["describer"].unique(maintain_order=True).to_list())

    @property
    def sizes(self) -> tuple[int, ...]:
        """How large the scenes are, ascending."""
        return tuple(self.frame["size"].unique().sort().to_list())

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments, in their order; one without a name where the data name none."""
        return tuple(self.frame["experiment"].unique(maintain_order=True).to_list())

    @cached_property
    def checksum(self) -> str:
        """The checksum of what is analysed, whatever the order of the rows."""
        plain = self.frame.with_columns(pl.col("answer").cast(pl.List(pl.String)).list.join(" "))
        return digest(plain.sort("pair", "participant").write_csv())

    def of_experiment(self, name: str) -> Reconstructions:
        """Return the answers of one experiment."""
        return Reconstructions(self.frame.filter(pl.col("experiment") == name), self.domain, self.source, self.form)


def reconstructions(
    answers: Iterable[Answer],
    domain: Domain = DEFAULT_DOMAIN,
    *,
    source: str = "",
    form: str = "",
    notes: Iterable[Bilingual] = (),
    simulated: bool = False,
) -> Reconstructions:
    """Return the answers with their swaps, or say which of them contradict each other."""
    held = list(answers)
    _check_pairs(held)
    _check_twice(held)
    frame = pl.DataFrame([_row(answer) for answer in held], schema=SCHEMA, orient="row")
    if not frame["swaps"].count():
        raise UserError(
            f"{source or 'The data'} hold no answer" + (": all are missing." if held else "."),
            valid="One row a reconstruction, with a count for each kind.",
        )
    lost = frame.filter(pl.col("swaps").is_null())
    reasons = dict(lost["reason"].value_counts(sort=True).iter_rows())
    told = (*notes, *_missing_note(frame.height, reasons))
    return Reconstructions(frame, domain, source, form, told, simulated, reasons)


def _row(answer: Answer) -> tuple[object, ...]:
    scene, counts = answer.scene, answer.counts
    named = (answer.pair, answer.plain_pair or answer.pair, answer.describer, answer.experiment)
    told = (*named, scene.code, scene.size, answer.participant)
    if counts is None:
        return (*told, None, answer.reason or "no answer", None, None, None, None)
    swaps = swaps_between(scene.counts, counts)
    # In a domain of one kind nothing could be swapped.
    most = greatest_swaps(scene.counts) or 1
    return (*told, list(counts), "", float(swaps), swaps / scene.size, swaps / most, float(swaps == 0))


def _check_pairs(answers: Iterable[Answer]) -> None:
    first: dict[str, Answer] = {}
    for answer in answers:
        known = first.setdefault(answer.pair, answer)
        for part in ("describer", "experiment", "plain_pair"):
            one, other = getattr(known, part), getattr(answer, part)
            if one != other:
                raise _contradiction(part, known, answer, one, other)
        if known.scene.counts != answer.scene.counts:
            raise _contradiction("scene", known, answer, known.scene.code, answer.scene.code)


def _contradiction(part: str, known: Answer, answer: Answer, one: str, other: str) -> UserError:
    return UserError(
        f"The pair '{answer.pair}' has the {part} '{one}' in {known.where or 'one place'} and '{other}' in "
        f"{answer.where or 'another'}.",
        valid="A pair is one scene with one description of it.",
        remedy="Give descriptions of one scene by different describers names of their own.",
    )


def _check_twice(answers: Iterable[Answer]) -> None:
    seen: dict[tuple[str, str], Answer] = {}
    for answer in answers:
        before = seen.setdefault((answer.pair, answer.participant), answer)
        if before is not answer:
            raise UserError(
                f"'{answer.participant}' answered the pair '{answer.pair}' twice: {before.where or 'once'} and "
                f"{answer.where or 'again'}.",
                valid="One answer of a participant to a pair.",
            )


def _missing_note(total: int, reasons: Mapping[str, int]) -> tuple[Bilingual, ...]:
    if not reasons:
        return ()
    count = sum(reasons.values())
    listed = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
    return (
        Bilingual(
            f"{count} of {total} answers are missing ({listed}) and are left out, never counted as zero.",
            f"{total} 个回答中缺失 {count} 个（{listed}），均予略去，不计为零。",
        ),
    )
