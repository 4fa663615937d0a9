"""Library of test suites that come with hengliang, and suites as material of a study.

A suite is called by its name (`missing_object.none`), all suites of a class by the name of the class
(`missing object`), and a suite of the user's own by the path of its file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

import polars as pl

from hengliang.core.base_classes import Material
from hengliang.core.closure import outside_signatures, package_data
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.kept_files import KeptFiles
from hengliang.core.records import Item, Span, items_frame
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, digest, version
from hengliang.core.terms import Bilingual
from hengliang.grammar.suites.json_format import read_json_suite, suite_as_json
from hengliang.grammar.suites.suite import WORD, Suite, SuiteItem, content_of, predictions_as_text
from hengliang.grammar.suites.syntaxgym import read_syntaxgym
from hengliang.grammar.suites.text_format import SUFFIX, read_suite

NAME = "test suites"
UNMODIFIED = "none"


@cache
@outside_signatures("suites are signed by their content")
def written_suites() -> tuple[Suite, ...]:
    """Return all suites that come with the package: by class in the order of the paper, modifiers as they grow."""
    with resources.as_file(package_data(__name__, "written")) as folder:
        written = [read_suite(file) for file in sorted(folder.glob(f"*{SUFFIX}"))]
    return tuple(sorted(written, key=_order))


_CLASSES = (
    "classifier–noun",
    "garden path object",
    "garden path subject",
    "verb–noun",
    "missing object",
    "subordination",
)
_MODIFIERS = ("none", "adjective", "object relative", "subject relative", "coordinated relatives", "embedded relatives")


def _order(suite: Suite) -> tuple[int, int, str]:
    places = (_CLASSES, suite.class_.en), (_MODIFIERS, suite.modifier.en)
    first, second = (known.index(name) if name in known else len(known) for known, name in places)
    return first, second, suite.name


def open_suites(*names: str) -> tuple[Suite, ...]:
    """Return the suites of these names, classes or files; all written suites when nothing is named."""
    if not names:
        return written_suites()
    opened: dict[str, Suite] = {}
    for suite in (suite for name in names for suite in _named(name)):
        if opened.setdefault(suite.name, suite) != suite:
            raise UserError(
                f"Two different suites are called '{suite.name}'.",
                valid="Suites that are asked together have different names.",
                remedy="Rename one of the files; a suite in JSON has its name inside.",
            )
    return tuple(opened.values())


def _named(name: str) -> Sequence[Suite]:
    path = Path(name)
    if path.suffix in {SUFFIX, ".json"} or "/" in name:
        return [suite_of_file(path)]
    wanted = _plain(name)
    written = written_suites()
    matching = [suite for suite in written if wanted in {_plain(suite.name), _plain(suite.class_.en), suite.class_.zh}]
    if not matching:
        classes = dict.fromkeys(suite.class_.en for suite in written)
        raise unknown_name(
            "suite",
            name,
            [*classes, *(suite.name for suite in written)],
            remedy="A suite of your own is named by its path, ending in .suite or .json; minimal pairs by the name of "
            "their source (sling) or their path.",
        )
    return matching


def _plain(name: str) -> str:
    return name.lower().replace("–", " ").replace("-", " ").replace("_", " ")


def is_suite_file(path: Path) -> bool:
    """Say whether a file looks like a suite: by its ending, and JSON by its keys."""
    if path.suffix != ".json" or not path.is_file():
        return path.suffix == SUFFIX
    start = path.read_bytes()
    return b'"region_meta"' in start or b'"regions"' in start


def suite_of_file(path: Path | str) -> Suite:
    """Read a suite of the user's own: our text format, our JSON, or the JSON of SyntaxGym."""
    file = Path(path)
    if file.suffix == SUFFIX:
        return read_suite(file)
    if file.suffix == ".json":
        content = file.read_bytes() if file.is_file() else b""
        return read_syntaxgym(file) if b'"region_meta"' in content else read_json_suite(file)
    raise UserError(
        f"{file} is no suite.", valid="Files: *.suite (our text format), *.json (ours, or that of SyntaxGym)."
    )


# --- as a material --------------------------------------------------------------------------------------------------


@register(NAME)
class Suites(Material):
    """Test suites as items: one per sentence; the sentences of one suite item are a set."""

    name = NAME
    title = Bilingual("Grammar test suites", "语法测试套件")

    def __init__(self, names: str | Sequence[str] = ()) -> None:
        self.names = (names,) if isinstance(names, str) else tuple(names)

    @property
    def licence(self) -> str:  # type: ignore[override]
        """Ours for our own suites; of a file of the user's nothing is known."""
        ours = {suite.name for suite in written_suites()}
        return "MIT" if all(suite.name in ours for suite in self._suites()) else "that of your files"

    def items(self) -> pl.DataFrame:
        """Return one item per sentence: spans for its regions (by their names) and its words (`word`)."""
        return suite_items(self._suites())

    def signature(self) -> Signature:
        """Return what can change the items: the suites with their whole text."""
        chosen = self._suites()
        return Signature.of(
            material=NAME,
            suites=",".join(suite.name for suite in chosen),
            # Not the text format, which cannot hold every suite.
            sha256=digest(*(json.dumps(suite_as_json(suite), ensure_ascii=False) for suite in chosen))[:16],
            code=code_checksum(type(self)),
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return how many suites, classes and sets there are."""
        return [
            (Bilingual("Suites", "套件"), str(items["suite"].n_unique())),
            (Bilingual("Classes", "类别"), "; ".join(self._classes())),
            (Bilingual("Sets of sentences", "句组"), str(items["set"].n_unique())),
        ]

    def _suites(self) -> tuple[Suite, ...]:
        files = [Path(name) for name in self.names if Path(name).is_file()]
        return self._kept.read(files, lambda: open_suites(*self.names))

    @cached_property
    def _kept(self) -> KeptFiles[tuple[Suite, ...]]:
        return KeptFiles()

    def _classes(self) -> list[str]:
        titles = dict.fromkeys(suite.class_ for suite in self._suites())
        return [title.en if title.en == title.zh else f"{title.en} {title.zh}" for title in titles]


def suite_items(suites: Sequence[Suite]) -> pl.DataFrame:
    """Return the item table of suites."""
    return items_frame(item for suite in suites for item in _items(suite))


def _items(suite: Suite) -> Iterator[Item]:
    predictions = predictions_as_text(suite)
    for item in suite.items:
        for condition in suite.conditions:
            yield _item(suite, item, condition.name, condition.acceptable, predictions)


def _item(suite: Suite, item: SuiteItem, condition: str, acceptable: bool, predictions: str) -> Item:
    joined, regions = content_of(item.sentences[condition])
    spans = [Span(name, start, end) for name, (start, end) in zip(suite.regions, regions, strict=True)]
    if suite.segmented:
        spans += [Span(WORD, start, end) for start, end in joined.spans]
    group = f"{suite.name}/{item.id}"
    attributes: dict[str, str | bool | float] = {
        "suite": suite.name,
        "class": suite.class_.en,
        "domain": suite.domain,
        "modifier": suite.modifier.en,
        "modified": suite.modifier.en != UNMODIFIED,
        "frame": f"{suite.class_.en} {item.id}",
        "gloss": item.gloss,
        "acceptable": acceptable,
        "predictions": predictions,
        "tolerance": suite.tolerance,
    }
    return Item(f"{group}/{condition}", group, NAME, condition, joined.content, tuple(spans), attributes=attributes)


def suites(*names: str) -> Suites:
    """Ask the suites of these names, classes or files; all that come with the package when nothing is named."""
    return Suites(names)
