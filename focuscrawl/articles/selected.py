"""The parts of an article where a site's selectors say they are ([site."HOST"])."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import NamedTuple

from lxml import etree

from focuscrawl.pages.document import Document
from focuscrawl.pages.selectors import find
from focuscrawl.pages.texts import element_text, paragraphs, tidy
from focuscrawl.text.dates import FoundDate, read_date
from focuscrawl.values import Selector

_LONGEST_TEXT = 1_000_000
MOST_BLOCKS = 2_000
"""Elements a selector may find for the text."""

_LONGEST_WORDS = 1_000
"""Characters of a title, a name or a date."""

_LABEL = re.compile(r"^(?:文章|稿件|信息)?(?:作者|记者|来源|來源|出处|author|source|by)\s*[:：]\s*", re.IGNORECASE)  # fmt: skip


class PageSelectors(NamedTuple):
    """Where the parts of an article stand on the pages of a site; None: where it is found."""

    title: Selector | None = None
    text: Selector | None = None
    published: Selector | None = None
    author: Selector | None = None
    source: Selector | None = None
    next: Selector | None = None


class Selected(NamedTuple):
    """What selectors found: "" and None where there is none, or it found nothing.

    ``blocks`` are the elements of the text. ``missed`` names the selectors that found nothing, or
    for ``published`` no date.
    """

    title: str = ""
    text: str = ""
    blocks: tuple[etree._Element, ...] = ()
    published: FoundDate | None = None
    author: str = ""
    source: str = ""
    missed: tuple[str, ...] = ()


def read_selected(
    document: Document, selectors: PageSelectors, *, fetched: float | None, timezone: str
) -> Selected:
    """Read what the selectors of a site point at; ``fetched`` and ``timezone`` as read_article."""
    if not any(selectors[:-1]):
        return Selected()
    blocks, text = _text(document.root, selectors.text)
    dated = _words(document.root, selectors.published)
    found = Selected(
        title=_words(document.root, selectors.title),
        text=text,
        blocks=blocks,
        published=read_date(dated, timezone=timezone, now=fetched) if dated else None,
        author=_LABEL.sub("", _words(document.root, selectors.author))[:120],
        source=_LABEL.sub("", _words(document.root, selectors.source))[:120],
    )
    missed = tuple(
        name
        for name in ("title", "text", "published", "author", "source")
        if getattr(selectors, name) and not getattr(found, name)
    )
    return found._replace(missed=missed)


def _text(
    root: etree._Element, selector: Selector | None
) -> tuple[tuple[etree._Element, ...], str]:
    found = find(root, selector)[:MOST_BLOCKS]
    blocks = _outermost([one for one in found if isinstance(one, etree._Element)])
    if blocks:
        lines = (paragraphs(deepcopy(block)) for block in blocks)
        return blocks, "\n".join(filter(None, lines))[:_LONGEST_TEXT]
    return (), tidy("\n".join(map(str, found)))[:_LONGEST_TEXT]


def _outermost(elements: list[etree._Element]) -> tuple[etree._Element, ...]:
    """Leave out elements within another of them: their text would come twice."""
    own = set(elements)
    return tuple(element for element in elements if own.isdisjoint(element.iterancestors()))


def _words(root: etree._Element, selector: Selector | None) -> str:
    """Return the text of the first element or string found that has one, on one line."""
    for one in find(root, selector):
        text = element_text(one) if isinstance(one, etree._Element) else " ".join(str(one).split())
        if text:
            return text[:_LONGEST_WORDS]
    return ""
