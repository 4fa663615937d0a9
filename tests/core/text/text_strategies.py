"""Which texts are hard on offsets?"""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from hengliang.core.text.characters import ByteSpan

ANY_CHARACTER = st.characters(exclude_categories=["Cs"])
HAN = st.one_of(
    st.sampled_from("他终于成为了医生我们吃面条"),
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
    st.characters(min_codepoint=0x3400, max_codepoint=0x4DBF),
    st.characters(min_codepoint=0x20000, max_codepoint=0x323AF),
    st.characters(min_codepoint=0xF900, max_codepoint=0xFAD9),
)
LATIN_WORD = st.text(st.sampled_from("abcXYZ019éñ"), min_size=1, max_size=5)
FULLWIDTH = st.text(st.sampled_from("ＡＺａ０５９％．"), min_size=1, max_size=4)
EMOJI = st.sampled_from(["😀", "👨‍👩‍👧‍👦", "👍🏽", "🇨🇳", "☺️", "葛\U000e0100"])
MARKED = st.sampled_from(
    [
        "e\u0301",
        "a\u0323\u0302",
        "a\u0302\u0323",
        "x\u0302",
        "ｶﾞ",
        "ﾊﾟ",
        "\u1112\u1161\u11ab",
        "\u0958",
        "\u212b",
        "\u0344",
    ]
)
MARK = st.sampled_from("\u0301\u0323\u0327\u0338\u3099\u1161\u11a8\u0f73\ufe0f\u200d")
PUNCTUATION = st.sampled_from([*"。！？；?!;….．,，、：:”“\"'（）()《》「」—[]", "……", "...", "。。。", "?!", "！”"])
SPACE = st.sampled_from([" ", "\u3000", "\n", "\r\n", "\t", "\u2028", "  "])
TEXT = st.lists(
    st.one_of(HAN, LATIN_WORD, FULLWIDTH, EMOJI, MARKED, MARK, PUNCTUATION, SPACE, ANY_CHARACTER), max_size=20
).map("".join)
NFC_TEXT = TEXT.map(lambda drawn: unicodedata.normalize("NFC", drawn))
WORD = st.one_of(
    st.text(HAN, min_size=1, max_size=3),
    LATIN_WORD,
    FULLWIDTH,
    EMOJI,
    MARKED,
    st.sampled_from(
        ["，", "。", "“", "”", ",", ".", "(", ")", "don't", "(yes)", "“Tom”", "Hello,", "C++", "5%", "Ｔ恤"]
    ),
).map(lambda drawn: unicodedata.normalize("NFC", drawn))


def covers(spans: list[ByteSpan], size: int) -> bool:
    """Say whether the spans follow each other from 0 to `size` without a gap."""
    return [0, *(end for _, end in spans)] == [*(start for start, _ in spans), size]
