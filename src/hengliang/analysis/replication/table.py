"""Which published statistics are the same to the printed digit, and which are not?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hengliang.analysis.replication import design_000, paper_000, paper_001, spread_001
from hengliang.analysis.replication.claims import GENERAL, Recomputation
from hengliang.analysis.replication.published import PAPERS, Claim, Paper, claims_of
from hengliang.analysis.replication.verdicts import VERDICTS, Recomputed, Verdict, judge
from hengliang.core.closure import package_data
from hengliang.core.signature import Signature, code_checksum, digest, version

RECOMPUTATIONS: Mapping[str, Mapping[str, Recomputation]] = {
    "000": {**GENERAL, **paper_000.KINDS, **design_000.KINDS},
    "001": {**GENERAL, **paper_001.KINDS, **spread_001.KINDS},
}
"""By paper, how each kind of claim is recomputed."""


@dataclass(frozen=True, slots=True)
class Replicated:
    """One claim: what was published, what was recomputed, and whether they are the same."""

    paper: str
    claim: Claim
    recomputed: Recomputed
    verdict: Verdict

    def text(self) -> str:
        """Return the recomputed value in the style of the published one."""
        return self.recomputed.write(self.claim.published)

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        value = self.recomputed.value
        return {
            "paper": self.paper,
            "claim": self.claim.id,
            "where": self.claim.where,
            "what": self.claim.what.to_json(),
            "published": self.claim.published,
            "recomputed": value,
            "low": self.recomputed.low,
            "high": self.recomputed.high,
            "verdict": self.verdict,
            "why": self.recomputed.note.to_json(),
        }


def recompute(paper: Paper, claim: Claim) -> Replicated:
    """Recompute one claim and compare."""
    found = RECOMPUTATIONS[paper.id][claim.kind](paper, claim)
    return Replicated(paper.id, claim, found, judge(claim.published, found))


def replicate(papers: tuple[str, ...] = PAPERS, name: str | None = None) -> list[Replicated]:
    """Recompute the claims of these papers; with `name`, the one claim of this id or all of a group."""
    return [recompute(paper, claim) for paper, claim in claims_of(papers, name)]


def signature(papers: tuple[str, ...] = PAPERS) -> Signature:
    """Return what can change a verdict: the version, the code, and what each paper is entered to print."""
    entered = {
        f"paper_{paper}": digest(package_data(__name__, f"published_{paper}.json").read_bytes()) for paper in papers
    }
    return Signature.of(hengliang=version(), code=code_checksum(replicate), **entered)


def summary(rows: Iterable[Replicated]) -> dict[Verdict, int]:
    """Count the verdicts."""
    counted = Counter(row.verdict for row in rows)
    return {verdict: counted.get(verdict, 0) for verdict in VERDICTS}
