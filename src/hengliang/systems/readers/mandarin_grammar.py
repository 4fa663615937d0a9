"""Which logical forms does a Mandarin description have?

The text is cut into sentences and clauses at its punctuation. A clause, or two or three together where a comma stands
within a construction (除了一个以外，都是方形), is read by the first kind of clause that fits all of it. What fits none
is cut further where two readable clauses follow each other without a comma (一半红一半蓝). What still cannot be read is
handed back as it was written.
"""

from __future__ import annotations

import re

from hengliang.materials.scene_domains import DEFAULT_DOMAIN, Domain
from hengliang.systems.readers.mandarin_discourse import Discourse
from hengliang.systems.readers.mandarin_lexicon import lexicon
from hengliang.systems.readers.mandarin_patterns import analyses
from hengliang.systems.readers.mandarin_rules import tellings
from hengliang.systems.readers.mandarin_text import Clause, sentences
from hengliang.systems.readers.parsing import Parse

LONGEST_CUT = 60
"""Clauses of more characters are not cut further: nobody writes so many without a comma."""
MOST_PIECES = 8
"""Into how many a clause is cut at most."""
_TOGETHER = 3

_PLACE = r"(?:在|从)?(?:这|那|整)?(?:一?[张幅个])?(?:图片|图|画面|场景|画|屏幕|里面)(?:当中|之中|里面|上面|中|里|上)?"
_SEEING = r"(?:我们?)?(?:可以|能够?)?(?:看到|看见|看出|发现)(?:了)?"
_OPENING = re.compile(
    rf"(?:{_PLACE}(?!形|案)|这里|那里|{_SEEING}|而且|并且|但是|然而|不过|同时|另外(?=有|还)|此外|然后|首先|其次|最后|其实|"
    r"总之|因此|所以|总的来说|看起来|一共(?=有)|总共(?=有)|[也还既又](?=有|没)|另(?=有)|有且(?=只|仅)|这(?=是)|颜色(?:上|方面)?|而|但|且|则)"
)
_AMONG = re.compile(r"(?:这)?其中的?，?")
_PREDICATE = re.compile(r"不|并不|是|为|属于")
_JOINING = re.compile(r"(?:，|、|以及|还有|而且|并且|而|且|和|与|及|跟|也)")


def parse_mandarin(text: str, domain: Domain = DEFAULT_DOMAIN) -> Parse:
    """Return the logical forms of a Mandarin description, and the clauses that were not understood.

    >>> parse = parse_mandarin("所有的图形都是方形，其中一半是蓝色的。")
    >>> print(*parse.expressions, sep="; ")
    all(object, square); half(square, blue)
    """
    discourse = Discourse(domain)
    unread: list[str] = []
    for sentence in sentences(text):
        discourse.begin_sentence()
        place = 0
        leading: list[Clause] = []
        while place < len(sentence):
            before = list(discourse.told)
            taken, discourse = _read_from(sentence[place:], discourse)
            # 方形中 alone says nothing: it is read only if the sentence goes on.
            if discourse.told != before:
                leading = []
            elif taken:
                leading += sentence[place : place + taken]
            else:
                unread += [clause.written for clause in (*leading, sentence[place])]
                leading = []
            place += taken or 1
        unread += [clause.written for clause in leading]
    return Parse(tuple(discourse.told), tuple(unread))


def _read_from(clauses: list[Clause], discourse: Discourse) -> tuple[int, Discourse]:
    """Return how many clauses could be read at the beginning, the most first, and the discourse after them."""
    for number in range(min(_TOGETHER, len(clauses)), 0, -1):
        text = "，".join(clause.text for clause in clauses[:number])
        after = _read(text, discourse) or (_read_cut(text, discourse) if number == 1 else None)
        if after is not None:
            return number, after
    return 0, discourse


def _read(text: str, discourse: Discourse) -> Discourse | None:
    """Return the discourse after a clause, None if it is of no kind that can be meant here."""
    now = discourse.copy()
    now.taken_up = False
    for start in _beginnings(text):
        rest, among = text[start:], _AMONG.match(text, start)
        if among is not None:
            rest = text[among.end() :]
            now.go_on_about(now.antecedent)
            now.taken_up = True
        if not rest:
            return now
        for found in analyses(rest, now.domain):
            added = tellings(found, now)
            if added is not None:
                for one in added:
                    now.tell(one.expression, one.topic, one.anaphoric, one.replaces)
                return now
    return None


def _beginnings(text: str) -> list[int]:
    """Return where a clause may begin: at its first character, and after words that only lead over to it."""
    found = [0]
    while True:
        opening = _OPENING.match(text, found[-1])
        if opening is None:
            return found
        comma = text.startswith("，", opening.end())
        found.append(opening.end() + comma)


def _is_within_phrase(text: str, place: int, domain: Domain) -> bool:
    """Whether an adjective stands before a place and its noun after it, or a noun before it and its 都 after it."""
    word = lexicon(domain).word
    goes_on = re.match(rf"{word}|[都均皆全]|几乎", text[place:]) is not None
    ended = re.search(rf"{word}的?$", text[:place])
    # After 是 the phrase before it may be a whole predicate: 方形都是蓝色的圆形都是红色的.
    return goes_on and ended is not None and not (ended[0].endswith("的") and re.search("[是为]", text[:place]))


def _read_cut(text: str, discourse: Discourse, pieces: int = MOST_PIECES) -> Discourse | None:
    """Return the discourse after clauses that follow each other without a comma, the first as long as can be."""
    if len(text) > LONGEST_CUT or pieces < 2:
        return None
    for end in range(len(text) - 1, 0, -1):
        if _PREDICATE.match(text, end) or _is_within_phrase(text, end, discourse.domain):
            continue  # 三个图形不是红色的: the subject is what stands before.
        before = _read(text[:end], discourse)
        if before is None or before.told == discourse.told:
            continue
        joining = _JOINING.match(text, end)
        for start in {end, joining.end() if joining is not None else end}:
            after = _read(text[start:], before) or _read_cut(text[start:], before, pieces - 1)
            if after is not None and after.told != before.told:
                return after
    return None
