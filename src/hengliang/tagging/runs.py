"""Studies of taggers: error mining in a corpus and diagnosis by a test set, and what their runs leave behind.

Mining asks taggers for the words and tags of sentences whose right ones are known, and counts what goes wrong [1, 2.1].
Testing asks them the sentences of a test set [1, 3.3]. Both are ordinary studies: they resume, they keep answers for
the next run, and they end in a report.

[1] Tang, Q., Chang, B., & Zhan, W. (2020). A fine-grained evaluation set for Chinese POS tagging. Journal of Chinese
    Information Processing, 34(9), 9–18.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import polars as pl

from hengliang.core.base_classes import Analysis
from hengliang.core.errors import UserError
from hengliang.core.io.files import read_json, write_json, write_table
from hengliang.core.labelling.taggers import Tagger
from hengliang.core.runs import Tables
from hengliang.core.terms import Bilingual
from hengliang.corpora import catalogue as sources
from hengliang.corpora.parts import Part
from hengliang.corpora.plain_text import OnBroken
from hengliang.study.study import Run, Study
from hengliang.tagging.diagnosis import by_word, tagging_diagnosis
from hengliang.tagging.differences import tagging_differences
from hengliang.tagging.errors import INSTANCE_SCHEMA, LEAST, SHARE, candidates, error_instances
from hengliang.tagging.labels import tagging_item
from hengliang.tagging.quality import error_counts, tagging_quality
from hengliang.tagging.sentences import TaggedSentences, corpus_name, tagged_sentences
from hengliang.tagging.tag_maps.tables import UNMAPPED
from hengliang.tagging.taggers.cards import overlap_warning
from hengliang.tagging.taggers.mapped import mapped
from hengliang.tagging.taggers.sheltered import problem_summary, sheltered
from hengliang.tagging.test_sets.items import TaggingItems

VOTERS = ("rjieba", "lac", "thulac", "snownlp", "jiagu")
"""The five taggers that vote which errors are common; jieba has rjieba's model and would vote twice."""

DIAGNOSIS = tagging_diagnosis()
"""How a tagger is scored on a test set."""

DIFFERENCES = tagging_differences()
"""How taggers are compared."""

ONCE = "error counts, once is enough"
"""The counts beside those that a demand for more instances of each tagger leaves."""

INSTANCES, CANDIDATES, REVIEW, MINED = "instances.parquet", "candidates.parquet", "review.tsv", "mined.json"
"""What mining leaves in its folder beside the run."""


def opened_taggers(
    references: Sequence[str],
    tags: str = "pku",
    seconds: float | None = None,
    maps: Mapping[str, str] = MappingProxyType({}),
) -> list[Tagger]:
    """Return the taggers of these names, their tags mapped; with `seconds`, each in a process with a time limit."""
    if not references:
        raise UserError("No tagger is named.", remedy="Name one: --tagger lac; see hengliang taggers list")
    kinds = [reference.partition(":")[0] for reference in references]
    strange = next((name for name in maps if name not in (*references, *kinds)), None)
    if strange is not None:
        raise UserError(
            f"A map is named for the tagger '{strange}', which is not asked.", valid=f"Asked: {', '.join(references)}."
        )
    opened: list[Tagger] = []
    for reference, kind in dict(zip(references, kinds, strict=True)).items():
        made = mapped(reference, tags, maps.get(reference) or maps.get(kind, ""))
        opened.append(made if seconds is None else sheltered(made, seconds))
    return opened


def mining_study(
    taggers: Sequence[Tagger],
    corpus: str | Path,
    parts: Sequence[Part] = (),
    name: str = "tagger mining",
    *,
    share: float = SHARE,
    least: int = LEAST,
    times: int = 1,
    encoding: str = "utf-8",
    errors: OnBroken = "raise",
) -> Study:
    """Return the study that asks taggers for the words and tags of a tagged corpus, and counts their errors."""
    return Study(
        name=name,
        question=Bilingual(
            "Where do these taggers cut and tag otherwise than the annotators of the corpus?",
            "这些标注器在哪些地方与语料标注者的切分和标注不同？",
        ),
        materials=tagged_sentences(corpus, parts, encoding, errors),
        systems=taggers,
        analyses=[
            error_counts(share, min(least, len(taggers)), times),
            *([error_counts(share, min(least, len(taggers)), shown=0, name=ONCE)] if times > 1 else []),
            tagging_quality(),
        ],
        notes=overlaps(taggers, corpus),
    )


def check_vote(taggers: Sequence[Tagger], *, share: float = SHARE, least: int = LEAST, times: int = 1) -> None:
    """Refuse a vote that these taggers cannot take, before an hour of tagging rather than after it."""
    nothing = pl.DataFrame(schema=INSTANCE_SCHEMA)
    candidates(nothing, [tagger.name for tagger in taggers], share=share, least=least, times=times)


def mined(
    run: Run, *, segmentation: bool = True, share: float = SHARE, least: int = LEAST, times: int = 1
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the error instances of a mining run and the candidates that enough taggers share."""
    responses = run.responses["tagging"]
    instances = error_instances(run.items, responses, segmentation)
    systems = responses["system"].unique(maintain_order=True).to_list()
    return instances, candidates(instances, systems, share=share, least=least, times=times)


def keep_mining(
    folder: Path,
    corpus: str,
    parts: Sequence[Part],
    instances: pl.DataFrame,
    encoding: str = "utf-8",
    errors: OnBroken = "raise",
) -> None:
    """Write the error instances into the folder of a mining run, and from which corpus they are."""
    path = Path(corpus)
    # The folder may be read from elsewhere, where the path of a file would lead nowhere.
    corpus_path = str(path.resolve()) if path.is_file() else corpus
    write_table(folder / INSTANCES, instances)
    write_json(folder / MINED, {"corpus": corpus_path, "parts": list(parts), "encoding": encoding, "errors": errors})


def mined_material(folder: Path) -> TaggedSentences:
    """Return the sentences that were mined into this folder."""
    if not (folder / MINED).is_file() or not (folder / INSTANCES).is_file():
        raise UserError(f"There is no mining in {folder}.", remedy=f"Mine first: hengliang taggers mine --out {folder}")
    mined_from = read_json(folder / MINED)
    # Folders of earlier versions name neither.
    return tagged_sentences(
        mined_from["corpus"],
        mined_from["parts"],
        mined_from.get("encoding", "utf-8"),
        mined_from.get("errors", "raise"),
    )


def diagnosis_study(
    taggers: Sequence[Tagger], material: TaggingItems, extra: Sequence[Analysis] = (), name: str = "tagger test"
) -> Study:
    """Return the study that puts taggers to a test set."""
    compared: list[Analysis] = [DIFFERENCES] if len(taggers) > 1 else []
    return Study(
        name=name,
        question=Bilingual(
            "Which of the errors that taggers commonly make does each of these make?",
            "在标注器常犯的各类错误中，这些标注器各犯哪些？",
        ),
        materials=material,
        systems=taggers,
        measures=[tagging_item()],
        analyses=[DIAGNOSIS, *compared, *extra],
        notes=[warning for corpus in corpora_of(material) for warning in overlaps(taggers, corpus)],
    )


def corpora_of(material: TaggingItems) -> list[str | Path]:
    """Return the corpora, as the catalogue names them, in which sentences of a test set stand."""
    test_set = material.held()
    names = {*(corpus.name for corpus in test_set.corpora), *test_set.entries["corpus"].drop_nulls().to_list()}
    known = dict.fromkeys([*material.corpora, sources.DEFAULT_CORPUS])
    return [corpus for corpus in known if corpus_name(corpus) in names]


def overlaps(taggers: Sequence[Tagger], corpus: str | Path) -> list[Bilingual]:
    """Return a warning for each tagger that was trained on the corpus on which it is tested."""
    warnings = (overlap_warning(tagger.name, str(corpus)) for tagger in taggers)
    return [warning for warning in warnings if warning is not None]


def failures(run: Run) -> Iterator[Bilingual]:
    """Give, for each tagger with failures, how many sentences failed and why; a sentence of several items is one."""
    for (system,), rows in _answers(run).group_by("system", maintain_order=True):
        for kind, count in problem_summary(rows["problem"].to_list()):
            yield Bilingual(
                f"{system}: {count:,} of {rows.height:,} sentences: {kind.en}",
                f"{system}：{rows.height:,} 句中有 {count:,} 句：{kind.zh}",
            )


def unmapped_tags(run: Run) -> Iterator[Bilingual]:
    """Give, for each tagger, the tags that its map does not name; they count as wrong wherever they stand."""
    answers = run.responses["tagging"].filter(pl.col("content").list.len() > 0)
    words = answers.select("system", word="content").explode("word").unnest("word")
    strange = words.filter(pl.col("tag").str.starts_with(UNMAPPED))
    counts = strange.group_by("system", "tag").len().sort("system", "len", "tag", descending=[False, True, False])
    for (system,), rows in counts.group_by("system", maintain_order=True):
        listed = ", ".join(
            f"{tag.removeprefix(UNMAPPED)} ({n:,})" for tag, n in rows.head(8).select("tag", "len").rows()
        )
        total = int(rows["len"].sum())
        yield Bilingual(
            f"{system}: {total:,} words have a tag that no map names: {listed}. See: hengliang taggers maps --help",
            f"{system}：{total:,} 个词的标记不在映射表中：{listed}。参见：hengliang taggers maps --help",
        )


UNMET, FEW_WORDS = 0.2, 100
"""Above this share of gold words whose tags are never given, the tag sets are likely to be different ones; of so few
words nothing can be said."""


def unmet_tags(run: Run) -> Iterator[Bilingual]:
    """Say where many gold words have tags that a tagger never gives: corpus and tagger have different tag sets."""
    tokens = run.items["gold"].drop_nulls().str.split(" ").explode().str.extract(r"/([^/]+)$").drop_nulls()
    gold = tokens.value_counts(name="n", sort=True).rename({tokens.name: "tag"})
    answers = run.responses["tagging"].filter(pl.col("content").list.len() > 0)
    given_tags = (
        answers.select("system", word="content").explode("word").unnest("word").select("system", "tag").unique()
    )
    for (system,), tags in given_tags.group_by("system", maintain_order=True):
        never = gold.join(tags, on="tag", how="anti").sort("n", "tag", descending=[True, False])
        words = int(gold["n"].sum())
        share = float(never["n"].sum()) / max(1, words)
        if share > UNMET and words > FEW_WORDS:
            listed = ", ".join(f"{tag} ({n:,})" for tag, n in never.head(8).select("tag", "n").iter_rows())
            yield Bilingual(
                f"{system}: {share:.0%} of the gold words have a tag that it never gives: {listed}. Are the tags of "
                "corpus and tagger of one set? See --tags and --map, and: hengliang taggers maps --help",
                f"{system}：{share:.0%} 的标准词带有该标注器从不给出的标记：{listed}。语料与标注器的标记集是否一致？"
                "参见 --tags、--map 以及：hengliang taggers maps --help",
            )


def _answers(run: Run) -> pl.DataFrame:
    """Return the answer of each system to each different sentence, with what is wrong with it."""
    asked = run.items.select(item="id", sentence="content", size=pl.col("content").str.len_bytes())
    words = pl.col("content")
    starts, ends = words.list.first().struct.field("start"), words.list.last().struct.field("end")
    problem = (
        pl.when(pl.col("status") != "ok").then("reason")
        .when(words.list.len() == 0).then(pl.lit("the tagger returned no words"))
        .when((starts != 0) | (ends != pl.col("size"))).then(pl.lit("the words do not cover the sentence"))
        .otherwise(pl.lit(""))
    )  # fmt: skip
    rows = run.responses["tagging"].join(asked, on="item", maintain_order="left")
    return rows.select("system", "sentence", problem=problem).unique(["system", "sentence"], maintain_order=True)


def pair_scores(run: Run, least: int) -> pl.DataFrame:
    """Return how the one tagger of a run fares with the pairs of at least so many sentences: pair, score, n.

    The score is D as published. The worst pair comes first.
    """
    rows = by_word(tables_of(run)).group_by("pair").agg(pl.col("correct", "total").sum())
    enough = rows.filter(pl.col("total") >= least)
    scores = enough.select("pair", score=100 * pl.col("correct") / pl.col("total"), n="total")
    return scores.sort("score", "pair")


def worst_pairs(run: Run, worst: int, least: int) -> pl.DataFrame:
    """Return the error pairs in which the one tagger of a run does worst, and not perfectly: pair, score, n."""
    scores = pair_scores(run, least)
    if not scores.height:
        raise UserError(f"No error pair has {least} sentences that were judged.", remedy="Ask for fewer, as --least 1.")
    return scores.filter(pl.col("score") < 100).head(worst)


def missed_words(run: Run, pairs: Sequence[str]) -> pl.DataFrame:
    """Return the words of these error pairs that the one tagger of a run does not always get right: pair, word."""
    rows = by_word(tables_of(run)).filter(pl.col("pair").is_in(list(pairs)))
    return rows.filter(pl.col("correct") < pl.col("total")).select("pair", "word").unique().sort("pair", "word")


def tables_of(run: Run) -> Tables:
    """Return the tables of a run, as analyses get them."""
    return Tables(run.items, run.folder.systems(), run.responses, run.judgements)
