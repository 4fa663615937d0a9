"""What do participants read and agree to, and how is the survey run?

`survey.toml` lies in the experiment's folder. A design writes it once, with texts of ours in both languages;
researchers edit it before the first participant comes. Each participant's consent is kept with the version and the
digest of the text that was agreed to, so a later change of the text never passes for what somebody saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal, get_args
from urllib.parse import urlsplit

from hengliang.core.errors import closest_name
from hengliang.core.io.files import write_text
from hengliang.core.settings import Must, Within
from hengliang.core.settings import read_settings as read_entries
from hengliang.core.signature import digest
from hengliang.core.terms import Bilingual
from hengliang.people.sessions.demographics import QUESTIONS
from hengliang.people.sessions.texts import CONSENT, INSTRUCTIONS, template

FILE = "survey.toml"

Highlight = Literal["on", "off", "participant", "item"]
HIGHLIGHTS: tuple[Highlight, ...] = get_args(Highlight)
DEMOGRAPHICS = tuple(QUESTIONS)


def is_web_address(text: str) -> bool:
    """Return whether a text is an address of the web with a host: what a link may lead to, and no script.

    >>> is_web_address("https://panel.example/done?cc={code}"), is_web_address("javascript:alert(1)")
    (True, False)
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and text.isprintable() and " " not in text


def _not_an_address(address: str) -> str | None:
    return None if not address or is_web_address(address) else ""


def _unknown_question(names: Sequence[str]) -> str | None:
    for name in names:
        if name not in QUESTIONS:
            close = closest_name(name, DEMOGRAPHICS)
            return f"no question about a participant is called '{name}'" + (f"; did you mean {close}?" if close else "")
    return None


ADDRESS = Must(_not_an_address, "An address as https://panel.example/done.")
FROM_NOUGHT = Within("A number from 0.", 0)
QUESTIONS_KNOWN = Must(_unknown_question, f"Questions about a participant: {', '.join(DEMOGRAPHICS)}.")


@dataclass(frozen=True, slots=True)
class Settings:
    """What `survey.toml` says; every text in both languages."""

    consent_version: str = "1"
    consent: Bilingual = CONSENT
    """Paragraphs are parted by an empty line."""
    instructions: Bilingual = INSTRUCTIONS
    contact: str = ""
    """Who answers questions, with an address; shown on the consent and the last page."""
    institution: str = ""
    ethics: str = ""
    """Which committee approved it, under which number."""
    payment: Bilingual = field(default_factory=lambda: Bilingual("", ""))
    minutes: Annotated[int | None, FROM_NOUGHT] = None
    """How long it takes, as participants are told."""
    minimum_age: Annotated[int, FROM_NOUGHT] = 18
    keep_until: str = ""
    """Until when the data are kept, for the consent page (GDPR, PIPL)."""
    demographics: Annotated[tuple[str, ...], QUESTIONS_KNOWN] = DEMOGRAPHICS
    highlight: Highlight = "on"
    """Target words bold and blue: always, never, for every second pair of participants, or for every second item."""
    pause_every: Annotated[int, FROM_NOUGHT] = 40
    reservation_minutes: Annotated[float, FROM_NOUGHT] = 120.0
    """How long after the last sign of life a place on a list is held."""
    first_answer_minutes: Annotated[float, FROM_NOUGHT] = 15.0
    """The same for somebody who has not answered an item yet."""
    unanswered_per_address: Annotated[int, FROM_NOUGHT] = 30
    """How many who have not answered an item yet may hold places from one network address; 0: any number."""
    places: Annotated[int | None, FROM_NOUGHT] = None
    """How many finished participants a list takes; none: any number."""
    completion_code: str = ""
    """One code for everybody (Prolific); without it everybody gets a code of their own."""
    completion_url: Annotated[str, ADDRESS] = ""
    """Where the last page leads, for example back to a panel."""
    return_url: Annotated[str, ADDRESS] = ""
    """Where those are led who decline or whose place was given away; without it, the first page of that panel."""

    def held_minutes(self, answered: bool) -> float:
        """Return how long a place is held after a sign of life, for somebody who has answered an item or has not."""
        return self.reservation_minutes if answered else min(self.reservation_minutes, self.first_answer_minutes)

    @property
    def consent_seal(self) -> str:
        """The version and a digest of the text that participants agree to, as kept with each of them."""
        seen = (self.consent, self.payment, self.contact, self.institution, self.ethics, self.minutes, self.minimum_age)
        return f"{self.consent_version}:{digest(*(repr(part) for part in (*seen, self.keep_until)))[:16]}"


def write_settings(folder: Path, settings: Settings) -> None:
    """Write `survey.toml` with a comment for each entry; one that is there may have been edited and is left alone."""
    if not (folder / FILE).exists():
        write_text(folder / FILE, template({each.name: getattr(settings, each.name) for each in fields(Settings)}))


def read_settings(folder: Path) -> Settings:
    """Read `survey.toml`; without one, everything is as by default."""
    file = folder / FILE
    if not file.exists():
        return Settings()
    return read_entries(Settings, file)
