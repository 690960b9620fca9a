"""What the markup of a page states of an organisation (C7): microdata, h-card and its elder hCard, JSON-LD.

Microdata and cards mark what the page shows: their properties are labels, and values stand where
they stand. JSON-LD shows nothing: it only fills what a record lacks, where it speaks of the same
organisation and the text does not contradict it. Templates are sold with placeholder statements;
of these nothing is taken.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from lxml import etree

from focuscrawl.features.records.blocks import TELLING
from focuscrawl.features.records.entries import MOST_ENTRIES, FoundRecord, Reading, RecordEntry, at
from focuscrawl.features.records.field_values import Found, find_values, one_number, squeezed
from focuscrawl.features.records.lines import MAIL, RecordLine
from focuscrawl.features.records.names import EDGES
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.json_ld import objects_in, read_scripts, types_of
from focuscrawl.readers.text.characters import HAN

if TYPE_CHECKING:
    from focuscrawl.features.records.table import FieldType, RecordField, RecordTable


# Properties of schema.org and classes of cards, by the type of the value they mark.
PROPERTIES: Mapping[str, FieldType] = {
    "name": "text", "legalname": "text", "telephone": "phone", "faxnumber": "fax", "email": "email",
    "address": "address", "streetaddress": "address", "postalcode": "zip", "url": "url",
}  # fmt: skip
CARD_CLASSES: Mapping[str, FieldType] = {
    "fn": "text", "org": "text", "p-name": "text", "p-org": "text", "tel": "phone", "p-tel": "phone",
    "email": "email", "u-email": "email", "adr": "address", "p-adr": "address", "h-adr": "address",
    "postal-code": "zip", "p-postal-code": "zip", "url": "url", "u-url": "url",
}  # fmt: skip
# What has a name and perhaps an address and is no organisation, or is not the page's own.
NO_ORGANISATION = frozenset({
    "Person", "Event", "Product", "Offer", "Service", "JobPosting", "Review", "Recipe", "Book", "Course", "Article", "NewsArticle",
    "BlogPosting", "WebSite", "WebPage", "ContactPage", "AboutPage", "ItemPage", "CollectionPage", "ItemList", "ListItem", "ImageObject",
    "VideoObject", "BreadcrumbList", "Brand", "Vehicle", "Trip", "CreativeWork", "SoftwareApplication", "Comment", "SearchAction",
})  # fmt: skip
_NESTED_PROPERTIES = (
    "@graph",
    "mainEntity",
    "itemListElement",
    "item",
    "department",
    "subOrganization",
)
_PLACEHOLDER_VALUE = re.compile(
    r"\{\{|\{%|<%|\$\{|%\w+%|\[\[?\w+\]?\]|(?:your|my|company|business|organi[sz]ation|site|street|sample|test|demo)[\s_-]*(?:name|address|company|business|street|domain|email|site)"
    r"|@(?:example|domain|yourdomain|email|test|sample|company)\.|^(?:123|1234) (?:main|any|example|fake)\b|\banytown\b|lorem ipsum|公司名称|网站名称|示例|某某|xxx",
    re.IGNORECASE,
)
_FAX = re.compile(r"^\W*(?:fax|传真|факс)", re.IGNORECASE)
_NO_NUMBER = re.compile(r"(\d)\1{6}|0?123-?4567|555[ .-]?5555|000[ .-]?0000|234[ .-]?567[ .-]?890")
_FEWEST_TOLD = 2  # values that tell an organisation from others, where only JSON-LD has them
_MOST_STATED = 20  # organisations of a page
_MOST_OF_ONE = 10  # values of one kind of one organisation
_MOST_MARKED = 200  # marked values of a page
_LONGEST_MARKED = 300  # characters of one
_MOST_HELD = 50  # lines of an element in which its values are looked for
_MOST_LOOKED = 5_000  # elements that may mark a value
_FIND_PROPERTIES = etree.XPath("/descendant::*[@itemprop]")
_FIND_CARD = etree.XPath("boolean(//*[contains(@class, 'vcard') or contains(@class, 'h-card')])")
_FIND_CLASSES = etree.XPath("//body/descendant::*[@class]")


# Marked text ------------------------------------------------------------------------------------


def read_marked(page: Reading) -> None:
    """Take the values that microdata and cards mark; each organisation with its own address is a record."""
    if not page.lines:
        return
    marked = _marked(page.lines[0].element.getroottree().getroot())
    if not marked:
        return
    lines = defaultdict[etree._Element, list[RecordLine]](list)
    for line in page.lines:
        for element in (line.element, *line.element.iterancestors()):
            known = lines[element]
            known.append(line)
            if len(known) > _MOST_HELD:
                break
    scopes: dict[etree._Element, list[RecordEntry]] = {}
    for scope, element, kind in marked:
        for rule in _rules_of(page.rules, kind):
            here = _lines_of(element, lines) or _lines_of(scope, lines)
            for one in _read_one(page, rule, element, here):
                scopes.setdefault(scope, []).append(one)
    _keep(page, list(scopes.values()))


def _marked(
    root: etree._Element,
) -> list[tuple[etree._Element, etree._Element, FieldType]]:
    """Return what is marked, each with the element that speaks of its organisation."""
    found: list[tuple[etree._Element, etree._Element, FieldType]] = []
    marked = cast("list[etree._Element]", _FIND_PROPERTIES(root))[:_MOST_LOOKED]
    if _FIND_CARD(root):
        marked += cast("list[etree._Element]", _FIND_CLASSES(root))[:_MOST_LOOKED]
    for element in dict.fromkeys(marked):
        names = [(name, PROPERTIES) for name in (element.get("itemprop") or "").lower().split()]
        names += [(name, CARD_CLASSES) for name in (element.get("class") or "").split()]
        kind = next((known[name] for name, known in names if name in known), None)
        if kind is None or len(found) >= _MOST_MARKED:
            continue
        if kind == "phone" and _FAX.search(" ".join(map(str, islice(element.itertext(), 3)))):
            kind = "fax"  # a card's numbers say in their text which they are
        scope = _scope_of(element)
        if scope is not None:
            found.append((scope, element, kind))
    inside = {element for _, element, kind in found if kind == "address"}
    return [
        one
        for one in found
        if one[2] != "address" or not any(up in inside for up in one[1].iterancestors())
    ]


def _scope_of(element: etree._Element) -> etree._Element | None:
    """Return the element of the organisation a property belongs to; None when it is of something else."""
    by_class = not element.get("itemprop")
    for above in element.iterancestors():
        classes = (above.get("class") or "").split()
        if by_class:
            if "vcard" in classes or "h-card" in classes:
                return above
            continue
        if above.get("itemscope") is None:
            continue
        kind = re.split("[/#:]", (above.get("itemtype") or "").rstrip("/"))[-1]
        if kind in {"PostalAddress", "ContactPoint"}:
            continue
        is_part = bool(above.get("itemprop")) and above.get("itemprop") not in {"department", "mainEntity", "location"}  # fmt: skip
        return above if kind and kind not in NO_ORGANISATION and not is_part else None
    return None


def _rules_of(rules: RecordTable, kind: FieldType) -> Iterator[RecordField]:
    rule = rules.naming if kind == "text" else rules.of_type(kind)
    if rule is None and kind == "phone":
        rule = rules.of_type("mobile")
    if rule is not None and "labels" in rule.places:
        yield rule


def _lines_of(
    element: etree._Element, lines: Mapping[etree._Element, list[RecordLine]]
) -> list[RecordLine]:
    """Return the lines an element stands in or holds."""
    for one in (element, *element.iterancestors()):
        if one in lines:
            return lines[one]
        if one.get("itemscope") is not None and one is not element:
            break
    return []


def _read_one(
    page: Reading, rule: RecordField, element: etree._Element, lines: Sequence[RecordLine]
) -> Iterator[RecordEntry]:
    text = _text_of(element, rule.type)
    if rule.type == "address" and (label := next(iter(page.rules.find_labels(text)), None)):
        text = text[label.end :] if label.start == 0 else text
    found = page.values(rule, text, labelled=True)
    if not found or not lines or _PLACEHOLDER_VALUE.search(text):
        return
    plain = squeezed(text)
    shown = {one.number: squeezed(one.text[:_LONGEST_MARKED]) for one in lines}
    inside = [one for one in lines if shown[one.number] and shown[one.number] in plain]
    line = next((one for one in lines if plain[:20] in shown[one.number]), (inside or lines)[0])
    if rule.type == "address":
        page.used.update(one.number for one in inside)
    mark = (element.get("itemprop") or element.get("class") or "").strip()
    for one in found:
        if (line.number, rule.name) not in page.found:
            yield at(line)._replace(field=rule.name, found=one._replace(label=mark))


def _text_of(element: etree._Element, kind: FieldType) -> str:
    """Return what a property says: its content, what its link says, its text, of a tel the value."""
    said = element.get("content") or ""
    href = element.get("href") or ""
    if not said and kind == "email" and MAIL.match(href):
        said = unquote(MAIL.sub("", href)).partition("?")[0]
    if not said and kind == "url":
        said = href
    if not said:
        inner = islice(element.iter("*"), _MOST_HELD)
        shown = next((one for one in inner if "value" in one.get("class", "").split()), element)
        said = " ".join(" ".join(map(str, islice(shown.itertext(), _MOST_HELD))).split())
    return said[:_LONGEST_MARKED].strip(EDGES)


def _keep(page: Reading, scopes: list[list[RecordEntry]]) -> None:
    """Take the values of organisations; of several each with a name and more is a record of its own."""
    naming = page.rules.naming
    whole = [{entry.field for entry in entries} for entries in scopes]
    own = [
        naming is not None
        and naming.name in fields
        and any(page.rules.by_name[name].type in TELLING for name in fields)
        for fields in whole
    ]
    for entries, is_own in zip(scopes, own, strict=True):
        if not is_own and not any(page.rules.by_name[one.field].type in TELLING for one in entries):
            continue  # a name alone
        row = page.new_row() if is_own and sum(own) > 1 else -1
        if len(page.entries) < MOST_ENTRIES:
            page.entries += [one._replace(row=row) for one in entries]
            page.found.update((one.line.number, one.field) for one in entries)


# Statements -------------------------------------------------------------------------------------


def read_organisations(
    document: Document, rules: RecordTable, timezone: str, now: float | None
) -> list[FoundRecord]:
    """Return what the JSON-LD of a page states of organisations; nothing of those that are made up."""
    found: list[FoundRecord] = []
    for value, _ in read_scripts(document.root):
        for stated in objects_in(value, _NESTED_PROPERTIES):
            if len(found) >= _MOST_STATED:
                return found
            told = _told(stated)
            said = [one for several in told.values() for one in several]
            numbers = [*told.get("phone", ()), *told.get("fax", ())]
            if not told or any(map(_PLACEHOLDER_VALUE.search, said)) or any(map(_NO_NUMBER.search, numbers)):  # fmt: skip
                continue
            statement: FoundRecord = {}
            for kind, several in told.items():
                for rule in _rules_of(rules, kind):
                    values = (
                        find_values(rule, one, labelled=True, timezone=timezone, now=now)
                        for one in several
                    )
                    if read := [hit._replace(label="JSON-LD") for hits in values for hit in hits]:
                        statement.setdefault(rule.name, read)
            if statement:
                found.append(statement)
    return found


def _told(stated: dict[str, Any]) -> dict[FieldType, list[str]]:
    """Return what an object tells of an organisation, by type; nothing when it is of something else."""
    if not NO_ORGANISATION.isdisjoint(types_of(stated)) or not types_of(stated)[0]:
        return {}
    points = [point for point in _listed(stated.get("contactPoint")) if isinstance(point, dict)]
    places = _listed(stated.get("address"))
    told: dict[FieldType, list[str]] = {
        "phone": _strings(one.get("telephone") for one in (stated, *points)),
        "fax": _strings(one.get("faxNumber") for one in (stated, *points)),
        "email": [MAIL.sub("", one) for one in _strings(o.get("email") for o in (stated, *points))],
        "address": _strings(map(_address, places)),
        "zip": _strings(one.get("postalCode") for one in places if isinstance(one, dict)),
    }
    if not any(told.values()):
        return {}
    told |= {"text": _strings([stated.get("name") or stated.get("legalName")])[:1]}
    told |= {"url": _strings([stated.get("url")])[:1]}
    return {kind: several for kind, several in told.items() if several}


def _listed(value: Any) -> list[Any]:
    return value[:_MOST_STATED] if isinstance(value, list) else [value]


def _strings(values: Iterable[Any]) -> list[str]:
    """Return the texts among values, and of those in lists."""
    flat = (one for value in values for one in _listed(value))
    kept = [one["@value"] if isinstance(one, dict) and "@value" in one else one for one in flat]
    texts = [" ".join(one[:_LONGEST_MARKED].split()) for one in kept if isinstance(one, str)]
    return [text for text in texts if text][:_MOST_OF_ONE]


def _address(value: Any) -> str:
    """Write an address as its country does: from the large to the small in Chinese, else the other way."""
    if not isinstance(value, dict):
        return value if isinstance(value, str) else ""
    names = ("streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry")
    street, town, region, code, country = (" ".join(_strings([value.get(name)])) for name in names)
    if not street:
        return ""
    if HAN.search(street):
        before = [one for one in (region, town) if one and one not in street]
        return "".join(dict.fromkeys((*before, street)))
    country = country if len(country) > 2 else ""  # a code is not printed on a letter
    rest = [one for one in (town, f"{region} {code}".strip(), country) if one]
    return ", ".join((street, *(one for one in rest if one not in street)))


def complete(
    records: list[FoundRecord],
    statements: Sequence[FoundRecord],
    rules: RecordTable,
    *,
    shown: str,
    alone: bool,
) -> list[FoundRecord]:
    """Fill what records lack with what is stated of the same organisation.

    ``shown`` is all the page shows, squeezed. Without any record, and where ``alone`` allows it, those
    statements are records of which the page shows the name.
    """
    found = [dict(record) for record in records]
    for statement in statements:
        same = [one for one in found if _share(one, statement, rules)]
        named = [squeezed(one.value) for one in _named(statement, rules)]
        own = any(name and name in shown for name in named)
        if not same and own and len(records) == len(statements) == 1:
            same = [one for one in found if not _contradicts(one, statement, rules)]
        if len(same) == 1:
            _fill(same[0], statement, rules)
        elif not records and alone and own:
            told = sum(rules.by_name[name].type in TELLING for name in statement)
            if told >= _FEWEST_TOLD:
                found.append(statement)
    return found


def _named(one: Mapping[str, list[Found]], rules: RecordTable) -> list[Found]:
    return one.get(rules.naming.name, []) if rules.naming is not None else []


def _share(record: FoundRecord, statement: FoundRecord, rules: RecordTable) -> bool:
    """Whether both have a value that belongs to one organisation only, and no two names."""
    kinds = TELLING | {"url"}
    equal = any(
        rules.by_name[name].type in kinds and _alike(record[name], statement[name])
        for name in record.keys() & statement.keys()
    )
    ours, theirs = _named(record, rules), _named(statement, rules)
    return equal and (not ours or not theirs or _alike(ours, theirs) or not _is_labelled(ours))


def _is_labelled(found: Sequence[Found]) -> bool:
    """Whether a label names a value, not the title or the line about copyright."""
    return found[0].label not in {"", "title", "copyright"}


def _alike(ours: Sequence[Found], theirs: Sequence[Found]) -> bool:
    """Whether one of the values is one of the others, or a part of it."""
    pairs = ((squeezed(one.value), squeezed(other.value)) for one in ours for other in theirs)
    return any(a and b and (a in b or b in a or one_number(a, b)) for a, b in pairs)


def _contradicts(record: FoundRecord, statement: FoundRecord, rules: RecordTable) -> bool:
    return any(
        rules.by_name[name].type in TELLING and not _alike(record[name], statement[name])
        for name in record.keys() & statement.keys()
    )


def _fill(record: FoundRecord, statement: FoundRecord, rules: RecordTable) -> None:
    """Add what a record lacks; a name that was read off the title may be the short form of the stated one."""
    for name, values in statement.items():
        ours = record.get(name)
        short = (
            ours is not None
            and rules.naming is not None
            and name == rules.naming.name
            and not _is_labelled(ours)
            and squeezed(ours[0].value) in squeezed(values[0].value)
        )
        if ours is None or short:
            record[name] = values if rules.by_name[name].many else values[:1]
