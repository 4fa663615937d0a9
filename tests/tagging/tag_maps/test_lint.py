"""Does the lint find what is wrong, and say where?"""

from __future__ import annotations

from hengliang.tagging.tag_maps.lint import lint_map, lost_distinctions, unreachable_tags
from hengliang.tagging.tag_maps.tables import TAG_SETS, parse_map, tag_map, tag_map_names


def test_rows_that_repeat_or_contradict_are_named_by_line() -> None:
    found = lint_map(parse_map("N\tn\nN\tn\nN\tv\nx\tw\tpunctuation\n", "mine", "mine.tsv"))
    told = [(one.code, one.severity, one.line, one.path) for one in found if one.severity != "note"]
    assert told == [
        ("contradiction", "error", 3, "mine.tsv"),
        ("gap", "error", 4, "mine.tsv"),
        ("duplicate", "warning", 2, "mine.tsv"),
    ]
    assert "line 1" in found[0].message


def test_targets_that_are_no_tags() -> None:
    (one,) = [one for one in lint_map(parse_map("N\tnoun\n", "mine", "mine.tsv")) if one.severity == "error"]
    assert (one.code, one.line) == ("target", 1)
    assert "noun, which is no pku tag" in one.message
    (one,) = [one for one in lint_map(parse_map("# to: pk\nN\tn\n", "mine", "m")) if one.severity == "error"]
    assert one.code == "tag set"


def test_a_map_from_a_known_tag_set_names_all_its_tags() -> None:
    (one,) = [one for one in lint_map(parse_map("# from: ud\nNOUN\tn\n", "m", "m")) if one.severity == "error"]
    assert one.code == "incomplete"
    assert "VERB" in one.message
    assert "NOUN" not in one.message


def test_tags_that_occur_and_tags_that_do_not() -> None:
    counts = {"n": 10, "nix": 1, "PER": 0}
    found = {(one.code, one.message.split(" ")[0]) for one in lint_map(tag_map("lac"), counts)}
    assert ("unmapped", "nix") in found
    assert ("unseen", "PER") in found
    assert ("unseen", "n") not in found
    told = next(one for one in lint_map(tag_map("lac"), counts) if one.code == "unmapped")
    assert told.message == "nix occurs 1 time and no row names it: it becomes ?nix."
    assert told.to_json()["severity"] == "error"
    assert not [one for one in lint_map(tag_map("lac")) if one.code in {"unmapped", "unseen"}]


def test_lost_distinctions() -> None:
    assert lost_distinctions(tag_map("lac"))["nr"] == ["nr", "PER"]
    assert "m" not in lost_distinctions(tag_map("lac"))


def test_what_a_tagger_can_never_give() -> None:
    # The paper's column B is THULAC; by its zeros it has no an, vn, vd, ad and z. It has no b either.
    assert {"an", "vn", "vd", "ad", "z", "b"} <= set(unreachable_tags(tag_map("thulac")))
    assert "Ng" not in unreachable_tags(tag_map("thulac"))
    assert unreachable_tags(tag_map("snownlp")) == []
    for name in tag_map_names():
        found = tag_map(name)
        assert set(unreachable_tags(found)).isdisjoint(found.targets)
        assert set(unreachable_tags(found)) | found.targets | {"g", "x"} >= TAG_SETS[found.target]
