"""Which classifiers do the writers of the Chinese Classifier Dataset choose?

The dataset [1] may not be passed on with a program, so the user's own copy is read: a folder with train.csv, dev.csv
and test.csv, or any one file in its format, such as those of `ccd-sample` with the choices of models. Its ids tell from
which corpus a sentence comes.

[1] Peinelt, N., Liakata, M., Hsieh, S.-K. (2017). ClassifierGuesser: a context-based classifier prediction system for
    Chinese language learners. IJCNLP 2017, system demonstrations, 41-44.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import polars as pl

from hengliang.core import places
from hengliang.core.base_classes import Material
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.io.delimited import TableOptions
from hengliang.core.records import check_items
from hengliang.core.registry import register
from hengliang.core.signature import Signature, code_checksum, file_checksum, version
from hengliang.core.terms import Bilingual
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import PARTS, Part
from hengliang.corpora.plain_text import OnBroken
from hengliang.materials.ccd import BrokenLine, CcdRows, read_ccd_rows
from hengliang.materials.text_genres import ccd_category, ccd_genre

NAME = "ccd_slots"
DATASET = "ccd"
SAMPLE = "ccd-sample"


@register(NAME)
class CcdSlots(Material):
    """The slots of the Chinese Classifier Dataset, or of any file in its format.

    `path` is a folder with train.csv, dev.csv and test.csv, one file, or a file of the catalogue
    (`ccd-sample/exp1.csv`); without it the folder `ccd` below the mirror or the data folder. `part` is one of the three
    files of a folder, None all of them. `choices` names the columns after the fourth. `errors="skip"` leaves broken
    lines out; `broken_lines()` lists them. Rows of one id are numbered: id, id~2, ….
    """

    name = NAME
    title = Bilingual("Slots of the Chinese Classifier Dataset", "汉语量词数据集的空位")
    licence = "CC BY-NC-SA 4.0"
    citation = sources.source(DATASET).citation

    def __init__(
        self,
        path: str | Path = "",
        part: Part | None = None,
        choices: tuple[str, ...] = (),
        errors: OnBroken = "raise",
    ) -> None:
        self.path = path
        self.part = part
        self.choices = choices
        self.errors = errors

    def items(self) -> pl.DataFrame:
        """Return the slots, with `genre` (weibo, LCMC, UCLA, unknown), `text_category` and `corpus_part`."""
        frames = []
        for part, rows in self._rows():
            names = rows.items["set"].to_list()
            frames.append(
                rows.items.with_columns(
                    genre=pl.Series([ccd_genre(name) for name in names], dtype=pl.String),
                    text_category=pl.Series([ccd_category(name) for name in names], dtype=pl.String),
                    corpus_part=pl.lit(part, dtype=pl.String),
                )
            )
        return check_items(_distinct(pl.concat(frames)))

    def broken_lines(self) -> dict[str, tuple[BrokenLine, ...]]:
        """Return the lines of each file that were left out, and why; none unless `errors` is "skip"."""
        return {part: rows.broken for part, rows in self._rows()}

    def _rows(self) -> Iterator[tuple[str, CcdRows]]:
        for part, file in self._files().items():
            yield part, _read(file, file_checksum(file), tuple(self.choices), self.errors)

    def _files(self) -> dict[str, Path]:
        """Return the files to read, by the part each is; a single file is no part."""
        if self.part is not None and self.part not in PARTS:
            raise unknown_name("part", str(self.part), PARTS)
        place = _place(self.path)
        if place.is_dir():
            files: dict[str, Path] = {part: place / f"{part}.csv" for part in PARTS if self.part in {None, part}}
            absent = [file for file in files.values() if not file.is_file()]
            if absent:
                raise _absent(f"{absent[0]} is not there.")
            return files
        if self.part is not None:
            raise UserError(
                f"{place} is one file and has no {self.part} part.",
                valid="Parts are those of a folder with train.csv, dev.csv and test.csv.",
                remedy="Give the folder, or leave part out.",
            )
        return {"": place}

    def signature(self) -> Signature:
        """Return what can change the items: the files, the names of the columns and what becomes of broken lines."""
        files = {part or "file": file_checksum(file) for part, file in self._files().items()}
        return Signature.of(
            material=NAME,
            code=code_checksum(type(self)),
            files=Signature.of(**files),
            choices=" ".join(self.choices),
            broken_lines=self.errors,
            hengliang=version(),
        )

    def facts(self, items: pl.DataFrame) -> list[tuple[Bilingual, str]]:
        """Return what a reader of a report should know about these slots besides their number."""
        genres = items["genre"].value_counts(sort=True).rows()
        broken = sum(len(lines) for lines in self.broken_lines().values())
        several = items.filter(pl.col("spans").list.eval(pl.element().struct.field("name") == "open").list.any())
        return [
            (Bilingual("Part", "部分"), self.part or "all"),
            (Bilingual("Classifiers", "量词种数"), f"{items['gold'].n_unique():,}"),
            (Bilingual("Corpora", "来源语料"), ", ".join(f"{genre} {count:,}" for genre, count in genres)),
            (Bilingual("Sentences with a second slot", "另有空位的句子"), f"{several.height:,}"),
            (Bilingual("Broken lines left out", "略去的错误行"), f"{broken:,}"),
        ]


def ccd_slots(
    path: str | Path = "", part: Part | None = None, choices: tuple[str, ...] = (), errors: OnBroken = "raise"
) -> CcdSlots:
    """Return the slots of the Chinese Classifier Dataset, or of a file in its format."""
    return CcdSlots(path, part, tuple(choices), errors)


@lru_cache(maxsize=8)
def _read(file: Path, checksum: str, choices: tuple[str, ...], errors: OnBroken) -> CcdRows:
    table = TableOptions(errors=errors)
    return read_ccd_rows(file, choices, material=NAME, repeated_ids="number", table=table)


def _distinct(items: pl.DataFrame) -> pl.DataFrame:
    """Give an id that occurs in two parts the name of the later part."""
    twice = ~pl.col("id").is_first_distinct()
    return items.with_columns(id=pl.when(twice).then(pl.concat_str("id", pl.lit("~"), "corpus_part")).otherwise("id"))


def _place(path: str | Path) -> Path:
    """Return the folder or file of the user's copy, or of the catalogue."""
    if str(path) in {"", DATASET} and not (path and Path(path).exists()):
        homes = [home / DATASET for home in (places.mirror(), places.data()) if home is not None]
        found = next((home for home in homes if home.is_dir()), None)
        if found is None:
            raise _absent("The Chinese Classifier Dataset is not on this machine.")
        return found
    given = Path(path)
    if given.exists():
        return given
    name, _, file = str(path).partition("/")
    if name == SAMPLE:
        if not file:
            held = ", ".join(f"{SAMPLE}/{one.path.rpartition('/')[2]}" for one in sources.source(SAMPLE).files)
            raise UserError(f"{SAMPLE} has several files.", valid=f"One of: {held}.")
        return sources.locate(SAMPLE, file)
    raise UserError(
        f"There is no file or folder {given}.",
        valid=f"A folder with train.csv, dev.csv and test.csv, a file in their format, or {SAMPLE}/exp1.csv.",
        remedy="Check the path for a typing mistake.",
    )


def _absent(problem: str) -> UserError:
    entry = sources.source(DATASET)
    return UserError(
        problem,
        valid=f"Its licence is {entry.licence}: {entry.terms}",
        remedy=f"Get your own copy: git clone {entry.origin} {places.data() / DATASET}",
    )
