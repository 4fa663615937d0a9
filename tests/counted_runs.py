"""Which runs do the tests count the reads of? The sentences, and what is said of them, are made up."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from hengliang import Bilingual, Study, chooser
from hengliang.acceptability import published_ratings, rated_sentences
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match
from hengliang.grammar import prediction, suites
from hengliang.language_models import log_probability
from hengliang.surveys import Experiment, Scale, answers_frame, people, stimuli_frame, write_experiment
from tests.core.old_version.toy import SUITE
from tests.language_models.small_models import SmallBigrams
from tests.tiny import ByTable, Sentences

CSV, OWN_SUITE, EXPERIMENT = "mine.csv", "own.suite", "experiment"


def write_files(folder: Path) -> None:
    """Write a table of ten rated sentences, a suite, and an experiment about an answer to one of the slots."""
    rows = [f"他买了{number}本书。,{number % 5 + 1}" for number in range(10)]
    (folder / CSV).write_text("\n".join(["sentence,rating", *rows]) + "\n", encoding="utf-8")
    (folder / OWN_SUITE).write_text(SUITE, encoding="utf-8")
    asked = Study(name="answers", materials=Sentences(), systems=[chooser("GE")])
    run = asked.run(folder / "answers")
    about = run.responses["ranking"].filter(pl.col("item") == "sentences-0-2")["id"][0]
    shown = {"about": about, "item": "sentences-0-2", "text": "他有两个朋友。", "spans": [], "systems": ["GE"]}
    scale = Scale("fluency", Bilingual("It is fluent.", "通顺"), 7)
    given = answers_frame([{"participant": "p1", "about": about, "scale": "fluency", "value": 7.0}])
    title = Bilingual("fluency", "通顺")
    write_experiment(folder / EXPERIMENT, Experiment("fluency", title, (scale,), stimuli_frame([shown]), answers=given))


def counted_study(folder: Path, kind: str) -> Study:
    """Return a study on the user's table, on the user's suite, or with people among its judges."""
    if kind == "people":
        measures = [label_match(), people(folder / EXPERIMENT)]
        systems = [chooser("GE"), ByTable()]
        return Study("people", Sentences(), systems, measures, [accuracy(draws=20)])
    if kind == "suite":
        return Study("suite", suites(str(folder / OWN_SUITE)), [SmallBigrams()], [prediction(), log_probability()])
    return Study("table", rated_sentences(folder / CSV), [SmallBigrams()], [published_ratings(), log_probability()])


def main(folder: str, kind: str) -> None:
    """Run the study of this kind below the folder."""
    counted_study(Path(folder), kind).run(Path(folder) / "run")
