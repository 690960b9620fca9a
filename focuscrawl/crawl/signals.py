"""Signals (B): what feeds, sitemaps and boards say of the pages they link to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.pages.entries import dated_entries
from focuscrawl.pages.feeds import Feed, Sitemap
from focuscrawl.pages.links import FoundLink
from focuscrawl.revisit.signals import Signal
from focuscrawl.urls.sites import domain_of
from focuscrawl.values import LinkBatch, Told, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.topic.template import Template


def are_heard(template: Template) -> bool:
    """Whether a topic goes by signals: its form of method B knows them, and it wants them."""
    revisit = template.revisit
    return revisit.signals and not revisit.strict and revisit.policy != "off"


def told_by_feed(feed: Feed) -> tuple[Told, ...]:
    """Return what a feed says of its entries."""
    return tuple(
        Told(entry.url, entry.modified, precision=entry.precision)
        for entry in feed.entries
        if entry.modified is not None
    )


def told_by_sitemap(sitemap: Sitemap) -> tuple[Told, ...]:
    """Return what a sitemap says of its pages."""
    return tuple(
        Told(page.url, page.modified, precision=page.precision)
        for page in sitemap.pages
        if page.modified is not None
    )


def told_by_board(links: Sequence[FoundLink], template: Template, now: float) -> tuple[Told, ...]:
    """Return the dates that a board shows beside its links."""
    dated = dated_entries(links, timezone=str(template.topic.timezone), now=now)
    return tuple(Told(link.url, date.seconds, precision=date.unit) for link, date in dated)


def signals_of(
    batch: LinkBatch, waiting: Waiting, rules: AdmissionRules, since: float | None
) -> dict[bytes, Signal]:
    """Return the signals of a page, by the key of the page that each is about.

    Threads whose replies are counted are left out: a crawl of forums takes those that have grown
    again at once (A9). A page is believed about its own domain only, so that none can spoil
    another's name; a source about every site. Dates that were as old at the last visit of
    the page, ``since`` (wall time, None: this is the first), had been heard then.
    """
    found: dict[bytes, Signal] = {}
    is_source, own = not waiting.parent_key, domain_of(waiting.site)
    counted = {
        rules.look(thread.url).address.key for thread in batch.threads if thread.replies is not None
    }
    replied = (Told(one.url, one.last_reply) for one in batch.threads if one.last_reply is not None)
    for told in (*batch.told, *replied):
        if told.is_date and told.value + told.precision <= (since or 0.0):
            continue
        address = rules.look(told.url).address
        if not address.key or address.key in counted:
            continue
        if is_source or domain_of(address.site) == own:
            found[address.key] = Signal(told.value, told.is_date, told.precision)
    return found
