"""HTML and Markdown of tagging errors in a report, from the graph of error pairs down to single sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hengliang.core.settings import to_json
from hengliang.core.terms import LANGUAGES, Bilingual, Language, both
from hengliang.core.views import View
from hengliang.report.html import NOTHING, Html, bilingual, join, tag, text
from hengliang.report.markdown import SEMICOLON, escape_markdown, list_markdown
from hengliang.report.sections import paragraph, scrolling
from hengliang.tagging.test_sets.test_set import ErrorPair, error_pair
from hengliang.tagging.views import COUNTS, TITLE, PairView, SentenceView, Tally, WordView, error_graph

NAME, ANCHOR = "error_pairs", "error-pairs"
KEY = Bilingual(
    f"A pair <[v], [n]> says that words which the corpus tags v come out as n. {COUNTS.en} Open a pair for the words "
    "that taggers miss most, a word for its sentences.",
    f"错误对 <[v], [n]> 表示语料标为 v 的词被标成 n。{COUNTS.zh}展开错误对可见最常标错的词例，展开词例可见其句子。",
)
MARKDOWN_KEY = Bilingual(f"{COUNTS.en} Then the words that are missed most.", f"{COUNTS.zh}其后为最常标错的词例。")
TAG_GRAPH = Bilingual(
    "Error pairs without a question of segmentation: an arrow leads from the corpus's tag to the tagger's. Its width "
    "goes with how often taggers err that way here.",
    "不涉及分词问题的错误对：箭头由语料标注指向标注器的标注，粗细表示各标注器在此处如此标错的次数。",
)
WORD_GRAPH = Bilingual(
    "Error pairs about where words begin and end, drawn in the same way.",
    "涉及分词问题的错误对，画法相同。",
)
_HEADS = (Bilingual("Tagger", "标注器"), Bilingual("Words and tags", "词与标记"), Bilingual("Verdict", "判定"))
_CORPUS = Bilingual("corpus", "语料")
_LABELS: Mapping[str, Bilingual] = {
    "Correct": Bilingual("correct", "对"),
    "Wrong": Bilingual("wrong", "错"),
    "Record": Bilingual("recorded", "记录"),
    "": Bilingual("no answer", "无回答"),
}
_ENUMERATION: Mapping[Language, str] = {"en": ", ", "zh": "、"}
_MOST_IN_MARKDOWN = 5


def error_pairs_view(pairs: Sequence[PairView], *, simulated: bool = False) -> View:
    """Return what a report shows of error pairs; programs find them as `error_pairs` in its JSON.

    Where answers are made up, the graphs say so.
    """
    markdown = Bilingual(*(_markdown(pairs, language) for language in LANGUAGES))
    return View(NAME, ANCHOR, TITLE, _page(pairs, simulated), markdown, data=to_json(list(pairs)))


def _page(pairs: Sequence[PairView], simulated: bool) -> Html:
    """Return the graphs of the error pairs and, pair by pair, what taggers miss."""
    missed = {error_pair(view.pair): sum(tally.wrong for tally in view.tallies.values()) for view in pairs}
    graphs = [
        _graph({pair: count for pair, count in missed.items() if not pair.about_words and count}, TAG_GRAPH, simulated),
        _graph({pair: count for pair, count in missed.items() if pair.about_words and count}, WORD_GRAPH, simulated),
    ]
    body = [paragraph(KEY, "key"), *graphs, *(_pair(view) for view in pairs)]
    return join(body)


def _graph(counts: Mapping[ErrorPair, int], title: Bilingual, simulated: bool) -> Html:
    return error_graph(counts, title, simulated=simulated) if counts else NOTHING


def _pair(view: PairView) -> Html:
    pair = error_pair(view.pair)
    words = Bilingual(f"{view.n_words:,} word{'s' * (view.n_words != 1)}", f"{view.n_words:,} 个词例")
    head = [tag("b", None, text(str(pair))), tag("span", {"class": "count"}, bilingual(words))]
    summary = tag("summary", None, join(head, " "), tag("span", {"class": "failed"}, *_numbers(view.tallies)))
    return tag("details", {"class": "item"}, summary, _shown(view), *map(_word, view.words))


def _shown(view: PairView) -> Html:
    """Say how many words are shown, if not all: those that every tagger gets right, and the rarer of many, are not."""
    shown, words = len(view.words), view.n_words
    if shown == words:
        return NOTHING
    if not shown:
        return paragraph(Bilingual("No tagger misses any of these words.", "没有标注器标错这些词例。"), "key")
    remark = Bilingual(
        f"{shown:,} of {words:,} shown: those that are missed most.",
        f"显示 {words:,} 个词例中最常标错的 {shown:,} 个。",
    )
    return paragraph(remark, "key")


def _numbers(tallies: Mapping[str, Tally]) -> list[Html]:
    return [
        tag(
            "span",
            None,
            tag("b", None, text(name)),
            text(f" {tally}"),
        )
        for name, tally in tallies.items()
    ]


def _word(view: WordView) -> Html:
    word = tag("span", {"lang": "zh-Hans", "class": "always sentence"}, text(view.word))
    summary = tag("summary", None, word, tag("span", {"class": "failed"}, *_numbers(view.tallies)))
    if not view.sentences:
        return tag("p", None, word, *_numbers(view.tallies))
    return tag("details", {"class": "item word"}, summary, *(_sentence(sentence) for sentence in view.sentences))


def _sentence(view: SentenceView) -> Html:
    marked = join([text(view.before), tag("mark", None, text(view.target)), text(view.after)], "")
    line = tag("p", {"lang": "zh-Hans", "class": "always"}, marked)
    rows = [_answer(name, answer, label) for name, (answer, label) in view.given.items()]
    heads = [tag("th", {"scope": "col"}, bilingual(head)) for head in _HEADS]
    gold = tag("tr", None, tag("th", {"scope": "row"}, bilingual(_CORPUS)), _tagged(view.gold), tag("td"))
    head, body = tag("thead", None, tag("tr", None, *heads)), tag("tbody", None, gold, *rows)
    return join([line, scrolling(tag("table", {"class": "given"}, head, body), ANCHOR)])


def _answer(name: str, given: str, label: str) -> Html:
    kind = {"class": "fails"} if label != "Correct" else None
    cell = tag("td", kind, bilingual(_LABELS.get(label) or both(label)))
    return tag("tr", None, tag("th", {"scope": "row"}, text(name)), _tagged(given), cell)


def _tagged(given: str) -> Html:
    return tag("td", {"lang": "zh-Hans", "class": "always"}, text(given))


def _markdown(pairs: Sequence[PairView], language: Language) -> str:
    """Return a line for each error pair of a test set: how the taggers fare, and which words they miss most."""
    lines = []
    for view in pairs:
        fares = [f"{name} {tally}" for name, tally in view.tallies.items()]
        missed = _ENUMERATION[language].join(word.word for word in view.words[:_MOST_IN_MARKDOWN])
        facts = SEMICOLON[language].join([*fares, *([missed] if missed else [])])
        lines.append(f"**{escape_markdown(str(error_pair(view.pair)))}** {escape_markdown(facts)}")
    return "\n\n".join([escape_markdown(MARKDOWN_KEY[language]), list_markdown(lines)])
