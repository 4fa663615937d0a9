"""Are the sentences of a set found, and are warnings and failures told, by all commands in the same way?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import Bilingual, Study, UserError
from hengliang.core import load_file
from hengliang.tagging import mapped, mining_study, tagging_items
from hengliang.tagging.cli import asked_items, notes_json, tell_failures, tell_notes
from tests.cli.tagger_folder import Capture, here

__all__ = ["here"]

pytestmark = pytest.mark.usefixtures("here")


def test_a_set_of_references_needs_its_corpus() -> None:
    assert asked_items("bare.tsv", ["stories.txt"]).items().height == 29
    # With its sentences in it a set needs none.
    assert asked_items("set.tsv", ["peoples-daily-199801"]).items().height == 29
    with pytest.raises(UserError, match=r"only where they stand in the corpus stories.*--corpus stories\.txt"):
        asked_items("bare.tsv", ["peoples-daily-199801"])


def test_parts_are_taken_of_a_set() -> None:
    # A short corpus is all of one block, and that is train.
    assert asked_items("set.tsv", ["stories.txt"], ["train"]).items().height == 29
    with pytest.raises(UserError, match="'dev'"):
        asked_items("set.tsv", ["stories.txt"], ["dev"])


def test_notes_are_told_in_both_languages(capsys: Capture) -> None:
    study = Study("a", tagging_items("set.tsv"), [], notes=[Bilingual("Mind this.", "注意。"), "Both."])
    tell_notes(study, "en")
    tell_notes(study, "zh")
    assert capsys.readouterr().out == "Mind this.\nBoth.\n注意。\nBoth.\n"
    assert notes_json(study) == [{"en": "Mind this.", "zh": "注意。"}, {"en": "Both.", "zh": "Both."}]


def test_failures_go_to_standard_error(capsys: Capture) -> None:
    load_file("toys.py")
    Path("moon.txt").write_text("月亮/n 出来/v 了/u 。/w\n猫/n 睡/v 了/u 。/w\n", encoding="utf-8")
    run = mining_study([mapped("moody")], "moon.txt").run("run")
    tell_failures(run, "en")
    tell_failures(run, "zh")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert (
        shown.err
        == "moody: 1 of 2 sentences: the tagger raised ValueError\nmoody：2 句中有 1 句：标注器报错（ValueError）\n"
    )
