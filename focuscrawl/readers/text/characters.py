"""Chinese characters: the simplified ones of traditional ones, and pairs to search by.

四川成都 becomes 四川 川成 成都 都. A word of two characters is one pair, a longer one a row of
pairs, so a full-text index that knows nothing of Chinese finds both, as a phrase.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from opencc import OpenCC

# Han and kana; words of other scripts stay whole.
PAIRED = r"\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HAN = re.compile(r"[\u4e00-\u9fff]")  # a character that Chinese texts are written in
_RUN = re.compile(rf"([{PAIRED}]+)|[^\W{PAIRED}]+")


@cache
def simplified() -> Mapping[str, str]:
    """Return traditional character → simplified, from OpenCC's tables.

    Those of Taiwan and Hong Kong add a few characters that only they write; what they say of a character that
    stands in GB 2312 is left out, for mainland texts write it in words of their own (著名, 么).
    """
    characters = [*map(chr, range(0x3400, 0xA000))]
    found: dict[str, str] = {}
    for table in ("t2s", "hk2s", "tw2s"):
        converted = OpenCC(table).convert("\n".join(characters)).split("\n")
        pairs = zip(characters, converted, strict=True)
        found |= {
            many: few
            for many, few in pairs
            if many != few and many not in found and (table == "t2s" or not is_of_gb2312(many))
        }
    return MappingProxyType(found)


def is_of_gb2312(character: str) -> bool:
    """Whether the set of simplified characters from 1980 has a character."""
    return bool(character.encode("gb2312", "ignore"))


@cache
def to_simplified() -> dict[int, str]:
    """Return the same as ``str.translate`` takes it."""
    return str.maketrans(dict(simplified()))


def pairs(text: str) -> str:
    """Return a text as it is indexed, pairs and words separated by one blank.

    Full and half width and upper and lower case are one. The last character of a run stands alone
    behind it, so that each character begins some word of the index.
    """
    found: list[str] = []
    for run in _RUN.finditer(_plain(text)):
        written = run.group()
        if run.group(1):
            found += (written[place : place + 2] for place in range(len(written)))
        else:
            found.append(written)
    return " ".join(found)


def phrases(query: str) -> list[list[str]]:
    """Return what is searched: for each word of the query its pairs, which stand in a row.

    A word of one Han character gives that character, with which a word of the index begins.
    """
    found = []
    for word in _plain(query).split():
        cut: list[str] = []
        for run in _RUN.finditer(word):
            written = run.group()
            if run.group(1) and len(written) > 1:
                cut += (written[place : place + 2] for place in range(len(written) - 1))
            else:
                cut.append(written)
        if cut:
            found.append(cut)
    return found


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


UNSEEN = re.compile(
    r"[\u00ad\u200b\u200e\u200f\u2060-\u2064\ufeff]+|^[\u200c\u200d]+|[\u200c\u200d]+$"
    r"|(?<=[\u0000-\u05ff\u2e80-\u9fff\uff00-\uffef])[\u200c\u200d]+|[\u200c\u200d]+(?=[\u0000-\u05ff\u2e80-\u9fff])"
)
"""What is written into titles and is not seen. Joiners stay between letters of scripts that have them, and
between the parts of an emoji."""


def without_unseen(text: str) -> str:
    """Return a text without invisible characters, by which one title would be two."""
    return text if text.isascii() else UNSEEN.sub("", text)


def width_of(word: str) -> int:
    """Return how many columns of a terminal a word takes: a Han character takes two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in word)


def padded(word: str, width: int) -> str:
    """Return a word with spaces behind it that make it ``width`` columns wide."""
    return word + " " * (width - width_of(word))


def shows(asked_for: str, headings: Iterable[str]) -> bool:
    """Whether a page has a heading that says what the link to it says, or what it is stored as."""
    wanted = _letters(asked_for)
    shown = [_letters(one) for one in headings]
    return len(wanted) > 1 and any(
        wanted in one or (len(one) > 3 and one in wanted) for one in shown
    )


def _letters(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKC", text).casefold() if one.isalnum())
