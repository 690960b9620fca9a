"""Judge a fetched page: its class, its links, and what of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from focuscrawl.crawl.articles.article import judge_article
from focuscrawl.crawl.articles.files import is_file_of_article, judge_file
from focuscrawl.crawl.fetched import Judging
from focuscrawl.crawl.forums import FEWEST_THREADS, board_of, judge_thread, thread_of
from focuscrawl.crawl.lists import judge_feed, judge_list
from focuscrawl.crawl.records import with_records
from focuscrawl.pages.content import Fetched, Judged, page_of, sniff
from focuscrawl.pages.document import Document, text_digest
from focuscrawl.pages.kind import PageKind, needs_script, page_kind
from focuscrawl.pages.links import MOST_LINKS, FoundLink, find_links
from focuscrawl.urls.sites import host_of
from focuscrawl.values import PageClass, Waiting, is_signal_file

OK = 200
_FOUND_OUT = frozenset({None, PageClass.OTHER, PageClass.FEED, PageClass.SITEMAP, PageClass.THREAD})
"""What a page was taken for when it is still to be found out what it is."""

WITHOUT_TEXT = frozenset({"list", "short", "irrelevant"})
MOST_LINKS_OF_A_FRAME = 10
"""Links of a page that only scripts fill; lists have more."""

_PARTS = {PageClass.PAGING: PageClass.BOARD, PageClass.ARTICLE_PAGING: PageClass.ARTICLE}


def judge(fetched: Fetched, waiting: Waiting, judging: Judging) -> Judged:
    """Judge an answer. A page that is nothing we read is noted and left."""
    look = judging.rules.look(fetched.url)
    hint = _hint(look.page_class, waiting.page_class)
    if is_file_of_article(waiting):
        return judge_file(fetched, waiting)
    found = sniff(fetched.body, fetched.content_type, fetched.url)
    if found in (PageClass.FEED, PageClass.SITEMAP):
        return judge_feed(fetched, waiting, judging, found)
    if is_signal_file(waiting.source_id):
        page = page_of(fetched, waiting, PageClass.OTHER)
        page.outcome, page.reason = "refused", "no feed and no sitemap"
        return Judged(page, why="a site names it as a feed or a sitemap")
    if found is PageClass.FILE:
        page = page_of(fetched, waiting, hint or PageClass.FILE)
        page.outcome, page.reason = "refused", "content type"
        return Judged(page, why=f"not text: {fetched.content_type or 'unknown type'}")
    document = Document.read(
        fetched.body,
        url=fetched.url,
        content_type=fetched.content_type,
        forced=judging.template.site(host_of(waiting.site)).encoding,
        found=fetched.encoding,
    )
    links = find_links(document, fetched.robots)
    thread = thread_of(fetched, waiting, judging, document, hint)
    board = board_of(fetched, waiting, judging, document, links) if thread is None else None
    if board is not None and len(board.threads) >= FEWEST_THREADS and hint in _FOUND_OUT:
        kind = PageKind(PageClass.BOARD, "its threads")
    elif thread is None and (hint in _FOUND_OUT or _is_doubtful(waiting, judging, look.page_class)):
        kind = page_kind(document, links, _learnt(waiting, judging))
    else:
        kind = PageKind(
            hint or PageClass.THREAD, "template" if look.page_class else "link or source"
        )
    page = page_of(fetched, waiting, kind.page_class)
    page.title = document.title
    page.encoding = document.encoding + ("!" if document.contradicts else "")
    if thread is not None:
        judged = judge_thread(fetched, waiting, judging, document, links, page, thread)
    elif _PARTS.get(kind.page_class, kind.page_class) is PageClass.ARTICLE:
        judged = judge_article(fetched, waiting, judging, document, links, page, kind.reason)
    else:
        judged = judge_list(fetched, waiting, judging, document, links, page, board)
        judged = replace(judged, why=kind.reason)
    without_text = len(links) < MOST_LINKS_OF_A_FRAME and page.outcome in WITHOUT_TEXT
    is_scripted = without_text and needs_script(document)
    shown = text_digest(document) if waiting.first_walk and fetched.status == OK else b""
    judged = replace(judged, shown=shown, by_pattern=kind.by_pattern, is_scripted=is_scripted)
    judged = with_records(judged, document, fetched, waiting, judging)
    page.reason = "; ".join(filter(None, (page.reason, _what_was_cut(document, links))))
    return judged


def _is_doubtful(waiting: Waiting, judging: Judging, by_template: PageClass | None) -> bool:
    """Whether a page was read as a list before it was known that its address is one of articles.

    Nobody has named it so: neither the template nor the source it is.
    """
    if by_template is not None or waiting.page_class is not PageClass.BOARD:
        return False
    return bool(waiting.parent_key) and _learnt(waiting, judging) is PageClass.ARTICLE


def _learnt(waiting: Waiting, judging: Judging) -> PageClass | None:
    """Return what pages of such an address were on the site of a page."""
    patterns = judging.rules.patterns
    return patterns.class_of(waiting.url, waiting.site).page_class if patterns else None


def _what_was_cut(document: Document, links: Sequence[FoundLink]) -> str:
    """Say what of a page was not read; "" for nearly every page."""
    if document.limits:
        return document.limits[0]
    return f"cut: first {MOST_LINKS} links taken" if len(links) >= MOST_LINKS else ""


def _hint(by_template: PageClass | None, by_link: PageClass | None) -> PageClass | None:
    """Return the class a page is taken for: the template's, but page 2 of its boards stays that."""
    is_part = by_link is not None and _PARTS.get(by_link) is by_template
    return by_link if by_template is None or is_part else by_template
