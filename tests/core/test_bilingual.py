"""Is everything said in both languages?"""

from __future__ import annotations

from hengliang.core.terms import LANGUAGES, Bilingual, both


def test_a_text_in_two_languages() -> None:
    text = Bilingual("accuracy", "准确率")
    assert [text[language] for language in LANGUAGES] == ["accuracy", "准确率"]
    assert Bilingual(**text.to_json()) == text


def test_one_language_stands_for_both() -> None:
    assert both("n") == Bilingual("n", "n")
    assert both(Bilingual("a", "b")) == Bilingual("a", "b")
