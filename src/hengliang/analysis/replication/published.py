"""What do the papers print?

The tables and claims of a paper are data: `published_000.json` and `published_001.json` hold the figures with the
number of the table or section in which they stand, and not a sentence of the paper. A number that has a precision is
kept as the text that was printed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hengliang.core.closure import package_data
from hengliang.core.errors import unknown_name
from hengliang.core.terms import Bilingual

PAPERS: tuple[str, ...] = ("000", "001")


@dataclass(frozen=True, slots=True)
class Claim:
    """One published statistic: where it stands, what was printed, and which inputs of the paper it rests on.

    `kind` says how it is recomputed. `id` is `group.name`; a group holds claims of one sort.
    """

    id: str
    where: str
    what: Bilingual
    kind: str
    published: str
    inputs: Mapping[str, Any]

    @property
    def group(self) -> str:
        """The part of the id before the point."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Paper:
    """What one paper prints: its reference, its tables, further facts, and its claims."""

    id: str
    citation: str
    tables: Mapping[str, Mapping[str, Any]]
    facts: Mapping[str, Any]
    claims: tuple[Claim, ...]

    def claim(self, name: str) -> Claim:
        """Return the claim of this id."""
        for claim in self.claims:
            if claim.id == name:
                return claim
        raise unknown_name("claim", name, [claim.id for claim in self.claims])

    def rows(self, table: str) -> Mapping[str, tuple[int, ...]]:
        """Return the frequencies of the answers 1, 2, … in a table of frequencies, a row a system."""
        return {name: tuple(row["counts"]) for name, row in self.tables[table]["rows"].items()}

    def columns(self, table: str) -> Mapping[str, tuple[str, ...]]:
        """Return the columns of a table of values, as printed."""
        return {name: tuple(values) for name, values in self.tables[table]["columns"].items()}


@cache
def published(paper: str) -> Paper:
    """Return what this paper prints."""
    if paper not in PAPERS:
        raise unknown_name("paper", paper, PAPERS, remedy="See docs/replication.md for what each paper is.")
    file = package_data(__name__, f"published_{paper}.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    claims = tuple(
        Claim(row["id"], row["where"], Bilingual(**row["what"]), row["kind"], row["published"], row.get("inputs", {}))
        for row in content["claims"]
    )
    return Paper(content["paper"], content["citation"], content["tables"], content["facts"], claims)


def claims_of(papers: tuple[str, ...] = PAPERS, name: str | None = None) -> list[tuple[Paper, Claim]]:
    """Return the claims of these papers; with `name`, the one claim of this id or all of a group."""
    held = [(paper, claim) for paper in map(published, papers) for claim in paper.claims]
    if name is None:
        return held
    chosen = [(paper, claim) for paper, claim in held if name in (claim.id, claim.group)]
    if not chosen:
        known = [claim.group for _, claim in held]
        known += [claim.id for _, claim in held if claim.group == name.partition(".")[0]]
        raise unknown_name("claim", name, known, remedy="All claims with their ids: hengliang replicate --json")
    return chosen


@cache
def paper_003() -> Paper:
    """Return what the paper on acceptability scores prints; it makes no claim that follows from its numbers alone."""
    content = json.loads(package_data(__name__, "published_003.json").read_text(encoding="utf-8"))
    return Paper(content["paper"], content["citation"], content["tables"], content["facts"], ())
