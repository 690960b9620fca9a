"""Where a topic starts: the template's sources."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from typing import TYPE_CHECKING

from focuscrawl.frontier.rows import WHOLE_TOPIC
from focuscrawl.urls.canonical import Address
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, Waiting, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

MISSING_SOURCES = "missing_sources"
"""A kind of facts: sources that answered with no page when they were asked first, by key; later they
have a state, which tells when they are looked at."""

CLASS_OF_KIND = {
    "auto": None,
    "board": PageClass.BOARD,
    "article": PageClass.ARTICLE,
    "feed": PageClass.FEED,
    "sitemap": PageClass.SITEMAP,
    "forum": PageClass.BOARD,
}


def starts(sources: Iterable[Source], rules: AdmissionRules) -> Iterator[tuple[Address, Waiting]]:
    """Go through the addresses of sources, and how each waits for the first time."""
    for source in sources:
        for url in source.urls:
            address = rules.canonicalizer.address(url)
            if address is not None:
                yield address, start_of(address, source)


def start_of(address: Address, source: Source) -> Waiting:
    """Return a source as it waits for the first time."""
    return Waiting(
        url=address.url,
        key=address.key,
        site=address.site,
        level=source.level,
        passed_level=source.level,
        page_class=CLASS_OF_KIND[source.kind],
        source_id=source.source_id,
    )


def starts_of(sources: Iterable[Source], rules: AdmissionRules) -> dict[bytes, Waiting]:
    """Return sources as they wait for the first time, by the keys of their addresses."""
    return {address.key: waiting for address, waiting in starts(sources, rules)}


def seed(template: Template, rules: AdmissionRules, frontier: Frontier, now: float) -> int:
    """Queue the sources that are new, whose baseline is ``now`` (wall time); returns how many of their
    addresses were.
    """
    found = starts(template.sources, rules)
    return sum(
        frontier.add(waiting._replace(baseline=int(now)), address.number)
        for address, waiting in found
    )


def seed_again(
    template: Template,
    rules: AdmissionRules,
    frontier: Frontier,
    missing: Collection[str],
    now: float,
) -> int:
    """Queue the sources once more that did not answer with a page when they were asked first, by
    their keys in hexadecimal: who names an address wants it looked at. Returns how many.
    """
    found = starts(template.sources, rules) if missing else ()
    again = [
        waiting._replace(baseline=int(now)) for _, waiting in found if waiting.key.hex() in missing
    ]
    for waiting in again:
        # With its row, which ends anew; earlier versions kept all of them with the whole topic.
        for partition in {partition_of(waiting.site), WHOLE_TOPIC}:
            frontier.note_fact(MISSING_SOURCES, waiting.key.hex(), None, partition)
        frontier.add_again(waiting)
    return len(again)


def named_later(waiting: Waiting, starts: dict[bytes, Waiting]) -> Waiting:
    """Return a file that waits to be read for its signals as the source that the template has named
    since; all else as it is.
    """
    start = starts.get(waiting.key) if is_signal_file(waiting.source_id) else None
    return (
        waiting
        if start is None
        else start._replace(first_walk=waiting.first_walk, baseline=waiting.baseline)
    )


def is_named(waiting: Waiting, sources: Container[str]) -> bool:
    """Whether the template names a URL, as a place to start or as an article."""
    return not waiting.parent_key and waiting.source_id in sources


def is_source(waiting: Waiting, sources: Container[str]) -> bool:
    """Whether a URL is one that the template names as a place to start, not as an article."""
    return is_named(waiting, sources) and waiting.page_class is not PageClass.ARTICLE
