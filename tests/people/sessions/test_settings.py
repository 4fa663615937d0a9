"""Are the settings of a survey read as they were written, and is a wrong entry named?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import Bilingual, UserError
from hengliang.people.sessions.settings import FILE, Settings, read_settings, write_settings

# TOML knows no lone carriage return and no control characters within a text.
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.just("\n"), max_size=40)


def test_a_folder_without_settings_has_the_usual_ones(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings()


@settings(max_examples=30)
@given(data=st.data())
def test_settings_go_to_disk_and_back(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    held = Settings(
        consent=Bilingual(data.draw(TEXTS), data.draw(TEXTS)),
        contact=data.draw(TEXTS),
        minutes=data.draw(st.none() | st.integers(0, 500)),
        demographics=data.draw(st.sampled_from([(), ("age",), ("region", "age")])),
        highlight="item",
        places=data.draw(st.none() | st.integers(1, 5)),
    )
    folder = tmp_path_factory.mktemp("settings")
    write_settings(folder, held)
    assert read_settings(folder) == held


def test_settings_that_somebody_edited_are_left_alone(tmp_path: Path) -> None:
    write_settings(tmp_path, Settings(contact="first"))
    write_settings(tmp_path, Settings(contact="second"))
    assert read_settings(tmp_path).contact == "first"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("contakt = 'me'", r"No entry in .*/survey.toml \(line 1\) is called 'contakt'\. Did you mean contact\?"),
        ("contact = 3", "survey.toml, line 1: contact is 3. A text."),
        ("minutes = '20'", 'survey.toml, line 1: minutes is "20". A whole number.'),
        ("pause_every = -1", "pause_every is -1. A number from 0."),
        ("minimum_age = true", "minimum_age is true. A whole number."),
        ("consent = 'yes'", 'consent is "yes". An object with en, zh.'),
        ("payment = { en = 'a book' }", r"survey.toml has no payment\.zh \(line 1\)\. An object with en, zh"),
        ("demographics = 'age'", 'demographics is "age". A list'),
        (
            "demographics = ['shoe size']",
            r"demographics is \[\"shoe size\"\] \(no question about a participant is called 'shoe size'",
        ),
        ("highlight = 'blue'", 'highlight is "blue". One of: on, off, participant, item.'),
        ("contact = ", "is not TOML"),
        ("completion_url = 'javascript:alert(1)'", "completion_url"),
        ("return_url = 'javascript:alert(1)'", "return_url"),
    ],
)
def test_a_wrong_entry_is_named(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(line, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_settings(tmp_path)


def test_the_entries_there_are_are_listed_in_good_english(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("contakt = 'me'", encoding="utf-8")
    with pytest.raises(UserError, match=r"\nEntries in .*survey\.toml \(line 1\): completion_code, "):
        read_settings(tmp_path)


def test_the_seal_of_a_consent_changes_with_whatever_participants_agree_to() -> None:
    usual = Settings()
    changed = [
        replace(usual, consent_version="2"),
        replace(usual, consent=Bilingual(usual.consent.en, usual.consent.zh + "。")),
        replace(usual, payment=Bilingual("a book", "一本书")),
        replace(usual, keep_until="2030"),
        replace(usual, minimum_age=16),
    ]
    seals = {usual.consent_seal, *(each.consent_seal for each in changed)}
    assert len(seals) == 1 + len(changed)
    assert replace(usual, pause_every=5).consent_seal == usual.consent_seal
