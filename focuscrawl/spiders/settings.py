"""The Scrapy settings by which a template holds, as plain values, and the headers of its requests."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from focuscrawl.features.politeness.sites import BROWSER, PRODUCT, contact_of, user_agent
from focuscrawl.features.politeness.table import PolitenessTable, RequestTable
from focuscrawl.features.records.table import RecordTable
from focuscrawl.frontier.lines import JITTER
from focuscrawl.readers.links.table import FollowTable

if TYPE_CHECKING:
    from focuscrawl.template.output import FeedTable
    from focuscrawl.template.template import Template

_RECORD_COLUMNS = ("url", "host", "complete")
"""What a feed says of a record besides its fields."""

NO_RECORDS: Mapping[str, RecordTable] = MappingProxyType({})

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
BROWSER_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "Upgrade-Insecure-Requests": "1",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "none",
    "Sec-Fetch-User": "?1",
}
_LANGUAGES = {
    "zh": "zh-CN,zh;q=0.9,en;q=0.5",
    "en": "en,en-US;q=0.9",
    "auto": "zh-CN,zh;q=0.9,en;q=0.9,*;q=0.5",
}


def scrapy_settings(template: Template) -> dict[str, object]:
    """Return the Scrapy settings that follow from a template, those of [settings] last.

    A template loaded with its secrets gives headers that hold them: never log this.
    """
    polite, limits = template.of(PolitenessTable), template.limits
    delay, jitter = slot_delay(polite.delay, jitter_of(template))
    found: dict[str, object] = {
        "DOWNLOAD_DELAY": delay,
        "DOWNLOAD_DELAY_JITTER": jitter,
        "CONCURRENT_REQUESTS_PER_DOMAIN": polite.concurrency,
        # A site may be stricter than the rest: others are then excused request by request.
        "ROBOTSTXT_OBEY": polite.robots
        or any(site.of(PolitenessTable).robots for site in template.sites.values()),
        "ROBOTSTXT_USER_AGENT": PRODUCT,
        "USER_AGENT": user_agent(polite.user_agent, contact_of(template)),
        "DEFAULT_REQUEST_HEADERS": request_headers(template),
        "DEPTH_LIMIT": template.of(FollowTable).depth,
        # limits.pages, articles and errors are kept by the run itself: Scrapy's counts of them
        # hold robots.txt files, items of all kinds and only errors of callbacks.
        "CLOSESPIDER_TIMEOUT": limits.time,
        "DOWNLOAD_SLOTS": download_slots(template),
    }
    if template.output.feeds:
        found["FEEDS"] = {
            feed.uri: feed_options(feed, template.named(RecordTable))
            for feed in template.output.feeds
        }
    return found | template.settings


def jitter_of(template: Template) -> float:
    """Return by which share of it a pause may be longer."""
    return JITTER if template.settings.get("RANDOMIZE_DOWNLOAD_DELAY", True) else 0.0


def slot_delay(delay: float, jitter: float) -> tuple[float, float]:
    """Return delay and jitter of a Scrapy slot that waits delay … delay·(1 + jitter) seconds.

    Scrapy draws from d·(1 − j) … d·(1 + j); so d = delay·(1 + jitter/2) and
    j = (jitter/2)/(1 + jitter/2), and no wait is ever shorter than ``delay``.
    """
    half = jitter / 2
    return delay * (1 + half), half / (1 + half)


def download_slots(template: Template) -> dict[str, dict[str, float]]:
    """Return DOWNLOAD_SLOTS for the sites, under all their names, that differ in politeness."""
    slots: dict[str, dict[str, float]] = {}
    for host, site in template.sites.items():
        given = template.resolved["site"][host].get("politeness", {})
        if not given.keys() & {"delay", "concurrency"}:
            continue
        rules = site.of(PolitenessTable)
        delay, jitter = slot_delay(rules.delay, jitter_of(template))
        slot = {"delay": delay, "jitter": jitter, "concurrency": rules.concurrency}
        names = [host, *(alias.removeprefix("=") for alias in site.aliases.written)]
        slots |= {name: dict(slot) for name in names}
    return slots


def feed_options(
    feed: FeedTable, records: Mapping[str, RecordTable] = NO_RECORDS
) -> dict[str, Any]:
    """Return the options of one feed as Scrapy's FEEDS has them, but for the items' classes.

    ``record_fields`` are the columns of its records: their fields, then where they are from.
    """
    options: dict[str, Any] = {"format": feed.format, "items": list(feed.items), **feed.options}
    if feed.fields is not None:
        options["fields"] = dict(feed.fields)
    elif any(item in records for item in feed.items):
        held = [records[item] for item in feed.items if item in records]
        names = (field.name for record in held for field in record.fields)
        options["record_fields"] = list(dict.fromkeys([*names, *_RECORD_COLUMNS]))
    return options


def request_headers(template: Template) -> dict[str, str]:
    """Return the headers of every request; the template's own replace ours, whatever their case."""
    browser = template.of(PolitenessTable).user_agent == BROWSER
    headers = dict(BROWSER_HEADERS if browser else {"Accept": ACCEPT})
    headers["Accept-Language"] = _LANGUAGES[template.topic.language]
    given = {name.lower() for name in template.of(RequestTable).headers}
    kept = {name: value for name, value in headers.items() if name.lower() not in given}
    return kept | template.of(RequestTable).headers
