"""What pages teach of addresses: which patterns tell their class (D5), which are one page or a trap (A8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from focuscrawl.frontier.levels import LOWEST
from focuscrawl.links.admission_rules import AdmissionRules, Look
from focuscrawl.values import Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.links.admission import Add
    from focuscrawl.pages.content import Judged
    from focuscrawl.urls.patterns.url_patterns import Expected

NO_NEWS: Final = "pattern"
"""The reason of links that match no pattern of news, under the published rule."""

JUDGED: Final = frozenset(
    {"list", "stored", "irrelevant", "old", "part", "copy", "short", "dropped"}
)
"""Outcomes of pages whose content was looked at."""

HTTP_OK = 200


def as_expected(
    waiting: Waiting, look: Look, rules: AdmissionRules, expected: Expected
) -> Waiting | str:
    """Return a link of unknown class as it waits, or the reason why it does not.

    ``expected`` is what the patterns of its site say (UrlPatterns.class_of).
    What a person has pinned is its class; what was learnt only says when it is fetched, for its
    content is still to tell: lists where the site's lists are, what is nothing to read last. The
    published rule follows news only, as soon as the site has a pattern of news.
    """
    page_class = expected.page_class
    if expected.by_hand:
        waiting = waiting._replace(page_class=page_class)
    elif (
        rules.news_only
        and page_class is not PageClass.ARTICLE
        and rules.patterns is not None
        and rules.patterns.knows_news(waiting.site)
    ):
        return NO_NEWS
    if page_class is PageClass.BOARD and look.rules.board_level is not None:
        level = look.rules.board_level
        return waiting._replace(level=level, passed_level=level)
    if page_class is PageClass.OTHER and not rules.strict:
        return waiting._replace(level=LOWEST, passed_level=LOWEST)
    return waiting


def learn_pattern(page: Page, waiting: Waiting, rules: AdmissionRules) -> None:
    """Teach the patterns of a site what an address turned out to be.

    ``page`` is its row of the log book. Nothing is learnt where the content was not looked at; an
    article without text is none.
    """
    if rules.patterns is None or page.outcome not in JUDGED or page.page_class is PageClass.FILE:
        return
    without_text = page.page_class is PageClass.ARTICLE and page.outcome == "short"
    page_class = PageClass.OTHER if without_text else page.page_class
    rules.patterns.judged(waiting.url, waiting.site, page_class)


def learn_likeness(judged: Judged, url: str, waiting: Waiting, rules: AdmissionRules) -> str:
    """Learn from a page that came from ``url`` for the first time; returns a sentence when it tells a trap.

    What scripts are to fill looks alike everywhere and says nothing.
    """
    same, site = rules.same, waiting.site
    if judged.page.status == HTTP_OK and same.may_have_twin(url):
        same.note_read(rules.look(url).address.number)
    if not judged.shown or judged.is_scripted:
        return ""
    dropped, files = same.dropped.get(site), same.files.get(site)
    same.note(url, site, judged.shown)
    if same.dropped.get(site) != dropped:
        rules.starts.clear()  # addresses of this site have other keys from now on
        rules.known.clear()  # a link that was held for another page is looked at again
    elif same.files.get(site) != files:
        rules.known.clear()
    return rules.copies.note(url, waiting.site, judged.shown)


def unless_twin(add: Add, rules: AdmissionRules) -> Add:
    """Return what adds a link unless its page was read by its other address: X/ and X/index.html."""

    def add_one(waiting: Waiting, number: int) -> bool:
        return not is_twin_of_read(waiting, rules) and add(waiting, number)

    return add_one


def is_twin_of_read(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether a URL is the other address of a page that this run has read.

    That the other one is known, or waits, is not enough: it may be a stale link, be refused by
    robots.txt, or lead back here, and then nobody would read the page.
    """
    if not waiting.first_walk or waiting.first_key:
        return False
    return any(map(rules.same.is_read, twin_numbers(waiting, rules)))


def twin_numbers(waiting: Waiting, rules: AdmissionRules) -> list[int]:
    """Return the key numbers of the other addresses of a URL's page."""
    twins = rules.same.twins(waiting.url, waiting.site)
    return [rules.look(twin).address.number for twin in twins]
