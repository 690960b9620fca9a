"""What a link leads to, by the learned patterns of its site, before it is fetched (D5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from focuscrawl.frontier.levels import LOWEST
from focuscrawl.values import Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.topic.link_rules import Look
    from focuscrawl.urls.patterns.url_patterns import Expected

NO_NEWS: Final = "pattern"
"""The reason of links that match no pattern of news, under the published rule."""

JUDGED: Final = frozenset(
    {"list", "stored", "irrelevant", "old", "part", "copy", "short", "dropped"}
)
"""Outcomes of pages whose content was looked at."""


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
