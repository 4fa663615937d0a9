"""Where in these texts is a classifier missing or doubtful, and which one would be right?

Precision comes first: something is said only where all that is known of the noun speaks against the text, and the
chooser agrees. Nothing depends on the other texts, so a text gets the same remarks alone and among others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

import polars as pl

from hengliang.core.labelling.taggers import Tagger
from hengliang.core.labelling.taggers import tagger as tagger_named
from hengliang.core.progress import Silent
from hengliang.core.terms import Bilingual
from hengliang.core.text.characters import half_character, to_traditional
from hengliang.materials.slot_compatibility import Compatibility
from hengliang.systems.classifier_choosers.advice import AdvisedClassifier, describe, is_traditional
from hengliang.systems.classifier_choosers.adviser import unabridged
from hengliang.systems.classifier_choosers.base import ClassifierChooser
from hengliang.systems.classifier_choosers.opening import open_chooser
from hengliang.systems.classifier_choosers.slots import SLOT_SCHEMA
from hengliang.systems.classifier_choosers.trained import TrainedChooser
from hengliang.systems.proofreading.corrections import Correction, Thresholds
from hengliang.systems.proofreading.gaps import Gap, find_gaps
from hengliang.systems.proofreading.profiles import Objection, Profiles
from hengliang.systems.proofreading.profiles import profiles as usual_profiles
from hengliang.systems.proofreading.tagged_text import TaggedSentence, tag_texts
from hengliang.systems.slot_finding.finding import find_slots

SUGGESTIONS = 3
_MARK = "<CL>"
_CLAUSE_ENDS = frozenset("，。；：！？,;:!?…")
_REACH = 14
"""Words after a classifier among which another noun may be the one it counts."""


@dataclass(frozen=True, slots=True)
class Proofread:
    """What was found in some texts, in their order, how many classifiers were looked at, and what could not be read."""

    corrections: tuple[Correction, ...]
    slots: int
    sentences: int
    problems: tuple[tuple[int, str], ...] = ()
    """The number of a text, from 1, and why it, or a sentence of it, was not read."""


class Proofreader:
    """Finds missing and doubtful classifiers; `chooser` ranks what is suggested (None: the best on this machine)."""

    def __init__(
        self,
        chooser: ClassifierChooser | None = None,
        thresholds: Thresholds | None = None,
        tagger: Tagger | str = "lac",
        profiles: Profiles | None = None,
    ) -> None:
        self.chooser = unabridged(chooser or open_chooser())
        self.thresholds = thresholds or Thresholds()
        self.tagger = tagger_named(tagger) if isinstance(tagger, str) else tagger
        self.profiles = profiles or usual_profiles()

    @cached_property
    def _labels(self) -> frozenset[str]:
        """The classifiers of which the chooser can say that they do not fit; none unless it was trained."""
        if not isinstance(self.chooser, TrainedChooser):
            return frozenset()
        self.chooser.prepare(Silent())
        return frozenset(self.chooser.labels())

    @cached_property
    def _compatibility(self) -> Compatibility:
        """What settles heads with several readings: the same for every text, unlike counts of the text itself."""
        uses = self.profiles.uses.items()
        return Compatibility.of(Counter({(form, noun): n for noun, held in uses for form, n in held.items()}))

    def read(self, texts: str | Sequence[str]) -> Proofread:
        """Return the corrections of the texts; one that cannot be read gets a problem, and the others go on."""
        given = [texts] if isinstance(texts, str) else list(texts)
        broken = {number: problem for number, text in enumerate(given, 1) if (problem := half_character(text))}
        # A text that is left out keeps its number.
        whole = ["" if number in broken else text for number, text in enumerate(given, 1)]
        tagged = tag_texts(whole, self.tagger)
        slots = find_slots(whole, self.tagger, compatibility=self._compatibility, as_written=False, errors="skip")
        found = [*self._missing(tagged, whole), *self._wrong(slots, whole)]
        failed = ((sentence.text, sentence.problem) for sentence in tagged if sentence.problem)
        problems = sorted(dict.fromkeys([*broken.items(), *failed]), key=itemgetter(0))
        return Proofread(tuple(sorted(found, key=_place)), slots.height, len(tagged), tuple(problems))

    # --- missing ---

    def _missing(self, tagged: Sequence[TaggedSentence], texts: Sequence[str]) -> list[Correction]:
        gaps = [(sentence, gap) for sentence in tagged for gap in find_gaps(sentence.words, self.profiles)]
        rankings = self._rankings([(sentence.content, gap.place, gap.noun) for sentence, gap in gaps])
        found = []
        for (sentence, gap), ranking in zip(gaps, rankings, strict=True):
            usual = self.profiles.usual(gap.noun)
            place = sentence.place(gap.place)
            traditional = is_traditional(texts[sentence.text - 1])
            noun = to_traditional(gap.noun) if traditional else gap.noun
            found.append(
                Correction(
                    sentence.text,
                    place,
                    place,
                    "missing",
                    "",
                    noun,
                    self._suggestions(ranking, usual, "", traditional),
                    _gap_reason(gap, noun),
                )
            )
        return found

    # --- wrong ---

    def _wrong(self, slots: pl.DataFrame, texts: Sequence[str]) -> list[Correction]:
        asked: list[tuple[dict[str, Any], Objection | None]] = []
        for row in slots.iter_rows(named=True):
            if row["construction"] == "title" or not row["head"] or self._is_known(row):
                continue
            objection = self.profiles.objection(row["gold"], row["head"], self.thresholds)
            if objection is not None or row["gold"] in self._labels:
                asked.append((row, objection))
        rankings = self._rankings([(row["content"], row["spans"][0]["start"], row["head"]) for row, _ in asked])
        found = []
        for (row, objection), ranking in zip(asked, rankings, strict=True):
            one = self._doubt(row, objection, ranking, is_traditional(texts[row["paragraph"] - 1]))
            if one is not None:
                found.append(one)
        return found

    def _is_known(self, row: Mapping[str, Any]) -> bool:
        """Say whether the classifier is known with its noun, or with another one after it that it may count."""
        form, noun = row["gold"], row["head"]
        words = row["segmented"].split()
        after = words[words.index(_MARK) + 1 :][:_REACH]
        end = next((place for place, word in enumerate(after) if word[0] in _CLAUSE_ENDS), len(after))
        return any(self.profiles.goes_with(form, word) for word in (noun, *after[:end]))

    def _doubt(
        self, row: Mapping[str, Any], objection: Objection | None, ranking: Mapping[str, float], traditional: bool
    ) -> Correction | None:
        form = row["gold"]
        probability = ranking.get(form, 0.0)
        best = max(ranking, key=ranking.__getitem__, default="")
        by_chooser = (
            form in self._labels
            and probability <= self.thresholds.never
            and best not in {"", form}
            and ranking.get(best, 0.0) >= self.thresholds.clear
        )
        noun = to_traditional(row["head"]) if traditional else row["head"]
        written = row["written"]
        if objection is not None and probability <= self.thresholds.rare:
            suggestions = self._suggestions(ranking, objection.usual, form, traditional)
            reason = _objection_reason(written, noun, objection, [one.classifier for one in suggestions])
        elif by_chooser:
            suggestions = self._suggestions(ranking, (), form, traditional)
            reason = _chooser_reason(written, self.chooser.name, self.thresholds.never, suggestions[0])
        else:
            return None
        start = row["offset"]
        end = start + len(written.encode())
        return Correction(row["paragraph"], start, end, "wrong", written, noun, suggestions, reason, probability)

    # --- suggesting ---

    def _rankings(self, slots: Sequence[tuple[str, int, str]]) -> list[dict[str, float]]:
        if not slots:
            return []
        table = pl.DataFrame(slots, schema=SLOT_SCHEMA, orient="row")
        rankings = self.chooser.ranked(table).to_list()
        return [{one["label"]: one["probability"] for one in ranking} for ranking in rankings]

    def _suggestions(
        self, ranking: Mapping[str, float], usual: Sequence[str], written: str, traditional: bool
    ) -> tuple[AdvisedClassifier, ...]:
        """Return the classifiers to suggest: of those the noun is known with the likely ones, else all, best first."""
        known = [form for form in usual if form != written] or [form for form in ranking if form != written]
        likely = [form for form in known if ranking.get(form, 0.0) >= self.thresholds.sure]

        def order(form: str) -> float:
            return -ranking.get(form, 0.0)

        chosen = sorted(likely or known, key=order)[:SUGGESTIONS]
        return tuple(describe(form, ranking.get(form), traditional) for form in chosen)


def _place(correction: Correction) -> tuple[int, int, int]:
    return correction.text, correction.start, correction.end


def _gap_reason(gap: Gap, noun: str) -> Bilingual:
    return Bilingual(
        f"{gap.number} stands before {noun} without the classifier that {noun} is counted with",
        f"“{gap.number}”与“{noun}”之间需要量词",
    )


def _objection_reason(written: str, noun: str, objection: Objection, usual: Sequence[str]) -> Bilingual:
    seen = f" in {objection.seen} uses" if objection.seen else ""
    zh_seen = f"语料中的{objection.seen}例" if objection.seen else "词典"
    return Bilingual(
        f"{noun} is counted by {', '.join(usual)}; {written} was not seen with it{seen}, nor with nouns like it",
        f"“{noun}”常用量词是{''.join(f'“{form}”' for form in usual)}；{zh_seen}里没有“{written}”",
    )


def _chooser_reason(written: str, chooser: str, never: float, best: AdvisedClassifier) -> Bilingual:
    shown = f"{best.probability:.2f}" if best.probability is not None else "—"
    return Bilingual(
        f"{chooser} gives {written} at most {never:g} here, and {best.classifier} {shown}",
        f"{chooser} 认为此处用“{written}”的概率不超过 {never:g}，用“{best.classifier}”的概率为 {shown}",
    )
