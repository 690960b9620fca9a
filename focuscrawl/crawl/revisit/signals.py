"""Signals (B): what feeds, sitemaps and boards say of pages, and files that are read for that alone.

Feeds and sitemaps that nobody named as a source say which known pages have changed; what else they
list is not followed, so that a sitemap of a whole site makes no crawl of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from operator import attrgetter
from typing import TYPE_CHECKING

from focuscrawl.pages.feeds import Feed, Sitemap
from focuscrawl.pages.links import FoundLink, dated_entries
from focuscrawl.revisit.signals import Signal
from focuscrawl.urls.private import PRIVATE
from focuscrawl.urls.sites import domain_of, host_of
from focuscrawl.values import DatedLink, Link, LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.links.link_rules import Look
    from focuscrawl.template.template import Template

SIGNALS = "signals:"
"""How the source_id of such a file begins; the site that names it follows."""

MOST_HEARD = 5_000
"""Entries that are heard of one file, the latest: each may cost a look into the store."""

MOST_PARTS = 10
"""Sitemaps that are read of an index: its first and its last, since either are the newest."""

UNPROVEN = 10
"""Pages that one reading of a file brings forward as long as less than half of what its site told
proved true: some programs write today's date beside every page."""


def are_heard(template: Template) -> bool:
    """Whether a topic goes by signals: its form of method B knows them, and it wants them."""
    revisit = template.revisit
    return revisit.signals and not revisit.strict and revisit.policy != "off"


def told_by_feed(feed: Feed) -> tuple[DatedLink, ...]:
    """Return what a feed says of its entries."""
    return tuple(
        DatedLink(entry.url, entry.modified, precision=entry.precision)
        for entry in feed.entries
        if entry.modified is not None
    )


def told_by_sitemap(sitemap: Sitemap) -> tuple[DatedLink, ...]:
    """Return what a sitemap says of its pages."""
    return tuple(
        DatedLink(page.url, page.modified, precision=page.precision)
        for page in sitemap.pages
        if page.modified is not None
    )


def told_by_board(
    links: Sequence[FoundLink], template: Template, now: float
) -> tuple[DatedLink, ...]:
    """Return the dates that a board shows beside its links."""
    dated = dated_entries(links, timezone=str(template.topic.timezone), now=now)
    return tuple(DatedLink(link.url, date.seconds, precision=date.unit) for link, date in dated)


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
    replied = (
        DatedLink(one.url, one.last_reply) for one in batch.threads if one.last_reply is not None
    )
    for told in (*batch.told, *replied):
        if told.is_date and told.value + told.precision <= (since or 0.0):
            continue
        address = rules.look(told.url).address
        if not address.key or address.key in counted:
            continue
        if is_source or domain_of(address.site) == own:
            found[address.key] = Signal(told.value, told.is_date, told.precision)
    return found


def is_signal_file(source_id: str) -> bool:
    """Whether what was found through a source is read for its signals alone."""
    return source_id.startswith(SIGNALS)


def site_of_signal(source_id: str) -> str:
    """Return the site that names a file."""
    return source_id.removeprefix(SIGNALS)


def signal_file(url: str, site: str, rules: AdmissionRules) -> tuple[Waiting, int] | None:
    """Return a file as it waits for the first time, and its number; None when it is not to be read.

    Only files of the site's own domain are, for none can spoil another's name, and none that the
    template refuses.
    """
    look = rules.look(url)
    address = look.address
    if not address.key or refused_file(look, rules) is not None:
        return None
    if domain_of(address.site) != domain_of(site):
        return None
    level = max(1, rules.top - 1)
    waiting = Waiting(
        *(address.url, address.key, address.site, level, level),
        parent_key=address.key,
        source_id=f"{SIGNALS}{site}",
    )
    return waiting, address.number


def refused_file(look: Look, rules: AdmissionRules) -> str | None:
    """Return why the template does not want such a file read; None when it does not mind.

    ``allow`` and the scope choose pages; a site's files may lie on a host of its own for them.
    """
    if rules.banned is not None and host_of(look.address.site) in rules.banned:
        return "banned"
    return PRIVATE if look.refused_page == PRIVATE else look.refused


def only_signals(batch: LinkBatch) -> LinkBatch:
    """Return what is taken of such a file: parts of an index of sitemaps, and the latest signals."""
    parts = [link for link in batch.links if link.page_class is PageClass.SITEMAP]
    if len(parts) > MOST_PARTS:
        parts = parts[: MOST_PARTS // 2] + parts[-MOST_PARTS // 2 :]
    told = nlargest(MOST_HEARD, batch.told, key=attrgetter("value"))
    return LinkBatch(batch.page_class, _without_images(parts), told=tuple(told))


def _without_images(parts: list[Link]) -> tuple[Link, ...]:
    return tuple(part for part in parts if "image" not in part.url and "video" not in part.url)
