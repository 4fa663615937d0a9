"""Are files in the layout of BLiMP read, and those that have the two sentences only?"""

from __future__ import annotations

import json
from pathlib import Path

from hengliang.grammar.pairs import blimp
from hengliang.grammar.pairs.pair_set import BrokenLine, Pair

LINE = {
    "sentence_good": "These books fall.",
    "sentence_bad": "These books falls.",
    "field": "morphology",
    "linguistics_term": "subject_verb_agreement",
    "UID": "our_agreement",
    "simple_LM_method": True,
    "one_prefix_method": True,
    "two_prefix_method": False,
    "lexically_identical": False,
    "pairID": "41",
}


def test_a_line_of_blimp(tmp_path: Path) -> None:
    file = tmp_path / "another_name.jsonl"
    file.write_text(json.dumps(LINE) + "\n", encoding="utf-8")
    assert blimp.recognise(file)
    assert list(blimp.records(file)) == [
        Pair(
            "41",
            "subject_verb_agreement",
            "our_agreement",
            "These books fall.",
            "These books falls.",
            str(file),
            1,
            "morphology",
        )
    ]


def test_two_sentences_are_enough(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    lines = [
        '{"sentence_good": "他来。", "sentence_bad": "来他。"}',
        "",
        '{"sentence_good": "走。", "sentence_bad": "去。"}',
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    first, blank, second = blimp.records(file)
    assert isinstance(first, Pair)
    assert isinstance(second, Pair)
    assert isinstance(blank, BrokenLine)
    assert (first.paradigm, first.phenomenon, first.id, second.id) == ("mine", "mine", "1", "3")


def test_a_file_without_sentences_is_no_blimp(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"text": "他来。"}\n', encoding="utf-8")
    assert not blimp.recognise(file)
