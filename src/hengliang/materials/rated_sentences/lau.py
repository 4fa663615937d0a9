"""What did people say of sentences of Wikipedia, alone and in a context?

`lau2020` [1]: 250 sentences, 50 of them original and 200 translated there and back through four languages, each rated
three times, without a context, in the context of another text and in its own. Every sentence has a context of its own,
so no two of them come from one original. `lau2015` [2]: 100 rated sentences with their means, an example that comes
with the authors' program. They are the first hundred rows of the 2,500 of ENWIKI, a file of SMOG: all of them
are originals, rated in four categories (MOP4), and so they span less of the scale than translations do.

[1] Lau, J. H., Armendariz, C., Lappin, S., Purver, M., Shu, C. (2020). How furiously can colorless green ideas sleep?
    Sentence acceptability in context. TACL 8.
[2] Lau, J. H., Clark, A., Lappin, S. (2015). Unsupervised prediction of acceptability judgements. ACL-IJCNLP 2015.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, get_args

from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.corpora import catalogue as sources
from hengliang.corpora.plain_text import read_plain
from hengliang.materials.rated_sentences.rated_row import (
    RatedRow,
    check_keys,
    number_of,
    numbers_of,
    problem,
    spread,
)

Context = Literal["none", "random", "real"]
CONTEXTS: tuple[Context, ...] = get_args(Context)
ALL = "all"

HEADER = ("ID", "translated", "source-language", "sentence", "context", "full-ratings", "mean-ratings")
_LOWEST, _HIGHEST = 1, 4


def contexts_of(context: str | Sequence[str]) -> tuple[str, ...]:
    """Return the contexts that are asked for, each once, in the usual order."""
    asked = (context,) if isinstance(context, str) else tuple(context)
    for one in asked:
        if one not in {*CONTEXTS, ALL}:
            raise unknown_name("context", one, [*CONTEXTS, ALL])
    return tuple(one for one in CONTEXTS if one in asked or ALL in asked)


def lau2020_files(context: str | Sequence[str] = ALL) -> tuple[Path, ...]:
    """Return where the ratings of these contexts are on this machine."""
    return tuple(sources.locate("lau2020", f"lau2020/context-{one}-ratings.csv") for one in contexts_of(context))


def read_lau2020(context: str | Sequence[str] = ALL) -> tuple[RatedRow, ...]:
    """Read the ratings of one context, several or all."""
    files = zip(contexts_of(context), lau2020_files(context), strict=True)
    return tuple(row for one, file in files for row in read_lau2020_file(file, one))


def read_lau2020_file(path: Path | str, context: str) -> tuple[RatedRow, ...]:
    """Read one file of ratings."""
    file = Path(path)
    rows = tuple(_row(file, line, cells, context) for line, cells in _cells(file))
    if not rows:
        raise UserError(f"{file} holds no rated sentences.", remedy="Check that the file arrived whole.")
    check_keys(rows, file)
    return rows


def _cells(file: Path) -> Iterator[tuple[int, list[str]]]:
    with file_errors(file, "read"):
        text = file.read_bytes().decode("utf-8-sig", errors="replace")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 0
    try:
        for cells in reader:
            line = reader.line_num
            if line == 1 and tuple(cells) != HEADER:
                raise problem(file, line, "the header is another", valid=f"Columns: {', '.join(HEADER)}.")
            if line > 1 and cells:
                yield line, cells
    except csv.Error as error:
        raise problem(file, line + 1, f"it is no row of a table ({error})") from error


def _row(file: Path, line: int, cells: Sequence[str], context: str) -> RatedRow:
    if len(cells) != len(HEADER):
        raise problem(file, line, f"there are {len(cells)} columns", valid=f"Columns: {', '.join(HEADER)}.")
    key, translated, language, text, _, listed, mean = cells
    if "\ufffd" in text:
        raise problem(file, line, "it is not UTF-8", remedy="Check that the file arrived whole.")
    if not text.strip():
        raise problem(file, line, "there is no sentence")
    if (translated == "0") != (language == "en"):
        raise problem(file, line, f"translated is {translated}, but the language is {language}")
    ratings = numbers_of(listed, file, line)
    for rating in ratings:
        if not _LOWEST <= rating <= _HIGHEST:
            raise problem(file, line, f"{rating:g} is no rating", valid="Ratings from 1 to 4.")
    return RatedRow(
        line,
        key,
        text.strip(),
        context,
        language,
        None,
        number_of(mean, file, line, "mean rating"),
        ratings,
        len(ratings),
        spread(ratings),
        f"lau2020-{key}",
    )


def lau2015_files() -> tuple[Path, Path]:
    """Return where the rated sentences and their ratings are on this machine."""
    return sources.locate("lau2015", "lau2015/test.txt"), sources.locate("lau2015", "lau2015/test_gold_ratings.txt")


def read_lau2015() -> tuple[RatedRow, ...]:
    """Read the 100 rated sentences; how many people rated each is not told."""
    return read_lau2015_files(*lau2015_files())


def read_lau2015_files(sentences: Path | str, ratings: Path | str) -> tuple[RatedRow, ...]:
    """Read sentences and ratings, line by line together."""
    texts, means = dict(read_plain(sentences)), dict(read_plain(ratings))
    lost = sorted(texts.keys() ^ means.keys())
    if lost:
        file, other = (sentences, ratings) if lost[0] in texts else (ratings, sentences)
        raise problem(Path(file), lost[0], f"{Path(other).name} has nothing on this line")
    return tuple(
        RatedRow(
            line,
            f"{line:03}",
            text,
            "MOP4",
            "en",
            rating=number_of(means[line], Path(ratings), line, "mean rating"),
            source_sentence=f"lau2015-{line:03}",
        )
        for line, text in texts.items()
    )
