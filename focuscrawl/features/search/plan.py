"""The searches of one cycle (C2): what to ask next, when to stop, whom not to ask again.

Pure: it makes addresses and judges answers, requests are other people's. One request of an engine
is under way at a time, so that a captcha ends the asking at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import md5
from typing import NamedTuple

import msgspec

from focuscrawl.features.search.engines import posted
from focuscrawl.features.search.result_page import SearchAnswer, SearchResult, SearchStatus
from focuscrawl.features.search.table import Query, SearchTable, all_queries
from focuscrawl.template.table import Topic
from focuscrawl.values import Json

MOST_PAGES = 76
"""Result pages of one search: what the published method takes of ten results each (C2)."""

MOST_UNREADABLE = 2
"""So many searches of an engine in a row that cannot be read, and it is asked no more."""


class SearchRequest(NamedTuple):
    """A result page to fetch. ``number`` is the search's place among all, from 1; so is ``page``.

    ``body`` is what is posted, "" for GET. Neither has the engine's key.
    """

    engine: str
    query: str
    page: int
    url: str
    number: int
    body: str = ""


class Ranked(NamedTuple):
    """A result that is new in its search: ``rank`` counts over all its pages, ``number`` as above."""

    query: Query
    number: int
    rank: int
    result: SearchResult


class Step(NamedTuple):
    """What follows from an answer.

    ``requests`` is what to ask next, ``found`` what is new. ``ended`` are searches answered in full: what they no longer show is missing.
    ``said`` is a line for the log, "" for an ordinary answer.
    """

    requests: tuple[SearchRequest, ...] = ()
    found: tuple[Ranked, ...] = ()
    ended: tuple[Query, ...] = ()
    said: str = ""


@dataclass(slots=True)
class _Asked:
    """How far the asking of one engine is: the search (index in the plan), its page and results."""

    search: int
    page: int = 1
    found: int = 0
    unreadable: int = 0
    seen: list[str] = field(default_factory=list)


class SearchPlan:
    """All searches of one cycle; ``state`` continues one that ``to_plain`` has described, unless its
    searches were others.

    ``begun`` is wall time at the start of the cycle. ``stopped`` tells for each engine that is not
    asked any more why. ``first``: these searches have not been made before, so what they find is known and
    no news. ``new``: the cycle has not been started yet, in this run or an earlier one. Lists
    (engines with ``urls``) are answered by ``start`` itself.
    """

    def __init__(
        self,
        search: SearchTable,
        topic: Topic,
        begun: float,
        state: Json | None = None,
        *,
        first: bool = True,
    ) -> None:
        self._search = search
        self._searches = all_queries(search, topic)
        self.new = not state or state.get("searches") != self._signature()
        if state is None or self.new:
            state = {}
        self.begun: float = state.get("begun", begun)
        self.first: bool = state.get("first", first)
        self.stopped: dict[str, str] = dict(state.get("stopped", {}))
        self.results: int = state.get("results", 0)
        self._asked = msgspec.convert(state.get("asked", {}), dict[str, _Asked])

    def to_plain(self) -> Json:
        """Return the state as plain values."""
        return {
            "begun": self.begun,
            "first": self.first,
            "searches": self._signature(),
            "stopped": dict(self.stopped),
            "results": self.results,
            "asked": msgspec.to_builtins(self._asked),
        }

    def _signature(self) -> str:
        """Return a short text that changes with the searches of the plan."""
        text = "\n".join(f"{query.engine}\t{query.text}" for query in self._searches)
        return md5(text.encode(), usedforsecurity=False).hexdigest()

    @property
    def done(self) -> bool:
        """Whether nothing is left to ask in this cycle."""
        return not self.new and not self._asked

    @property
    def refused(self) -> bool:
        """Whether the cycle has ended without a result because engines did not answer."""
        return self.done and not self.results and bool(self.stopped)

    def start(self) -> Step:
        """Return the first request of each engine and the results of lists, or what was under way."""
        found: list[Ranked] = []
        ended: list[Query] = []
        if self.new:
            self.new = False
            for index, query in enumerate(self._searches):
                urls = self._search.engine[query.engine].urls
                if urls:
                    found += [
                        Ranked(query, index + 1, rank, SearchResult(url, rank))
                        for rank, url in enumerate(dict.fromkeys(urls), 1)
                    ]
                    ended.append(query)
                else:
                    self._asked.setdefault(query.engine, _Asked(index))
            self.results += len(found)
        requests = tuple(self._request(asked) for asked in self._asked.values())
        return Step(requests, tuple(found), tuple(ended))

    def answered(self, request: SearchRequest, answer: SearchAnswer) -> Step:
        """Take the answer to a request; one that is not awaited (any more) changes nothing."""
        asked = self._asked.get(request.engine)
        if asked is None or (asked.search + 1, asked.page) != (request.number, request.page):
            return Step()
        if answer.status is SearchStatus.BLOCKED:
            return self.stop(request.engine, answer.reason)
        if answer.status is SearchStatus.UNREADABLE:
            return self._unreadable(request, asked, answer.reason)
        asked.unreadable = 0
        found = self._new_results(asked, answer.results)
        self.results += len(found)
        said = ""
        if answer.status is SearchStatus.EMPTY and request.page == 1:
            said = f"{request.engine} knows nothing about {request.query} ({answer.reason})"
        paged = self._search.engine[request.engine].is_paged
        if paged and found and asked.found < self._search.results and asked.page < MOST_PAGES:
            asked.page += 1
            return Step((self._request(asked),), found, (), said)
        return Step(self._next_search(asked), found, (self._searches[asked.search],), said)

    def stop(self, engine: str, reason: str) -> Step:
        """Ask an engine no more in this cycle: it refuses, robots.txt forbids, it is not reached."""
        if self._asked.pop(engine, None) is None:
            return Step()
        self.stopped[engine] = reason
        return Step(said=f"{engine} is not asked any more in this cycle: {reason}")

    def _unreadable(self, request: SearchRequest, asked: _Asked, reason: str) -> Step:
        asked.unreadable += 1
        if asked.unreadable >= MOST_UNREADABLE:
            return self.stop(request.engine, reason)
        said = f"{request.engine}, {request.query}, page {request.page}: {reason}"
        following = self._next_search(asked)
        if not following:
            self.stopped[request.engine] = reason
        return Step(following, said=said)

    def _new_results(self, asked: _Asked, results: Iterable[SearchResult]) -> tuple[Ranked, ...]:
        found = []
        query = self._searches[asked.search]
        for result in results:
            digest = md5(result.url.encode(), usedforsecurity=False).hexdigest()[:16]
            if asked.found < self._search.results and digest not in asked.seen:
                asked.seen.append(digest)
                asked.found += 1
                found.append(Ranked(query, asked.search + 1, asked.found, result))
        return tuple(found)

    def _next_search(self, asked: _Asked) -> tuple[SearchRequest, ...]:
        """Go on to the engine's next search, if there is one."""
        engine = self._searches[asked.search].engine
        following = asked.search + 1
        if following < len(self._searches) and self._searches[following].engine == engine:
            self._asked[engine] = _Asked(following, unreadable=asked.unreadable)
            return (self._request(self._asked[engine]),)
        del self._asked[engine]
        return ()

    def _request(self, asked: _Asked) -> SearchRequest:
        query = self._searches[asked.search]
        engine = self._search.engine[query.engine]
        assert engine.url is not None
        url = engine.url.of(query.text, asked.page, engine.encoding)
        if self._search.within and engine.within:
            url += engine.within.of(self._search.within, self.begun)
        body = posted(engine.post, query.text, asked.page) if engine.post else ""
        return SearchRequest(query.engine, query.text, asked.page, url, asked.search + 1, body)
