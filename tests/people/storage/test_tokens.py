"""Are tokens unguessable, and codes readable?"""

from __future__ import annotations

import base64
import hashlib
import random
import re

from hypothesis import given
from hypothesis import strategies as st

from hengliang.people.storage.tokens import ALPHABET, code_of, new_code, new_id, new_token, sealed, tidied, token_of


def test_a_token_has_256_bits_and_needs_no_quoting() -> None:
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    # 43 letters of base64 are 258 bits: 32 bytes and the two bits that fill the last letter up.
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in tokens)
    assert all(len(base64.urlsafe_b64decode(token + "=")) == 32 for token in tokens)


def test_a_code_has_60_bits_without_letters_that_look_alike() -> None:
    codes = {new_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}", code) for code in codes)
    # Twelve letters of an alphabet of 32 = 2**5: 12 * 5 = 60 bits.
    assert len(set(ALPHABET)) == 32
    assert not set("ILOU") & set(ALPHABET)
    # Every letter turns up: 2,400 draws miss one of 32 with a chance of 32 * (31/32)**2400, below 1e-31.
    assert set("".join(codes)) == {*ALPHABET, "-"}


def test_an_id_fits_its_column() -> None:
    assert all(re.fullmatch(r"[0-9a-z]{16}", new_id()) for _ in range(50))


@given(st.text(), st.text())
def test_what_belongs_to_a_token_follows_from_it_alone(token: str, other: str) -> None:
    token, other = (text.encode(errors="replace").decode() for text in (token, other))
    assert code_of(token, "withdrawal") == code_of(token, "withdrawal") == tidied(code_of(token, "withdrawal"))
    assert token_of(token, "resume") != token
    if token != other:
        assert code_of(token, "withdrawal") != code_of(other, "withdrawal")
        assert token_of(token, "resume") != token_of(other, "resume")


@given(st.text(ALPHABET, min_size=12, max_size=12), st.sampled_from(["", "-", " ", "–"]), st.randoms())
def test_a_code_is_understood_however_it_is_typed(letters: str, between: str, draw: random.Random) -> None:
    misread = {"0": "0Oo", "1": "1IiLl"}
    groups = [letters[start : start + 4] for start in (0, 4, 8)]
    typed = "".join(
        draw.choice(misread.get(letter, letter + letter.lower())) + draw.choice(["", " "])
        for letter in between.join(groups)
    )
    assert tidied(typed) == "-".join(groups)


@given(st.text())
def test_every_text_has_a_digest(text: str) -> None:
    assert sealed(text) == hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    assert len(tidied(text)) < 2 * len(text) + 1
