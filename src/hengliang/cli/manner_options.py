"""Which options say how a text is brought into the manner that a model learned, and what is told about it?"""

from __future__ import annotations

import click

from hengliang.core.progress import Silent, Watcher, long_watcher
from hengliang.core.text.segmentation import SEGMENTERS, USUAL_SEGMENTER
from hengliang.core.text.segmenters import PKU, prepare_segmenter
from hengliang.systems.language_models.base import LanguageModel
from hengliang.systems.language_models.manner import Manner, cost_of_lacking

_NAMES = (*SEGMENTERS, PKU, "crf")

segmenter_option = click.option(
    "--segmenter",
    default="",
    metavar="NAME",
    help=f"Finds the words of text without spaces: {', '.join(_NAMES)} or crf:NAME  [default: the model's own].",
)
fold_option = click.option(
    "--fold/--no-fold",
    default=True,
    show_default=True,
    help="Look digits, Latin letters and ASCII marks up in the width that the model learned, 5 as ５.",
)


def tell(message: str) -> None:
    """Say on the error stream what was done to the text."""
    if message:
        click.echo(f"hengliang: {message}.", err=True)


def ready_segmenter(model: LanguageModel, name: str, segmenter: str, quiet: bool = False) -> None:
    """Get ready who cuts raw text for a model; warn where it is not a segmenter of the standard that it learned."""
    manner = getattr(getattr(model, "model", model), "manner", None)
    if not segmenter and isinstance(manner, Manner) and (cost := cost_of_lacking(manner, name)):
        click.echo(f"hengliang: warning: {cost}", err=True)
    watcher: Watcher = Silent() if quiet else long_watcher()
    prepare_segmenter(segmenter or model.conventions().segmenter or USUAL_SEGMENTER, watcher)
