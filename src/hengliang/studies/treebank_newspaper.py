"""How well do models with and without structure foresee a newspaper, and how well do they parse it?

The models of `structural_supervision`: they learn from the same sentences of the default corpus, those with structure
from silver trees or, as controls, from trees without syntax. Table 3b of [1] has the perplexities of the paper.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

from hengliang import Bilingual, Study
from hengliang.grammar import NEWSPAPER, QUICK_NEWSPAPER, TREE_CONTROLS, treebank_study


def study(quick: bool = False) -> Study:
    """Ask all models; the quick form has tiny networks, each trained once on a few sentences."""
    return treebank_study(
        "treebank_newspaper",
        Bilingual(
            "How well do models with and without structure foresee a newspaper, and how well do they parse it?",
            "有、无结构监督的模型能在多大程度上预见报纸文本，又能在多大程度上分析其句法？",
        ),
        QUICK_NEWSPAPER if quick else NEWSPAPER,
        quick,
        NOTES,
    )


NOTES = [
    Bilingual(
        "The trees are chunked from the corpus's tags, so F1 says how well a model does as the chunker did. Models on "
        f"{' and '.join(TREE_CONTROLS['trees'])} trees are compared with trees of that kind.",
        "句法树由语料的词性标记经分层组块得到，故 F1 表示模型与组块器的一致程度。"
        "以右分支树或打乱的树训练的模型与同类的树比较。",
    ),
    Bilingual(
        "Table 3b of Wang et al. (2021), models trained on a treebank of 974 thousand words: n-gram 330, LSTM 161, "
        "RNNG 227, Transformer 234, PLM 297. Vocabulary and test sentences differ, so only the order can be compared.",
        "Wang 等（2021）表 3b（97.4 万词树库）：n 元模型 330，LSTM 161，RNNG 227，Transformer 234，PLM 297。"
        "词表与测试句不同，只能比较次序。",
    ),
]
