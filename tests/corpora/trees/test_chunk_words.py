"""Are the classes of words what they claim to be?"""

from __future__ import annotations

from hengliang.corpora.tagged import PKU_TAGS
from hengliang.corpora.trees import chunk_words as classes

NAMES = [name for name in dir(classes) if name.isupper()]


def test_every_class_has_words_and_none_is_empty() -> None:
    assert len(NAMES) > 40
    assert [name for name in NAMES if not getattr(classes, name) or not all(getattr(classes, name))] == []


def test_tags_are_those_of_the_tag_set() -> None:
    tags = {tag for name in NAMES if name.endswith("_TAGS") for tag in getattr(classes, name)}
    assert tags - PKU_TAGS == classes.STRAY_TAGS


def test_no_tag_means_two_kinds_of_word() -> None:
    kinds = [
        classes.NOUN_TAGS, classes.TIME_TAGS, classes.VERB_TAGS, classes.ADJECTIVE_TAGS, classes.ATTRIBUTE_TAGS,
        classes.ADVERB_TAGS, classes.NUMBER_TAGS, classes.IDIOM_TAGS, classes.PARTICLE_TAGS,
    ]  # fmt: skip
    assert sum(len(kind) for kind in kinds) == len(frozenset().union(*kinds))


def test_narrow_classes_lie_within_wide_ones() -> None:
    assert classes.TEMPORAL_LOCALISERS <= classes.LOCALISERS | classes.LOCALISER_NOUNS
    assert classes.CLOSE_PREPOSITIONS <= classes.PATH_PREPOSITIONS
    assert classes.MAKING_VERBS <= classes.CAUSE_VERBS
    assert classes.COMMON_NOUN_TAGS <= classes.NOUN_TAGS
