"""The published block of a page (C7, strict): the tag with the most crawl keywords under it."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from focuscrawl.records.lines import RecordLine
from focuscrawl.records.rules import RecordRules


def element_weights(
    lines: Iterable[RecordLine], rules: RecordRules
) -> dict[etree._Element, frozenset[str]]:
    """Return the fields whose labels stand under each element that has any.

    The weight of a tag is how many they are: synonyms are one keyword, and so is one that is said
    twice. Elements without a label are left out.
    """
    under: dict[etree._Element, frozenset[str]] = {}
    for line in lines:
        said = frozenset(name for label in rules.find_labels(line.text) for name in label.fields)
        element: etree._Element | None = line.element
        while said and element is not None:
            known = under.get(element, frozenset())
            if said <= known:
                break  # and so are all above
            under[element] = known | said
            element = element.getparent()
    return under


def heaviest_element(under: dict[etree._Element, frozenset[str]]) -> etree._Element | None:
    """Return the innermost tag of most weight, of several the first; None where none has any.

    Every tag around it weighs as much.
    """
    most = max(map(len, under.values()), default=0)
    heavy = {element for element, names in under.items() if len(names) == most}
    around = {element.getparent() for element in heavy}
    for element in under:  # lines come in order, so the first line's block is met first
        if element in heavy and element not in around:
            return element
    return None
