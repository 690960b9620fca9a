"""Reading what a search engine answers (C2): organic results in order, or why there are none.

A page without results counts as "nothing known" only when it says so, and not even then when
headings link elsewhere. Everything else without results is told apart: a captcha or a refusal
(blocked), a home page or changed HTML (unreadable).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, cast

from lxml import etree

from focuscrawl.pages.advertisements import looks_advertised
from focuscrawl.pages.document import Document, Joiner
from focuscrawl.pages.encodings import find_encoding
from focuscrawl.pages.selectors import find, links, text_of
from focuscrawl.search.redirects import Behind, behind, host_of_url, is_advertisement, on_site_of
from focuscrawl.search.table import EngineTable
from focuscrawl.text.dates import find_dates
from focuscrawl.values import SearchAnswer, SearchResult, SearchStatus, Selector


class Answered(NamedTuple):
    """A response: ``url`` is where it came from after redirects, ``now`` when (wall time)."""

    body: bytes
    url: str
    status_code: int = 200
    content_type: str = ""
    query: str = ""
    timezone: str = "Asia/Shanghai"
    now: float | None = None


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


def read_results(answered: Answered, engine: EngineTable) -> SearchAnswer:
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


def _read_json(answered: Answered, engine: EngineTable) -> SearchAnswer:
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


def _hosts(url: str, engine: EngineTable) -> frozenset[str]:
    """Return the engine's host, and the one of the same site it may have answered from."""
    host = host_of_url(url)
    return frozenset({engine.host, host} if on_site_of(host, {engine.host}) else {engine.host})


def _advertised(
    element: etree._Element, engine: EngineTable, hosts: frozenset[str], join: Join
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
    found: list[Any], engine: EngineTable, answered: Answered, hosts: frozenset[str], join: Join
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
    one: Any, engine: EngineTable, hosts: frozenset[str], join: Join
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


CHALLENGE = re.compile(
    r"captcha|antispider|anti-?bot|cf-turnstile|challenges\.cloudflare|geetest|wappass|mkdjump"
    r"|/sorry/",
    re.IGNORECASE,
)
FIND_MARKED = etree.XPath("//*[@id or @class or @src or @action][not(self::body)]")
FIND_TITLED = etree.XPath("//a[ancestor::h2 or ancestor::h3 or ancestor::h4]/@href")
UNSEEN = frozenset({"script", "style", "noscript", "template", "head", "textarea"})
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
MANY_TITLED = 5
"""So many headings that link elsewhere look like results, whatever the page says."""


def why_none(
    document: Document,
    answered: Answered,
    engine: EngineTable,
    titled: Collection[str],
    *,
    found: int,
    organic: int,
) -> SearchAnswer:
    """Judge a page without a single result that leads somewhere.

    ``titled`` is where its headings lead, ``found`` how many elements looked like results,
    ``organic`` how many of them are no advertisements.
    """
    seen = without(answered.query, visible_text(document))
    if words := engine.blocked.count(seen):
        return refused_answer(words)
    if not on_site_of(host_of_url(answered.url), {engine.host}):
        return SearchAnswer(SearchStatus.BLOCKED, reason=f"led to {answered.url[:200]}")
    full = organic > 0 or len(titled) >= MANY_TITLED
    if not full and (words := engine.empty.count(seen)):
        return SearchAnswer(SearchStatus.EMPTY, reason=next(iter(words)))
    if not full and (mark := _challenge(document)):
        return SearchAnswer(SearchStatus.BLOCKED, reason=f"a challenge ({mark})")
    if organic:
        return misfit("link", engine.link, f" in {organic} results")
    if found:
        return SearchAnswer(SearchStatus.UNREADABLE, reason=f"{found} advertisements only")
    return misfit("results", engine.results, f' on "{document.title[:60]}"')


def titled_links(
    document: Document, join: Callable[[str], str | None], hosts: Collection[str]
) -> set[str]:
    """Return where headings of a page lead, other than to the engine's own pages."""
    joined = filter(None, map(join, cast("list[str]", FIND_TITLED(document.root))))
    return {found.url for url in joined if (found := behind(url, hosts))}


def refused_answer(words: dict[str, int]) -> SearchAnswer:
    """Return the answer for a page with words of a refusal."""
    return SearchAnswer(SearchStatus.BLOCKED, reason=f"the answer says {next(iter(words))}")


def misfit(key: str, selector: Selector, where: str) -> SearchAnswer:
    """Return the answer for a selector that finds nothing where something should be."""
    written = f"{selector.language}:{selector.expression}"
    reason = f"no word that there are no results, but {key} = {written} finds none{where}"
    return SearchAnswer(SearchStatus.UNREADABLE, reason=reason)


def visible_text(document: Document) -> str:
    """Return the title and what a reader sees of a page."""
    parts = [document.title]
    walker = etree.iterwalk(document.root, events=("start", "end"))
    for event, element in walker:
        if event == "end":
            parts.append(element.tail or "")
        elif element.tag in UNSEEN or _HIDDEN.search(element.get("style", "")):
            walker.skip_subtree()
        else:
            parts.append(element.text or "")
    return " ".join(" ".join(parts).split())


def without(query: str, text: str) -> str:
    """Take out what was asked for: a page that repeats 验证码 is no captcha for that."""
    for word in sorted(set(query.split()), key=len, reverse=True):
        text = text.replace(word, " ")
    return text


def _challenge(document: Document) -> str:
    """Return what in the markup belongs to a captcha, or ""."""
    for element in cast("list[etree._Element]", FIND_MARKED(document.root)):
        for name in ("id", "class", "src", "action"):
            if found := CHALLENGE.search(element.get(name, "")):
                return found[0]
    return ""
