"""HTML and Markdown of failing suite items in a report, where each item opens word by word."""

from __future__ import annotations

from collections.abc import Sequence

from hengliang.core.settings import to_json
from hengliang.core.terms import LANGUAGES, Bilingual, Language
from hengliang.core.text.characters import is_han
from hengliang.core.views import View
from hengliang.grammar.views import (
    SIGNS,
    STAR,
    TARGET,
    ConditionView,
    Grid,
    ModelRow,
    ModelTally,
    Outcome,
    PredictionView,
    SuiteItemView,
    SuiteView,
    class_title,
    named_predictions,
    region_groups,
    suite_title,
    tally_remark,
    write_failures,
    write_margin,
)
from hengliang.language_models.views import END_LABEL, write_surprisal
from hengliang.report.html import NOTHING, Html, bilingual, join, tag, text
from hengliang.report.markdown import SEMICOLON, code_markdown, escape_markdown, list_markdown
from hengliang.report.plots import SEPARATOR
from hengliang.report.sections import paragraph, scrolling
from hengliang.statistics.results import DASH

NAME, ANCHOR = "suites", "failing-items"
FAILING_ITEMS = Bilingual("Items that fail", "未通过的条目")
FAILING_ITEMS_KEY = Bilingual(
    "An item fails for a model when a prediction that counts does not hold. Open an item to see the surprisal of each "
    "word in nats; the stronger the colour, the more surprising the word. ▼ marks the regions that a failed prediction "
    "compares, a star the sentences that are meant to be bad. The margin is by how many nats a prediction holds: ✓ it "
    "holds, ✗ it fails, = both sides are equal, a tie, which is listed here although accuracy counts it half.",
    "若某项计分的预测不成立，则该条目对该模型记为未通过。展开条目可查看每个词的惊异度（单位：奈特），底色越浓，惊异度越高。"
    "▼ 标出未成立的预测所比较的区域，星号表示有意设计的不合格句。"
    "幅度表示预测成立的奈特数：✓ 成立，✗ 不成立，= 两侧相等，即平局（准确率中算半，此处仍列出）。",
)
NO_FAILING_ITEMS = Bilingual("Every model passes every item that could be judged.", "凡可评判的条目，各模型均通过。")
FAILED_BY = Bilingual("Failed by", "未通过的模型")
ANY_MODEL = Bilingual("any model", "任一模型")
MARGIN = Bilingual("Margin (nats)", "成立幅度（奈特）")
CONTROL = Bilingual("control", "对照")
UNITS_SHOWN = Bilingual(
    "in units of the model, which do not end where the words do", "按模型自身的单位显示，其边界与词界不一致"
)

# With so few suites none needs to be looked for, and all stand open.
_FEW_SUITES = 3
_MOST_IN_MARKDOWN = 5


def failing_items_view(suites: Sequence[SuiteView]) -> View:
    """Return what a report shows of the items that fail, by class and suite; programs find `suites` in its JSON."""
    html, listed = _page(suites)
    markdown = Bilingual(*(_markdown(suites, language) for language in LANGUAGES))
    return View(NAME, ANCHOR, FAILING_ITEMS, html, markdown, listed, to_json(list(suites)))


# --- the page ---------------------------------------------------------------------------------------------------------


def _page(suites: Sequence[SuiteView]) -> tuple[Html, tuple[tuple[str, Bilingual], ...]]:
    """Return what stands below the heading, and the classes that the contents list."""
    classes: dict[str, list[SuiteView]] = {}
    for suite in suites:
        classes.setdefault(suite.class_, []).append(suite)
    models = list(dict.fromkeys(tally.model for suite in suites for tally in suite.models))
    numbered = [(f"{ANCHOR}-{number}", name, group) for number, (name, group) in enumerate(classes.items(), start=1)]
    parts = [
        _class(anchor, class_title(name), group, models, len(suites) <= _FEW_SUITES) for anchor, name, group in numbered
    ]
    failing = any(suite.n_failing for suite in suites)
    head = [paragraph(FAILING_ITEMS_KEY if failing else NO_FAILING_ITEMS, "key")]
    head += [_filter(models)] if failing and len(models) > 1 else []
    listed = tuple((anchor, class_title(name)) for anchor, name, _ in numbered if name)
    return join([*head, *parts]), listed


def _filter(models: Sequence[str]) -> Html:
    """Return a choice of model; without a script it would do nothing, and stays hidden."""
    options = [tag("option", {"value": str(number)}, text(model)) for number, model in enumerate(models)]
    everyone = tag("option", {"value": "all"}, text(f"{ANY_MODEL.en} {ANY_MODEL.zh}"))
    chosen = tag("select", {"id": "failed-by", "autocomplete": "off"}, everyone, *options)
    return tag("p", {"class": "filter", "hidden": ""}, tag("label", None, bilingual(FAILED_BY), Html(" "), chosen))


def _class(anchor: str, title: Bilingual, suites: Sequence[SuiteView], models: Sequence[str], is_open: bool) -> Html:
    heading = tag("h3", {"id": f"{anchor}-title"}, bilingual(title if title.en else FAILING_ITEMS))
    body = [_suite(anchor, suite, models, is_open) for suite in suites]
    return tag("article", {"id": anchor, "aria-labelledby": f"{anchor}-title"}, join([heading, *body]))


def _suite(anchor: str, suite: SuiteView, models: Sequence[str], is_open: bool) -> Html:
    """Return how the models fare in a suite, then its items behind one line that says how many there are."""
    name = tag("code", None, text(suite.name)) if suite.modifier else NOTHING
    heading = tag("h4", None, bilingual(suite_title(suite)), Html(" "), name)
    tallies = tag("ul", {"class": "tallies"}, *(_tally(tally) for tally in suite.models))
    if not suite.items:
        return join([heading, tallies])
    summary = tag("summary", None, bilingual(shown_remark(len(suite.items), suite.n_failing)))
    formulas = suite.items[0].predictions
    listed = [_item(anchor, item, models, formulas) for item in suite.items]
    inner = tag("details", {"open": "" if is_open else None}, summary, _formulas(formulas), join(listed))
    return join([heading, tallies, inner])


def _tally(tally: ModelTally) -> Html:
    return tag("li", None, tag("b", None, text(tally.model)), Html(" "), bilingual(tally_remark(tally)))


def _formulas(predictions: Sequence[PredictionView]) -> Html:
    lines = [
        tag("li", None, _prediction_name(prediction), Html(" "), tag("code", None, text(prediction.formula)))
        for prediction in predictions
    ]
    return tag("ul", {"class": "formulas"}, *lines)


def _prediction_name(prediction: PredictionView) -> Html:
    if prediction.counts:
        return text(prediction.name)
    return join([bilingual(CONTROL), text(prediction.name.removeprefix("control "))], " ")


# --- one item ---------------------------------------------------------------------------------------------------------


def _item(anchor: str, item: SuiteItemView, models: Sequence[str], known: Sequence[PredictionView]) -> Html:
    """Return an item: closed, it says who fails what by how much; open, it shows every word of every condition."""
    failed = [(model, item.failures(model)) for model in item.models]
    places = " ".join(str(models.index(model)) for model, failures in failed if failures and model in models)
    named = named_predictions(item.predictions)
    failures_shown = [_failures(model, failures, named) for model, failures in failed if failures]
    first = item.conditions[0].content
    gloss = tag("span", {"class": "gloss"}, text(item.gloss)) if item.gloss else NOTHING
    head = [tag("span", _kind("sentence", first), text(first)), gloss, tag("code", None, text(item.id))]
    summary = tag("summary", None, join(head, " "), tag("span", {"class": "failed"}, *failures_shown))
    formulas = [(view.name, view.formula) for view in item.predictions]
    own = NOTHING if formulas == [(view.name, view.formula) for view in known] else _formulas(item.predictions)
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
    """Return one sentence: its regions, its words, and a row of surprisals for each model."""
    ends = [END_LABEL] if grid.has_end else []
    pieces = [tag("th", None, text(piece)) for piece in (*grid.pieces, *ends)]
    regions = [_region(name, target, count) for name, target, count in region_groups(grid)] if any(grid.regions) else []
    name = text(condition.name if condition.acceptable else STAR + condition.name)
    corner = tag("th", {"rowspan": "2" if regions else None}, name)
    head = [tag("tr", None, corner, *regions, *(tag("th") for _ in ends))] if regions else []
    head += [tag("tr", _kind("words", condition.content), *([] if regions else [corner]), *pieces)]
    note = tag("caption", None, bilingual(UNITS_SHOWN)) if grid.division == "crossing units" else NOTHING
    body = [tag("tr", None, tag("th", None, text(row.model)), *_numbers(row, grid)) for row in grid.rows]
    return tag("table", {"class": "surprisals"}, note, tag("thead", None, *head), tag("tbody", None, *body))


def _region(name: str, target: bool, count: int) -> Html:
    attributes = {"colspan": str(count) if count > 1 else None, "class": "target" if target else None}
    return tag("th", attributes, text(f"{TARGET} {name}".strip() if target else name))


def _numbers(row: ModelRow, grid: Grid) -> list[Html]:
    if row.reason:
        width = len(grid.pieces) + grid.has_end
        reason = bilingual(unscored_sentence_remark(row.reason))
        return [tag("td", {"colspan": str(width), "class": "unscored"}, reason)]
    values = (*row.surprisals, *([row.end] if grid.has_end else []))
    return [tag("td", None, text(write_surprisal(value))) for value in values]


def _margins(item: SuiteItemView) -> Html:
    """Return by how much each prediction holds for each model; a reason where that could not be judged."""
    heads = [tag("th", None, _prediction_name(prediction)) for prediction in item.predictions]
    head = tag("tr", None, tag("th", None, bilingual(MARGIN)), *heads)
    by_prediction = [{outcome.model: outcome for outcome in prediction.outcomes} for prediction in item.predictions]
    body = [
        tag("tr", None, tag("th", None, text(model)), *(_verdict(outcomes.get(model)) for outcomes in by_prediction))
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


# --- Markdown ---------------------------------------------------------------------------------------------------------


def _markdown(suites: Sequence[SuiteView], language: Language) -> str:
    """Return how the models fare in each suite, with its hardest items; the page has more of them, word by word."""
    blocks = []
    for suite in suites:
        titles = [class_title(suite.class_)[language], suite_title(suite)[language]]
        heading = escape_markdown(SEPARATOR.join(title for title in titles if title))
        tallies = [_tally_markdown(tally, language) for tally in suite.models]
        items = [_item_markdown(item, language) for item in suite.items[:_MOST_IN_MARKDOWN]]
        shown = [shown_remark(len(items), suite.n_failing)[language], list_markdown(items)] if items else []
        blocks += [f"### {heading}", list_markdown(tallies), *shown]
    return "\n\n".join(blocks)


def _tally_markdown(tally: ModelTally, language: Language) -> str:
    return f"**{escape_markdown(tally.model)}** {escape_markdown(tally_remark(tally)[language])}"


def _item_markdown(item: SuiteItemView, language: Language) -> str:
    named = named_predictions(item.predictions)
    failed = [(model, item.failures(model)) for model in item.models]
    failing = [f"{model} {write_failures(failures, named)}" for model, failures in failed if failures]
    sentence = escape_markdown(f"{item.conditions[0].content} {item.gloss}".rstrip())
    return f"{code_markdown(item.id)} {sentence} ({escape_markdown(SEMICOLON[language].join(failing))})"


# --- remarks ----------------------------------------------------------------------------------------------------------


def shown_remark(shown: int, failing: int) -> Bilingual:
    """Say how many of the failing items are shown."""
    return Bilingual(
        f"{shown:,} of {failing:,} shown, the hardest first",
        f"显示 {failing:,} 条中的 {shown:,} 条，最难的在前",
    )


def unscored_sentence_remark(reason: str) -> Bilingual:
    """Say why a sentence has no surprisals."""
    return Bilingual(f"not scored: {reason}", f"未打分：{reason}")
