"""How does a scene look, asked from the command line?"""

from __future__ import annotations

from pathlib import Path

import click

from hengliang.cli.scenes_describe import chosen_domain, domain_option
from hengliang.core.errors import UserError
from hengliang.core.io.files import write_text
from hengliang.core.terms import LANGUAGES, Language
from hengliang.materials.scene_drawing import draw_scene
from hengliang.materials.scenes import read_scene


@click.command()
@click.argument("scene", metavar="SCENE")
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed puts the things elsewhere.")
@click.option("--size", type=int, metavar="N", help="Say how many things there are, to check the counts.")
@click.option("--textures", is_flag=True, help="Tell colours apart by texture, too.")
@click.option("--language", type=click.Choice(LANGUAGES), help="Of the words for who does not see it [default: both].")
@domain_option
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.svg", help="Write the image into this file.")
def draw(
    scene: str,
    seed: int,
    size: int | None,
    textures: bool,
    language: Language | None,
    domain: Path | None,
    out: Path | None,
) -> None:
    """Draw a SCENE, a list of counts of kinds (BS is a blue square, RC a red circle), as an SVG image.

    The things stand in any order, which the seed decides. Without --out the image is printed.

    \b
    Example:
      hengliang scenes draw "BS=2 RC=2" --seed 3 --out scene.svg
      hengliang scenes draw "BC=3 RC=1" --domain animals.toml --textures > scene.svg
    """
    if out is not None and out.suffix.lower() != ".svg":
        raise UserError(f"{out} is no name for an SVG image.", valid="It ends in .svg.")
    image = draw_scene(read_scene(scene, chosen_domain(domain), size), seed, textures=textures, language=language)
    if out is None:
        click.echo(image, nl=False)
        return
    write_text(out, image)
    click.echo(out)
