"""Selectors of a template, run over a parsed answer.

Expressions are the template author's and trusted to end; what they run over is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import jmespath
from jmespath.exceptions import JMESPathError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from focuscrawl.pages.texts import element_text
from focuscrawl.values import Selector

_LONGEST_TEXT = 1_000  # characters of a text that a selector finds


class PageSelectors(NamedTuple):
    """Where the parts of an article stand on the pages of a site; None: where it is found."""

    title: Selector | None = None
    text: Selector | None = None
    published: Selector | None = None
    author: Selector | None = None
    source: Selector | None = None
    next: Selector | None = None


FOUND_OUT = PageSelectors()  # no selectors: every part is found out
FROM_THE_TOP = re.compile(r"(^|\|)\s*(?=//)")


@lru_cache(maxsize=500)
def _xpath(selector: Selector, inside: bool) -> etree.XPath:
    expression = selector.expression
    if selector.language == "css":
        expression = HTMLTranslator().css_to_xpath(expression)
    elif inside:  # //h3 means below this element, as whoever wrote it in a template expects
        expression = FROM_THE_TOP.sub(r"\1.", expression)
    return etree.XPath(expression)


def find(node: Any, selector: Selector | None, *, inside: bool = False) -> list[Any]:
    """Return what a selector finds below an element, or in a JSON value: a list in any case.

    From HTML come elements and strings. ``inside``: nothing outside the element counts. A selector
    of the other kind, or one that cannot be evaluated there, finds nothing; so does none.
    """
    if selector is None:
        return []
    if selector.language == "json":
        if isinstance(node, etree._Element):
            return []
        try:
            found = jmespath.search(selector.expression, node)
        except JMESPathError:
            return []
        return found if isinstance(found, list) else [] if found is None else [found]
    if not isinstance(node, etree._Element):
        return []
    try:
        found = _xpath(selector, inside)(node)
    except etree.XPathError:
        return []
    return found if isinstance(found, list) else [found]


def links(node: Any, selector: Selector | None) -> Iterator[str]:
    """Go through the links inside a node as written: attributes, texts, or elements with href."""
    for one in find(node, selector, inside=True):
        written = one.get("href", "") if isinstance(one, etree._Element) else str(one)
        if written.strip():
            yield written.strip()


def text_of(node: Any, selector: Selector | None) -> str:
    """Return the text of the first element inside a node, or all strings found joined, or ""."""
    found = find(node, selector, inside=True)
    elements = [one for one in found if isinstance(one, etree._Element)]
    if elements:
        return next(filter(None, map(element_text, elements)), "")[:_LONGEST_TEXT]
    return " ".join("".join(map(str, found)).split())[:_LONGEST_TEXT]  # pieces of one text
