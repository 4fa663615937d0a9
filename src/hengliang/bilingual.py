"""How is one sentence said to readers of English and of Chinese?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Bilingual:
    """One text in both languages that reports and pages speak."""

    en: str
    zh: str

    def __getitem__(self, language: Language) -> str:
        return self.en if language == "en" else self.zh

    def to_json(self) -> dict[str, str]:
        """Return the text as a JSON object."""
        return {"en": self.en, "zh": self.zh}


def both(text: str | Bilingual) -> Bilingual:
    """Return `text` as it is when it has two languages, else the same words for both."""
    return text if isinstance(text, Bilingual) else Bilingual(text, text)
