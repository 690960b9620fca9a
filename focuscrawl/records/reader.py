"""Records of a page (C7): its blocks of labelled values, read by the rules of a template.

By default each block is a record; strictly, as published, the one tag with the most crawl keywords
under it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import cast

from lxml import etree

from focuscrawl.pages.document import Document
from focuscrawl.pages.selectors import text_of
from focuscrawl.records.blocks import FEWEST_FIELDS, find_groups
from focuscrawl.records.entries import Dates, RecordEntry, find_entries
from focuscrawl.records.lines import JOINT, MOST_TEXT, RecordLine, read_lines
from focuscrawl.records.rules import FieldRule, Found, FoundRecord, RecordRules, squeezed
from focuscrawl.records.values.field_types import find_values
from focuscrawl.records.values.names import from_copyright, from_title
from focuscrawl.values import Selector

NUMBER_LIKE = re.compile(r"(?<!\d)(?:0\d{2,3}[-—－ )）]{1,2}\d{7,8}|1[3-9]\d{9})(?!\d)")
SAYING = (("email", b"mailto:"), ("phone", b"tel:"))
_FIND_TEXTS = etree.XPath(
    "//body/descendant::text()[not(parent::script or parent::style)]", smart_strings=False
)
FIND_ALTERNATIVES = etree.XPath("//img/@alt", smart_strings=False)
_PROSE = re.compile(r"^.{30,}[。！？；]|[.!?] [A-Z].*[.!?]|^.{80,}[.!?]$|^.{80,}")
LEAST_PROSE = 150
"""Characters of sentences that make a page with a date an article: whatever its foot says, it is no
page of a record."""

_LONG_PROSE = 600
FIELDS_IN_PROSE = 3
"""Fields that a label must name where so much is said besides."""

MOST_RECORDS = 500
"""Records of one page."""

_MOST_OTHERS = 20
"""Further or contradicting values of a field that are kept."""


def read_records(
    document: Document,
    rules: RecordRules,
    *,
    is_dated: Callable[[], bool],
    timezone: str = "UTC",
    now: float | None = None,
) -> list[FoundRecord]:
    """Return the records of a page, the one with the most labels first.

    A page without labels has none. ``one_per`` block gives one for each block, page and site one
    for all of them. ``timezone`` and ``now`` (wall seconds) are for dates.
    ``is_dated`` says whether the page has a date as an article has one; only pages with prose are asked.
    """
    if rules.strict:
        return _read_strictly(document, rules, Dates(timezone, now))
    if not _is_worth_it(document, rules):
        return []
    lines = read_lines(document.root)
    entries = find_entries(lines, rules, Dates(timezone, now))
    groups = find_groups(entries, rules)[:MOST_RECORDS]
    if groups:
        prose = _prose(lines, entries)
        if prose >= _LONG_PROSE:
            groups = [group for group in groups if group.sure >= FIELDS_IN_PROSE]
        if prose >= LEAST_PROSE and is_dated():
            return []
    if rules.one_per != "block" and groups:
        together = [entry for group in groups for entry in group.entries]
        return [_record(document, lines, together, rules, whole_page=True)]
    return [
        _record(document, lines, group.entries, rules, whole_page=len(groups) == 1)
        for group in groups
    ]


def _read_strictly(document: Document, rules: RecordRules, dates: Dates) -> list[FoundRecord]:
    """Read the one block of a page that holds most crawl keywords, as published (C7)."""
    block = heaviest_element(element_weights(read_lines(document.root), rules))
    if block is None:
        return []
    lines = read_lines(block)
    entries = [entry for entry in find_entries(lines, rules, dates) if entry.sure]
    record = _record(document, lines, entries, rules, whole_page=True)
    return [record] if record.values else []


def _is_worth_it(document: Document, rules: RecordRules) -> bool:
    """Whether a page names enough fields to hold a record; most pages do not, and are left at once."""
    fewest = min(FEWEST_FIELDS, len(rules.fields))
    texts = (_FIND_TEXTS(document.root), FIND_ALTERNATIVES(document.root))
    text = JOINT.join(JOINT.join(cast("list[str]", found))[:MOST_TEXT] for found in texts)
    named: set[str] = {kind for kind, mark in SAYING if mark in document.markup}
    if NUMBER_LIKE.search(text) and rules.of_type("phone", "mobile") is not None:
        named.add("phone")
    for place in rules.find_labels(text):
        named.update(rules.by_name[name].type for name in place.fields)
        if len(named) >= fewest:
            return True
    return False


def _prose(lines: list[RecordLine], entries: list[RecordEntry]) -> int:
    """Return how many characters of sentences stand on a page beside its values."""
    used = {entry.line.number for entry in entries}
    return sum(
        len(line.text)
        for line in lines
        if not line.linked and line.number not in used and _PROSE.search(line.text)
    )


def _record(
    document: Document,
    lines: list[RecordLine],
    entries: Iterable[RecordEntry],
    rules: RecordRules,
    *,
    whole_page: bool,
) -> FoundRecord:
    values: dict[str, list[Found]] = {}
    ordered = sorted(entries, key=lambda entry: not entry.sure)
    for rule in rules.fields:
        labelled = [entry.found for entry in ordered if entry.field == rule.name]
        found: list[Found] = []
        for place in rule.places:
            if place == "labels":
                found += labelled
            elif whole_page or isinstance(place, Selector):
                found += _from_page(document, lines, rule, place, whole_page=whole_page)
            if found:
                break
        if kept := _distinct(found):
            values[rule.name] = kept
    return FoundRecord(values)


def _from_page(
    document: Document,
    lines: list[RecordLine],
    rule: FieldRule,
    place: str | Selector,
    *,
    whole_page: bool,
) -> list[Found]:
    """Look for a value elsewhere than behind a label."""
    if isinstance(place, Selector):
        text = text_of(document.root, place) if whole_page else ""
        return [one._replace(label="selector") for one in find_values(rule, text, labelled=True)]
    text = from_copyright(lines) if place == "copyright" else from_title(document.title)
    return [one._replace(label=place) for one in find_values(rule, text, labelled=True)]


def _distinct(found: Iterable[Found]) -> list[Found]:
    kept: dict[str, Found] = {}
    for one in found:
        kept.setdefault(squeezed(one.value) or str(one.value), one)
        if len(kept) > _MOST_OTHERS:
            break
    return list(kept.values())


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
