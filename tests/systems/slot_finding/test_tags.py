"""Are the tags of other sets read as those of Peking University?"""

from __future__ import annotations

import pytest

from hengliang import UserError
from hengliang.systems.slot_finding.tags import pku_tags


def test_tags_of_lac() -> None:
    words = ["张三", "昨天", "在", "北京", "买", "了", "三", "本", "书", "吧"]
    tags = ["PER", "TIME", "p", "LOC", "v", "u", "m", "q", "n", "xc"]
    assert pku_tags(words, tags) == ["nr", "t", "p", "ns", "v", "u", "m", "q", "n", "y"]


def test_fine_tags_of_the_treebank() -> None:
    assert pku_tags(["那", "三", "本", "新", "书", "里"], ["DT", "CD", "M", "JJ", "NN", "LC"]) == list("rmqbnf")


def test_universal_tags_have_no_classifiers_of_their_own() -> None:
    words = ["三", "本", "书", "本", "在", "这", "家"]
    tags = ["NUM", "NOUN", "NOUN", "NOUN", "ADP", "DET", "NOUN"]
    # The second 本 follows a noun, and 书 is no classifier; 家 follows a determiner.
    assert pku_tags(words, tags) == ["m", "q", "n", "n", "p", "r", "q"]


def test_tags_of_peking_university_stay() -> None:
    assert pku_tags(["个", "这"], ["q", "r"]) == ["q", "r"]


def test_an_unknown_tag_is_named() -> None:
    with pytest.raises(UserError, match=r"'odd' tags '本' as Nf.*Chinese Treebank"):
        pku_tags(["本"], ["Nf"], "odd")
