"""Base phrases of the chunker: noun, number, localiser, adverbial and verb phrases before modifiers are known.

The first stages of the cascade put together which words of a clause belong together: numbers take their classifiers,
nouns the nouns and adjectives before them, conjunctions the nouns on both sides, localisers the noun before them, 地
the adverbial before it, verbs their aspect and complements. Each stage reads the list of chunks once, from left to
right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hengliang.corpora.trees import chunk_words as classes
from hengliang.corpora.trees.chunks import (
    ADJECTIVE,
    ADVERB,
    ATTRIBUTE,
    CLASSIFIER,
    CONJUNCTION,
    DE,
    DETERMINER,
    DI,
    LOCALISER,
    NOMINAL,
    NOUN,
    NUMBER,
    OTHER,
    PLACE,
    PREPOSITION,
    QUANTITY,
    REMARK,
    SUFFIX,
    TIME,
    VERB,
    Chunk,
    as_kind,
    settled,
)
from hengliang.corpora.trees.constituents import Tree

# --- coordination of nouns --------------------------------------------------------------------------------------------
# 北京 、 上海 和 广州: members of one word stand bare in their phrase; where one of them is a phrase, all of them are.
# 等 ends an enumeration, and the noun after it names what was listed: 北京 、 上海 等 城市.


def coordinated(chunks: Sequence[Chunk], *, early: bool) -> list[Chunk]:
    """Put nouns together that a conjunction or 、 joins, and 等 with what it ends.

    Before modifiers are known (`early`), a noun that itself modifies with 的 is kept apart where the one before it is
    modified too: 他 的 老师 和 我 的 朋友.
    """
    done: list[Chunk] = []
    place = 0
    while place < len(chunks):
        members = [place]
        while not (early and _must_wait(chunks, members)) and (step := _next_member(chunks, members[-1], members[0])):
            members.append(step)
        end = members[-1] + 1
        if len(members) > 1 and early and end < len(chunks) and _must_wait(chunks, members):
            end = members[-2] + 1
            members.pop()
        if len(members) > 1:
            _add_coordination(done, chunks[place:end])
        else:
            done.extend(chunks[place:end])
        place = end
        if place < len(chunks) and chunks[place].head in classes.ENUMERATION_ENDS and done[-1].kind in NOMINAL:
            place = _enumeration(done, chunks, place)
    return done


def _next_member(chunks: Sequence[Chunk], place: int, first: int) -> int:
    """Return the place of the next member of a coordination, or 0 where there is none."""
    if chunks[first].kind not in NOMINAL or place + 2 >= len(chunks):
        return 0
    link = chunks[place + 1]
    if link.kind != CONJUNCTION or link.head not in classes.NOUN_CONJUNCTIONS:
        return 0
    after = chunks[place + 2]
    if after.kind == QUANTITY and place + 3 < len(chunks) and chunks[place + 3].kind == NOUN:
        return place + 3 if chunks[first].kind == NOUN else 0
    if after.kind == chunks[first].kind or {after.kind, chunks[first].kind} <= {NOUN, PLACE}:
        return place + 2
    return 0


def _must_wait(chunks: Sequence[Chunk], members: Sequence[int]) -> bool:
    last, first = members[-1], members[0]
    if len(members) < 2 or last + 1 >= len(chunks) or chunks[last + 1].kind != DE:
        return False
    return chunks[last].tag == "r" or (first > 0 and chunks[first - 1].kind == DE)


def _add_coordination(found: list[Chunk], chunks: Sequence[Chunk]) -> None:
    """Add a coordination; where a later member is counted, the first one takes its number too: 各 省 、 各 市."""
    later = any(chunk.kind == QUANTITY for chunk in chunks[1:]) and chunks[0].kind == NOUN
    counted = [found.pop()] if later and found and found[-1].kind == QUANTITY else []
    found.extend(_coordination((*counted, *chunks), bool(counted) or chunks[0].kind != QUANTITY))


def _coordination(chunks: Sequence[Chunk], nouns: bool) -> list[Chunk]:
    """Return the members as one chunk; if one of them is a phrase, all of them are."""
    phrases = any(chunk.label or (nouns and chunk.kind == QUANTITY) for chunk in chunks)
    parts: list[Tree | str] = []
    waiting: tuple[Tree | str, ...] = ()
    for chunk in chunks:
        if chunk.kind == QUANTITY and nouns:
            waiting = chunk.trees()
            continue
        if waiting:
            parts.append(Tree("NP", (*waiting, *(chunk.parts if chunk.label in {"", "NP"} else chunk.trees()))))
            waiting = ()
        else:
            parts.extend(chunk.whole() if phrases else chunk.trees())
    last = chunks[-1]
    label = {QUANTITY: "QP", PLACE: "LCP"}.get(last.kind, "NP")
    return [Chunk(last.kind, label, tuple(parts), last.head, last.tag if last.tag != "r" else "n")]


def _enumeration(found: list[Chunk], chunks: Sequence[Chunk], place: int) -> int:
    """Put 等 to the nouns before it, and both to the noun after it: 北京 、 上海 等 城市."""
    before = found.pop()
    parts = (*(before.parts if before.label in {"", "NP"} else before.trees()), *chunks[place].parts)
    listed = Chunk(before.kind, "NP", parts, before.head, before.tag)
    end = place + 1
    quantity = end + 1 < len(chunks) and chunks[end].kind == QUANTITY
    head = end + quantity
    if head < len(chunks) and chunks[head].kind == NOUN and chunks[head].tag != "r" and before.kind == NOUN:
        noun = chunks[head]
        named = noun.parts if noun.label in {"", "NP"} else noun.trees()
        counted = chunks[end].trees() if quantity else ()
        found.append(Chunk(NOUN, "NP", (Tree("NP", parts), *counted, *named), noun.head, noun.tag))
        return head + 1
    found.append(listed)
    return end


# --- cascade of base phrases ------------------------------------------------------------------------------------------


def base_chunks(words: Iterable[Chunk]) -> list[Chunk]:
    """Put the words of a clause, given as chunks by `word_chunk` or as ready-made phrases, into base chunks."""
    chunks = settled(list(words))
    for stage in (_quantities, _nouns, _coordinated_nouns, _places, _adverbials, _verbs):
        chunks = stage(chunks)
    return chunks


# --- numbers and classifiers ------------------------------------------------------------------------------------------


def _quantities(chunks: list[Chunk]) -> list[Chunk]:
    """Put determiners, numbers and classifiers together: 这 三 本, 十 多 年."""
    done: list[Chunk] = []
    place = 0
    while place < len(chunks):
        if chunks[place].kind not in {DETERMINER, NUMBER, CLASSIFIER}:
            done.append(chunks[place])
            place += 1
            continue
        end = _quantity_end(chunks, place)
        done.append(_quantity(chunks[place:end]))
        place = end
    return done


def _quantity_end(chunks: Sequence[Chunk], start: int) -> int:
    end = start
    while end < len(chunks) and chunks[end].kind == DETERMINER:
        end += 1
    while end < len(chunks) and (chunks[end].kind == NUMBER or chunks[end].head in {"％", "‰"}):
        end += 1
    if end < len(chunks) and chunks[end].kind == CLASSIFIER:
        end += 1
    if end > start and end < len(chunks) and chunks[end].head in classes.ROUND_NUMBERS:
        end += chunks[end].kind in {NUMBER, LOCALISER} and chunks[end - 1].kind in {NUMBER, CLASSIFIER}
    return max(end, start + 1)


def _quantity(words: Sequence[Chunk]) -> Chunk:
    last = words[-1]
    label = "" if len(words) == 1 else "DP" if words[0].kind == DETERMINER else "QP"
    fused = words[0].kind == DETERMINER and len(last.head) > 1 and last.head[0] in "这那哪每某"
    fused = fused or (last.kind == NUMBER and len(last.head) > 1 and last.head[-1] in classes.FUSED_CLASSIFIERS)
    fused = fused or (len(last.head) > 2 and last.head[-1] == last.head[-2])  # 一座座
    tag = "q" if last.kind == CLASSIFIER or fused else "r" if words[0].kind == DETERMINER else "m"
    return Chunk(QUANTITY, label, tuple(part for word in words for part in word.parts), last.head, tag)


# --- nouns and what stands before them --------------------------------------------------------------------------------


def _nouns(chunks: list[Chunk]) -> list[Chunk]:
    """Put compounds together: attributes, adjectives and nouns before a noun; and stretches of time."""
    done: list[Chunk] = []
    place = 0
    while place < len(chunks):
        end = _noun_end(chunks, place)
        if end == place:
            done.append(_lone(chunks, place))
            place += 1
        elif chunks[place].kind == TIME and _is_range(done):
            link, first = done.pop(), done.pop()
            parts = (*first.parts, *link.parts, *(part for chunk in chunks[place:end] for part in chunk.parts))
            done.append(Chunk(TIME, "NP", parts, chunks[end - 1].head, "t"))
            place = end
        elif chunks[place].kind == TIME:
            place = _time(done, chunks, place, end)
        else:
            done.append(_joined(NOUN, _with_degree(done, chunks[place:end])))
            place = end
    return done


def _lone(chunks: Sequence[Chunk], place: int) -> Chunk:
    """An attribute or adjective without a noun: after 的 it stands for one, elsewhere it is a predicate."""
    chunk = chunks[place]
    if chunk.kind not in {ATTRIBUTE, ADJECTIVE}:
        return chunk
    follows = place > 0 and chunks[place - 1].kind == DE
    if chunk.kind == ATTRIBUTE and place + 1 < len(chunks) and chunks[place + 1].kind == CONJUNCTION:
        return as_kind(chunk, NOUN)  # 影视 、 音乐 节目
    return as_kind(chunk, NOUN if follows and place + 1 == len(chunks) else ADJECTIVE)


def _is_range(found: Sequence[Chunk]) -> bool:
    """三月 至 五月."""
    return len(found) > 1 and found[-1].head in {"至", "到", "—"} and found[-2].kind == TIME


def _time(found: list[Chunk], chunks: Sequence[Chunk], start: int, end: int) -> int:
    """Add a stretch of time, or a compound that begins with one: 迎接 新年 晚会, 新华社 北京 １月 １日 电."""
    time = _joined(TIME, chunks[start:end])
    before = found[-1] if found else None
    named = end < len(chunks) and chunks[end].kind == NOUN and chunks[end].tag != "r"
    if before is not None and before.kind == NOUN and named and chunks[end].head in {"电", "讯"}:
        found[-1] = Chunk(NOUN, "NP", (*before.parts, *time.parts, *chunks[end].parts), chunks[end].head, "n")
        end += 1
        if end < len(chunks) and chunks[end].kind == REMARK:
            found[-1] = _joined(NOUN, (Chunk(NOUN, "", found[-1].parts, "电", "n"), chunks[end]))
            end += 1
        return end
    if before is not None and before.kind in {DE, QUANTITY, VERB, PREPOSITION} and named:
        last = _noun_end(chunks, end)
        found.append(_joined(NOUN, (*chunks[start:end], *chunks[end:last])))
        return last
    found.append(time)
    return end


def _noun_end(chunks: Sequence[Chunk], start: int) -> int:
    """Return where the compound that begins here ends, or `start` where none begins."""
    if chunks[start].kind == TIME:
        end = start + 1
        while end < len(chunks) and chunks[end].kind == TIME:
            end += 1
        return end
    end = last = start
    while end < len(chunks) and _in_compound(chunks, start, end):
        end += 1
        if chunks[end - 1].kind in {NOUN, SUFFIX, REMARK}:
            last = end
    return last


def _in_compound(chunks: Sequence[Chunk], start: int, place: int) -> bool:
    chunk = chunks[place]
    if chunk.kind == NOUN:
        first = place == start
        if not first and chunks[place - 1].head in {"电", "讯"} and place - 1 > start:
            return False  # a dateline is over
        return first or chunk.tag != "r" or chunk.head in classes.FOLLOWING_PRONOUNS
    if chunk.kind == ADJECTIVE:
        # 经济 困难 is a clause as well as half a compound: a noun has to follow.
        return place + 1 < len(chunks) and chunks[place + 1].kind in {NOUN, ATTRIBUTE} and chunks[place + 1].tag != "r"
    if chunk.kind == ATTRIBUTE:
        return True
    if chunk.kind == QUANTITY:  # 第九 届 委员会 第一 次 会议
        named = start < place < len(chunks) - 1 and chunks[place + 1].kind in {NOUN, QUANTITY}
        series = chunk.head in classes.SERIES_CLASSIFIERS or (chunk.head[0] == "第" and not chunk.label)
        return named and series and chunks[start].tag != "r"
    if chunk.kind in {SUFFIX, REMARK}:
        return place > start
    return chunk.head in {"·", "／", "—", "－"} and start < place < len(chunks) - 1 and chunks[place + 1].kind == NOUN


def _with_degree(found: list[Chunk], words: Sequence[Chunk]) -> list[Chunk]:
    """Take an adverb of degree back from `found` where the compound begins with its adjective: 最 大 城市."""
    first = words[0]
    if first.kind != ADJECTIVE or not found or found[-1].head not in classes.DEGREE_ADVERBS or found[-1].head == "不":
        return list(words)
    if found[-1].kind != ADVERB:
        return list(words)
    degree = found.pop()
    return [Chunk(ADJECTIVE, "ADJP", (*degree.parts, *first.parts), first.head, first.tag), *words[1:]]


def _joined(kind: str, words: Sequence[Chunk]) -> Chunk:
    if len(words) == 1:
        return as_kind(words[0], kind)
    parts = tuple(part for word in words for part in word.trees())
    last = next((word for word in reversed(words) if word.kind != REMARK), words[-1])
    return Chunk(kind, "NP", parts, last.head, last.tag)


def _coordinated_nouns(chunks: list[Chunk]) -> list[Chunk]:
    done = coordinated(chunks, early=True)
    listed = any(chunk.head in classes.ENUMERATION_ENDS for chunk in chunks)
    return coordinated(done, early=True) if listed else done


# --- localisers -------------------------------------------------------------------------------------------------------


def _places(chunks: list[Chunk]) -> list[Chunk]:
    """Put localisers to the noun before them; 后 and its like wait where a verb may come with that noun."""
    done: list[Chunk] = []
    for chunk in chunks:
        if chunk.kind == LOCALISER and done and done[-1].kind in NOMINAL and not _follows_clause(done, chunk.head):
            noun = done.pop()
            counted = noun.kind == NOUN and bool(done) and done[-1].kind == QUANTITY and done[-1].tag != "r"
            inside = noun.trees()
            if noun.kind == QUANTITY and done and done[-1].kind == TIME and done[-1].label != "LCP":
                inside = (Tree("NP", (*done.pop().parts, *inside)),)  # 今后 三 年 内
            if counted:
                inside = (Tree("NP", (*done.pop().trees(), *(noun.parts if noun.label in {"", "NP"} else inside))),)
            kind = TIME if noun.kind in {TIME, QUANTITY} else PLACE
            done.append(Chunk(kind, "LCP", (*inside, *chunk.parts), chunk.head, "f"))
        else:
            done.append(chunk)
    return done


def _follows_clause(found: Sequence[Chunk], localiser: str) -> bool:
    """Whether the localiser may end a clause: 解决 问题 后."""
    if localiser not in classes.TEMPORAL_LOCALISERS or found[-1].kind != NOUN:
        return False
    place = len(found) - 2
    while place >= 0 and found[place].kind in {QUANTITY, OTHER}:
        place -= 1
    return place >= 0 and found[place].kind in {VERB, DE, ADJECTIVE} and found[-1].tag != "vn"


# --- adverbials with 地 -----------------------------------------------------------------------------------------------


def _adverbials(chunks: list[Chunk]) -> list[Chunk]:
    """Put 地 to the word or phrase before it."""
    done: list[Chunk] = []
    for chunk in chunks:
        if chunk.kind != DI:
            done.append(chunk)
            continue
        words = [done.pop()] if done and done[-1].kind not in {CONJUNCTION, PREPOSITION, DE} else []
        while words and words[0].kind == ADJECTIVE and done and done[-1].head in classes.DEGREE_ADVERBS:
            words.insert(0, done.pop())
        while len(done) > 1 and words and done[-1].head in {"、", "而", "和"} and done[-2].kind == words[0].kind:
            words[:0] = [done[-2], done[-1]]
            del done[-2:]
        inside = tuple(part for word in words for part in word.trees())
        done.append(Chunk(ADVERB, "DVP" if words else "", (*inside, *chunk.parts), chunk.head, "u"))
    return done


# --- verbs ------------------------------------------------------------------------------------------------------------


def _verbs(chunks: list[Chunk]) -> list[Chunk]:
    """Put verbs together with their complements and their aspect, and with a verb that a conjunction joins."""
    done: list[Chunk] = []
    place = 0
    while place < len(chunks):
        chunk = chunks[place]
        before = done[-1] if done else None
        if (
            before is not None
            and before.kind in {VERB, ADJECTIVE}
            and chunk.head in classes.ASPECTS
            and chunk.tag == "u"
        ):
            done[-1] = Chunk(VERB, "", (*before.parts, *chunk.parts), before.head, chunk.head)
        elif before is not None and _completes(before, chunk):
            done[-1] = Chunk(VERB, "", (*before.parts, *chunk.parts), before.head + chunk.head, "v")
        elif before is not None and before.kind == VERB and chunk.head == "得" and chunk.tag == "u":
            place, done[-1] = _result(before, chunks, place)
        elif (coordinated_verb := _joined_verb(done, chunk)) is not None:
            done[-2:] = [coordinated_verb]
        else:
            done.append(chunk)
        place += 1
    return done


def _completes(verb: Chunk, chunk: Chunk) -> bool:
    if verb.kind != VERB or chunk.kind != VERB or verb.tag in classes.ASPECTS or len(verb.parts) > 2:
        return False
    return (
        chunk.head in classes.COMPLEMENT_VERBS and verb.head not in {"是", "有", "来", "去"} and len(chunk.parts) == 1
    )


def _joined_verb(found: Sequence[Chunk], chunk: Chunk) -> Chunk | None:
    """Join 讨论 和 通过, but not a verb that has its object before the conjunction; adjectives alike."""
    if len(found) < 2 or chunk.kind not in {VERB, ADJECTIVE} or found[-1].kind != CONJUNCTION:
        return None
    if found[-2].kind != chunk.kind or found[-1].head not in classes.NOUN_CONJUNCTIONS | {"而", "又", "并", "且"}:
        return None
    if found[-2].tag in classes.ASPECTS:
        return None
    parts = (*found[-2].parts, *found[-1].parts, *chunk.parts)
    return Chunk(chunk.kind, "", parts, chunk.head, chunk.tag)


def _result(verb: Chunk, chunks: Sequence[Chunk], place: int) -> tuple[int, Chunk]:
    """Put the complement after 得 to its verb: 写 得 很 好."""
    end = place + 1
    while end < len(chunks) and chunks[end].kind == ADVERB:
        end += 1
    words = (*verb.parts, *chunks[place].parts)
    if end < len(chunks) and chunks[end].kind == ADJECTIVE:
        inside = tuple(part for chunk in chunks[place + 1 : end + 1] for part in chunk.trees())
        result: tuple[Tree | str, ...] = (Tree("ADJP", inside),) if len(inside) > 1 else inside
        return end, Chunk(VERB, "", (*words, *result), verb.head, "得")
    return place, Chunk(VERB, "", words, verb.head, "v")
