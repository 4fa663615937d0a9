"""Text format of test suites, written by hand: header, conditions, regions and items.

A header of `key: value` lines, a blank line, then the items: a number and an English gloss at the left margin, and
below it an indented line for each condition, its regions separated by `|`, its words by spaces:

    class:      missing object / 宾语缺失
    modifier:   none / 无修饰语
    conditions: complete *missing
    regions:    subject verb aspect object stop
    predict:    missing.stop > complete.stop

    1  He became a doctor.
       complete   他 | 成为 | 了 | 医生 | 。
       missing    他 | 成为 | 了 |      | 。

A star marks a condition that speakers should find bad. `docs/suites.md` lists the keys. The marks `: | *` may be
full-width, as a Chinese keyboard gives them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import TypeVar

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import read_text_lines
from hengliang.core.terms import Bilingual
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE, parse_formula
from hengliang.grammar.suites.suite import (
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
_COLON, _BAR, _STARS, _COMMAS = re.compile("[:：]"), re.compile("[|｜]"), "*＊", ",，、;；"
_CONDITION_LINE = re.compile(r"(?P<stars>[*＊]*)\s*(?P<name>[^\s|｜]+)(?P<sentence>.*)")

Read = TypeVar("Read")


def read_suite(path: Path | str) -> Suite:
    """Read a suite from its file; the suite is called as the file, without its ending."""
    file = Path(path)
    return parse_suite("\n".join(read_text_lines(file)), file.name.removesuffix(SUFFIX), str(file))


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
    lines: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def error(self, number: int, problem: str, valid: str = "") -> UserError:
        return UserError(f"{self.where}, line {number}: {problem}", valid=valid)

    def take(self, number: int, line: str) -> None:
        if line.lstrip().startswith("#"):
            self.remarks.append(line.lstrip()[1:].strip())
        elif not line.strip():
            return
        elif line[0].isspace():
            self.take_condition(number, line)
        elif self.items or line[0].isdigit():
            self.take_item(number, line)
        else:
            self.take_key(number, line)

    def take_key(self, number: int, line: str) -> None:
        head, *value = _COLON.split(line, maxsplit=1)
        key, name = _first_word(head)
        if not value:
            raise self.error(
                number,
                f"'{line.strip()}' is no line of a header.",
                "KEY: VALUE, for example regions: …; an item begins with a number.",
            )
        if key not in KEYS:
            raise unknown_name(f"key of a header ({self.where}, line {number})", key, KEYS)
        if key in self.header and key not in REPEATED:
            raise self.error(
                number, f"the key '{key}' stands here a second time.", f"May repeat: {', '.join(REPEATED)}."
            )
        self.header.setdefault(key, []).append((number, name, value[0].strip()))

    def take_item(self, number: int, line: str) -> None:
        id, gloss = _first_word(line)
        if not id[0].isdigit():
            condition = id.strip(_STARS) in {known.name for known in self.conditions()}
            valid = "A condition is indented." if condition else "A number, then its gloss: 1  He became a doctor."
            raise self.error(number, f"an item starts with '{id}'.", valid)
        if id in self.lines:
            raise self.error(number, f"the item '{id}' stands here a second time, first in line {self.lines[id]}.")
        self.lines[id] = number
        self.items.append((number, id, gloss, {}))

    def take_condition(self, number: int, line: str) -> None:
        if not self.items:
            raise self.error(number, "a condition stands here before any item.", "First: 1  English gloss.")
        parts = _CONDITION_LINE.match(line.strip())
        if parts is None:
            raise self.error(number, "no condition is named here.", "Its name, then regions: complete  他 | 来 了 | 。")
        name, sentences = parts["name"], self.items[-1][3]
        if name in sentences:
            raise self.error(number, f"the condition '{name}' stands here a second time.")
        sentences[name] = tuple(tuple(region.split()) for region in _BAR.split(parts["sentence"]))
        self.check_condition(number, name, bool(parts["stars"]), len(sentences[name]))

    def check_condition(self, number: int, name: str, starred: bool, count: int) -> None:
        """Refuse what the header contradicts, as far as it is there: nobody later knows the line."""
        known = {condition.name: condition.acceptable for condition in self.conditions()}
        regions = self.names("regions")
        if known and name not in known:
            raise unknown_name(f"condition of the suite ({self.where}, line {number})", name, known)
        if known and starred and known[name]:
            raise self.error(number, f"'{name}' has a star here, and none in the line 'conditions:'.")
        if regions and count != len(regions):
            raise self.error(
                number,
                f"the condition '{name}' has {count} region{'s' * (count != 1)}.",
                f"{len(regions)}, apart by |: {' '.join(regions)}.",
            )

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
            self.conditions(),
            self.names("regions"),
            tuple(self.predictions()),
            tuple(SuiteItem(id, gloss, sentences, line) for line, id, gloss, sentences in self.items),
            tuple(self.facts()),
            self.names("balanced"),
            self.tolerance(),
            self.segmented(),
            tuple(self.remarks),
            self.value("domain")[1],
        )

    def value(self, key: str, default: str = "") -> tuple[int, str]:
        number, _, value = self.header.get(key, [(0, "", default)])[0]
        return number, value

    def both(self, key: str, default: str = "") -> Bilingual:
        return _title(self.value(key, default)[1])

    def names(self, key: str) -> tuple[str, ...]:
        number, value = self.value(key)
        names = tuple(value.split())
        if not _apart(names):
            raise self.error(number, f"'{value}' are no names apart by spaces.", f"For example {key}: first second")
        return names

    def conditions(self) -> tuple[Condition, ...]:
        return tuple(Condition(name.lstrip(_STARS), name[0] not in _STARS) for name in self.names("conditions"))

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
        predictions = []
        for key in ("predict", "control"):
            lines = self.header.get(key, [])
            for place, (number, name, value) in enumerate(lines, 1):
                try:
                    formula = parse_formula(value)
                except UserError as error:
                    raise self.error(number, error.problem, error.valid) from error
                usual = str(place) if key == "predict" else f"control {place}"
                predictions.append((number, Prediction(name or usual, formula, key == "predict")))
        yield from _by_line(predictions)

    def facts(self) -> Iterator[ClassifierFact]:
        facts = []
        for key in ("fits", "clashes"):
            for number, _, value in self.header.get(key, []):
                places = [Place(*word.split(".", 1)) for word in value.split() if "." in word]
                if len(places) != 2 or not all(place.condition and place.region for place in places):
                    raise self.error(
                        number, f"'{value}' is no classifier fact.", f"{key}: CONDITION.REGION CONDITION.REGION"
                    )
                facts.append((number, ClassifierFact(places[0], places[1], key == "fits")))
        yield from _by_line(facts)


def _first_word(line: str) -> tuple[str, str]:
    """Return the first word of a line and the rest; any white space parts them, as a tab looks like a space."""
    word, rest = [*line.split(maxsplit=1), "", ""][:2]
    return word, rest.strip()


def _apart(names: Sequence[str]) -> bool:
    """Say whether names are separated by spaces alone: none of marks only, and no list with commas."""
    marks = {*_STARS, *_COMMAS, "|", "｜"}
    listed = len(names) > 1 and all(name[-1] in _COMMAS for name in names[:-1])
    return not listed and not any(set(name) <= marks or set(name) & set("，、；") for name in names)


def _by_line(found: list[tuple[int, Read]]) -> Iterator[Read]:
    """Yield what was read key by key in the order of its lines."""
    yield from (entry for _, entry in sorted(found, key=itemgetter(0)))


def _title(text: str) -> Bilingual:
    english, _, chinese = text.partition(_BETWEEN_LANGUAGES)
    return Bilingual(english.strip(), chinese.strip() or english.strip())


# --- writing --------------------------------------------------------------------------------------------------------


def write_suite(suite: Suite) -> str:
    """Return the text of a suite, its columns lined up; reading it gives the suite again."""
    _check_writable(suite)
    blocks = ["\n".join(_header(suite)), *("\n".join(_item(suite, item)) for item in suite.items)]
    return "\n\n".join(blocks) + "\n"


def _check_writable(suite: Suite) -> None:
    """Refuse what the text format would read otherwise: spaces in names, the mark between regions in a word."""
    conditions = [condition.name for condition in suite.conditions]
    names = [*conditions, *suite.regions, *(item.id for item in suite.items)]
    words = [word for item in suite.items for one in item.sentences.values() for region in one for word in region]
    broken = [name for name in names if len(name.split()) != 1] + [word for word in words if _BAR.search(word)]
    broken += [item.id for item in suite.items if not item.id[:1].isdigit()]
    broken += [name for name in conditions if name[:1] in {"#", *_STARS} or _BAR.search(name)]
    broken += [" ".join(names) for names in (conditions, suite.regions) if all(names) and not _apart(names)]
    broken += [one.name for one in suite.predictions if _COLON.search(one.name)]
    named = [place.condition for fact in suite.facts for place in (fact.classifier, fact.noun)]
    broken += [name for name in named if "." in name]
    broken += [title.en for title in (suite.class_, suite.modifier) if _title(_joined(title)) != title]
    if broken:
        raise UserError(
            f"The text format cannot hold '{broken[0]}' of the suite {suite.name}.",
            valid="Names of conditions and regions without spaces and commas, conditions that do not begin with * or # "
            "nor, in a classifier fact, have a dot, predictions without colon, items that begin with a digit, words "
            "without |, titles without ' / '.",
            remedy="Write it as JSON: hengliang suites convert SOURCE TARGET.json",
        )


def _header(suite: Suite) -> Iterator[str]:
    yield from (f"# {line}" for remark in suite.remarks for line in remark.splitlines() or [""])
    pairs = [
        ("class", _joined(suite.class_)),
        *([("domain", " ".join(suite.domain.split()))] if suite.domain else []),
        ("modifier", _joined(suite.modifier)),
        ("conditions", " ".join(("" if part.acceptable else "*") + part.name for part in suite.conditions)),
        ("regions", " ".join(suite.regions)),
        *((f"{'predict' if part.counts else 'control'} {part.name}", str(part.formula)) for part in suite.predictions),
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
    yield f"{item.id}  {' '.join(item.gloss.split())}".rstrip()
    cells = [[" ".join(region) for region in sentence] for sentence in item.sentences.values()]
    widths = [max(_columns(row[column]) for row in cells) for column in range(len(suite.regions))]
    longest = max(len(name) for name in item.sentences)
    for name, row in zip(item.sentences, cells, strict=True):
        padded = [cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)]
        yield f"   {name:<{longest}}  {' | '.join(padded)}".rstrip()


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a Chinese character."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
