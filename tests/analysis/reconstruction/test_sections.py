"""Does the report have every table, signed, for one experiment and for several?"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from hengliang.analysis.reconstruction.battery import Battery, Settings, analyse_reconstructions
from hengliang.analysis.reconstruction.experts import expert_scores
from hengliang.analysis.reconstruction.sections import sections_of, signature_of
from hengliang.core import code_checksum
from tests.analysis.reconstruction.made_answers import made, scores_of, spread_answers, swap_answers
from tests.people.scene_examples import ANIMALS


@cache
def both() -> Battery:
    data = made(spread_answers("4"), spread_answers("5"))
    long = scores_of(data).unpivot(index="pair", variable_name="score", value_name="value")
    return analyse_reconstructions(data, expert_scores(long), Settings(draws=50, permutations=99))


def test_all_sections_are_there() -> None:
    names = [section.name for section in sections_of(both())]
    assert names == [
        *(
            "swaps, A",
            "swaps, B",
            "swaps, all",
            "hypotheses",
            "spread",
            "spread tests",
            "spread pairs",
            "spread of each pair",
            "experts",
        ),
        *("algorithms and people", "mixed models"),
    ]
    alone = analyse_reconstructions(made(swap_answers("3")), settings=Settings(draws=50, permutations=99))
    assert not {"experts", "algorithms and people"} & {section.name for section in sections_of(alone)}


def test_experiments_are_a_factor_only_where_there_are_several() -> None:
    spread = next(section for section in sections_of(both()) if section.name == "spread")
    assert {row.by["experiment"] for row in spread.estimates} == {"A", "B"}
    alone = analyse_reconstructions(made(swap_answers("3")), settings=Settings(draws=50, permutations=99))
    assert all("experiment" not in row.by for section in sections_of(alone) for row in section.estimates)


def test_every_number_is_signed_and_has_a_method() -> None:
    rows = [row for section in sections_of(both()) for row in section.estimates]
    assert rows and all(row.signature and row.method and row.n is not None for row in rows)


def test_the_entries_of_table_4_are_listed() -> None:
    section = next(section for section in sections_of(both()) if section.name == "spread of each pair")
    entries = {row.by["pair"]: row.value for row in section.estimates}
    assert round(entries["22"] or 0, 3) == 6.532 and entries["9"] == 1.0 and len(entries) == 66


def test_the_signature_names_what_can_change_a_number() -> None:
    text = str(signature_of(both()))
    for part in ("draws:50", "seed:1", "alpha:0.05", both().data.checksum):
        assert part in text


def test_people_domain_and_code_are_signed() -> None:
    battery = both()
    text = str(signature_of(battery))
    assert f"code:{code_checksum(analyse_reconstructions, sections_of)}" in text and "known by its name" in text
    named = replace(battery, settings=replace(battery.settings, human="Human"))
    other = replace(battery, data=replace(battery.data, domain=ANIMALS))
    assert len({text, str(signature_of(named)), str(signature_of(other))}) == 3


def test_answers_that_a_pair_lacks_are_counted() -> None:
    answers = list(spread_answers("4"))
    answers[0] = replace(answers[0], counts=None, reason="withdrawn")
    battery = analyse_reconstructions(made(iter(answers)), settings=Settings(draws=20, permutations=19))
    section = next(section for section in sections_of(battery) if section.name == "spread of each pair")
    assert {row.by["pair"]: (row.n, row.n_missing) for row in section.estimates if row.n_missing} == {
        answers[0].pair: (3, 1)
    }
