"""Have the shared tag sets the tags that their authors give them?"""

from __future__ import annotations

from hengliang.tagging.tag_maps.tables import CTB_TAGS, TAG_SETS, UD_TAGS, UNUSED_PKU_TAGS


def test_sizes_are_those_of_the_guidelines() -> None:
    # Universal Dependencies has 17 tags; the guidelines of the treebank (Xia 2000) list 33.
    assert len(UD_TAGS) == 17
    assert len(CTB_TAGS) == 33
    assert TAG_SETS["pku"] >= UNUSED_PKU_TAGS


def test_no_tag_is_in_two_tag_sets() -> None:
    """So a tag alone says of which set it is, on which `granularity` relies."""
    assert sum(map(len, TAG_SETS.values())) == len(frozenset().union(*TAG_SETS.values()))
