"""Where on a page its article stands: title, text, and the parts that are not of it."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.articles.statements import Line, comparable
from focuscrawl.text.characters import HAN

SENTENCE_MARK = re.compile(r"[，。！？,.!?]")
SHORT_PROSE, _LONG_PROSE = 30, 60
"""Characters from which a line with marks is prose: Chinese that ends a sentence, any."""

HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_ELSEWHERE = re.compile(
    r"(?:^|[^a-z])(?:ambox|mbox|comments?|commentlist|reply|replies|respond|disqus|footer|foot|copyright|sidebar|aside|related|relate|recommend|recent"
    r"|calendar|archives?|rank|pager|pagination|prevnext|references)(?:$|[^a-z])|(?:^|\s)hot(?:$|[^a-z])"
)
"""Class names and ids of the parts of a page that are not its article."""


OF_ARTICLE = re.compile(r"(?:entry|post|article)[_-](?:footer|copyright)")
"""Parts below an article that speak of it, whatever they are called."""


class Surroundings(NamedTuple):
    """Where a page's title, text and other parts stand.

    ``titles`` are the places of the title among the lines, to the first prose. ``head_ends`` is the
    place of the first line of prose, ``text_begins`` that of the second. ``around`` are the elements that hold title or prose,
    ``prose`` the elements prose stands in and their parents.
    """

    titles: tuple[int, ...]
    head_ends: int
    text_begins: int
    around: frozenset[etree._Element]
    prose: frozenset[etree._Element]


def surroundings_of(lines: list[Line], title: str) -> Surroundings:
    """Find title and prose among the lines of a page."""
    plain_title = comparable(title)
    named = [place for place, line in enumerate(lines) if _is_title(line.text, plain_title)]
    prose = [
        place
        for place, line in enumerate(lines)
        if is_prose(line.text) and line.element.tag not in HEADINGS and place not in named
    ]
    begins = _begins(lines, named, prose, plain_title)
    of_text = [place for place in prose if place >= begins]
    first, second = (*of_text[:2], len(lines), len(lines))[:2]
    titles = tuple(place for place in named if place <= first)
    around = {
        up
        for place in (*titles, *of_text[:1])
        for up in (lines[place].element, *lines[place].element.iterancestors())
    }
    holders = {lines[place].element for place in prose}
    holders |= {above for one in holders if (above := one.getparent()) is not None}
    return Surroundings(titles, first, second, frozenset(around), frozenset(holders))


def _begins(lines: list[Line], named: list[int], prose: list[int], plain_title: str) -> int:
    """Return the place from which prose is the article's: what stands above its heading is not, be it
    a notice about cookies. Most of the prose must stand below.
    """
    for place in named:
        line = lines[place]
        in_heading = any(
            one.tag in HEADINGS for one in (line.element, *islice(line.element.iterancestors(), 2))
        )
        if in_heading and comparable(line.text) == plain_title:
            above = sum(len(lines[one].text) for one in prose if one < place)
            below = sum(len(lines[one].text) for one in prose if one > place)
            return place if below >= above else 0
    return 0


def is_elsewhere(element: etree._Element, around: frozenset[etree._Element]) -> bool:
    """Whether an element stands in a part of the page that is not its article's."""
    in_article = False
    for one in (element, *islice(element.iterancestors(), 30)):
        if one in around or one.tag == "body":
            return False
        in_article = in_article or one.tag == "article"
        names = f"{one.get('class') or ''} {one.get('id') or ''}".lower()
        is_footer = one.tag == "footer" and not any(
            up.tag == "article" for up in one.iterancestors()
        )
        if is_footer or one.tag in {"aside", "nav"} or _ELSEWHERE.search(names.replace("_", "-")):
            return not (in_article or OF_ARTICLE.search(names))
    return False


def _is_title(text: str, plain_title: str) -> bool:
    if len(plain_title) < 4 or len(text) < 4:
        return False
    plain = comparable(text)
    return plain_title in plain and len(plain) <= 2 * len(plain_title) + 20


def is_prose(text: str) -> bool:
    """Whether a line is a sentence or more of running text."""
    if len(text) < SHORT_PROSE or len(SENTENCE_MARK.findall(text)) < 2:
        return False
    return len(text) >= _LONG_PROSE or (text[-1] in "。！？”" and HAN.search(text) is not None)
