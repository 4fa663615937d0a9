"""Which accuracies does the paper on Mandarin grammar print, and for which models?

`published_002.json` holds Table 6 (accuracy by model and class, models trained on the Chinese Treebank) and what
Tables 1 and 5 say of these models [1].

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from hengliang.analysis.replication.published import Paper
from hengliang.core.closure import package_data


@cache
def paper_002() -> Paper:
    """Return what the paper prints."""
    file = package_data(__name__, "published_002.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    return Paper(content["paper"], content["citation"], content["tables"], content["facts"], ())


def published_accuracies() -> Mapping[tuple[str, str], str]:
    """Return Table 6 as printed, by model and class, for the models trained on the Chinese Treebank."""
    paper = paper_002()
    rows: Mapping[str, Any] = paper.tables["6"]["rows"]
    return {
        (model, class_): text
        for model, texts in rows.items()
        for class_, text in zip(paper.facts["classes"], texts, strict=True)
    }


def published_trainings() -> Mapping[str, int]:
    """Return how many trainings of each model the published accuracies are averages of."""
    trainings: Mapping[str, int] = paper_002().facts["trainings"]
    return trainings
