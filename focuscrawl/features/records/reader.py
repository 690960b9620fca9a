"""Records of a page (C7): its blocks of labelled values, read by the rules of a template.

By default each block is a record; strictly, as published, the one tag with the most crawl keywords
under it is.
"""

from __future__ import annotations

import hashlib
import logging
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import cast

from lxml import etree

from focuscrawl.features.records.blocks import ENOUGH_ALIKE, FEWEST_FIELDS, RecordGroup, find_groups
from focuscrawl.features.records.entries import SAID, FoundRecord, RecordEntry
from focuscrawl.features.records.field_values import EMAIL, Found, find_values, squeezed
from focuscrawl.features.records.layouts.labelled import find_entries
from focuscrawl.features.records.layouts.marked import complete, read_organisations
from focuscrawl.features.records.lines import JOINT, MOST_TEXT, RecordLine, read_lines
from focuscrawl.features.records.names import addresses_in, from_copyright, from_title
from focuscrawl.features.records.table import RecordTable
from focuscrawl.readers.links.admission_rules import is_last
from focuscrawl.readers.links.criteria import OpenPage, PageReader
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.readers.pages.content import Judged
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.selectors import text_of
from focuscrawl.readers.pages.texts import element_text, names_of
from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.values import Json, PageClass, Record, Selector, Waiting, record_class

logger = logging.getLogger(__name__)

# Pages that are called records when they hold one: lists stay lists, to be read again.
_WITH_RECORDS = frozenset({PageClass.ARTICLE, PageClass.OTHER})
NUMBER_LIKE = re.compile(
    r"(?<!\d)(?:0\d{2,3}[-—－ )）]{1,2}\d{7,8}|1[3-9]\d{9}|[48]00[- ]\d{3,4}[- ]?\d{3,4}|\(\d{3}\) ?\d{3}-\d\d-?\d\d|\+\d{1,3}[ -]\(?\d{1,4}\)?[ -]\d{3,4}[ -]?\d{2,4})(?!\d)"
)
SAYING = (("email", b"mailto:"), ("phone", b"tel:"), ("address", b"<address"))
# Words of markup that states an organisation; of most pages it has none, or only its name.
STATING = (b"postaladdress", b"vcard", b"h-card", b'"telephone"')
# The elements around values show which stand together: a spoilt page that nests 2,048 deep
# took five seconds. Of 200 real pages none nests 60 deep.
_NESTS_PAST_ALL = etree.XPath(f"boolean({'/*' * 300})")
_FIND_RECORD_TEXTS = etree.XPath(
    "//body/descendant::text()[not(parent::script or parent::style)]", smart_strings=False
)
FIND_ALTERNATIVES = etree.XPath("//img/@alt", smart_strings=False)
# What names a site: its meta elements, the words of its logo.
_FIND_SITE_NAMES = etree.XPath(
    "/descendant::meta[@property='og:site_name' or @name='application-name']/@content",
    smart_strings=False,
)
_FIND_IMAGES = etree.XPath("/descendant::img[string-length(@alt) > 1]")
_MOST_IMAGES, _LOGO_LEVELS = 200, 4  # images that may be a logo, elements of which one is called so
_PROSE = re.compile(r"^.{30,}[。！？；]|[.!?] [A-Z].*[.!?]|^.{80,}[.!?]$|^.{80,}")
_MOST_HEADINGS, _MOST_PIECES = 3, 20  # first headings that say what a page is about; texts of one
_CONTACT_TITLE = re.compile(
    r"联系(?:我们|方式|电话)|^联[系络]\S{0,4}(?:$|[\s_|-])|聯[繫絡]我們|联络我们|通[讯信]录|\bcontacts?\b|\b[ck]onta[ck]to?\b|\bimpressum\b|\bcontactez\b|контакт|お問い?合わ?せ|会社概要|찾아오시는|문의",
    re.IGNORECASE,
)
_FEWEST_LISTED = 3  # rows that are a list
_ENOUGH_TABLED = 10  # labelled values in cells that are the table a notice is about
# Characters of sentences that make a page with a date an article: whatever its foot says, it is no
# page of a record. Of 144 pages with articles none has one; with 300 one has.
LEAST_PROSE = 150
# Beside so much prose, labels must name so many fields. With 1,200, or with 2 fields, the F1 of
# 68 labelled contact pages gains .003; with 300 it stays. With 4 fields that of 20 pages falls from
# .986 to .968.
_LONG_PROSE, FIELDS_IN_PROSE = 600, 3
MOST_RECORDS = 500  # records of one page
# Further or contradicting values of a field that are kept: a directory of 24 numbers lost four with 20.
_MOST_OTHERS = 50


def read_records(
    document: Document,
    rules: RecordTable,
    *,
    is_dated: Callable[[], bool],
    timezone: str = "UTC",
    now: float | None = None,
) -> list[FoundRecord]:
    """Return the records of a page, the one with the most labels first.

    A page without labels has none. A field that is not ``many`` has several values when the page
    contradicts itself. ``one_per`` block gives one for each block, page and site one
    for all of them. ``timezone`` and ``now`` (wall seconds) are for dates.
    ``is_dated`` says whether the page has a date as an article has one; only pages with prose are asked.
    """
    if rules.strict:
        return _read_strictly(document, rules, timezone, now)
    if not _is_worth_it(document, rules):
        return []
    lines = read_lines(document.root)
    entries = find_entries(lines, rules, timezone, now)
    groups = find_groups(entries, rules)[:MOST_RECORDS]
    statements = read_organisations(document, rules, timezone, now)
    alone = False
    if groups or statements:
        prose = _prose(lines, entries)
        alone = not groups and (prose < LEAST_PROSE or _names_contacts(document))
        if prose >= _LONG_PROSE:
            groups = [group for group in groups if _stands_out(group, rules)]
        if prose >= LEAST_PROSE and not _names_contacts(document) and is_dated():
            groups = _listed(groups, rules)
    if rules.one_per != "block" and groups:
        together = [entry for group in groups for entry in group.entries]
        records = [_record(document, lines, together, rules, whole_page=True)]
    else:
        records = [
            _record(document, lines, group.entries, rules, whole_page=len(groups) == 1)
            for group in groups
        ]
    if statements:
        shown = squeezed(" ".join((document.title, *(line.text for line in lines))))
        records = complete(records, statements, rules, shown=shown, alone=alone)
    return records


def _stands_out(group: RecordGroup, rules: RecordTable) -> bool:
    """Whether a group differs from numbers that prose mentions: by its labels, its kinds, its row, or
    by an address beside what a label names. With the last, and changes measured with it, the F1 of ten contact pages rises by .02.
    """
    if group.sure and any(rules.by_name[name].type == "address" for name in group.fields):
        return True
    shown = {entry.field for entry in group.entries if entry.found.label != SAID}
    return max(group.sure, len(shown)) >= FIELDS_IN_PROSE or group.entries[0].row >= 0


def _names_contacts(document: Document) -> bool:
    """Whether the title or a first heading says that the page is about contacts."""
    headings = islice(document.root.iter("h1", "h2"), _MOST_HEADINGS)
    first = ("".join(map(str, islice(one.itertext(), _MOST_PIECES))) for one in headings)
    return any(_CONTACT_TITLE.search(text) for text in (document.title, *first))


def _listed(groups: list[RecordGroup], rules: RecordTable) -> list[RecordGroup]:
    """Leave of the groups of a dated page those of a list of organisations: a notice may hold one."""
    naming, address = rules.naming, rules.of_type("address")
    listed = []
    for group in groups:
        sure = {entry.field for entry in group.entries if entry.sure}
        named = naming is None or naming.name in sure
        placed = address is not None and address.name in sure and len(sure) >= FEWEST_FIELDS
        tabled = sum(entry.sure and entry.is_in_cell for entry in group.entries)
        if tabled >= _ENOUGH_TABLED:
            return groups
        told = named or len(sure) >= FEWEST_FIELDS
        if placed or (told and group.entries[0].row >= 0):
            listed.append(group)
    return listed if len(listed) >= _FEWEST_LISTED else []


def _read_strictly(
    document: Document, rules: RecordTable, timezone: str, now: float | None
) -> list[FoundRecord]:
    """Read the one block of a page that holds most crawl keywords, as published (C7)."""
    block = heaviest_element(element_weights(read_lines(document.root), rules))
    if block is None:
        return []
    lines = read_lines(block)
    entries = [entry for entry in find_entries(lines, rules, timezone, now) if entry.sure]
    record = _record(document, lines, entries, rules, whole_page=True)
    return [record] if record else []


def _is_worth_it(document: Document, rules: RecordTable) -> bool:
    """Whether a page names enough fields to hold a record; most pages do not, and are left at once."""
    fewest = min(FEWEST_FIELDS, len(rules.fields))
    if _NESTS_PAST_ALL(document.root):
        return False
    if _names_contacts(document):
        return True
    texts = (_FIND_RECORD_TEXTS(document.root), FIND_ALTERNATIVES(document.root))
    text = JOINT.join(JOINT.join(cast("list[str]", found))[:MOST_TEXT] for found in texts)
    markup = document.markup.lower()
    told = {kind: markup.count(mark) for kind, mark in SAYING}
    if max(told.values()) >= ENOUGH_ALIKE or any(mark in markup for mark in STATING):
        return True
    named: set[str] = {kind for kind, count in told.items() if count}
    numbers = sum(1 for _ in islice(NUMBER_LIKE.finditer(text), ENOUGH_ALIKE))
    if numbers and rules.of_type("phone", "mobile") is not None:
        named.add("phone")
        if numbers == ENOUGH_ALIKE:  # a list of names and numbers has no other field
            return True
    if "@" in text and EMAIL.search(text):
        named.add("email")
    if len(named) >= fewest:
        return True
    for number, place in enumerate(rules.find_labels(text), 1):
        named.update(rules.by_name[name].type for name in place.fields)
        if len(named) >= fewest or number >= ENOUGH_ALIKE:  # one label again and again: a table
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
    rules: RecordTable,
    *,
    whole_page: bool,
) -> FoundRecord:
    """Look for each field where it may stand; only the one record of a page has what no label names."""
    values: FoundRecord = {}
    ordered = sorted(entries, key=lambda entry: not entry.sure)
    for rule in rules.fields:
        found: list[Found] = []
        for place in rule.places:
            if place == "labels":
                found = [entry.found for entry in ordered if entry.field == rule.name]
            elif whole_page:
                label, text = _elsewhere(document, lines, place)
                found = [
                    one._replace(label=label) for one in find_values(rule, text, labelled=True)
                ]
            if found:
                values[rule.name] = _distinct(found)
                break
    return values


def _elsewhere(
    document: Document, lines: list[RecordLine], place: str | Selector
) -> tuple[str, str]:
    """Return what stands for the label of a place, and the text there."""
    if isinstance(place, Selector):
        return "selector", text_of(document.root, place)
    if place == "copyright":
        return place, from_copyright(lines)
    names = list(_site_names(document.root))
    return place, from_title(document.title, names, addresses_in(lines))


def _site_names(root: etree._Element) -> Iterator[str]:
    """Go through what names a site besides its titles."""
    yield from cast("list[str]", _FIND_SITE_NAMES(root))[:1]
    for image in cast("list[etree._Element]", _FIND_IMAGES(root))[:_MOST_IMAGES]:
        around = (image, *islice(image.iterancestors(), _LOGO_LEVELS))
        if "logo" in image.get("src", "") or any("logo" in names_of(one) for one in around):
            yield image.get("alt", "")


def _distinct(found: Iterable[Found]) -> list[Found]:
    kept: dict[str, Found] = {}
    for one in found:
        kept.setdefault(squeezed(one.value) or str(one.value), one)
        if len(kept) > _MOST_OTHERS:
            break
    return list(kept.values())


def element_weights(
    lines: Iterable[RecordLine], rules: RecordTable
) -> dict[etree._Element, frozenset[str]]:
    """Return the fields whose labels stand under each element that has any.

    The weight of a tag is how many they are: synonyms are one keyword, and so is one that stands
    there twice. Elements without a label are left out.
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


# Items ------------------------------------------------------------------------------------------


def record_of(
    found: FoundRecord, rules: RecordTable, waiting: Waiting, at: float, number: int
) -> Record:
    """Return the ``number``-th record of a page, which was fetched ``at`` (wall seconds)."""
    data: Json = {}
    for rule in rules.fields:
        values = [one.value for one in found.get(rule.name, ())]
        if values:
            data[rule.name] = values if rule.many else values[0]
    missing = [rule.name for rule in rules.fields if rule.required and rule.name not in data]
    return record_class(rules.name)(
        record_type=rules.name,
        record_id=record_id(data, rules, waiting, number),
        host=waiting.site,
        url_key=waiting.key.hex(),
        url=waiting.url,
        data=data,
        evidence={name: _evidence(values, waiting.url, at) for name, values in found.items()},
        missing=missing,
        complete=not missing,
        fetched=at,
        known=waiting.knows(None),
    )


def _evidence(values: Sequence[Found], url: str, at: float) -> Json:
    """Return where each value of a field is from; those after the first are ``others``."""
    first, *others = ({**one._asdict(), "url": url, "at": at} for one in values)
    return {**first, **({"others": others} if others else {})}


def record_id(data: Json, rules: RecordTable, waiting: Waiting, number: int) -> str:
    """Return the MD5 of what tells a record from others: its key fields, or the host of its site.

    Spelling does not matter: width, case, white space. Without any key field it is the place: the
    page and, on it, the ``number`` of the block.
    """
    if rules.one_per == "site":
        told = [waiting.site]
    else:
        told = [_norm(data[name]) for name in rules.identity if name in data]
        if not told:
            told = ["", waiting.key.hex(), "" if rules.one_per == "page" else str(number)]
    return hashlib.md5("\n".join(told).encode()).hexdigest()


def _norm(value: object) -> str:
    first = value[0] if isinstance(value, list) else value
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", str(first))).lower()


# Pages ------------------------------------------------------------------------------------------


class RecordReader(PageReader):
    """Reads records from pages of any class."""

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Add the records a page holds; such a page is relevant to its topic.

        One that is no list and no article that is kept is called a record in the log book.
        """
        try:
            judged.records = tuple(self._records_of(page, judged))
        except Exception:
            # A library stumbled over the page: its links are still good, and others must not wait.
            logger.exception("cannot read records of %s", page.fetched.url)
            return
        if not judged.records:
            return
        row = judged.page
        if row.page_class in _WITH_RECORDS and judged.article is None and judged.piece is None:
            row.page_class, row.outcome, row.reason = PageClass.RECORD, "stored", ""
        row.relevant = True
        if judged.batch is not None:
            judged.batch = replace(judged.batch, relevant=True)

    def _records_of(self, page: OpenPage, judged: Judged) -> Iterator[Record]:
        template, at = self.criteria.template, page.fetched.at
        zone = str(template.topic.timezone)
        for rules in template.named(RecordTable).values():
            if not self._is_read(rules, page, judged):
                continue
            found = read_records(
                page.document, rules, is_dated=page.is_dated, timezone=zone, now=at
            )
            for number, one in enumerate(found):
                yield record_of(one, rules, page.waiting, at, number)

    def _is_read(self, rules: RecordTable, page: OpenPage, judged: Judged) -> bool:
        """Whether a page is one of those that are read for a kind of record."""
        template, document = self.criteria.template, page.document
        if rules.pages == "all":
            return True
        if rules.pages == "last-layer":
            return is_last(page.waiting.layer, template.of(FollowTable).layers)
        if judged.page.relevant is not None:
            return judged.page.relevant
        score = template.once(PageScorer.of).score
        return score(document.title, element_text(document.root)).relevant
