"""Published Mandarin test suites (Wang et al. 2021): the layout of their classes, and their sentences as material.

The layouts of the classes serve published sentences and recorded surprisals alike; the files and the material follow.

The published suites [1] are text files with one segmented sentence per line: `mobj_sub2_txt.txt` (or `mobj_sub2.txt`)
holds the suite `mobj_sub2`. The lines of an item follow each other in the order of its class, and the words that count
are found by their place in the sentence. Files that are none of the 24 suites are named and left out.
`published_suites()` asks them of models at hand; what the paper's own models said of them is read by
`hengliang.grammar.recorded_surprisals`, but for sentences that were edited after they had been scored.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, digest, version
from hengliang.core.terms import Bilingual
from hengliang.corpora.catalogue import list_sources, locate, source
from hengliang.corpora.plain_text import Faults, decoded_lines
from hengliang.grammar.suites.formulas import parse_formula
from hengliang.grammar.suites.json_format import suite_as_json
from hengliang.grammar.suites.library import suite_items
from hengliang.grammar.suites.suite import Condition, Prediction, Suite, SuiteItem, Words, check_suite

# --- layouts of the six classes ---------------------------------------------------------------------------------------
# A suite is called `<class>_<modifier>` (`mobj_sub2`). Published sentences and recorded surprisals both become a
# `Suite` by these rules, whoever scored the sentences, with marked regions and formulas.

REGIONS = ("before", "target", "after")


@dataclass(frozen=True, slots=True)
class ClassLayout:
    """A class of suites: the conditions in the order of the lines, the target, and what is predicted of it.

    `target` returns the numbers of the first and last word that count, or says what is wrong with the sentence.
    """

    title: Bilingual
    lines: tuple[str, ...]
    conditions: tuple[Condition, ...]
    predictions: tuple[Prediction, ...]
    target: Callable[[Words], tuple[int, int] | str]
    modifiers: Mapping[str, Bilingual]
    domain: str


def _last_two(words: Words) -> tuple[int, int] | str:
    return (len(words) - 2, len(words)) if len(words) >= 2 else "it has no two words"


def _final_stop(words: Words) -> tuple[int, int] | str:
    return (len(words) - 1, len(words)) if words[-1] == "。" else f"it ends in '{words[-1]}', not in '。'"


def _fourth_from_end(words: Words) -> tuple[int, int] | str:
    return (len(words) - 4, len(words) - 3) if len(words) >= 4 else "it has no four words"


def _last_particle(words: Words) -> tuple[int, int] | str:
    if "的" not in words:
        return "it has no '的'"
    position = len(words) - 1 - words[::-1].index("的")
    return position, position + 1


def _predictions(*formulas: str, controls: Mapping[str, str] | None = None) -> tuple[Prediction, ...]:
    counted = [Prediction(str(number), parse_formula(text)) for number, text in enumerate(formulas, 1)]
    beside = [Prediction(name, parse_formula(text), counts=False) for name, text in (controls or {}).items()]
    return (*counted, *beside)


_NONE, _ADJECTIVE = Bilingual("none", "无修饰语"), Bilingual("adjective", "形容词")
_OBJECT, _SUBJECT = Bilingual("object relative", "宾语关系从句"), Bilingual("subject relative", "主语关系从句")
_USUAL = {"none": _NONE, "adj": _ADJECTIVE, "obj": _OBJECT, "sub": _SUBJECT}
_GROWING = {
    "none": _NONE,
    "sub": _SUBJECT,
    "sub2": Bilingual("coordinated relatives", "并列关系从句"),
    "subh": Bilingual("embedded relatives", "嵌套关系从句"),
}
_MATCHES = (
    Condition("first_match"),
    Condition("first_mismatch", acceptable=False),
    Condition("second_match"),
    Condition("second_mismatch", acceptable=False),
)
_CLASSIFIERS = (Condition("specific"), Condition("general"))
_VERBS = (Condition("match"), Condition("mismatch", acceptable=False))
_PARTS = (Condition("complete"), Condition("missing", acceptable=False))

CLASSES: Mapping[str, ClassLayout] = {
    "cls": ClassLayout(
        Bilingual("classifier–noun", "量词与名词"),
        tuple(condition.name for condition in _MATCHES),
        _MATCHES,
        _predictions(
            "first_mismatch.target > first_match.target",
            "second_mismatch.target > second_match.target",
            "second_mismatch.target > first_match.target",
            "first_mismatch.target > second_match.target",
            controls={
                "interaction": "(first_mismatch.target - first_match.target)"
                " + (second_mismatch.target - second_match.target) > 0"
            },
        ),
        _last_two,
        _USUAL,
        "semantic",
    ),
    "gpo": ClassLayout(
        Bilingual("garden path object", "花园幽径（宾语）"),
        ("specific", "general"),
        _CLASSIFIERS,
        _predictions("general.target > specific.target"),
        _fourth_from_end,
        _USUAL,
        "hybrid",
    ),
    "gps": ClassLayout(
        Bilingual("garden path subject", "花园幽径（主语）"),
        ("specific", "general"),
        _CLASSIFIERS,
        _predictions("general.target > specific.target"),
        _last_particle,
        _USUAL,
        "hybrid",
    ),
    "vo": ClassLayout(
        Bilingual("verb–noun", "动词与名词"),
        ("match", "mismatch"),
        _VERBS,
        _predictions("mismatch.target > match.target"),
        _last_two,
        _USUAL,
        "semantic",
    ),
    "mobj": ClassLayout(
        Bilingual("missing object", "宾语缺失"),
        ("missing", "complete"),
        _PARTS,
        _predictions("missing.target > complete.target"),
        _final_stop,
        _GROWING,
        "syntactic",
    ),
    "sd": ClassLayout(
        Bilingual("subordination", "从属"),
        ("complete", "missing"),
        _PARTS,
        _predictions("missing.target > complete.target"),
        _final_stop,
        _USUAL,
        "syntactic",
    ),
}
"""The classes of the layout by the beginning of the suite's name, in the order of Table 6 of [1]."""

SUITE_NAMES: tuple[str, ...] = tuple(f"{prefix}_{end}" for prefix, kind in CLASSES.items() for end in kind.modifiers)
"""The 24 suites that are judged; others in a folder are named and left out."""


def layout_of(name: str) -> ClassLayout:
    """Return the layout of the class to which a suite belongs by its name."""
    return CLASSES[name.partition("_")[0]]


def item_of(name: str, id: str, wording: Sequence[Words], line: int = 0) -> SuiteItem:
    """Return an item of the suite `name` from its sentences in the order of the layout, each cut into regions."""
    kind = layout_of(name)
    cut = {}
    for condition, words in zip(kind.lines, wording, strict=True):
        target = kind.target(words)
        if isinstance(target, str):
            raise UserError(
                f"Item {id} of the suite {name} (line {line}): '{''.join(words)}' cannot be judged: {target}.",
                valid="docs/recorded-surprisals.md says which words of each class count.",
            )
        first, last = target
        cut[condition] = (words[:first], words[first:last], words[last:])
    return SuiteItem(id, "", {condition.name: cut[condition.name] for condition in kind.conditions}, line)


def suite_of(name: str, items: Sequence[SuiteItem]) -> Suite:
    """Return the suite of this name, with the formulas of its class."""
    kind = layout_of(name)
    modifier = kind.modifiers[name.partition("_")[2]]
    return check_suite(
        Suite(name, kind.title, modifier, kind.conditions, REGIONS, kind.predictions, tuple(items), domain=kind.domain)
    )


# --- files and material -----------------------------------------------------------------------------------------------


NAME = "published suites"
SOURCE = "wang2021-suites"
SHORT = "wang2021"
"""What the suites are called on the command line, besides the name of their source."""

ENDINGS = ("_txt.txt", ".txt")
LAYOUT = "DIR/<suite>_txt.txt, one segmented sentence a line, for example DIR/mobj_none_txt.txt."


@dataclass(frozen=True, slots=True)
class PublishedFolder:
    """The files of a folder by suite, in the order of the paper's table, and what else lies there."""

    files: Mapping[str, Path]
    left_out: tuple[str, ...]


def published_folder(given: Path | str = SOURCE) -> PublishedFolder:
    """Return the suites of a folder, given by its path or by its name in the catalogue of data."""
    name = SOURCE if given == SHORT else given
    if isinstance(name, str) and name in {entry.name for entry in list_sources()}:
        files: Sequence[Path] = locate(name)
    else:
        with file_errors(Path(name), "read"):
            files = sorted(Path(name).iterdir())
    by_suite: dict[str, Path] = {}
    for file in files:
        suite = suite_named(file)
        if suite in by_suite:
            raise UserError(
                f"{by_suite[suite]} and {file} are both the suite {suite}.", remedy="Take one of the files away."
            )
        if suite:
            by_suite[suite] = file
    if not set(by_suite) & set(SUITE_NAMES):
        raise UserError(
            f"{given} holds none of the published suites.",
            valid=LAYOUT,
            remedy=f"Those of the paper: hengliang data show {SOURCE}",
        )
    ours = {suite: by_suite[suite] for suite in SUITE_NAMES if suite in by_suite}
    return PublishedFolder(ours, tuple(sorted(set(by_suite) - set(SUITE_NAMES))))


def suite_named(file: Path) -> str:
    """Return which suite a file holds by its name; nothing where it is not a text file.

    >>> suite_named(Path("mobj_sub2_txt.txt")), suite_named(Path("cls_none.txt")), suite_named(Path("notes.md"))
    ('mobj_sub2', 'cls_none', '')
    """
    ending = next((ending for ending in ENDINGS if file.name.endswith(ending)), "")
    return file.name.removesuffix(ending) if ending else ""


def is_published(name: str) -> bool:
    """Say whether a name or path means published suites."""
    folder = Path(name)
    return name in {SHORT, SOURCE} or (
        folder.is_dir() and any(suite_named(file) in SUITE_NAMES for file in folder.iterdir())
    )


def read_published(given: Path | str = SOURCE, names: Sequence[str] = ()) -> tuple[Suite, ...]:
    """Read the published suites, all of a folder or those of these names (`mobj_none`) and classes."""
    files = published_folder(given).files
    return tuple(_read(suite, files[suite]) for suite in _chosen(tuple(files), names))


def _chosen(held: Sequence[str], names: Sequence[str]) -> Sequence[str]:
    titles = {suite: layout_of(suite).title.en for suite in held}
    for name in names:
        if name not in {*titles, *titles.values()}:
            known = [*dict.fromkeys(titles.values()), *titles]
            raise unknown_name("published suite", name, known)
    return [suite for suite in held if not names or {suite, titles[suite]} & set(names)]


def _read(suite: str, file: Path) -> Suite:
    kind = layout_of(suite)
    size = len(kind.lines)
    lines = [(number, _words(line)) for number, line in decoded_lines(file, "utf-8", Faults()) if line.strip()]
    if not lines or len(lines) % size:
        raise UserError(
            f"{file} holds {len(lines)} sentences.",
            valid=f"An item of the class {kind.title.en} has {size}: {', '.join(kind.lines)}.",
        )
    groups = [lines[start : start + size] for start in range(0, len(lines), size)]
    return suite_of(
        suite,
        [item_of(suite, str(id), [words for _, words in group], group[0][0]) for id, group in enumerate(groups, 1)],
    )


def _words(line: str) -> Words:
    # Two spaces between words, as there are in one published file, are as good as one.
    return tuple(unicodedata.normalize("NFC", line).split())


@register(NAME)
class PublishedSuites(Material):
    """The sentences of the paper's suites as items, one per sentence; those of one suite item are a set."""

    name = NAME
    title = Bilingual("Test suites of Wang et al. (2021)", "Wang 等（2021）的测试套件")
    citation = "Wang, Hu, Levy & Qian (2021), EMNLP 2021"

    def __init__(self, folder: Path | str = SOURCE, names: str | Sequence[str] = ()) -> None:
        self.folder = folder
        self.names = (names,) if isinstance(names, str) else tuple(names)

    @property
    def licence(self) -> str:  # type: ignore[override]
        """That of the source; of a folder of the user's nothing is known."""
        return source(SOURCE).licence if self.folder in {SHORT, SOURCE} else "that of your files"

    def suites(self) -> tuple[Suite, ...]:
        """Return the suites that are asked."""
        return read_published(self.folder, self.names)

    def items(self) -> pl.DataFrame:
        """Return one item per sentence; its frame differs from that of our own item of the same class and number."""
        return suite_items(self.suites()).with_columns(
            material=pl.lit(NAME), frame=pl.format("published {}", pl.col("frame"))
        )

    def signature(self) -> Signature:
        """Return what can change the items: the suites with their whole text."""
        chosen = self.suites()
        return Signature.of(
            material=NAME,
            suites=",".join(suite.name for suite in chosen),
            sha256=digest(*(json.dumps(suite_as_json(suite), ensure_ascii=False) for suite in chosen))[:16],
            code=code_checksum(type(self)),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return how many suites and sets there are, and which files are left out."""
        classes = [kind.title for kind in CLASSES.values() if kind.title.en in set(items["class"])]
        return [
            (Bilingual("Suites", "套件"), str(items["suite"].n_unique())),
            (Bilingual("Classes", "类别"), "; ".join(f"{title.en} {title.zh}" for title in classes)),
            (Bilingual("Sets of sentences", "句组"), str(items["set"].n_unique())),
            (Bilingual("Left out", "未计入"), ", ".join(published_folder(self.folder).left_out) or "–"),
        ]


def published_suites(folder: Path | str = SOURCE, *names: str) -> PublishedSuites:
    """Ask the paper's own suites, those of the catalogue or of a folder; all, or those of these names and classes."""
    return PublishedSuites(folder, names)
