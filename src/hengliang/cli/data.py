"""Which data is there, and is it here and whole?"""

from __future__ import annotations

from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Column, Table

from hengliang.core.commands.options import echo_json, json_option, quiet_option, watcher
from hengliang.core.progress import Steps
from hengliang.corpora import catalogue as sources
from hengliang.corpora.catalogue import FileCheck, Source, SourceFile


@click.group()
def data() -> None:
    """List, show, fetch and check the data that studies use.

    Files come from the folder that HENGLIANG_MIRROR names, if it is set, else from the network or an installed package.

    \b
    Example:
      hengliang data list
      hengliang data get sling
    """


@data.command("list")
@json_option
def list_sources(as_json: bool) -> None:
    """List all sources with their licences.

    \b
    Example:
      hengliang data list
      hengliang data list --json
    """
    entries = sources.list_sources()
    if as_json:
        echo_json(sources=[_summary(entry) for entry in entries])
        return
    table = Table(Column("name", no_wrap=True), "what", "format", "licence", _number("files"), _number("bytes"))
    for entry in entries:
        table.add_row(entry.name, entry.title.en, entry.format, entry.licence, str(len(entry.files)), f"{entry.size:,}")
    Console().print(table)


def _number(title: str) -> Column:
    return Column(title, justify="right", no_wrap=True)


def _summary(entry: Source) -> dict[str, object]:
    full = entry.to_json()
    kept = ("name", "title", "description", "format", "licence", "origin")
    return {**{key: full[key] for key in kept}, "files": len(entry.files), "bytes": entry.size}


@data.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show one source: what it is, whose, under which terms, how to cite it, and its files.

    \b
    Example:
      hengliang data show peoples-daily-199801
      hengliang data show sling --json
    """
    entry = sources.source(name)
    if as_json:
        echo_json(source=entry.to_json())
        return
    console = Console(highlight=False, markup=False)
    console.print(f"{entry.name}: {entry.title.en} · {entry.title.zh}")
    console.print(entry.description.en)
    console.print(entry.description.zh)
    facts = {
        "licence": f"{entry.licence}. {entry.terms}",
        "citation": entry.citation,
        "origin": entry.origin,
        "by hand": entry.by_hand,
        "format": entry.format,
    }
    for key, value in facts.items():
        if value:
            console.print(f"{key}: {value}")
    for note in entry.notes:
        console.print(f"note: {note}")
    if entry.files:
        Console().print(_file_table(entry))


def _file_table(entry: Source) -> Table:
    table = Table("file", _number("bytes"), "from")
    for file in entry.files:
        table.add_row(file.path, f"{file.size:,}", _whence(entry, file))
    return table


def _whence(entry: Source, file: SourceFile) -> str:
    if file.derived:
        return "derived"
    if entry.package:
        return f"package {entry.package}"
    return "network" if file.url else "by hand"


@data.command()
@click.argument("name")
@quiet_option
@json_option
def get(name: str, quiet: bool, as_json: bool) -> None:
    """Make sure that a source is on this machine, and print where its files are.

    A download that was cut off goes on where it stopped. Nothing is copied from a mirror: it is used in place.

    \b
    Example:
      hengliang data get ud-chinese-gsdsimp
      HENGLIANG_MIRROR=/srv/corpora hengliang data get qtuna
    """
    entry = sources.source(name)
    with watcher(quiet or as_json).watch(f"fetching {entry.name}", entry.size) as steps:
        paths = sources.get(name, _Meter(steps))
    if as_json:
        echo_json(source=name, paths=[str(path) for path in paths])
        return
    for path in paths:
        click.echo(path)


class _Meter:
    """Turns the state of each file into steps of one bar."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.done: dict[str, int] = {}

    def __call__(self, file: SourceFile, done: int, total: int | None) -> None:
        self.steps.advance(done - self.done.get(file.path, 0))
        self.done[file.path] = done


@data.command()
@click.argument("names", nargs=-1)
@json_option
def verify(names: tuple[str, ...], as_json: bool) -> int:
    """Read the files of sources again and compare them with the catalogue; without a name, of all sources.

    Ends with exit code 1 when a file is damaged, or missing from a source that was named.

    \b
    Example:
      hengliang data verify sling smog
      hengliang data verify --json
    """
    chosen = names or tuple(entry.name for entry in sources.list_sources() if entry.files)
    checks = [(name, check) for name in chosen for check in sources.verify(name)]
    if as_json:
        echo_json(checks=[_check_row(name, check) for name, check in checks])
    else:
        Console().print(_verdicts(checks))
        for name, check in checks:
            if check.status == "damaged":
                click.echo(f"{name}: {check.path} {check.reason}.")
    wrong = {"damaged", "missing"} if names else {"damaged"}
    return int(any(check.status in wrong for _, check in checks))


def _check_row(name: str, check: FileCheck) -> dict[str, object]:
    place = str(check.path) if check.path is not None else None
    return {"source": name, **asdict(check.file), "status": check.status, "place": place, "reason": check.reason}


def _verdicts(checks: list[tuple[str, FileCheck]]) -> Table:
    table = Table("source", _number("right"), _number("missing"), _number("damaged"))
    for name in dict.fromkeys(name for name, _ in checks):
        counts = [sum(check.status == status for one, check in checks if one == name) for status in _STATUSES]
        table.add_row(name, *(str(count) for count in counts))
    return table


_STATUSES = ("ok", "missing", "damaged")
