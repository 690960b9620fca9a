"""Several readings of one page: two that correct each other, and the one of four that is most likely the text.

A line that only one of two readings has is not of the text, as a rule. But what is left may be one box of many: then the
features of each reading, its length, its prose, what others share with it, are weighed by a table that
``python -m benchmarks.readings`` makes from labelled pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from focuscrawl.features.articles.boilerplate import CLAUSE_END

# Letters of a run; a paragraph that another reading breaks differently still shares most of them.
RUN = 8
SUPPORT = 0.5  # share of a line's runs another reading must have, for the line to stand in both
SHORT = 8  # letters under which a line says too little to be looked for in another reading
PROSE_LETTERS = 40  # characters from which a line with the marks of a sentence is prose
FEWEST_BEFORE = 200
# Characters of prose, and share of the text's, that must stand before a text that begins late.
SHARE_BEFORE = 0.5
_NO_WORD = re.compile(r"[\W_]+")
_ENDS_SENTENCE = '。！？”.!?"'


def letter_runs(text: str) -> frozenset[str]:
    """Return all runs of letters and digits of a text, blanks and marks left out."""
    plain = _NO_WORD.sub("", text)
    if not plain:
        return frozenset()
    return frozenset(plain[at : at + RUN] for at in range(max(1, len(plain) - RUN + 1)))


def corrected(careful: str, complete: str, certain: str = "") -> str:
    """Return the careful reading as the complete one corrects it; both have a paragraph a line.

    If one is empty, return the other. What is in ``certain`` need not stand in both.
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
        if len(_NO_WORD.sub("", line)) < SHORT or _stands_in(line, other)
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
        if len(_NO_WORD.sub("", line)) >= SHORT and _stands_in(line, own)
    ]
    before = lines[: shared[0]] if shared else lines
    prose = [
        place
        for place, line in enumerate(before)
        if len(line) >= PROSE_LETTERS and CLAUSE_END.search(line)
    ]
    length = sum(len(before[place]) for place in prose)
    if length <= max(FEWEST_BEFORE, SHARE_BEFORE * len(careful)):
        return ""
    return "\n".join(lines[prose[0] : (shared or prose)[-1] + 1])


def _stands_in(line: str, other: frozenset[str]) -> bool:
    own = letter_runs(line)
    if len(own & other) >= SUPPORT * len(own):
        return True
    # Resiliparse loses the words between links: a sentence that begins and ends alike is the same.
    plain = _NO_WORD.sub("", line)
    return line[-1] in _ENDS_SENTENCE and plain[:RUN] in other and plain[-RUN:] in other


class Readings(NamedTuple):
    """One page as it was read in four ways, a paragraph a line: what two readings agree on, those two (readability's and
    resiliparse's), and the smallest block that holds most of its sentences; what its links say, and how many characters
    of ``prose`` it has.
    """

    agreed: str
    careful: str
    complete: str
    block: str
    links: frozenset[str]
    prose: int


DOUBTFUL = 0.6
"""Share of the complete reading's runs of letters under which what two readings agree on is doubted: 269 of 1,850 labelled
pages of eight sets, by all runs. At .7 they are 339, and nothing more is gained."""

RUNS_ASKED = 200
"""Runs of the complete reading, evenly spread, that are looked for: all of them took a sixteenth of what reading takes."""

WEIGHTS: Mapping[str, float] = {
    "of_longest": 0.415,
    "prose": 0.137,
    "links": -0.246,
    "in_complete": 0.142,
    "in_careful": 0.179,
    "of_page": 0.117,
    "is_careful": -0.033,
    "is_complete": -0.047,
    "is_block": -0.047,
}
"""What a feature adds to the F1 that is expected of a reading: ``benchmarks.readings`` on 1,289 pages of eight sets. By weights of
four fifths the other fifth of 917 pages of seven types goes from .888 to .901, articles among them from .945 to .951."""

LEAST_BETTER = 0.15
"""How much more must be expected of another reading, in F1. With it none of 372 articles of seven sets changes; with .1 one of
Chinese news takes the teasers below it, with .06 four do, and the 917 pages gain .015 instead of .013."""

_ENDS_PROSE = tuple('。！？；：…!?;:.”"』」)）')
_FEWEST_OF_PROSE, _MOST_OF_PROSE = 200, 1.5
"""Characters that a page's prose is taken to have at least, and what a reading may have of it at most."""


def is_doubtful(text: str, complete: str) -> bool:
    """Whether a text has so little of the complete reading that another may be the text."""
    own, whole = ("".join(one.split()) for one in (text, complete))
    places = range(0, len(whole) - RUN + 1, max(1, len(whole) // RUNS_ASKED))
    held = sum(whole[at : at + RUN] in own for at in places)
    return held < DOUBTFUL * len(places)


def chosen(readings: Readings) -> str:
    """Return the name of the reading that is most likely the text: ``agreed``, unless another is clearly better."""
    return most_promising(features_of(readings), WEIGHTS)


def most_promising(
    features: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> str:
    """Return the name of the reading whose ``features`` promise most; ``agreed`` stands unless another promises clearly more."""
    expected = {
        name: sum(weights[feature] * value for feature, value in own.items())
        for name, own in features.items()
    }
    agreed = expected.get("agreed", inf)
    best = max(expected, key=expected.__getitem__, default="agreed")
    return best if expected.get(best, 0.0) - agreed > LEAST_BETTER else "agreed"


def features_of(readings: Readings) -> dict[str, dict[str, float]]:
    """Return what is weighed of each reading that has a text.

    ``of_longest``: its letters by those of the longest. ``prose``: the share of its characters that stands in lines which end
    as sentences do, ``links`` in lines that are links. ``in_complete`` and ``in_careful``: the share of its runs that
    these readings have. ``of_page``: its prose by the page's. ``is_careful``, ``is_complete``, ``is_block``: which it is.
    """
    texts = {name: text for name in Readings._fields[:4] if (text := getattr(readings, name))}
    letters = {name: len(_NO_WORD.sub("", text)) for name, text in texts.items()}
    longest = max(letters.values(), default=0) or 1
    runs = {name: letter_runs(text) for name, text in texts.items()}
    none = frozenset[str]()
    careful, complete = runs.get("careful", none), runs.get("complete", none)
    found = {}
    for name, text in texts.items():
        lines = list(filter(None, text.split("\n")))
        characters = sum(map(len, lines)) or 1
        prose = sum(
            len(line)
            for line in lines
            if len(line) >= PROSE_LETTERS and line.rstrip().endswith(_ENDS_PROSE)
        )
        own = runs[name]
        found[name] = {
            "of_longest": letters[name] / longest,
            "prose": prose / characters,
            "links": sum(len(line) for line in lines if line.strip() in readings.links)
            / characters,
            "in_complete": len(own & complete) / max(1, len(own)),
            "in_careful": len(own & careful) / max(1, len(own)),
            "of_page": min(_MOST_OF_PROSE, prose / max(_FEWEST_OF_PROSE, readings.prose)),
            "is_careful": float(name == "careful"),
            "is_complete": float(name == "complete"),
            "is_block": float(name == "block"),
        }
    return found
