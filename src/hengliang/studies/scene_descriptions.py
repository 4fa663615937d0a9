"""How do people describe scenes with quantifiers, and how do two algorithms that describe the same scenes compare?

The descriptions are those of the QTUNA corpus [1]: thirty scenes of 4, 9 and 20 things. They are parsed into logical
forms, and the four findings of the corpus are tested: vagueness, completeness, length and order by size of the scene.

[1] Chen, G., van Deemter, K., Pagliaro, S., Smalbil, L., Lin, C. (2019). QTUNA: A corpus for understanding how speakers
    use quantification. INLG 2019.
"""

from __future__ import annotations

from hengliang import Bilingual, Study, UserError
from hengliang.corpora import locate
from hengliang.scenes import describer_completeness, description_findings, elicited_descriptions

CORPUS = "qtuna"


def missing() -> str:
    """Say which data the study needs that are not here."""
    try:
        locate(CORPUS)
    except UserError:
        return f"the data {CORPUS}: hengliang data get {CORPUS}"
    return ""


def study(quick: bool = False) -> Study:
    """Test the findings; the quick form draws fewer samples and runs the algorithms with fewer seeds."""
    draws = 200 if quick else 2000
    return Study(
        name="scene_descriptions",
        question=Bilingual(
            "How do people describe scenes with quantifiers, and how do algorithms describe the same scenes?",
            "人们怎样用量化表达描述场景？算法对同样的场景又怎样描述？",
        ),
        materials=elicited_descriptions(),
        analyses=[
            description_findings(draws=draws),
            describer_completeness(seeds=(1, 2) if quick else (1, 2, 3, 4, 5), draws=draws),
        ],
        notes=[
            Bilingual(
                "What people wrote is known only as far as the parser reads it; its coverage stands in the first "
                "table, and shares are given with bounds for what it does not read.",
                "对描述内容的了解以句法分析器能读懂的部分为限；其覆盖率见第一个表，各比例同时给出未读懂部分的上下界。",
            ),
        ],
    )
