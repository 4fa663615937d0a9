"""How does a report read as plain text: as Markdown for people, as JSON for programs?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from hengliang.core.records import Estimate, estimate_records
from hengliang.core.terms import Language
from hengliang.report import words
from hengliang.report.content import AnalysisEntry, ReportContent, StageEntry
from hengliang.report.formats import write_date, write_seconds
from hengliang.report.pivot import estimate_table, level_title, statistic_label
from hengliang.report.plots import SEPARATOR
from hengliang.report.tables import Table

_COLON: Mapping[Language, str] = {"en": ": ", "zh": "："}
_COMMA: Mapping[Language, str] = {"en": ", ", "zh": "，"}
SEMICOLON: Mapping[Language, str] = {"en": "; ", "zh": "；"}
"""What stands between the parts of a remark."""
_SPECIAL = re.compile(r"([\\`*_\[\]#|~$])")


def escape_markdown(text: str) -> str:
    """Return the text so that Markdown shows it as it is, on one line, and no HTML in it comes alive."""
    plain = " ".join(text.split())
    shown = _SPECIAL.sub(r"\\\1", plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    # What would begin a list or a heading at the start of a line.
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", shown)


def table_markdown(table: Table) -> str:
    """Return a pipe table; numbers stand right."""
    head = [escape_markdown(table.heading(column)) for column in table.columns]
    rules = ["---" if column.is_text else "---:" for column in table.columns]
    body = [
        [
            escape_markdown(str(cell)) if column.is_text else _number_markdown(str(cell))
            for cell, column in zip(row, table.columns, strict=True)
        ]
        for row in table.cells()
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rules, *body])


def _number_markdown(text: str) -> str:
    """Return a number cell: its brackets and `p < .001` mean nothing to Markdown and stay readable."""
    return re.sub(r"<(?=\S)", "&lt;", text).replace("|", "\\|")


def render_markdown(content: ReportContent, language: Language = "en") -> str:
    """Return the report as Markdown in one language."""
    blocks = [f"# {escape_markdown(content.name)}", escape_markdown(content.question[language])]
    if content.simulated:
        blocks.append(f"> **{escape_markdown(words.SIMULATED[language])}**")
    if content.form == "quick":
        blocks.append(f"> **{escape_markdown(words.QUICK[language])}**")
    blocks.append(_pair(words.CREATED[language], write_date(content.created, language), language))
    blocks += _materials(content, language)
    blocks += _systems(content, language)
    blocks += _measures(content, language)
    blocks.append(f"## {words.RESULTS[language]}")
    for entry in content.all_analyses():
        blocks += _analysis(content, entry, language)
    for view in content.views:
        blocks += [f"## {escape_markdown(view.title[language])}", view.markdown[language].strip("\n")]
    if content.notes:
        blocks += [
            f"## {words.NOTES[language]}",
            list_markdown(escape_markdown(note[language]) for note in content.notes),
        ]
    blocks += _making(content, language)
    return "\n\n".join(block for block in blocks if block) + "\n"


def render_json(content: ReportContent) -> str:
    """Return the report as one JSON object with a `schema_version`, the array `estimates`, and the data of its views.

    What views look like on the page and as text is left out.
    """
    value = {name: part for name, part in content.to_json().items() if name != "views"}
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def list_markdown(lines: Iterable[str]) -> str:
    """Return a list with a line each."""
    return "\n".join(f"- {line}" for line in lines)


def _pair(title: str, value: str, language: Language) -> str:
    return f"{escape_markdown(title)}{_COLON[language]}{escape_markdown(value)}"


def code_markdown(line: str) -> str:
    """Return a code span; its fence is longer than any run of backticks within."""
    plain = " ".join(line.split())
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def _materials(content: ReportContent, language: Language) -> list[str]:
    blocks = [f"## {words.MATERIALS[language]}"] if content.materials else []
    for entry in content.materials:
        pairs = [
            (words.ITEMS[language], f"{entry.n_items:,}"),
            (words.LICENCE[language], entry.licence),
            (words.CITATION[language], entry.citation),
            *((title[language], value) for title, value in entry.facts),
        ]
        lines = [_pair(title, value, language) for title, value in pairs if value]
        lines += (
            [f"{words.SIGNATURE[language]}{_COLON[language]}{code_markdown(entry.signature)}"]
            if entry.signature
            else []
        )
        blocks += [f"### {escape_markdown(entry.title[language])} ({code_markdown(entry.name)})", list_markdown(lines)]
    return blocks


def _systems(content: ReportContent, language: Language) -> list[str]:
    if not content.systems:
        return []
    lines = []
    for entry in content.systems:
        facts = [words.answers_remark(entry.n_responses)[language]]
        facts += [words.missing_remark(entry.n_missing)[language]] if entry.n_missing else []
        facts += [f"{words.SEED[language].lower()} {entry.seed}"] if entry.seed is not None else []
        facts += [f"{key}: {value}" for key, value in entry.traits.items()]
        shown = f"**{escape_markdown(entry.name)}** {escape_markdown(entry.title[language])}"
        line = code_markdown(entry.signature) if entry.signature else ""
        lines.append(f"{shown} ({escape_markdown(SEMICOLON[language].join(facts))}) {line}".rstrip())
    return [f"## {words.SYSTEMS[language]}", list_markdown(lines)]


def _measures(content: ReportContent, language: Language) -> list[str]:
    if not content.measures:
        return []
    lines = []
    for entry in content.measures:
        judge = words.JUDGE_KINDS.get(entry.judge_kind)
        shown = f"**{escape_markdown(entry.name)}** {escape_markdown(entry.title[language])}"
        kind = escape_markdown(judge[language] if judge else entry.judge_kind)
        lines.append(f"{shown} ({kind}) {code_markdown(entry.signature) if entry.signature else ''}".rstrip())
    return [f"## {words.MEASURES[language]}", list_markdown(lines)]


def _analysis(content: ReportContent, entry: AnalysisEntry, language: Language) -> list[str]:
    estimates = content.estimates_of(entry.name)
    # Tables are taken out of reports one by one: each of them says it.
    mark = [f"**{words.SIMULATED_MARK[language]}**"] if content.simulated else []
    blocks = [f"### {escape_markdown(entry.title[language])}", *mark, escape_markdown(entry.explanation[language])]
    told = [escape_markdown(sentence[language]) for sentence in entry.sentences]
    in_words = [f"#### {words.SENTENCES[language]}", list_markdown(told)] if told else []
    if not estimates.height:
        return [*blocks, *in_words, words.NO_ESTIMATES[language]]
    table = table_markdown(estimate_table(estimates, entry.layout, language)).rstrip("\n")
    return [*blocks, table, *in_words, _makings(estimate_records(estimates), entry, language)]


def _makings(estimates: Iterable[Estimate], entry: AnalysisEntry, language: Language) -> str:
    """Return how the numbers were made; numbers that share method and signature share a line."""
    groups: dict[tuple[str, str], list[Estimate]] = {}
    for estimate in estimates:
        groups.setdefault((estimate.method, estimate.signature), []).append(estimate)
    lines = []
    for (method, signature), rows in groups.items():
        parts = [escape_markdown(_names(rows, entry, language)), escape_markdown(method)]
        parts.append(code_markdown(signature) if signature else "")
        lines.append(_COLON[language].join(part for part in parts[:2] if part) + (f" {parts[2]}" if signature else ""))
    return f"{words.DETAILS[language]}{_COLON[language].rstrip()}\n\n{list_markdown(lines)}"


def _names(rows: Sequence[Estimate], entry: AnalysisEntry, language: Language) -> str:
    """Name the numbers: `GE (Accuracy, F1)` where every level has every statistic, else one by one."""
    titles = [statistic_label(entry.layout, row.statistic).title[language] for row in rows]
    levels = [
        SEPARATOR.join(level_title(entry.layout, level)[language] for level in row.by.values()) or words.ALL[language]
        for row in rows
    ]
    comma = _COMMA[language]
    if len(rows) == len(set(titles)) * len(set(levels)):
        return f"{comma.join(dict.fromkeys(levels))} ({comma.join(dict.fromkeys(titles))})"
    return comma.join(f"{level} ({title})" for level, title in zip(levels, titles, strict=True))


def _making(content: ReportContent, language: Language) -> list[str]:
    blocks = [f"## {words.MAKING[language]}"] if content.stages or content.versions else []
    lines = []
    for stage in (StageEntry(*values) for values in content.stages):
        name = words.STAGES.get(stage.name)
        facts = [words.rows_remark(stage.rows)[language], write_seconds(stage.seconds, language)]
        shown = escape_markdown(name[language] if name else stage.name)
        line = code_markdown(stage.signature) if stage.signature else ""
        lines.append(f"{shown}{_COLON[language]}{_COMMA[language].join(facts)} {line}".rstrip())
    blocks += [list_markdown(lines)] if lines else []
    versions = ", ".join(f"{name} {version}" for name, version in content.versions.items())
    blocks += [_pair(words.SOFTWARE[language], versions, language)] if versions else []
    return blocks
