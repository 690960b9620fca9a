"""What requests to a site carry beside Scrapy's settings: headers, cookies, a proxy, a login."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from focuscrawl import __version__
from focuscrawl.politeness.table import PolitenessTable, RequestTable
from focuscrawl.template.files import is_secret
from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

PRODUCT = "focuscrawl"
"""The name robots.txt files may use for us, whatever the user agent says."""

BROWSER = "browser"
BROWSER_AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/152.0.0.0 Safari/537.36"
)

LOGINS = frozenset({"authorization", "cookie"})
"""Headers that let somebody in, in whatever way they are given."""


class Extras(NamedTuple):
    """What a request to one site carries where it differs from every other: meta and headers."""

    meta: Json
    headers: dict[str, str]
    cookies: list[Json]


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
        headers["User-Agent"] = user_agent(rules.user_agent, general.contact)
    cookies: list[Json] = [
        {
            "name": cookie.name,
            "value": cookie.value,
            "path": cookie.path,  # else every folder asked first gets a cookie of its own
            "secure": cookie.secure,
        }
        for cookie in sent.cookies
        # Browsers write a dot before the domain of a cookie that goes to the hosts below, too.
        if not cookie.domain or f".{host}".endswith(f".{cookie.domain.removeprefix('.')}")
    ]
    return Extras(meta, headers, cookies) if meta or headers or cookies else None


def has_secrets(template: Template, host: str) -> bool:
    """Whether requests to a host carry cookies, a login, or a header given by ``env:`` or ``file:``."""
    extras = extras_of(template, host)
    if extras is not None and extras.cookies:
        return True
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
    return any(name.lower() in LOGINS or text in secrets for name, text in headers.items())


def user_agent(given: str, contact: str) -> str:
    """Return the User-Agent header of a template's politeness.user_agent and contact."""
    if given == BROWSER:
        return BROWSER_AGENT
    return given or f"{PRODUCT}/{__version__}" + (f" (+{contact})" if contact else "")
