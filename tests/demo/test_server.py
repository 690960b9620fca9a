import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from focuscrawl.demo.answers import answer
from focuscrawl.demo.report import read_log
from focuscrawl.demo.server import LATENCY, DemoServer, VisitedWeb
from focuscrawl.demo.truth import Fault
from focuscrawl.demo.web import DemoWeb

FAST = 1000.0


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


async def ask(
    server: DemoServer,
    url: str,
    connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None,
    method: str = "GET",
    extra: str = "",
) -> Reply:
    reader, writer = connection or await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write(f"{method} {url} HTTP/1.1\r\nHost: ignored\r\n{extra}\r\n".encode())
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        length = 0 if method == "HEAD" else int(headers.get("content-length", "0"))
        return Reply(int(first.split(" ")[1]), headers, await reader.readexactly(length))
    finally:
        if connection is None:
            writer.close()


def served(
    test: Callable[[DemoServer], Awaitable[None]], log: Path | None = None, speed: float = FAST
) -> None:
    async def run() -> None:
        async with DemoServer(DemoWeb(1, "small"), log=log, speed=speed) as server:
            await asyncio.wait_for(test(server), 20)

    asyncio.run(run())


def test_a_page_comes_as_the_truth_has_it() -> None:
    async def test(server: DemoServer) -> None:
        reply = await ask(server, "http://daily.example/node_12.htm")
        page = server.web.page("http://daily.example/node_12.htm")
        assert page is not None
        assert reply.status == 200
        assert reply.body == page.body
        assert reply.headers["content-type"] == page.content_type

    served(test)


def test_one_connection_serves_many_hosts_and_a_plain_path_uses_the_host_header() -> None:
    async def test(server: DemoServer) -> None:
        connection = await asyncio.open_connection("127.0.0.1", server.port)
        for url in ("http://news.example/", "http://bbs.example/", "http://news.example/none"):
            await ask(server, url, connection)
        reply = await ask(server, "/robots.txt", connection, extra="Host: blog.example\r\n")
        assert b"Crawl-delay: 0.0002" in reply.body, "divided by the speed, as all delays are"
        connection[1].close()

    served(test)


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("http://news.example/none", 404),
        ("http://nowhere.example/", 502),
        ("http://calendar.example/robots.txt", 404),
        ("http://moved.example/old/1", 301),
        ("http://demo.example/", 200),
        ("http://demo.example/none", 404),
        ("http://demo.example/_control?day=soon", 400),
    ],
)
def test_every_address_has_its_status(url: str, status: int) -> None:
    async def test(server: DemoServer) -> None:
        assert (await ask(server, url)).status == status

    served(test)


def test_other_methods_are_refused_and_head_has_no_body() -> None:
    async def test(server: DemoServer) -> None:
        assert (await ask(server, "http://news.example/", method="PUT")).status == 501
        reply = await ask(server, "http://news.example/", method="HEAD")
        assert int(reply.headers["content-length"]) > 500

    served(test)


def test_the_control_address_moves_the_day_and_is_not_logged(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"

    async def test(server: DemoServer) -> None:
        later = next(e for e in server.web.portals[0].entries if e.posted > 0)
        assert (await ask(server, later.url)).status == 404
        reply = await ask(server, "http://demo.example/_control?day=14")
        assert json.loads(reply.body) == {"day": 14.0}
        assert (await ask(server, later.url)).status == 200
        assert json.loads((await ask(server, "http://demo.example/_control")).body) == {"day": 14.0}

    served(test, log)
    assert [request.status for request in read_log(log)] == [404, 200]


def test_the_log_tells_time_host_address_status_and_attempt(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"

    async def test(server: DemoServer) -> None:
        for _ in range(2):
            await ask(server, "http://news.example/?utm_source=x")

    served(test, log)
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["attempt"] for row in rows] == [1, 2]
    assert rows[0]["t"] <= rows[1]["t"]
    assert {row["url"] for row in rows} == {"http://news.example/"}
    assert {row["host"] for row in rows} == {"news.example"}


def trouble(web: DemoWeb, fault: Fault, times: int | None) -> str:
    for entry in web.portals[-1].entries:
        page = web.page(entry.url)
        if page and page.trouble == (fault, times):
            return entry.url
    raise AssertionError(f"no page has {fault} {times}")


@pytest.mark.parametrize("fault", [Fault.SHORT, Fault.DROPPED])
def test_a_broken_answer_breaks_off_and_the_next_one_is_whole(fault: Fault, tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"

    async def test(server: DemoServer) -> None:
        url = trouble(server.web, fault, 1)
        with pytest.raises(asyncio.IncompleteReadError):
            await ask(server, url)
        assert (await ask(server, url)).status == 200

    served(test, log)
    assert [request.good for request in read_log(log)] == [False, True]


def test_a_silent_page_never_answers_at_first() -> None:
    async def test(server: DemoServer) -> None:
        url = trouble(server.web, Fault.SILENT, 1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(ask(server, url), 0.2)
        assert (await ask(server, url)).status == 200

    served(test, speed=1.0)


def test_errors_end_after_their_number_of_times_and_429_says_when_to_come() -> None:
    web = DemoWeb(1, "small")
    busy = answer(web, trouble(web, Fault.TOO_MANY, 1), 0)
    assert (busy.status, busy.headers) == (429, (("Retry-After", "1"),))
    url = trouble(web, Fault.UNAVAILABLE, 3)
    assert [answer(web, url, 0, attempt).status for attempt in (1, 2, 3, 4)] == [503, 503, 503, 200]
    for_ever = trouble(web, Fault.ERROR, None)
    assert answer(web, for_ever, 0, 1000).status == 500


def test_an_unchanged_page_is_not_sent_again() -> None:
    web = DemoWeb(1, "small")
    entry = next(e for e in web.portals[0].entries if e.posted < 0 and e.changes == ())
    headers = dict(answer(web, entry.url, 0).headers)
    tag, modified = (
        {"if-none-match": headers["ETag"]},
        {"if-modified-since": headers["Last-Modified"]},
    )
    for day in (0, 9):
        assert answer(web, entry.url, day, headers=tag).status == 304
        assert answer(web, entry.url, day, headers=modified).status == 304
    assert answer(web, entry.url, 0, headers={"if-none-match": '"other"'}).status == 200
    assert answer(web, entry.url, 0, headers={"if-modified-since": "nonsense"}).status == 200


def test_a_changed_page_has_another_tag() -> None:
    web = DemoWeb(1)
    entry = next(e for e in web.portals[0].entries if e.posted < 0 and len(e.changes) == 1 and e.changes[0][1] == "major")  # fmt: skip
    before, after = (dict(answer(web, entry.url, day).headers) for day in (0, 14))
    assert before["ETag"] != after["ETag"]
    assert answer(web, entry.url, 14, headers={"if-none-match": before["ETag"]}).status == 200


def test_the_slow_site_takes_a_second_and_speed_divides_it() -> None:
    web = DemoWeb(1, "small")
    assert answer(web, "http://slow.example/", 0).delay == 1.0
    visited = VisitedWeb(web, speed=10.0)
    reply = visited.answer_to("GET", "http://slow.example/", {})
    assert reply.delay == pytest.approx(0.1 + LATENCY / 10)

    async def test(server: DemoServer) -> None:
        started = asyncio.get_running_loop().time()
        await ask(server, "http://slow.example/")
        assert asyncio.get_running_loop().time() - started >= 0.1

    served(test, speed=10.0)


@pytest.mark.program
def test_the_module_serves_until_it_is_stopped(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"
    command = [sys.executable, "-m", "focuscrawl.demo", "--size", "small", "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": address}))
        with opener.open("http://hub.example/", timeout=10) as reply:
            assert "四川食品企业名录" in reply.read().decode()
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(10) == 0
    assert [request.url for request in read_log(log)] == ["http://hub.example/"]
