"""Run folders: the tables, manifest and log of one run of a study on disk.

A run folder holds the tables of the finished stages, `manifest.json` and a log. Every file is written beside its place
and moved there, so that a run killed at any moment leaves whole files or none. A stage is up to date when its recorded
signature (which covers its inputs) is the one asked for and its files have the recorded checksums.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from hengliang.core.errors import UserError, file_errors, unknown_name
from hengliang.core.io.files import locked_folder, read_json, read_table, write_json, write_table
from hengliang.core.records import RESPONSE_KINDS, ResponseKind, response_schema
from hengliang.core.settings import from_json, to_json
from hengliang.core.signature import file_checksum, version
from hengliang.core.views import View

Stage = Literal["items", "responses", "judgements", "estimates", "report"]
STAGES: tuple[Stage, ...] = get_args(Stage)
Form = Literal["quick", "full", ""]
"""In which form a study is asked; nothing where nobody said, as in runs made before the form was recorded."""
FORMAT = 1

SYSTEM_SCHEMA: dict[str, pl.DataType] = {"name": pl.String(), "seed": pl.Int64()}
SENTENCE_SCHEMA: dict[str, pl.DataType] = {"analysis": pl.String(), "en": pl.String(), "zh": pl.String()}


@dataclass(frozen=True, slots=True)
class Tables:
    """All that the stages before an analysis have left."""

    items: pl.DataFrame
    systems: pl.DataFrame
    responses: Mapping[ResponseKind, pl.DataFrame]
    judgements: pl.DataFrame


@dataclass(frozen=True, slots=True)
class StageRecord:
    """What the manifest remembers of a finished stage."""

    signature: str
    parts: Mapping[str, str]
    files: Mapping[str, str]
    rows: int
    seconds: float
    finished: str
    form: Form = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run is: the study's description for the report, and each finished stage."""

    study: str
    description: Mapping[str, Any] = field(default_factory=dict)
    seeds: Mapping[str, int | None] = field(default_factory=dict)
    stages: Mapping[str, StageRecord] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    format: int = FORMAT

    @property
    def form(self) -> Form:
        """The form of the run: quick as soon as one table is, for a stage may be run alone on tables of the other."""
        forms = {record.form for stage, record in self.stages.items() if stage != "report"}
        return "quick" if "quick" in forms else "full" if forms == {"full"} else ""


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def package_versions() -> dict[str, str]:
    """Return the versions of what computes: Python, ourselves and our installed dependencies."""
    return dict(_package_versions())


@cache
def _package_versions() -> Mapping[str, str]:
    # To look up thirty packages takes a quarter of a second, and every stage of a run wants to know them.
    versions = {"python": platform.python_version(), "hengliang": version()}
    for line in metadata.requires("hengliang") or []:
        name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
        if re.search(r"extra == .dev.", line):
            continue
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run on disk; `option` is what the command at work calls its folder."""

    path: Path
    option: str = "--out"

    @classmethod
    def create(cls, path: str | Path, option: str = "--out") -> RunFolder:
        """Return the folder, made if need be; a folder that holds something else is refused."""
        folder = Path(path)
        if folder.exists() and not folder.is_dir():
            raise UserError(f"{folder} is a file, not a folder.", remedy=f"Choose another {option}.")
        if folder.is_dir() and not (folder / "manifest.json").exists():
            strangers = _strangers(folder)
            if strangers:
                raise UserError(
                    f"The folder {folder} holds other things ({strangers[0]}) and no run.",
                    remedy=f"Choose a new or empty folder for {option}.",
                )
        with file_errors(folder, "create"):
            folder.mkdir(parents=True, exist_ok=True)
        return cls(folder, option)

    @classmethod
    def open(cls, path: str | Path) -> RunFolder:
        """Return the folder of an existing run."""
        folder = Path(path)
        if not (folder / "manifest.json").is_file():
            problem = f"There is no run in {folder}." if folder.is_dir() else f"There is no folder {folder}."
            raise UserError(problem, remedy=f"Make one with: hengliang run STUDY --out {folder}")
        return cls(folder)

    # --- manifest and log ---

    def manifest(self) -> Manifest | None:
        """Return what the manifest says, or None before there is one."""
        file = self.path / "manifest.json"
        if not file.exists():
            return None
        content = read_json(file)
        stored = content.get("format") if isinstance(content, dict) else None
        if stored != FORMAT:
            raise UserError(
                f"The run in {self.path} has the format {stored!r}; hengliang {version()} reads format {FORMAT}.",
                remedy="Run it anew into another folder: hengliang run STUDY --out NEW",
            )
        stages = {name: StageRecord(**record) for name, record in content.pop("stages").items()}
        return Manifest(**content, stages=stages)

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest in one step."""
        write_json(self.path / "manifest.json", asdict(manifest))

    def log(self, message: str) -> None:
        """Add a line with the time to the run's log."""
        file = self.path / "log.txt"
        with file_errors(file, "write"), file.open("a", encoding="utf-8") as stream:
            stream.write(f"{now()} {message}\n")

    @contextmanager
    def lock(self) -> Iterator[RunFolder]:
        """Keep a second process out of this folder while we write, and return it; the kernel lets go when we die."""
        with locked_folder(self.path, self.option):
            yield _LockedFolder(self.path, self.option)

    # --- tables ---

    def table_file(self, stage: Stage, kind: ResponseKind | None = None) -> Path:
        """Return where a stage keeps its table."""
        return self.path / "responses" / f"{kind}.parquet" if kind else self.path / f"{stage}.parquet"

    def has(self, stage: Stage) -> bool:
        """Say whether the stage has been finished in this folder."""
        manifest = self.manifest()
        return manifest is not None and stage in manifest.stages

    def is_current(self, stage: Stage, signature: str) -> bool:
        """Say whether the stage was finished under this signature and its files are as it left them."""
        manifest = self.manifest()
        record = manifest.stages.get(stage) if manifest else None
        return record is not None and record.signature == signature and self._is_as_left(record)

    def _is_as_left(self, record: StageRecord) -> bool:
        """Say whether the files of a stage are still those that it left."""
        return all(self._is_file_as_left(name, checksum) for name, checksum in record.files.items())

    def _is_file_as_left(self, name: str, checksum: str) -> bool:
        return (self.path / name).is_file() and file_checksum(self.path / name) == checksum

    def record(self, stage: Stage) -> StageRecord:
        """Return what the manifest remembers of a finished stage."""
        manifest = self.manifest()
        record = manifest.stages.get(stage) if manifest else None
        if record is None:
            raise UserError(
                f"The run in {self.path} has no {stage} yet.",
                remedy=f"Run that stage first: hengliang run STUDY --from {stage}",
            )
        return record

    def write_tables(self, tables: Mapping[Path, pl.DataFrame]) -> dict[str, str]:
        """Write tables and return the checksum of each under its name in the folder."""
        checksums = {}
        for file, frame in tables.items():
            write_table(file, frame)
            checksums[file.relative_to(self.path).as_posix()] = file_checksum(file)
        return checksums

    def items(self) -> pl.DataFrame:
        """Return the item table."""
        return self._read("items", self.table_file("items"))

    def systems(self) -> pl.DataFrame:
        """Return the systems table: name, seed, and one column per trait."""
        return self._read("responses", self.path / "systems.parquet")

    def responses(self) -> dict[ResponseKind, pl.DataFrame]:
        """Return the response tables by kind."""
        names = self.record("responses").files
        tables: dict[ResponseKind, pl.DataFrame] = {}
        for kind in RESPONSE_KINDS:
            file = self.table_file("responses", kind)
            if file.relative_to(self.path).as_posix() in names:
                tables[kind] = read_table(file, response_schema(kind))
        return tables

    def judgements(self) -> pl.DataFrame:
        """Return the judgement table."""
        return self._read("judgements", self.table_file("judgements"))

    def estimates(self) -> pl.DataFrame:
        """Return the estimate table."""
        return self._read("estimates", self.table_file("estimates"))

    @property
    def sentences_file(self) -> Path:
        """Where the stage `estimates` keeps what its numbers say in words, when they say anything."""
        return self.path / "sentences.parquet"

    def sentences(self) -> pl.DataFrame:
        """Return what the estimates say in words, one row per sentence: analysis, English, Chinese.

        There are none when no analysis says anything, in a run that was made before there were sentences, and when the
        estimates were edited since: the words would be about other numbers.
        """
        record = self.record("estimates")
        present = self.sentences_file.name in record.files and self._is_as_left(record)
        return read_table(self.sentences_file) if present else pl.DataFrame(schema=SENTENCE_SCHEMA)

    @property
    def views_file(self) -> Path:
        """Where the stage `estimates` keeps what measures and analyses show besides numbers, when there is any."""
        return self.path / "views.json"

    def write_views(self, views: Sequence[View]) -> dict[str, str]:
        """Write views, if there are any, and return the checksum of their file under its name in the folder."""
        if not views:
            return {}
        write_json(self.views_file, to_json(views))
        return {self.views_file.name: file_checksum(self.views_file)}

    def views(self) -> tuple[View, ...] | None:
        """Return what measures and analyses show besides numbers; None when the file is not as the stage left it."""
        checksum = self.record("estimates").files.get(self.views_file.name)
        if checksum is None:
            return ()
        if not self._is_file_as_left(self.views_file.name, checksum):
            return None
        remedy = "Make it again: hengliang run STUDY --from estimates"
        return tuple(from_json(View, view, str(self.views_file), remedy=remedy) for view in read_json(self.views_file))

    def tables(self) -> Tables:
        """Return everything an analysis may look at."""
        return Tables(self.items(), self.systems(), self.responses(), self.judgements())

    def _read(self, stage: Stage, file: Path) -> pl.DataFrame:
        self.record(stage)
        return read_table(file)


@dataclass(frozen=True, slots=True)
class _LockedFolder(RunFolder):
    """A run folder into which nobody else writes: its manifest is read once and then kept in memory."""

    known: list[Manifest | None] = field(default_factory=list, repr=False, compare=False)

    def manifest(self) -> Manifest | None:
        if not self.known:
            self.known.append(RunFolder.manifest(self))
        return self.known[0]

    def write_manifest(self, manifest: Manifest) -> None:
        RunFolder.write_manifest(self, manifest)
        self.known[:] = [manifest]


def _strangers(folder: Path) -> list[str]:
    """Return what a folder without a manifest holds that no run of ours left when it was stopped at its start.

    A run writes its manifest before any table, but the lock and half a manifest come before it. Runs that did not do so
    yet may have left their items too; the lock beside them tells that they are ours.
    """
    names = sorted(file.name for file in folder.iterdir())
    begun = {".lock", "log.txt", *(("items.parquet", "cache") if ".lock" in names else ())}
    return [name for name in names if name not in begun and not re.fullmatch(r"\.(manifest|items)\..*\.tmp", name)]


def stage_named(name: str) -> Stage:
    """Return the stage of this name; an unknown one lists the stages."""
    for stage in STAGES:
        if stage == name:
            return stage
    raise unknown_name("stage", name, STAGES)
