"""Is everything that participants read there in both languages, and is the file of settings right TOML?"""

from __future__ import annotations

import tomllib
from dataclasses import fields

from hengliang.people.sessions.settings import Settings
from hengliang.people.sessions.texts import CONSENT, INSTRUCTIONS, template


def test_both_languages_have_the_same_paragraphs() -> None:
    for text in (CONSENT, INSTRUCTIONS):
        assert len(text.en.split("\n\n")) == len(text.zh.split("\n\n"))
        assert text.en.isascii()
        assert not any(letter.isascii() and letter.isalpha() for letter in text.zh)


def test_the_file_of_settings_explains_every_entry() -> None:
    values = {each.name: getattr(Settings(), each.name) for each in fields(Settings)}
    written = template(values)
    # What has no value is commented out.
    absent = {name for name, value in values.items() if value is None}
    assert set(tomllib.loads(written)) == set(values) - absent
    lines = written.splitlines()
    for name in values:
        place = next(number for number, line in enumerate(lines) if line.lstrip("# [").startswith(name))
        assert lines[place - 1].startswith("# ")


def test_quotes_and_backslashes_stay_what_they_are() -> None:
    said = 'a "quoted" \\ path\nand """three"""'
    assert tomllib.loads(template({"contact": said})) == {"contact": said}
