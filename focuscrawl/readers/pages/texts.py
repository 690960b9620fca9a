"""The text under an element: all in one line, only if it is short, or as it is seen, a line for each block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree


def element_text(element: etree._Element) -> str:
    """Return all text under an element, blanks collapsed."""
    text = element.text
    if len(element):
        text = etree.tostring(element, encoding="unicode", method="text", with_tail=False)
    return " ".join(text.split()) if text else ""


def text_before(element: etree._Element) -> str:
    """Return the text right before an element: its neighbour's tail, or its parent's text."""
    before, above = element.getprevious(), element.getparent()
    if before is not None:
        return before.tail or ""
    return (above.text or "") if above is not None else ""


def names_of(element: etree._Element) -> str:
    """Return what an element is called: its class and its id, "" for those it lacks."""
    return f"{element.get('class') or ''} {element.get('id') or ''}"


MOST_WALKED = 300
"""Elements in one whose text is short: 1,900 empty ones inside each other cost 2.1 s, for each was walked down to the
last (make fuzz, page 1135 of seed 5)."""

MOST_BLANKS = 20  # characters for each that is seen, above which a piece of text is not looked at


def short_text(element: etree._Element, longest: int, between: str = "") -> str:
    """Return all text under an element as element_text does, "" when it is longer, or more than MOST_WALKED elements
    are in it.

    ``between`` is put between its pieces. Looks at no more of the element than that, so that
    elements inside each other do not cost their text each.
    """
    # Most links. len() counts all children: a list of 50,000 whose entries ask for it took two seconds.
    if next(iter(element), None) is None:
        text = element.text or ""
        text = "" if len(text) > MOST_BLANKS * longest else " ".join(text.split())
        return text if len(text) <= longest else ""
    if next(islice(element.iter(), MOST_WALKED, None), None) is not None:
        return ""
    pieces: list[str] = []
    length = 0
    for piece in islice(element.itertext(), longest):
        text = str(piece)
        if len(text) > MOST_BLANKS * longest:
            return ""
        length += len(" ".join(text.split()))
        if length > longest:
            return ""
        pieces.append(text)
    return " ".join(between.join(pieces).split())


_LONGEST_SIGN = 3  # characters of a link that leads from a heading to itself


def heading_text(heading: etree._Element, longest: int) -> str:
    """Return the text of a heading as short_text does, without the sign of a link that leads to itself.

    Programs of documentation put one behind each: ¶, #, or a glyph of a font of icons.
    """
    text = short_text(heading, longest)
    for link in heading.iter("a"):
        sign = short_text(link, _LONGEST_SIGN)
        if sign and link.get("href", "").startswith("#") and not any(map(str.isalnum, sign)):
            text = text.removesuffix(sign).removeprefix(sign).strip()
    return text


TOP_HEADINGS = ("h1", "h2", "h3")
MOST_TOP_HEADINGS = 50  # headings that may be a title


def top_headings(root: etree._Element) -> Iterator[etree._Element]:
    """Go through the headings that may be the title of a page, the first fifty."""
    return islice(root.iter(*TOP_HEADINGS), MOST_TOP_HEADINGS)


TEXT_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "br", "center", "dd", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
    "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
))  # fmt: skip
_UNSEEN_TAGS = frozenset(
    ("head", "script", "style", "noscript", "template", "textarea", "select", "iframe", "svg")
)
# Pages hold control characters, which a tree can be read with but not written back into.
_BLANKS = re.compile(r"[^\S\n]+|\s*\n\s*|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]+")

PREFORMATTED = frozenset(("pre", "code"))
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]+")


def paragraphs(block: etree._Element) -> str:
    """Return the text under an element, one line for each block of it; the element is changed."""
    # All of them first: to walk on from an element whose children are taken out ends the walk.
    for element in list(block.iter()):
        tag = element.tag
        if tag in _UNSEEN_TAGS or not isinstance(tag, str):
            text = None
            for child in list(element):
                element.remove(child)
        else:
            text = _in_line(element.text, tag)
        parent = element.getparent()
        tail = _in_line(element.tail, None if parent is None else parent.tag)
        if tag in TEXT_BLOCKS:
            text, tail = f"\n{text or ''}", f"\n{tail or ''}"
        element.text, element.tail = text, tail
    written = etree.tostring(block, encoding="unicode", method="text", with_tail=False)
    return "\n".join(line for raw in written.splitlines() if (line := " ".join(raw.split())))


def _in_line(text: str | None, tag: str | None) -> str | None:
    """Return a text as it stands in a line: line breaks count only in preformatted text."""
    return text and (CONTROLS if tag in PREFORMATTED else _BLANKS).sub(" ", text)


def tidy(text: str) -> str:
    """Return a text of any extractor as lines without blanks around them, none of them empty."""
    return "\n".join(line for raw in text.splitlines() if (line := " ".join(raw.split())))
