"""Which language model foresees a newspaper best when all of them have read the same one?

Models of n-grams (orders 2 to 5), an LSTM and a Transformer learn from the training part of the default corpus with one
vocabulary and are tried on its test part, as in Table 3b of [1], whose treebank is of about the same size.

[1] Wang, Y., Hu, J., Levy, R., Qian, P. (2021). Controlled evaluation of grammatical knowledge in Mandarin Chinese
    language models. EMNLP 2021.
"""

from __future__ import annotations

from hengliang import Bilingual, Study
from hengliang.analyses import traits
from hengliang.corpora import corpus_sentences
from hengliang.language_models import log_probability, perplexity_of_models, trained

SEEDS = (1, 2, 3)
ORDERS = (2, 3, 4, 5)


def study(quick: bool = False) -> Study:
    """Compare the models; the quick form leaves out neural models that have not been trained on this machine yet."""
    counted = [trained("ngram", size=str(order), name=f"{order}-gram") for order in ORDERS]
    seeds = SEEDS[:1] if quick else SEEDS
    neural = [
        *(trained("lstm", size="small", seed=seed, name="LSTM") for seed in seeds),
        *(trained("transformer", size="small", seed=seed, name="Transformer") for seed in seeds),
    ]
    used = [model for model in neural if model.is_trained or not quick]
    left_out = [model.name for model in neural if model not in used]
    draws = 1000 if quick else 10_000
    return Study(
        name="language_model_perplexity",
        question=Bilingual(
            "Which language model foresees a newspaper best when all of them have read the same one?",
            "读过同样的报纸之后，哪种语言模型最能预见新的报道？",
        ),
        materials=corpus_sentences(part="test"),
        systems=[*counted, *used],
        measures=[log_probability()],
        analyses=[
            perplexity_of_models(draws=draws),
            perplexity_of_models(by=["seed"], per="word", draws=draws),
            traits(["parameters", "vocabulary", "training_words", "training_seconds"]),
        ],
        notes=[*_NOTES, *([_left_out(left_out)] if left_out else [])],
    )


_NOTES = [
    Bilingual(
        "All models share one vocabulary, in which words seen once in training are replaced by classes of unknown "
        "words, so their perplexities per word can be compared with each other, but not with those of another "
        "vocabulary.",
        "所有模型共用同一词表，训练中仅出现一次的词归入未登录词类别，因此各模型的每词困惑度可以互相比较，但不能与其他词表的结果比较。",
    ),
    Bilingual(
        "Table 3b of Wang et al. (2021), models trained on a treebank of 974 thousand words and tried on its test "
        "part: n-gram 330, LSTM 161, Transformer 234. There the Transformer has twelve layers of 768 units; here it "
        "is as small as the data ask for.",
        "Wang 等（2021）表 3b：在 97.4 万词的树库上训练并在其测试集上评测，n 元模型 330，LSTM 161，Transformer 234。"
        "该文的 Transformer 为 12 层、768 维；这里的规模与数据量相称。",
    ),
]


def _left_out(names: list[str]) -> Bilingual:
    listed = ", ".join(names)
    return Bilingual(
        f"Left out of this quick form, because they are not trained on this machine yet: {listed}. Train them with: "
        "make models",
        f"快速版略去了本机尚未训练的模型：{'、'.join(names)}。训练命令：make models",
    )
