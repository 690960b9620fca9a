"""What readers have written below an article is not its text.

Under a short article the comments are most of the prose of a page, and an extractor takes them with
it: each new comment would be a change of the article. Software of blogs and services of comments name
their section; these names are looked for as whole words, since a page about comments is none.
"""

from __future__ import annotations

from lxml import etree

from focuscrawl.extract.advertisements import take_out
from focuscrawl.extract.kind import pieces_of_prose

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
HOLDS_ARTICLE = etree.XPath("boolean(.//h1 | .//*[@itemprop='articleBody'])")
"""Whether a section is more than comments: some pages call all below their masthead so."""


def comments_of(root: etree._Element) -> set[etree._Element]:
    """Return a page's sections of comments; none where the page's first sentence stands in one."""
    sections = {one for one in root.iter(*SECTIONS) if _is_named(one) and not HOLDS_ARTICLE(one)}
    if not sections:
        return sections
    first = next((element for _, element in pieces_of_prose(root)), None)
    is_below = first is not None and sections.isdisjoint((first, *first.iterancestors()))
    return sections if is_below else set()


def drop_comments(root: etree._Element) -> None:
    """Take the sections of comments out of a page."""
    for section in comments_of(root):
        take_out(section)


def _is_named(element: etree._Element) -> bool:
    names = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
    return not NAMES.isdisjoint(names.split())
