"""Does whatever parses descriptions say with which grammar and which meanings?"""

from __future__ import annotations

import pytest

from hengliang import Signature
from hengliang.analysis.descriptions.beside_describers import DescriberCompleteness
from hengliang.analysis.descriptions.findings import DescriptionFindings
from hengliang.core import code_checksum
from hengliang.materials.meaning_code import meaning_code
from hengliang.measures.description_quality import DescriptionQuality
from hengliang.systems.describers.greedy import Greedy
from hengliang.systems.describers.incremental import Incremental
from hengliang.systems.readers.base import Reader
from hengliang.systems.readers.model_reader import ModelReader
from hengliang.systems.readers.reading_code import reading_code

# The readers' folder holds the grammars, and code_checksum takes all modules of a folder.
GRAMMAR = code_checksum(Reader)


def test_both_hashes_are_there() -> None:
    assert reading_code() == {"reader": GRAMMAR, "meanings": meaning_code()}


@pytest.mark.parametrize(
    "signature",
    [
        DescriptionFindings().signature(),
        DescriberCompleteness().signature(),
        DescriptionQuality().signature(),
        ModelReader().signature(),
        Greedy().signature(),
        Incremental(language="zh").signature(),
    ],
    ids=["findings", "completeness", "quality", "reader", "greedy", "incremental"],
)
def test_who_reads_or_writes_descriptions_names_them(signature: Signature) -> None:
    values = [value for _, value in signature.pairs]
    assert GRAMMAR in values or code_checksum(ModelReader) in values
    assert meaning_code() in values
