"""Is a measure of agreement told with its interval, or with the reason why there is none?"""

from __future__ import annotations

import math

from hengliang import Bilingual, Signature
from hengliang.statistics.inter_rater.ratings import AgreementResult, AgreementValue

VALUE = AgreementValue(
    statistic="alpha", symbol="α", value=0.743, n=11, low=0.436, high=1.0, method="bootstrap", by={"rater": "a"}
)
NOTHING = AgreementValue(
    statistic="alpha", symbol="α", value=math.nan, n=3, method="bootstrap", reason=Bilingual("all equal.", "全相同。")
)


def result(*values: AgreementValue) -> AgreementResult:
    title, subject = Bilingual("Alpha", "阿尔法"), Bilingual("Two raters agreed", "两人一致")
    return AgreementResult(
        measure="alpha", title=title, subject=subject, values=values, n=11, raters=2, n_missing=4,
        conventions={"metric": "nominal"}, notes=(Bilingual("Mind this.", "注意。"),), data="abc",
    )  # fmt: skip


def test_a_value_is_written_without_the_zero() -> None:
    assert str(VALUE) == "α = .743, 95 % CI [.436, 1.000]"
    assert str(NOTHING) == "α = —"
    assert VALUE.about() == "rater a"


def test_p_is_told_with_the_statistic_it_comes_from() -> None:
    value = AgreementValue(
        statistic="k", symbol="k", value=1.5, n=9, error=0.25, test="z", test_value=6.0, p=1e-9, bounded=False, digits=2
    )
    assert str(value) == "k = 1.50, SE = 0.25, z = 6.00, p < .001"


def test_the_sentence_has_both_languages_and_the_notes() -> None:
    sentence = result(VALUE).sentence()
    assert sentence.en == "Two raters agreed (Alpha: α = .743, 95 % CI [.436, 1.000]). Mind this."
    assert sentence.zh == "两人一致（阿尔法：α = .743, 95 % CI [.436, 1.000]）。注意。"


def test_an_undefined_value_says_why() -> None:
    found = result(NOTHING)
    assert "It is not defined: all equal." in found.sentence().en
    assert "该值无定义：全相同。" in found.sentence().zh
    (row,) = found.estimates("agreement")
    assert (row.value, row.low, row.high) == (None, None, None)
    assert row.method == "bootstrap; not defined: all equal."


def test_estimates_carry_levels_counts_and_the_signature() -> None:
    found = result(VALUE, NOTHING)
    rows = list(found.estimates("agreement", {"material": "m"}))
    assert rows[0].by == {"material": "m", "rater": "a"}
    assert [row.n_missing for row in rows] == [4, None]
    pairs = dict(Signature.parse(rows[0].signature).pairs)
    assert pairs["measure"] == "alpha"
    assert pairs["metric"] == "nominal"
    assert pairs["data"] == "abc"
    assert (found.value, found.main) == (0.743, VALUE)
    assert "convention metric: nominal" in str(found)
