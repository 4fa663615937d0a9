"""How good are the nouns found around a slot, and how often does the proofreader find a mistake, or invent one?

Everything is measured on the dev part of the default corpus as plain text. Nouns: how often the noun that is found is
the head that the tagged corpus has, and how often RULE is right with found nouns and with those of the corpus. False
alarms: what is said about the text as it was printed. Mistakes: in each sentence with a slot one mistake is made, by
leaving the classifier out, by 个, by any other classifier, or by one of another category (true, measure); a classifier
that the training part or a dictionary knows with the noun is no mistake and is drawn again. The proofreader's
thresholds were set on the training part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from hengliang.classifiers import (
    Adviser,
    Proofreader,
    category_of_form,
    classifier_slots,
    counted_rule,
    find_nouns,
    known_inventory,
    open_chooser,
)
from hengliang.corpora import DEFAULT_CORPUS, Part, cut_blocks, read_pku
from hengliang.materials.classifier_slots import corpus_file
from hengliang.materials.slot_lexicon import CLASSIFIERS, HEADS_OF
from hengliang.systems.classifier_choosers.noun_finding import METHODS

_DRAWS = 50
_LEAST = 1e-6
"""The probability that is taken for one that a chooser does not name."""
Replacement = Callable[[str, str], str | None]


def texts_of(part: Part) -> list[str]:
    texts = [paragraph.text for paragraph in read_pku(corpus_file(DEFAULT_CORPUS))]
    return [text for text, held in zip(texts, cut_blocks(texts).paragraph_parts, strict=True) if held == part]


def noun_figures(items: pl.DataFrame) -> list[dict[str, Any]]:
    """Return for each way to find nouns how often the noun is the corpus's head, and RULE's accuracy with it."""
    sentences = items["content"].to_list()
    slots = [spans[0]["start"] for spans in items["spans"].to_list()]
    heads, gold = items["head"].to_list(), items["gold"].to_list()
    rule = counted_rule()

    def accuracy(nouns: list[str]) -> float:
        chosen = rule.choose(pl.DataFrame({"sentence": sentences, "slot": slots, "noun": nouns})).to_list()
        return float(np.mean([ranking[0]["label"] == label for ranking, label in zip(chosen, gold, strict=True)]))

    rows: list[dict[str, Any]] = [
        {"nouns": "of the corpus", "found": 1.0, "same": 1.0, "same_ending": 1.0, "rule_accuracy": accuracy(heads)}
    ]
    for method in METHODS:
        found = [one.noun for one in find_nouns(sentences, slots, method=method)]
        pairs = list(zip(found, heads, strict=True))
        ending = [bool(noun) and (noun.endswith(head) or head.endswith(noun)) for noun, head in pairs]
        rows.append(
            {
                "nouns": method,
                "found": float(np.mean([bool(noun) for noun in found])),
                "same": float(np.mean([noun == head for noun, head in pairs])),
                "same_ending": float(np.mean(ending)),
                "rule_accuracy": accuracy(found),
            }
        )
    return rows


def chooser_figures(items: pl.DataFrame, model: str) -> list[dict[str, Any]]:
    """Return how often a chooser is right, alone and with the dictionaries, and its mean logarithmic loss."""
    start = pl.col("spans").list.first().struct.field("start")
    slots = items.select(sentence="content", slot=start, noun="head")
    rows = []
    for chooser in (open_chooser(model), Adviser(model)):
        chosen = chooser.ranked(slots).to_list()
        rankings = [{one["label"]: one["probability"] for one in ranking} for ranking in chosen]
        pairs = list(zip(rankings, items["gold"].to_list(), strict=True))
        losses = [-np.log(max(ranking.get(gold, 0.0), _LEAST)) for ranking, gold in pairs]
        right = [next(iter(ranking), "") == gold for ranking, gold in pairs]
        third = [gold in list(ranking)[:3] for ranking, gold in pairs]
        means = {"accuracy": right, "top_3": third, "log_loss": losses}
        rows.append({"chooser": chooser.name, **{name: float(np.mean(held)) for name, held in means.items()}})
    return rows


def replacements(reader: Proofreader, seed: int) -> dict[str, Replacement]:
    """Return the ways to make a mistake: each gives the classifier to write, or None where it can make none."""
    rng = np.random.default_rng(seed)
    forms = sorted(form for form in CLASSIFIERS if form not in HEADS_OF)

    def drawn(candidates: list[str], gold: str, noun: str) -> str | None:
        for _ in range(_DRAWS):
            form = candidates[rng.integers(len(candidates))]
            if form != gold and not reader.profiles.goes_with(form, noun):
                return form
        return None

    by_category = {form: category_of_form(form) for form in forms}

    def deleted(gold: str, noun: str) -> str | None:
        return ""

    def general(gold: str, noun: str) -> str | None:
        return None if gold == "个" or reader.profiles.goes_with("个", noun) else "个"

    def other(gold: str, noun: str) -> str | None:
        return drawn(forms, gold, noun)

    def other_category(gold: str, noun: str) -> str | None:
        own = category_of_form(gold)
        others = [form for form in forms if {own, by_category[form]} == {"true", "measure"}]
        return drawn(others, gold, noun) if others else None

    return {"left out": deleted, "个": general, "another classifier": other, "another category": other_category}


def mistake_figures(items: pl.DataFrame, reader: Proofreader, seed: int) -> list[dict[str, Any]]:
    rows = []
    for name, replacement in replacements(reader, seed).items():
        texts, places, golds = [], [], []
        for content, spans, gold, head in items.select("content", "spans", "gold", "head").iter_rows():
            form = replacement(gold, head)
            if form is not None:
                place, raw = spans[0]["start"], content.encode()
                texts.append((raw[:place] + form.encode() + raw[place:]).decode())
                places.append(place)
                golds.append(gold)
        found = {(one.text, one.start): one for one in reader.read(texts).corrections}
        hits = [found.get((number, place)) for number, place in enumerate(places, 1)]
        right = [
            one.suggestions[0].classifier == gold for one, gold in zip(hits, golds, strict=True) if one is not None
        ]
        noticed = sum(one is not None for one in hits)
        rows.append(
            {
                "mistake": name,
                "made": len(texts),
                "found": noticed,
                "recall": noticed / max(len(texts), 1),
                "right_suggestion": sum(right) / max(noticed, 1),
            }
        )
    return rows


def alarm_figures(part: Part, reader: Proofreader) -> dict[str, Any]:
    read = reader.read(texts_of(part))
    counts = {fault: sum(one.fault == fault for one in read.corrections) for fault in ("missing", "wrong")}
    return {
        "sentences": read.sentences,
        "classifiers": read.slots,
        **counts,
        "missing_per_1000_sentences": 1000 * counts["missing"] / read.sentences,
        "wrong_per_1000_classifiers": 1000 * counts["wrong"] / read.slots,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("train", "dev"), default="dev")
    parser.add_argument("--model", default="RULE", help="the chooser: RULE, a stored one or its folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    items = classifier_slots(arguments.part).items()
    reader = Proofreader(open_chooser(arguments.model))
    figures = {
        "part": arguments.part,
        "model": arguments.model,
        "slots": items.height,
        "dictionaries": dict(known_inventory().sources),
        "nouns": noun_figures(items),
        "choosers": chooser_figures(items, arguments.model),
        "false_alarms": alarm_figures(arguments.part, reader),
        "mistakes": mistake_figures(items, reader, arguments.seed),
    }
    if arguments.json:
        print(json.dumps(figures, ensure_ascii=False, indent=1))
        return
    console = Console()
    table = Table("nouns", "found", "same head", "same ending", "RULE right", title=f"nouns of {items.height:,} slots")
    for row in figures["nouns"]:
        table.add_row(row["nouns"], *(f"{row[name]:.1%}" for name in ("found", "same", "same_ending", "rule_accuracy")))
    console.print(table)
    table = Table("chooser", "right", "in top 3", "log loss", title="with the corpus's nouns")
    for row in figures["choosers"]:
        table.add_row(row["chooser"], f"{row['accuracy']:.1%}", f"{row['top_3']:.1%}", f"{row['log_loss']:.3f}")
    console.print(table)
    alarms = figures["false_alarms"]
    console.print(
        f"False alarms: {alarms['missing']} missing in {alarms['sentences']:,} sentences "
        f"({alarms['missing_per_1000_sentences']:.2f} per 1,000), {alarms['wrong']} wrong in "
        f"{alarms['classifiers']:,} classifiers ({alarms['wrong_per_1000_classifiers']:.2f} per 1,000)"
    )
    table = Table("mistake", "made", "found", "recall", "right suggestion", title="mistakes of our own making")
    for row in figures["mistakes"]:
        shares = (f"{row['recall']:.1%}", f"{row['right_suggestion']:.1%}")
        table.add_row(row["mistake"], f"{row['made']:,}", f"{row['found']:,}", *shares)
    console.print(table)


if __name__ == "__main__":
    main()
