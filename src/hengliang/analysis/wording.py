"""How is a statistic written in running text, in English and in Chinese?

The style is that of the results section of a paper: `χ²(1, N = 1200) = 51.39, p < .001, φ = .21`. Quantities that
cannot exceed 1 (probabilities, correlations, φ) lose the zero before the point; all others keep it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from hengliang.core.terms import Bilingual

MINUS = "−"
DASH = "—"
HUGE = 1e9
"""Beyond this the digits of a number hide its size, as those of an estimate that has run away."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def signed(text: str) -> str:
    """Use a real minus sign, and none before a zero.

    >>> signed("-0.30"), signed("-0.00")
    ('−0.30', '0.00')
    """
    if text.startswith("-"):
        return text[1:] if not text.strip("-0.,") else MINUS + text[1:]
    return text


def write_p(value: float, digits: int = 3) -> str:
    """Write a probability of a test: no zero before the point, and never a plain zero.

    >>> write_p(0.0004), write_p(0.0342), write_p(1.0)
    ('< .001', '.034', '1.000')
    """
    if value < 10.0**-digits:
        return "< ." + "0" * (digits - 1) + "1"
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def p_remark(value: float) -> str:
    """Write `p = .034` or `p < .001`."""
    text = write_p(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def write_power(value: float) -> str:
    """Write a number with a power of ten.

    >>> write_power(-607_292_740_253.0)
    '−6.1 × 10¹¹'
    """
    digits, exponent = f"{value:.1e}".split("e")
    return signed(f"{digits} × 10{str(int(exponent)).translate(_RAISED)}")


def write_statistic(value: float, digits: int = 2) -> str:
    """Write a number that may exceed 1, with a real minus sign; what is not known is a dash.

    Beyond `HUGE` it has a power of ten.
    """
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if abs(value) > HUGE:
        return write_power(value)
    return signed(f"{value:.{digits}f}")


def write_bounded(value: float, digits: int = 2) -> str:
    """Write a number between −1 and 1 without the zero before the point.

    >>> write_bounded(0.207), write_bounded(-0.3), write_bounded(1.0)
    ('.21', '−.30', '1.00')
    """
    text = write_statistic(value, digits)
    sign, rest = (MINUS, text[1:]) if text.startswith(MINUS) else ("", text)
    return sign + (rest[1:] if rest.startswith("0.") else rest)


def write_df(df: Iterable[float]) -> str:
    """Write degrees of freedom: `2, 57` or `14.3`; fractions have two decimals at most."""
    return ", ".join(f"{number:.2f}".rstrip("0").rstrip(".") for number in df)


def write_percent_level(level: float) -> str:
    """Write the level of an interval: `95 %`."""
    return f"{level * 100:.6g} %"


def listed(names: Iterable[str]) -> Bilingual:
    """Join names as a sentence does: `A, B and C`, `A、B和C`."""
    held = list(names)
    if len(held) < 2:
        return Bilingual("".join(held), "".join(held))
    return Bilingual(f"{', '.join(held[:-1])} and {held[-1]}", f"{'、'.join(held[:-1])}和{held[-1]}")
