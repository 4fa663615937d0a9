"""Does the table of claims hold every claim with a verdict and a reason?"""

from __future__ import annotations

import json

import pytest

from hengliang.analysis.replication.published import PAPERS, published
from hengliang.analysis.replication.table import RECOMPUTATIONS, Replicated, replicate, signature, summary
from hengliang.analysis.replication.verdicts import VERDICTS


@pytest.fixture(scope="module")
def rows() -> list[Replicated]:
    return replicate()


def test_every_claim_is_judged_and_explained(rows: list[Replicated]) -> None:
    assert len(rows) == sum(len(published(paper).claims) for paper in PAPERS)
    for row in rows:
        assert row.verdict in VERDICTS
        assert row.recomputed.note.en and row.recomputed.note.zh
        assert row.text()
        json.dumps(row.to_json(), allow_nan=False)


def test_every_recomputation_is_used(rows: list[Replicated]) -> None:
    used = {row.claim.kind for row in rows}
    assert used == {kind for kinds in RECOMPUTATIONS.values() for kind in kinds}


def test_verdicts_are_counted(rows: list[Replicated]) -> None:
    counted = summary(rows)
    assert tuple(counted) == tuple(VERDICTS)
    assert sum(counted.values()) == len(rows)
    assert counted["differs"] == sum(row.verdict == "differs" for row in rows)
    assert summary([]) == dict.fromkeys(VERDICTS, 0)


def test_chinese_notes_are_chinese(rows: list[Replicated]) -> None:
    differing = [row for row in rows if row.verdict == "differs" and any(letter.isalpha() for letter in row.text())]
    assert differing
    for row in differing:
        assert any("\u4e00" <= letter <= "\u9fff" for letter in row.recomputed.note.zh)


def test_the_signature_names_what_was_entered() -> None:
    line = str(signature(("000",)))
    assert line.startswith("hengliang:")
    assert "paper_000:" in line
    assert "paper_001:" not in line
    assert "paper_001:" in str(signature())
