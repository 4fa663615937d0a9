"""Are the columns of a file known by their names, and is a missing one named?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.analyses import read_ratings_file
from hengliang.analysis.reconstruction.columns import FileColumns, find_columns
from hengliang.materials.scene_domains import DEFAULT_DOMAIN


def columns(folder: Path, header: str) -> FileColumns:
    path = folder / "answers.csv"
    path.write_text(header + "\n" + ",".join("1" for _ in header.split(",")) + "\n", encoding="utf-8")
    return find_columns(read_ratings_file(path), DEFAULT_DOMAIN)


def test_wide_by_code_and_by_name(tmp_path: Path) -> None:
    found = columns(tmp_path, "ID,Model,reader,scene,BS,red squares,蓝色圆形,RC,age")
    assert dict(found.parts) == {"pair": "ID", "describer": "Model", "participant": "reader", "scene": "scene"}
    # The places are those of the domain: BS, BC, RS, RC.
    assert dict(found.kinds) == {0: "BS", 1: "蓝色圆形", 2: "red squares", 3: "RC"}
    assert not found.is_long


def test_true_counts_in_a_wide_file(tmp_path: Path) -> None:
    found = columns(tmp_path, "pair,describer,participant,BS,RS,BC,RC,true BS,true_RS,true blue circle,true RC")
    assert dict(found.true_kinds) == {0: "true BS", 1: "true blue circle", 2: "true_RS", 3: "true RC"}


def test_long(tmp_path: Path) -> None:
    found = columns(tmp_path, "配对,描述者,参与者,场景,类别,数量")
    assert found.is_long and found.parts["kind"] == "类别" and not found.kinds


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("describer,participant,scene,BS,RS,BC,RC", "no column for the pair"),
        ("pair,participant,scene,BS,RS,BC,RC", "no column for the describer"),
        ("pair,describer,scene,BS,RS,BC,RC", "no column for the participant"),
        ("pair,describer,participant,scene,BS,RS", "no column for the counts of BC, RC"),
        ("pair,describer,participant,BS,RS,BC,RC", "does not say what the scenes were"),
        ("pair,describer,participant,kind,count", "does not say what the scenes were"),
    ],
)
def test_what_is_missing_is_named_with_what_is_there(tmp_path: Path, header: str, told: str) -> None:
    with pytest.raises(UserError) as caught:
        columns(tmp_path, header)
    assert told in caught.value.problem
    assert "Columns of answers.csv: " + header.replace(",", ", ") in caught.value.valid


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("pair,describer,participant,scene,BS,RS,BC,RC,blue square", "the counts of BS: 'BS' and 'blue square'"),
        ("pair,describer,participant,BS,RS,BC,RC,true BS,scene BS", "the true counts of BS: 'true BS' and 'scene BS'"),
    ],
)
def test_two_columns_for_one_kind_are_refused(tmp_path: Path, header: str, told: str) -> None:
    with pytest.raises(UserError) as caught:
        columns(tmp_path, header)
    assert told in caught.value.problem and caught.value.valid == "One column a kind." and caught.value.remedy


def test_other_columns_of_a_long_file_may_be_called_as_kinds(tmp_path: Path) -> None:
    assert columns(tmp_path, "pair,describer,participant,scene,kind,count,BS,blue square").is_long
