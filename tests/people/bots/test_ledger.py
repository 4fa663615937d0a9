"""Does the comparison of the two books find every way in which they can differ?"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sqlalchemy", reason="the extra 'survey' is not installed")

from hengliang.people.bots.ledger import LEDGER_SCHEMA, Acknowledged, Ledger, StoredAnswers, compare

ENTRIES = [
    Acknowledged(bot, f"{bot}-{about}", about, 1, scale, float(place), None)
    for bot in range(2)
    for about in ("a", "b")
    for place, scale in enumerate(("clarity", "fluency"))
]


def stored(entries: list[Acknowledged]) -> StoredAnswers:
    return StoredAnswers(tuple((f"p{entry.bot}", replace(entry, bot=0)) for entry in entries))


def test_equal_books() -> None:
    found = compare(Ledger(ENTRIES), stored(ENTRIES))
    assert found.equal and found.acknowledged == found.stored == 8
    assert compare(Ledger(), stored([])).equal


@given(st.integers(0, 7))
def test_one_that_is_missing_changed_invented_or_doubled(place: int) -> None:
    entry = ENTRIES[place]
    key = f"{entry.submission} {entry.about} 1 {entry.scale}"
    rest = [each for each in ENTRIES if each != entry]
    lost = compare(Ledger(ENTRIES), stored(rest))
    assert (lost.lost, lost.invented, lost.equal) == ((key,), (), False)
    changed = compare(Ledger(ENTRIES), stored([*rest, replace(entry, value=7.0)]))
    assert (changed.lost, changed.equal) == ((key,), False)
    missing = compare(Ledger(ENTRIES), stored([*rest, replace(entry, status="missing")]))
    assert not missing.equal
    invented = compare(Ledger(rest), stored(ENTRIES))
    assert (invented.lost, invented.invented, invented.equal) == ((), (key,), False)
    doubled = compare(Ledger(ENTRIES), stored([*ENTRIES, entry]))
    assert doubled.doubled == (f"p{entry.bot} {entry.about} 1 {entry.scale}",) and not doubled.equal


def test_a_bot_that_became_two_participants() -> None:
    rows = [(f"p{place}", replace(entry, bot=0)) for place, entry in enumerate(ENTRIES[::2])]
    found = compare(Ledger(ENTRIES[::2]), StoredAnswers(tuple(rows)))
    assert found.doubled == ("bot 0: p0, p1", "bot 1: p2, p3") and not found.equal


def test_the_table() -> None:
    table = Ledger(ENTRIES).frame()
    assert dict(table.schema) == LEDGER_SCHEMA and table["submission"][0] == "0-a" and table.height == 8
    assert Ledger().frame().height == 0
