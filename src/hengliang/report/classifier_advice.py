"""How do ranked classifiers and corrections look in a terminal?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size

from hengliang.core.terms import Bilingual, Language
from hengliang.language_models.views import MISSING, begun, visible
from hengliang.systems.classifier_choosers.advice import Advice, AdvisedClassifier
from hengliang.systems.proofreading.corrections import FAULTS, Correction

SLOT = "＿"
_GAP = "  "
_SHORTEST_GLOSS = 12
_AROUND = 15
"""Characters that are shown on either side of a correction."""

_NOUN = Bilingual("noun", "名词")
_NO_NOUN = Bilingual("no noun", "未找到名词")
_NOTE = Bilingual("note", "注")
_LINE = Bilingual("line {line}, character {character}", "第{line}行第{character}字")
_UNLISTED = Bilingual("not in our table", "本表未收")


def draw_advice(advice: Advice, language: Language, *, width: int = 80, heading: bool = True) -> str:
    """Return the ranked classifiers of a slot: rank, form, pinyin, probability, what it counts, and examples."""
    lines = list(_heading(advice, language)) if heading else []
    forms = max((cell_len(choice.classifier) for choice in advice.choices), default=0)
    sounds = max((cell_len(choice.pinyin) for choice in advice.choices), default=0)
    for rank, choice in enumerate(advice.choices, 1):
        begin = _GAP.join(
            [
                f"{rank:>2}",
                set_cell_size(choice.classifier, forms),
                set_cell_size(choice.pinyin, sounds),
                _probability(choice),
            ]
        )
        lines.append(f"{begin}{_GAP}{_described(choice, language, width - cell_len(begin) - 2)}".rstrip())
    lines += [f"    {_NOTE[language]}: {visible(note[language])}" for note in advice.notes]
    return "\n".join(lines)


def _heading(advice: Advice, language: Language) -> Iterator[str]:
    raw = advice.sentence.encode()
    shown = raw[: advice.slot].decode() + SLOT + raw[advice.slot :].decode()
    noun = f"{_NOUN[language]}: {advice.noun.noun}" if advice.noun.noun else _NO_NOUN[language]
    yield f"{visible(shown)}  ({visible(noun)})"


def _probability(choice: AdvisedClassifier) -> str:
    return f"{MISSING:>4}" if choice.probability is None else f"{choice.probability:.2f}"


def _described(choice: AdvisedClassifier, language: Language, room: int) -> str:
    gloss = _UNLISTED[language] if choice.counts is None else choice.counts[language]
    examples = " · ".join(f"一{choice.classifier}{noun}" for noun in choice.nouns)
    whole = f"{gloss}{_GAP}{examples}" if examples else gloss
    return begun(whole, max(room, _SHORTEST_GLOSS)).rstrip()


def draw_correction(correction: Correction, text: str, language: Language) -> str:
    """Return a correction: where it is, the place in its surroundings, what to write instead, and why."""
    raw = text.encode()
    before, after = raw[: correction.start].decode(), raw[correction.end :].decode()
    character = len(before) + 1
    where = _LINE[language].format(line=correction.text, character=character)
    left, right = before.rpartition("\n")[2], after.partition("\n")[0]
    shown = f"{'…' * (len(left) > _AROUND)}{left[-_AROUND:]}[{correction.written or SLOT}]{right[:_AROUND]}"
    better = " / ".join(_suggested(one) for one in correction.suggestions)
    first = f"{where}  {FAULTS[correction.fault][language]}: {visible(shown)}{'…' * (len(right) > _AROUND)} → {better}"
    return f"{first}\n    {visible(correction.reason[language])}"


def _suggested(one: AdvisedClassifier) -> str:
    return one.classifier if one.probability is None else f"{one.classifier} {one.probability:.2f}"


def draw_summary(corrections: Sequence[Correction], slots: int, sentences: int, language: Language) -> str:
    """Return how much was looked at and found."""
    if language == "zh":
        return f"{sentences:,} 句，{slots:,} 个量词；{len(corrections):,} 处建议。"
    counts = ((sentences, "sentence"), (slots, "classifier"), (len(corrections), "place"))
    shown = [f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts]
    return f"{shown[0]}, {shown[1]}: {shown[2]} to look at."
