"""What the demo web answers to one request: pure, so that the server only moves bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from hashlib import md5
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from focuscrawl.demo.pages import Draft, document
from focuscrawl.demo.truth import CHINA_TIME, Fault, Page, moment
from focuscrawl.demo.web import DemoWeb

CONTROL_HOST = "demo.example"
"""The host that lists all sites and moves the clock: ``/_control?day=3``."""

RETRY_AFTER = 1
"""Seconds a 429 asks to wait."""

CRAWL_DELAY = re.compile(rb"(?m)^(Crawl-delay: )([\d.]+)")

BUSY = {Fault.ERROR: 500, Fault.UNAVAILABLE: 503, Fault.TOO_MANY: 429}


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; ``fault`` tells the server to keep silent, cut the body or hang up.

    ``delay`` is in seconds.
    """

    status: int
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    fault: Fault | None = None
    delay: float = 0.0

    def head(self, day: float) -> bytes:
        """Write the status line and headers."""
        lines = [f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"]
        lines.append(f"Date: {_http_date(moment(day))}")
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.status != HTTPStatus.NOT_MODIFIED:
            lines += [f"Content-Type: {self.content_type}", f"Content-Length: {len(self.body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def answer(
    web: DemoWeb, url: str, day: float, attempt: int = 1, headers: Mapping[str, str] | None = None
) -> Answer:
    """Return the answer to the ``attempt``-th request for an address (1 = first).

    ``headers`` are those of the request, names in lower case.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == CONTROL_HOST:
        return _index(web) if parts.path in {"", "/"} else Answer(404)
    robots = web.robots(host)
    if robots is None:
        return Answer(502, f"no such host: {host}\n".encode())
    if parts.path == "/robots.txt":
        return Answer(200, robots.encode()) if robots else Answer(404)
    page = web.page(url, day)
    if page is None:
        return Answer(404, "没有这个页面\n".encode())
    trouble = page.trouble
    if trouble and (trouble.times is None or attempt <= trouble.times):
        return _troubled(page, trouble.fault)
    return _whole(page, headers or {})


def _troubled(page: Page, fault: Fault) -> Answer:
    if fault in BUSY:
        wait = (("Retry-After", str(RETRY_AFTER)),) if fault == Fault.TOO_MANY else ()
        return Answer(BUSY[fault], "稍后再试\n".encode(), headers=wait)
    return Answer(200, page.body, page.content_type, page.headers, fault=fault)


def _whole(page: Page, asked: Mapping[str, str]) -> Answer:
    headers = page.headers
    if page.etag:
        tag = f'"{md5(f"{page.url} {page.changed}".encode()).hexdigest()[:16]}"'
        modified = moment(page.changed)
        headers += (
            ("ETag", tag),
            ("Last-Modified", _http_date(modified)),
        )
        if _unchanged(asked, tag, modified.timestamp()):
            return Answer(304, headers=headers, delay=page.delay)
    return Answer(page.status, page.body, page.content_type, headers, delay=page.delay)


def _unchanged(asked: Mapping[str, str], tag: str, modified: float) -> bool:
    """Whether the request's conditions say that its copy is still good."""
    if "if-none-match" in asked:
        return tag in asked["if-none-match"]
    try:
        since = parsedate_to_datetime(asked.get("if-modified-since", ""))
    except ValueError:
        return False
    return since.replace(tzinfo=since.tzinfo or CHINA_TIME).timestamp() >= int(modified)


def _http_date(when: datetime) -> str:
    return format_datetime(when.astimezone(UTC), usegmt=True)


def _index(web: DemoWeb) -> Answer:
    draft = Draft(f"http://{CONTROL_HOST}/")
    body = f"<h1>演示网络</h1>\n{draft.list((home, home) for home in web.homes())}"
    return Answer(200, document("演示网络", body).encode(), "text/html; charset=utf-8")


def control(url: str, day: float) -> tuple[float, Answer]:
    """Obey a control address: return the day from now on and the answer that states it."""
    asked = parse_qs(urlsplit(url).query)
    try:
        day = float(asked.get("day", [str(day)])[0])
    except ValueError:
        return day, Answer(400, b"day must be a number, as in /_control?day=3.5\n")
    return day, Answer(200, json.dumps({"day": day}).encode(), "application/json")


def faster(robots: bytes, speed: float) -> bytes:
    """Return a robots.txt whose Crawl-delay is divided as all delays are."""

    def divided(asked: re.Match[bytes]) -> bytes:
        return b"%s%g" % (asked[1], float(asked[2]) / speed)

    return CRAWL_DELAY.sub(divided, robots)


def is_control(url: str) -> bool:
    """Whether an address is the control address."""
    parts = urlsplit(url)
    return parts.hostname == CONTROL_HOST and parts.path == "/_control"
