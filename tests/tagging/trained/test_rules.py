"""Are rules applied where they say and nowhere else, and are their files read as they were written?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import LabelledSpans, labelled_spans
from hengliang.tagging import Tagger
from hengliang.tagging.trained.rules import (
    EDGE,
    PLACES,
    CorrectedTagger,
    Place,
    Rule,
    check_rules,
    read_rules,
    write_rules,
)
from hengliang.tagging.trained.tagger import CrfTagger


class Letters(Tagger):
    """Takes every character for a word: 天 and 地 are n, all else v; refuses texts with a 坏."""

    name = "letters"
    tag_map = "pku"

    def tag(self, sentences: Sequence[str]) -> LabelledSpans:
        return labelled_spans(["it is 坏" if "坏" in text else self._words(text) for text in sentences])

    def _words(self, text: str) -> list[tuple[int, int, str]]:
        return [(3 * place, 3 * place + 3, "n" if one in "天地" else "v") for place, one in enumerate(text)]


def tags(text: str, *rules: Rule) -> str:
    found = CorrectedTagger(Letters(), rules).tag([text])
    return " ".join(tag for _, _, tag in found.of(0))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Rule("人", "v", "n"), "n n n n n"),
        (Rule("人", "n", "v"), "n v n v n"),  # 人 is not tagged n
        (Rule("人", "v", "r", "word-1", "天"), "n r n v n"),
        (Rule("人", "v", "r", "word+1", "天"), "n v n r n"),
        (Rule("人", "v", "r", "tag-1", "n"), "n r n r n"),
        (Rule("天", "n", "t", "word-1", EDGE), "t v n v n"),
        (Rule("天", "n", "t", "tag+1", EDGE), "n v n v t"),
        (Rule("天", "n", "t", "tags", f"{EDGE} v"), "t v n v n"),
        (Rule("人", "v", "r", "tags", "n n"), "n r n r n"),
        (Rule("鱼", "v", "r"), "n v n v n"),
    ],
)
def test_a_rule_changes_what_it_names(rule: Rule, expected: str) -> None:
    assert tags("天人地人天", rule) == expected


def test_a_rule_sees_what_the_rules_before_it_did_and_not_its_own_work() -> None:
    first, second = Rule("天", "n", "t"), Rule("人", "v", "r", "tag-1", "t")
    assert tags("天人", first, second) == "t r"
    assert tags("天人", second, first) == "t v"
    # Everywhere at once: the second 人 has a v before it when the rule is applied, whatever becomes of that v.
    assert tags("天人人人", Rule("人", "v", "r", "tag-1", "v")) == "n v r r"


def test_sentences_do_not_see_each_other_and_problems_stay() -> None:
    rule = Rule("人", "v", "r", "word-1", EDGE)
    texts = ["天人", "", "坏人", "人天", "人"]
    found = CorrectedTagger(Letters(), [rule]).tag(texts)
    assert [[tag for _, _, tag in found.of(row)] for row in range(5)] == [["n", "v"], [], [], ["r", "n"], ["r"]]
    assert found.problems == ("", "", "it is 坏", "", "")


TEXTS = st.lists(st.text(st.sampled_from("天地人坏"), max_size=6), max_size=4)
RULES = st.lists(
    st.builds(
        Rule,
        st.sampled_from("天地人"),
        st.sampled_from("nv"),
        st.sampled_from("rt"),
        st.sampled_from(["word-1", "word+1", "tag-1", "tag+1"]),
        st.sampled_from(["天", "人", "n", "v", "r", EDGE]),
    ),
    max_size=4,
)


def by_hand(words: str, labels: list[str], rules: list[Rule]) -> list[str]:
    """Apply rules as their docstring says, word by word."""
    for rule in rules:
        column = [EDGE, *(words if rule.place.startswith("word") else labels), EDGE]
        step = 0 if rule.place.endswith("-1") else 2
        labels = [
            rule.right if (word, label, column[place + step]) == (rule.word, rule.wrong, rule.value) else label
            for place, (word, label) in enumerate(zip(words, labels, strict=True))
        ]
    return labels


@given(TEXTS, RULES)
def test_rules_do_what_they_would_by_hand(texts: list[str], rules: list[Rule]) -> None:
    plain, found = Letters().tag(texts), CorrectedTagger(Letters(), rules).tag(texts)
    for row, text in enumerate(texts):
        expected = by_hand(text, [tag for _, _, tag in plain.of(row)], rules) if not plain.problems[row] else []
        assert [tag for _, _, tag in found.of(row)] == expected
        assert [span[:2] for span in found.of(row)] == [span[:2] for span in plain.of(row)]


def test_a_corrected_tagger_is_a_tagger_of_its_own(crf: CrfTagger) -> None:
    rules = [Rule("过去", "t", "Tg", "word-1", "他")]
    corrected = CorrectedTagger(crf, rules)
    assert [finding for finding in corrected.conformance() if not finding.kept] == []
    assert corrected.name == f"{crf.name}+rules"
    assert corrected.tag_map == "pku"
    assert CorrectedTagger(crf, []).signature() != corrected.signature()
    assert "Tg" in str(corrected.traits()["tags"]).split()
    assert "Tg" not in str(crf.traits()["tags"]).split()


def test_a_file_of_rules_is_read_as_it_was_written(tmp_path: Path) -> None:
    rules = (
        Rule("过去", "t", "v", "word+1", "的", repaired=5, harmed=1),
        Rule("＃", "w", "n"),
        Rule("等", "v", "u", "tags", f"n {EDGE}"),
    )
    write_rules(tmp_path / "rules.tsv", rules)
    again = read_rules(tmp_path / "rules.tsv")
    assert again == rules
    assert (again[0].repaired, again[0].harmed) == (5, 1)
    assert str(again[0]) == "过去/t → v if word+1 is 的"


def test_a_person_may_leave_out_counts_and_make_remarks(tmp_path: Path) -> None:
    text = "# our own\nword\twrong\tright\tplace\tvalue\n\n了\tu\tv\tword+1\t不\n#\n"
    (tmp_path / "rules.tsv").write_text(text, encoding="utf-8")
    assert read_rules(tmp_path / "rules.tsv") == (Rule("了", "u", "v", "word+1", "不"),)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("了\tu\tv\tword+1", "line 2 has 4 columns"),
        ("了\tu\tv\tword+1\t不\tmany\t0", "a count that is no number"),
        ("了\tu\tv\tword+2\t不", "line 2: .*'word[+]2'"),
        ("了\tu\tv\tword+1\t", "line 2: .* lacks the value"),
        ("了\tu\tv\talways\t不", "has a value but no place"),
        ("了\tu\tu\talways\t", "changes nothing"),
        ("了\t\tu\talways\t", "lacks its word or a tag"),
        ("了\tu\tv\ttags\tn", "is not two tags"),
    ],
)
def test_a_bad_line_is_named(line: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "rules.tsv").write_text(f"word\twrong\tright\tplace\tvalue\n{line}\n", encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        read_rules(tmp_path / "rules.tsv")


def test_a_file_of_something_else_and_a_bad_rule_are_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear all\n", encoding="utf-8")
    with pytest.raises(UserError, match="is no table of rules"):
        read_rules(tmp_path / "letter.txt")
    with pytest.raises(UserError, match="changes nothing"):
        CorrectedTagger(Letters(), [Rule("天", "n", "n")]).tag(["天"])
    place: Place = "tags"
    assert check_rules([Rule("天", "n", "v", place, "a b")])
    assert PLACES[0] == "always"
