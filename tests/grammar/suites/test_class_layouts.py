"""Are items of the paper's classes cut where the class says, whoever wrote their sentences?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.grammar.suites.published import CLASSES, REGIONS, SUITE_NAMES, item_of, layout_of, suite_of
from hengliang.grammar.suites.suite import Words
from tests.recorded_toy import ALL

WORDINGS: dict[str, list[Words]] = {
    name: [tuple(words.split()) for words, _ in sentences[: len(layout_of(name).lines)]]
    for name, sentences in ALL.items()
}
TARGETS = {"cls": "马 。", "gpo": "修", "gps": "的", "vo": "树 。", "mobj": "。", "sd": "。"}


def test_there_are_24_suites_in_six_classes() -> None:
    """Table 2 of the paper: four modifiers a class; missing object has relatives that grow."""
    assert len(SUITE_NAMES) == len(set(SUITE_NAMES)) == 24
    assert [name for name in SUITE_NAMES if name.startswith("mobj")] == [
        "mobj_none", "mobj_sub", "mobj_sub2", "mobj_subh",
    ]  # fmt: skip
    assert [layout_of(name).title.en for name in SUITE_NAMES[::4]] == [kind.title.en for kind in CLASSES.values()]
    assert {kind.domain for kind in CLASSES.values()} == {"syntactic", "semantic", "hybrid"}


@pytest.mark.parametrize("name", list(WORDINGS))
def test_an_item_is_cut_at_its_target(name: str) -> None:
    item = item_of(name, "1", WORDINGS[name], 7)
    kind = layout_of(name)
    assert list(item.sentences) == [condition.name for condition in kind.conditions]
    assert " ".join(item.sentences[kind.lines[0]][1]) == TARGETS[name.partition("_")[0]]
    assert (item.id, item.line) == ("1", 7)


@pytest.mark.parametrize("name", list(WORDINGS))
@given(words=st.lists(st.sampled_from(["他", "的", "说", "。"]), max_size=6))
def test_no_word_is_lost_by_cutting(name: str, words: list[str]) -> None:
    """Whatever stands before a sentence, its regions together are the sentence and the target is where it was."""
    plain = WORDINGS[name]
    longer = [(*words, *sentence) for sentence in plain]
    item, short = item_of(name, "1", longer), item_of(name, "1", plain)
    for condition, sentence in zip(layout_of(name).lines, longer, strict=True):
        cut = item.sentences[condition]
        assert len(cut) == len(REGIONS)
        assert tuple(word for region in cut for word in region) == sentence
        assert cut[1:] == short.sentences[condition][1:]


def test_a_sentence_without_its_target_is_named() -> None:
    with pytest.raises(UserError, match=r"Item 4 of the suite sd_none \(line 9\): '他走' cannot be judged"):
        item_of("sd_none", "4", [("他", "走"), ("他", "。")], 9)


def test_a_suite_has_the_formulas_of_its_class() -> None:
    suite = suite_of("mobj_sub2", [item_of("mobj_sub2", "1", WORDINGS["mobj_none"])])
    assert (suite.class_.en, suite.modifier.en, suite.domain) == (
        "missing object",
        "coordinated relatives",
        "syntactic",
    )
    assert [str(one.formula) for one in suite.predictions] == ["missing.target > complete.target"]
    with pytest.raises(UserError, match="has no item"):
        suite_of("mobj_sub2", [])
