"""The tables [politeness] and [request]: how sites are treated, and what is sent."""

from __future__ import annotations

from collections.abc import Iterator

from focuscrawl.locale.messages import N_, _
from focuscrawl.template.files import Cookie
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import contact, cookies, header_text, headers, proxies
from focuscrawl.template.kinds.kind import flag, whole
from focuscrawl.template.kinds.times import Hours, duration, windows
from focuscrawl.template.merge import Entry
from focuscrawl.template.toml import Problem, toml_text
from focuscrawl.values import Json

_CONTACT = contact()
_ELSEWHERE = {
    "jitter": N_("write RANDOMIZE_DOWNLOAD_DELAY = false in [settings] for pauses of equal length"),
    "total": N_("write CONCURRENT_REQUESTS = 32 in [settings]"),
    "timeout": N_("write DOWNLOAD_TIMEOUT = 60 (seconds) in [settings]"),
    "retries": N_("write RETRY_TIMES = 2 in [settings]"),
}

_HEADERS = headers()
_COOKIES = cookies()


# fmt: off
class PolitenessTable(Table, path="politeness", doc="how sites are treated", elsewhere=_ELSEWHERE):
    """[politeness]: how we treat sites. ``user_agent`` and ``contact`` are "" when not given."""

    delay: float = key(duration(), "2s",
        "Pause between two requests to one site, drawn between this and half as much again; a longer Crawl-delay or Retry-After wins.",
        'delay = "4s"', sets=("DOWNLOAD_DELAY", "DOWNLOAD_DELAY_JITTER"), site=True)
    concurrency: int = key(whole(1, 32), 1,
        "Requests to one site at a time.",
        "concurrency = 2", sets=("CONCURRENT_REQUESTS_PER_DOMAIN",), site=True)
    robots: bool = key(flag(), True,
        "Whether robots.txt is obeyed.",
        "robots = true", sets=("ROBOTSTXT_OBEY", "ROBOTSTXT_USER_AGENT"), site=True)
    crawl_delay_max: float = key(duration(), "60s",
        "The longest Crawl-delay that is kept to; longer ones count as this one and are reported.",
        'crawl_delay_max = "2m"')
    hours: Hours = key(windows(), None,
        "Fetch in these windows only (`topic.timezone`); a crawl that is done when it is done ends outside.",
        'hours = ["Mon-Fri 19:30-06:30", "Sat-Sun"]', "always", site=True)
    user_agent: str = key(header_text('text | "browser"'), None,
        "`browser` sends what a current browser sends; rules of robots.txt for focuscrawl hold all the same.",
        'user_agent = "browser"', '"focuscrawl/VERSION (+contact)"', sets=("USER_AGENT",), site=True)
    contact: str = key(_CONTACT, None,
        "Where site owners reach you; part of the user agent. `check` warns without it.",
        'contact = "mailto:crawl@example.com"', "FOCUSCRAWL_CONTACT, else none")
# fmt: on

    @classmethod
    def warn(cls, entry: Entry) -> Iterator[Problem]:
        """Warn of what sites do not like."""
        if not (entry.plain["contact"] or entry.merged.language.contact):
            advice = _(
                'site owners cannot reach you; write contact = "mailto:you@example.com", or set'
                " FOCUSCRAWL_CONTACT for all topics"
            )
            yield entry.problem("contact", _(": none: {advice}").format(advice=advice))
        yield from _impolite(entry, entry.plain)
        for host, site in entry.whole["site"].items():
            yield from _impolite(entry, site.get("politeness", {}), host)


# fmt: off
class RequestTable(Table, path="request", doc="what is sent"):
    """[request]: what we send. Secrets are in here only when a crawl starts, never in repr()."""

    headers: dict[str, str] = key(_HEADERS, None,
        "Headers of every request; values †.",
        'headers = { Referer = "https://www.example.com/start" }', "none", sets=("DEFAULT_REQUEST_HEADERS",), site=True, repr=False)
    cookies: tuple[Cookie, ...] = key(_COOKIES, None,
        "Cookies by name, values †; or a cookie file a browser has exported (Netscape format).",
        'cookies = "file:bbs-cookies.txt"', "none", site=True, repr=False)
    proxy: tuple[str, ...] = key(proxies(), None,
        "A proxy †; of several each site gets one and keeps it.",
        'proxy = "env:CRAWL_PROXY"', "none (http_proxy of the environment works)", site=True, repr=False)
# fmt: on

    @classmethod
    def at_site(cls, general: Json, own: Json) -> Json:
        """Send the headers of all sites, too."""
        headers = {**(general["headers"] or {}), **own.get("headers", {})}
        return {**general, **own, "headers": headers}


def _impolite(entry: Entry, plain: Json, host: str = "") -> Iterator[Problem]:
    """Warn of a short pause and of robots.txt not obeyed, in general or at one site."""
    place = ("site", host, *entry.place) if host else entry.place
    title = f"[site.{toml_text(host)}.politeness]" if host else entry.form.title()
    for name, wrong, why in (
        ("delay", _seconds(plain.get("delay", "1s")) < 1, _("under 1 s; many sites block that")),
        ("robots", not plain.get("robots", True), _("robots.txt is not obeyed")),
    ):
        if wrong:
            text = f"{title} {name} = {toml_text(plain[name])}: {why}"
            yield Problem(entry.merged.origin(*place, name), text)


_seconds = duration().build
