"""Who can find the words of raw text for a model of words?

A library (`rjieba`), plain rules (`characters`, `english`), or a chain that was learned here: `pku` finds words of the
standard of the default corpus and is learned when it is first needed, `crf` and `crf:NAME` are the words of our tagger.
"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.errors import UserError, unknown_name
from hengliang.progress import Watcher
from hengliang.segmentation import SEGMENTERS, Segmented, segment, segmenter_signature

PKU = "pku"
LEARNED = (PKU, "crf")
NAMES = (*SEGMENTERS, *LEARNED)


def is_learned(segmenter: str) -> bool:
    """Say whether a segmenter was learned here; a name that nobody knows is refused."""
    if segmenter in SEGMENTERS:
        return False
    if segmenter in LEARNED or segmenter.startswith("crf:"):
        return True
    raise unknown_name("segmenter", segmenter, [*NAMES, "crf:NAME"])


def cut(contents: Sequence[str], segmenter: str) -> list[Segmented]:
    """Return raw texts with their words."""
    if not is_learned(segmenter):
        return [Segmented(content, segment(content, segmenter)) for content in contents]
    from hengliang.systems.taggers.trained.segmenter import open_segmenter

    return open_segmenter(segmenter).cut(contents)


def prepare_segmenter(segmenter: str, watcher: Watcher) -> None:
    """Learn the segmenter where it has to be learned first, which is watched."""
    if is_learned(segmenter):
        from hengliang.systems.taggers.trained.segmenter import open_segmenter

        open_segmenter(segmenter, watcher)


def segmenter_identity(segmenter: str) -> str:
    """Return a segmenter's name for a signature, with what can change its words.

    That is the version of a library, or a hash of what a segmenter was learned from. A library that is not installed
    cuts nothing, so that its name will do.
    """
    if not segmenter:
        return segmenter
    if not is_learned(segmenter):
        try:
            return " ".join(value for _, value in segmenter_signature(segmenter).pairs)
        except UserError:
            return segmenter
    from hengliang.systems.taggers.trained.segmenter import identity

    return f"{segmenter} {identity(segmenter)}"


def why_no_pku() -> str:
    """Say why the segmenter `pku` cannot be had on this machine; nothing where it can."""
    from hengliang.systems.taggers.trained.segmenter import missing

    return missing()
