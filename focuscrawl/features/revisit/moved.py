"""Articles that have moved: another address of their site shows them now, and they stay what they were.

A page is known by the key of the address at which it was found first; where it stands now is another matter.
Two things say that it stands elsewhere: a redirect, and a copy of its text at another address of its site
when its own answers that there is no such page. Neither is believed: the page is asked for there, as the page
that it was (a trial), and has moved when it says the same there. A trial that shows something else is
over, and the page is missing as before.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from focuscrawl.features.revisit.change.comparison import ChangeKind, sentences
from focuscrawl.urls.sites import site_of
from focuscrawl.values import CONTENT, PageChange, PageClass, PageState, change_key

TRIED_FROM = "tried_from"
"""Fact of a state: the address at which its page stood, while another one is tried."""

COPY_AT = "copy_at"
"""Fact of a state: an address of its site at which a copy of its text was found."""

COPY_SINCE = "copy_since"
"""Fact of a state: when a copy came that is new: then the page may have moved, and is looked at."""

NOT_AT = "not_at"
"""Fact of a state: an address that was tried and showed something else."""

WALL_AT = "wall_at"
"""Fact of a state: an address that was tried and showed what stands in front of pages, a log-in."""

SAYS_AT = "says_at"
"""Fact of a state: the address that its page names as its own, and did not name from the beginning."""

STANDS_AT = "stands_at"
"""Fact of a state: where a redirect leads to its page on another site. It is asked for at the old address
still: rows and states of another site may be another process's."""

SAME_SHARE = 0.5
"""The part of the sentences of the shorter text that both have: a new look of a site takes or gives a line or
two of each text, while two articles of one form have hardly a whole sentence in common."""


def may_move(state: PageState) -> bool:
    """Whether a page is one that may stand elsewhere: lists and sources are what their addresses are."""
    return state.page_class in CONTENT and not state.facts.get("source")


def is_trial(state: PageState) -> bool:
    """Whether a page is asked for at an address that may be its new one."""
    return TRIED_FROM in state.facts


def seen_at(state: PageState) -> str:
    """Return the address at which a page was seen last."""
    found: str = state.facts.get(TRIED_FROM) or state.facts.get(STANDS_AT) or state.url
    return found


def elsewhere(state: PageState, led_to: str) -> str:
    """Return the address at which a page that is not there any more may stand now; "": at none.

    ``led_to`` is where a redirect has led: that is tried first, then where a copy was found. A front page is no article's
    place, and one address is tried once.
    """
    if not may_move(state):
        return ""
    known = (state.url, state.facts.get(NOT_AT), state.facts.get(TRIED_FROM), "")
    for url in (led_to, state.facts.get(COPY_AT, "")):
        if url not in known and not _is_home(url) and site_of(url) == state.site:
            return url
    return ""


def leads_away(state: PageState, url: str, site: str) -> bool:
    """Whether a redirect leads a page to another site, where it may stand now: a front page is no article's place.

    A thread is read by its site: its readings, and those of its boards, are of one partition.
    """
    is_thread = state.page_class is PageClass.THREAD
    return may_move(state) and not is_thread and site != state.site and not _is_home(url)


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def says_it_stands(state: PageState, canonical: str) -> str:
    """Return the address at which a page says that it stands, where a copy of it was found; "" for its own.

    What it names from the beginning is no move (``NOT_AT``): an address with a parameter, a print version.
    """
    is_found = state.facts.get(COPY_AT) == canonical and not is_trial(state)
    return elsewhere(state, canonical) if canonical and is_found else ""


def naming(state: PageState, canonical: str) -> PageState:
    """Return the state of a page that names an address (rel=canonical), and did not name it from the beginning."""
    named = "" if canonical in (state.url, state.facts.get(NOT_AT)) else canonical
    if not canonical or not may_move(state) or named == state.facts.get(SAYS_AT, ""):
        return state
    facts = {name: value for name, value in state.facts.items() if name != SAYS_AT}
    return state._replace(facts=facts | {SAYS_AT: named} if named else facts)


def tried_at(state: PageState, url: str, now: float) -> PageState:
    """Return the state of a page that is asked for at another address, at once."""
    facts = {**state.facts, TRIED_FROM: seen_at(state)}
    return state._replace(
        url=url, facts=facts, next_visit=now, reserved=None, signalled=None, etag="", modified=""
    )


def tried(state: PageState) -> PageState:
    """Return the state of a page that was not where it was tried: it is asked for where it stood."""
    if not is_trial(state):
        return state
    facts = {name: value for name, value in state.facts.items() if name != TRIED_FROM}
    facts[NOT_AT] = state.url
    return state._replace(url=state.facts[TRIED_FROM], facts=facts, etag="", modified="")


def walled(state: PageState) -> PageState:
    """Return the state of a page where what was tried as its place stands in front of pages."""
    back = tried(state)
    return back._replace(facts={**back.facts, WALL_AT: state.url})


def arrived(state: PageState, url: str) -> PageState:
    """Return the state of a page that was found at an address."""
    ended = {TRIED_FROM, COPY_AT, COPY_SINCE, NOT_AT, SAYS_AT, STANDS_AT, WALL_AT}
    facts = {name: value for name, value in state.facts.items() if name not in ended}
    if site_of(url) != state.site:
        return state._replace(facts={**facts, STANDS_AT: url})
    return state._replace(url=url, facts=facts)


def copied_at(state: PageState, url: str, now: float, *, is_news: bool = False) -> PageState:
    """Return the state of a page a copy of which was found at another address.

    One that is missing already is looked for there. Where the copy ``is_news``, what it copies may have moved, and is
    looked at once at its own address: a page without a date has its turn after weeks.
    """
    if not may_move(state) or is_trial(state) or url == state.url:
        return state
    is_first = state.facts.get(COPY_AT) != url
    state = state._replace(facts={**state.facts, COPY_AT: url})
    is_missing = state.gone is not None or state.failures > 0
    there = elsewhere(state, "") if is_missing else ""
    if there:
        return tried_at(state, there, now)
    if not (is_news and is_first and state.reserved is None and not is_missing):
        return state
    return state._replace(next_visit=now, facts={**state.facts, COPY_SINCE: now})


def may_stand_at(state: PageState, url: str, since: float) -> bool:
    """Whether a page of which a copy was found may stand there now: it does, says so itself, or was not seen where
    it stood ``since``.
    """
    is_seen = state.last_fetched >= since and state.failures == 0
    is_there = url in (state.url, state.facts.get(SAYS_AT))
    return may_move(state) and (is_there or not is_seen)


def is_same_article(kind: ChangeKind | None, before: str, after: str) -> bool:
    """Whether a page says the same as before: by its verdict, or by the sentences of both texts."""
    if kind in (ChangeKind.SAME, ChangeKind.MINOR):
        return True
    one, other = frozenset(sentences(before)), frozenset(sentences(after))
    fewer = min(len(one), len(other))
    return bool(fewer) and len(one & other) >= SAME_SHARE * fewer


def moved_change(
    key: str, old: str, new: str, title: str, visit: int, now: float, what: str = "article"
) -> PageChange:
    """Return the change that an article, a record or a thread stands at another address; ``key`` is its row's."""
    number = change_key(key, "moved", visit)
    return PageChange(number, now, key, new, "moved", what, {"url": [old, new]}, title=title)
