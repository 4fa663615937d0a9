"""How often do the verbs of the suites about a missing object do without one?"""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.errors import UserError
from hengliang.materials.suites.library import open_suites
from hengliang.materials.suites.verbs import VERB, suite_verbs
from hengliang.materials.transitivity import corpus_transitivity


@click.command()
@click.argument("names", nargs=-1, metavar="[SUITE]...")
@json_option
def verbs(names: tuple[str, ...], as_json: bool) -> None:
    """List the verbs of suites about a missing object with the share of their uses without one in the default corpus.

    \b
    Example:
      hengliang suites verbs
      hengliang suites verbs my.suite --json
    """
    table = corpus_transitivity()
    found = suite_verbs(open_suites(*(names or ("missing object",))), table)
    if not found:
        raise UserError(
            f"{', '.join(names)}: no suite has verbs to look up.",
            valid=f"A suite about a missing object, with a region '{VERB}', a starred condition, and conditions whose "
            "names begin with control.",
            remedy="See an example: hengliang suites show missing_object.none",
        )
    if as_json:
        echo_json(
            verbs=[
                {
                    "verb": one.uses.verb,
                    "role": one.role,
                    "items": list(one.items),
                    "uses": one.uses.uses,
                    "without_object": one.uses.without_object,
                    "share": one.uses.share,
                }
                for one in found
            ],
            signature=str(table.signature()),
        )
        return
    shown = Table(box=None, pad_edge=False)
    for heading in ("verb", "role", "uses", "without", "share", "95 %", "items"):
        shown.add_column(heading, no_wrap=heading != "items")
    for one in found:
        low, high = one.uses.interval()
        share = "—" if one.uses.share is None else f"{one.uses.share:.3f}"
        figures = (str(one.uses.uses), str(one.uses.without_object), share, f"{low:.2f}–{high:.2f}")
        shown.add_row(one.uses.verb, one.role, *figures, " ".join(one.items))
    Console().print(shown)
