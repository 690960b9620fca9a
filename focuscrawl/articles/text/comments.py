"""What readers have written below an article is not its text.

Under a short article the comments are most of the prose of a page, and an extractor takes them with
it: each new comment would be a change of the article. Software of blogs and services of comments name
their section; these names are looked for as whole words, since a page about comments is none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lxml import etree

from focuscrawl.pages.advertisements import take_out
from focuscrawl.pages.kind import pieces_of_prose

NAMES = frozenset(
    [
        "comments",
        "comments-area",
        "comments-list",
        "comments-section",
        "comments-wrapper",
        "comments-container",
        "comments-wrap",
        "comment-list",
        "comment_list",
        "commentlist",
        "comment-section",
        "comment-area",
        "commentarea",
        "comment-wrap",
        "comment-box",
        "comment-container",
        "comment-respond",
        "respond",
        "post-comments",
        "entry-comments",
        "article-comments",
        "blog-comments",
        "page-comments",
        "news-comments",
        "disqus_thread",
        "wpdcom",
        "wpd-threads",
        "valine",
        "waline",
        "twikoo",
        "gitalk-container",
        "utterances",
        "giscus",
        "vcomments",
        "ds-thread",
        "ds-comments",
        "uyan_frame",
        "sohucs",
        "changyan",
        "pinglun",
    ]
)
"""Classes and ids, in lower case: of WordPress, Typecho, themes of Hexo, and services of comments."""

SECTIONS = ("div", "section", "ol", "ul", "aside", "footer")
FIND_HEADINGS = etree.XPath("//h1")
FIND_BODY = etree.XPath("//*[@itemprop='articleBody']")
"""What a section of comments does not hold: some pages call all below their masthead so."""


def comments_of(root: etree._Element) -> set[etree._Element]:
    """Return a page's sections of comments; none where the page's first sentence stands in one."""
    sections = {one for one in root.iter(*SECTIONS) if _is_named(one)}
    if not sections:
        return sections
    for find in (FIND_HEADINGS, FIND_BODY):
        sections -= _around(cast("list[etree._Element]", find(root)))
    first = next((element for _, element in pieces_of_prose(root)), None)
    is_below = first is not None and sections.isdisjoint((first, *first.iterancestors()))
    return sections if is_below else set()


def drop_comments(root: etree._Element) -> None:
    """Take the sections of comments out of a page."""
    for section in comments_of(root):
        take_out(section)


def _around(elements: Iterable[etree._Element]) -> set[etree._Element]:
    """Return elements with all that they stand in; each is looked at once."""
    found: set[etree._Element] = set()
    for element in elements:
        above: etree._Element | None = element
        while above is not None and above not in found:
            found.add(above)
            above = above.getparent()
    return found


def _is_named(element: etree._Element) -> bool:
    names = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
    return not NAMES.isdisjoint(names.split())
