"""Which statements do participants agree or disagree with?

Ready sets, and sets that a researcher writes in a TOML file. `classifier` is quoted from [1, section 5.2], in both
languages as it stands there: 不确定 ("not sure") is not quite "neither agree nor disagree", and "was written by a
native speaker" asks about authorship. The other sets are ours and avoid both.

[1] de Bruijn, A. (2023). Human evaluation of automatically generated classifiers in Mandarin Chinese. Master's thesis,
    Utrecht University.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from hengliang.core.errors import UserError, unknown_name
from hengliang.core.settings import NOT_BLANK, Key, Must, read_settings
from hengliang.core.terms import Bilingual
from hengliang.experiments import Scale

ANSWERS = (
    Bilingual("strongly disagree", "非常不同意"),
    Bilingual("disagree", "不同意"),
    Bilingual("somewhat disagree", "不太同意"),
    Bilingual("neither agree nor disagree", "不确定"),
    Bilingual("somewhat agree", "有点同意"),
    Bilingual("agree", "同意"),
    Bilingual("strongly agree", "非常同意"),
)
"""The seven answers of [1, section 5.2]."""

CLARITY = Scale("clarity", Bilingual("This sentence is clear.", "这句话表达清晰。"), len(ANSWERS), ANSWERS)
FLUENCY = Scale(
    "fluency",
    Bilingual("This sentence was written by a native speaker.", "这句话是普通话母语者写的。"),
    len(ANSWERS),
    ANSWERS,
)
SCALES = (CLARITY, FLUENCY)

AGREEMENT = (
    Bilingual("strongly disagree", "非常不同意"),
    Bilingual("disagree", "不同意"),
    Bilingual("rather disagree", "比较不同意"),
    Bilingual("neither agree nor disagree", "既不同意也不反对"),
    Bilingual("rather agree", "比较同意"),
    Bilingual("agree", "同意"),
    Bilingual("strongly agree", "非常同意"),
)
"""Seven answers of ours, whose middle says the same in both languages."""


def _agreement(name: str, en: str, zh: str) -> Scale:
    return Scale(name, Bilingual(en, zh), len(AGREEMENT), AGREEMENT)


NATURAL = (
    _agreement("naturalness", "This sentence sounds natural.", "这句话很自然。"),
    _agreement("smoothness", "This sentence reads smoothly.", "这句话很通顺。"),
)
ACCEPTABILITY = (
    Scale(
        "acceptability",
        Bilingual("How acceptable is this sentence?", "这句话的可接受程度如何？"),
        7,
        (Bilingual("not acceptable at all", "完全不可接受"), Bilingual("fully acceptable", "完全可以接受")),
    ),
)


def _of_five(name: str, question: Bilingual, first: Bilingual, last: Bilingual) -> Scale:
    return Scale(name, question, 5, (first, last))


DESCRIPTION = (
    _of_five(
        "naturalness",
        Bilingual("Would people describe the scene like this?", "人们会这样描述这个场景吗？"),
        Bilingual("nobody would", "没有人会"),
        Bilingual("anybody might", "谁都可能会"),
    ),
    _of_five(
        "informativity",
        Bilingual("Does the description tell as much as one could expect?", "这段描述提供的信息足够充分吗？"),
        Bilingual("far too little", "远远不够"),
        Bilingual("all that can be told", "非常充分"),
    ),
    _of_five(
        "correctness",
        Bilingual("Is what the description says true of the scene?", "这段描述与场景相符吗？"),
        Bilingual("nothing of it is true", "完全不符"),
        Bilingual("all of it is true", "完全相符"),
    ),
)
"""Three questions with five points: what the experts of paper 001 were asked (section 2.3.3), in words of ours."""


@dataclass(frozen=True, slots=True)
class StatementSet:
    """Statements that go together, and where they come from."""

    name: str
    scales: tuple[Scale, ...]
    source: str


SETS: dict[str, StatementSet] = {
    each.name: each
    for each in (
        StatementSet("classifier", SCALES, "de Bruijn (2023), section 5.2: CLARITY and FLUENCY"),
        StatementSet("natural", NATURAL, "ours: naturalness and smoothness, without asking about authorship"),
        StatementSet("acceptability", ACCEPTABILITY, "ours: one question, seven points, the ends named"),
        StatementSet(
            "description",
            DESCRIPTION,
            "ours: naturalness, informativity, correctness of a scene's description, five points, the ends named",
        ),
    )
}


def statement_set(name: str) -> tuple[Scale, ...]:
    """Return a ready set by its name, or one's own from a TOML file (a name that ends in `.toml`)."""
    if name.endswith(".toml"):
        return read_statements(Path(name))
    if name not in SETS:
        raise unknown_name("set of statements", name, SETS, remedy="Or name a file of your own: --statements my.toml")
    return SETS[name].scales


TEMPLATE = """\
# Statements that participants judge:  hengliang survey design DIR --statements my.toml
points = 5
options = [                       # one a point, from the first to the last; or the two ends; or leave them out
  { en = "not at all", zh = "完全不" },
  { en = "completely", zh = "完全" },
]

[[statement]]
name = "vividness"                # the name of the scale in every table; points and options may be given here, too
en = "How vivid is this sentence?"
zh = "这句话生动吗？"
"""
"""An example of such a file."""


def read_statements(file: Path) -> tuple[Scale, ...]:
    """Read one's own set of statements from a TOML file; `TEMPLATE` is an example."""
    written = read_settings(_Statements, file, remedy=f"A file such as:\n{TEMPLATE}")
    scales = []
    for place, one in enumerate(written.statements):
        points = written.points if one.points is None else one.points
        options = written.options if one.options is None else one.options
        scales.append(Scale(one.name.strip(), Bilingual(one.en, one.zh), points, options))
        fault = scale_fault(scales[-1])
        if fault:
            raise UserError(f"{file}: statement[{place}]: {fault}.")
    return tuple(scales)


def _none(several: Sequence[object]) -> str | None:
    return None if several else ""


@dataclass(frozen=True, slots=True)
class _Statement:
    """One statement of a file; what it does not say is as for all."""

    name: Annotated[str, NOT_BLANK]
    en: Annotated[str, NOT_BLANK]
    zh: Annotated[str, NOT_BLANK]
    points: int | None = None
    options: tuple[Bilingual, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Statements:
    """A file of statements."""

    statements: Annotated[tuple[_Statement, ...], Key("statement"), Must(_none, "One [[statement]] or more.")]
    points: int = 7
    options: tuple[Bilingual, ...] = ()


MOST_POINTS = 101


def scale_fault(scale: Scale) -> str | None:
    """Return why nobody can rate on this scale, or nothing."""
    if not 2 <= scale.points <= MOST_POINTS:
        return f"the scale '{scale.name}' has {scale.points} points; it needs 2 to {MOST_POINTS}"
    if len(scale.options) not in (0, 2, scale.points):
        return (
            f"the scale '{scale.name}' has {len(scale.options)} options for {scale.points} points; "
            "name all of them, the two ends, or none"
        )
    return None
