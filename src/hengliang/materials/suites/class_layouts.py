"""What do the six classes of suites of the paper on Mandarin grammar look like, whoever scored their sentences?

A suite is called `<class>_<modifier>` (`mobj_sub2`). The sentences of an item follow each other in a fixed order, and
the words that count are found by their place in the sentence [1]. Published sentences and recorded surprisals both
become a `Suite` by these rules, with marked regions and formulas.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hengliang.core.errors import UserError
from hengliang.core.terms import Bilingual
from hengliang.materials.suites.formulas import parse_formula
from hengliang.materials.suites.suite import Condition, Prediction, Suite, SuiteItem, Words, check_suite

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
    place = len(words) - 1 - words[::-1].index("的")
    return place, place + 1


def _predictions(*formulas: str, controls: Mapping[str, str] | None = None) -> tuple[Prediction, ...]:
    counted = [Prediction(str(place), parse_formula(text)) for place, text in enumerate(formulas, 1)]
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
        place = kind.target(words)
        if isinstance(place, str):
            raise UserError(
                f"Item {id} of the suite {name} (line {line}): '{''.join(words)}' cannot be judged: {place}.",
                valid="docs/recorded-surprisals.md says which words of each class count.",
            )
        first, last = place
        cut[condition] = (words[:first], words[first:last], words[last:])
    return SuiteItem(id, "", {condition.name: cut[condition.name] for condition in kind.conditions}, line)


def suite_of(name: str, items: Sequence[SuiteItem]) -> Suite:
    """Return the suite of this name, with the formulas of its class."""
    kind = layout_of(name)
    modifier = kind.modifiers[name.partition("_")[2]]
    return check_suite(
        Suite(name, kind.title, modifier, kind.conditions, REGIONS, kind.predictions, tuple(items), domain=kind.domain)
    )
