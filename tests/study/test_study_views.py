"""Does what a plug-in's measure or analysis shows besides numbers come into every form of the report?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hengliang import Analysis, Bilingual, Measure, Run, Study, Tables, UserError, chooser, open_run
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from hengliang.core import ESTIMATE_SCHEMA, JUDGEMENT_SCHEMA, Layout, ResponseKind, View, judgements
from hengliang.report import ReportContent, escape_markdown, html_bilingual, html_join, html_tag, html_text, render_page
from tests.report.pages import Element, read_page
from tests.tiny import ByTable, Sentences

HOSTILE = "</section><script>window.broken=1</script><img src=x onerror=window.broken=1>|`*\"'&"
TITLE = Bilingual("Answers one by one", "逐条回答")
PART = Bilingual("Second part", "第二部分")


class Listing(Measure):
    """A stranger's measure: it judges nothing, and lists what every system answered, hostile texts among it."""

    kinds = ("ranking",)

    def __init__(self, log: str = "", anchor: str = "one-by-one", name: str = "listing") -> None:
        self.log = log
        self.anchor = anchor
        self.name = name

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame) -> pl.DataFrame:
        """Return a judgement without a value for each answer."""
        return judgements(responses, self.name, "listing", value=pl.lit(None, pl.Float64), problem=pl.lit("not judged"))

    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        """Return a list of the answers, and count the call in a file."""
        if self.log:
            with Path(self.log).open("a") as stream:
                stream.write("asked\n")
        rows = responses["ranking"].with_columns(best=pl.col("content").list.first().struct.field("label"))
        told = [f"{system} {label} {HOSTILE}" for system, label in rows.select("system", "best").iter_rows()]
        assert judgements["measure"].n_unique() == 2  # those of the other measure, too
        html = [
            html_tag("ul", None, *(html_tag("li", None, html_text(line)) for line in told)),
            html_tag("h3", {"id": f"{self.anchor}-2"}, html_bilingual(PART)),
        ]
        lines = "\n".join(f"- {escape_markdown(line)}" for line in told)
        markdown = Bilingual(f"{lines}\n\n### {PART.en}\n", f"{lines}\n\n### {PART.zh}\n")
        entries = ((f"{self.anchor}-2", PART),)
        return [View("answers_listed", self.anchor, TITLE, html_join(html), markdown, entries, told)]


class Counting(Analysis):
    """A stranger's analysis that has nothing but a view."""

    name = "counting"
    title = Bilingual("Counting", "计数")

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Return no estimates."""
        return pl.DataFrame(schema=ESTIMATE_SCHEMA)

    def layout(self) -> Layout:
        """Return a layout of nothing."""
        return Layout(rows=())

    def views(self, tables: Tables, estimates: pl.DataFrame) -> Sequence[View]:
        """Return how many items there are."""
        told = f"{tables.items.height} items, {estimates.height} estimates"
        return [View("counted", "counted", self.title, html_tag("p", None, html_text(told)), Bilingual(told, told))]


def study(measure: Measure | None = None, *analyses: Analysis) -> Study:
    return Study(
        name="views",
        question=Bilingual("What was answered?", "回答了什么？"),
        materials=Sentences(),
        systems=[chooser("GE"), ByTable()],
        measures=[label_match(), measure or Listing()],
        analyses=[accuracy(draws=20), *analyses],
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return study(None, Counting()).run(tmp_path_factory.mktemp("views") / "run")


def section(run: Run, anchor: str) -> Element:
    (found,) = read_page(run.report().read_text(encoding="utf-8")).all("section", id=anchor)
    return found


def test_it_is_a_section_of_the_page_after_the_results_and_in_the_contents(run: Run) -> None:
    page = read_page(run.report().read_text(encoding="utf-8"))
    anchors = [each.attributes["id"] for each in page.all("section")]
    assert anchors[anchors.index("results") :] == ["results", "one-by-one", "counted", "making"]
    shown = section(run, "one-by-one")
    assert shown.attributes["aria-labelledby"] == shown.all("h2")[0].attributes["id"] == "one-by-one-title"
    assert [span.text for span in shown.all("h2")[0].all("span")] == [TITLE.en, TITLE.zh]
    assert len(shown.all("li")) == 12  # 2 systems by 6 items
    links = {link.attributes["href"]: link.text for link in page.all("nav")[0].all("a")}
    assert links["#one-by-one"] == TITLE.en + TITLE.zh and links["#one-by-one-2"] == PART.en + PART.zh
    assert "6 items, 0 estimates" in section(run, "counted").text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_a_section_of_the_markdown(run: Run, language: str, tmp_path: Path) -> None:
    text = run.report("markdown", tmp_path / "report.md", language).read_text(encoding="utf-8")  # type: ignore[arg-type]
    shown = text[text.index(f"\n## {TITLE[language]}\n\n- GE 个") :]  # type: ignore[index]
    assert shown.index(f"\n\n### {PART[language]}\n\n## ") > 0  # type: ignore[index]
    assert "6 items, 0 estimates\n\n## " in shown


def test_programs_find_its_data_and_nothing_of_its_looks(run: Run, tmp_path: Path) -> None:
    value = json.loads(run.report("json", tmp_path / "report.json").read_text(encoding="utf-8"))
    assert value["answers_listed"][0] == f"GE 个 {HOSTILE}" and len(value["answers_listed"]) == 12
    assert "counted" not in value and "views" not in value
    assert ReportContent.from_json(value).views == ()


def test_hostile_texts_stay_texts(run: Run, tmp_path: Path) -> None:
    shown = section(run, "one-by-one")
    assert HOSTILE in shown.all("li")[0].text
    assert not shown.all("script") and not shown.all("img")
    text = run.report("markdown", tmp_path / "report.md").read_text(encoding="utf-8")
    assert "<script>" not in text and "<img" not in text


def test_a_script_in_the_html_of_a_careless_view_may_not_run() -> None:
    view = View("bad", "bad", TITLE, "<script>window.broken=1</script>", Bilingual("", ""))
    made = ReportContent("x", Bilingual("?", "？"), "2026-01-01")
    policies = [
        read_page(render_page(content))
        .all("meta", **{"http-equiv": "Content-Security-Policy"})[0]
        .attributes["content"]
        for content in (made, replace(made, views=(view,)))
    ]
    # Scripts run by their hashes; the page knows those of its own only, with the view as without.
    assert policies[0] == policies[1]
    assert "script-src 'sha256-" in policies[0] and "'unsafe" not in policies[0].split("style-src")[0]


def test_views_are_kept_beside_the_estimates_and_made_once(tmp_path: Path) -> None:
    log, folder = tmp_path / "log", tmp_path / "run"
    study(Listing(str(log))).run(folder)
    record = json.loads((folder / "manifest.json").read_text())["stages"]["estimates"]
    assert set(record["files"]) == {"estimates.parquet", "views.json"}
    assert record["rows"] == pl.read_parquet(folder / "estimates.parquet").height
    manifest, page = (folder / "manifest.json").read_text(), (folder / "report.html").read_bytes()
    study(Listing(str(log))).run(folder)
    open_run(folder).report()
    assert log.read_text() == "asked\n"
    assert (folder / "manifest.json").read_text() == manifest and (folder / "report.html").read_bytes() == page
    views = (folder / "views.json").read_bytes()
    (folder / "views.json").unlink()
    study(Listing(str(log))).run(folder)
    assert log.read_text() == "asked\n" * 2
    assert (folder / "views.json").read_bytes() == views


@pytest.mark.parametrize("damage", ["gone", "edited"])
def test_views_that_are_not_as_they_were_written_are_not_shown_and_that_is_said(damage: str, tmp_path: Path) -> None:
    folder = tmp_path / "a run"
    study().run(folder)
    file = folder / "views.json"
    if damage == "gone":
        file.unlink()
    else:
        file.write_text(file.read_text().replace("<ul>", "<ul><script>x</script>"))
    page = open_run(folder).report().read_text(encoding="utf-8")
    assert 'id="one-by-one"' not in page
    assert "views.json" in page and f"hengliang run views --out &#x27;{folder}&#x27; --from estimates" in page


def test_a_run_made_before_there_were_views_says_what_may_be_missing_and_how_to_make_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    study().run(folder)
    (folder / "views.json").unlink()
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["stages"]["estimates"]["files"]["views.json"]
    del manifest["description"]["views"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    run = open_run(folder)
    command = f"hengliang run views --out {folder} --from estimates"
    page, text = (file.read_text(encoding="utf-8") for file in (run.report(), run.report("markdown")))
    assert all("did not keep what measures show besides numbers" in told for told in (page, text))
    assert command in page and escape_markdown(command) in text
    study().run(folder, start="estimates")
    page = run.report().read_text(encoding="utf-8")
    assert 'id="one-by-one"' in page and command not in page
    # Where only people judged, nothing but numbers was ever shown.
    for entry in manifest["description"]["measures"]:
        entry["judge_kind"] = "person"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert command not in run.report().read_text(encoding="utf-8")


class Broken(Listing):
    """A measure whose view has an anchor of the report itself."""

    def views(
        self, items: pl.DataFrame, responses: Mapping[ResponseKind, pl.DataFrame], judgements: pl.DataFrame
    ) -> Sequence[View]:
        """Return a view that cannot be."""
        return [View("x", "results", TITLE, "", Bilingual("", ""))]


class Slow(Counting):
    """An analysis that must not be reached."""

    def estimate(self, tables: Tables) -> pl.DataFrame:
        """Fail."""
        raise AssertionError("the views of the measures come first")


def test_a_view_that_cannot_be_stops_the_run_before_the_estimates(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No view can have the anchor 'results'"):
        study(Broken(), Slow()).run(tmp_path / "run")
    assert open_run(tmp_path / "run").judgements.columns == list(JUDGEMENT_SCHEMA)
    assert not (tmp_path / "run" / "estimates.parquet").exists()
