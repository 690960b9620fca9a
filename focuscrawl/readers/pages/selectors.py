"""Selectors of a template, run over a parsed answer, and a selector for an element that is at hand.

Expressions are the template author's and trusted to end; what they run over is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import jmespath
from jmespath.exceptions import JMESPathError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

from focuscrawl.readers.pages.texts import CONTROLS, element_text, short_text
from focuscrawl.values import Selector

_LONGEST_SELECTED = 1_000  # characters of a text that a selector finds


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
    elif inside:  # //h3 means below this element, as the author of a template expects
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
        return next(filter(None, map(element_text, elements)), "")[:_LONGEST_SELECTED]
    return " ".join("".join(map(str, found)).split())[:_LONGEST_SELECTED]  # pieces of one text


# The other way: a selector for an element ---------------------------------------------------------

_PLAIN_TAG = re.compile(r"[a-z][a-z0-9]*")
_LASTING_NAME = re.compile(
    r"[^\W\d](?:[^\W\d]|-)*+"
)  # digits number what changes from page to page
_MOST_CLASSES = 2  # classes of an element that its path names
_MOST_STEPS_ABOVE = 3  # elements around it that are tried to tell it from others: each costs a run


def selector_for(element: etree._Element) -> Selector:
    """Return where an element stands: the selector finds it first on its page, this was tried.

    CSS of names (tag, id, classes, none with a digit), its own and those of a few elements right around
    it, as few as find it alone, else as find it first. Otherwise XPath with positions below a name.
    """
    # Each step is a child of the last and positions are XPath's: libxml2 runs these in linear time,
    # but "div span" and :nth-of-type by the square of what stands inside or beside each other.
    root = element.getroottree().getroot()
    first: list[Selector] = []
    path = _named(element)
    for above in islice(element.iterancestors(), _MOST_STEPS_ABOVE):
        place = Selector("css", path)
        found = _first_two(root, place)
        if found == [element]:
            return place
        first += [place] * (found[:1] == [element])
        path = f"{_named(above)} > {path}"
    # The first span of a page is the next page's by chance, the first below a name is not.
    first.sort(key=lambda place: {".", "#"}.isdisjoint(place.expression))
    return first[0] if first else _by_position(element, root)


def _by_position(element: etree._Element, root: etree._Element) -> Selector:
    steps = [_numbered(element)]
    named = 0
    for above in element.iterancestors():
        if named < _MOST_STEPS_ABOVE and _names_in_path(above):
            named += 1
            expression = HTMLTranslator().css_to_xpath(_named(above))
            place = Selector("xpath", "/".join([expression, *reversed(steps)]))
            if _first_two(root, place)[:1] == [element]:
                return place
        steps.append(_numbered(above))
    return Selector("xpath", "/".join(["", *reversed(steps)]))


def _first_two(root: etree._Element, place: Selector) -> list[Any]:
    expression = _xpath(place, inside=False).path
    return find(root, Selector("xpath", f"({expression})[position() < 3]"))


def _names_in_path(element: etree._Element) -> str:
    """Return the id of an element, or its first classes, as CSS; "" when none will last."""
    if _LASTING_NAME.fullmatch(name := element.get("id") or ""):
        return f"#{name}"
    classes = filter(_LASTING_NAME.fullmatch, (element.get("class") or "").split())
    return "".join(f".{name}" for name in islice(classes, _MOST_CLASSES))


def _named(element: etree._Element) -> str:
    return (element.tag if _PLAIN_TAG.fullmatch(element.tag) else "*") + _names_in_path(element)


def _numbered(element: etree._Element) -> str:
    """Return the step of a path to an element, with its number where its parent has several."""
    tag = element.tag if _PLAIN_TAG.fullmatch(element.tag) else "*"
    before = sum(1 for _ in element.itersiblings(tag, preceding=True))
    is_only = not before and next(element.itersiblings(tag), None) is None
    return tag if is_only else f"{tag}[{before + 1}]"


_PIECES = etree.XPath(
    "//body/descendant::text()[contains(., $words)][not(parent::script or parent::style)]"
)
_MOST_PIECES_SELECTED = 100  # pieces of text around which an element is looked for
_MOST_AROUND = 4  # elements inside each other that may hold one text and nothing else
_LONGEST_WORD = 20  # characters of a text by which it is looked for


def elements_with(root: etree._Element, text: str, longest: int) -> Iterator[tuple[etree._Element, str]]:  # fmt: skip
    """Go through the elements with a short text in which another one begins, the innermost first.

    Of each comes its whole text, too, at most ``longest`` characters.
    """
    words = [word[:_LONGEST_WORD] for word in CONTROLS.sub(" ", text).split()]
    seen: set[etree._Element] = set()
    pieces: Any = _PIECES(root, words=words[0]) if words else []
    for piece in islice(pieces, _MOST_PIECES_SELECTED):
        parent = piece.getparent()
        inner = parent.getparent() if piece.is_tail else parent
        for element in islice(inner.iterancestors(), _MOST_AROUND):
            if inner in seen or not (whole := short_text(inner, longest)):
                break
            seen.add(inner)
            yield inner, whole
            inner = element
