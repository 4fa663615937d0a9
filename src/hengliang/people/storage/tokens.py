"""How is somebody known again without a name, and without the database being able to tell how?

The database keeps digests only: whoever reads it, or a backup of it, can act as nobody. Tokens travel in links and
cookies; codes are read and typed by people.
"""

from __future__ import annotations

import base64
import hashlib
import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""No I, L, O and U: they look like 1, 0 and V, and 32 letters are five bits each."""
_GROUPS, _LENGTH = 3, 4
_MISREAD = str.maketrans("OIL", "011")


def new_token() -> str:
    """Return 256 random bits as 43 letters that need no quoting in a link."""
    return secrets.token_urlsafe(32)


def new_id() -> str:
    """Return the random name of a row: 16 letters, 80 bits, no secret."""
    return "".join(secrets.choice(ALPHABET) for _ in range(16)).lower()


def new_code() -> str:
    """Return 60 random bits as a code for people: `XXXX-XXXX-XXXX`."""
    return _grouped(secrets.randbits(5 * _GROUPS * _LENGTH))


def code_of(token: str, purpose: str) -> str:
    """Return the code that belongs to a token: whoever holds the token can be shown the code again, nobody else can.

    >>> code_of("a token", "withdrawal") == code_of("a token", "withdrawal")
    True
    """
    raw = hashlib.sha256(f"{purpose}:{token}".encode()).digest()
    return _grouped(int.from_bytes(raw, "big") >> (256 - 5 * _GROUPS * _LENGTH))


def token_of(token: str, purpose: str) -> str:
    """Return another token of 256 bits that belongs to a token; whoever holds only that one cannot go back."""
    raw = hashlib.sha256(f"{purpose}:{token}".encode()).digest()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def tidied(typed: str) -> str:
    """Return a typed code as it was shown: capital letters in groups, letters that look like digits as digits.

    >>> tidied(" 7kqo 1234-abcl ")
    '7KQ0-1234-ABC1'
    """
    letters = "".join(letter for letter in typed.upper().translate(_MISREAD) if letter in ALPHABET)
    return "-".join(letters[start : start + _LENGTH] for start in range(0, len(letters), _LENGTH))


def sealed(token: str) -> str:
    """Return what the database keeps of a token: its SHA-256 in hexadecimal digits.

    No salt and no stretching: 256 (a code: 60) random bits cannot be tried out, unlike a password.
    """
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _grouped(number: int) -> str:
    letters = [ALPHABET[number >> 5 * place & 31] for place in range(_GROUPS * _LENGTH)]
    return "-".join("".join(letters[start : start + _LENGTH]) for start in range(0, len(letters), _LENGTH))
