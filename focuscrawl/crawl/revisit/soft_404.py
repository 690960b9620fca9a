"""Doubts put on a crawl (B, C8): what of a page is compared with its site's error page."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.articles.article import read_article
from focuscrawl.crawl.fetched import Judging
from focuscrawl.crawl.links.continuations import selectors_of
from focuscrawl.crawl.revisit.visits import CONTENT
from focuscrawl.pages.content import Fetched, Judged, sniff
from focuscrawl.pages.document import Document
from focuscrawl.revisit.missing.notices import notice_in, text_length
from focuscrawl.revisit.missing.soft_404 import PageLook, look
from focuscrawl.text.keywords import simhash_words
from focuscrawl.urls.sites import host_of
from focuscrawl.values import PageClass

if TYPE_CHECKING:
    from focuscrawl.template.template import Template
    from focuscrawl.values import PageState

logger = logging.getLogger(__name__)

REDIRECTS = range(300, 400)


class TitleAndText(NamedTuple):
    """Title and main text of a page."""

    title: str
    text: str


class Notice(NamedTuple):
    """What a page says instead of its content; ``length`` is that of all its sentences."""

    words: str
    length: int


def gives_content(judged: Judged) -> bool:
    """Whether something of a page would be kept: an article or a part of one, a record, posts."""
    return bool(judged.article or judged.piece or judged.records or judged.read)


def is_another(before: PageState, judged: Judged) -> bool:
    """Whether a content page that is visited again is none any more, or one of another class."""
    if before.page_class not in CONTENT:
        return False
    return judged.page.page_class is not before.page_class or not gives_content(judged)


def said_by(judged: Judged) -> TitleAndText | None:
    """Return what a page says; None when that was not kept and it must be read again."""
    if judged.article is not None:
        return TitleAndText(judged.article.title, judged.article.text)
    if judged.piece is not None:
        return TitleAndText(judged.piece.title, judged.piece.text)
    return None


def read_again(fetched: Fetched, site: str, judging: Judging) -> TitleAndText | None:
    """Read a page of a site as an article, whatever it is; None when it is no page at all."""
    if sniff(fetched.body, fetched.content_type, fetched.url) in (
        PageClass.FEED,
        PageClass.SITEMAP,
        PageClass.FILE,
    ):
        return None
    try:
        return _read(fetched, site, judging)
    except Exception:
        # A library stumbled over the page; a page without a title and a text is no error page.
        logger.exception("cannot read %s", fetched.url)
        return None


def notice_of(fetched: Fetched, site: str, judging: Judging) -> Notice | None:
    """Return what a page says in place of its content; None when it has more, or is no page."""
    try:
        document = _document(fetched, site, judging)
        words = notice_in(document)
        return Notice(words, text_length(document)) if words else None
    except Exception:
        logger.exception("cannot read %s", fetched.url)
        return None


def _document(fetched: Fetched, site: str, judging: Judging) -> Document:
    return Document.read(
        fetched.body,
        url=fetched.url,
        content_type=fetched.content_type,
        forced=judging.template.site(host_of(site)).encoding,
        found=fetched.encoding,
    )


def _read(fetched: Fetched, site: str, judging: Judging) -> TitleAndText:
    template = judging.template
    document = _document(fetched, site, judging)
    text = read_article(
        document,
        fetched=fetched.at,
        timezone=str(template.topic.timezone),
        language=template.topic.language,
        selectors=selectors_of(template, site),
    )
    return (
        TitleAndText(text.title, text.text)
        if text is not None
        else TitleAndText(document.title, "")
    )


def look_of(said: TitleAndText, final_url: str, asked: str, template: Template) -> PageLook:
    """Return how a page looks that was asked for at ``asked`` and came from ``final_url``."""
    return look(final_url, *said, simhash_words(Counter(template.splitter.cut(said.text))), asked)


def look_of_answer(fetched: Fetched, site: str, asked: str, judging: Judging) -> PageLook | None:
    """Return how an answer looks; of a redirect that is not followed only its target is known."""
    if fetched.status in REDIRECTS:
        return PageLook(fetched.url, "", "", 0, 0)
    said = read_again(fetched, site, judging) if 200 <= fetched.status < 300 else None
    return look_of(said, fetched.url, asked, judging.template) if said is not None else None
