"""Are the rated sentences of Wikipedia read with their contexts and ratings?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hengliang import UserError
from hengliang.materials.rated_sentences.lau import (
    CONTEXTS,
    contexts_of,
    read_lau2015,
    read_lau2015_files,
    read_lau2020,
    read_lau2020_file,
)

HEADER = "ID,translated,source-language,sentence,context,full-ratings,mean-ratings\r\n"
GOOD = HEADER + '12,0,en,"the dog, they say, barked.",,"4,3.0,2",3.0\r\n15,1,cs,dog barked the.,,"1,1",1.0\r\n'


def test_rows_of_one_context(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(GOOD.encode())
    first, second = read_lau2020_file(path, "real")
    assert (first.key, first.mode, first.origin, first.text) == ("12", "real", "en", "the dog, they say, barked.")
    assert (first.rating, first.raters, first.rating_sd, first.source_sentence) == (3.0, 3, 1.0, "lau2020-12")
    assert (second.line, second.origin, second.rating_sd) == (3, "cs", 0.0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("16,1,cs,dog barked.,,4\r\n", "line 4: there are 6 columns"),
        ("16,1,cs,dog barked.,,5,5\r\n", "line 4: 5 is no rating"),
        ("16,1,cs, ,,4,4\r\n", "line 4: there is no sentence"),
        ("16,0,cs,dog barked.,,4,4\r\n", "line 4: translated is 0, but the language is cs"),
        ("15,1,cs,dog barked.,,4,4\r\n", "line 4: the id '15' (none) is that of line 3"),
        ('16,1,cs,"dog barked.,,4,4\r\n', "line 4: it is no row of a table"),
    ],
)
def test_what_is_wrong_with_a_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes((GOOD + line).encode())
    with pytest.raises(UserError) as caught:
        read_lau2020_file(path, "none")
    assert message in str(caught.value)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("a,b\n")
    with pytest.raises(UserError, match="line 1: the header is another"):
        read_lau2020_file(path, "none")
    path.write_text(HEADER)
    with pytest.raises(UserError, match="holds no rated sentences"):
        read_lau2020_file(path, "none")
    path.write_bytes(GOOD.replace("dog barked", "caf\xe9 closed").encode("latin-1"))
    with pytest.raises(UserError, match="line 3: it is not UTF-8"):
        read_lau2020_file(path, "none")


def test_contexts_by_name() -> None:
    assert contexts_of("real") == ("real",)
    assert contexts_of("all") == CONTEXTS
    assert contexts_of(["real", "none"]) == ("none", "real")
    with pytest.raises(UserError, match=r"No context is called 'reel'. Did you mean real"):
        contexts_of("reel")


def test_sentences_and_ratings_line_by_line(tmp_path: Path) -> None:
    sentences, ratings = tmp_path / "test.txt", tmp_path / "gold.txt"
    sentences.write_text("Dogs bark .\nCats sleep .\n")
    ratings.write_text("3.5\n4.0\n")
    rows = read_lau2015_files(sentences, ratings)
    assert [(row.key, row.rating, row.raters) for row in rows] == [("001", 3.5, None), ("002", 4.0, None)]
    assert {(row.mode, row.origin) for row in rows} == {("MOP4", "en")}
    ratings.write_text("3.5\n")
    with pytest.raises(UserError, match=r"test.txt, line 2: gold.txt has nothing on this line"):
        read_lau2015_files(sentences, ratings)
    ratings.write_text("3.5\nx\n")
    with pytest.raises(UserError, match=r"gold.txt, line 2: the mean rating 'x' is no number"):
        read_lau2015_files(sentences, ratings)


@pytest.mark.mirror
def test_the_published_files(mirror: Path) -> None:
    rows = read_lau2020()
    assert Counter(row.mode for row in rows) == {"none": 250, "random": 250, "real": 250}
    assert len({row.text for row in rows}) == len({row.source_sentence for row in rows}) == 250
    assert Counter(row.origin for row in rows) == dict.fromkeys(("en", "cs", "de", "es", "fr"), 150)
    assert not any(row.mean_differs for row in rows)
    # Lower case but for words that the translator capitalised: 9 of 250 sentences.
    assert sum(row.text != row.text.lower() for row in rows if row.mode == "none") == 9
    sample = read_lau2015()
    # The first rows of the file of 2,500 that the authors call ENWIKI.
    assert len(sample) == len({row.text for row in sample}) == 100
    assert all(row.rating is not None and 1 <= row.rating <= 4 for row in sample)
