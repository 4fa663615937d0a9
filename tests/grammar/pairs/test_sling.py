"""Are files in the layout of SLING read, with their quirks, and does the published set hold what we say?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from hengliang.grammar.pairs import sling
from hengliang.grammar.pairs.pair_set import BrokenLine, Pair, lint_pairs
from hengliang.grammar.pairs.reading import read_pairs


def write(file: Path, *objects: dict[str, object]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects), encoding="utf-8")
    return file


def line(good: str, bad: str, number: int | str, phenomenon: str = "Aspect", **more: str) -> dict[str, object]:
    usual = {"sentence_good": good, "sentence_bad": bad, "phenomenon": phenomenon, "paradigm": "zai", "field": "syntax"}
    return {**usual, "pair_ID": number, **more}


def test_paradigm_is_the_file_and_phenomenon_the_key(tmp_path: Path) -> None:
    file = write(tmp_path / "Aspect" / "zai_x.jsonl", line("他在画画。", "他在画画过。", 7))
    assert sling.recognise(file)
    assert list(sling.records(file)) == [
        Pair("7", "Aspect", "zai_x", "他在画画。", "他在画画过。", str(file), 1, "syntax")
    ]


def test_a_folder_within_the_phenomenon_tells_it_apart(tmp_path: Path) -> None:
    file = write(tmp_path / "Anaphor" / "Plural" / "x.jsonl", line("我们来。", "我来。", 0, "Anaphor"))
    (found,) = sling.records(file)
    assert isinstance(found, Pair)
    assert found.phenomenon == "Anaphor/Plural"


def test_capital_keys_and_ids_in_quotes(tmp_path: Path) -> None:
    old = line("她画她自己。", "她画他自己。", "12", "Reflexive_auto")
    row = {key.capitalize() if key in {"phenomenon", "paradigm"} else key: value for key, value in old.items()}
    file = write(tmp_path / "Anaphor" / "reflexive_auto" / "x.jsonl", row, line("甲。", "乙。", 0, "animacy_as_subj"))
    assert sling.recognise(file)
    first, second = sling.records(file)
    assert isinstance(first, Pair)
    assert isinstance(second, Pair)
    assert (first.id, first.phenomenon) == ("12", "Reflexive_auto")
    assert second.phenomenon == "Reflexive_auto"


def test_what_lacks_a_sentence_is_broken(tmp_path: Path) -> None:
    file = write(tmp_path / "x.jsonl", line("好。", " ", 0), {"sentence_bad": "好。"})
    assert list(sling.records(file)) == [
        BrokenLine(str(file), 1, "it has no sentence_bad"),
        BrokenLine(str(file), 2, "it has no sentence_good"),
    ]


def test_other_layouts_are_not_taken_for_it(tmp_path: Path) -> None:
    assert not sling.recognise(write(tmp_path / "x.jsonl", {"sentence_good": "好。", "sentence_bad": "坏。"}))
    assert not sling.recognise(write(tmp_path / "x.csv", line("好。", "坏。", 0)))


# --- the published set ----------------------------------------------------------------------------------------------


@pytest.mark.mirror
def test_the_published_set(mirror: Path) -> None:
    held = read_pairs("sling")
    sizes = Counter(pair.paradigm for pair in (*held.pairs, *held.identical))
    # 40 files of 1,000 pairs and 14, on reflexives, of 40: counted with wc -l.
    assert Counter(sizes.values()) == {1000: 40, 40: 14}
    assert held.read == 40_560
    assert (held.broken, held.rated, held.unread) == ((), (), ())


@pytest.mark.mirror
def test_the_identical_pairs_of_the_published_set(mirror: Path) -> None:
    held = read_pairs("sling")
    by_file = Counter(Path(pair.file).name for pair in held.identical)
    # Found independently by comparing the two fields of every line with the json module.
    assert by_file == {"zai_le.jsonl": 16, "cl_adj_simple_noun.jsonl": 4, "cl_simple_noun.jsonl": 4}
    lines = [pair.line for pair in held.identical if pair.paradigm == "cl_simple_noun"]
    assert lines == [39, 361, 872, 908]
    assert len(held.pairs) == 40_536


@pytest.mark.mirror
def test_repeated_and_contradictory_pairs_of_the_published_set(mirror: Path) -> None:
    codes: Counter[tuple[str, str]] = Counter()
    codes.update((finding.code, finding.paradigm) for finding in lint_pairs(read_pairs("sling")))
    assert {key: count for key, count in codes.items() if key[0] != "identical"} == {
        ("repeated", "reflex_verb"): 2,
        ("repeated", "cl_comp_noun_v2"): 3,
        ("repeated", "cl_adj_comp_noun_v2"): 3,
        # These two are the ones that the `v2` files replace; the paper does not use them.
        ("contradictory", "cl_comp_noun"): 8,
        ("contradictory", "cl_adj_comp_noun"): 8,
    }


@pytest.mark.mirror
def test_the_paper_has_38_paradigms_of_1000_pairs(mirror: Path) -> None:
    held = read_pairs("sling")
    chosen = set(held.paradigms(["paper"]))
    assert len(chosen) == len(sling.PAPER) == 38
    assert sum(pair.paradigm in chosen for pair in (*held.pairs, *held.identical)) == 38_000
    left = set(held.paradigms()) - chosen
    assert {one for one in left if "reflexive" not in _file(held.pairs, one)} == {"cl_comp_noun", "cl_adj_comp_noun"}


def _file(pairs: tuple[Pair, ...], paradigm: str) -> str:
    return next(pair.file for pair in pairs if pair.paradigm == paradigm)


@pytest.mark.mirror
@pytest.mark.parametrize("phenomenon", ["Anaphor", "Anaphor/Plural", "Reflexive_auto", "Reflexive_natural"])
def test_the_four_kinds_of_anaphor_are_told_apart(mirror: Path, phenomenon: str) -> None:
    counts = {"Anaphor": 6, "Anaphor/Plural": 12, "Reflexive_auto": 7, "Reflexive_natural": 7}
    assert len(read_pairs("sling").paradigms([phenomenon])) == counts[phenomenon]
