"""Reading what a search engine answers (C2): organic results in order, or why there are none.

A page without results counts as "nothing known" only when it says so, and not even then when
headings link elsewhere. A site's own search leads nowhere else: pages of the engine's site are results
when no link leads out and most of them name what was asked for. Any other page without results is a
captcha or a refusal (blocked), or a home page or changed HTML (unreadable).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple, cast

from lxml import etree

from focuscrawl.features.search.engines import (
    Behind,
    host_of_url,
    is_ad_address,
    is_on_site_of,
    lead_behind,
    standard_words,
)
from focuscrawl.features.search.result_blocks import (
    FEWEST,
    ResultBlock,
    are_half,
    asked_blocks,
    result_blocks,
)
from focuscrawl.features.search.table import EngineTable
from focuscrawl.readers.pages.advertisements import looks_advertised
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.readers.pages.document import Document, Joiner
from focuscrawl.readers.pages.encodings import find_encoding
from focuscrawl.readers.pages.selectors import find, links, text_of
from focuscrawl.readers.text.dates import find_dates
from focuscrawl.template.kinds.words import Words
from focuscrawl.urls.sites import registrable_domain
from focuscrawl.values import Selector


class SearchResult(NamedTuple):
    """One organic result of a search engine (C2).

    ``url`` is absolute and unwrapped; where the target is hidden behind the engine's own redirect
    it is that address, and ``redirect`` is true. ``rank`` counts from 1 on its page, ``href`` is
    the link as the page writes it, ``dated`` a date the engine shows, in seconds since 1970 UTC.
    """

    url: str
    rank: int
    title: str = ""
    snippet: str = ""
    dated: float | None = None
    redirect: bool = False
    href: str = ""


class SearchStatus(StrEnum):
    """What a search engine's answer is; only EMPTY means that it knows nothing."""

    OK = "ok"
    EMPTY = "empty"
    BLOCKED = "blocked"
    UNREADABLE = "unreadable"


class SearchAnswer(NamedTuple):
    """One page of a search engine's answer. ``reason`` says in words why there are no results.

    BLOCKED is a captcha, a refusal or a robots.txt that forbids. UNREADABLE is a page without
    results that does not say there are none: a home page, or a selector that no longer fits.
    """

    status: SearchStatus
    results: tuple[SearchResult, ...] = ()
    reason: str = ""


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

_LONGEST_DATE = 40
"""Characters at the beginning of a snippet in which engines put a date."""

MANY_TITLED = 5
"""So many headings that link elsewhere look like results, whatever the page says."""

_WORD, _PIECE = re.compile(r"\w+"), 2
"""Words of a query, and characters of such a one that a result names: engines take Chinese ones apart."""

_CONSENT = Words(standard_words("consent"))
"""Asked for last: a page with results, or with none, may ask for it at its edge."""

CHALLENGE = re.compile(
    r"captcha|antispider|anti-?bot|cf-turnstile|challenges\.cloudflare|geetest|wappass|mkdjump"
    r"|/sorry/",
    re.IGNORECASE,
)
_FIND_MARKED = etree.XPath("/descendant::*[@id or @class or @src or @action][not(self::body)]")
_FIND_TITLED = etree.XPath("/descendant::a[ancestor::h2 or ancestor::h3 or ancestor::h4]/@href")
_UNSEEN = frozenset({"script", "style", "noscript", "template", "head", "textarea"})
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def read_results(
    fetched: Fetched, engine: EngineTable, *, query: str = "", timezone: str = "Asia/Shanghai"
) -> SearchAnswer:
    """Read one result page that answers a query; never fails."""
    if not 200 <= fetched.status < 300:
        reason = f"{engine.name} answered {fetched.status}" + _of_key(engine, fetched.status)
        return SearchAnswer(SearchStatus.BLOCKED, reason=reason)
    page = _ResultPage(fetched, engine, query, timezone)
    return page.read_json() if engine.format == "json" else page.read_html()


_REFUSED = {401: "its key is not taken", 402: "its quota is used up", 403: "its key is not taken", 429: "its quota is used up"}  # fmt: skip
"""What a status of an engine with a key mostly means."""


def _of_key(engine: EngineTable, status: int) -> str:
    return f" ({_REFUSED[status]})" if engine.key_as and status in _REFUSED else ""


class _ResultPage:
    """One answer while it is read. ``hosts``: the engine's, and one of the same site it may have
    answered from.
    """

    def __init__(self, fetched: Fetched, engine: EngineTable, query: str, timezone: str) -> None:
        self.fetched = fetched
        self.engine = engine
        self.query = query
        self.says = _asked_for(query)
        self.timezone = timezone
        host = host_of_url(fetched.url)
        self.is_engines = is_on_site_of(host, {engine.host})
        # An engine may answer from html.example.com and have its help and its counters on example.com.
        domain = registrable_domain(engine.host)
        own = {engine.host, domain, f"www.{domain}"}
        self.hosts = frozenset(own | {host} if self.is_engines else own)
        self.join: Callable[[str], str | None] = Joiner(fetched.url).join
        self.behind: Callable[[str], Behind | None] = partial(lead_behind, engine_hosts=self.hosts)

    # The two forms of an answer -----------------------------------------------------------------

    def read_html(self) -> SearchAnswer:
        document = self._document()
        if reason := _too_much(document.root):
            return SearchAnswer(SearchStatus.UNREADABLE, reason=reason)
        self.join = Joiner(document.base_url, document.encoding).join
        found = _top_elements(find(document.root, self.engine.results))
        organic = [one for one in found if not self._is_advertised(one)]
        if results := self._results(organic):
            return SearchAnswer(SearchStatus.OK, results)
        return self._why_none(document, found=len(found), organic=organic)

    def read_json(self) -> SearchAnswer:
        fetched, engine = self.fetched, self.engine
        if len(fetched.body) > MOST_JSON:
            return SearchAnswer(SearchStatus.UNREADABLE, reason="too large an answer")
        encoding = find_encoding(fetched.body, content_type=fetched.content_type).name
        text = fetched.body.decode(encoding, "replace").lstrip("\ufeff")
        try:
            tree = json.loads(text)
        except (ValueError, RecursionError):
            if refused := self._refused(_visible_text(self._document())):
                return refused
            reason = f"{engine.name} was asked for JSON and answered something else"
            return SearchAnswer(SearchStatus.UNREADABLE, reason=reason)
        found = find(tree, engine.results)
        if results := self._results(found) or self._of_own_site(None, found):
            return SearchAnswer(SearchStatus.OK, results)
        if refused := self._refused(json.dumps(tree, ensure_ascii=False)):  # without escapes
            return refused
        is_list = Selector("json", f"type({engine.results.expression})")  # the place is there
        if not found and find(tree, is_list) == ["array"]:
            return SearchAnswer(SearchStatus.EMPTY, reason="an empty list")
        said = self._without_query(json.dumps(tree, ensure_ascii=False))
        if not found and (words := engine.empty.count(said)):
            return SearchAnswer(SearchStatus.EMPTY, reason=next(iter(words)))
        if found:
            return _misfit("link", engine.link, f" in {len(found)} results")
        return _misfit("results", engine.results, "")

    def _document(self) -> Document:
        fetched = self.fetched
        return Document.read(fetched.body, url=fetched.url, content_type=fetched.content_type)

    # Results ------------------------------------------------------------------------------------

    def _is_advertised(self, element: etree._Element) -> bool:
        url = self.join(next(links(element, self.engine.link), ""))
        counted = url is not None and is_ad_address(url, self.hosts)
        return counted or looks_advertised(element, self.engine.ads)

    def _results(self, found: list[Any]) -> tuple[SearchResult, ...]:
        engine = self.engine
        by_url: dict[str, SearchResult] = {}
        for one in found[:MOST_RESULTS]:
            written = next(links(one, engine.link), "")
            where = self._where(one, written)
            if where is None or where.url in by_url or is_ad_address(where.url, self.hosts):
                continue
            by_url[where.url] = SearchResult(
                url=where.url,
                rank=len(by_url) + 1,
                title=text_of(one, engine.title),
                snippet=text_of(one, engine.snippet),
                dated=self._date(text_of(one, engine.date)),
                redirect=where.redirect,
                href=written,
            )
        return tuple(by_url.values())

    def _by_looks(
        self, document: Document, among: Callable[[list[ResultBlock]], list[ResultBlock]] = list
    ) -> tuple[SearchResult, ...]:
        """Return the results of a page on which the engine's selectors find nothing: a layout may change."""

        def leads_out(href: str) -> bool:
            url = self.join(href) if href else None
            where = self.behind(url) if url else None
            if not url or not where:
                return False
            return not any(is_ad_address(one, self.hosts) for one in (url, where.url))

        def is_sold(element: etree._Element) -> bool:
            return looks_advertised(element, self.engine.ads)

        by_url: dict[str, SearchResult] = {}
        blocks = result_blocks(document.root, leads_out, MOST_RESULTS, is_sold, self.says)
        for block in among(blocks):
            where = self._led_to(block.href)
            if not where or where.url in by_url:
                continue
            by_url[where.url] = SearchResult(
                *(where.url, len(by_url) + 1, block.title, block.snippet),
                dated=self._date(block.snippet[:_LONGEST_DATE]),
                redirect=where.redirect,
                href=block.href,
            )
        return tuple(by_url.values())

    def _of_own_site(self, document: Document | None, found: list[Any]) -> tuple[SearchResult, ...]:
        """Return results that lead to other pages of the engine's own site, by its selectors or by looks."""
        outside, self.behind = self.behind, self._on_site
        try:
            if are_half(self.says(_written(one)) for one in found):
                return self._results(found)
            return self._by_looks(document, partial(asked_blocks, self.says)) if document else ()
        finally:
            self.behind = outside

    def _on_site(self, url: str) -> Behind | None:
        """Unwrap an address, pages of the engine's site included, but for its home and what searches on."""
        if found := lead_behind(url, self.hosts):
            return found
        searches = self.engine.url is not None and self.engine.url.searches(url)
        is_home = url.endswith("/") and url.count("/") == len("://")  # http://host/
        return None if searches or is_home else Behind(url)

    def _where(self, one: Any, written: str) -> Behind | None:
        """Return where a result leads; None when nowhere of interest."""
        for target in links(one, self.engine.target):
            url = self.join(target)
            if url and host_of_url(url) not in PLACEHOLDER_HOSTS:
                return self.behind(url)
        return self._led_to(written)

    def _led_to(self, written: str) -> Behind | None:
        url = self.join(written) if written else None
        found = self.behind(url) if url else None
        if found is None or found.redirect:
            return found
        url = self.join(found.url)  # what a redirect holds may be anything
        return Behind(url) if url else None

    def _date(self, text: str) -> float | None:
        dates = find_dates(text, timezone=self.timezone, now=self.fetched.at) if text else ()
        return next((found.seconds for found in dates), None)

    # Why there are none -------------------------------------------------------------------------

    def _why_none(
        self, document: Document, *, found: int, organic: list[etree._Element]
    ) -> SearchAnswer:
        """Judge a page without a single result that leads somewhere.

        ``found`` is how many elements looked like results, ``organic`` those of them that are no
        advertisements.
        """
        seen = _visible_text(document)
        blocks = self._by_looks(document) if self.is_engines else ()
        if len(blocks) < FEWEST and self.is_engines:
            blocks = max(blocks, self._of_own_site(document, organic), key=len)
        if len(blocks) >= MANY_TITLED:
            return SearchAnswer(SearchStatus.OK, blocks)
        if refused := self._refused(seen):
            return refused
        if not self.is_engines:
            reason = f"led to {self.fetched.url[:200]}"
            return SearchAnswer(SearchStatus.BLOCKED, reason=reason)
        engine = self.engine
        if not organic and self._titled_links(document) < MANY_TITLED:
            if words := engine.empty.count(self._without_query(seen)):
                return SearchAnswer(SearchStatus.EMPTY, reason=next(iter(words)))
            if mark := _challenge(document):
                return SearchAnswer(SearchStatus.BLOCKED, reason=f"a challenge ({mark})")
        if blocks:
            return SearchAnswer(SearchStatus.OK, blocks)
        if not found and (words := _CONSENT.count(seen)):
            return SearchAnswer(
                SearchStatus.BLOCKED, reason=f"it asks for consent ({next(iter(words))})"
            )
        if organic:
            return _misfit("link", engine.link, f" in {len(organic)} results")
        if found:
            return SearchAnswer(SearchStatus.UNREADABLE, reason=f"{found} advertisements only")
        return _misfit("results", engine.results, f' on "{document.title[:60]}"')

    def _refused(self, text: str) -> SearchAnswer | None:
        """Return the answer for a text with words of a refusal."""
        words = self.engine.blocked.count(self._without_query(text))
        if not words:
            return None
        return SearchAnswer(SearchStatus.BLOCKED, reason=f"the answer says {next(iter(words))}")

    def _without_query(self, text: str) -> str:
        """Take out what was asked for: a page that repeats 验证码 is no captcha for that."""
        for word in sorted(set(self.query.split()), key=len, reverse=True):
            text = text.replace(word, " ")
        return text

    def _titled_links(self, document: Document) -> int:
        """Return to how many addresses headings lead, other than to the engine's own pages."""
        joined = filter(None, map(self.join, cast("list[str]", _FIND_TITLED(document.root))))
        return len({found.url for url in joined if (found := self.behind(url))})


def _asked_for(query: str) -> Callable[[str], bool]:
    """Return whether a text names a word of a query; of Chinese ones two characters of it are enough.

    Latin words of two letters (``to``, ``of``) stand everywhere: they count where there are no others.
    """
    words = _WORD.findall(query.lower())
    words = [word for word in words if len(word) > _PIECE or not word.isascii()] or words
    pieces: set[str] = set()
    for word in words:
        wide = len(word) > _PIECE and not word.isascii()
        pieces |= {word[at : at + _PIECE] for at in range(len(word) - 1)} if wide else {word}
    return lambda text: any(piece in text.lower() for piece in pieces)


def _written(found: Any) -> str:
    """Return all that is written in a result."""
    if isinstance(found, etree._Element):
        return " ".join(cast("Iterable[str]", found.itertext()))
    return json.dumps(found, ensure_ascii=False)


def _misfit(key: str, selector: Selector | None, where: str) -> SearchAnswer:
    finds = "nothing looks like one"
    if selector:
        finds = f"{key} = {selector.language}:{selector.expression} finds none"
    reason = f"no word that there are no results, but {finds}{where}"
    return SearchAnswer(SearchStatus.UNREADABLE, reason=reason)


def _too_much(root: etree._Element) -> str:
    """Say why a page is better not searched; "" for every real one."""
    count = depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        count += event == "start"
        if count > MOST_ELEMENTS or depth > _DEEPEST:
            return f"no result page: over {MOST_ELEMENTS} elements, or {_DEEPEST} inside each other"
    return ""


def _top_elements(found: Iterable[Any]) -> list[etree._Element]:
    """Leave out results that stand inside another one."""
    elements = [one for one in found if isinstance(one, etree._Element)]
    known = set(elements)
    return [one for one in elements[:MOST_RESULTS] if known.isdisjoint(one.iterancestors())]


def _visible_text(document: Document) -> str:
    """Return the title and what a reader sees of a page."""
    parts = [document.title]
    walker = etree.iterwalk(document.root, events=("start", "end"))
    for event, element in walker:
        if event == "end":
            parts.append(element.tail or "")
        elif element.tag in _UNSEEN or _HIDDEN.search(element.get("style", "")):
            walker.skip_subtree()
        else:
            parts.append(element.text or "")
    return " ".join(" ".join(parts).split())


def _challenge(document: Document) -> str:
    """Return what in the markup belongs to a captcha, or ""."""
    for element in cast("list[etree._Element]", _FIND_MARKED(document.root)):
        for name in ("id", "class", "src", "action"):
            if found := CHALLENGE.search(element.get(name, "")):
                return found[0]
    return ""
