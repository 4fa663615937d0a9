"""How are chunks and trees of tagged example sentences written in tests?"""

from __future__ import annotations

from hengliang.corpora.trees.brackets import write_brackets
from hengliang.corpora.trees.chunking import chunked_tree
from hengliang.corpora.trees.chunks import Chunk, word_chunk
from hengliang.corpora.trees.constituents import Tree
from hengliang.corpora.trees.phrases import base_chunks
from hengliang.tagging import read_gold


def bracketed(tagged: str) -> str:
    """Return the chunked tree of a sentence written as word/tag, without the root that all have."""
    return write_brackets([chunked_tree(*read_gold(tagged))]).strip().removeprefix("(S ").removesuffix(")")


def words_of(tagged: str) -> list[Chunk]:
    """Return a word a chunk."""
    return [word_chunk(word, tag) for word, tag in zip(*read_gold(tagged), strict=True)]


def chunks_of(tagged: str) -> list[Chunk]:
    """Return the base chunks of a clause written as word/tag."""
    return base_chunks(words_of(tagged))


def shown(chunks: list[Chunk]) -> str:
    """Return chunks as their kinds with their words and constituents: noun[新 书] quantity[(QP 三 本)]."""
    return " ".join(f"{chunk.kind}[{' '.join(_written(part) for part in chunk.trees())}]" for chunk in chunks)


def _written(part: Tree | str) -> str:
    return part if isinstance(part, str) else write_brackets([part]).strip()
