"""Which small folders of recorded surprisals do the tests share? The sentences and numbers are made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

Sentence = tuple[str, Sequence[float]]
"""Words apart by spaces, and the surprisal of each."""

HEAD = "sentence_id\ttoken_id\ttoken\tsurprisal\n"

MISSING: Sequence[Sentence] = [
    ("老人 修 了 。", [4.0, 5.0, 1.0, 9.0]),
    ("老人 修 了 钟 。", [4.0, 5.0, 1.0, 6.0, 2.0]),
    ("她 卖 掉 了 。", [3.0, 5.0, 2.0, 1.0, 1.0]),
    ("她 卖 掉 了 船 。", [3.0, 5.0, 2.0, 1.0, 7.0, 1.5]),
]
"""Missing object: the bad sentence first. Success (9 > 2), then failure (1 < 1.5)."""

CLASSIFIERS: Sequence[Sentence] = [
    ("她 提到 一 匹 马 。", [1.0, 1.0, 1.0, 1.0, 3.0, 1.0]),
    ("她 提到 一 盏 马 。", [1.0, 1.0, 1.0, 2.0, 5.0, 1.0]),
    ("她 提到 一 盏 灯 。", [1.0, 1.0, 1.0, 2.0, 4.0, 1.0]),
    ("她 提到 一 匹 灯 。", [1.0, 1.0, 1.0, 1.0, 3.5, 1.5]),
]
"""Targets 4, 6, 5, 5: 6 > 4 success, 5 > 5 tie, 5 > 4 success, 6 > 5 success."""

SUBORDINATION: Sequence[Sentence] = [
    ("如果 她 走 ， 门 会 关 。", [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0]),
    ("如果 她 走 。", [1.0, 1.0, 1.0, 5.0]),
]
GARDEN_OBJECT: Sequence[Sentence] = [
    ("他 卖 了 那 辆 舅舅 修 的 车 。", [1, 1, 1, 1, 2, 8, 3, 1, 2, 1]),
    ("他 卖 了 那 个 舅舅 修 的 车 。", [1, 1, 1, 1, 1, 4, 6, 1, 2, 1]),
]
GARDEN_SUBJECT: Sequence[Sentence] = [
    ("那 辆 高 的 舅舅 修 的 车 坏 了 。", [1, 2, 3, 1, 4, 3, 2, 2, 2, 1, 1]),
    ("那 个 高 的 舅舅 修 的 车 坏 了 。", [1, 1, 3, 1, 4, 3, 4, 2, 2, 1, 1]),
]
VERBS: Sequence[Sentence] = [
    ("我 浇 了 这 棵 树 。", [1, 5, 1, 2, 2, 2, 1]),
    ("我 听 了 这 棵 树 。", [1, 5, 1, 2, 2, 6, 1]),
]

ALL: Mapping[str, Sequence[Sentence]] = {
    "cls_none": CLASSIFIERS,
    "gpo_none": GARDEN_OBJECT,
    "gps_adj": GARDEN_SUBJECT,
    "vo_none": VERBS,
    "mobj_none": MISSING,
    "sd_none": SUBORDINATION,
}


def write_recorded(root: Path, trainings: Mapping[str, Mapping[str, Sequence[Sentence]]]) -> Path:
    """Write a folder of recorded surprisals: by training and suite, the sentences."""
    for training, suites in trainings.items():
        for suite, sentences in suites.items():
            lines = [
                f"{number}\t{place}\t{word}\t{nats}\n"
                for number, (words, surprisals) in enumerate(sentences, 1)
                for place, (word, nats) in enumerate(zip(words.split(), surprisals, strict=True), 1)
            ]
            file = root / training / f"{suite}.tsv"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(HEAD + "".join(lines), encoding="utf-8")
    return root
