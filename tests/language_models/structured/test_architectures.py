"""Is the record of a network with structure right about its size, read back as written, and strict?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengliang import UserError
from hengliang.core import read_json, write_json
from hengliang.language_models.structured.architectures import (
    FILE,
    SIZES,
    Kind,
    StructuredArchitecture,
    structured_architecture,
)
from hengliang.language_models.structured.building import build_structured
from hengliang.language_models.structured.derivations import Limits
from tests.language_models.structured.toy_treebank import KINDS

RNNG = StructuredArchitecture("rnng", "tiny", 30, ("NP", "S"), 2, 3, 1, 32)
PLM = StructuredArchitecture("plm", "tiny", 30, ("NP", "S"), 2, 3, 1, 32, 2, 20)


@settings(max_examples=25)
@given(
    kind=st.sampled_from(KINDS),
    symbols=st.integers(4, 40),
    labels=st.integers(1, 5),
    layers=st.integers(1, 3),
    half=st.integers(1, 6),
    context=st.integers(3, 30),
)
def test_as_many_parameters_as_the_network_has(
    kind: Kind, symbols: int, labels: int, layers: int, half: int, context: int
) -> None:
    names = tuple(f"L{number}" for number in range(labels))
    attentive = kind == "plm"
    built = StructuredArchitecture(
        kind, "own", symbols, names, 2, 3, layers, 2 * half, 2 * attentive, context * attentive
    )
    assert built.parameters == sum(held.numel() for held in build_structured(built).parameters())


def test_a_small_count_by_hand() -> None:
    # Width 2, one layer, 4 symbols, one label, so 3 steps. Words 4 · (2 + 1), steps 3 · (2 + 1), begin 2, the label
    # opened and closed 2 · 2; a cell of width w reading w' numbers has 4 w (w' + w + 1): the stack 4 · 2 · 5, the two
    # readers 2 · 4 · 1 · 4; their join 2 · 2 + 2.
    rnng = StructuredArchitecture("rnng", "own", 4, ("S",), 1, 1, 1, 2)
    assert rnng.parameters == 12 + 9 + 2 + 4 + 40 + 32 + 6
    # Begin, close and the label 3 · 2; 5 places of 2; GPT-2's layer 12 · 4 + 13 · 2, the last normalisation 4.
    plm = StructuredArchitecture("plm", "own", 4, ("S",), 1, 1, 1, 2, 1, 5)
    assert plm.parameters == 12 + 9 + 6 + 10 + 74 + 4


@settings(max_examples=25)
@given(
    labels=st.lists(st.text(min_size=1), min_size=1, max_size=5).map(tuple),
    chain=st.integers(1, 9),
    depth=st.integers(1, 99),
)
def test_it_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, labels: tuple[str, ...], chain: int, depth: int
) -> None:
    folder = tmp_path_factory.mktemp("written")
    for each in (RNNG, PLM):
        given_one = replace(each, labels=labels, chain=chain, depth=depth)
        given_one.write(folder)
        assert StructuredArchitecture.read(folder) == given_one
        assert given_one.limits == Limits(len(labels), chain, depth)


def test_the_sizes_of_the_paper() -> None:
    # Wang et al. (2021), table 3a: the RNNG has 2 layers of 256, GPT-2 has 12 layers of 768 with 12 heads.
    rnng = structured_architecture("rnng", "paper", 100, ("S",), 2, 3, 50)
    plm = structured_architecture("plm", "paper", 100, ("S",), 2, 3, 50)
    assert (rnng.layers, rnng.width, rnng.heads, rnng.context) == (2, 256, 0, 0)
    assert (plm.layers, plm.width, plm.heads, plm.context) == (12, 768, 12, 50)
    assert {kind: set(sizes) for kind, sizes in SIZES.items()} == {kind: {"tiny", "small", "paper"} for kind in KINDS}


def test_it_describes_itself() -> None:
    assert RNNG.describe() == f"rnng 1 × 32, 2 labels, {RNNG.parameters / 1e6:.1f} M parameters"
    assert PLM.describe() == f"plm 1 × 32, 2 heads, 2 labels, {PLM.parameters / 1e6:.1f} M parameters"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "lstm"}, "No kind of network with structure is called 'lstm'"),
        ({"labels": ()}, "cannot be built with no labels"),
        ({"symbols": 3}, "symbols = 3"),
        ({"layers": 0}, "layers = 0"),
        ({"chain": 0}, "chain = 0"),
        ({"depth": 0}, "depth = 0"),
        ({"width": 31}, "width = 31"),
        ({"heads": 3}, "width = 32"),
    ],
)
def test_what_cannot_be_built_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        replace(RNNG, **change)  # type: ignore[arg-type]


def test_a_transformer_needs_heads() -> None:
    with pytest.raises(UserError, match="heads = 0"):
        replace(PLM, heads=0)
    with pytest.raises(UserError, match="context = 0"):
        replace(PLM, context=0)


def test_kinds_and_sizes_that_do_not_exist_are_named() -> None:
    with pytest.raises(UserError, match="No size is called 'huge'"):
        structured_architecture("rnng", "huge", 30, ("S",), 1, 1, 10)
    with pytest.raises(UserError, match="is called 'lstm'"):
        structured_architecture("lstm", "tiny", 30, ("S",), 1, 1, 10)  # type: ignore[arg-type]


def test_a_vocabulary_of_another_size_is_refused(tmp_path: Path) -> None:
    RNNG.check_symbols(30, tmp_path)
    with pytest.raises(UserError, match="has 29 symbols and its network was built for 30"):
        RNNG.check_symbols(29, tmp_path)


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    RNNG.write(tmp_path)
    held = read_json(tmp_path / FILE)
    wrongs: list[object] = [[], {}, {**held, "colour": 1}, {**held, "labels": "S"}, {**held, "width": "32"}]
    for wrong in wrongs:
        write_json(tmp_path / FILE, wrong)
        with pytest.raises(UserError, match="does not describe a network with structure"):
            StructuredArchitecture.read(tmp_path)
