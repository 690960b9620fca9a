"""Selectors of a template, run over a parsed answer.

Expressions are the template author's and trusted to end; what they run over is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from focuscrawl.extract.document import element_text
from focuscrawl.values import Selector

LONGEST_TEXT = 1_000
"""Characters of a text that a selector finds."""


@lru_cache(maxsize=500)
def _xpath(selector: Selector) -> etree.XPath:
    expression = selector.expression
    if selector.language == "css":
        expression = HTMLTranslator().css_to_xpath(expression)
    return etree.XPath(expression)


def find(node: Any, selector: Selector) -> list[Any]:
    """Return what a selector finds below an element, or in a JSON value: a list in any case.

    From HTML come elements and strings. A selector of the other kind, or one that cannot be
    evaluated there, finds nothing.
    """
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
        found = _xpath(selector)(node)
    except etree.XPathError:
        return []
    return found if isinstance(found, list) else [found]


def texts(node: Any, selector: Selector | None) -> Iterator[str]:
    """Go through the texts a selector finds, blanks collapsed, empty ones left out."""
    for one in find(node, selector) if selector else ():
        text = element_text(one) if isinstance(one, etree._Element) else " ".join(str(one).split())
        if text:
            yield text[:LONGEST_TEXT]


def first_text(node: Any, selector: Selector | None) -> str:
    """Return the text of the first element found, or all strings found joined, or ""."""
    if selector is None:
        return ""
    found = find(node, selector)
    if found and not any(isinstance(one, etree._Element) for one in found):
        return " ".join("".join(map(str, found)).split())[:LONGEST_TEXT]  # pieces of one text
    return next(texts(node, selector), "")
