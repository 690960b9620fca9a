"""Requests as plain values, and back: what a row keeps of a Request.

Only plain values are stored (None, bool, int, float, str, bytes, list, tuple, dict); callbacks and
errbacks by the name of the spider's method. Never pickle: a crawl file must not run code.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from scrapy.utils.request import request_from_dict

from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, Waiting

if TYPE_CHECKING:
    from scrapy import Request, Spider

    from focuscrawl.urls.canonical import Canonicalizer

FLIGHT = "focuscrawl_flight"
"""Key in ``Request.meta`` of the flight in this process; never stored."""

OWN = "focuscrawl"
"""Key in ``Request.meta`` by which a spider names ``level`` and ``class`` of a request.

``volatile``: it is not to be stored, since its maker asks again after a crash.
"""

UNASKED = "focuscrawl_unasked"
"""Key in ``Request.meta``: it was answered 304, though it set no condition."""

OTHER_SCHEME = "focuscrawl_other_scheme"
"""Key in ``Request.meta``: it is asked for by the other scheme, since its own was not answered."""

PASSING = frozenset(
    {FLIGHT, UNASKED, OTHER_SCHEME, "download_slot", "download_latency", "download_timeout"}
)
"""Entries of meta that belong to one fetch."""

VERBATIM = "verbatim_url"
"""Scrapy's key in ``Request.meta`` for an address that is to be left as it is."""

TUPLE = "focuscrawl:tuple"

_MOST_PRIORITY = 2**53
"""Beyond, and below the negative of it, priorities are one: the crawl file has 64 bits for them."""


class Unstorable(ValueError):
    """The request holds something that has no plain value."""


def to_waiting(
    request: Request, canonicalizer: Canonicalizer, parent: Waiting | None, levels: int
) -> tuple[Waiting, int]:
    """Return a request as the frontier takes it, and its 64-bit key number.

    ``meta["focuscrawl"]`` may name level and class; else a start request waits one below the top
    and a found one a level below its parent. Raises ValueError for an address that is none.
    """
    address = canonicalizer.address(request.url)
    if address is None:
        raise ValueError(f"not an http(s) address: {request.url!r}")
    key, number = address.key, address.number
    if request.method != "GET" or request.body:
        key = hashlib.md5(b"\n".join([key, request.method.encode(), request.body])).digest()
        number = key_number(key, partition_of(address.site))
    named: Json = request.meta.get(OWN) or {}
    start_level = max(1, levels - 1)
    level = int(named.get("level") or (max(1, parent.passed_level - 1) if parent else start_level))
    waiting = Waiting(
        url=address.url,
        key=key,
        site=address.site,
        level=level,
        passed_level=level,
        page_class=named.get("class"),
        depth=int(request.meta.get("depth", 0)),
        parent_key=parent.key if parent else b"",
        source_id=parent.source_id if parent else "",
        priority=max(-_MOST_PRIORITY, min(request.priority, _MOST_PRIORITY)),
    )
    return waiting, number


def number_of(waiting: Waiting) -> int:
    """Return the 64-bit key number of a URL."""
    return key_number(waiting.key, partition_of(waiting.site))


def stored(request: Request, spider: Spider | None) -> Json:
    """Return a request as plain values. Raises Unstorable when it has none."""
    if (request.meta.get(OWN) or {}).get("volatile"):
        raise Unstorable("its maker keeps it")
    try:
        values = request.to_dict(spider=spider)
    except ValueError as error:
        raise Unstorable(str(error)) from error
    values["meta"] = {name: value for name, value in request.meta.items() if name not in PASSING}
    values.pop("priority", None)
    return {
        name: _plain(value, name)
        for name, value in values.items()
        if value not in (None, b"", [], {}, False) or name == "dont_filter"
    }


def from_row(waiting: Waiting, spider: Spider, request_class: type[Request]) -> Request:
    """Return the request of a row. Raises ValueError when its callback no longer exists."""
    if waiting.request is not None:
        values = _unplain(waiting.request)
        request = request_from_dict(values, spider=spider)
        request.priority = waiting.priority
    else:
        # The address is canonical, which Scrapy need not find out anew: it would take longer than all
        # the rest of a request. The key must go no further: a callback may pass its meta on.
        meta = {"depth": waiting.depth, VERBATIM: True}
        request = request_class(waiting.url, dont_filter=True, meta=meta)
        del request.meta[VERBATIM]
    return request


def by_other_scheme(request: Request, url: str, *, has_secrets: bool) -> Request | None:
    """Return a request for its page at ``url``, by the other of http and https; None: it must not.

    What is secret is said to https only: a login, cookies of the request's own, and what else its
    site is sent (``has_secrets``), which may not be in the request yet. A form is sent to nobody but
    whom it was meant for.
    """
    if request.method != "GET" or request.body:
        return None
    is_secret = has_secrets or "Authorization" in request.headers or bool(request.cookies)
    if url.startswith("http:") and is_secret:
        return None
    again = request.replace(url=url, dont_filter=True, meta={**request.meta, VERBATIM: True})
    del again.meta[VERBATIM]
    again.headers.pop("Cookie", None)  # set anew, as far as they may be sent there
    if again.meta.pop("_scheme_proxy", False):  # the environment may name another proxy
        again.meta.pop("proxy", None)
        again.meta.pop("_auth_proxy", None)
        again.headers.pop("Proxy-Authorization", None)
    return again


def _plain(value: Any, where: str) -> Any:
    if value is None or type(value) in (bool, int, float, str, bytes):
        return value
    if isinstance(value, str):
        return str(value)  # link extractors give strings that hold on to their whole page
    if type(value) is list:
        return [_plain(entry, where) for entry in value]
    if type(value) is tuple:
        return {TUPLE: [_plain(entry, where) for entry in value]}
    if type(value) is dict and all(type(name) in (str, bytes) for name in value):
        return {name: _plain(entry, f"{where}.{name}") for name, entry in value.items()}
    raise Unstorable(f"{where} holds a {type(value).__name__}")


def _unplain(value: Any) -> Any:
    if isinstance(value, list):
        return [_unplain(entry) for entry in value]
    if isinstance(value, dict):
        if TUPLE in value:
            return tuple(_unplain(entry) for entry in value[TUPLE])
        return {name: _unplain(entry) for name, entry in value.items()}
    return value
