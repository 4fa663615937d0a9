"""Does a corpus come as texts by part, and none of them empty?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.language_models.training_texts import read_corpus


def test_each_part_has_texts_with_their_words(tmp_path: Path) -> None:
    file = tmp_path / "story.txt"
    file.write_text("".join(f"第 {number} 天 ， 他 走 了 。\n" for number in range(100)), encoding="utf-8")
    corpus = read_corpus(str(file))
    assert {part: len(texts) for part, texts in corpus.parts.items()} == {"train": 80, "dev": 10, "test": 10}
    assert corpus.parts["train"].contents[0] == "第0天，他走了。"
    assert corpus.parts["train"].words[:4].to_list() == ["第", "0", "天", "，"]
    assert corpus.parts["dev"].segmented.all()
    assert corpus.source.name == "story.txt"


def test_a_text_too_short_for_three_parts_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "short.txt"
    file.write_text("他 走 了 。\n" * 4, encoding="utf-8")
    with pytest.raises(UserError, match="no sentences for the part 'dev'"):
        read_corpus(str(file))


def test_english_texts_are_as_written_with_the_words_of_the_segmenter(tmp_path: Path) -> None:
    file = tmp_path / "story.txt"
    file.write_text("The U.S. team, we're told, didn't win.\n" * 100, encoding="utf-8")
    texts = read_corpus(str(file), segmenter="english").parts["test"]
    # Whoever looks for names in it must see the spaces: joined words would read `The U.S. team,we 're told,did n't`.
    assert texts.contents[0] == "The U.S. team, we're told, didn't win."
    words = ["The", "U.S.", "team", ",", "we", "'re", "told", ",", "did", "n't", "win", "."]
    assert texts.words[: len(words)].to_list() == words
