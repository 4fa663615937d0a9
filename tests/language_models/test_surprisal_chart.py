"""Do the bars show the numbers, in any width of terminal and in a picture?"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hengliang.language_models.opening import SentenceSurprisals, sentence_surprisals
from hengliang.language_models.sampling import Continuation
from hengliang.language_models.views import begun, draw_continuations, draw_surprisals, surprisal_rows, surprisal_svg
from tests.language_models.small_models import CharacterPairs, SmallBigrams

BIGRAMS, PAIRS = {"bigrams": SmallBigrams()}, {"pairs": CharacterPairs()}


def view_of(*numbers: float, end: float = math.nan) -> SentenceSurprisals:
    """Return a sentence of one-character words with these surprisals."""
    words = "他她买来了书车米"[: len(numbers)]
    view = sentence_surprisals(PAIRS, " ".join(f"{word}们" for word in words) if len(words) > 1 else f"{words}们")
    total = sum(numbers) + (0 if math.isnan(end) else end)
    return replace(view, models=(replace(view.models[0], surprisals=numbers, end=end, total=total),))


def table(drawn: str) -> list[str]:
    """Return the lines of the drawing without the remarks."""
    return drawn.partition("\n\n")[0].split("\n")


def test_one_block_is_one_nat_and_an_eighth_is_an_eighth() -> None:
    drawn = table(draw_surprisals(view_of(4.0, 7.5, 0.0, end=1.125)))
    assert drawn == ["他们  4.0  ████", "她们  7.5  ███████▌", "买们  0.0", "</s>  1.1  █▏"]


def test_a_bar_that_would_not_fit_is_scaled_with_all_others() -> None:
    # Of 30 cells 4 are the word, 5 the number, 4 the gaps: 17 are left for the longest bar, 8.5 for one of half.
    drawn = table(draw_surprisals(view_of(100.0, 50.0), width=30))
    assert drawn == ["他们  100.0  " + "█" * 17, "她们   50.0  " + "█" * 8 + "▌"]


def test_bits() -> None:
    drawn = draw_surprisals(view_of(math.log(2), 8 * math.log(2)), bits=True)
    assert table(drawn) == ["他们  1.0  █", "她们  8.0  ████████"]
    assert "Surprisal in bits by word." in drawn
    assert "9.0 bits in all" in drawn


def test_what_is_not_there_has_no_bar_and_what_is_impossible_a_full_one() -> None:
    drawn = table(draw_surprisals(view_of(math.nan, math.inf, 2.0)))
    assert drawn[0] == "他们    —"
    assert drawn[1] == "她们    ∞  " + "█" * 40
    assert drawn[2] == "买们  2.0  ██"


def test_unknown_words_are_marked_and_explained() -> None:
    drawn = draw_surprisals(sentence_surprisals(BIGRAMS, "他 终于 来 了 。"))
    # A place is kept for the mark, so that bars begin in the same cell. P(他 | <s>) = 3/13, P(终于 | 他) = 1/12.
    assert table(drawn)[:2] == ["他    1.5   █▌", "终于  2.5?  ██▌"]
    assert "? a word that the model does not know, scored as: <unk>." in drawn
    assert "bigrams: " in drawn
    assert "the end included" in drawn


def test_several_models_stand_beside_each_other_under_their_names() -> None:
    drawn = draw_surprisals(sentence_surprisals({**BIGRAMS, **PAIRS}, "他 买 了 书 。"), width=60)
    head, first, *_ = table(drawn)
    places = [head.index("bigrams"), head.index("pairs")]
    # 他买 is four cells in two characters, so that the places of a line with it are two characters to the left.
    assert [first[place - 2 : place + 1] for place in places] == ["3.3", "1.0"]
    assert "pairs has units that cross the edges of words: the words they join are shown together." in drawn
    assert "the end not scored" in drawn


def test_models_stand_under_each_other_where_the_terminal_is_narrow() -> None:
    drawn = draw_surprisals(sentence_surprisals({**BIGRAMS, **PAIRS}, "他 买 了 书 。"), width=24)
    assert [block.split("\n")[0].strip() for block in drawn.split("\n\n")[:2]] == ["bigrams", "pairs"]


def test_a_long_name_keeps_its_end() -> None:
    models = {"hf:/a/very/long/path/one": CharacterPairs(), "hf:/a/very/long/path/two": CharacterPairs()}
    head = table(draw_surprisals(sentence_surprisals(models, "中文 分词"), width=40))[0]
    assert re.fullmatch(r" +….*/one +….*/two", head)


def test_a_sentence_without_a_score_says_why() -> None:
    assert "pairs: no score: there is an x in it" in draw_surprisals(sentence_surprisals(PAIRS, "x 好"))


@given(
    words=st.lists(st.text("他她买来了书车abc。", min_size=1, max_size=12), min_size=1, max_size=6),
    width=st.integers(20, 200),
    both=st.booleans(),
)
def test_no_line_of_the_table_is_wider_than_the_terminal(words: list[str], width: int, both: bool) -> None:
    models = {**BIGRAMS, **PAIRS} if both else BIGRAMS
    drawn = draw_surprisals(sentence_surprisals(models, " ".join(words)), width=width)
    lines = drawn.split("Surprisal in")[0].split("\n")
    assert max(map(cell_len, lines)) <= width
    # Numbers of one model end in the same cell.
    if not both:
        ends = {cell_len(line[: found.end()]) for line in lines if (found := re.search(r"\d+\.\d|—", line))}
        assert len(ends) == 1


def test_continuations_are_ranked_with_bars_of_probability() -> None:
    found = [Continuation("医生", math.log(0.5)), Continuation("他", math.log(0.25))]
    # Rank, unit, probability and gaps take 1 + 4 + 6 + 6 of 37 cells: a bar of probability 1 would have 20.
    assert draw_continuations(found, width=37) == "1  医生  0.5000  ██████████\n2  他    0.2500  █████"


def test_units_that_cannot_be_seen_are_written_out() -> None:
    # A tab and the character that begins commands to a terminal would spoil the lines.
    drawn = draw_continuations([Continuation(unit, math.log(0.1)) for unit in (" 好", "\t", "\x1b[2J")], width=60)
    assert [line.split()[1] for line in drawn.split("\n")] == ["␣好", "\\t", "\\x1b[2J"]
    assert table(draw_surprisals(sentence_surprisals(BIGRAMS, "好 \x1b[2J")))[1].startswith("\\x1b[2J  ")


def test_rows_are_json() -> None:
    view = sentence_surprisals(BIGRAMS, "他 来 了")
    (row,) = json.loads(json.dumps(surprisal_rows(view), allow_nan=False))
    assert [word["text"] for word in row["rows"]] == ["他", "来", "了"]
    assert (row["rows"][1]["start"], row["rows"][1]["end"]) == (3, 6)
    assert row["total"] == pytest.approx(view.models[0].total)
    assert row["signature"].startswith("class:SmallBigrams")
    (infinite,) = surprisal_rows(view_of(math.inf, math.nan))
    assert [word["surprisal"] for word in infinite["rows"]] == ["Infinity", None]


def test_the_picture_shows_every_word_and_number() -> None:
    svg = surprisal_svg(sentence_surprisals(BIGRAMS, "他 终于 来 了 ， 终于 来 了 。"))
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert svg.startswith("<svg")
    # A word that comes twice has two rows.
    assert shown.count("终于") == 2
    assert shown.count("&lt;/s&gt;") == 1
    assert "他终于来了，终于来了。" in shown
    assert "2.5?" in shown
    assert "surprisal (nats), bigrams" in shown


def test_the_picture_of_several_models_has_a_legend() -> None:
    svg = surprisal_svg(sentence_surprisals({**BIGRAMS, **PAIRS}, "他 买 了 书 。"), bits=True)
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert {"bigrams", "pairs", "surprisal (bits)", "他买"} <= set(shown)


def test_hostile_words_do_no_harm_to_the_picture() -> None:
    words = ["'+alert(1)+'", "<script>", "\\", "datum.label", "&amp;"]
    svg = surprisal_svg(sentence_surprisals(BIGRAMS, " ".join(words)))
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert "<script>" not in svg
    assert {"'+alert(1)+'", "&lt;script&gt;", "\\", "datum.label", "&amp;amp;"} <= {
        text.replace("&#39;", "'") for text in shown
    }


def test_the_beginning_of_a_text_in_cells() -> None:
    assert begun("他来了", 6) == "他来了"
    assert begun("他来了", 5) == "他来…"
    assert begun("ab", 4) == "ab  "
