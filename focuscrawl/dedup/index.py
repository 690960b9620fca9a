"""The index of stories (D): tells of each article, before it is stored, what it belongs to.

Nothing is compared with everything: the store finds articles by common terms, some of them are
looked at. What was told since the last commit is here, the rest in the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from focuscrawl.dedup import frequencies
from focuscrawl.dedup.clusters import Reading, begun, joined, merged, story_id_of
from focuscrawl.dedup.events import Cut, DocumentCounts
from focuscrawl.dedup.grams import PieceCounts
from focuscrawl.dedup.lookup import Lookup
from focuscrawl.dedup.matching import (
    FIRST,
    IS_COPY,
    NO_MATCHES,
    ONE_STORY,
    Match,
    Matches,
    copy_among,
    event_among,
    likely_copies,
    likely_events,
)
from focuscrawl.dedup.pending import Pending
from focuscrawl.dedup.sketch import Drawn, StoryRules, draw
from focuscrawl.dedup.unconfirmed import Unconfirmed, like_unconfirmed, with_joined
from focuscrawl.stores.base import Changes, Store, StoryArticle, StoryState

COUNTED = "story_words"
"""The kind of the facts that hold the document frequencies."""

NOTE_EVERY, NOTE_SHARE = 50, 0.05
"""Frequencies are written after so many articles, or this share of all when that is more."""

Confirm = Callable[[bool], Awaitable[None]]

EVER = float("inf")
COPIES_A_TERM, EVENTS_A_TERM = 50, 100
"""Of each term so many articles, the newest, become candidates."""


class Told(NamedTuple):
    """What an article belongs to. ``stories`` have changed with it; ``again``: it was known."""

    article: StoryArticle
    stories: tuple[StoryState, ...] = ()
    again: bool = False

    @property
    def is_copy(self) -> bool:
        """Whether an earlier article says the same."""
        return self.article.relation == IS_COPY


class StoryIndex:
    """The stories of one topic.

    ``known`` are articles that the results have and the store may not (a run was killed between
    the two): they keep what they were told.
    """

    def __init__(self, store: Store, rules: StoryRules, cut: Cut) -> None:
        self.rules = rules
        self.counts = DocumentCounts()
        self.pieces = PieceCounts()
        self._store = store
        self._cut = cut
        self._pending = Pending()
        self._lookup = Lookup(store, self._pending)
        self._known: dict[bytes, StoryArticle] = {}
        self._number = 0
        self._noted = 0
        self._turn = asyncio.Lock()
        self._unconfirmed: list[Unconfirmed] = []

    async def load(self, known: Iterable[StoryArticle] = ()) -> None:
        """Read what earlier runs counted. Of ``known`` only key, story and relation are used."""
        self._number = await self._store.last_story_article()
        facts = await self._store.facts(COUNTED, ["all"])
        if plain := facts.get("all"):
            self.counts, self.pieces = frequencies.unpacked(plain)
            self._noted = self.counts.documents
        self._known = {
            article.key: article
            for article in known
            if await self._store.story_article(article.key) is None
        }

    async def tell(self, reading: Reading, confirm: Confirm | None = None) -> Told:
        """Return what an article belongs to, and remember it.

        One that is known stays what it was; its text is taken anew, for it may have grown.
        ``confirm`` is awaited before it is remembered, and told whether it is a copy: when it
        raises, nothing is. Meanwhile those wait that might be copies of it.
        """
        drawn: Drawn | None = None
        while True:
            async with self._turn:  # two copies must not both find nothing
                if drawn is None:
                    title, text = reading.title, reading.text
                    drawn = draw(title, text, self.rules, self.counts, self._cut)
                known = await self._lookup.article_of(reading.key) or self._known.get(reading.key)
                other = None
                if known is None:
                    other = like_unconfirmed(
                        self._unconfirmed, reading.key, drawn, self.pieces, self.rules
                    )
                if other is None:
                    matches = await self._matches(reading, drawn) if known is None else NO_MATCHES
                    if confirm is None:
                        return await self._remember(reading, drawn, matches)
                    mine = Unconfirmed(_with_text(known or _told(reading, "", FIRST), drawn))
                    self._unconfirmed.append(mine)
                    break
            await other.ended.wait()
        try:
            await confirm(matches.is_copy if known is None else known.relation == IS_COPY)
            async with self._turn:
                matches = with_joined(
                    matches, mine.joined, drawn, reading.at, rules=self.rules, counts=self.counts
                )
                return await self._remember(reading, drawn, matches)
        finally:
            self._unconfirmed.remove(mine)
            mine.ended.set()

    async def is_duplicate(self, reading: Reading) -> bool:
        """Return what ``tell`` would say now, without remembering anything."""
        async with self._turn:
            known = await self._lookup.article_of(reading.key) or self._known.get(reading.key)
            if known is not None:
                return known.relation == IS_COPY
            drawn = draw(reading.title, reading.text, self.rules, self.counts, self._cut)
            return (await self._matches(reading, drawn)).is_copy

    # What is written ----------------------------------------------------------------------------

    def drain(self, *, closing: bool = False) -> Changes:
        """Hand over what was told since the last call; the caller commits it, then says so.

        ``closing``: the frequencies, too, which else are written now and then.
        """
        articles, stories = self._pending.drain()
        changes = Changes(story_articles=articles, stories=stories)
        fresh = self.counts.documents - self._noted
        if fresh and (closing or fresh >= max(NOTE_EVERY, NOTE_SHARE * self._noted)):
            self._noted = self.counts.documents
            changes.facts[COUNTED, "all"] = frequencies.packed(self.counts, self.pieces)
        return changes

    def committed(self) -> None:
        """Hear that everything handed over is in the store now."""
        self._pending.committed()

    # Looking ------------------------------------------------------------------------------------

    async def _matches(self, reading: Reading, drawn: Drawn) -> Matches:
        """Return what a new article belongs to; a copy comes alone."""
        rules, at, copied = self.rules, reading.at, None
        if rules.copies != "off" or rules.strict:
            found = await self._lookup.candidates(drawn.copy_terms, -EVER, EVER, COPIES_A_TERM)
            likely = await self._lookup.articles(likely_copies(found, drawn))
            copied = copy_among(drawn, likely, self.pieces, rules)
        matches = Matches(copied)
        if matches.is_copy or not rules.events or rules.strict:
            return matches
        first, last = at - rules.window, at + rules.window
        found = await self._lookup.candidates(drawn.event_terms, first, last, EVENTS_A_TERM)
        likely = await self._lookup.articles(likely_events(found, drawn, self.counts))
        return Matches(copied, event_among(drawn, likely, self.counts))

    # Telling ------------------------------------------------------------------------------------

    async def _remember(self, reading: Reading, drawn: Drawn, matches: Matches) -> Told:
        before = await self._lookup.article_of(reading.key)
        if before is not None:
            return self._told_again(before, drawn)
        adopted = self._known.pop(reading.key, None)
        if adopted is not None:
            return await self._join(reading, drawn, adopted)
        return await self._join_best(reading, drawn, matches.all)

    async def _join_best(self, reading: Reading, drawn: Drawn, matches: Sequence[Match]) -> Told:
        if not matches:
            story_id = story_id_of(reading.key)
            return await self._join(reading, drawn, _told(reading, story_id, FIRST))
        best = matches[0]
        told = _told(reading, best.article.story_id, best.relation)._replace(
            like_key=best.article.key.hex(),
            similarity=round(best.similarity, 4),
            because=best.because,
        )
        others = {m.article.story_id for m in matches[1:] if m.similarity >= ONE_STORY}
        return await self._join(reading, drawn, told, sorted(others))

    async def _join(
        self, reading: Reading, drawn: Drawn, told: StoryArticle, others: Sequence[str] = ()
    ) -> Told:
        """Make an article a member of its story, and of ``others`` the same story."""
        story = await self._lookup.story(told.story_id) or begun(told.story_id, reading)
        swallowed = []
        for story_id in others:
            other = await self._lookup.story(story_id)
            if other is not None and other.story_id != story.story_id:
                story, younger = merged(story, other)
                swallowed.append(younger)
        self._number += 1
        told = told._replace(number=self._number, at=reading.at, story_id=story.story_id)
        told = _with_text(told, drawn)
        story = joined(story, reading, told)
        self.counts.add(drawn.said.strength)
        if told.relation != IS_COPY:
            self.pieces.add(drawn.sketch.grams)
        self._pending.add(told, [story, *swallowed])
        for open_one in self._unconfirmed:
            if told.key != open_one.article.key and not open_one.terms.isdisjoint(told.terms):
                open_one.joined.append(told)
        return Told(told, (story, *swallowed))

    def _told_again(self, before: StoryArticle, drawn: Drawn) -> Told:
        told = _with_text(before, drawn)
        if told != before:
            self._pending.add(told, [])
        return Told(told, again=True)


def _told(reading: Reading, story_id: str, relation: str) -> StoryArticle:
    return StoryArticle(0, reading.key, reading.at, story_id, relation, "", 1.0, "", b"")


def _with_text(told: StoryArticle, drawn: Drawn) -> StoryArticle:
    """Let an article be found by its text; a copy is not, for what it copies is."""
    if told.relation == IS_COPY:
        return told
    return told._replace(sketch=drawn.sketch.packed(), terms=drawn.copy_terms + drawn.event_terms)
