"""Is a classifier a true classifier here, or a measure word?

The category belongs to the use, a classifier with a noun, and not to the form [1, 2]:

true     三本书 entails that there are three books. 个 in its place keeps the quantity, 的 between the two is bad.
measure  三箱书 does not entail three books. 个 changes the quantity; 的, 大 and 满 are often fine; it goes with masses.
dual     of a form: it has both uses (一条鱼, 一条烟; 一块表, 一块肉).

Entailment decides; 的 and adjectives only support. Kinds are measures, because three kinds of animal are not three
animals; so are pairs and other groups.

Two tables hold what was judged. `classifier_categories.tsv` has every form of our inventory; `classifier_uses.tsv` has
pairs of classifier and noun: those of the default corpus and of our inventory whose classifier may have both uses, and
300 of the corpus's other pairs, drawn at random. Each entry was judged twice, by annotators who did not see each
other's verdicts; where the two differ, the settled verdict stands beside them. The annotators were instances of a
language model working from the criteria above: their agreement says that the criteria can be followed, not that a panel
of speakers would agree.

[1] Cheng, L. L.-S., Sybesma, R. (1998). Yi-wan tang, yi-ge tang: classifiers and massifiers. Tsing Hua Journal of
    Chinese Studies 28, 385-412.
[2] Zhang, H. (2007). Numeral classifiers in Mandarin Chinese. Journal of East Asian Linguistics 16, 43-59.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, get_args

from hengliang.core.closure import package_data
from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.materials.classifier_inventory import noun_endings

Category = Literal["true", "dual", "measure", "not in list"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
CATEGORY_TITLES: Mapping[str, Bilingual] = MappingProxyType(
    {
        "true": Bilingual("True classifiers", "个体量词"),
        "dual": Bilingual("Dual classifiers", "两用量词"),
        "measure": Bilingual("Measure words", "计量词"),
        "not in list": Bilingual("Not in list", "表外量词"),
    }
)
SOURCE = "two blind annotations from written criteria, settled where they differ; not rated by a panel of speakers"

_FORMS, _USES = "classifier_categories.tsv", "classifier_uses.tsv"
_FORM_VERDICTS = ("true", "dual", "measure", "none")
_USE_VERDICTS = ("true", "measure", "unclear")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What two annotators said of a form, or of a use where there is a noun, and what was settled."""

    classifier: str
    noun: str
    first: str
    second: str
    category: str


@cache
def form_judgements() -> tuple[Judgement, ...]:
    """Return the judgements of all forms of our inventory."""
    return tuple(read_judgements(package_data(__name__, _FORMS).read_text("utf-8"), with_noun=False, where=_FORMS))


@cache
def use_judgements() -> tuple[Judgement, ...]:
    """Return the judgements of uses."""
    return tuple(read_judgements(package_data(__name__, _USES).read_text("utf-8"), with_noun=True, where=_USES))


def read_judgements(text: str, *, with_noun: bool, where: str = "the table") -> Iterator[Judgement]:
    """Read judgements from a table: columns apart by tabs, remarks after #."""
    columns = ("classifier", *(("noun",) if with_noun else ()), "first", "second", "category")
    allowed = _USE_VERDICTS if with_noun else _FORM_VERDICTS
    rows = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line and not line.startswith("#")]
    if not rows or tuple(rows[0][1].split("\t")) != columns:
        raise UserError(f"{where} has another header than it should.", valid=f"Columns: {', '.join(columns)}.")
    seen: set[tuple[str, str]] = set()
    for number, line in rows[1:]:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise UserError(f"{where}, line {number} has {len(cells)} columns.", valid=f"{len(columns)} columns.")
        form, *noun, first, second, category = cells
        wrong = [verdict for verdict in (first, second, category) if verdict not in allowed]
        if wrong:
            raise UserError(
                f"{where}, line {number}: '{wrong[0]}' is no verdict.", valid=f"Verdicts: {', '.join(allowed)}."
            )
        key = (form, noun[0] if noun else "")
        if key in seen:
            raise UserError(f"{where}, line {number} has '{''.join(key)}' a second time.", remedy="Join the two lines.")
        seen.add(key)
        yield Judgement(*key, first, second, category)


def category_of_form(form: str) -> Category:
    """Return the category of a form: true, dual, measure, or not in list."""
    return _form_categories().get(form, "not in list")


def category_of_use(form: str, noun: str) -> Category:
    """Return whether a classifier is true or measure with this noun, or not in list.

    A pair that was judged has its verdict; else a form with one use has that one. A form with both uses is judged by
    the longest noun that was judged with it and that this noun ends in, else by what most of its judged uses are.
    """
    by_form = category_of_form(form)
    if by_form == "not in list":
        return by_form
    judged = _use_categories().get(form, {})
    # A form with one use has exceptions only for the very noun that was judged.
    endings = noun_endings(noun, shortest=1) if by_form == "dual" else (noun,)
    if found := next((judged[ending] for ending in endings if ending in judged), None):
        return found
    if by_form != "dual":
        return by_form
    verdicts = list(judged.values())
    return "true" if verdicts.count("true") >= verdicts.count("measure") else "measure"


@cache
def _form_categories() -> Mapping[str, Category]:
    held: dict[str, Category] = {
        one.classifier: category for one in form_judgements() for category in CATEGORIES if one.category == category
    }
    return MappingProxyType(held)


@cache
def _use_categories() -> Mapping[str, Mapping[str, Category]]:
    held: dict[str, dict[str, Category]] = {}
    for one in use_judgements():
        for category in ("true", "measure"):
            if one.category == category:
                held.setdefault(one.classifier, {})[one.noun] = category
    return MappingProxyType({form: MappingProxyType(nouns) for form, nouns in held.items()})
