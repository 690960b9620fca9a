"""A receiver that gives a byte now and then holds up a crawl for the deadline, and no longer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from focuscrawl.output.notify import channels, mail
from focuscrawl.output.notify.channels import Channel, ask_ping
from focuscrawl.output.notify.deadline import Exchange
from focuscrawl.output.notify.mail import SendError
from focuscrawl.output.notify.messages import compose_test
from tests.clock import NOON
from tests.tables import each_row

DEADLINE = 0.2
BETWEEN = 0.02
"""Seconds between two bytes: each read is over long before a timeout of its own."""

BEGINS = {"http": b"HTTP/1.1 200 OK\r\nX-Slow: ", "smtp": b"220-hello ", "tls": b"\x16\x03\x03\x3f\xff"}  # fmt: skip


@pytest.fixture
def dripping(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Serve what never comes to its end; gives the ports."""
    for module in (channels, mail):
        monkeypatch.setattr(module, "TIMEOUT", DEADLINE)
    over = threading.Event()
    threads, servers, ports = [], [], {}

    def drip(server: socket.socket, begin: bytes) -> None:
        with suppress(OSError), closing(server.accept()[0]) as connection:
            connection.sendall(begin)
            while not over.wait(BETWEEN):
                connection.sendall(b"x")

    for name, begin in BEGINS.items():
        server = socket.create_server(("127.0.0.1", 0))
        servers.append(server)
        ports[name] = server.getsockname()[1]
        threads.append(threading.Thread(target=drip, args=(server, begin)))
        threads[-1].start()
    yield ports
    over.set()
    for server, port in zip(servers, ports.values(), strict=True):
        with suppress(OSError):  # those that nobody has asked wait still
            socket.create_connection(("127.0.0.1", port)).close()
        server.close()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("address", "smtp", "kind"),
    [
        ("http://127.0.0.1:{port}/hook", "", "http"),
        ("https://127.0.0.1:{port}/hook", "", "tls"),
        ("mailto:a@b.cn", "smtp://127.0.0.1:{port}", "smtp"),
        ("mailto:a@b.cn", "smtps://127.0.0.1:{port}", "tls"),
    ],
)
def test_a_receiver_that_drips_has_not_taken_it(
    dripping: dict[str, int], address: str, smtp: str, kind: str
) -> None:
    channel = Channel(address.format(port=dripping[kind]), smtp.format(port=dripping[kind]))
    message = compose_test("ab" * 16, "metro", "成都地铁", "en")
    with pytest.raises(SendError, match=r"it was not done within 0\.2 seconds"):
        channel.send(message, NOON)


def test_a_ping_that_drips_fails(dripping: dict[str, int]) -> None:
    url = f"http://127.0.0.1:{dripping['http']}/ping"
    with pytest.raises(SendError, match=r"it was not done within 0\.2 seconds"):
        ask_ping(url, url)


@each_row(("is_late",), [(True,), (False,)])
def test_a_connection_of_an_exchange_that_is_over_is_shut(is_late: bool) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server, Exchange(60.0) as exchange:
        if is_late:
            exchange._end()
        with closing(exchange.connect(server.getsockname())) as connection:
            if not is_late:
                exchange._end()
            assert connection.recv(1) == b""
