from __future__ import annotations

from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.language_models.ngram import arpa as arpa_sections
from hengliang.language_models.ngram.arpa import read_sections, wrong_line
from tests.language_models.ngram.samples import SMALL, tiny


def test_sections_hold_lines_words_and_numbers(tmp_path: Path) -> None:
    first, second, third = read_sections(tiny(tmp_path))
    # The header is on the lines 1 to 5, the 1-grams on 7 to 11, the 2-grams on 14 to 16, the 3-gram on 19.
    assert first.lines.tolist() == [7, 8, 9, 10, 11]
    assert second.lines.tolist() == [14, 15, 16]
    assert [column.to_list() for column in second.words] == [["<s>", "山", "山"], ["山", "水", "</s>"]]
    assert second.backoffs.is_null().to_list() == [False, True, True]
    assert (third.order, third.lines.tolist()) == (3, [19])
    assert third.logprobs[0] == pytest.approx(-0.12493873660829993)  # log10(3/4)


def test_reading_piece_by_piece_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(read_sections(SMALL))
    monkeypatch.setattr(arpa_sections, "_AT_A_TIME", 100)
    for one, other in zip(read_sections(SMALL), whole, strict=True):
        assert one.lines.tolist() == other.lines.tolist()
        assert [column.to_list() for column in one.words] == [column.to_list() for column in other.words]
        assert one.logprobs.tolist() == other.logprobs.tolist()
        assert one.backoffs.to_list() == other.backoffs.to_list()


def test_the_line_of_a_later_piece_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arpa_sections, "_AT_A_TIME", 100)
    lines = SMALL.read_text(encoding="utf-8").split("\n")
    assert lines[199].startswith("-")
    lines[199] = "?" + lines[199]
    path = tmp_path / "broken.arpa"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UserError, match=r"line 200: .* is not a probability's logarithm"):
        list(read_sections(path))


def test_an_error_names_file_and_line_and_says_what_to_do() -> None:
    error = wrong_line(Path("a.arpa"), 7, "this is wrong", valid="That would be right.")
    assert str(error).startswith("a.arpa, line 7: this is wrong. That would be right. Mend the line")
