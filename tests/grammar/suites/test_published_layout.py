"""Are published suites read as they were meant, and put to any model; are they those that the paper's models scored?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import Study, UserError
from hengliang.core import Silent
from hengliang.grammar.prediction import prediction
from hengliang.grammar.recorded_surprisals import NOT_RECORDED, recorded_study
from hengliang.grammar.runs import suite_study
from hengliang.grammar.suites.library import suites
from hengliang.grammar.suites.published import (
    NAME,
    SUITE_NAMES,
    PublishedSuites,
    is_published,
    layout_of,
    published_folder,
    published_suites,
    read_published,
)
from tests.language_models.small_models import SmallBigrams
from tests.recorded_toy import ALL, write_recorded


def write_published(
    folder: Path, texts: Mapping[str, Sequence[str]], ending: str = "_txt.txt", gap: str = " ", close: str = "\n"
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for suite, lines in texts.items():
        text = close.join(gap.join(line.split()) for line in lines)
        (folder / f"{suite}{ending}").write_text(text + close, encoding="utf-8", newline="")
    return folder


TEXTS = {suite: [words for words, _ in sentences] for suite, sentences in ALL.items()}


def test_files_become_suites_in_the_order_of_the_paper(tmp_path: Path) -> None:
    held = read_published(write_published(tmp_path, TEXTS))
    assert [suite.name for suite in held] == ["cls_none", "gpo_none", "gps_adj", "vo_none", "mobj_none", "sd_none"]
    missing = held[4]
    # The bad sentence comes first in the file, the good one in the suite; two items of two lines.
    assert [item.line for item in missing.items] == [1, 3]
    assert missing.items[0].sentences == {
        "complete": (("老人", "修", "了", "钟"), ("。",), ()),
        "missing": (("老人", "修", "了"), ("。",), ()),
    }
    assert held[0].items[0].sentences["second_mismatch"] == (("她", "提到", "一", "匹"), ("灯", "。"), ())


@pytest.mark.parametrize(("ending", "gap", "close"), [(".txt", " ", "\n"), ("_txt.txt", "  ", "\r\n")])
def test_endings_double_spaces_and_line_ends_change_nothing(tmp_path: Path, ending: str, gap: str, close: str) -> None:
    plain = read_published(write_published(tmp_path / "plain", TEXTS))
    assert read_published(write_published(tmp_path / "other", TEXTS, ending, gap, close)) == plain


def test_blank_lines_and_a_missing_last_line_end_are_no_sentences(tmp_path: Path) -> None:
    first, second = TEXTS["sd_none"]
    (tmp_path / "sd_none.txt").write_text(f"\n{first}\n\n{second}", encoding="utf-8")
    (suite,) = read_published(tmp_path)
    assert [item.line for item in suite.items] == [2]


def test_the_items_are_the_sentences_that_recorded_models_scored(tmp_path: Path) -> None:
    """The same texts, once with surprisals: the same regions, and a recorded model answers all of them."""
    recorded = recorded_study(write_recorded(tmp_path / "recorded", {"lstm-trial0": ALL}))
    items = published_suites(write_published(tmp_path / "texts", TEXTS)).items()
    same = ["id", "set", "condition", "content", "spans", "suite", "class", "modifier", "predictions", "acceptable"]
    assert items.select(same).equals(recorded.materials.items().select(same))
    assert recorded.systems[0].answer(items)["status"].unique().to_list() == ["ok"]


def test_frames_are_not_those_of_our_items(tmp_path: Path) -> None:
    """Our first item and theirs are different sentences, and nothing may take them for one."""
    items = published_suites(write_published(tmp_path, TEXTS)).items()
    assert set(items["material"]) == {NAME}
    assert not set(items["frame"]) & set(suites().items()["frame"])
    assert set(items["class"]) <= set(suites().items()["class"])


def test_suites_and_classes_are_chosen_by_name(tmp_path: Path) -> None:
    folder = write_published(tmp_path, TEXTS)
    assert [one.name for one in read_published(folder, ["missing object", "vo_none"])] == ["vo_none", "mobj_none"]
    assert published_suites(folder, "sd_none").items()["suite"].unique().to_list() == ["sd_none"]
    with pytest.raises(UserError, match="'mobj_sub'"):
        read_published(folder, ["mobj_sub"])


def test_other_files_are_named_and_left_out(tmp_path: Path) -> None:
    folder = write_published(tmp_path, {"cls_none": TEXTS["cls_none"], "vo_para": TEXTS["vo_none"]})
    (folder / "notes.md").write_text("nothing to read", encoding="utf-8")
    held = published_folder(folder)
    assert (list(held.files), held.left_out) == (["cls_none"], ("vo_para",))
    material = published_suites(folder)
    facts = {title.en: said for title, said in material.facts(material.items())}
    assert facts == {
        "Suites": "1",
        "Classes": "classifier–noun 量词与名词",
        "Sets of sentences": "1",
        "Left out": "vo_para",
    }
    assert material.licence == "that of your files"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"cls_none": TEXTS["cls_none"][:3]}, "holds 3 sentences"),
        ({"cls_none": []}, "holds 0 sentences"),
        ({"sd_none": ["如果 她 走", "如果 她 走 。"]}, r"line 1\): '如果她走' cannot be judged: it ends in '走'"),
        ({"notes": ["他 走 。"]}, "holds none of the published suites"),
    ],
)
def test_what_is_no_suite_is_refused(tmp_path: Path, texts: dict[str, list[str]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        read_published(write_published(tmp_path, texts))


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        read_published(tmp_path / "nowhere")
    write_published(tmp_path, {"sd_none": TEXTS["sd_none"]}, ".txt")
    with pytest.raises(UserError, match="are both the suite sd_none"):
        read_published(write_published(tmp_path, {"sd_none": TEXTS["sd_none"]}))


def test_bytes_that_are_no_text_are_named_by_line(tmp_path: Path) -> None:
    (tmp_path / "sd_none.txt").write_bytes("他 走 。\n".encode() + b"\xff\n")
    with pytest.raises(UserError, match="line 2 is not utf-8"):
        read_published(tmp_path)


def test_the_signature_follows_the_text_and_the_conventions_hold(tmp_path: Path) -> None:
    one = published_suites(write_published(tmp_path / "one", TEXTS))
    same = published_suites(write_published(tmp_path / "same", TEXTS, ".txt", "  "))
    other = published_suites(write_published(tmp_path / "other", {**TEXTS, "sd_none": ["他 走 。", "她 走 。"]}))
    assert str(one.signature()) == str(same.signature()) != str(other.signature())
    assert [finding for finding in one.conformance() if not finding.kept] == []


def test_names_that_mean_published_suites(tmp_path: Path) -> None:
    assert is_published("wang2021") and is_published("wang2021-suites")
    assert is_published(str(write_published(tmp_path / "texts", TEXTS)))
    (tmp_path / "empty").mkdir()
    assert not any(is_published(name) for name in ("sling", "missing object", str(tmp_path / "empty"), "mobj_none"))


def test_any_model_is_asked_them(tmp_path: Path) -> None:
    folder = write_published(tmp_path / "texts", TEXTS)
    run = suite_study([SmallBigrams()], [str(folder)]).run(tmp_path / "run", watcher=Silent())
    table = run.estimates.filter(pl.col("analysis") == "suite accuracy by class")
    assert table.height == 6
    assert table["n"].sum() == 4 + 1 + 1 + 1 + 2 + 1  # four comparisons of classifiers, two items of missing object


WORD = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x4FFF), min_size=1, max_size=3)


@given(st.lists(st.lists(WORD, min_size=1, max_size=5), min_size=2, max_size=8).filter(lambda held: len(held) % 2 == 0))
def test_every_sentence_of_a_file_is_asked_once(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]]
) -> None:
    folder = write_published(
        tmp_path_factory.mktemp("texts"), {"mobj_sub": [" ".join([*words, "。"]) for words in sentences]}
    )
    items = published_suites(folder).items()
    assert sorted(items["content"]) == sorted("".join(words) + "。" for words in sentences)
    assert items["set"].n_unique() == len(sentences) // 2


# --- the paper's own ------------------------------------------------------------------------------------------------


@pytest.mark.mirror
@pytest.mark.usefixtures("mirror")
def test_the_published_folder_has_the_suites_of_table_2() -> None:
    """30 items a suite, 31 for gpo, gps and vo; seven files are outside the table."""
    held = {suite.name: suite for suite in read_published()}
    assert tuple(held) == SUITE_NAMES
    assert {len(suite.items) for name, suite in held.items() if layout_of(name).title.en.startswith("garden")} == {31}
    assert sum(len(suite.items) for suite in held.values()) == 12 * 30 + 12 * 31
    assert published_folder().left_out == (
        "cls_total", "gps_adj_pp", "gps_none_pp", "gps_obj_pp", "gps_sub_pp", "vo_none2", "vo_para",
    )  # fmt: skip
    material = PublishedSuites("wang2021")
    assert material.licence == "MIT"
    assert material.items().height == 4 * 30 * 4 + 12 * 31 * 2 + 8 * 30 * 2


@pytest.mark.untraced
@pytest.mark.mirror
def test_the_papers_models_scored_all_but_the_edited_sentences(mirror: Path) -> None:
    """Eight sentences each of cls_obj and cls_sub were edited after they had been scored."""
    items = published_suites().items()
    for system in recorded_study(mirror / "wang2021" / "surprisals").systems:
        answers = items.select("id", "suite").join(system.answer(items), left_on="id", right_on="item")
        lost = answers.filter(pl.col("status") != "ok")
        assert dict(lost["suite"].value_counts().iter_rows()) == {"cls_obj": 8, "cls_sub": 8}
        assert set(lost["reason"]) == {NOT_RECORDED}


@pytest.mark.untraced
@pytest.mark.mirror
def test_recorded_models_are_right_on_the_published_sentences_as_on_the_recorded_ones(
    mirror: Path, tmp_path: Path
) -> None:
    """Where the sentences are the same, so is every judgement."""
    recorded = recorded_study(mirror / "wang2021" / "surprisals")
    models = [system for system in recorded.systems if system.name == "RNNG"]
    both = []
    for number, material in enumerate((recorded.materials, published_suites())):
        run = Study(f"paper {number}", material, models, [prediction()]).run(tmp_path / str(number), watcher=Silent())
        both.append(run.judgements.select("about", "scored_system", "part", "value"))
    first, second = both
    assert first.height == second.height
    pairs = first.join(second, on=["about", "scored_system", "part"], suffix="_published")
    assert pairs.height == first.height
    known = pairs.drop_nulls("value_published")
    assert known["value"].equals(known["value_published"], check_names=False)
    assert set(pairs.filter(pl.col("value_published").is_null())["about"].str.slice(0, 7)) == {"cls_obj", "cls_sub"}
