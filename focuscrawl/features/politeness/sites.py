"""How each site is treated in this run: the template, Scrapy's settings, what sites ask for and are sent.

Which of two delays counts, and how a pause is drawn from it, is ``frontier.lines.Politeness``: here is what the
template and a site want. Retry-After stops a site until its time. What sites asked for is stored with them and
holds over restarts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self
from zlib import crc32

from focuscrawl import __version__
from focuscrawl.config import COMMAND_LINE_PRIORITY
from focuscrawl.features.politeness.table import PolitenessTable, RequestTable
from focuscrawl.frontier.lines import JITTER, Politeness
from focuscrawl.frontier.retries import is_to_come
from focuscrawl.template.files import is_secret
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Clock, Json

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.template.template import Template

EXTRAS_KEPT = 50_000
"""Hosts whose extras are kept; a crawl of the whole web begins anew then."""

PART = "delay"
"""The part of a site's record that belongs to politeness."""


ROBOTS_KEPT = "robots"
"""The kind of the facts that hold robots.txt files by site: what names their version (two texts, "": nothing
does), the file, in Latin-1, and when it was read or confirmed (wall time)."""

TOO_MANY, SERVER_FAULT = 429, 500
"""The status of who asks too often, and the first of those by which a server says that it is in trouble."""

PRODUCT = "focuscrawl"
"""The name robots.txt files may use for us, whatever the user agent says."""

BROWSER = "browser"

BROWSER_AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/152.0.0.0 Safari/537.36"
)

LOGINS = frozenset({"authorization", "cookie"})
"""Headers that give access, in whatever way they are given."""


def is_no_word(status: int) -> bool:
    """Whether an answer to a robots.txt says nothing of what may be asked for: the server is in trouble, or busy."""
    return status == TOO_MANY or status >= SERVER_FAULT


class Extras(NamedTuple):
    """What a request to one site carries where it differs from every other: meta and headers."""

    meta: Json
    headers: dict[str, str]
    cookies: list[Json]

    def without_secrets(self, agent: str) -> Self:
        """Return what may be read by everybody on the way: meta, the header ``agent``, cookies not for https alone."""
        headers = {name: value for name, value in self.headers.items() if name == agent}
        return self._replace(
            headers=headers, cookies=[one for one in self.cookies if one.get("secure") is False]
        )


def extras_of(template: Template, host: str) -> Extras | None:
    """Return what requests to a host carry beside the settings of the whole topic.

    Of several proxies a host keeps one, chosen by its name.
    """
    site, general = template.site(host), template.of(PolitenessTable)
    rules, sent = site.of(PolitenessTable), site.of(RequestTable)
    meta: Json = {}
    if not rules.robots:
        meta["dont_obey_robotstxt"] = True
    if sent.proxy:
        meta["proxy"] = sent.proxy[crc32(host.encode()) % len(sent.proxy)]
    headers = {
        name: value
        for name, value in sent.headers.items()
        if template.of(RequestTable).headers.get(name) != value
    }
    if rules.user_agent != general.user_agent:
        headers["User-Agent"] = user_agent(rules.user_agent, contact_of(template))
    cookies: list[Json] = [
        {
            "name": cookie.name,
            "value": cookie.value,
            "path": cookie.path,  # else every folder asked first gets a cookie of its own
            # Of one that is written in the template Scrapy makes one for https alone where it is first sent by https.
            **({} if cookie.secure is None else {"secure": cookie.secure}),
        }
        for cookie in sent.cookies
        # Browsers write a dot before the domain of a cookie that goes to the hosts below, too.
        if not cookie.domain or f".{host}".endswith(f".{cookie.domain.removeprefix('.')}")
    ]
    return Extras(meta, headers, cookies) if meta or headers or cookies else None


def has_secrets(template: Template, host: str) -> bool:
    """Whether requests to a host carry cookies, a login, or a header given by ``env:`` or ``file:``."""
    extras = extras_of(template, host)
    has_cookies = extras is not None and bool(extras.cookies)
    return has_cookies or bool(secret_headers(template, host))


def secret_headers(template: Template, host: str) -> list[str]:
    """Return which headers of requests to a host are a login, or given by ``env:`` or ``file:``."""
    tables = [(template.resolved["request"], template.of(RequestTable).headers)]
    for name, site in template.sites.items():
        written = template.resolved["site"][name].get("request", {})
        tables.append((written, site.of(RequestTable).headers))
    secrets = {
        sent[name]
        for written, sent in tables
        for name, value in (written.get("headers") or {}).items()
        if name in sent and is_secret(value)
    }
    headers = template.site(host).of(RequestTable).headers
    return [name for name, text in headers.items() if name.lower() in LOGINS or text in secrets]


def contact_of(template: Template) -> str:
    """Return where site owners reach the user: as the topic says, else FOCUSCRAWL_CONTACT."""
    return template.of(PolitenessTable).contact or template.language.contact


def user_agent(given: str, contact: str) -> str:
    """Return the User-Agent header of a template's politeness.user_agent and contact."""
    if given == BROWSER:
        return BROWSER_AGENT
    return given or f"{PRODUCT}/{__version__}" + (f" (+{contact})" if contact else "")


class ScrapySettings(Protocol):
    """What is asked of Scrapy's settings."""

    def getfloat(self, name: str, default: float = 0.0) -> float:
        """Return a number."""

    def getint(self, name: str, default: int = 0) -> int:
        """Return a whole number."""

    def getbool(self, name: str) -> bool:
        """Return a switch."""

    def getdict(self, name: str) -> dict[Any, Any]:
        """Return a table."""

    def getpriority(self, name: str) -> int | None:
        """Return where a setting was made."""


class Asked(NamedTuple):
    """What a site asked for: ``delay`` in seconds, ``until`` wall time before which it is left
    alone, asked for at ``said_at``; ``origin`` of the delay (robots, retry-after).
    """

    delay: float = 0.0
    until: float = 0.0
    origin: str = ""
    said_at: float = 0.0


class PoliteSites:
    """What sites are treated by. ``engines`` are hosts of search engines and their delay."""

    def __init__(
        self,
        settings: ScrapySettings,
        template: Template | None,
        engines: Mapping[str, float] | None = None,
    ) -> None:
        self._template = template
        self._has_hours = template is not None and (
            bool(template.of(PolitenessTable).hours)
            or any(site.of(PolitenessTable).hours for site in template.sites.values())
        )
        self._engines = engines or {}
        self.asked = SiteValues(PART, lambda stored: Asked(**stored), Asked._asdict)
        self._extras: dict[str, Extras | None] = {}
        self._default = Politeness(
            settings.getfloat("DOWNLOAD_DELAY"),
            settings.getfloat("DOWNLOAD_DELAY_JITTER"),
            settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
        )
        self._jitter = JITTER if settings.getbool("RANDOMIZE_DOWNLOAD_DELAY") else 0.0
        self._slots = settings.getdict("DOWNLOAD_SLOTS")
        # -s on the command line beats a key of the template that sets the same thing.
        self._delay_by_hand = _by_hand(settings, "DOWNLOAD_DELAY")
        self._concurrency_by_hand = _by_hand(settings, "CONCURRENT_REQUESTS_PER_DOMAIN")

    def politeness(self, site: str) -> Politeness:
        """Return how a site is to be treated."""
        return self._wanted(host_of(site)).with_asked(self.asked_delay(site))

    def _wanted(self, host: str) -> Politeness:
        if self._template is None:
            slot = self._slots.get(host, {})
            return Politeness(
                float(slot.get("delay", self._default.delay)),
                float(slot.get("jitter", self._default.jitter)),
                int(slot.get("concurrency", self._default.concurrency)),
            )
        rules = self._template.site(host).of(PolitenessTable)
        wanted = Politeness(rules.delay, self._jitter, rules.concurrency)
        if self._delay_by_hand:
            wanted = wanted._replace(delay=self._default.delay, jitter=self._default.jitter)
        if self._concurrency_by_hand:
            wanted = wanted._replace(concurrency=self._default.concurrency)
        if host in self._engines:
            wanted = wanted._replace(delay=self._engines[host], concurrency=1)
        return wanted

    def delay_from(self, site: str) -> str:
        """Return where a site's delay comes from: template, site, robots or retry-after."""
        asked = self.asked.get(site)
        if asked is not None and self._wanted(host_of(site)).is_short_of(asked.delay):
            return asked.origin
        template = self._template
        return "site" if template is not None and template.site(host_of(site)).host else "template"

    def extras(self, site: str) -> Extras | None:
        """Return what requests to a site carry beside Scrapy's settings; None: nothing."""
        if self._template is None:
            return None
        host = host_of(site)
        try:
            return self._extras[host]
        except KeyError:
            if len(self._extras) >= EXTRAS_KEPT:
                self._extras.clear()
            extras = self._extras[host] = extras_of(self._template, host)
            return extras

    def secret_headers(self, site: str) -> list[str]:
        """Return which headers that requests to a site carry are secret."""
        return secret_headers(self._template, host_of(site)) if self._template else []

    def closed_for(self, site: str, wall: float) -> float:
        """Return the seconds until a site's hours begin; 0 when they are on."""
        if self._template is None or not self._has_hours:  # asked for every URL taken
            return 0.0
        hours = self._template.site(host_of(site)).of(PolitenessTable).hours
        if not hours or hours.open_at(wall):
            return 0.0
        return max(0.001, hours.next_opening(wall) - wall)

    def hold(self, site: str, wait: float, wall: float) -> tuple[float, str]:
        """Return how much of the ``wait`` seconds until a site may be asked is not our own pause."""
        if self.closed_for(site, wall):
            return wait, "hours"
        asked = self.asked.get(site)
        if asked is None:
            return 0.0, ""
        if self.left_until(site, wall) > wall:
            return wait, "Retry-After"
        wanted = self._wanted(host_of(site))
        if wanted.is_short_of(asked.delay):
            return max(0.0, wait - wanted.pause(1.0)), "Crawl-delay"
        return 0.0, ""

    def crawl_delay(self, site: str, seconds: float) -> tuple[float, bool]:
        """Take note of a Crawl-delay; returns the delay that is obeyed and whether it was cut."""
        most = self._template.of(PolitenessTable).crawl_delay_max if self._template else 60.0
        obeyed = min(seconds, most)
        before = self.asked.get(site) or Asked()
        self.asked.put(site, before._replace(delay=obeyed, origin="robots"))
        return obeyed, seconds > most

    def asked_delay(self, site: str) -> float:
        """Return the Crawl-delay that is remembered of a site; 0 when it asked for none."""
        return (self.asked.get(site) or Asked()).delay

    def leave_alone(self, site: str, seconds: float, now: float) -> None:
        """Take note of a Retry-After; ``now`` is wall time."""
        before = self.asked.get(site) or Asked()
        until = max(self.left_until(site, now), now + seconds)
        self.asked.put(site, before._replace(until=until, said_at=now))

    def left_until(self, site: str, now: float) -> float:
        """Return until when a site asked to be left alone, wall time; 0: it did not, or by a clock that ran ahead."""
        asked = self.asked.get(site)
        return 0.0 if asked is None or is_to_come(asked.said_at, now) else asked.until

    def block_sites(self, frontier: Frontier, clock: Clock, sites: Iterable[str]) -> None:
        """Tell the frontier which of some sites are still to be left alone."""
        now = clock.wall()
        for site in sites:
            if self.asked.get(site) is None:
                continue
            frontier.set_politeness(site, self.politeness(site))
            if (until := self.left_until(site, now)) > now:
                frontier.block(site, clock.steady() + until - now, for_all=True)


def _by_hand(settings: ScrapySettings, name: str) -> bool:
    return (settings.getpriority(name) or 0) >= COMMAND_LINE_PRIORITY
