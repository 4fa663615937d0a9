"""How does a linguist write a test suite by hand, and how is it read and written again?

A header of `key: value` lines, a blank line, then the items: a number and an English gloss at the left margin, and
below it an indented line for each condition, its regions apart by `|`, its words apart by spaces:

    class:      missing object / 宾语缺失
    modifier:   none / 无修饰语
    conditions: complete *missing
    regions:    subject verb aspect object stop
    predict:    missing.stop > complete.stop

    1  He became a doctor.
       complete   他 | 成为 | 了 | 医生 | 。
       missing    他 | 成为 | 了 |      | 。

A star marks a condition that speakers should find bad. `docs/suites.md` lists the keys.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hengliang.bilingual import Bilingual
from hengliang.errors import UserError, file_errors, unknown_name
from hengliang.materials.suites.formulas import DEFAULT_TOLERANCE, parse_formula
from hengliang.materials.suites.suite import (
    ClassifierFact,
    Condition,
    Place,
    Prediction,
    Sentence,
    Suite,
    SuiteItem,
    check_suite,
)

SUFFIX = ".suite"
NEEDED = ("class", "conditions", "regions", "predict")
REPEATED = ("predict", "control", "fits", "clashes")
KEYS = ("class", "domain", "modifier", "conditions", "regions", *REPEATED, "balanced", "tolerance", "words")
_BETWEEN_LANGUAGES = " / "


def read_suite(path: Path | str) -> Suite:
    """Read a suite from its file; the suite is called as the file, without its ending."""
    file = Path(path)
    with file_errors(file, "read"):
        data = file.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8: byte {error.start + 1} does not decode.") from error
    return parse_suite(text, file.name.removesuffix(SUFFIX), str(file))


def parse_suite(text: str, name: str, where: str = "the suite") -> Suite:
    """Read a suite from a text; `where` names it in messages."""
    reading = _Reading(where)
    for number, line in enumerate(unicodedata.normalize("NFC", text).splitlines(), 1):
        reading.take(number, line)
    return check_suite(reading.suite(name))


@dataclass(slots=True)
class _Reading:
    """What has been read so far: the header by key, then items with their condition lines."""

    where: str
    header: dict[str, list[tuple[int, str, str]]] = field(default_factory=dict)
    items: list[tuple[int, str, str, dict[str, Sentence]]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def error(self, number: int, problem: str, valid: str = "") -> UserError:
        return UserError(f"{self.where}, line {number}: {problem}", valid=valid)

    def take(self, number: int, line: str) -> None:
        if line.startswith("#"):
            self.remarks.append(line[1:].strip())
        elif not line.strip():
            return
        elif line[0].isspace():
            self.take_condition(number, line)
        elif self.items or line[0].isdigit():
            self.take_item(number, line)
        else:
            self.take_key(number, line)

    def take_key(self, number: int, line: str) -> None:
        head, colon, value = line.partition(":")
        key, _, name = head.strip().partition(" ")
        if not colon:
            raise self.error(number, f"'{line.strip()}' is no line of a header.", "KEY: VALUE, for example regions: …")
        if key not in KEYS:
            raise unknown_name(f"key in {self.where}, line {number},", key, KEYS)
        if key in self.header and key not in REPEATED:
            raise self.error(
                number, f"the key '{key}' stands here a second time.", f"May repeat: {', '.join(REPEATED)}."
            )
        self.header.setdefault(key, []).append((number, name.strip(), value.strip()))

    def take_item(self, number: int, line: str) -> None:
        id, _, gloss = line.partition(" ")
        if not id[0].isdigit():
            raise self.error(number, f"an item starts with '{id}'.", "A number, then its gloss: 1  He became a doctor.")
        self.items.append((number, id, gloss.strip(), {}))

    def take_condition(self, number: int, line: str) -> None:
        if not self.items:
            raise self.error(number, "a condition stands here before any item.", "First: 1  English gloss.")
        starred, _, rest = line.strip().partition(" ")
        name = starred.lstrip("*")
        sentences = self.items[-1][3]
        if name in sentences:
            raise self.error(number, f"the condition '{name}' stands here a second time.")
        sentences[name] = tuple(tuple(region.split()) for region in rest.split("|"))

    def suite(self, name: str) -> Suite:
        missing = [key for key in NEEDED if key not in self.header]
        if missing:
            raise UserError(
                f"{self.where} has no line '{missing[0]}:'.",
                valid=f"Needed: {', '.join(NEEDED)}; known: {', '.join(KEYS)}.",
            )
        return Suite(
            name,
            self.both("class"),
            self.both("modifier", "none / 无修饰语"),
            tuple(Condition(word.lstrip("*"), not word.startswith("*")) for word in self.words("conditions")),
            self.words("regions"),
            tuple(self.predictions()),
            tuple(SuiteItem(id, gloss, sentences, line) for line, id, gloss, sentences in self.items),
            tuple(self.facts()),
            self.words("balanced"),
            self.tolerance(),
            self.segmented(),
            tuple(self.remarks),
            self.value("domain")[1],
        )

    def value(self, key: str, default: str = "") -> tuple[int, str]:
        number, _, value = self.header.get(key, [(0, "", default)])[0]
        return number, value

    def both(self, key: str, default: str = "") -> Bilingual:
        english, _, chinese = self.value(key, default)[1].partition(_BETWEEN_LANGUAGES)
        return Bilingual(english.strip(), chinese.strip() or english.strip())

    def words(self, key: str) -> tuple[str, ...]:
        return tuple(self.value(key)[1].split())

    def tolerance(self) -> float:
        number, value = self.value("tolerance", str(DEFAULT_TOLERANCE))
        try:
            tolerance = float(value)
        except ValueError:
            tolerance = -1.0
        if not 0 <= tolerance < float("inf"):
            raise self.error(number, f"the tolerance '{value}' is no number of nats.", "0 or more.")
        return tolerance

    def segmented(self) -> bool:
        number, value = self.value("words", "given")
        if value not in {"given", "unknown"}:
            raise self.error(number, f"words: '{value}' is neither of the two.", "given, unknown.")
        return value == "given"

    def predictions(self) -> Iterator[Prediction]:
        for key in ("predict", "control"):
            lines = self.header.get(key, [])
            for place, (number, name, value) in enumerate(lines, 1):
                try:
                    formula = parse_formula(value)
                except UserError as error:
                    raise self.error(number, error.problem, error.valid) from error
                yield Prediction(
                    name or (str(place) if key == "predict" else f"control {place}"), formula, key == "predict"
                )

    def facts(self) -> Iterator[ClassifierFact]:
        for key in ("fits", "clashes"):
            for number, _, value in self.header.get(key, []):
                places = [Place(*word.split(".", 1)) for word in value.split() if "." in word]
                if len(places) != 2:
                    raise self.error(
                        number, f"'{value}' is no classifier fact.", f"{key}: CONDITION.REGION CONDITION.REGION"
                    )
                yield ClassifierFact(places[0], places[1], key == "fits")


# --- writing --------------------------------------------------------------------------------------------------------


def write_suite(suite: Suite) -> str:
    """Return the text of a suite, its columns lined up; reading it gives the suite again."""
    _check_writable(suite)
    blocks = ["\n".join(_header(suite)), *("\n".join(_item(suite, item)) for item in suite.items)]
    return "\n\n".join(blocks) + "\n"


def _check_writable(suite: Suite) -> None:
    """Refuse what the text format would read otherwise: spaces in names, the mark between regions in a word."""
    names = [*(condition.name for condition in suite.conditions), *suite.regions, *(item.id for item in suite.items)]
    words = [word for item in suite.items for one in item.sentences.values() for region in one for word in region]
    broken = [name for name in names if len(name.split()) != 1] + [word for word in words if "|" in word]
    broken += [item.id for item in suite.items if not item.id[:1].isdigit()]
    if broken:
        raise UserError(
            f"The text format cannot hold '{broken[0]}' of the suite {suite.name}.",
            valid="Names of conditions and regions without spaces, items that begin with a digit, words without |.",
            remedy="Write it as JSON: hengliang suites convert SOURCE TARGET.json",
        )


def _header(suite: Suite) -> Iterator[str]:
    yield from (f"# {remark}" for remark in suite.remarks)
    pairs = [
        ("class", _joined(suite.class_)),
        *([("domain", suite.domain)] if suite.domain else []),
        ("modifier", _joined(suite.modifier)),
        ("conditions", " ".join(("" if one.acceptable else "*") + one.name for one in suite.conditions)),
        ("regions", " ".join(suite.regions)),
        *((f"{'predict' if one.counts else 'control'} {one.name}", str(one.formula)) for one in suite.predictions),
        *(("fits" if fact.fits else "clashes", f"{fact.classifier} {fact.noun}") for fact in suite.facts),
    ]
    if suite.balanced:
        pairs.append(("balanced", " ".join(suite.balanced)))
    if suite.tolerance != DEFAULT_TOLERANCE:
        pairs.append(("tolerance", f"{suite.tolerance!r}"))
    if not suite.segmented:
        pairs.append(("words", "unknown"))
    width = max(len(key) for key, _ in pairs) + 2
    yield from (f"{key + ':':<{width}}{value}" for key, value in pairs)


def _joined(title: Bilingual) -> str:
    return title.en if title.en == title.zh else f"{title.en}{_BETWEEN_LANGUAGES}{title.zh}"


def _item(suite: Suite, item: SuiteItem) -> Iterator[str]:
    yield f"{item.id}  {item.gloss}".rstrip()
    cells = [[" ".join(region) for region in sentence] for sentence in item.sentences.values()]
    widths = [max(_columns(row[place]) for row in cells) for place in range(len(suite.regions))]
    longest = max(len(name) for name in item.sentences)
    for name, row in zip(item.sentences, cells, strict=True):
        padded = [cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)]
        yield f"   {name:<{longest}}  {' | '.join(padded)}".rstrip()


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a Chinese character."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
