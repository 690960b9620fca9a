"""The headers of requests: who asks, and what for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl import __version__

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template

PRODUCT = "focuscrawl"
"""The name robots.txt files may use for us, whatever the user agent says."""

_BROWSER = "browser"
BROWSER_AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/152.0.0.0 Safari/537.36"
)
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


def user_agent(given: str, contact: str) -> str:
    """Return the User-Agent header of a template's politeness.user_agent and contact."""
    if given == _BROWSER:
        return BROWSER_AGENT
    return given or f"{PRODUCT}/{__version__}" + (f" (+{contact})" if contact else "")


def request_headers(template: Template) -> dict[str, str]:
    """Return the headers of every request; the template's own replace ours, whatever their case."""
    browser = template.politeness.user_agent == _BROWSER
    headers = dict(BROWSER_HEADERS if browser else {"Accept": ACCEPT})
    headers["Accept-Language"] = _LANGUAGES[template.topic.language]
    given = {name.lower() for name in template.request.headers}
    kept = {name: value for name, value in headers.items() if name.lower() not in given}
    return kept | template.request.headers
