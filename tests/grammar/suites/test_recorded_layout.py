"""Are recorded sentences read as suites with the right regions and formulas, and broken files named by line?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hengliang import UserError
from hengliang.core import TableWarning
from hengliang.grammar.suites.published import CLASSES, SUITE_NAMES
from hengliang.grammar.suites.recorded import (
    RecordedSuites,
    left_out,
    read_recorded,
    recorded_root,
    recorded_suites,
    recorded_trainings,
)
from hengliang.grammar.suites.suite import Suite, predictions_as_text
from hengliang.grammar.suites.text_format import parse_suite, write_suite
from tests.recorded_toy import ALL, CLASSIFIERS, HEAD, MISSING, write_recorded


def test_a_file_is_read_sentence_by_sentence(tmp_path: Path) -> None:
    """The third sentence begins in line 2 + 4 + 5 of the file."""
    root = write_recorded(tmp_path, {"lstm-trial0": {"mobj_none": MISSING}})
    sentences = read_recorded(root / "lstm-trial0" / "mobj_none.tsv")
    assert [" ".join(sentence.words) for sentence in sentences] == [words for words, _ in MISSING]
    assert [list(sentence.surprisals) for sentence in sentences] == [nats for _, nats in MISSING]
    assert sentences[2].line == 11


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sentence\ttoken\n1\t他\n", "has the columns sentence, token"),
        ("", "holds no tokens"),
        (HEAD, "holds no tokens, only the header sentence_id, token_id, token, surprisal"),
        (HEAD + "1\t1\t他\n", "line 2: there are 3 cells, and 4 columns"),
        (HEAD + "1\t1\t他\t1.5\n1\tzwei\t来\t2\n", "line 3: '1\tzwei\t来\t2' has no number"),
        (HEAD + "1\t1\t他\t1,5\n", "line 2"),
        (HEAD + "1\t1\t他\t-1.5\n", "line 2: the surprisal of '他' is -1.5, below zero"),
        (HEAD + "1\t1\t他\tnan\n", "line 2: the surprisal of '他' is no number"),
        (HEAD + "1\t1\t他 来\t1\n", "line 2: the token '他 来' is no word"),
        (HEAD + "1\t1\t\t1\n", "line 2: the token '' is no word"),
        (HEAD + "1\t1\t他\t1\n1\t3\t来\t1\n", "line 3 has token 3 of sentence 1"),
        (HEAD + "1\t2\t他\t1\n", "line 2 has token 2 of sentence 1"),
        (HEAD + "1\t1\t他\t1\n3\t1\t来\t1\n", "line 3 has token 1 of sentence 3"),
        (HEAD + "1\t1\t他\t1\n1\t1\t来\t1\n", "line 3 has token 1 of sentence 1"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "cls_none.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_recorded(file)
    assert said in caught.value.problem
    assert str(file) in caught.value.problem


def test_bytes_that_are_no_text_are_named_by_line(tmp_path: Path) -> None:
    file = tmp_path / "cls_none.tsv"
    file.write_bytes(f"{HEAD}1\t1\t他\t1\n".encode() + b"1\t2\t\xff\t1\n")
    with pytest.raises(UserError, match="line 3: byte 5 of the line is not UTF-8"):
        read_recorded(file)


def test_a_mark_of_quotation_is_a_token_like_others(tmp_path: Path) -> None:
    # As quoting, the two marks would make one row of the lines between them.
    words = ["他", '"', "来", '"', "。"]
    file = tmp_path / "cls_none.tsv"
    file.write_text(HEAD + "".join(f"1\t{place}\t{word}\t1\n" for place, word in enumerate(words, 1)), encoding="utf-8")
    with pytest.warns(TableWarning, match="read as part of the text"):
        assert read_recorded(file)[0].words == tuple(words)


TARGETS = {
    "cls_none": "马 。",
    "gpo_none": "修",
    "gps_adj": "的",
    "vo_none": "树 。",
    "mobj_none": "。",
    "sd_none": "。",
}


def test_the_regions_of_each_class(tmp_path: Path) -> None:
    """The target is the one that counts; nothing of the sentence is lost around it."""
    suites = {suite.name: suite for suite in recorded_suites(write_recorded(tmp_path, {"lstm-trial0": ALL}))}
    assert list(suites) == ["cls_none", "gpo_none", "gps_adj", "vo_none", "mobj_none", "sd_none"]
    for name, suite in suites.items():
        sentence = suite.items[0].sentences[suite.conditions[0].name]
        assert " ".join(sentence[1]) == TARGETS[name]
        whole = [words for words, _ in ALL[name]]
        assert " ".join(word for region in sentence for word in region) in whole
    # The second 的 is the one that ends the relative clause.
    garden = suites["gps_adj"].items[0].sentences["specific"]
    assert [" ".join(region) for region in garden] == ["那 辆 高 的 舅舅 修", "的", "车 坏 了 。"]


def test_conditions_and_formulas(tmp_path: Path) -> None:
    """In the files of missing object the bad sentence comes first; in the suite the good one does, as in ours."""
    suites = {suite.name: suite for suite in recorded_suites(write_recorded(tmp_path, {"lstm-trial0": ALL}))}
    missing = suites["mobj_none"]
    assert [(one.name, one.acceptable) for one in missing.conditions] == [("complete", True), ("missing", False)]
    assert missing.items[0].sentences["missing"] == (("老人", "修", "了"), ("。",), ())
    assert predictions_as_text(missing) == "predict 1: missing.target > complete.target"
    assert predictions_as_text(suites["cls_none"]).splitlines() == [
        "predict 1: first_mismatch.target > first_match.target",
        "predict 2: second_mismatch.target > second_match.target",
        "predict 3: second_mismatch.target > first_match.target",
        "predict 4: first_mismatch.target > second_match.target",
        "control interaction: first_mismatch.target - first_match.target + "
        "(second_mismatch.target - second_match.target) > 0",
    ]
    assert suites["cls_none"].items[0].sentences["second_mismatch"][1] == ("灯", "。")


def test_a_recorded_suite_can_be_written_as_text(tmp_path: Path) -> None:
    """What was recorded can be looked at and edited like a suite of our own."""
    for suite in recorded_suites(write_recorded(tmp_path, {"lstm-trial0": ALL})):
        again = parse_suite(write_suite(suite), suite.name)
        assert again.predictions == suite.predictions
        assert [dict(item.sentences) for item in again.items] == [dict(item.sentences) for item in suite.items]


def test_the_items_are_as_those_of_our_suites(tmp_path: Path) -> None:
    material = RecordedSuites(write_recorded(tmp_path, {"lstm-trial0": ALL}))
    items = material.items()
    assert {"suite", "class", "modifier", "frame", "gloss", "acceptable", "predictions", "tolerance"} <= set(
        items.columns
    )
    row = items.filter(pl.col("id") == "gps_adj/1/general").row(0, named=True)
    assert row["content"] == "那个高的舅舅修的车坏了。"
    assert (row["class"], row["modifier"], row["frame"]) == (
        "garden path subject",
        "adjective",
        "garden path subject 1",
    )
    spans = {span["name"]: (span["start"], span["end"]) for span in row["spans"] if span["name"] != "word"}
    # Three bytes a character: seven characters before 的, four after it.
    assert spans == {"before": (0, 21), "target": (21, 24), "after": (24, 36)}
    assert all(finding.kept for finding in material.conformance())


def test_other_suites_are_left_out_by_name(tmp_path: Path) -> None:
    root = write_recorded(
        tmp_path, {"lstm-trial0": {"cls_none": CLASSIFIERS, "gps_none_pp": MISSING, "vo_para": MISSING}}
    )
    assert left_out(recorded_trainings(root)) == ("gps_none_pp", "vo_para")
    material = RecordedSuites(root)
    facts = {title.en: said for title, said in material.facts(material.items())}
    assert facts["Left out"] == "gps_none_pp, vo_para"
    assert facts["Suites"] == "1"


def test_models_that_scored_other_words_have_items_of_their_own(tmp_path: Path) -> None:
    """Two of three trainings have 钟, one has 表: 钟 comes first, both belong to one frame."""
    other = [(words.replace("钟", "表"), nats) for words, nats in MISSING]
    scored = {"lstm-trial0": other, "plm-trial0": MISSING, "rnng-trial2": MISSING}
    root = write_recorded(tmp_path, {name: {"mobj_none": sentences} for name, sentences in scored.items()})
    items = RecordedSuites(root).items().filter(pl.col("condition") == "complete")
    assert items["set"].to_list() == ["mobj_none/1", "mobj_none/1~2", "mobj_none/2"]
    assert items["content"].to_list() == ["老人修了钟。", "老人修了表。", "她卖掉了船。"]
    assert items["frame"].to_list() == ["missing object 1", "missing object 1", "missing object 2"]


@pytest.mark.parametrize(
    ("suite", "sentences", "said"),
    [
        ("mobj_none", MISSING[:3], "holds 3 sentences"),
        ("cls_none", CLASSIFIERS[:2], "holds 2 sentences"),
        ("sd_none", [("如果 她 走", [1, 1, 1]), ("她 走 。", [1, 1, 1])], "it ends in '走'"),
        ("gps_none", [("他 走 。", [1, 1, 1]), ("她 走 。", [1, 1, 1])], "it has no '的'"),
        ("gpo_none", [("他 走 。", [1, 1, 1]), ("她 走 。", [1, 1, 1])], "no four words"),
        ("vo_none", [("。", [1]), ("她 走 。", [1, 1, 1])], "no two words"),
    ],
)
def test_a_suite_that_cannot_be_judged_is_refused(tmp_path: Path, suite: str, sentences: list, said: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(UserError, match=said):
        recorded_suites(write_recorded(tmp_path, {"lstm-trial0": {suite: sentences}}))


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read"):
        recorded_trainings(tmp_path / "nowhere")
    with pytest.raises(UserError, match="holds no recorded surprisals"):
        recorded_trainings(tmp_path)
    write_recorded(tmp_path / "inner", {"lstm-trial0": {"cls_none": CLASSIFIERS}})
    with pytest.raises(UserError, match=r"Did you mean .*inner"):
        recorded_trainings(tmp_path)
    write_recorded(tmp_path / "other", {"lstm": {"cls_none": CLASSIFIERS}})
    with pytest.raises(UserError, match="names no model and seed"):
        recorded_trainings(tmp_path / "other")


def test_model_and_seed_of_a_folder(tmp_path: Path) -> None:
    names = ["lstm-trial10", "lstm-trial2", "my-gpt-7"]
    root = write_recorded(tmp_path, {name: {"cls_none": CLASSIFIERS} for name in names})
    (root / "notes").mkdir()
    (root / "README.txt").write_text("nothing to read")
    found = [(one.model, one.seed) for one in recorded_trainings(root)]
    assert found == [("lstm", 2), ("lstm", 10), ("my-gpt", 7)]


@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_a_source_without_surprisals_is_refused() -> None:
    with pytest.raises(UserError, match="wang2021-suites holds no recorded surprisals"):
        recorded_root("wang2021-suites")


@pytest.mark.mirror
def test_the_published_folder(mirror: Path) -> None:
    """24 suites of 30 items, 31 for gpo, gps and vo (Table 2 of the paper); sub2 coordinates, subh embeds."""
    root = recorded_root("wang2021-surprisals")
    assert root == mirror / "wang2021" / "surprisals"
    suites = {suite.name: suite for suite in recorded_suites(root)}
    assert tuple(suites) == SUITE_NAMES
    assert len(suites) == 24
    assert {len(suite.items) for suite in suites.values() if suite.name[:2] in {"gp", "vo"}} == {31}
    assert {len(suite.items) for suite in suites.values() if suite.name[:2] not in {"gp", "vo"}} == {30}
    # All models have scored the same words.
    assert not any("~" in item.id for suite in suites.values() for item in suite.items)
    assert suites["mobj_sub2"].modifier.en == "coordinated relatives"
    assert suites["mobj_subh"].modifier.en == "embedded relatives"
    counts = {name: _particles(suites[name]) for name in ("mobj_sub", "mobj_sub2", "mobj_subh")}
    assert {name: round(sum(found) / len(found)) for name, found in counts.items()} == {
        "mobj_sub": 1, "mobj_sub2": 1, "mobj_subh": 2,
    }  # fmt: skip
    assert left_out(recorded_trainings(root)) == (
        "gps_adj_pp", "gps_none_pp", "gps_obj_pp", "gps_sub_pp", "vo_none2", "vo_para",
    )  # fmt: skip


def _particles(suite: Suite) -> list[int]:
    """Count 的 in the good sentences: an embedded relative clause ends in one of its own, a coordinated does not."""
    return [sum(region.count("的") for region in item.sentences["complete"]) for item in suite.items]


def test_the_classes_are_called_as_ours() -> None:
    """Tables of recorded and of our own suites line up by these names."""
    names = [kind.title.en for kind in CLASSES.values()]
    assert names == [
        "classifier–noun", "garden path object", "garden path subject", "verb–noun", "missing object", "subordination",
    ]  # fmt: skip
