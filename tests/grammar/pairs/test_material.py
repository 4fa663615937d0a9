"""Do minimal pairs become items that models can answer and measures can judge?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import find_registered, item_records
from hengliang.grammar.pairs.material import PREDICTIONS, MinimalPairs, minimal_pairs, pair_items, sample
from hengliang.grammar.pairs.pair_set import Pair
from hengliang.grammar.suites.formulas import DEFAULT_TOLERANCE
from hengliang.grammar.suites.suite import predictions_of_text


def write_pairs(folder: Path, count: int = 3) -> Path:
    folder.mkdir()
    for paradigm, field in (("zai", "syntax"), ("ma", "semantics")):
        rows = [
            {
                "sentence_good": f"他在读第{number}本书。",
                "sentence_bad": f"他在读第{number}本书过。",
                "UID": paradigm,
                "linguistics_term": f"about {paradigm}",
                "field": field,
                "pairID": number,
            }
            for number in range(count)
        ]
        rows.append({**rows[0], "sentence_bad": rows[0]["sentence_good"], "pairID": count})
        rows.append({**rows[0], "pairID": count + 1})
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{paradigm}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_two_items_a_pair(tmp_path: Path) -> None:
    items = minimal_pairs(str(write_pairs(tmp_path / "ours"))).items()
    # Two paradigms of three pairs and one that repeats the first; the identical one is left out.
    assert items.height == 2 * 2 * 4
    good, bad = list(item_records(items))[:2]
    assert (good.id, bad.id) == ("ours/ma/0/good", "ours/ma/0/bad")
    assert good.set == bad.set == "ours/ma/0"
    assert (good.condition, bad.condition) == ("good", "bad")
    assert (good.content, bad.content) == ("他在读第0本书。", "他在读第0本书过。")
    assert good.spans == ()
    assert good.attributes == {
        "suite": "ma",
        "class": "about ma",
        "domain": "semantic",
        "modifier": "none",
        "frame": "ours/ma/0",
        "gloss": "",
        "acceptable": True,
        "predictions": PREDICTIONS,
        "tolerance": DEFAULT_TOLERANCE,
    }
    assert bad.attributes["acceptable"] is False


def test_the_predictions_survive_as_text() -> None:
    found = predictions_of_text(PREDICTIONS)
    assert [(one.name, one.counts, str(one.formula)) for one in found] == [
        ("log-probability", True, "bad.* > good.*"),
        ("mean", False, "mean(bad.*) > mean(good.*)"),
        ("per character", False, "per_character(bad.*) > per_character(good.*)"),
        ("SLOR", False, "slor(good.*) > slor(bad.*)"),
    ]


def pair(id: str, good: str, bad: str, paradigm: str = "p") -> Pair:
    return Pair(id, "P", paradigm, good, bad, "f", 1)


def test_words_that_stand_apart_become_spans() -> None:
    items = pair_items(
        "s", [pair("0", "他 看 书 。", "他 书 看 。"), pair("1", "走 。", "他。"), pair("0", "他来", "来他", "q")]
    )
    first, _, third, fourth, fifth, _ = item_records(items)
    assert first.content == "他看书。"
    # Each of the four words is one character of three bytes.
    assert [(span.name, span.start, span.end) for span in first.spans] == [
        ("word", start, start + 3) for start in (0, 3, 6, 9)
    ]
    assert [len(one.spans) for one in (third, fourth, fifth)] == [2, 1, 0]


def test_a_stray_space_makes_no_words() -> None:
    pairs = [pair(str(place), "他来。", "来他。") for place in range(3)] + [pair("3", "他 来。", "来他。")]
    items = pair_items("s", pairs)
    assert items["spans"].list.len().sum() == 0
    assert set(items["content"]) == {"他来。", "来他。"}


def test_english_keeps_its_spaces_and_has_no_words() -> None:
    (good, _) = item_records(pair_items("s", [pair("0", "The cats sleep.", "The cats sleeps.")]))
    assert good.content == "The cats sleep."
    assert good.spans == ()


def test_no_pairs_make_an_empty_table() -> None:
    assert pair_items("s", []).height == 0


# --- which pairs ----------------------------------------------------------------------------------------------------


def test_phenomena_and_paradigms_choose(tmp_path: Path) -> None:
    folder = str(write_pairs(tmp_path / "ours"))
    for wanted in ("zai", "about zai", ["about zai", "zai"]):
        assert set(minimal_pairs(folder, phenomena=wanted).items()["suite"]) == {"zai"}
    with pytest.raises(UserError, match="is called 'zia'"):
        minimal_pairs(folder, phenomena="zia").items()


def test_a_limit_takes_a_seeded_sample_of_each_paradigm(tmp_path: Path) -> None:
    folder = str(write_pairs(tmp_path / "ours", count=40))
    drawn = minimal_pairs(folder, limit=10, seed=1).items()
    assert Counter(drawn["suite"].to_list()) == {"zai": 20, "ma": 20}
    assert drawn.equals(minimal_pairs(folder, limit=10, seed=1).items())
    assert not drawn["id"].equals(minimal_pairs(folder, limit=10, seed=2).items()["id"])
    assert minimal_pairs(folder, limit=1000).items().equals(minimal_pairs(folder).items())
    with pytest.raises(UserError, match="none is left"):
        minimal_pairs(folder, limit=0).items()


@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 3), st.permutations(range(9)))
def test_samples_grow_and_do_not_depend_on_the_order(few: int, more: int, seed: int, order: list[int]) -> None:
    pairs = [pair(str(number), f"甲{number}", f"乙{number}") for number in range(9)]
    small, large = (sample(pairs, min(few, more), seed), sample(pairs, max(few, more), seed))
    assert set(small) <= set(large)
    assert len(large) == max(few, more)
    assert set(sample([pairs[place] for place in order], few, seed)) == set(sample(pairs, few, seed))


# --- as a material --------------------------------------------------------------------------------------------------


def test_it_is_registered_and_conforms(tmp_path: Path) -> None:
    assert find_registered("material", "minimal pairs").kind is MinimalPairs
    findings = list(minimal_pairs(str(write_pairs(tmp_path / "ours"))).conformance())
    assert len(findings) == 5
    assert [finding for finding in findings if not finding.kept] == []


def test_the_facts_say_what_was_left_out(tmp_path: Path) -> None:
    material = minimal_pairs(str(write_pairs(tmp_path / "ours")))
    facts = {title.en: value for title, value in material.facts(material.items())}
    assert facts == {
        "Set of pairs": "ours (unclear)",
        "Pairs": "8",
        "Paradigms": "2",
        "Identical pairs left out": "2 (ma 1, zai 1)",
        "Pairs that repeat an earlier one": "2",
        "Lines that could not be read": "0",
    }


def test_the_signature_follows_the_files_and_the_choice(tmp_path: Path) -> None:
    folder = write_pairs(tmp_path / "ours")
    first = minimal_pairs(str(folder)).signature()
    assert first != minimal_pairs(str(folder), phenomena="zai").signature()
    assert first != minimal_pairs(str(folder), limit=2).signature()
    # Without a limit nothing is drawn, and the seed changes nothing.
    assert first == minimal_pairs(str(folder), seed=3).signature()
    (folder / "zai.jsonl").write_text((folder / "ma.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    assert first != minimal_pairs(str(folder)).signature()


def test_single_sentences_are_no_material(tmp_path: Path) -> None:
    file = tmp_path / "dev.csv"
    file.write_text("sentence,label0,label1\n他来了。,1,1\n", encoding="utf-8")
    with pytest.raises(UserError, match="no pairs, but 1 single sentences") as caught:
        minimal_pairs(str(file)).items()
    assert "read_pairs(" in caught.value.remedy


@pytest.mark.mirror
def test_the_paper_of_sling(mirror: Path) -> None:
    material = minimal_pairs("sling", phenomena="paper")
    items = material.items()
    # 38 paradigms of 1,000 pairs, 24 of them identical.
    assert items.height == 2 * (38_000 - 24)
    assert items["suite"].n_unique() == 38
    assert "sling/zai_le/12/good" in set(items["id"])
    facts = {title.en: value for title, value in material.facts(items)}
    assert facts["Identical pairs left out"] == "24 (zai_le 16, cl_adj_simple_noun 4, cl_simple_noun 4)"
    assert facts["Pairs that repeat an earlier one"] == "6"


def test_a_set_of_identical_pairs_alone_has_none(tmp_path: Path) -> None:
    file = tmp_path / "same.jsonl"
    file.write_text('{"sentence_good": "他来了", "sentence_bad": "他来了", "UID": "x"}\n', encoding="utf-8")
    with pytest.raises(UserError, match="of all 1 are the same"):
        minimal_pairs(str(file)).items()


def test_a_folder_called_as_a_source_does_not_hide_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sling").mkdir()
    monkeypatch.delenv("HENGLIANG_MIRROR", raising=False)
    with pytest.raises(UserError, match="hengliang data get sling"):
        minimal_pairs("sling").items()
