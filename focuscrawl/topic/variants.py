"""Which characters are the same character to a reader: case, width, simplified and traditional."""

from __future__ import annotations

import re
from functools import cache

from focuscrawl.text.simplified import simplified

FULL_WIDTH = 0xFEE0
"""What lies between ``A`` and its full-width form ``Ａ`` (U+FF21)."""


LETTER = "0-9A-Za-z\u00c0-\u04ff０-９Ａ-Ｚａ-ｚ"
"""Letters that are written in words with spaces between them, as the inside of a class."""

is_letter = re.compile(f"[{LETTER}]").match
LOOSE_SPACE = re.compile(f"(?<![{LETTER}]) | (?![{LETTER}])")


@cache
def _traditional() -> dict[str, str]:
    """Simplified character → all its traditional ones, as one text."""
    found: dict[str, str] = {}
    for many, few in simplified().items():
        found[few] = found.get(few, "") + many
    return found


def fold(character: str) -> str:
    """Return the one form of a character that stands for all: half width, small, simplified."""
    code = ord(character)
    if 0xFF01 <= code <= 0xFF5E:
        character = chr(code - FULL_WIDTH)
    elif code == 0x3000:
        return " "
    small = character.lower()
    if len(small) == 1:
        character = small
    return character if character < "\u3400" else simplified().get(character, character)


def spellings(character: str) -> str:
    """Return every character that folds to the same one, sorted.

    ``spellings("发")`` is 发發髮, ``spellings("a")`` is AaＡａ.
    """
    base = fold(character)
    found = {character, base}
    if base >= "\u3400":
        found.update(_traditional().get(base, ""))
    found.update(form for form in (base.upper(), base.lower()) if len(form) == 1)
    found.update(chr(ord(form) + FULL_WIDTH) for form in list(found) if "!" <= form <= "~")
    return "".join(sorted(form for form in found if fold(form) == base))


def fold_text(text: str) -> str:
    """Fold each character; spaces stay only between Latin letters."""
    folded = "".join(fold(character) for character in " ".join(text.split()))
    return LOOSE_SPACE.sub("", folded)
