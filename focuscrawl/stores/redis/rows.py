"""How what a crawl writes stands in Redis: rows and links are one encoding, so that a window which comes too
late turns into links without being read.

A row is a field of eight bytes, its sequence number, and a value: ``(waiting, state, tries, first_failed,
next_try, reason)`` as MessagePack. A link is such a value alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from focuscrawl.stores.state.protocol import WAITING, Changes, Row, SentLink, packed
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, PageState, Waiting

AGAIN = 3
"""The state of a link that is wanted though its URL is known."""

BETWEEN = b"\0"
"""What stands between the two names of a part of a site, or of a fact."""

VALUES_IN_SCRIPT = 8_000
"""Values in one script, which holds up all others for a millisecond or so a thousand; even, for most come in
pairs. A window of 100 pages has some 2,000."""

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


def links_of(values: Iterable[bytes]) -> tuple[list[SentLink], list[bytes]]:
    """Read links; returns what cannot be read besides."""
    links, unread = [], []
    for value in values:
        try:
            links.append(link_of(value))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            unread.append(value)
    return links, unread


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


ADDED_PARTS = ("sent", "links", "waiting", "aside", "seen")
KNOWN_PARTS = ("pages", "sites", "facts")
WRITE_PARTS = (*ADDED_PARTS, *KNOWN_PARTS, "gone", "removed")
"""What is written into a partition, in the order in which ``scripts.WRITE`` takes it."""


class Section(NamedTuple):
    """What a window writes into one partition: values by WRITE_PARTS.

    ``epoch`` is that under which it is held; "": another worker holds it, and gets what is ``sent``.
    """

    partition: int
    epoch: str
    taken_in: int
    parts: Mapping[str, Sequence[bytes]]

    def words(self) -> Iterator[bytes | int | str]:
        """Go through the arguments of the script."""
        yield from (self.partition, self.epoch, self.taken_in)
        for part in WRITE_PARTS:
            values = self.parts.get(part, ())
            yield len(values)
            yield from values

    def size(self) -> int:
        """Return how many values there are."""
        return sum(map(len, self.parts.values()))

    def only(self, part: str, values: Sequence[bytes]) -> Section:
        """Return a section that has some of the values of a part, and nothing else."""
        return Section(self.partition, self.epoch, 0, {part: values})

    def without(self, parts: Collection[str]) -> Section:
        """Return what there is besides some parts."""
        left = {part: values for part, values in self.parts.items() if part not in parts}
        return self._replace(parts=left)


def own_section(partition: int, epoch: int, changes: Changes) -> Section:
    """Return what is written into a partition that is held."""
    links: list[bytes] = []
    waiting: list[bytes] = []
    aside: list[bytes] = []
    for row in changes.added:
        # A page that is visited again is no link: the worker that has its state finds it due.
        pair = (field_of(row.sequence), row_to_bytes(row))
        is_link = row.state == WAITING and row.waiting.first_walk
        (links if is_link else waiting if row.state == WAITING else aside).extend(pair)
    for row in changes.moved:
        pair = (field_of(row.sequence), row_to_bytes(row))
        (waiting if row.state == WAITING else aside).extend(pair)
    facts: list[bytes] = []
    gone: list[bytes] = []
    for (kind, key), value in changes.facts.items():
        if value is None:
            gone.append(_named(kind, key))
        else:
            facts += (_named(kind, key), packed(value))
    seen = b"".join([number.to_bytes(8, "little") for number in changes.seen])
    parts = {
        "sent": [*map(link_to_bytes, changes.sent)],
        "links": links,
        "waiting": waiting,
        "aside": aside,
        "seen": [seen] if seen else [],
        "pages": [part for page in changes.pages for part in (page.key, packed(page))],
        "sites": [
            part
            for name, some in changes.sites.items()
            for key, value in some.items()
            for part in (_named(name, key), packed(value))
        ],
        "facts": facts,
        "gone": gone,
        "removed": [field_of(sequence) for sequence in changes.removed],
    }
    return Section(partition, str(epoch), changes.taken_in, parts)


def sent_section(partition: int, changes: Changes) -> Section:
    """Return what is written into a partition of another worker: links, also those that were rows while it
    was held."""
    rows = [row_to_bytes(row) for row in changes.added if row.waiting.first_walk]
    return Section(partition, "", 0, {"sent": [*map(link_to_bytes, changes.sent), *rows]})


def in_scripts(sections: Sequence[Section]) -> Iterator[list[Section]]:
    """Cut a window into scripts that hold no worker up for long; nearly every window is one.

    What is added comes first, wherever it goes; then, if it must be cut, what is known of pages; and with
    the last what is done: its row leaves only when all its page has given is there.
    """
    for parts in (ADDED_PARTS, KNOWN_PARTS):
        if sum(section.size() for section in sections) <= VALUES_IN_SCRIPT:
            break
        yield from _pieces(sections, parts)
        sections = [section.without(parts) for section in sections]
    yield [section for section in sections if section.size() or section.taken_in]


def _pieces(sections: Sequence[Section], parts: Sequence[str]) -> Iterator[list[Section]]:
    """Go through some parts of sections, in scripts of their own."""
    script: list[Section] = []
    room = VALUES_IN_SCRIPT
    for section in sections:
        for part in parts:
            values = section.parts.get(part, ())
            while values:
                some, values = values[:room], values[room:]
                script.append(section.only(part, some))
                room -= len(some) + len(some) % 2  # it stays even, for most values come in pairs
                if room <= 0:
                    yield script
                    script, room = [], VALUES_IN_SCRIPT
    if script:
        yield script
