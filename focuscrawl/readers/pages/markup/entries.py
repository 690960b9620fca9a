"""What stands below a page's heading, without what stands beside it: a list is links there, too.

A short post between menus and a sidebar of headlines is mostly links, as a list is. In the block of its heading it
is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from focuscrawl.readers.pages.texts import short_text

FEWEST_ENTRIES = 3
_FEWEST_TEXT = 12  # characters beside a heading from which its block is more than that
_MOST_TEXTS = 2_000  # pieces of text that are looked at
_MOST_LEVELS_ABOVE = 12  # elements around a heading among which its block is
_LONGEST_ENTRY_HEADING = 300
_OUTSIDE_TEXT = frozenset(
    (
        "aside",
        "nav",
        "footer",
        "header",
        "script",
        "style",
        "noscript",
        "form",
        "option",
        "template",
    )
)


def is_list_below_heading(root: etree._Element) -> bool:
    """Whether what stands around a page's heading is links, twice as much as it is text.

    The heading is the first h1, or else the first h2; without one nothing is known.
    """
    heading = next(root.iter("h1"), None)
    if heading is None:
        heading = next(root.iter("h2"), None)
    if heading is None:
        return False
    own = len(short_text(heading, _LONGEST_ENTRY_HEADING))
    for block in islice(heading.iterancestors(), _MOST_LEVELS_ABOVE):
        linked, unlinked, links = _count(block)
        if links >= FEWEST_ENTRIES or unlinked - own >= _FEWEST_TEXT:
            return links >= FEWEST_ENTRIES and linked >= 2 * max(0, unlinked - own)
    return False


def _count(block: etree._Element) -> tuple[int, int, int]:
    """Return the characters of a block in links, the others, and its links."""
    linked = unlinked = links = 0
    for text, is_linked, is_first in islice(_texts(block), _MOST_TEXTS):
        linked += len(text) * is_linked
        unlinked += len(text) * (not is_linked)
        links += is_first
    return linked, unlinked, links


def _texts(block: etree._Element) -> Iterator[tuple[str, bool, bool]]:
    """Go through the texts of a block: the text, whether it stands in a link, and whether it is that link's first."""
    inside: etree._Element | None = None
    is_new = False
    walk = etree.iterwalk(block, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            if element is not block and element.tag in _OUTSIDE_TEXT:
                walk.skip_subtree()
                continue
            if element.tag == "a" and element.get("href") and inside is None:
                inside, is_new = element, True
            text = element.text
        else:
            if element is inside:
                inside = None
            text = element.tail if element is not block else None
        text = (
            " ".join(text.split()) if isinstance(text, str) and isinstance(element.tag, str) else ""
        )
        if text:
            yield text, inside is not None, is_new and inside is not None
            is_new = False
