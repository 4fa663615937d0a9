"""Which scenes does this description fit, asked from the command line?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from hengliang.cli.scenes_describe import chosen_domain, domain_option, reading_option
from hengliang.core.commands.options import echo_json, json_option
from hengliang.core.errors import UserError
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.quantifiers import Reading
from hengliang.materials.scene_domains import Domain
from hengliang.materials.scenes import Scene, read_scene
from hengliang.systems.readers.parsing import Parse, language_of, parse_description
from hengliang.systems.readers.understanding import Understanding, expected_swaps, understand

SHOWN = 8
"""So many of the scenes that fit are shown, the likeliest first."""


@click.command()
@click.argument("description")
@click.option("--size", type=click.IntRange(1), required=True, metavar="N", help="How many things the scene holds.")
@click.option("--scene", metavar="SCENE", help="The scene that was described: tell how far a reader will be off.")
@click.option("--language", type=click.Choice(LANGUAGES), help="Of the description; else its characters tell.")
@reading_option
@domain_option
@json_option
def read(
    description: str,
    size: int,
    scene: str | None,
    language: Language | None,
    reading: Reading,
    domain: Path | None,
    as_json: bool,
) -> None:
    """Read a DESCRIPTION of a scene back into logical forms, and tell which scenes fit it.

    What could not be understood is told; a description of which nothing is understood, or that contradicts itself,
    is an error. Where no scene fits what is conveyed, the bare meaning is taken, and that is said.

    \b
    Example:
      hengliang scenes read "Half of the objects are blue squares." --size 4
      hengliang scenes read "所有的图形都是方形。其中一半是蓝色的。" --size 4 --scene "BS=2 RS=2"
    """
    kinds = chosen_domain(domain)
    target = None if scene is None else read_scene(scene, kinds, size)
    parse = parse_description(description, kinds, language)
    if not parse.expressions:
        raise UserError(
            f"Nothing in '{description}' could be understood.",
            valid=_examples(kinds, language or language_of(description)),
        )
    understood = understand(parse.expressions, size, kinds, reading)
    result = _result(parse, understood, target)
    if as_json:
        echo_json(reading=result)
    else:
        _print(Console(highlight=False, soft_wrap=True), result)


def _examples(domain: Domain, language: Language) -> str:
    value = domain.attributes[0].values[0]
    if language == "zh":
        return f"用量化表达描述场景的句子，例如：一半的{domain.chinese}是{value.chinese}的。"
    return f"Sentences with quantifiers, for example: Half of the {domain.plural} are {value.english}."


def _result(parse: Parse, understood: Understanding, target: Scene | None) -> dict[str, Any]:
    if not understood.scenes:
        clash = "; ".join(str(expression) for expression in understood.clash)
        problem = (
            "The description contradicts itself" if len(understood.clash) > 1 else "The description cannot be true"
        )
        raise UserError(
            f"{problem}: no scene of {understood.space.size} things fits {clash}.",
            remedy="Check the size, or say something else.",
        )
    return {
        "logical_forms": [str(expression) for expression in parse.expressions],
        "not_understood": list(parse.unread),
        "reading": understood.reading,
        "consistent_scenes": understood.scenes.bit_count(),
        "scenes": [{"scene": one.code, "probability": chance} for one, chance in understood.likeliest(SHOWN)],
        "most_typical": understood.typical().code,
        "expected_swaps": None if target is None else expected_swaps(understood, target),
        "target": None if target is None else target.code,
        "scene_size": understood.space.size,
    }


def _print(console: Console, result: dict[str, Any]) -> None:
    for form in result["logical_forms"]:
        console.print(form, markup=False, style="bold")
    for piece in result["not_understood"]:
        console.print(f"not understood: {piece}", markup=False, style="yellow")
    number, shown = result["consistent_scenes"], result["scenes"]
    fits = "1 scene fits" if number == 1 else f"{number:,} scenes fit"
    console.print(f"{fits} ({result['reading']} reading)", markup=False)
    for row in shown:
        console.print(f"  {row['scene']:<24}{row['probability']:6.1%}", markup=False)
    if number > len(shown):
        console.print(f"  … and {number - len(shown):,} more", markup=False)
    console.print(f"most typical: {result['most_typical']}", markup=False)
    if result["target"] is not None:
        swaps, size = result["expected_swaps"], result["scene_size"]
        told = f"expected swaps from {result['target']}: {swaps:.2f} of {size} ({swaps / size:.1%})"
        console.print(told, markup=False)
