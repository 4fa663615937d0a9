"""Which study made the run folder of an earlier version? Every sentence and number in it is made up by us."""

from __future__ import annotations

from pathlib import Path

from hengliang import Bilingual, Study, chooser
from hengliang.analyses import accuracy
from hengliang.classifiers import label_match, top_match
from hengliang.grammar import prediction, suite_accuracy, suites, surprisal_difference
from tests.language_models.small_models import CharacterPairs, SmallBigrams
from tests.tiny import ByTable, Sentences

RUN = Path(__file__).parent / "run"
"""The folder as that version left it, with rankings, scored units, a suite with a failing item, and a report."""

SUITE = """\
class:      missing object / 宾语缺失
conditions: complete *missing
regions:    subject verb object stop
predict:    missing.stop > complete.stop

1  He bought a book.
   complete  他 | 买 了 | 书 | 。
   missing   他 | 买 了 |    | 。

2  He came.
   complete  他 | 来 了 |    | 。
   missing   他 | 来 了 | 车 | 。
"""


def old_study(folder: Path) -> Study:
    """Return the study; its suite is written into the folder."""
    suite = folder / "own.suite"
    suite.write_text(SUITE, encoding="utf-8")
    return Study(
        name="old version",
        question=Bilingual("Does a folder of an earlier version open?", "旧版本的文件夹能打开吗？"),
        materials=[Sentences(), suites(str(suite))],
        systems=[chooser("GE"), ByTable(), SmallBigrams(), CharacterPairs()],
        measures=[label_match(), top_match(3), prediction(), surprisal_difference()],
        analyses=[accuracy(draws=20, cluster="set"), suite_accuracy(draws=20, cluster="set")],
        notes=["Made for the tests."],
    )
