"""Reading what a search engine answers (C2): organic results in order, or why there are none.

A page without results counts as "nothing known" only when it says so. Everything else without
results is told apart: a captcha or a refusal (blocked), a home page or changed HTML (unreadable).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lxml import etree

from focuscrawl.pages.addresses import Joiner
from focuscrawl.pages.advertisements import is_advertisement, looks_advertised
from focuscrawl.pages.document import Document
from focuscrawl.pages.encodings import find_encoding
from focuscrawl.pages.redirects import Behind, behind, host_of_url, on_site_of
from focuscrawl.pages.selectors import find, links, text_of
from focuscrawl.search.no_results import (
    misfit,
    refused_answer,
    titled_links,
    visible_text,
    why_none,
    without,
)
from focuscrawl.search.page_format import Answered, EngineFormat
from focuscrawl.text.dates import find_dates
from focuscrawl.values import SearchAnswer, SearchResult, SearchStatus, Selector

MOST_RESULTS = 200
"""Results taken from one page; an engine shows ten to fifty."""

MOST_ELEMENTS, _DEEPEST = 10_000, 200
"""Elements of a page and how deep they stand: five times as many as real ones have. What an XPath
costs may grow with the square of either.
"""

MOST_JSON = 4_000_000
"""Bytes of a JSON answer; larger ones are not read."""

PLACEHOLDER_HOSTS = frozenset({"nourl.ubs.baidu.com"})
"""Hosts that stand for "no address" where a page names the target of a link."""

Join = Callable[[str], str | None]


def read_results(answered: Answered, engine: EngineFormat) -> SearchAnswer:
    """Read one result page; never fails."""
    if not 200 <= answered.status_code < 300:
        reason = f"{engine.name} answered {answered.status_code}"
        return SearchAnswer(SearchStatus.BLOCKED, reason=reason)
    if engine.format == "json":
        return _read_json(answered, engine)
    document = Document.read(answered.body, url=answered.url, content_type=answered.content_type)
    if reason := _too_much(document.root):
        return SearchAnswer(SearchStatus.UNREADABLE, reason=reason)
    hosts = _hosts(answered.url, engine)
    join = Joiner(document.base_url, document.encoding).join
    found = _top_elements(find(document.root, engine.results))
    organic = [one for one in found if not _advertised(one, engine, hosts, join)]
    results = _results(organic, engine, answered, hosts, join)
    if results:
        return SearchAnswer(SearchStatus.OK, results)
    titled = titled_links(document, join, hosts)
    return why_none(document, answered, engine, titled, found=len(found), organic=len(organic))


def _too_much(root: etree._Element) -> str:
    """Say why a page is better not searched; "" for every real one."""
    count = depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        count += event == "start"
        if count > MOST_ELEMENTS or depth > _DEEPEST:
            return f"no result page: over {MOST_ELEMENTS} elements, or {_DEEPEST} inside each other"
    return ""


def _read_json(answered: Answered, engine: EngineFormat) -> SearchAnswer:
    if len(answered.body) > MOST_JSON:
        return SearchAnswer(SearchStatus.UNREADABLE, reason="too large an answer")
    encoding = find_encoding(answered.body, content_type=answered.content_type).name
    text = answered.body.decode(encoding, "replace").lstrip("\ufeff")
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        page = Document.read(answered.body, url=answered.url, content_type=answered.content_type)
        if words := engine.blocked.count(without(answered.query, visible_text(page))):
            return refused_answer(words)
        reason = f"{engine.name} was asked for JSON and answered something else"
        return SearchAnswer(SearchStatus.UNREADABLE, reason=reason)
    found = find(tree, engine.results)
    join = Joiner(answered.url).join
    results = _results(found, engine, answered, _hosts(answered.url, engine), join)
    if results:
        return SearchAnswer(SearchStatus.OK, results)
    text = json.dumps(tree, ensure_ascii=False)  # without escapes
    if refused := engine.blocked.count(without(answered.query, text)):
        return refused_answer(refused)
    if not found and _is_list(tree, engine.results):
        return SearchAnswer(SearchStatus.EMPTY, reason="an empty list")
    if found:
        return misfit("link", engine.link, f" in {len(found)} results")
    return misfit("results", engine.results, "")


def _is_list(tree: Any, selector: Selector) -> bool:
    """Whether the place of the results is there, though there may be none."""
    return find(tree, Selector("json", f"type({selector.expression})")) == ["array"]


def _hosts(url: str, engine: EngineFormat) -> frozenset[str]:
    """Return the engine's host, and the one of the same site it may have answered from."""
    host = host_of_url(url)
    return frozenset({engine.host, host} if on_site_of(host, {engine.host}) else {engine.host})


def _advertised(
    element: etree._Element, engine: EngineFormat, hosts: frozenset[str], join: Join
) -> bool:
    url = join(next(links(element, engine.link), ""))
    counted = url is not None and is_advertisement(url, hosts)
    return counted or looks_advertised(element, engine.ads)


def _top_elements(found: list[Any]) -> list[etree._Element]:
    """Leave out results that stand inside another one."""
    known = {one for one in found if isinstance(one, etree._Element)}
    elements = [one for one in found if one in known]
    return [one for one in elements[:MOST_RESULTS] if known.isdisjoint(one.iterancestors())]


def _results(
    found: list[Any], engine: EngineFormat, answered: Answered, hosts: frozenset[str], join: Join
) -> tuple[SearchResult, ...]:
    by_url: dict[str, SearchResult] = {}
    for one in found[:MOST_RESULTS]:
        written, where = _where(one, engine, hosts, join)
        if where is None or where.url in by_url or is_advertisement(where.url, hosts):
            continue
        by_url[where.url] = SearchResult(
            url=where.url,
            rank=len(by_url) + 1,
            title=text_of(one, engine.title),
            snippet=text_of(one, engine.snippet),
            dated=_date(text_of(one, engine.date), answered),
            redirect=where.redirect,
            href=written,
        )
    return tuple(by_url.values())


def _where(
    one: Any, engine: EngineFormat, hosts: frozenset[str], join: Join
) -> tuple[str, Behind | None]:
    """Return a result's link as written and where it leads; None when nowhere of interest."""
    written = next(links(one, engine.link), "")
    for target in links(one, engine.target):
        url = join(target)
        if url and host_of_url(url) not in PLACEHOLDER_HOSTS:
            return written, behind(url, hosts)
    url = join(written) if written else None
    found = behind(url, hosts) if url else None
    if found is None or found.redirect:
        return written, found
    url = join(found.url)  # what a redirect holds may be anything
    return written, Behind(url) if url else None


def _date(text: str, answered: Answered) -> float | None:
    dates = find_dates(text, timezone=answered.timezone, now=answered.now) if text else ()
    return next((found.seconds for found in dates), None)
