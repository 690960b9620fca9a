"""A small web whose answers a test writes: what is where, and what was asked."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlsplit

SENTENCE = "成都市场监管部门昨日公布第{}批食品安全抽检结果,共抽检粮食加工品、乳制品等样品一百二十批次,其中{}批次不合格,已经责令企业立即下架并召回全部产品。"


class Asked(NamedTuple):
    """A request as it arrived; ``at`` is in seconds of the steady clock, header names lower case."""

    at: float
    method: str
    url: str
    headers: dict[str, str]
    body: bytes

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


@dataclass(frozen=True)
class Answer:
    """What the web answers. ``fault``: "drop" hangs up, "short" ends early, "silent" says nothing,
    "hold" says nothing until the web holds no longer and then hangs up, "wait" answers then (both in crawls that are
    programs). ``raw`` is sent byte for byte instead of all that, before the web hangs up.
    """

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "text/html; charset=utf-8"
    delay: float = 0.0
    fault: str = ""
    raw: bytes = b""

    @property
    def content(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body

    def head(self, length: int) -> bytes:
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            f"Content-Type: {self.kind}",
            f"Content-Length: {length}",
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


Script = Answer | Callable[[Asked], Answer]


class Web:
    """``answers`` says what is where, all else is 404.

    ``anything`` answers every address of a host that has no answer of its own, but robots.txt.

    ``refuses`` are hosts on which nobody listens, for crawls inside the test's process.
    ``without_https`` are hosts that no connection for https reaches; ``tunnels`` counts who was asked.
    ``pause`` is how long every answer takes that has no delay of its own, in seconds.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Script] = {}
        self.anything: dict[str, Script] = {}
        self.log: list[Asked] = []
        self.pause = 0.0
        self.without_https: set[str] = set()
        self.refuses: set[str] = set()
        self.tunnels: Counter[str] = Counter()
        self.is_holding = True
        self._answering: Counter[str] = Counter()
        self._most: Counter[str] = Counter()

    # What is where ------------------------------------------------------------------------------

    def board(self, url: str, *links: str | tuple[str, str], more: str = "") -> None:
        """Put a list page somewhere; a link is an address or an address and its text."""
        pairs = [(link, f"关于食品安全抽检的通告 {link}") if isinstance(link, str) else link for link in links]  # fmt: skip
        items = "".join(f'<li><a href="{target}">{text}</a></li>' for target, text in pairs)
        self.answers[url] = Answer(
            f"<html><head><title>通告列表</title></head><body><ul>{items}</ul>{more}</body></html>"
        )

    def article(self, url: str, number: int = 1, more: str = "", date: str = "2026-11-18") -> None:
        """Put an article somewhere; its text is its own by its number."""
        text = "".join(f"<p>{SENTENCE.format(number, number + part)}</p>" for part in range(4))
        self.answers[url] = Answer(
            f"<html><head><title>第{number}批食品抽检结果公布</title></head><body>"
            f"<h1>第{number}批食品抽检结果公布</h1><p>发布时间:{date} 08:00 来源:四川日报</p>"
            f"<div>{text}</div>{more}</body></html>"
        )

    def say(self, body: str, status: int = 200) -> Answer:
        """Return an answer for a script of a test's own."""
        return Answer(body, status)

    def page(self, body: str | bytes, kind: str = "text/html; charset=utf-8") -> Answer:
        """Return an answer that is a page as a test writes it."""
        return Answer(body, kind=kind)

    def xml(self, url: str, text: str) -> None:
        """Put a feed or a sitemap somewhere."""
        self.answers[url] = Answer(f'<?xml version="1.0"?>{text}', kind="application/xml")

    def file(self, url: str, content: bytes) -> None:
        """Put bytes somewhere."""
        self.answers[url] = Answer(content, kind="application/octet-stream")

    def redirect(self, url: str, target: str, status: int = 302) -> None:
        """Send whoever asks for an address elsewhere."""
        self.answers[url] = Answer(status=status, headers={"Location": target})

    def robots(self, host: str, text: str) -> None:
        """Give a site a robots.txt."""
        self.answers[f"http://{host}/robots.txt"] = Answer(text, kind="text/plain")

    def fail_first(self, url: str, times: int = 1, **failure: Any) -> None:
        """Answer the first requests for an address otherwise: with a status, a fault."""
        later = self.answers[url]

        def script(asked: Asked) -> Answer:
            if self.times(url) <= times:
                return Answer(**{"body": "<p>稍后再试</p>", **failure})
            return later if isinstance(later, Answer) else later(asked)

        self.answers[url] = script

    def cut(self, url: str) -> None:
        """Let an address's body end early for ever."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        self.answers[url] = replace(answer, fault="short")

    def send_raw(self, url: str, head: str = "HTTP/1.0 200 OK", *lines: str) -> None:
        """Send an address's body without its length, behind a head of one's own."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        body = answer.body.encode() if isinstance(answer.body, str) else answer.body
        start = "\r\n".join((head, f"Content-Type: {answer.kind}", *lines, "", ""))
        self.answers[url] = replace(answer, raw=start.encode() + body)

    def name(self, url: str, headers: Mapping[str, str]) -> None:
        """Send some headers with an address's page."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        self.answers[url] = replace(answer, headers=headers)

    def keep_versions(self, url: str, etag: str = '"one"', modified: str = "") -> None:
        """Answer 304 to whoever has an address's version."""
        self.name(url, {"ETag": etag} | ({"Last-Modified": modified} if modified else {}))
        whole = self.answers[url]
        assert isinstance(whole, Answer)
        nothing = replace(whole, body="", status=304)

        def script(asked: Asked) -> Answer:
            return nothing if asked.headers.get("if-none-match") == etag else whole

        self.answers[url] = script

    def pack(self, url: str) -> None:
        """Send an address's body packed."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        assert isinstance(answer.body, str)
        packed = gzip.compress(answer.body.encode())
        self.answers[url] = replace(answer, body=packed, headers={"Content-Encoding": "gzip"})

    def body(self, url: str) -> str:
        """Return the page that stands at an address."""
        answer = self.answers[url]
        assert isinstance(answer, Answer)
        assert isinstance(answer.body, str)
        return answer.body

    def packed(self, body: bytes) -> Answer:
        """Return an answer whose body is said to be packed."""
        return Answer(body, headers={"Content-Encoding": "gzip"})

    def news(self, articles: int, host: str = "a.test") -> set[str]:
        """Put a list and its articles on a host; returns the articles' addresses."""
        urls = [f"http://{host}/news/{number}.html" for number in range(1, articles + 1)]
        for number, url in enumerate(urls, start=1):
            self.article(url, number)
        self.board(f"http://{host}/", *urls)
        return set(urls)

    def as_it_is(self) -> Web:
        """Return a copy that knows what was asked for so far, and nothing of what comes later."""
        now = copy(self)
        now.answers, now.log = {**self.answers}, [*self.log]
        now.tunnels, now._most = self.tunnels.copy(), self._most.copy()
        return now

    # What was asked -----------------------------------------------------------------------------

    def asked(self, host: str = "") -> list[Asked]:
        """Return the requests so far, but those for robots.txt."""
        return [
            asked
            for asked in [*self.log]
            if not asked.url.endswith("/robots.txt") and host in ("", asked.host)
        ]

    def times(self, url: str) -> int:
        """Return how often an address was asked for."""
        return sum(asked.url == url for asked in [*self.log])

    def gaps(self, host: str) -> list[float]:
        """Return the seconds between requests to a host."""
        return [after.at - before.at for before, after in pairwise(self.asked(host))]

    def most_at_once(self, host: str) -> int:
        """Return how many requests to a host were ever being answered at the same time."""
        return self._most[host]

    # Answering ----------------------------------------------------------------------------------

    def answer_to(self, asked: Asked) -> Answer:
        """Note a request, and return what is answered."""
        self.log.append(asked)
        answer = self.answers.get(asked.url) or self._otherwise(asked)
        return answer if isinstance(answer, Answer) else answer(asked)

    @contextmanager
    def answering(self, host: str) -> Iterator[None]:
        """Count who of a host is being answered."""
        self._answering[host] += 1
        self._most[host] = max(self._most[host], self._answering[host])
        try:
            yield
        finally:
            self._answering[host] -= 1

    def _otherwise(self, asked: Asked) -> Script:
        missing = Answer("没有这个页面", status=404)
        return (
            missing if asked.url.endswith("/robots.txt") else self.anything.get(asked.host, missing)
        )
