"""How are recomputed claims shown: in a terminal, as Markdown and as a page?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hengliang.analysis.replication.conventions import ClaimMultiverse
from hengliang.analysis.replication.published import published
from hengliang.analysis.replication.table import Replicated, signature, summary
from hengliang.analysis.replication.verdicts import VERDICTS
from hengliang.core.terms import Bilingual, Language, both
from hengliang.report.formats import Style
from hengliang.report.html import Html, bilingual, join, signature_line, table_html, tag
from hengliang.report.markdown import escape_markdown
from hengliang.report.page import contents_html
from hengliang.report.sections import Section, paragraph, scrolling, section_html
from hengliang.report.shell import document
from hengliang.report.tables import Column, Table

TITLE = Bilingual("Published statistics, recomputed", "已发表统计数值的重算")
LEAD = Bilingual(
    "Which statistics of a paper follow, to the printed digit, from the counts, means and deviations that it prints?",
    "论文中的哪些统计数值可由其所印的频数、均值和标准差精确重算到所印数位？",
)
CONVENTIONS = Bilingual("Published conclusions under all defensible conventions", "各种合理惯例下的已发表结论")
CLAIM, WHERE, WHAT = Bilingual("Claim", "编号"), Bilingual("Where", "出处"), Bilingual("Statistic", "统计量")
PUBLISHED, RECOMPUTED = Bilingual("Published", "发表值"), Bilingual("Recomputed", "重算值")
VERDICT, WHY = Bilingual("Verdict", "结论"), Bilingual("How, or why not", "方法或原因")
PAPER, COUNT = Bilingual("Paper", "论文"), Bilingual("Claims", "数目")
CONVENTION, USERS = Bilingual("Convention", "惯例"), Bilingual("Default of", "默认使用者")
STATISTIC, P, STAYS = Bilingual("Value", "数值"), Bilingual("p", "p"), Bilingual("Conclusion stays", "结论维持")
CONCLUSION, KEPT = Bilingual("Published conclusion", "已发表结论"), Bilingual("Kept by", "维持")
AGAINST = Bilingual("Decided otherwise by", "得出不同结论者")
DECISIONS: Mapping[str, Bilingual] = {"yes": Bilingual("yes", "是"), "no": Bilingual("no", "否")}


def replication_table(rows: Sequence[Replicated], language: Language = "en") -> Table:
    """Return every claim: where it stands, what was published, what was recomputed, the verdict and the reason."""
    frame = pl.DataFrame(
        [
            {
                "claim": row.claim.id,
                "where": _where(row.paper, row.claim.where),
                "what": row.claim.what.en,
                "published": row.claim.published or "—",
                "recomputed": row.text(),
                "verdict": row.verdict,
                "why": row.recomputed.note.en,
            }
            for row in rows
        ],
        schema=dict.fromkeys(("claim", "where", "what", "published", "recomputed", "verdict", "why"), pl.String),
    )
    columns = (
        Column("claim", CLAIM, header=True),
        Column("where", WHERE),
        Column("what", WHAT, labels={row.claim.what.en: row.claim.what for row in rows}),
        Column("published", PUBLISHED, labels=DECISIONS),
        Column("recomputed", RECOMPUTED, labels=DECISIONS),
        Column("verdict", VERDICT, labels={str(name): title for name, title in VERDICTS.items()}),
        Column("why", WHY, labels={row.recomputed.note.en: row.recomputed.note for row in rows}),
    )
    return Table(frame, columns, language)


def replication_lines(row: Replicated, language: Language = "en") -> tuple[str, str, str]:
    """Return one claim for a narrow terminal: what it is called, its two values, and how or why not."""
    label = VERDICTS[row.verdict][language]
    values = [DECISIONS.get(value, both(value))[language] for value in (row.claim.published or "—", row.text())]
    told = Bilingual(
        f"{row.claim.what.en}: published {values[0]}, recomputed {values[1]}",
        f"{row.claim.what.zh}：发表值 {values[0]}，重算值 {values[1]}",
    )
    named = f"{row.claim.id}  ({_where(row.paper, row.claim.where)})  {label}"
    return named, told[language], row.recomputed.note[language]


def _where(paper: str, where: str) -> str:
    return f"{paper} {where}"


def summary_table(rows: Sequence[Replicated], language: Language = "en") -> Table:
    """Return how many claims of each paper have which verdict."""
    papers = list(dict.fromkeys(row.paper for row in rows))
    counted = {paper: summary(row for row in rows if row.paper == paper) for paper in papers}
    records: list[dict[Any, Any]] = [{"paper": paper, **counts} for paper, counts in counted.items()]
    frame = pl.DataFrame(records, schema={"paper": pl.String, **dict.fromkeys(VERDICTS, pl.Int64)})
    columns = [Column("paper", PAPER, header=True)]
    columns += [Column(name, title, Style("integer")) for name, title in VERDICTS.items()]
    return Table(frame, tuple(columns), language)


def conventions_table(found: ClaimMultiverse, language: Language = "en") -> Table:
    """Return one published conclusion under every convention."""
    frame = pl.DataFrame(
        [
            {
                "convention": row.convention.en,
                "users": ", ".join(row.users),
                "statistic": row.statistic,
                "p": row.p,
                "stays": row.remark if row.stays is None else ("yes" if row.stays else "no"),
            }
            for row in found.rows
        ],
        schema={
            "convention": pl.String,
            "users": pl.String,
            "statistic": pl.Float64,
            "p": pl.Float64,
            "stays": pl.String,
        },
    )
    columns = (
        Column("convention", CONVENTION, header=True, labels={row.convention.en: row.convention for row in found.rows}),
        Column("users", USERS),
        Column("statistic", STATISTIC, Style("exact", 5)),
        Column("p", P, Style("p", 3)),
        Column("stays", STAYS, labels=DECISIONS),
    )
    told = found.sentence()
    title = Bilingual(f"{found.claim.id}: {found.claim.what.en}", f"{found.claim.id}：{found.claim.what.zh}")
    return Table(frame, columns, language, title=title, note=told)


def robustness_table(found: Sequence[ClaimMultiverse], language: Language = "en") -> Table:
    """Return every published conclusion in a line: how many conventions keep it, and which do not."""
    labels: dict[str, Bilingual] = {}
    records = []
    for each in found:
        against = [row.convention for row in each.rows if row.stays is False]
        told = Bilingual("; ".join(name.en for name in against), "；".join(name.zh for name in against))
        labels[told.en] = told
        labels[each.conclusion.en] = each.conclusion
        records.append(
            {
                "claim": each.claim.id,
                "published": each.claim.published,
                "conclusion": each.conclusion.en,
                "kept": f"{each.kept}/{each.decided}",
                "against": told.en,
            }
        )
    frame = pl.DataFrame(
        records, schema=dict.fromkeys(("claim", "published", "conclusion", "kept", "against"), pl.String)
    )
    columns = (
        Column("claim", CLAIM, header=True),
        Column("published", PUBLISHED, labels=DECISIONS),
        Column("conclusion", CONCLUSION, labels=labels),
        Column("kept", KEPT),
        Column("against", AGAINST, labels=labels),
    )
    return Table(frame, columns, language, title=CONVENTIONS)


def robustness_lines(found: ClaimMultiverse, language: Language = "en") -> tuple[str, str]:
    """Return one published conclusion for a narrow terminal: how many conventions keep it, and which do not."""
    published_value = DECISIONS.get(found.claim.published, both(found.claim.published))
    named = Bilingual(
        f"{found.claim.id}  {published_value.en}: kept by {found.kept} of {found.decided} ({found.conclusion.en})",
        f"{found.claim.id}  {published_value.zh}：{found.decided} 种中有 {found.kept} 种维持（{found.conclusion.zh}）",
    )
    against = [row.convention[language] for row in found.rows if row.stays is False]
    return named[language], f"{AGAINST[language]}: {'; '.join(against)}" if against else ""


def render_replication(rows: Sequence[Replicated], multiverses: Sequence[ClaimMultiverse] = ()) -> str:
    """Return the page: the counts of verdicts, all claims paper by paper, and the conclusions under all conventions."""
    sections = [Section("summary", COUNT, _scrolling(summary_table(rows), "summary"))]
    for paper in dict.fromkeys(row.paper for row in rows):
        held = [row for row in rows if row.paper == paper]
        body = join([paragraph(both(published(paper).citation)), _scrolling(replication_table(held), f"paper-{paper}")])
        sections.append(Section(f"paper-{paper}", Bilingual(f"Paper {paper}", f"论文 {paper}"), body))
    if multiverses:
        closely = [_conventions_html(each) for each in multiverses if each.kept < each.decided]
        shown = join([_scrolling(robustness_table(multiverses), "conventions"), *closely])
        sections.append(Section("conventions", CONVENTIONS, shown))
    made = tag("p", None, signature_line(str(signature(tuple(dict.fromkeys(row.paper for row in rows))))))
    lead = [tag("h1", None, bilingual(TITLE)), tag("p", {"class": "question"}, bilingual(LEAD))]
    main = join([*lead, *(section_html(section) for section in sections), made])
    return document(f"{TITLE.en} · {TITLE.zh}", main, contents=contents_html(sections))


def _scrolling(table: Table, anchor: str) -> Html:
    return scrolling(table_html(table), anchor)


def _conventions_html(found: ClaimMultiverse) -> Html:
    anchor = f"conventions-{found.claim.id.replace('.', '-')}"
    table = conventions_table(found)
    heading = tag("h3", {"id": f"{anchor}-title"}, bilingual(table.title or both(found.claim.id)))
    return join([heading, paragraph(found.sentence()), _scrolling(table, anchor)])


def replication_markdown(
    rows: Sequence[Replicated], multiverses: Sequence[ClaimMultiverse] = (), language: Language = "en"
) -> str:
    """Return the same as Markdown in one language."""
    blocks = [f"# {TITLE[language]}", LEAD[language], summary_table(rows, language).to_markdown()]
    for paper in dict.fromkeys(row.paper for row in rows):
        held = [row for row in rows if row.paper == paper]
        blocks += [f"## {PAPER[language]} {paper}", escape_markdown(published(paper).citation)]
        blocks.append(replication_table(held, language).to_markdown())
    if multiverses:
        blocks += [f"## {CONVENTIONS[language]}", robustness_table(multiverses, language).to_markdown()]
        for each in multiverses:
            if each.kept < each.decided:
                table = conventions_table(each, language)
                blocks += [f"### {escape_markdown((table.title or both(''))[language])}", each.sentence()[language]]
                blocks.append(table.to_markdown())
    return "\n\n".join(block.strip() for block in blocks) + "\n"
