"""Which scene does a description evoke: how many things of each kind?

The task of paper 001 (section 3.2, appendices B and C): a description is read, the size of the scene is told, and the
counts of red and blue circles and squares are given. They have to add up to the size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hengliang.core.terms import Bilingual, Language
from hengliang.experiments import Scale
from hengliang.materials.scene_domains import DEFAULT_DOMAIN
from hengliang.people.tasks.base import Column, Given, Problem, Reading, Screen, Stimulus, Task
from hengliang.people.tasks.fields import UNANSWERED, field_id, field_of, sent, whole_number
from hengliang.people.tasks.names import names_fault
from hengliang.people.tasks.pieces import span_fault
from hengliang.people.tasks.scenes import CELL, KINDS, LARGEST_SCENE, Kind, columns_of, drawable, kinds_fault

SUM_FIELD = "detail-sum"
"""The field that a problem with the sum is about; nothing is sent in it."""

QUESTION = Bilingual(
    "Which scene could this describe? Say how many {things} of each kind it holds.",
    "这段描述说的可能是怎样的场景？请填写每种{things}的数量。",
)
"""`{things}` stands for the word for things of any kind."""
THINGS = Bilingual(DEFAULT_DOMAIN.plural, DEFAULT_DOMAIN.chinese)


@dataclass(frozen=True, slots=True)
class Reconstruction(Task):
    """Counts of kinds that add up to the `scene_size` in the stimulus's details, with a live drawing."""

    name: ClassVar[str] = "reconstruction"
    template: ClassVar[str] = "reconstruction.html"

    question: Bilingual = QUESTION
    kinds: tuple[Kind, ...] = KINDS
    things: Bilingual = THINGS
    """What things of any kind are called."""

    def fault(self) -> str | None:
        """Return why nobody can count these kinds, or nothing."""
        if len(self.kinds) < 2:
            return "it needs two kinds or more"
        return names_fault(self.scales()) or kinds_fault(self.kinds)

    def scales(self) -> tuple[Scale, ...]:
        """Return one scale a kind."""
        return tuple(Scale(kind.name, kind.words) for kind in self.kinds)

    def columns(self) -> tuple[Column, ...]:
        """Return one count a kind."""
        return tuple(
            Column(kind.name, "value", Bilingual(f"How many {kind.words.en}.", f"{kind.words.zh}的数量。"))
            for kind in self.kinds
        )

    def check(self, stimulus: Stimulus) -> str | None:
        """A stimulus needs a text and the size of the scene."""
        if not stimulus.text.strip():
            return "it has no text"
        if not size_of(stimulus):
            return f'its details need "scene_size", a whole number from 1 to {LARGEST_SCENE}'
        return span_fault(stimulus)

    def shown(self, stimulus: Stimulus, screen: Screen, language: Language, number: int) -> dict[str, Any]:
        """Return the kinds with their fields, and the words in which the sum is told."""
        size = size_of(stimulus)
        return {
            "question": self._with_things(self.question, language),
            "size": size,
            "size_words": self._with_things(_SIZE, language).replace("{size}", str(size)),
            "kinds": [
                {
                    "field": field_of(kind.name),
                    "id": field_id(field_of(kind.name)),
                    "words": kind.words[language],
                    "shape": kind.shape,
                    "colour": kind.colour,
                }
                for kind in self.kinds
            ],
            "sum_field": SUM_FIELD,
            "sum_id": field_id(SUM_FIELD),
            "sum_words": {
                "less": _LESS[language],
                "right": _RIGHT[language],
                "more": _MORE[language],
                "unreadable": _WHOLE[language],
            },
            "drawn": drawable(self.kinds),
            "drawing": _DRAWING[language],
            "cell": CELL,
            "across": columns_of(max(size, 1)),
            "width": columns_of(max(size, 1)) * CELL,
            "height": -(-max(size, 1) // columns_of(max(size, 1))) * CELL,
        }

    def read(self, form: Mapping[str, str], stimulus: Stimulus, screen: Screen) -> Reading:
        """Return the counts when each is a whole number and they add up to the size of the scene."""
        size = size_of(stimulus)
        given: list[Given] = []
        problems: list[Problem] = []
        for kind in self.kinds:
            field = field_of(kind.name)
            typed = sent(form, field)
            count = whole_number(typed)
            if count is None or count > size:
                wrong = Bilingual(f"Please write a whole number from 0 to {size}.", f"请填写 0 到 {size} 之间的整数。")
                problems.append(Problem(field, wrong if typed.strip() else _EMPTY))
            else:
                given.append(Given(kind.name, float(count)))
        total = sum(int(each.value or 0) for each in given)
        if not problems and total != size:
            problems.append(
                Problem(
                    SUM_FIELD,
                    Bilingual(
                        f"The counts add up to {total}; the scene holds {size}. Please change them.",
                        f"您填写的数量之和为 {total}，而场景中{self.things.zh}的总数为 {size}，请修改。",
                    ),
                )
            )
        return Reading(problems=tuple(problems)) if problems else Reading(tuple(given))

    def _with_things(self, text: Bilingual, language: Language) -> str:
        return text[language].replace("{things}", self.things[language])


# Without a Chinese classifier: which one fits depends on the noun (一个图形, 一只动物).
_SIZE = Bilingual(
    "Number of {things} in the scene: {size}. Write 0 where there are none.",
    "该场景中{things}的总数：{size}。没有的请填 0。",
)
_ZERO = Bilingual("Write 0 where there are none.", "没有的请填 0。")
_LESS = Bilingual("{total} of {size} placed, {left} to go.", "已填 {total}，共 {size}，还差 {left}。")
_RIGHT = Bilingual("{total} of {size} placed. The sum is right.", "已填 {total}，共 {size}，总数正确。")
_MORE = Bilingual(
    "{total} placed, {left} more than the {size} in the scene.", "已填 {total}，比总数 {size} 多 {left}。"
)
_WHOLE = Bilingual("Please write whole numbers.", "请填写整数。")
_EMPTY = Bilingual(f"{UNANSWERED.en} {_ZERO.en}", f"{UNANSWERED.zh}{_ZERO.zh}")
_DRAWING = Bilingual("Your scene so far", "您目前的场景")


def size_of(stimulus: Stimulus) -> int:
    """Return how many things the scene of a stimulus holds; 0, when its details do not say."""
    size = stimulus.details.get("scene_size")
    right = isinstance(size, int) and not isinstance(size, bool) and 1 <= size <= LARGEST_SCENE
    return size if right and isinstance(size, int) else 0
