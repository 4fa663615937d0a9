"""Where do the preferences that ship come from?

From the descriptions of the QTUNA corpus that our grammar reads as a whole. Run as a module it writes the file anew:

    python -m hengliang.systems.describers.preference_learning
"""

from __future__ import annotations

from pathlib import Path

from hengliang.core.io.delimited import AS_RECOGNISED, TableOptions
from hengliang.core.io.files import write_text
from hengliang.materials.elicited_descriptions import CORPUS, read_descriptions
from hengliang.materials.quantified_expressions import Description
from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.describers.preferences import FILE, Preferences, learn_preferences
from hengliang.systems.readers.parsing import parse_description


def elicited_forms(
    path: str | Path = CORPUS, domain: Domain = DEFAULT_DOMAIN, table: TableOptions = AS_RECOGNISED
) -> list[Description]:
    """Return the logical forms of the descriptions of a corpus that can be read as a whole."""
    texts = read_descriptions(path, domain=domain, table=table)["text"]
    parses = (parse_description(text, domain) for text in texts)
    return [parse.expressions for parse in parses if parse.whole]


def preferences_of(
    path: str | Path = CORPUS, domain: Domain = DEFAULT_DOMAIN, table: TableOptions = AS_RECOGNISED
) -> Preferences:
    """Return the preferences that the descriptions of a corpus show: "qtuna", or a folder or table of one's own."""
    forms = elicited_forms(path, domain, table)
    name = "QTUNA (Chen et al. 2019)" if str(path) == CORPUS else Path(path).name
    return learn_preferences(forms, domain, f"{name}: {len(forms):,} descriptions that were read as a whole")


if __name__ == "__main__":
    write_text(Path(__file__).with_name(FILE), preferences_of().as_json())
