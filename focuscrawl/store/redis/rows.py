"""How what a crawl writes stands in Redis: rows and links are one encoding, so that a window which comes too
late turns into links without being read.

A row is a field of eight bytes, its sequence number, and a value: ``(waiting, state, tries, first_failed,
next_try, reason)`` as MessagePack. A link is such a value alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from focuscrawl.store.protocol import WAITING, Changes, Row, SentLink, packed
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, PageState, Waiting

AGAIN = 3
"""The state of a link that is wanted though its URL is known."""

BETWEEN = b"\0"
"""What stands between the two names of a part of a site, or of a fact."""

VALUES_IN_SCRIPT = 2_000
"""Values of one kind in one script: it holds up all others for about 2 ms."""

_Stored = tuple[Waiting, int, int, float, float | None, str]

_decode_row = msgspec.msgpack.Decoder(_Stored).decode
_decode_page = msgspec.msgpack.Decoder(PageState).decode
_decode = msgspec.msgpack.Decoder().decode


def field_of(sequence: int) -> bytes:
    """Return the name of a row."""
    return sequence.to_bytes(8, "big")


def row_to_bytes(row: Row) -> bytes:
    """Return what stands in Redis of a row."""
    return packed(row[1:])


def row_of(field: bytes, value: bytes) -> Row:
    """Read a row. Raises msgspec.MsgspecError."""
    return Row(int.from_bytes(field, "big"), *_decode_row(value))


def link_to_bytes(link: SentLink) -> bytes:
    """Return what stands in an inbox of a link."""
    state = WAITING if link.number else AGAIN
    return packed((link.waiting, state, 0, 0.0, None, ""))


def link_of(value: bytes) -> SentLink:
    """Read a link, which may have been a row. Raises msgspec.MsgspecError."""
    waiting, state, *_ = _decode_row(value)
    return SentLink(waiting, 0 if state == AGAIN else link_number(waiting))


def link_number(waiting: Waiting) -> int:
    """Return the key number of a URL as a link; 0: it is more than an address, and wanted all the same."""
    return 0 if waiting.request else key_number(waiting.key, partition_of(waiting.site))


def page_from(value: bytes) -> PageState:
    """Read a page's state. Raises msgspec.MsgspecError."""
    return _decode_page(value)


def sites_from(parts: Iterable[tuple[bytes, bytes]]) -> dict[str, Json]:
    """Read the records of sites."""
    found: defaultdict[str, Json] = defaultdict(dict)
    for field, value in parts:
        name, _, part = field.partition(BETWEEN)
        found[name.decode()][part.decode()] = _decode(value)
    return dict(found)


def facts_from(parts: Iterable[tuple[bytes, bytes]]) -> dict[tuple[str, str], Any]:
    """Read facts by kind and key."""
    found = {}
    for field, value in parts:
        kind, _, key = field.partition(BETWEEN)
        found[kind.decode(), key.decode("utf-8", "surrogatepass")] = _decode(value)
    return found


def _named(first: str, second: str) -> bytes:
    return first.encode() + BETWEEN + second.encode("utf-8", "surrogatepass")


def commit_parts(changes: Changes, done: Iterable[int]) -> list[list[bytes]]:
    """Return the nine parts of a commit (``scripts.COMMIT``); ``done`` are rows that leave now."""
    links: list[bytes] = []
    waiting: list[bytes] = []
    aside: list[bytes] = []
    for row in changes.added:
        # A page that is visited again is no link: whoever has its state finds it due.
        pair = (field_of(row.sequence), row_to_bytes(row))
        is_link = row.state == WAITING and row.waiting.first_walk
        (links if is_link else waiting if row.state == WAITING else aside).extend(pair)
    for row in changes.moved:
        pair = (field_of(row.sequence), row_to_bytes(row))
        (waiting if row.state == WAITING else aside).extend(pair)
    seen = b"".join([number.to_bytes(8, "little") for number in changes.seen])
    pages = [part for page in changes.pages for part in (page.key, packed(page))]
    sites = [
        part
        for name, parts in changes.sites.items()
        for key, value in parts.items()
        for part in (_named(name, key), packed(value))
    ]
    facts: list[bytes] = []
    gone: list[bytes] = []
    for (kind, key), value in changes.facts.items():
        if value is None:
            gone.append(_named(kind, key))
        else:
            facts += (_named(kind, key), packed(value))
    removed = [field_of(sequence) for sequence in done]
    return [links, waiting, aside, removed, [seen] if seen else [], pages, sites, facts, gone]


def commit_words(parts: list[list[bytes]]) -> Iterator[list[bytes]]:
    """Cut a commit into scripts that hold up nobody for long, as their arguments.

    What is done goes with the last, and so do facts that are none any more: a row must never be deleted
    before it was written.
    """
    last = (3, 8)
    while True:
        rest = [part[VALUES_IN_SCRIPT:] for part in parts]
        is_last = not any(part for place, part in enumerate(rest) if place not in last)
        now = [part[:VALUES_IN_SCRIPT] for part in parts]
        for place in last:
            if not is_last:
                now[place], rest[place] = [], parts[place]
        yield [word for part in now for word in (b"%d" % len(part), *part)]
        parts = rest
        if not any(parts):
            return


def inbox_words(sent: Mapping[int, Iterable[bytes]]) -> list[bytes]:
    """Return the arguments of ``scripts.DELIVER``."""
    words: list[bytes] = []
    for partition, links in sent.items():
        some = [*links]
        words += (b"%d" % partition, b"%d" % len(some), *some)
    return words
