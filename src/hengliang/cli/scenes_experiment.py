"""How do people come to rebuild scenes from descriptions, or experts to judge them, asked from the command line?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import click

from hengliang.cli.scenes_describe import chosen_domain, domain_option
from hengliang.core.commands.options import echo_json, json_option, table_options
from hengliang.core.errors import UserError
from hengliang.core.io.delimited import TableOptions
from hengliang.core.io.tables import READERS as TABLES
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.elicited_descriptions import CORPUS, read_descriptions
from hengliang.people.design.survey_design import check_new
from hengliang.people.scene_experiment import (
    MODEL_FILE,
    SceneExperiment,
    rating_experiment,
    readings_again,
    reconstruction_experiment,
)
from hengliang.people.scene_pairs import ScenePair, read_pairs
from hengliang.people.scene_plans import PLANS, planned_pairs, scene_plan

READERS, PARTICIPANTS, EXPERTS = 4, 20, 4


@click.command()
@click.argument("pairs", metavar="PAIRS")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the survey into this new folder.")
@click.option(
    "--readers", type=click.IntRange(1), metavar="N", help=f"Readers of each pair [A: 4, B: 2, a file: {READERS}]."
)
@click.option(
    "--participants", type=click.IntRange(1), metavar="N", help=f"Who share the readings [default: {PARTICIPANTS}]."
)
@click.option("--ratings", is_flag=True, help="Experts judge each description beside its scene, with three questions.")
@click.option(
    "--experts", type=click.IntRange(1), metavar="N", help=f"With --ratings: how many experts [default: {EXPERTS}]."
)
@click.option(
    "--share", metavar="SHARE", help="With --ratings: the share of pairs an expert sees, as 1/2 [default: 1]."
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="Of A and B [default: en]; in zh there are no descriptions by people.",
)
@click.option("--descriptions", metavar="PATH", help=f"Of A: where people's descriptions are [default: {CORPUS}].")
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same pairs and lists."
)
@domain_option
@table_options("header")
@json_option
def experiment(
    pairs: str,
    out: Path | None,
    readers: int | None,
    participants: int | None,
    ratings: bool,
    experts: int | None,
    share: str | None,
    language: Language | None,
    descriptions: str | None,
    seed: int,
    domain: Path | None,
    table: TableOptions,
    as_json: bool,
) -> None:
    """Make a survey of PAIRS of a scene and a description: readers rebuild the scene, or experts judge (--ratings).

    PAIRS is a table (CSV, Excel, JSON, …) with the columns describer, scene and text, as `hengliang
    scenes describe --out` writes it; or A or B, the plans of a published experiment: scenes of the sizes 4, 9 and 20
    described by people and both algorithms, or of the sizes 6, 10 and 16 described by the algorithms. Each pair has the
    same number of readers, and nobody reads a pair twice. A list of the survey is one participant's.

    \b
    Example:
      hengliang scenes experiment A --out scenes-a
      hengliang scenes experiment B --language zh --out scenes-b
      hengliang scenes experiment pairs.csv --readers 3 --participants 12 --out mine
      hengliang scenes experiment pairs.csv --ratings --experts 4 --share 1/2 --out experts
    """
    if out is not None:
        check_new(out)
    held = _pairs(pairs, language, descriptions, seed, domain, table)
    name = out.name if out is not None else "scenes"
    if ratings:
        _refuse({"--readers": readers, "--participants": participants}, "this is for readers, not for --ratings")
        made = rating_experiment(held, experts=experts or EXPERTS, share=_share(share), seed=seed, name=name)
    else:
        _refuse({"--experts": experts, "--share": share}, "this is for experts (--ratings)")
        plan = PLANS.get(_plan_named(pairs))
        made = reconstruction_experiment(
            held,
            readers=readers or (plan.readers if plan else READERS),
            participants=participants or (plan.participants if plan else PARTICIPANTS),
            seed=seed,
            name=name,
        )
    if out is not None:
        made.write(out)
    if as_json:
        _echo(made, out)
    else:
        click.echo("\n".join(_described(made, out)))


def _pairs(
    pairs: str, language: Language | None, descriptions: str | None, seed: int, domain: Path | None, table: TableOptions
) -> tuple[ScenePair, ...]:
    named = _plan_named(pairs)
    if named not in PLANS:
        _check_ending(pairs)
        _refuse({"--language": language, "--descriptions": descriptions}, f"this is for {' and '.join(PLANS)}")
        return read_pairs(Path(pairs), chosen_domain(domain), table)
    _refuse({"--domain": domain}, "scenes of A and B are of circles and squares")
    plan, spoken = scene_plan(named), language or "en"
    by_people = plan.by_people and spoken == "en"
    if descriptions is not None and not by_people:
        raise UserError(f"--descriptions {descriptions}: {named} in {spoken} has none by people.")
    told = read_descriptions(descriptions or CORPUS, table=table) if by_people else None
    return planned_pairs(plan, language=spoken, seed=seed, descriptions=told)


def _plan_named(pairs: str) -> str:
    """Return the name of a plan as it is spelled; a file keeps its own."""
    return pairs.upper() if pairs.upper() in PLANS else pairs


def _check_ending(pairs: str) -> None:
    if not Path(pairs).exists() and Path(pairs).suffix.lower() not in TABLES:
        raise UserError(
            f"{pairs} is not a table of pairs, and no plan is called so.",
            valid=f"{' or '.join(PLANS)}, or a file that ends in {', '.join(TABLES)}.",
        )


def _refuse(options: dict[str, object], why: str) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise UserError(f"{' and '.join(given)} cannot be used here: {why}.")


def _share(text: str | None) -> float:
    try:
        share = Fraction(text or "1")
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise UserError(f"--share {text} is no share.", valid="Above 0 up to 1, as 1/2 or 0.5.")
    return float(share)


def _described(made: SceneExperiment, out: Path | None) -> Iterator[str]:
    pairs, loads = made.pairs, made.allocation.loads
    by = ", ".join(f"{name} {count}" for name, count in made.describers.items())
    sizes = Counter(pair.scene.size for pair in pairs)
    yield f"{len(pairs)} pairs of {len({pair.scene.code for pair in pairs})} scenes; {by}."
    yield "Pairs by size: " + ", ".join(f"{size}: {count}" for size, count in sorted(sizes.items())) + "."
    same = len(pairs) - len({(pair.scene.code, pair.text) for pair in pairs})
    if same:
        yield f"Pairs with the same scene and text as another: {same}; each has readers of its own."
    load = f"{min(loads)}" if min(loads) == max(loads) else f"{min(loads)}–{max(loads)}"
    yield f"Each pair by {made.allocation.readers} of {len(loads)} participants, who see {load} pairs each."
    again, needed = readings_again(made)
    if needed:
        yield f"{again} times somebody meets a scene again, which {len(loads)} participants cannot avoid."
    yield f"Proved: {made.designed.design.proof}."
    if out is not None:
        model = f" --model {out / MODEL_FILE}" if (out / MODEL_FILE).exists() else ""
        yield f"\nhengliang survey serve {out}"
        yield f"hengliang survey simulate {out} --participants {len(loads)}{model}"


def _echo(made: SceneExperiment, out: Path | None) -> None:
    again, needed = readings_again(made)
    echo_json(
        survey=str(out) if out else None,
        pairs=made.listing().to_dicts(),
        describers=made.describers,
        readers=made.allocation.readers,
        participants=len(made.allocation.lists),
        loads=list(made.allocation.loads),
        scenes_met_again=again,
        inevitable=needed,
        proof=made.designed.design.proof,
    )
