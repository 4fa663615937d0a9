"""Are files of reconstructions read alike, wide and long, and is every faulty row named?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.analysis.reconstruction.answers import SCHEMA, Answer
from hengliang.analysis.reconstruction.reading import UNCOUNTED, UNEQUAL, read_reconstructions
from hengliang.materials.scenes import Scene
from tests.analysis.reconstruction.made_answers import spread_answers, write_wide

HEADER = "pair,describer,scene,size,participant,BS,RS,BC,RC"


def written(folder: Path, *rows: str, header: str = HEADER, name: str = "answers.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def refusal(path: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        read_reconstructions(path)
    return caught.value


def test_a_wide_file(tmp_path: Path) -> None:
    path = written(tmp_path, "1,Human,BS=2 RS=1 RC=1,4,p1,2,1,1,0", "1,Human,BS=2 RS=1 RC=1,4,p2,2,1,0,1")
    held = read_reconstructions(path)
    assert held.frame.columns == list(SCHEMA)
    assert held.frame["swaps"].to_list() == [1, 0]
    assert held.source == "answers.csv" and held.form.endswith("one row a reconstruction")
    # Counts are kept in the order of the domain: BS, BC, RS, RC.
    assert held.frame["answer"].to_list() == [[2, 1, 1, 0], [2, 0, 1, 1]]


def long_rows(answers: list[Answer], *, all_kinds: bool) -> list[str]:
    rows = []
    for one in answers:
        for code, count, true in zip(one.scene.domain.codes, one.counts or (), one.scene.counts, strict=True):
            if count or true or all_kinds:
                rows.append(f"{one.pair},{one.describer},{one.participant},{one.experiment},{code},{count},{true}")
    return rows


@pytest.mark.parametrize("all_kinds", [True, False])
def test_long_and_wide_say_the_same(tmp_path: Path, all_kinds: bool) -> None:
    answers = list(spread_answers("4"))
    wide = read_reconstructions(write_wide(tmp_path, answers))
    rows = long_rows(answers, all_kinds=all_kinds)
    header = "pair,describer,participant,experiment,kind,count,true"
    long = read_reconstructions(written(tmp_path, *rows, header=header, name="long.csv"))
    assert long.frame.equals(wide.frame)
    assert long.checksum == wide.checksum and long.form.endswith("one row a count")


@pytest.mark.parametrize("form", ["xlsx", "parquet", "tsv"])
def test_other_forms(tmp_path: Path, form: str) -> None:
    wide = write_wide(tmp_path, list(spread_answers("5")))
    frame, path = pl.read_csv(wide), tmp_path / f"answers.{form}"
    if form == "xlsx":
        pytest.importorskip("fastexcel")
        pytest.importorskip("xlsxwriter")
        frame.write_excel(path)
    elif form == "parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="\t")
    assert read_reconstructions(path).frame.equals(read_reconstructions(wide).frame)


def test_true_counts_stand_for_the_scene(tmp_path: Path) -> None:
    header = "pair,describer,participant,BS,RS,BC,RC,true BS,true RS,true BC,true RC"
    held = read_reconstructions(written(tmp_path, "1,Human,p1,2,1,1,0,2,1,0,1", header=header))
    assert held.frame["scene"].to_list() == ["BS=2 RS=1 RC=1"] and held.frame["swaps"].to_list() == [1]


@pytest.mark.parametrize(
    ("column", "cell", "counts", "reason"),
    [
        ("status", "ok", ",,,", "no counts"),
        ("status", "withdrawn", "2,1,1,0", "withdrawn"),
        ("understood", "no", ",,,", "did not understand"),
        ("understood", "否", "4,0,0,0", "did not understand"),
        ("reason", "did not understand", "NA,NA,NA,NA", "did not understand"),
    ],
)
def test_an_answer_that_is_none_is_missing(tmp_path: Path, column: str, cell: str, counts: str, reason: str) -> None:
    rows = ["1,Human,BS=2 RS=1 RC=1,4,p1,2,1,1,0,", f"1,Human,BS=2 RS=1 RC=1,4,p2,{counts},{cell}"]
    held = read_reconstructions(written(tmp_path, *rows, header=f"{HEADER},{column}"))
    assert held.frame["swaps"].to_list() == [1, None]
    assert held.frame["reason"].to_list() == ["", reason]


def test_a_remark_beside_whole_counts_leaves_the_answer(tmp_path: Path) -> None:
    row = "1,Human,BS=2 RS=1 RC=1,4,p1,2,1,1,0,a guess"
    assert read_reconstructions(written(tmp_path, row, header=f"{HEADER},reason")).frame["swaps"].to_list() == [1]


def test_blanks_are_zero_only_where_nothing_else_is_possible(tmp_path: Path) -> None:
    held = read_reconstructions(written(tmp_path, "1,Human,BS=2 RC=2,4,p1,2,,,2"))
    assert held.frame["swaps"].to_list() == [0]
    assert held.notes[0].en == "1 answer leaves a count empty though the others add up already: it is 0."
    error = refusal(written(tmp_path, "1,Human,BS=2 RC=2,4,p1,2,,,1"))
    assert "the counts 2 + 1 = 3 do not add up to 4 and 2 are empty" in error.problem


def test_sums_that_are_wrong_are_listed_with_their_rows(tmp_path: Path) -> None:
    good = "1,Human,BS=2 RC=2,4,p1,2,0,0,2"
    path = written(tmp_path, good, "1,Human,BS=2 RC=2,4,p2,2,0,0,3", "2,Human,BS=4,4,p1,1,0,0,0")
    error = refusal(path)
    assert error.problem == (
        "Row 3 of answers.csv, the answer of 'p2' to the pair '1': the counts 2 + 0 + 0 + 3 = 5 do not add up to 4; "
        "1 more, in rows 4."
    )
    assert "--wrong missing" in error.remedy
    held = read_reconstructions(path, wrong="missing")
    assert held.frame["swaps"].to_list() == [0, None, None] and held.reasons == {UNEQUAL: 2}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("1,Human,BS=2 RC=2,4,p1,-1,3,0,2", "The column 'BS' holds '-1' in row 2 of answers.csv"),
        ("1,Human,BS=2 RC=2,4,p1,2,x,0,2", "The column 'RS' holds 'x' in row 2 of answers.csv"),
        ("1,Human,BS=2 RC=2,4,p1,2.5,0,0,1.5", "The column 'BS' holds '2.5' in row 2 of answers.csv"),
        (
            "1,Human,BS=2 RC=2,5,p1,2,0,0,2",
            "Row 2 of answers.csv, the scene: The counts BS=2 RC=2 add up to 4, not to 5",
        ),
        ("1,Human,BS=2 GC=2,4,p1,2,0,0,2", "Row 2 of answers.csv, the scene: No kind has the code 'GC'"),
        ("1,Human,two circles,4,p1,2,0,0,2", "Row 2 of answers.csv, the scene: 'two circles' is no scene"),
        ("1,Human,BS=2 RC=2,four,p1,2,0,0,2", "Row 2 of answers.csv: 'four' is no size of a scene"),
        ("1,Human,BS=2 RC=2,4,,2,0,0,2", "Row 2 of answers.csv has no participant"),
        (",Human,BS=2 RC=2,4,p1,2,0,0,2", "Row 2 of answers.csv has no pair"),
    ],
)
def test_faults_of_one_row(tmp_path: Path, row: str, told: str) -> None:
    assert told in refusal(written(tmp_path, row)).problem


def test_a_file_without_answers_is_said_to_have_no_reconstructions(tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("", encoding="utf-8")
    assert f"{empty} holds no reconstructions." in str(refusal(empty))
    assert "holds no reconstructions, only the header pair" in str(refusal(written(tmp_path)))


def test_faults_of_long_files(tmp_path: Path) -> None:
    header = "pair,describer,scene,participant,kind,count"
    error = refusal(written(tmp_path, "1,Human,BS=2 RC=2,p1,BS,2", "1,Human,BS=2 RC=2,p1,GC,2", header=header))
    assert error.problem == "Row 3 of answers.csv: there is no kind 'GC'." and "BS (blue square)" in error.valid
    error = refusal(written(tmp_path, "1,Human,BS=2 RC=2,p1,BS,2", "1,Human,BS=2 RC=2,p1,blue square,2", header=header))
    assert error.problem == "Row 3 of answers.csv: the kind blue square is counted twice for one answer."
    held = read_reconstructions(
        written(
            tmp_path, "1,Human,BS=2 RC=2,p1,BS,2", "1,Human,BS=2 RC=2,p1,RC,2", "1,Human,BS=2 RC=2,p2,,", header=header
        )
    )
    assert held.frame["swaps"].to_list() == [0, None]


def test_what_to_do_with_wrong_sums_is_one_of_two(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        read_reconstructions(written(tmp_path, "1,H,BS=4,4,p1,4,0,0,0"), wrong="guess")  # type: ignore[arg-type]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.tuples(*[st.integers(0, 4)] * 4), st.permutations(range(4))).filter(lambda held: sum(held[0]) > 0),
        min_size=1,
        max_size=6,
    )
)
def test_what_is_written_is_read_back(tmp_path: Path, held: list[tuple[tuple[int, ...], list[int]]]) -> None:
    answers = [
        Answer(f"pair {place}", "Human", Scene(scene), "p1", tuple(scene[kind] for kind in order))
        for place, (scene, order) in enumerate(held)
    ]
    found = read_reconstructions(write_wide(tmp_path, answers)).frame
    assert found["answer"].to_list() == [list(answer.counts or ()) for answer in answers]
    assert found["scene"].to_list() == [answer.scene.code for answer in answers]


TRUE = "pair,describer,participant,BS,RS,BC,RC,true BS,true RS,true BC,true RC"


def test_a_scene_beside_other_true_counts_is_refused(tmp_path: Path) -> None:
    header = f"{TRUE},scene"
    same = written(tmp_path, "1,Human,p1,2,1,1,0,2,1,0,1,BS=2 RS=1 RC=1", header=header)
    assert read_reconstructions(same).frame["swaps"].to_list() == [1]
    error = refusal(written(tmp_path, "1,Human,p1,2,1,1,0,2,2,0,0,BS=2 RS=1 RC=1", header=header))
    assert error.problem == (
        "Row 2 of answers.csv: the scene is BS=2 RS=1 RC=1, but the true count of RS is 2."
    ) and error.valid  # fmt: skip
    # One true count alone does not make a scene, but it may contradict one; empty ones say nothing.
    error = refusal(written(tmp_path, "1,Human,BS=4,4,p1,4,0,0,0,3", header=f"{HEADER},true BS"))
    assert "the true count of BS is 3" in error.problem
    silent = written(tmp_path, "1,Human,p1,2,1,1,0,,,,,BS=2 RS=1 RC=1", header=header)
    assert read_reconstructions(silent).frame["swaps"].to_list() == [1]
    long = "pair,describer,scene,participant,kind,count,true"
    error = refusal(written(tmp_path, "1,H,BS=2 RC=2,p1,BS,2,2", "1,H,BS=2 RC=2,p1,RC,2,1", header=long))
    assert "the scene is BS=2 RC=2, but the true count of RC is 1" in error.problem


def test_empty_true_counts_are_no_zeros(tmp_path: Path) -> None:
    error = refusal(written(tmp_path, "1,Human,p1,2,1,1,0,2,1,,", header=TRUE))
    assert error.problem == "Row 2 of answers.csv: the true count of BC, RC is empty." and "from 0" in error.valid
    long = "pair,describer,participant,kind,count,true"
    error = refusal(written(tmp_path, "1,H,p1,BS,2,2", "1,H,p1,RC,2,", header=long))
    assert "the true count of RC is empty" in error.problem


@pytest.mark.parametrize("cell", ["nan", "NA", "-"])
def test_a_word_for_a_missing_count_is_no_zero(tmp_path: Path, cell: str) -> None:
    path = written(tmp_path, "1,Human,BS=2 RC=2,4,p1,2,0,0,2", f"1,Human,BS=2 RC=2,4,p2,2,{cell},0,2")
    error = refusal(path)
    assert error.problem == (
        f"Row 3 of answers.csv, the answer of 'p2' to the pair '1': '{cell}' for RS stands beside counts that are "
        "given."
    ) and "Whole numbers" in error.valid  # fmt: skip
    held = read_reconstructions(path, wrong="missing")
    assert held.frame["swaps"].to_list() == [0, None] and held.reasons == {UNCOUNTED: 1}
    assert not any("it is 0" in note.en for note in held.notes)


LONG = "pair,describer,scene,size,participant,status,understood,reason,kind,count"


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("1,H,BS=4,4,p1,ok,yes,,RC,2", "the scene is 'BS=4', in row 2 of the same answer 'BS=2 RC=2'"),
        ("1,G,BS=2 RC=2,4,p1,ok,yes,,RC,2", "the describer is 'G', in row 2 of the same answer 'H'"),
        ("1,H,BS=2 RC=2,5,p1,ok,yes,,RC,2", "the size is '5', in row 2 of the same answer '4'"),
        ("1,H,BS=2 RC=2,4,p1,withdrawn,yes,,RC,2", "the status is 'withdrawn', in row 2 of the same answer 'ok'"),
        ("1,H,BS=2 RC=2,4,p1,ok,no,,RC,2", "the understood is 'no', in row 2 of the same answer 'yes'"),
    ],
)
def test_rows_of_one_long_answer_agree(tmp_path: Path, second: str, told: str) -> None:
    error = refusal(written(tmp_path, "1,H,BS=2 RC=2,4,p1,ok,yes,,BS,2", second, header=LONG))
    assert error.problem.startswith("Row 3 of answers.csv: ") and told in error.problem and error.valid


def test_what_any_row_of_a_long_answer_says_holds_for_it(tmp_path: Path) -> None:
    rows = ("1,H,BS=2 RC=2,4,p1,,,,BS,2", "1,H,,,p1,OK,,a guess,RC,2")
    lost = ("1,H,BS=2 RC=2,4,p2,,,,BS,2", "1,H,,,p2,withdrawn,,,RC,2", "1,H,BS=2 RC=2,4,p3,,,,,NA")
    held = read_reconstructions(written(tmp_path, *rows, *lost, header=LONG)).frame
    assert held["swaps"].to_list() == [0, None, None]
    assert held["reason"].to_list() == ["", "withdrawn", "no counts"]
