"""Does every stored answer of the kind that is asked for come out once, and nothing else?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.people.collected import answers as module
from hengliang.people.collected.answers import collect, connected, read_collected
from hengliang.people.collected.export import export_bytes
from hengliang.people.storage.engines import database_url
from tests.people.collected.answered import answer, answered_survey, person, prepare, six_readers, stimuli, store

KINDS = ("real", "pilot", "simulated", "preview")
STATUSES = ("active", "finished", "expired", "withdrawn", "excluded")
ABOUTS = [row["about"] for row in stimuli()]


@st.composite
def databases(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Draw participants of all kinds and states, each with answers to some of the stimuli."""
    count = draw(st.integers(0, 6))
    people, rows = [], []
    for number in range(count):
        kind, status = draw(st.sampled_from(KINDS)), draw(st.sampled_from(STATUSES))
        people.append(person(f"p{number}", kind=kind, status=status))
        for about in draw(st.lists(st.sampled_from(ABOUTS), unique=True, max_size=4)):
            for scale in ("fluency", "clarity"):
                value = draw(st.none() | st.integers(1, 7))
                missing = {} if value is not None else {"status": "missing", "reason": "not understood"}
                label = draw(st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5))
                rows.append(answer(f"p{number}", about, scale, value, label=label if value else None, **missing))
    return people, rows


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("survey")
    return answered_survey(folder), folder


_numbers = iter(range(10_000))


@settings(max_examples=25)
@given(
    held=databases(), kind=st.sampled_from(KINDS[:3]), finished_only=st.booleans(), chunk=st.sampled_from([1, 3, 1000])
)
def test_stored_is_exported_exactly_once(
    made: Any, held: tuple[list[dict[str, Any]], list[dict[str, Any]]], kind: str, finished_only: bool, chunk: int
) -> None:
    survey, folder = made
    people, rows = held
    url = database_url(folder, f"sqlite:///{folder}/{next(_numbers)}.sqlite")
    prepare(url, survey)
    store(url, people, rows)
    kept = {"finished"} if finished_only else {"active", "finished", "expired"}
    wanted = {row["id"] for row in people if row["kind"] == kind and row["status"] in kept}
    expected = [row for row in rows if row["participant"] in wanted]
    usual, module.CHUNK = module.CHUNK, chunk
    try:
        found = read_collected(url, kind, finished_only=finished_only)
    finally:
        module.CHUNK = usual
    columns = ("participant", "about", "occurrence", "scale", "value", "label", "status", "reason")
    assert found.answers.select(columns).rows() == [tuple(row[name] for name in columns) for row in expected]
    assert set(found.participants["participant"]) == wanted
    assert sum(found.states.values()) == sum(row["kind"] == kind for row in people)
    with connected(url) as connection:
        lines = export_bytes(connection, survey, "parquet", kind, finished_only=finished_only)
    import io

    import polars as pl

    table = pl.read_parquet(io.BytesIO(lines))
    assert table.select("participant", "about", "scale", "value", "label").rows() == [
        tuple(row[name] for name in ("participant", "about", "scale", "value", "label")) for row in expected
    ]


def test_kinds_are_kept_apart_and_excluded_ones_counted(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    url = database_url(survey.folder)
    six_readers(url)
    six_readers(url, "simulated")
    left = [person("gone", status="withdrawn"), person("out", status="excluded", reason="answers at random")]
    store(url, left, [answer("out", "s1-封", "fluency", 1.0)])
    found = read_collected(url)
    # 10 presentations on 2 scales by 6 participants.
    assert found.answers.height == 120
    assert found.answers["participant"].str.starts_with("real").all()
    assert dict(found.states) == {"finished": 6, "withdrawn": 1, "excluded": 1}
    assert found.reasons == {"answers at random": 1}
    assert read_collected(url, "pilot").answers.height == 0


def test_the_browsers_events_come_only_when_wanted(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    url = database_url(survey.folder)
    store(url, [person("p")], [answer("p", "s1-封", "fluency", 3.0, timing='{"frames": 3}')])
    assert read_collected(url).answers["timing"].to_list() == [""]
    assert read_collected(url, timing=True).answers["timing"].to_list() == ['{"frames": 3}']


def test_a_database_that_is_not_there_or_of_another_design_is_refused(tmp_path: Path) -> None:
    survey = answered_survey(tmp_path / "e")
    with pytest.raises(UserError, match="no survey in"):
        read_collected(f"sqlite:///{tmp_path}/none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()
    with pytest.raises(UserError, match="another design"):
        read_collected(database_url(survey.folder), design="other")
    with pytest.raises(UserError, match="No kind of participant is called 'preview'"):
        read_collected(database_url(survey.folder), "preview")


def test_postgresql_gives_the_same(tmp_path: Path, postgres_url: str) -> None:
    survey = answered_survey(tmp_path / "e")
    url = database_url(survey.folder, postgres_url)
    prepare(url, survey)
    six_readers(url)
    six_readers(database_url(survey.folder))
    here, there = read_collected(database_url(survey.folder)), read_collected(url, design=survey.digest)
    assert here.answers.equals(there.answers)
    assert here.participants.equals(there.participants)
    with connected(url) as connection:
        assert collect(connection, "real").details.equals(here.details)
