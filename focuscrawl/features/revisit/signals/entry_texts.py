"""The texts that feeds show: a page whose text stands in a feed as it stood there before its last visit has not changed.

A feed that shows whole articles says of ten to a hundred pages, in the one request that every run makes anyway, that each
is as it is known; the young among them need no look then. Of a Pelican of 70 posts, 19 of them young, quiet days cost 21, 6
and 24 requests, and cost 3, 6 and 7 so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.features.revisit.change.visit_comparison import LETTERS
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState

if TYPE_CHECKING:
    from collections.abc import Callable

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Clock, ShownText

FEED_TEXTS = "feed_texts"
"""A kind of facts: by the key of a feed, page → [number of the text, its letters, since when it stands there]."""

SHARE_SHOWN = 0.9
"""The part of an article's letters that an entry has at least that shows all of it: pages add bylines and captions. What
an excerpt leaves out may change unseen."""

SAME_TIME = 3_600.0
"""A page that was fetched so many seconds before its text was first seen in a feed, at most, has that text: both are
read in one run."""


class FeedTexts:
    """What the feeds of a run show of the pages of their own sites."""

    def __init__(self, store: Store, frontier: Frontier, clock: Clock) -> None:
        self._store = store
        self._frontier = frontier
        self._clock = clock
        self._shown: dict[str, tuple[float, dict[str, Any]]] = {}
        """Site → when its feeds were read last, and what they show: as ``FEED_TEXTS``, of all feeds together."""
        self._unchanged: list[PageState] = []

    async def read(self, key: bytes, site: str, shown: Mapping[bytes, ShownText]) -> None:
        """Take what a feed shows, by the keys of the pages; what it shows no more is forgotten."""
        now, name = self._clock.wall(), key.hex()
        known = (await self._store.facts(FEED_TEXTS, [name])).get(name) or {}
        found: dict[str, Any] = {}
        for page, text in shown.items():
            before = known.get(page.hex())
            is_same = before is not None and before[0] == text.number
            found[page.hex()] = before if is_same else [text.number, text.letters, now]
        if found != known:
            self._frontier.note_fact(FEED_TEXTS, name, found or None, partition_of(site))
        self._take(site, found, now)

    def came_unchanged(self, feed: PageState) -> None:
        """Note a feed that shows the same as when it was read last."""
        self._unchanged.append(feed)

    async def quiet(self, pages: Iterable[PageState]) -> dict[bytes, float]:
        """Return the keys of those pages that are unchanged, with the time (wall) at which a feed showed it."""
        await self._take_unchanged()
        found: dict[bytes, float] = {}
        for page in pages:
            read, texts = self._shown.get(page.site, (0.0, {}))
            text = texts.get(page.key.hex())
            if text is not None and page.page_class is PageClass.ARTICLE and _is_known(page, *text):
                found[page.key] = read
        return found

    def release(self, partitions: Partitions) -> None:
        """Forget the feeds of some partitions."""
        partitions.take_from(self._shown)
        self._unchanged = [one for one in self._unchanged if not partitions.has(one.site)]

    async def _take_unchanged(self) -> None:
        feeds = {one.key.hex(): one.site for one in self._unchanged}
        self._unchanged = []
        if feeds:
            facts = await self._store.facts(FEED_TEXTS, [*feeds])
            for name, texts in facts.items():
                self._take(feeds[name], texts, self._clock.wall())

    def _take(self, site: str, texts: dict[str, Any], now: float) -> None:
        _, known = self._shown.get(site, (0.0, {}))
        self._shown[site] = (now, known | texts)


def waiting_for_feeds(
    queued: Iterable[PageState], is_young: Callable[[PageState], bool]
) -> Callable[[PageState], bool] | None:
    """Return what says of a due page that it waits for a feed of its site that is about to be read; None: of none.

    Feeds show what is young. What is old has its turn with others: behind them nothing would be left of its share.
    """
    sites = {one.site for one in queued if one.page_class is PageClass.FEED}
    if not sites:
        return None
    return lambda page: page.site in sites and is_young(page)


def _is_known(page: PageState, number: int, letters: int, since: float) -> bool:
    """Whether a text that stands in a feed since then is the whole of a page as its last visit has found it."""
    known: int = page.facts.get(LETTERS, 0)
    return bool(known) and letters >= SHARE_SHOWN * known and since <= page.last_fetched + SAME_TIME
