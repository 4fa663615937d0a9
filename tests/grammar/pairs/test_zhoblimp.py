"""Are files in the layout of ZhoBLiMP read, as lines and as an array?"""

from __future__ import annotations

import json
from pathlib import Path

from hengliang.grammar.pairs import blimp, zhoblimp
from hengliang.grammar.pairs.pair_set import Pair

ROWS = [
    {
        "UID": "BA_ours",
        "phenomenon": "BA",
        "sentence_good": "小王把信寄了。",
        "sentence_bad": "小王信把寄了。",
        "pairID": 0,
    },
    {
        "UID": "BA_ours",
        "phenomenon": "BA",
        "sentence_good": "小李把门关了。",
        "sentence_bad": "小李门把关了。",
        "pairID": 1,
    },
]


def test_lines_and_array_give_the_same_pairs(tmp_path: Path) -> None:
    lines, array = tmp_path / "BA_ours.jsonl", tmp_path / "BA_ours.json"
    lines.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS), encoding="utf-8")
    array.write_text(json.dumps(ROWS, ensure_ascii=False, indent=2), encoding="utf-8")
    for file in (lines, array):
        assert zhoblimp.recognise(file)
        pairs = [one for one in zhoblimp.records(file) if isinstance(one, Pair)]
        assert [(one.id, one.phenomenon, one.paradigm, one.good) for one in pairs] == [
            ("0", "BA", "BA_ours", "小王把信寄了。"),
            ("1", "BA", "BA_ours", "小李把门关了。"),
        ]


def test_blimp_is_not_taken_for_it(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    row = {**ROWS[0], "linguistics_term": "x"}
    file.write_text(json.dumps(row), encoding="utf-8")
    assert not zhoblimp.recognise(file)
    assert blimp.recognise(file)
