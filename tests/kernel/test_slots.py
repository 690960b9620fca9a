"""Scrapy's download slots, as the frontier asks and sets them."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.core.downloader import Slot
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from twisted.web._newclient import HTTPParser

from focuscrawl.kernel.transport.slots import MOST_COOKIES, Slots, leave_out_strange_headers

View = tuple[Slots, dict[str, Slot], Any]
"""A view of an engine, its download slots by host, and the engine itself."""


class Mine(Spider):
    name = "mine"


@pytest.fixture
def slots_of() -> View:
    """Make a view of an engine; its download slots by host, and the engine itself."""
    crawler = get_crawler(Mine)
    made: dict[str, Slot] = {}
    engine = SimpleNamespace(
        downloader=SimpleNamespace(slots=made), scraper=SimpleNamespace(slot=None)
    )
    crawler.engine = engine  # type: ignore[assignment]
    return Slots(crawler), made, engine


def request(host: str) -> Request:
    return Request(f"http://{host}/", meta={"download_slot": host})


def test_a_crawl_is_told_to_stop_when_its_process_crawls_no_more() -> None:
    crawler: Any = SimpleNamespace(crawling=True)
    slots = Slots(crawler)
    assert slots.is_told_to_stop is False
    crawler.crawling = False
    assert slots.is_told_to_stop is True


@pytest.mark.parametrize("is_taken_back", [False, True])
def test_what_is_to_be_done_before_a_loop_ends_is_done_unless_it_is_taken_back(
    slots_of: View, monkeypatch: pytest.MonkeyPatch, is_taken_back: bool
) -> None:
    monkeypatch.setattr("focuscrawl.kernel.transport.slots.is_reactor_installed", lambda: False)
    done: list[str] = []

    async def crawl() -> None:
        take_back = slots_of[0].before_exit(lambda: done.append("before the end"))
        await asyncio.sleep(0)
        if is_taken_back:
            take_back()

    asyncio.run(crawl())
    assert done == ([] if is_taken_back else ["before the end"])


def test_a_host_without_a_slot_can_be_asked_at_once(
    slots_of: View,
) -> None:
    assert slots_of[0].seconds_to_wait("a.cn") == 0.0


def test_a_slot_that_is_full_or_pausing_must_be_waited_for(
    slots_of: View,
) -> None:
    slots, made, _ = slots_of
    slot = made["a.cn"] = Slot(2, 5.0, 0.0)
    slot.lastseen = time.monotonic() - 3.0
    assert slots.seconds_to_wait("a.cn") == pytest.approx(2.0, abs=0.5)
    slot.lastseen = time.monotonic() - 6.0
    assert slots.seconds_to_wait("a.cn") == 0.0
    slot.active.add(request("a.cn"))
    assert slots.seconds_to_wait("a.cn") == 0.0
    slot.active.add(request("a.cn"))
    assert slots.seconds_to_wait("a.cn") > 0.0


def test_no_request_is_with_a_spider_that_has_not_started(
    slots_of: View,
) -> None:
    assert not slots_of[0].is_with_spider(request("a.cn"))


def test_waking_an_engine_asks_for_its_next_turn(
    slots_of: View,
) -> None:
    slots, _, engine = slots_of
    slots.wake()
    woken: list[bool] = []
    engine._slot = SimpleNamespace(nextcall=SimpleNamespace(schedule=lambda: woken.append(True)))
    slots.wake()
    assert woken == [True]


def test_a_header_whose_name_twisted_refuses_is_left_out_and_the_rest_of_the_answer_is_read() -> (
    None
):
    leave_out_strange_headers()
    leave_out_strange_headers()
    parser = HTTPParser()
    parser.connectionMade()  # type: ignore[no-untyped-call]
    parser.dataReceived(  # type: ignore[no-untyped-call]
        b"HTTP/1.1 200 OK\r\nX-Thing : a b\r\n\xe2\x80\x98x\xe2\x80\x99: *\r\nX-Y: z\r\n\r\n"
    )
    assert [*parser.headers.getAllRawHeaders()] == [(b"X-Y", [b"z"])]


@pytest.mark.parametrize(("length", "kept"), [(3, MOST_COOKIES), (1_990, 10)])
def test_a_host_that_sets_a_new_cookie_with_each_answer_keeps_the_latest_few(
    length: int, kept: int
) -> None:
    middleware = CookiesMiddleware()
    crawler: Any = SimpleNamespace(get_downloader_middleware=lambda _: middleware)
    slots = Slots(crawler)
    asked = Request("http://www.a.cn/x")
    for number in range(80):
        for url, cookie in (
            ("http://www.a.cn/x", f"name{number:06}={'v' * length}; Domain=a.cn"),
            ("http://b.cn/", f"other{number}=1"),
        ):
            answer = Response(url, headers={"Set-Cookie": cookie})
            middleware.process_response(Request(url), answer)
        slots.bound_cookies(asked, "www.a.cn")
    middleware.process_request(asked)
    sent = (asked.headers["Cookie"] or b"").split(b"; ")
    assert len(sent) == kept
    assert sent[-1].startswith(b"name000079=")
    other = Request("http://b.cn/")
    middleware.process_request(other)
    assert len((other.headers["Cookie"] or b"").split(b"; ")) == 80, "a host is bound by itself"
