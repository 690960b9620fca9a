"""Which of the dates printed on a page is its article's: by labels, by place, by what is around.

Between title and text a date is likely the article's. Below the text it must say so, or stand
alone under the last paragraph as a signature. A date that says it is something else (an event's,
a comment's, the site's last update) is left. Dates that look alike are a list and not the article's,
unless one of them stands alone at the top. Of the others the one with the most points is taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.articles.dates.places import (
    header_of,
    heading_beside,
    is_in_sentence,
    is_signature,
    is_the_pages,
)
from focuscrawl.articles.dates.words import (
    AMENDED,
    AMENDED_BEHIND,
    CHANGED,
    COUNTS_OF_READERS,
    CREATED,
    DIGITS,
    DRAWN_UP,
    ENDS_AS_LABEL,
    FOOTNOTE,
    IN_CLAUSE,
    IS_LABEL,
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
    RANGE_BETWEEN,
    SAID_BEHIND,
    SENTENCE_END,
    THEN_LABELLED,
    YEAR,
)
from focuscrawl.articles.statements import Line
from focuscrawl.articles.surroundings import Surroundings, is_elsewhere
from focuscrawl.text.dates import FoundDate, find_dates, is_midnight, read_date

MOST_DATES = 4
"""Dates of one line that are looked at."""

BEFORE, _AFTER = 24, 12
"""Characters before and after a date that say what it is."""

LONG_LABEL = 20
"""Characters from which a line above a date is more than its label."""


class Stated(NamedTuple):
    """A date in a line: ``before`` is what leads to it, ``after`` what follows. ``shape`` is its line
    and the label above it without their digits; ``headed`` says that its table or list names it.
    """

    date: FoundDate
    line: Line
    place: int
    before: str
    after: str
    shape: str
    headed: bool


def stated_in(lines: list[Line], fetched: float | None, timezone: str) -> Iterator[Stated]:
    """Go through the dates of all lines, a few of each."""
    for place, line in enumerate(lines):
        found = list(islice(find_dates(line.text, timezone=timezone, now=fetched), MOST_DATES))
        compact = not found and line.text.isdecimal() and len(line.text) == 8
        if compact and (whole := read_date(line.text, timezone=timezone, now=fetched)):
            found = [whole]
        end = 0
        label = ""
        found.sort(key=lambda date: date.start)
        for number, date in enumerate(found):
            before = line.text[end : date.start]
            header = ""
            if len(before.strip()) < 2 and not end:
                label = _label_above(lines[place - 1], line) if place else ""
                header = "" if label else header_of(line.element)
                before = label + header + before
            elif number and RANGE_BETWEEN.fullmatch(before):
                before += "至"
            end = date.start + len(date.raw)
            if compact and not LABELLED.search(before):
                continue  # any number
            after = line.text[end : end + _AFTER]
            shape = DIGITS.sub("0", (label if ENDS_AS_LABEL.search(label) else "") + line.text)
            yield Stated(date, line, place, before[-BEFORE:], after, shape, bool(header))


def _label_above(above: Line, line: Line) -> str:
    """Return the line right above a date when it is its label."""
    is_label = len(above.text) < LONG_LABEL and IS_LABEL.search(above.text) is not None
    return above.text if is_label and line.number == above.number + 1 else ""


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


FEWEST_POINTS = 3
"""Points from which a date in the text is the article's."""

MOST_ALIKE = 3
"""Lines of the same shape (digits aside) above which they are a list, not the article's date."""

_MOST_ABOVE, MOST_BELOW = 150, 50
"""Dates of a page that are looked at, from its top and from its end."""

NEAR_IN_LIST = 8
"""Lines between two that look alike from which on they are no items of one list."""


def date_in_lines(
    lines: list[Line], place_of: Surroundings, fetched: float | None, timezone: str
) -> FoundDate | None:
    """Return the date with the most points; see ``points_of``. Ties go to the earlier line."""
    found = list(stated_in(lines, fetched, timezone))
    if len(found) > _MOST_ABOVE + MOST_BELOW:
        found = found[:_MOST_ABOVE] + found[-MOST_BELOW:]
    shapes: defaultdict[str, list[Stated]] = defaultdict(list)
    for stated in found:
        if not is_elsewhere(stated.line.element, place_of.around):
            shapes[stated.shape].append(stated)
    best: tuple[int, Stated] | None = None
    chosen = [one for alike in shapes.values() for one in _of_article(alike, place_of)]
    for stated in sorted(chosen, key=lambda one: (one.place, one.date.start)):
        points = points_of(stated, lines, place_of)
        if points >= FEWEST_POINTS and (best is None or points > best[0]):
            best = points, stated
    if best is None:
        return None
    return _more_precise(best[1], fetched, timezone)


def _of_article(alike: list[Stated], place_of: Surroundings) -> list[Stated]:
    """Return those of the dates that look alike that may be the article's: of many, which are a list,
    what stands alone at the top, or is the first post's.

    In a list of articles the others stand under headings of the same kind.
    """
    places = {stated.place for stated in alike}
    if len(places) <= MOST_ALIKE:
        return alike
    in_head = {place for place in places if place < place_of.head_ends}
    heading = {stated.place: heading_beside(stated.line.element) for stated in alike}
    chosen = []
    for stated in alike:
        place = stated.place
        near = any(other in places and other != place for other in _around(place))
        alone = place in in_head and (not near or len(in_head) == 1)
        first = stated is alike[0] and LABELLED.search(stated.shape) is not None
        own = heading[place]
        is_listed = own is not None and any(
            other is not None and other is not own and other.tag == own.tag
            for other in heading.values()
        )
        if (alone or first) and not is_listed:
            chosen.append(stated)
    return chosen


def _around(place: int) -> range:
    return range(place - NEAR_IN_LIST, place + NEAR_IN_LIST + 1)


def _more_precise(stated: Stated, fetched: float | None, timezone: str) -> FoundDate:
    """Return a date as its element states it for programs, when that is the same day."""
    date, element = stated.date, stated.line.element
    above = element.getparent()
    for one in (element,) if above is None else (element, above):
        said = one.get("datetime") or one.get("content") or one.get("title") or ""
        exact = read_date(said, timezone=timezone, now=fetched)
        if exact is None or abs(exact.seconds - date.seconds) >= 2 * 86_400:
            continue
        return exact if exact.unit < date.unit and not is_midnight(exact, timezone) else date
    return date
