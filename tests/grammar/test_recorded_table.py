"""Does a reader see recomputed and published accuracies side by side?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.grammar.recorded import recorded_table
from hengliang.grammar.terminal import accuracy_table, statements, tables_of, tie_tables
from tests.recorded_toy import ALL, MISSING, write_recorded


def test_a_row_a_class_and_a_column_a_model(tmp_path: Path) -> None:
    root = write_recorded(tmp_path, {"lstm-trial0": ALL, "plm-trial0": {"mobj_none": MISSING, "vo_para": MISSING}})
    found = recorded_table(root)
    shown = str(accuracy_table(found))
    assert "classifier–noun" in shown
    assert "0.875" in shown
    # PLM has scored one class only: the others are a dash, not a zero.
    assert accuracy_table(found).frame["PLM"].to_list() == [None, None, None, None, 0.5, None]
    assert "published" not in shown
    said = [sentence.en for sentence in statements(found)]
    assert said == ["8 comparisons are not recorded.", "Left out, not among the 24 suites: vo_para."]


def test_ties_have_a_table_of_their_own(tmp_path: Path) -> None:
    found = recorded_table(write_recorded(tmp_path, {"lstm-trial0": ALL}), coin_seed=4)
    (ties,) = tie_tables(found)
    assert ties.frame["range"].to_list() == ["0.750–1.000"]
    assert "Coin 4" in str(ties)
    assert "量词与名词" in str(tables_of(found, "zh")[1])
    untied = recorded_table(write_recorded(tmp_path / "untied", {"lstm-trial0": {"mobj_none": MISSING}}))
    assert len(tables_of(untied)) == 1


def test_modifiers_stand_beside_classes(tmp_path: Path) -> None:
    root = write_recorded(tmp_path, {"lstm-trial0": {"mobj_none": MISSING, "mobj_subh": MISSING}})
    table = accuracy_table(recorded_table(root, modifiers=True))
    assert table.frame["modifier"].to_list() == ["none", "embedded relatives"]
    assert "嵌套关系从句" in str(table.in_language("zh"))


@pytest.mark.untraced
@pytest.mark.mirror
def test_the_published_row_stands_below_each_class(mirror: Path) -> None:
    found = recorded_table(mirror / "wang2021" / "surprisals")
    frame = accuracy_table(found).frame
    assert frame["class"].to_list()[:2] == ["classifier–noun", "published"]
    assert frame["LSTM"].to_list()[1] == 0.598
    said = [sentence.en for sentence in statements(found)]
    assert said[0] == "Without ties, 25 of 25 published accuracies follow to the printed digit."
    assert len(said) == 1 + 5 + 1  # five classes in which the n-gram model has ties, and what is left out
