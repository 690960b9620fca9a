"""Lists that a server gives as JSON to the scripts of its pages: entries with an address and words of their own.

No name of a field is asked for: the addresses are what looks like one and is another in each entry. Some servers
send the entries as markup inside JSON; then its links are taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lxml import etree

from focuscrawl.readers.pages.texts import short_text

_MOST_JSON = 5_000_000
"""Bytes of JSON that are read."""

_MOST_NODES = 20_000
"""Values, one inside the other, among which lists are looked for."""

_MOST_JSON_ENTRIES = 2_000
_MOST_FIELDS = 40
"""Fields of one entry that are looked at."""

_LONGEST_ADDRESS, _LONGEST_TITLE = 1_000, 300
_FEWEST_WORDS = 4
"""Characters of a text that may be what an entry is called."""

_MOST_MARKUP = 500_000
"""Characters of markup inside JSON that are read."""

_REFERENCE = re.compile(
    r"(?:https?://|\.{0,2}/)[^\s<>\"']+|[\w./-]+\.(?:s?html?|php|jsp|aspx?|do)(?:\?\S*)?"
)
_NO_PAGE_FILE = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|ico|css|js|json|mp[34]|woff2?|map)(?:[?#]|$)", re.IGNORECASE
)
_CALLED_ADDRESS = re.compile(r"url|link|href", re.IGNORECASE)
_CALLED_TITLE = re.compile(r"title|subject|headline|name", re.IGNORECASE)
_CALLED_DATE = re.compile(r"date|time|publish|created", re.IGNORECASE)
_CALLED_NEXT = re.compile(r"next(?:_?page)?(?:_?(?:url|link|href))?", re.IGNORECASE)
_CALLED_PAGES = re.compile(
    r"(?:total_?)?pages|(?:total_?)?page_?(?:count|total)|last_?page", re.IGNORECASE
)
_CALLED_MORE = re.compile(r"(?:has_?)?(?:more|next)(?:_?page)?", re.IGNORECASE)
_CALLED_PAGE = re.compile(r"(?:page|p|pn|page_?(?:no|num|number|index))", re.IGNORECASE)


class ListEntry(NamedTuple):
    """An entry as it is written: its address may be relative; ``date`` is "" where it says none."""

    address: str
    title: str
    date: str


class JsonList(NamedTuple):
    """The entries of a list, and the address of its next page as written; "" where it names none."""

    entries: Sequence[ListEntry]
    following: str = ""


@lru_cache(maxsize=2)  # what kind of body it is and what it holds is asked one after the other
def read_json_list(body: bytes, url: str) -> JsonList | None:
    """Return the list of a body that came from ``url``; None: it is no JSON, or holds no list of pages."""
    start = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] not in (b"{", b"[") or len(body) > _MOST_JSON:
        return None
    try:
        said: Any = json.loads(body.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    values = [*islice(_inside(said), _MOST_NODES)]
    lists = (_entries_of(value) for value in values if isinstance(value, list))
    entries = max(lists, key=len, default=[]) or _linked(values)
    return JsonList(entries, _following(values, url)) if entries else None


def _inside(said: Any) -> Iterator[Any]:
    """Go through a value and all in it, the outer ones first."""
    found = [said]
    for value in found:
        yield value
        if len(found) < _MOST_NODES:
            inner = (
                value.values()
                if isinstance(value, dict)
                else value
                if isinstance(value, list)
                else ()
            )
            found += islice(inner, _MOST_JSON_ENTRIES)


def _entries_of(listed: list[Any]) -> list[ListEntry]:
    items = [item for item in listed[:_MOST_JSON_ENTRIES] if isinstance(item, dict)]
    if not items or 2 * len(items) < len(listed[:_MOST_JSON_ENTRIES]):
        return []
    name = _name_of_addresses(items)
    if not name:
        return []
    found = (_entry(item, name) for item in items if _is_address(item.get(name)))
    return [entry for entry in found if entry.title]


def _name_of_addresses(items: Sequence[Mapping[str, Any]]) -> str:
    """Return the name of the field that holds in most entries an address, in each another; "" for none."""
    names = [name for name in islice(items[0], _MOST_FIELDS) if isinstance(name, str)]
    names.sort(key=lambda name: not _CALLED_ADDRESS.search(name))
    for name in names:
        values = [value for item in items if _is_address(value := item.get(name))]
        if 2 * len(values) > len(items) and len({*values}) == len(values):
            return name
    return ""


def _is_address(value: Any) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_ADDRESS
        and _REFERENCE.fullmatch(value.strip()) is not None
        and not _NO_PAGE_FILE.search(value)
    )


def _entry(item: Mapping[str, Any], name: str) -> ListEntry:
    """Read an entry: its title is what is called so, else its first words that are no address."""
    texts = {
        key: value.strip()
        for key, value in islice(item.items(), _MOST_FIELDS)
        if isinstance(value, str)
        and key != name
        and not _REFERENCE.fullmatch(value[:_LONGEST_ADDRESS])
    }
    dates = (text for key, text in texts.items() if _CALLED_DATE.search(key))
    date = next(dates, "")
    called = [text for key, text in texts.items() if text and _CALLED_TITLE.search(key)]
    others = [text for text in texts.values() if len(text) >= _FEWEST_WORDS and text != date]
    title = next(iter([*called, *others]), "")
    return ListEntry(item[name].strip(), title[:_LONGEST_TITLE], date[:60])


def _linked(values: Sequence[Any]) -> list[ListEntry]:
    """Return the links of the longest markup among some values."""
    markup = max((value for value in values if isinstance(value, str)), key=len, default="")
    if "<a " not in markup:
        return []
    root = etree.HTML(markup[:_MOST_MARKUP], etree.HTMLParser(no_network=True, recover=True))
    if root is None:
        return []
    found: dict[str, ListEntry] = {}
    for link in islice(root.iter("a"), _MOST_JSON_ENTRIES):
        address, title = (
            (link.get("href") or "").strip(),
            short_text(link, _LONGEST_TITLE),
        )
        if title and _is_address(address):
            found.setdefault(address, ListEntry(address, title[:_LONGEST_TITLE], ""))
    return [*found.values()]


def _following(values: Sequence[Any], url: str) -> str:
    """Return the address of the next page: as the list names it, or its own with the next number where the list
    says that there are more pages.
    """
    for value in values:
        if not isinstance(value, dict):
            continue
        for name, said in islice(value.items(), _MOST_FIELDS):
            if isinstance(said, str) and _CALLED_NEXT.fullmatch(name) and _is_address(said):
                return said.strip()
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    places = [at for at, (name, value) in enumerate(pairs) if _CALLED_PAGE.fullmatch(name) and re.fullmatch(r"\d{1,5}", value)]  # fmt: skip
    if len(places) != 1:
        return ""
    name, number = pairs[places[0]]
    if not any(isinstance(value, dict) and _has_more(value, int(number)) for value in values):
        return ""
    pairs[places[0]] = (name, str(int(number) + 1))
    return urlunsplit(parts._replace(query=urlencode(pairs)))


def _has_more(said: Mapping[str, Any], page: int) -> bool:
    """Whether an object says that there are pages behind one."""
    for name, value in islice(said.items(), _MOST_FIELDS):
        if value is True and _CALLED_MORE.fullmatch(name):
            return True
        is_count = isinstance(value, int) and not isinstance(value, bool)
        if is_count and _CALLED_PAGES.fullmatch(name) and value > page:
            return True
    return False
