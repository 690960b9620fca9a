"""A mail server and an address that takes JSON, both real."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.smtp import SMTP


@dataclass
class Mailbox:
    """A mail server; ``refusing`` is what it answers to the next mails instead of taking them, ``unknown`` are
    receivers that it does not know, ``receivers`` who has got each mail.
    """

    taken: list[EmailMessage] = field(default_factory=list)
    refusing: list[str] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)
    receivers: list[list[str]] = field(default_factory=list)
    port: int = 0

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address in self.unknown:
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 known"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refusing:
            return self.refusing.pop(0)
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.taken.append(mail)
        self.receivers.append(envelope.rcpt_tos)
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


@contextmanager
def served_mailbox() -> Iterator[Mailbox]:
    """Serve a mailbox on loopback."""
    box, loop = Mailbox(), asyncio.new_event_loop()
    made = loop.create_server(lambda: SMTP(box, loop=loop, data_size_limit=None), "127.0.0.1", 0)
    server = loop.run_until_complete(made)
    box.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield box
    finally:
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
        return [change["id"] for message in self.taken for change in _changes_of(message)]

    @property
    def told(self) -> Counter[str]:
        """How often each address was told of; a message that came twice under its id counts once."""
        messages = {message["id"]: message for message in self.taken}.values()
        return Counter(change["url"] for message in messages for change in _changes_of(message))


def _changes_of(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for topic in message["topics"]:
        for entry in topic["entries"]:
            yield from entry["changes"]


@contextmanager
def served_hook() -> Iterator[Hook]:
    """Serve a hook on loopback."""
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
    try:
        yield box
    finally:
        server.shutdown()
        server.server_close()
