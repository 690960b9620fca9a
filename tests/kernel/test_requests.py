"""Requests as plain values and back."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import AsyncMock, Mock

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import FormRequest, Request, Spider
from scrapy.exceptions import IgnoreRequest

from focuscrawl.kernel.transport.requests import (
    FLIGHT,
    Probe,
    Unstorable,
    by_other_scheme,
    from_row,
    number_of,
    stored,
    to_waiting,
)
from focuscrawl.stores.state.protocol import Changes, Row
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.values import Waiting
from tests.clock import NOON, StandingClock
from tests.tables import each_row

CANONICALIZER = Canonicalizer()
HOME = "http://a.example.cn/"
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.lists(inner).map(tuple),
    max_leaves=8,
)  # fmt: skip
SOME = st.dictionaries(st.text(), PLAIN, max_size=3)


def ignore(response: Any) -> None:
    """Be a callback that no spider has."""


class Mine(Spider):
    name = "mine"

    def read(self, response: Any) -> None:
        """Read a page."""

    def failed(self, failure: Any) -> None:
        """Take note of a failure."""


def waiting_of(request: Request, parent: Waiting | None = None) -> tuple[Waiting, int]:
    waiting, number = to_waiting(request, CANONICALIZER, parent, 5)
    return waiting._replace(request=stored(request, Mine())), number


def brought_back(waiting: Waiting) -> Request:
    """Write a row as the store does, and make its request anew."""
    packed = msgspec.msgpack.encode(waiting)
    return from_row(msgspec.msgpack.decode(packed, type=Waiting), Mine())


def test_a_request_comes_back_as_it_was() -> None:
    spider = Mine()
    request = FormRequest(
        f"{HOME}search?q=1",
        method="POST",
        body="查询=1".encode("gb18030"),
        callback=spider.read,
        errback=spider.failed,
        headers={"X-A": ["1", "2"]},
        cookies=[{"name": "who", "value": "me", "path": "/"}],
        encoding="gb18030",
        meta={"deep": {"er": (1, [None, b"\xff"])}, "depth": 3},
        cb_kwargs={"pair": ("a", 2)},
        flags=["mine"],
        priority=-7,
        dont_filter=True,
    )
    request.meta[FLIGHT] = object()
    request.meta["download_latency"] = 0.3
    waiting, _ = waiting_of(request)
    back = brought_back(waiting)
    assert type(back) is FormRequest
    for name in ("url", "method", "body", "headers", "cookies", "encoding", "cb_kwargs", "flags"):
        assert getattr(back, name) == getattr(request, name), name
    assert (back.priority, back.dont_filter) == (-7, True)
    assert back.meta == {"deep": {"er": (1, [None, b"\xff"])}, "depth": 3}
    assert back.callback is not None
    assert back.callback.__name__ == "read"
    assert back.errback is not None
    assert back.errback.__name__ == "failed"


@given(SOME, SOME, st.binary())
def test_plain_values_come_back_as_they_were(
    meta: dict[str, Any], kwargs: dict[str, Any], body: bytes
) -> None:
    request = Request(HOME, meta={"mine": meta}, cb_kwargs=kwargs, body=body)
    back = brought_back(waiting_of(request)[0])
    assert back.meta["mine"] == meta
    assert back.cb_kwargs == kwargs
    assert back.body == body


@pytest.mark.parametrize(
    "request_",
    [
        Request(HOME, callback=ignore),
        Request(HOME, cb_kwargs={"file": object()}),
        Request(HOME, meta={"deep": [{"er": {1, 2}}]}),
        Request(HOME, meta={"by_number": {1: 2}}),
    ],
    ids=["function", "object", "set", "numbers as names"],
)
def test_what_has_no_plain_value_is_refused(request_: Request) -> None:
    with pytest.raises(Unstorable):
        stored(request_, Mine())


def test_a_text_that_is_more_than_a_text_is_stored_as_one() -> None:
    class Anchor(str):
        __slots__ = ()

    kept = stored(Request(HOME, meta={"link_text": Anchor("下一页")}), None)
    assert type(kept["meta"]["link_text"]) is str
    assert kept["meta"]["link_text"] == "下一页"


def test_a_callback_that_is_gone_is_told() -> None:
    waiting, _ = waiting_of(Request(HOME, callback=Mine().read))
    assert waiting.request is not None
    renamed = waiting._replace(request={**waiting.request, "callback": "renamed"})
    with pytest.raises(ValueError, match="renamed"):
        brought_back(renamed)


def test_another_body_or_method_is_another_page() -> None:
    requests = [
        Request(HOME),
        Request(HOME, method="HEAD"),
        Request(HOME, method="POST", body=b"q=1"),
        Request(HOME, method="POST", body=b"q=2"),
    ]
    numbers = [waiting_of(request)[1] for request in requests]
    assert len(set(numbers)) == 4
    assert waiting_of(requests[2])[1] == numbers[2]
    assert [number_of(waiting_of(request)[0]) for request in requests] == numbers


def test_a_found_request_waits_below_its_page_unless_it_names_its_level() -> None:
    parent, _ = to_waiting(Request(HOME), CANONICALIZER, None, 5)
    assert parent.level == 4
    child, _ = to_waiting(Request(f"{HOME}1"), CANONICALIZER, parent, 5)
    assert (child.level, child.parent_key) == (3, parent.key)
    low = parent._replace(passed_level=1)
    assert to_waiting(Request(f"{HOME}2"), CANONICALIZER, low, 5)[0].level == 1
    named = Request(f"{HOME}3", meta={"focuscrawl": {"level": 5, "class": "board"}})
    found, _ = to_waiting(named, CANONICALIZER, parent, 5)
    assert (found.level, found.page_class) == (5, "board")


@pytest.mark.parametrize("url", ["data:text/plain,hello", "file:///etc/passwd", "ftp://a.cn/x"])
def test_an_address_that_is_none_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="not an http"):
        to_waiting(Request(url), CANONICALIZER, None, 5)


def test_an_ordinary_row_becomes_a_request_without_a_callback() -> None:
    waiting, _ = to_waiting(Request(HOME, meta={"depth": 2}), CANONICALIZER, None, 5)
    back = from_row(waiting, Mine())
    assert (back.url, back.dont_filter, back.meta) == (HOME, True, {"depth": 2})
    assert back.callback is None


def test_whole_requests_can_be_written_to_the_crawl_file(tmp_path: Any) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    waiting, number = waiting_of(Request(HOME, method="POST", body=b"\xff", callback=Mine().read))
    store.commit({0: Changes(added=[Row(1, waiting)], seen=[number])})
    (row,) = store.rows(0)
    store.release()
    assert from_row(row.waiting, Mine()).body == b"\xff"


def test_an_address_is_asked_for_as_it_was_found() -> None:
    """As browsers do: what Scrapy would escape beyond that may be another page."""
    url = f"{HOME}x[1]|2^.html?a=[b]|%d6%d0"
    address = CANONICALIZER.address(url)
    assert address is not None
    waiting = Waiting(address.url, address.key, address.site, 1, 1, depth=2)
    request = from_row(waiting, Mine())
    assert request.url == url
    assert request.meta == {"depth": 2}, "a callback passes its meta on to addresses of its own"


@each_row(
    ("more", "has_secrets", "may"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"headers": {"Authorization": "Basic abc"}}, False, False),
        ({"cookies": {"who": "me"}}, False, False),
        ({"cookies": [{"name": "who", "value": "me"}]}, False, False),
    ],
)
def test_what_is_secret_goes_from_http_to_https_and_never_back(
    more: dict[str, Any], has_secrets: bool, may: bool
) -> None:
    secure, plain = "https://a.cn/1", "http://a.cn/1"
    again = by_other_scheme(Request(secure, **more), plain, has_secrets=has_secrets)
    assert (again is not None) is may
    again = by_other_scheme(Request(plain, **more), secure, has_secrets=has_secrets)
    assert again is not None
    assert again.url == secure


def test_a_form_is_not_sent_by_the_other_scheme() -> None:
    form = Request("http://a.cn/form", method="POST", body=b"a=1")
    assert by_other_scheme(form, "https://a.cn/form", has_secrets=False) is None


def test_what_robots_forbid_to_look_at_is_answered_by_403() -> None:
    slots = Mock(fetch=AsyncMock(side_effect=IgnoreRequest("Forbidden by robots.txt")))
    probe = Probe(slots, Mock(), Mock(), StandingClock(NOON))
    fetched = asyncio.run(probe("a.cn", "http://a.cn/feed.xml"))
    assert fetched is not None
    assert (fetched.url, fetched.status, fetched.body) == ("http://a.cn/feed.xml", 403, b"")
    slots.fetch.side_effect = TimeoutError
    assert asyncio.run(probe("a.cn", "http://a.cn/feed.xml")) is None
