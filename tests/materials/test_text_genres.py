"""Are text types and corpora told by form and id alone?"""

from __future__ import annotations

from pathlib import Path

import pytest

from hengliang.materials import text_genres
from hengliang.materials.text_genres import TEXT_TYPES, ccd_category, ccd_genre, text_type, text_types_of_corpus


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("山城春来早", "heading"),
        ("两市签订协议（附图片１张）", "heading"),
        ("图为孩子们在河边放风筝。", "heading"),
        ("（本报记者某某摄）", "heading"),
        ("漫谈“好书”", "heading"),
        ("图片：", "heading"),
        ("新华社某地１月１日电（记者某某）今天这里下了一场大雪。", "dispatch"),
        ("本报讯一座新桥昨天通车。", "dispatch"),
        ("据新华社某地１月２日电昨天这里下了雪。", "dispatch"),
        ("“这座桥修得真好，我们盼了十年。”老人笑着说。", "quotation"),
        ("『书是好书，只是太贵。』", "quotation"),
        ("为了修这座桥，村里的人忙了三年。", "prose"),
        ("本报在各地都有记者，欢迎读者来信。", "prose"),
        ("他把这本书叫作“朋友”，走到哪里都带着它。", "prose"),
        ("新华社记者看到一部电影正在这里拍摄，导演很年轻。", "prose"),
        ("", "prose"),
    ],
)
def test_text_types(text: str, expected: str) -> None:
    assert text_type(text) == expected
    assert expected in TEXT_TYPES


def test_the_types_of_a_corpus_go_by_line(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("春/n 来/v 早/a\n\n本报/n 讯/n 昨天/t 下/v 了/u 雪/n 。/w\n", encoding="utf-8")
    assert text_types_of_corpus(file) == {1: "heading", 3: "dispatch"}
    file.write_text("昨天/t 下/v 了/u 雪/n 。/w\n", encoding="utf-8")
    assert text_types_of_corpus(file) == {1: "prose"}


def test_ids_of_the_dataset() -> None:
    names = ["LWC_3400011943257033_06", "LCMC_E15_0016_01", "UCLA_J_21628_01", "LWCX_1", "mine", ""]
    assert [ccd_genre(name) for name in names] == ["weibo", "LCMC", "UCLA", "unknown", "unknown", "unknown"]
    assert [ccd_category(name) for name in names] == ["", "E", "J", "", "", ""]
    assert set(text_genres.CCD_CORPORA.values()) == {"weibo", "LCMC", "UCLA"}
