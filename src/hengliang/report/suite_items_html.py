"""How does a page show the items of suites that models fail, so that each can be opened word by word?"""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.analysis.wording import DASH
from hengliang.bilingual import Bilingual
from hengliang.report import words
from hengliang.report.html import NOTHING, Html, bilingual, join, tag, text
from hengliang.report.sections import Section, paragraph, scrolling
from hengliang.report.suite_item_view import (
    SIGNS,
    STAR,
    TARGET,
    ConditionView,
    Grid,
    ModelRow,
    Outcome,
    PredictionView,
    SuiteItemView,
    named_predictions,
    region_groups,
    write_failures,
    write_margin,
)
from hengliang.report.suite_items import ModelTally, SuiteView, class_title, suite_title, tally_remark
from hengliang.report.surprisal_chart import END_LABEL, write_surprisal
from hengliang.text import is_han

ANCHOR = "failing-items"
# With so few suites none needs to be looked for, and all stand open.
_FEW_SUITES = 3


def failing_items_section(suites: Sequence[SuiteView]) -> Section:
    """Return the items that fail, by class and suite."""
    classes: dict[str, list[SuiteView]] = {}
    for suite in suites:
        classes.setdefault(suite.class_, []).append(suite)
    models = list(dict.fromkeys(tally.model for suite in suites for tally in suite.models))
    numbered = [(f"{ANCHOR}-{number}", name, held) for number, (name, held) in enumerate(classes.items(), start=1)]
    parts = [
        _class(anchor, class_title(name), held, models, len(suites) <= _FEW_SUITES) for anchor, name, held in numbered
    ]
    failing = any(suite.n_failing for suite in suites)
    head = [paragraph(words.FAILING_ITEMS_KEY if failing else words.NO_FAILING_ITEMS, "key")]
    head += [_filter(models)] if failing and len(models) > 1 else []
    listed = tuple((anchor, class_title(name)) for anchor, name, _ in numbered if name)
    return Section(ANCHOR, words.FAILING_ITEMS, join([*head, *parts]), listed)


def _filter(models: Sequence[str]) -> Html:
    """Return a choice of model; without a script it would do nothing, and stays hidden."""
    options = [tag("option", {"value": str(place)}, text(model)) for place, model in enumerate(models)]
    everyone = tag("option", {"value": "all"}, text(f"{words.ANY_MODEL.en} {words.ANY_MODEL.zh}"))
    chosen = tag("select", {"id": "failed-by", "autocomplete": "off"}, everyone, *options)
    return tag(
        "p", {"class": "filter", "hidden": ""}, tag("label", None, bilingual(words.FAILED_BY), Html(" "), chosen)
    )


def _class(anchor: str, title: Bilingual, suites: Sequence[SuiteView], models: Sequence[str], is_open: bool) -> Html:
    heading = tag("h3", {"id": f"{anchor}-title"}, bilingual(title if title.en else words.FAILING_ITEMS))
    body = [_suite(anchor, suite, models, is_open) for suite in suites]
    return tag("article", {"id": anchor, "aria-labelledby": f"{anchor}-title"}, join([heading, *body]))


def _suite(anchor: str, suite: SuiteView, models: Sequence[str], is_open: bool) -> Html:
    """Return how the models fare in a suite, then its items behind one line that says how many there are."""
    name = tag("code", None, text(suite.name)) if suite.modifier else NOTHING
    heading = tag("h4", None, bilingual(suite_title(suite)), Html(" "), name)
    tallies = tag("ul", {"class": "tallies"}, *(_tally(tally) for tally in suite.models))
    if not suite.items:
        return join([heading, tallies])
    summary = tag("summary", None, bilingual(words.shown_remark(len(suite.items), suite.n_failing)))
    formulas = suite.items[0].predictions
    listed = [_item(anchor, item, models, formulas) for item in suite.items]
    inner = tag("details", {"open": "" if is_open else None}, summary, _formulas(formulas), join(listed))
    return join([heading, tallies, inner])


def _tally(tally: ModelTally) -> Html:
    return tag("li", None, tag("b", None, text(tally.model)), Html(" "), bilingual(tally_remark(tally)))


def _formulas(predictions: Sequence[PredictionView]) -> Html:
    lines = [
        tag("li", None, _prediction_name(one), Html(" "), tag("code", None, text(one.formula))) for one in predictions
    ]
    return tag("ul", {"class": "formulas"}, *lines)


def _prediction_name(prediction: PredictionView) -> Html:
    if prediction.counts:
        return text(prediction.name)
    return join([bilingual(words.CONTROL), text(prediction.name.removeprefix("control "))], " ")


# --- one item ---------------------------------------------------------------------------------------------------------


def _item(anchor: str, item: SuiteItemView, models: Sequence[str], known: Sequence[PredictionView]) -> Html:
    """Return an item: closed, it says who fails what by how much; open, it shows every word of every condition."""
    failed = [(model, item.failures(model)) for model in item.models]
    places = " ".join(str(models.index(model)) for model, failures in failed if failures and model in models)
    named = named_predictions(item.predictions)
    told = [_failures(model, failures, named) for model, failures in failed if failures]
    first = item.conditions[0].content
    gloss = tag("span", {"class": "gloss"}, text(item.gloss)) if item.gloss else NOTHING
    head = [tag("span", _kind("sentence", first), text(first)), gloss, tag("code", None, text(item.id))]
    summary = tag("summary", None, join(head, " "), tag("span", {"class": "failed"}, *told))
    formulas = [(one.name, one.formula) for one in item.predictions]
    own = NOTHING if formulas == [(one.name, one.formula) for one in known] else _formulas(item.predictions)
    tables = [_grid(condition, grid) for condition in item.conditions for grid in condition.grids]
    body = scrolling(join([*tables, _margins(item)]), anchor)
    return tag("details", {"class": "item", "data-failed": places}, summary, own, body)


def _kind(kind: str, content: str) -> dict[str, str | None]:
    """Return the attributes of a text of the study: Chinese is said to be Chinese and stands on both pages."""
    chinese = any(is_han(character) for character in content)
    return {"lang": "zh-Hans", "class": f"always {kind}"} if chinese else {"class": kind}


def _failures(model: str, failures: Sequence[tuple[PredictionView, Outcome]], named: bool) -> Html:
    return tag("span", None, tag("b", None, text(model)), text(f" {write_failures(failures, named)} "))


# --- its tables -------------------------------------------------------------------------------------------------------


def _grid(condition: ConditionView, grid: Grid) -> Html:
    """Return one sentence: its regions, its words, and a row of surprisals a model."""
    ends = [END_LABEL] if grid.has_end else []
    pieces = [tag("th", None, text(piece)) for piece in (*grid.pieces, *ends)]
    regions = [_region(name, target, count) for name, target, count in region_groups(grid)] if any(grid.regions) else []
    name = text(condition.name if condition.acceptable else STAR + condition.name)
    corner = tag("th", {"rowspan": "2" if regions else None}, name)
    head = [tag("tr", None, corner, *regions, *(tag("th") for _ in ends))] if regions else []
    head += [tag("tr", _kind("words", condition.content), *([] if regions else [corner]), *pieces)]
    note = tag("caption", None, bilingual(words.UNITS_SHOWN)) if grid.division == "crossing units" else NOTHING
    body = [tag("tr", None, tag("th", None, text(row.model)), *_numbers(row, grid)) for row in grid.rows]
    return tag("table", {"class": "surprisals"}, note, tag("thead", None, *head), tag("tbody", None, *body))


def _region(name: str, target: bool, count: int) -> Html:
    attributes = {"colspan": str(count) if count > 1 else None, "class": "target" if target else None}
    return tag("th", attributes, text(f"{TARGET} {name}".strip() if target else name))


def _numbers(row: ModelRow, grid: Grid) -> list[Html]:
    if row.reason:
        width = len(grid.pieces) + grid.has_end
        told = bilingual(words.unscored_sentence_remark(row.reason))
        return [tag("td", {"colspan": str(width), "class": "unscored"}, told)]
    values = (*row.surprisals, *([row.end] if grid.has_end else []))
    return [tag("td", None, text(write_surprisal(value))) for value in values]


def _margins(item: SuiteItemView) -> Html:
    """Return by how much each prediction holds for each model; a reason where that could not be judged."""
    heads = [tag("th", None, _prediction_name(one)) for one in item.predictions]
    head = tag("tr", None, tag("th", None, bilingual(words.MARGIN)), *heads)
    held = [{outcome.model: outcome for outcome in one.outcomes} for one in item.predictions]
    body = [
        tag("tr", None, tag("th", None, text(model)), *(_verdict(outcomes.get(model)) for outcomes in held))
        for model in item.models
    ]
    return tag("table", {"class": "margins"}, tag("thead", None, head), tag("tbody", None, *body))


def _verdict(outcome: Outcome | None) -> Html:
    if outcome is None:
        return tag("td", None, text(DASH))
    if not outcome.label:
        return tag("td", {"class": "unscored"}, text(f"{DASH} {outcome.reason}".rstrip()))
    sign = SIGNS.get(outcome.label, outcome.label)
    return tag("td", {"class": "fails" if outcome.fails else None}, text(f"{write_margin(outcome)} {sign}"))
