"""A mail server and an address that takes JSON, both real, and results in which something is new."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP

from focuscrawl.notify.outbox import Delivery, TopicPost
from focuscrawl.notify.table import NotifyTable
from focuscrawl.results.results import Results
from focuscrawl.results.writing import ResultBatch
from focuscrawl.template.load import load
from focuscrawl.values import Article, PageChange
from tests.clock import StandingClock
from tests.kinds import KINDS

MORNING = 1_795_132_800.0  # 2026-11-20T08:00 in Shanghai
HOUR, DAY = 3_600.0, 86_400.0


@dataclass
class Mailbox:
    """A mail server; ``refusing`` is what it answers to the next mails instead of taking them."""

    taken: list[EmailMessage] = field(default_factory=list)
    refusing: list[str] = field(default_factory=list)
    port: int = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refusing:
            return self.refusing.pop(0)
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.taken.append(mail)
        return "250 taken"

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}/?from=crawl@example.cn"

    @property
    def ids(self) -> list[str]:
        return [str(mail["Message-ID"]) for mail in self.taken]


def body_of(mail: EmailMessage, kind: str) -> str:
    """Return what a mail says in plain or html."""
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    box, loop = Mailbox(), asyncio.new_event_loop()
    made = loop.create_server(lambda: SMTP(box, loop=loop, data_size_limit=None), "127.0.0.1", 0)
    server = loop.run_until_complete(made)
    box.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield box
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    server.close()
    loop.run_until_complete(server.wait_closed())
    loop.close()


@dataclass
class Hook:
    """An address that takes JSON. ``answers`` are the next status codes; ``kill`` ends with -9 whoever
    asks next, when all of its request is there and before it hears of it.
    """

    taken: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    kill: Callable[[], int] | None = None
    url: str = ""

    @property
    def changes(self) -> list[str]:
        """The ids of all changes that were taken."""
        return [
            change["id"]
            for message in self.taken
            for topic in message["topics"]
            for entry in topic["entries"]
            for change in entry["changes"]
        ]


@pytest.fixture
def hook() -> Iterator[Hook]:
    box = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            box.asked.append(self.path)
            self._say(200)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = box.answers.pop(0) if box.answers else 200
            if status < 300:
                box.taken.append(json.loads(body))
                box.keys.append(self.headers["Idempotency-Key"])
            if box.kill is not None:
                kill, box.kill = box.kill, None
                os.kill(kill(), signal.SIGKILL)
            with suppress(OSError):
                self._say(status)

        def _say(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    box.url = f"http://127.0.0.1:{server.server_address[1]}/hook?token=s3cret"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield box
    server.shutdown()
    server.server_close()


TEMPLATE = """
[topic]
name = "{name}"
title = "{title}"
[[source]]
url = "http://www.site.cn/"
[[notify]]
{notify}
"""


@dataclass
class Newsroom:
    """Results of a topic, to which a test adds what is new, and its outbox."""

    folder: Path
    results: Results
    post: TopicPost
    clock: StandingClock
    number: int = 0

    @property
    def table(self) -> NotifyTable:
        return self.post.template.each(NotifyTable)[0]

    def add(self, title: str, at: float | None = None, *, kind: str = "new", **more: Any) -> str:
        """Store an article and tell of it; return the id of the change."""
        self.number += 1
        moment = self.clock.now if at is None else at
        key = f"{self.post.name:0>16}"[:16].encode().hex()[:16] + f"{self.number:016x}"
        url = more.pop("url", f"http://www.site{self.number % 3}.cn/{self.number}.html")
        article = Article(
            *(key, url, f"www.site{self.number % 3}.cn", title, more.pop("text", f"正文 {title}")),
            fetched=moment,
            **{"hits": {"地铁": 2}, "score": 0.6, **more},  # type: ignore[arg-type]
        )
        change = PageChange(key[::-1], moment, key, url, kind, "article", title=title)
        self.results.write(ResultBatch(articles=[article], changes=[change]))
        return change.change_id


@pytest.fixture
def newsroom(tmp_path: Path) -> Iterator[Callable[..., Newsroom]]:
    opened: list[Results] = []

    def make(notify: str, name: str = "metro", title: str = "成都地铁") -> Newsroom:
        folder = tmp_path / "topics"
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.toml"
        path.write_text(TEMPLATE.format(name=name, title=title, notify=notify), "utf-8")
        template = load(path, None, {**os.environ, "SECRET_HOOK": "http://127.0.0.1:9/s3cret"}).template  # fmt: skip
        place, clock = tmp_path / f"{name}.db", StandingClock(MORNING)
        results = Results.open(place, name, kinds=KINDS, clock=clock)
        opened.append(results)
        return Newsroom(tmp_path, results, TopicPost(template, place, KINDS.tables), clock)

    yield make
    for results in opened:
        results.close()


@pytest.fixture
def delivery(tmp_path: Path, mailbox: Mailbox) -> Delivery:
    return Delivery(tmp_path, mailbox.url)
