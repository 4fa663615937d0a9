"""Are all words of the researchers' pages there, in both languages?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hengliang.core import LANGUAGES, Language
from hengliang.people.collected.export import DOWNLOADS
from hengliang.people.pages import researcher_words
from hengliang.people.pages.researcher_words import WORDS, words
from hengliang.people.storage.participants import KINDS, STATUSES

PAGES = Path(researcher_words.__file__).parent
TEMPLATES = sorted((PAGES / "templates" / "researcher").glob("*.html"))
COMPOSED = {
    "kind_": KINDS,
    "status_": STATUSES,
    "language_": LANGUAGES,
    "form_": DOWNLOADS,
    "design_": ("clusters", "latin"),
    "design_order_": ("participant", "version"),
}


def used() -> set[str]:
    """Return every word that a template says by its name, and every one that is put together from two parts."""
    text = "\n".join(file.read_text(encoding="utf-8") for file in TEMPLATES)
    named = set(re.findall(r"\bsay\.(?!get\b)(\w+)", text))
    composed = set(re.findall(r'say(?:\.get\(|\[)"(\w+_)" ~', text))
    assert composed == set(COMPOSED)
    return named | {start + end for start, ends in COMPOSED.items() for end in ends}


def test_every_word_that_a_template_says_is_there() -> None:
    assert len(TEMPLATES) == 9
    assert not used() - set(WORDS)


def test_every_word_is_said_somewhere() -> None:
    source = "\n".join(file.read_text(encoding="utf-8") for file in sorted(PAGES.glob("researcher_*.py")))
    # Pages of a heading and a sentence name both by their beginning; the menu and the links' states name themselves.
    beginnings = set(re.findall(r'message\(request, "(\w+)"', source))
    by_code = {f"{name}_{part}" for name in beginnings for part in ("title", "explained")}
    states = {"valid", "used_up", "revoked"}
    problems = set(re.findall(r'"((?:wrong|reason|confirm)_\w+|impossible)"', source))
    assert not set(WORDS) - used() - by_code - states - problems - {"overview", "invitations", "participants", "export"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_empty_or_in_the_other_language(language: Language) -> None:
    assert words(language)["overview"] == {"en": "Overview", "zh": "概览"}[language]
    for name, text in WORDS.items():
        assert text.en.strip()
        assert text.zh.strip()
        if name == "other_language":
            continue
        assert not re.search(r"[\u4e00-\u9fff]", text.en), name
        assert re.search(r"[\u4e00-\u9fff]", text.zh) or name in {"of", "form_parquet", "form_excel"}, name
