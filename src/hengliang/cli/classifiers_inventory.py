"""Which classifiers does hengliang know, what do they count, and how sure is their category?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from hengliang.core.commands.options import echo_json, json_option, language_option
from hengliang.core.errors import UserError, unknown_name
from hengliang.core.terms import Language
from hengliang.materials.classifier_categories import (
    CATEGORIES,
    SOURCE,
    Judgement,
    category_of_form,
    category_of_use,
    form_judgements,
    use_judgements,
)
from hengliang.materials.classifier_inventory import Classifier, own_classifiers
from hengliang.materials.classifier_slots import ClassifierSlots
from hengliang.statistics.inter_rater.kappa import cohen_kappa


@click.command()
@click.argument("forms", nargs=-1, metavar="[CLASSIFIER]...")
@click.option("--category", type=click.Choice(CATEGORIES[:3]), help="Only classifiers of this category.")
@click.option("--agreement", is_flag=True, help="How far the two annotators of the categories agree.")
@click.option("--coverage", is_flag=True, help="How many uses of the default corpus the inventory covers.")
@language_option
@json_option
def inventory(
    forms: tuple[str, ...], category: str | None, agreement: bool, coverage: bool, language: Language, as_json: bool
) -> None:
    """Show the inventory of classifiers: pinyin, category, what each counts, and nouns it goes with.

    \b
    Example:
      hengliang classifiers inventory 匹 条
      hengliang classifiers inventory --category dual --language zh
      hengliang classifiers inventory --agreement --coverage
    """
    if agreement or coverage:
        rows = (_agreement() if agreement else []) + (_coverage() if coverage else [])
        if as_json:
            echo_json(estimates=rows)
        else:
            for row in rows:
                click.echo(_line(row))
        return
    chosen = _chosen(forms, category)
    if as_json:
        echo_json(classifiers=[_record(one) for one in chosen])
        return
    table = Table("classifier", "pinyin", "category", "kind", "counts", "nouns")
    for one in chosen:
        table.add_row(
            one.form,
            one.pinyin,
            category_of_form(one.form),
            one.kind,
            one.counts[language],
            " ".join(one.nouns if forms else one.nouns[:4]),
        )
    Console().print(table)
    click.echo(f"{len(chosen)} classifiers. Categories: {SOURCE}.")


def _chosen(forms: Sequence[str], category: str | None) -> list[Classifier]:
    known = {one.form: one for one in own_classifiers()}
    unknown = [form for form in forms if form not in known]
    if unknown:
        raise unknown_name("classifier", unknown[0], known)
    found = [known[form] for form in forms] if forms else list(known.values())
    return [one for one in found if category is None or category_of_form(one.form) == category]


def _record(one: Classifier) -> dict[str, Any]:
    judged = next(held for held in form_judgements() if held.classifier == one.form)
    uses = {held.noun: held.category for held in use_judgements() if held.classifier == one.form}
    return {
        "classifier": one.form,
        "pinyin": one.pinyin,
        "kind": one.kind,
        "category": category_of_form(one.form),
        "verdicts": [judged.first, judged.second],
        "source": SOURCE,
        "counts": one.counts.to_json(),
        "nouns": list(one.nouns),
        "judged_uses": uses,
    }


def _agreement() -> list[dict[str, Any]]:
    clear = [one for one in use_judgements() if "unclear" not in (one.first, one.second)]
    return [
        _kappa("forms", form_judgements()),
        _kappa("uses", use_judgements()),
        _kappa("uses that both found clear", clear),
    ]


def _kappa(what: str, judged: Sequence[Judgement]) -> dict[str, Any]:
    first, second = [one.first for one in judged], [one.second for one in judged]
    value = cohen_kappa(first, second).main
    return {
        "what": what,
        "statistic": "Cohen's kappa",
        "value": value.value,
        "low": value.low,
        "high": value.high,
        "n": len(judged),
        "same": sum(one == other for one, other in zip(first, second, strict=True)),
        "counts": dict(Counter(one.category for one in judged).most_common()),
    }


def _coverage() -> list[dict[str, Any]]:
    items = ClassifierSlots().items()
    uses = Counter(zip(items["gold"].to_list(), items["head"].fill_null("").to_list(), strict=True))
    if not uses:
        raise UserError("The default corpus has no classifier slots.")
    listed = sum(count for (form, _), count in uses.items() if category_of_form(form) != "not in list")
    judged = {(one.classifier, one.noun) for one in use_judgements()}
    categories: Counter[str] = Counter()
    for (form, noun), count in uses.items():
        categories[category_of_use(form, noun)] += count
    return [
        {"what": "uses", "statistic": "covered", "value": listed / uses.total(), "n": uses.total()},
        {
            "what": "uses",
            "statistic": "judged one by one",
            "value": sum(count for use, count in uses.items() if use in judged) / uses.total(),
            "n": uses.total(),
        },
        {
            "what": "uses",
            "statistic": "true",
            "value": categories["true"] / uses.total(),
            "n": uses.total(),
            "counts": dict(categories.most_common()),
        },
    ]


def _line(row: dict[str, Any]) -> str:
    interval = f" [{row['low']:.3f}, {row['high']:.3f}]" if "low" in row else ""
    same = f", {row['same']:,} the same" if "same" in row else ""
    counts = "; ".join(f"{name} {count:,}" for name, count in row.get("counts", {}).items())
    return f"{row['what']}: {row['statistic']} {row['value']:.3f}{interval} (n = {row['n']:,}{same}) {counts}".rstrip()
