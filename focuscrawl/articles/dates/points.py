"""How likely a date that a line states is its article's, in points.

Between title and text a date is likely the article's. Below the text it must say so, or stand
alone under the last paragraph as a signature. A date that says it is something else (an event's,
a comment's, the site's last update) is left.
"""

from __future__ import annotations

from lxml import etree

from focuscrawl.articles.dates.places import is_in_sentence, is_signature, is_the_pages
from focuscrawl.articles.dates.stated import Stated
from focuscrawl.articles.dates.words import (
    AMENDED,
    AMENDED_BEHIND,
    CHANGED,
    COUNTS_OF_READERS,
    CREATED,
    DRAWN_UP,
    FOOTNOTE,
    IN_CLAUSE,
    IS_PUBLISHED,
    LABELLED,
    NAMED_MONTH,
    NOT_IT,
    NOT_IT_BEHIND,
    OF_ANYTHING,
    OF_BOOK,
    OF_EVENT,
    OF_WHAT,
    OTHER_LABEL,
    PLACED,
    RANGE,
    RANGE_BEFORE,
    SAID_BEHIND,
    SENTENCE_END,
    THEN_LABELLED,
    YEAR,
)
from focuscrawl.articles.statements import Line
from focuscrawl.articles.surroundings import Surroundings

MOST_BESIDE_AGO = 8
"""Characters beside a relative date (3小时前) above which it belongs to a sentence."""

NEAR_TITLE = 4
"""Lines below the title in which a date is likelier the article's."""

NEAR_EVENT = 3
"""Lines between the time of an event and its place."""

LONG_REST = 4
"""Characters beside a date from which a line that ends like a sentence is one."""


def points_of(stated: Stated, lines: list[Line], place_of: Surroundings) -> int:
    """Weigh a date by what stands around it: labels, a clock time, a telling class, little else."""
    date, (text, element, _), place, before, after, *_ = stated
    rest = len(text) - len(date.raw)
    label = LABELLED.search(before) or SAID_BEHIND.search(after)
    ago = not YEAR.search(date.raw)
    if _is_something_else(stated, rest) or (rest > MOST_BESIDE_AGO and ago and not label):
        return -9
    if _is_an_events(stated, lines) or (not label and is_in_sentence(element)):
        return -9
    titles = place_of.titles
    in_head = place < place_of.head_ends
    near = any(-1 <= place - title_at <= NEAR_TITLE for title_at in titles)
    near = near and place < place_of.text_begins
    if stated.headed and not (in_head or near or IS_PUBLISHED.search(before)):
        return -9
    if not (in_head or near or label) and not is_signature(stated.line, after, rest, place_of):
        return -9
    if titles and place < titles[0] and not label and is_the_pages(stated.line, place_of):
        return -9
    points = -3 if rest > 80 else 1 if rest <= 40 else 0
    is_between = bool(titles) and titles[0] < place < place_of.text_begins
    points += 3 * in_head + 2 * near + 2 * is_between
    if label:
        points += _points_of_label(before, after)
    elif COUNTS_OF_READERS.search(text):
        points += 2
    elif not in_head and not near:
        points += 2  # a signature
    return points + 2 * (date.precision != "day") + _points_of_place(element)


def _points_of_label(before: str, after: str) -> int:
    """Weigh what is said of a date: published, changed, drawn up."""
    if DRAWN_UP.search(before) or (AMENDED_BEHIND.match(after) and not LABELLED.search(before)):
        return -1
    return 2 if AMENDED.search(before) else 3


def _points_of_place(element: etree._Element) -> int:
    above = element.getparent()
    places = (element,) if above is None else (element, above)
    names = " ".join(f"{place.get('class')} {place.get('id')}" for place in places)
    points = -2 if any(place.tag == "li" for place in places) else 0
    if CHANGED.search(names) and not CREATED.search(names):
        points -= 2
    return points + (PLACED.search(names) is not None)


def _is_something_else(stated: Stated, rest: int) -> bool:
    """Whether a line says of a date that it is not the article's."""
    before, after, text = stated.before, stated.after, stated.line.text
    if stated.headed and not LABELLED.search(before):
        return True
    refused = list(NOT_IT.finditer(before))
    if refused and not THEN_LABELLED.search(before, refused[-1].end()):
        return True
    if NOT_IT_BEHIND.search(after) or FOOTNOTE.search(text):
        return True
    if what := OF_ANYTHING.search(before):  # 活动时间：, 会议日期：
        named = what["what"] or what["kind"]
        return not (IS_PUBLISHED.search(named) or DRAWN_UP.search(before))
    in_clause = NAMED_MONTH.search(stated.date.raw) and IN_CLAUSE.search(before)
    if (OTHER_LABEL.search(before) or in_clause) and not LABELLED.search(before):
        return True
    if RANGE.search(after) or RANGE_BEFORE.search(before):
        return True
    in_brackets = text[:1] in "（(【[" or text[-1:] in "）)】]"
    return (
        rest >= LONG_REST
        and bool(SENTENCE_END.search(text))
        and not in_brackets
        and not LABELLED.search(before)
    )


def _is_an_events(stated: Stated, lines: list[Line]) -> bool:
    """Whether a date is that of an event, 时间： beside 地点：, or of a book."""
    if OF_WHAT.search(stated.before):
        of_another = OF_EVENT
    elif "出版" in stated.before:
        of_another = OF_BOOK
    else:
        return False
    beside = lines[max(0, stated.place - NEAR_EVENT) : stated.place + NEAR_EVENT + 1]
    return any(of_another.search(line.text) for line in beside)
