"""How two readings of one page correct each other.

Extractors err in different ways: the one takes a box from beside the text with it, the other the
comments below. So a line that only one of them has is not of the text. And an article begins with
its beginning: where the careful one starts behind paragraphs of prose that the other has, it took a
table or a reply for the article.
"""

from __future__ import annotations

import re

RUN = 8
"""Letters of a run; a paragraph that another reading breaks differently still shares most of them."""

SUPPORT = 0.5
"""Share of a line's runs another reading must have, for the line to stand in both."""

SHORT = 8
"""Letters under which a line says too little to be looked for in another reading."""

_PROSE = 40
"""Characters from which a line with the marks of a sentence is prose."""

FEWEST_BEFORE = 200
SHARE_BEFORE = 0.5
"""Characters of prose, and share of the text's, that must stand before a text that begins late."""

_BETWEEN = re.compile(r"[\W_]+")
CLAUSE_END = re.compile(r"[。！？；，]|[.!?;,]\s")


def letter_runs(text: str) -> frozenset[str]:
    """Return all runs of letters and digits of a text, blanks and marks left out."""
    plain = _BETWEEN.sub("", text)
    if not plain:
        return frozenset()
    return frozenset(plain[at : at + RUN] for at in range(max(1, len(plain) - RUN + 1)))


def corrected(careful: str, complete: str, certain: str = "") -> str:
    """Return the careful reading as the complete one corrects it; both have a paragraph a line.

    One of them empty: the other. What is in ``certain`` needs nobody else to stand in both.
    """
    if not careful or not complete:
        return careful or complete
    other = letter_runs(complete) | letter_runs(certain) if certain else letter_runs(complete)
    return from_its_beginning(careful, complete) or supported(careful, other)


def supported(text: str, other: frozenset[str]) -> str:
    """Return the lines of a text that another reading has, and those too short to tell."""
    return "\n".join(
        line
        for line in text.split("\n")
        if len(_BETWEEN.sub("", line)) < SHORT or _stands_in(line, other)
    )


def from_its_beginning(careful: str, complete: str) -> str:
    """Return the complete reading's lines from its first prose to the careful one's end, when the
    careful one begins late; else "".
    """
    own = letter_runs(careful)
    lines = complete.split("\n")
    shared = [
        place
        for place, line in enumerate(lines)
        if len(_BETWEEN.sub("", line)) >= SHORT and _stands_in(line, own)
    ]
    before = lines[: shared[0]] if shared else lines
    prose = [place for place, line in enumerate(before) if _is_prose(line)]
    length = sum(len(before[place]) for place in prose)
    if length <= max(FEWEST_BEFORE, SHARE_BEFORE * len(careful)):
        return ""
    return "\n".join(lines[prose[0] : (shared or prose)[-1] + 1])


def _stands_in(line: str, other: frozenset[str]) -> bool:
    own = letter_runs(line)
    return len(own & other) >= SUPPORT * len(own)


def _is_prose(line: str) -> bool:
    return len(line) >= _PROSE and CLAUSE_END.search(line) is not None
