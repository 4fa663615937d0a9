"""Is a signature one line that can be read back, and does everything that matters change it?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengliang.core.errors import UserError
from hengliang.core.signature import (
    Signature,
    code_checksum,
    constructor_signature,
    digest,
    file_checksum,
    number_of,
    path_checksum,
    version,
)

texts = st.text(max_size=12)


@given(st.dictionaries(texts, texts, max_size=5))
def test_the_line_can_be_read_back(pairs: dict[str, str]) -> None:
    signature = Signature.of(**pairs)
    assert Signature.parse(str(signature)) == signature or not pairs
    assert "\n" not in str(signature)


@given(st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_the_borders_between_texts_count(left: list[str], right: list[str]) -> None:
    assert (digest(*left) == digest(*right)) == (left == right)


def test_values_are_written_plainly() -> None:
    signature = Signature.of(seed=1, rate=0.1, exact=True, unit=None)
    assert str(signature) == "seed:1|rate:0.1|exact:yes|unit:none"


def test_the_number_of_a_text_is_that_of_its_hash() -> None:
    # `printf 马 | b2sum -l 64` prints a7d77fb6308e26f4; its first byte counts the least.
    assert number_of("马") == 0xF4268E30B67FD7A7
    # `printf '' | b2sum -l 64` prints e4a6a0577479b2b4.
    assert number_of("") == 0xB4B2797457A0A6E4


def test_a_part_is_inlined_and_a_repeated_key_refused() -> None:
    inner = Signature.of(corpus="pd")
    assert str(Signature.of(train=inner)) == "train.corpus:pd"
    with pytest.raises(ValueError, match="seed"):
        Signature.of(seed=1).and_(seed=2)


class Model:
    def __init__(self, size: int = 2, file: Path | None = None, parts: tuple[str, ...] = ("a",)) -> None:
        self.size = size
        self.file = file
        self.parts = parts


class Forgetful:
    def __init__(self, size: int) -> None:
        pass


def test_every_constructor_argument_is_in_the_signature(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_text("one")
    base = constructor_signature(Model(file=file))
    assert ("hengliang", version()) in base.pairs
    assert constructor_signature(Model(file=file)) == base
    assert constructor_signature(Model(3, file)) != base
    assert constructor_signature(Model(file=file, parts=("a", "b"))) != base
    file.write_text("two")
    assert constructor_signature(Model(file=file)) != base


def test_an_argument_that_was_not_kept_is_a_fault() -> None:
    with pytest.raises(TypeError, match="'size'"):
        constructor_signature(Forgetful(1))


def test_an_argument_without_a_signature_is_a_fault() -> None:
    with pytest.raises(TypeError, match="signature"):
        constructor_signature(Model(parts=(object(),)))  # type: ignore[arg-type]


def test_the_code_of_a_class_and_its_ancestors_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hengliang.core.registry import load_file

    source = "class Base:\n    size = 1\n\nclass Model(Base):\n    pass\n"
    first, second = tmp_path / "one.py", tmp_path / "two.py"
    first.write_text(source)
    second.write_text(source.replace("size = 1", "size = 2"))
    assert code_checksum(load_file(first).Model) != code_checksum(load_file(second).Model)


def test_the_checksum_of_a_file_is_its_sha256(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    # The example of FIPS 180-4 for the message "abc".
    assert file_checksum(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Cannot read .*gone: no such file"):
        file_checksum(tmp_path / "gone")


def test_a_file_and_a_folder_are_named_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    # echo -n x | sha256sum
    assert file_checksum(tmp_path / "a") == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    before = path_checksum(tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert path_checksum(tmp_path) != before
