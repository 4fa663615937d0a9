"""How well can a scene be rebuilt from its description, by whom or what was it described, and how large may it be?

Paper 001 [1] let twenty people rebuild scenes from descriptions by people, QDG-IA and QDG-GREEDY. Here a model reads
instead of people: it picks a scene among those that are consistent with what it read. Its swaps stand beside those of
the paper; they say how much a description leaves open, where people may do better or worse than chance.

[1] Pel, R. (2020). A task-based evaluation of algorithms that generate quantifiable expressions. Bachelor's thesis,
    Utrecht University.
"""

from __future__ import annotations

from hengliang import Bilingual, Material, Study, UserError, describer, reader
from hengliang.corpora import locate
from hengliang.scenes import (
    Reader,
    described_scenes,
    elicited_descriptions,
    published_swaps,
    scenes,
    spread_of_answers,
    swaps,
    swaps_by_size,
)

CORPUS = "qtuna"
READERS = 4
"""As many readers a description as in experiment A of the paper."""


def readers(name: str, **options: object) -> list[Reader]:
    """Return as many readers of one kind as read a description in the paper."""
    return [reader("MODEL READER", seed=seed, name=name, **options) for seed in range(1, READERS + 1)]


def elicited() -> Material | None:
    """Return what people wrote, where the corpus is at hand."""
    try:
        locate(CORPUS)
    except UserError:
        return None
    return elicited_descriptions()


def study(quick: bool = False) -> Study:
    """Let models read what people and algorithms wrote; the quick form has fewer seeds and draws."""
    people = elicited()
    seeds = (1,) if quick else (1, 2, 3, 4, 5)
    draws = 200 if quick else 2000
    says = [describer(name, seed=seed) for name in ("QDG-IA", "QDG-GREEDY") for seed in seeds]
    return Study(
        name="scene_reconstruction",
        question=Bilingual(
            "How well can a reader rebuild a scene from its description?",
            "读者根据描述能在多大程度上还原场景？",
        ),
        materials=described_scenes(scenes("all"), says, people),
        systems=[
            *readers("sampling reader"),
            *readers("sampling reader, things alike", prior="things"),
            *readers("sampling reader, whole texts only", partial="refuse"),
            reader("MODEL READER", choice="typical", seed=None, name="typical reader"),
        ],
        measures=[swaps()],
        analyses=[
            published_swaps(draws=draws),
            swaps_by_size(draws=draws),
            spread_of_answers(draws=draws),
        ],
        notes=[*_notes(people)],
    )


def _notes(people: Material | None) -> list[Bilingual]:
    notes = [
        Bilingual(
            "No person took part. The sampling reader picks one of the scenes that fit what it read, each alike but "
            "for vague words, which fit some better than others; 'things alike' takes each thing to be of any kind, "
            "so that even scenes are likelier. The typical reader picks the scene from which the others are fewest "
            "swaps away.",
            "没有真人参与。抽样读者在与所读内容相符的场景中任选其一，除模糊词对各场景的契合程度不同外，机会均等；"
            "“things alike”假定每个物体为各类的机会均等，因此均匀的场景更可能。"
            "典型读者选取与其他相符场景平均交换次数最少的一个。",
        ),
        Bilingual(
            "What the parser does not read of a description is ignored, unless a reader takes whole texts only; what "
            "it does not read at all, or what contradicts itself, has no answer and is counted as missing. What "
            "vague words mean was fitted to these same descriptions.",
            "描述中分析器未读懂的部分被忽略（“whole texts only”的读者除外）；"
            "完全读不懂或自相矛盾的描述没有回答，计为缺失。模糊词的意义由这些描述本身拟合而得。",
        ),
    ]
    if people is None:
        notes.append(
            Bilingual(
                f"The descriptions that people wrote are missing here: hengliang data get {CORPUS}",
                f"此处缺少人们所写的描述：hengliang data get {CORPUS}",
            )
        )
    return notes
