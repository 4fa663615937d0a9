"""What does the example on the page of instructions show?

A sentence of ours in the language of the texts; where texts stand beside scenes, one about a scene of ours, of the same
kinds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from hengliang.core.terms import Bilingual
from hengliang.people.tasks.base import Stimulus
from hengliang.people.tasks.pieces import language_of
from hengliang.people.tasks.scene_details import SCENE
from hengliang.people.tasks.scenes import kinds_in

SENTENCE = Bilingual("This is an example sentence.", "这是一个例句。")
ABOUT = "example"


def example_among(stimuli: Collection[Stimulus]) -> Stimulus:
    """Return an example for a survey of these stimuli; it is none of them."""
    languages = Counter(language_of(each.text) for each in stimuli if each.text.strip())
    language = languages.most_common(1)[0][0] if languages else "zh"
    beside = next((each for each in stimuli if each.details.get(SCENE)), None)
    if beside is None:
        return Stimulus(ABOUT, ABOUT, SENTENCE[language])
    kinds = kinds_in(beside.details)
    first, last = kinds[0], kinds[-1]
    text = Bilingual(
        f"There are only {first.words.en} and {last.words.en}.", f"只有{first.words.zh}和{last.words.zh}。"
    )
    shared = {name: beside.details[name] for name in ("kinds",) if name in beside.details}
    details = {**shared, SCENE: {first.name: 4, last.name: 3}, "layout": ABOUT}
    return Stimulus(ABOUT, ABOUT, text[language], details=details)
