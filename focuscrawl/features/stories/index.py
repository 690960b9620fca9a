"""The index of stories (D): tells of each article, before it is stored, what it belongs to.

Nothing is compared with everything: the store finds articles by common terms, some of them are
looked at. What was told since the last commit is here, the rest in the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from focuscrawl.features.stories.copies import FULL, Grams, PieceCounts
from focuscrawl.features.stories.events import (
    ENOUGH_SHARED,
    FIRST,
    IS_COPY,
    Core,
    Cut,
    DocumentCounts,
    StoryReading,
    begun_story,
    core_of,
    joined,
    joint_core,
    mean_likeness,
    merged_stories,
    story_id_of,
)
from focuscrawl.features.stories.lookup import Lookup, Unconfirmed
from focuscrawl.features.stories.matches import (
    NO_MATCHES,
    ONE_STORY,
    Drawn,
    Match,
    Sketch,
    StoryMatches,
    copy_among,
    draw_words,
    event_among,
    fill_one_form,
    likely_copies,
    likely_events,
)
from focuscrawl.features.stories.table import StoryRules
from focuscrawl.stores.state.protocol import (
    Changes,
    EmbeddedStore,
    StoryArticle,
    StoryState,
    StoryStore,
)

WORD_COUNTS = "story_words"  # the kind of the facts that hold the document frequencies

# Frequencies are written after so many articles, or this share of all when that is more.
NOTE_EVERY, NOTE_SHARE = 50, 0.05

Confirm = Callable[[str], Awaitable[None]]

EVER = float("inf")
# Of each term so many articles, the newest, become candidates.
COPIES_A_TERM, EVENTS_A_TERM = 50, 100


class StoryTold(NamedTuple):
    """What an article belongs to. ``stories`` have changed with it; ``again``: it was known."""

    article: StoryArticle
    stories: tuple[StoryState, ...] = ()
    again: bool = False

    @property
    def is_copy(self) -> bool:
        """Whether an earlier article says the same."""
        return self.article.relation == IS_COPY


class Looked(NamedTuple):
    """What an article belongs to as things were; ``known`` is what was told of it before."""

    reading: StoryReading
    drawn: Drawn
    known: StoryArticle | None
    matches: StoryMatches

    @property
    def is_copy(self) -> bool:
        """Whether an earlier article says the same."""
        return bool(self.copied_key)

    @property
    def copied_key(self) -> str:
        """The key (hex) of the article that it is a copy of; "" when it is none."""
        if self.known is not None:
            return self.known.like_key if self.known.relation == IS_COPY else ""
        copied = self.matches.copied
        return copied.article.key.hex() if copied is not None and self.matches.is_copy else ""

    @property
    def copied_from(self) -> bytes:
        """The key of the article whose text this new one has, b"" for none."""
        copied = self.matches.copied if self.matches.is_copy else None
        return copied.article.key if copied else b""


class OpenArticles:
    """Articles that are announced before they are remembered: whether they are stored is open."""

    def __init__(self, rules: StoryRules) -> None:
        self._rules = rules
        self._all: list[Unconfirmed] = []

    def __iter__(self) -> Iterator[Unconfirmed]:
        """Go through them."""
        return iter(self._all)

    def keep(self, looked: Looked) -> Unconfirmed:
        """Keep an article in mind until its ``end``."""
        told = looked.known or _told(looked.reading, "", FIRST)
        mine = Unconfirmed(_with_text(told, looked.drawn))
        self._all.append(mine)
        return mine

    def end(self, mine: Unconfirmed) -> None:
        """Drop an article that is remembered, or never will be."""
        self._all.remove(mine)
        mine.ended.set()

    def like(self, key: bytes, drawn: Drawn, pieces: PieceCounts) -> Unconfirmed | None:
        """Return the same article, or one that this may be a copy of."""
        looks = self._rules.copies != "off" or self._rules.strict
        terms = frozenset(drawn.copy_terms) if looks else frozenset()
        for other in self._all:
            if other.article.key == key:
                return other
            if likely_copies(((term, 0) for term in terms & other.terms), drawn) and copy_among(
                drawn, [other.article], pieces, self._rules
            ):
                return other
        return None


class StoryIndex:
    """The stories of one topic.

    ``known`` are articles that the results have and the store may not (a run was killed between
    the two): they keep what they were told.
    """

    def __init__(self, store: StoryStore, rules: StoryRules, cut: Cut) -> None:
        self.rules = rules
        self.counts = DocumentCounts()
        self.pieces = PieceCounts()
        self._store = store
        self._cut = cut
        self._lookup = Lookup(store)
        self._known: dict[bytes, StoryArticle] = {}
        self._number = 0
        self._noted = 0
        self._turn = asyncio.Lock()
        self._open = OpenArticles(rules)
        self._unsure: CountedWords | None = None

    async def load(self, known: Iterable[StoryArticle] = ()) -> None:
        """Read what earlier runs counted. Of ``known`` only key, story and relation are used."""
        self._number = await self._store.last_story_article()
        facts = await self._store.facts(WORD_COUNTS, ["all"])
        if plain := facts.get("all"):
            self.counts, self.pieces = unpacked_counts(plain)
            self._noted = self.counts.documents
        await self.know(known)

    async def know(self, known: Iterable[StoryArticle]) -> None:
        """Let those of some articles keep what they were told that the store has not."""
        self._known = {
            article.key: article
            for article in known
            if await self._store.story_article(article.key) is None
        }

    async def tell(self, reading: StoryReading, confirm: Confirm | None = None) -> StoryTold:
        """Return what an article belongs to, and remember it.

        One that is known stays what it was; its text is taken anew, for it may have grown.
        ``confirm`` is awaited before it is remembered, with the key (hex) of what it is a copy of, "" of
        none: when it raises, nothing is. Meanwhile those wait that might be copies of it.
        """
        drawn: Drawn | None = None
        while True:
            async with self._turn:  # two copies must not both find nothing
                if drawn is None:
                    drawn = self._draw(reading)
                known = await self._lookup.article_of(reading.key) or self._known.get(reading.key)
                other = None
                if known is None:
                    other = self._open.like(reading.key, drawn, self.pieces)
                if other is None:
                    matches = await self._matches(reading, drawn) if known is None else NO_MATCHES
                    if confirm is None:
                        return await self._remember(reading, drawn, matches)
                    looked = Looked(reading, drawn, known, matches)
                    mine = self._open.keep(looked)
                    break
            await other.ended.wait()
        try:
            await confirm(looked.copied_key)
            async with self._turn:
                matches = self._with_joined(matches, mine.joined, drawn, reading.at)
                return await self._remember(reading, drawn, matches)
        finally:
            self._open.end(mine)

    def _draw(self, reading: StoryReading) -> Drawn:
        words = reading.title, reading.text, self.rules, self.counts, self._cut
        return draw_words(*words, site=reading.host)._replace(found_on=reading.found_on)

    async def is_duplicate(self, reading: StoryReading) -> bool:
        """Return whether ``tell`` would call an article a copy now."""
        return (await self.look(reading)).is_copy

    async def copied_from(self, reading: StoryReading) -> bytes:
        """Return the key of the article that ``tell`` would say now this one copies, b"" for none."""
        return (await self.look(reading)).copied_from

    async def look(self, reading: StoryReading) -> Looked:
        """Return what ``tell`` would say now, without remembering anything."""
        async with self._turn:
            known = await self._lookup.article_of(reading.key) or self._known.get(reading.key)
            drawn = self._draw(reading)
            matches = await self._matches(reading, drawn) if known is None else NO_MATCHES
            return Looked(reading, drawn, known, matches)

    async def remember(self, looked: Looked) -> StoryTold:
        """Tell an article that was not known when it was looked for, and since when nothing was told."""
        reading, drawn = looked.reading, looked.drawn
        return await self._join_best(reading, drawn, await self._fitting(drawn, looked.matches))

    def begin(self, number: int) -> None:
        """Tell the next article from what is stored alone, in which ``number`` is the highest.

        What was told before and not ``confirmed`` was never stored, and counts no more.
        """
        self._lookup = Lookup(self._store)
        self._number = number
        if self._unsure is not None:
            self._unsure.take_from(self.counts, self.pieces)
            self._unsure = None

    @property
    def unsure(self) -> CountedWords | None:
        """What was counted with the article that was told last and is not ``confirmed``."""
        return self._unsure

    def confirmed(self) -> None:
        """Let the counts of what was told last stand: it is stored."""
        self._unsure = None

    # What is written ----------------------------------------------------------------------------

    def drain(self, *, closing: bool = False) -> Changes:
        """Hand over what was told since the last call; the caller commits it, then says so.

        ``closing``: the frequencies, too, which else are written now and then.
        """
        articles, stories = self.drain_told()
        changes = Changes(story_articles=articles, stories=stories)
        fresh = self.counts.documents - self._noted
        if fresh and (closing or fresh >= max(NOTE_EVERY, NOTE_SHARE * self._noted)):
            self._noted = self.counts.documents
            changes.facts[WORD_COUNTS, "all"] = packed_counts(self.counts, self.pieces)
        return changes

    def drain_told(self) -> tuple[list[StoryArticle], list[StoryState]]:
        """Hand over the same without frequencies."""
        return self._lookup.drain()

    def committed(self) -> None:
        """Note that everything handed over is in the store now."""
        self._lookup.committed()

    # Looking ------------------------------------------------------------------------------------

    async def _matches(self, reading: StoryReading, drawn: Drawn) -> StoryMatches:
        """Return what a new article belongs to; a copy comes alone."""
        rules, at, copied = self.rules, reading.at, None
        if rules.copies != "off" or rules.strict:
            found = await self._lookup.candidates(drawn.copy_terms, -EVER, EVER, COPIES_A_TERM)
            likely = await self._lookup.articles(likely_copies(found, drawn))
            copied = copy_among(drawn, likely, self.pieces, rules)
        matches = StoryMatches(copied)
        if matches.is_copy or not rules.events or rules.strict:
            return matches
        first, last = at - rules.window, at + rules.window
        found = await self._lookup.candidates(drawn.event_terms, first, last, EVENTS_A_TERM)
        likely = await self._lookup.articles(likely_events(found, drawn, self.counts))
        return event_among(drawn, likely, self.counts)._replace(copied=copied)

    def _with_joined(
        self, matches: StoryMatches, joined: Sequence[StoryArticle], drawn: Drawn, at: float
    ) -> StoryMatches:
        """Return what an article belongs to, now that others were remembered."""
        rules = self.rules
        if not joined or matches.is_copy or not rules.events or rules.strict:
            return matches
        near = {one.number: one for one in joined if abs(one.at - at) <= rules.window}
        wanted = set(drawn.event_terms)
        found = [
            (term, number) for number in near for term in wanted.intersection(near[number].terms)
        ]
        likely = [near[number] for number in likely_events(found, drawn, self.counts)]
        more = event_among(drawn, likely, self.counts)
        events = sorted((*matches.events, *more.events), key=lambda match: -match.similarity)
        return StoryMatches(matches.copied, events, (*matches.others, *more.others))

    # Telling ------------------------------------------------------------------------------------

    async def _remember(
        self, reading: StoryReading, drawn: Drawn, matches: StoryMatches
    ) -> StoryTold:
        before = await self._lookup.article_of(reading.key)
        if before is not None:
            return self._told_again(before, drawn)
        adopted = self._known.pop(reading.key, None)
        if adopted is not None:
            return await self._join(reading, drawn, adopted)
        return await self._join_best(reading, drawn, await self._fitting(drawn, matches))

    async def _fitting(self, drawn: Drawn, matches: StoryMatches) -> list[Match]:
        """Return the matches whose stories take an article, the best first.

        One event has one filling of a form, and what it tells is like the core of the story, not
        only like the member that came last.
        """
        fitting = [] if matches.copied is None else [matches.copied]
        foreign = {await self._story_id(article) for article in matches.others}
        for match in matches.events:
            story = await self._lookup.story(match.article.story_id)
            if story is not None and story.core:
                core = Core.unpacked(story.core)
                if mean_likeness(drawn.sketch.words, core, self.counts) < ENOUGH_SHARED:
                    continue
            if await self._story_id(match.article) not in foreign:
                fitting.append(match)
        return fitting

    async def _join_best(
        self, reading: StoryReading, drawn: Drawn, matches: Sequence[Match]
    ) -> StoryTold:
        if not matches:
            story_id = story_id_of(reading.key)
            return await self._join(reading, drawn, _told(reading, story_id, FIRST))
        best = matches[0]
        told = _told(reading, best.article.story_id, best.relation)._replace(
            like_key=best.article.key.hex(),
            similarity=round(best.similarity, 4),
            because=best.because,
        )
        same = [match for match in matches[1:] if match.similarity >= ONE_STORY]
        first = Sketch.unpacked(best.article.sketch)
        others = [m for m in same if not fill_one_form(first, Sketch.unpacked(m.article.sketch))]
        return await self._join(reading, drawn, told, [best, *others])

    async def _join(
        self, reading: StoryReading, drawn: Drawn, told: StoryArticle, like: Sequence[Match] = ()
    ) -> StoryTold:
        """Make an article a member of its story; those of what it is ``like`` are all one."""
        story = await self._lookup.story(told.story_id) or begun_story(told.story_id, reading)
        swallowed: list[StoryState] = []
        cores = [self._core_of(story, like[0].article)] if like else []
        for match in sorted(like[1:], key=lambda match: match.article.story_id):
            other = await self._lookup.story(match.article.story_id)
            if other is None or other.story_id in {
                story.story_id,
                *(s.story_id for s in swallowed),
            }:
                continue
            cores.append(self._core_of(other, match.article))
            story, younger = merged_stories(story, other)
            swallowed.append(younger)
        if like and told.relation != IS_COPY:
            cores.append(core_of(drawn.sketch.words, self.counts))
        if len(cores) > 1:
            story = story._replace(core=joint_core(cores, self.counts).packed())
        self._number += 1
        told = told._replace(number=self._number, at=reading.at, story_id=story.story_id)
        told = _with_text(told, drawn)
        story = joined(story, reading, told)
        counted = CountedWords.of(drawn, is_copy=told.relation == IS_COPY)
        counted.add_to(self.counts, self.pieces)
        self._unsure = counted
        self._lookup.add(told, [story, *swallowed])
        for open_one in self._open:
            if told.key != open_one.article.key and not open_one.terms.isdisjoint(told.terms):
                open_one.joined.append(told)
        return StoryTold(told, (story, *swallowed))

    def _core_of(self, story: StoryState, text: StoryArticle) -> Core:
        """Return the core of a story; one that has none has one text, or is of an old file."""
        if story.core:
            return Core.unpacked(story.core)
        return core_of(Sketch.unpacked(text.sketch).words, self.counts)

    async def _story_id(self, article: StoryArticle) -> str:
        """Return the id of an article's story, which may have been swallowed."""
        story = await self._lookup.story(article.story_id)
        return article.story_id if story is None else story.story_id

    def _told_again(self, before: StoryArticle, drawn: Drawn) -> StoryTold:
        told = _with_text(before, drawn)
        if told != before:
            self._lookup.add(told, [])
        return StoryTold(told, again=True)


def _told(reading: StoryReading, story_id: str, relation: str) -> StoryArticle:
    told = StoryArticle(0, reading.key, reading.at, story_id, relation, "", 1.0, "", b"")
    return told if reading.published is not None else told._replace(dated=False)


def _with_text(told: StoryArticle, drawn: Drawn) -> StoryArticle:
    """Let an article be found by its text; a copy is not, for what it copies is."""
    if told.relation == IS_COPY:
        return told
    return told._replace(sketch=drawn.sketch.packed(), terms=drawn.copy_terms + drawn.event_terms)


class CountedWords(NamedTuple):
    """What frequencies count of one article: the hashes of its words, and of its pieces unless it is a copy."""

    words: Sequence[int]
    pieces: Grams | None

    @classmethod
    def of(cls, drawn: Drawn, *, is_copy: bool) -> CountedWords:
        """Return what is to be counted of an article."""
        return cls([*drawn.said.strength], None if is_copy else drawn.sketch.grams)

    def add_to(self, counts: DocumentCounts, pieces: PieceCounts) -> None:
        """Count the article."""
        counts.add(self.words)
        if self.pieces is not None:
            pieces.add(self.pieces)

    def take_from(self, counts: DocumentCounts, pieces: PieceCounts) -> None:
        """Count the article no more."""
        counts.take_back(self.words)
        if self.pieces is not None:
            pieces.take_back(self.pieces)

    def packed(self) -> bytes:
        """Return it as other workers read it: 4 bytes a hash."""
        pieces = None if self.pieces is None else self.pieces.hashes.astype("<u4").tobytes()
        words = np.fromiter(self.words, "<u4", len(self.words))
        return msgspec.msgpack.encode((words.tobytes(), pieces))

    @classmethod
    def unpacked(cls, packed: bytes) -> CountedWords:
        """Read what ``packed`` made; of the pieces there is what is counted."""
        words, pieces = _decode_counted(packed)
        hashes = None if pieces is None else np.frombuffer(pieces, "<u4")
        return cls(
            np.frombuffer(words, "<u4").tolist(),
            None if hashes is None else Grams(hashes, FULL, len(hashes)),
        )


_decode_counted = msgspec.msgpack.Decoder(tuple[bytes, bytes | None]).decode


def packed_counts(counts: DocumentCounts, pieces: PieceCounts) -> Mapping[str, Any]:
    """Return a fact that holds them; words that are rare are forgotten before."""
    counts.forget_rare()
    numbers = counts.counts
    return {
        "documents": counts.documents,
        "articles": pieces.articles,
        "pieces": pieces.packed(),
        "words": np.fromiter(numbers, "<u4", len(numbers)).tobytes(),
        "documents_with": np.fromiter(numbers.values(), "<u4", len(numbers)).tobytes(),
    }


def unpacked_counts(fact: Mapping[str, Any]) -> tuple[DocumentCounts, PieceCounts]:
    """Read what ``packed_counts`` made."""
    hashes = np.frombuffer(fact["words"], "<u4").tolist()
    numbers = np.frombuffer(fact["documents_with"], "<u4").tolist()
    counts = dict(zip(hashes, numbers, strict=True))
    return (
        DocumentCounts(fact["documents"], counts),
        PieceCounts(fact["articles"], fact["pieces"]),
    )


# Without stories ---------------------------------------------------------------------------------

_COPIES_LIVE_IN = 0  # the partition of all texts: copies reach over sites


class NearCopy(NamedTuple):
    """``key`` of the text that was there before, how alike both are (0 … 1), and why, for people."""

    key: str
    similarity: float
    because: str


class ItemFields(NamedTuple):
    """In which fields items of a user's own have what is compared; ``mark`` takes the key of a copy."""

    key: str
    text: str
    title: str
    mark: str

    def words(self, item: Mapping[str, Any]) -> tuple[str, ...]:
        """Return key, text and title of an item, "" for what it lacks."""
        return tuple(_joined(item.get(name)) for name in (self.key, self.text, self.title))

    def why_not(self, item: Mapping[str, Any], names: Sequence[str], *, is_empty: bool) -> str:
        """Return why an item cannot be compared, and what to do; nothing when it can.

        It must have a field for the mark when it can have those of these ``names`` only.
        """
        if is_empty:
            return (
                f"it has nothing in {self.key!r} or {self.text!r}, only"
                f" {', '.join(map(repr, item)) or 'no field'}; if it is to be, say in"
                " FOCUSCRAWL_NEAR_DUPLICATE_FIELDS where its address and its text are"
            )
        if names and self.mark not in names:
            return (
                f"it has no field {self.mark!r} for the mark; give its class one, or name another in"
                " FOCUSCRAWL_NEAR_DUPLICATE_FIELDS"
            )
        return ""


def _joined(value: Any) -> str:
    """Return a field's text, of several pieces as ``getall`` returns them, too."""
    if isinstance(value, list | tuple):
        return "\n".join(piece for piece in value if isinstance(piece, str))
    return value if isinstance(value, str) else ""


class NearCopies:
    """Copies for a project of a user's own: the index without events, in a store of its own.

    The store is owned while it is open. A text is kept, under its key, before ``tell`` returns: what
    comes once more after a crash is what it was the first time. Raises StoreError.
    """

    def __init__(self, store: EmbeddedStore) -> None:
        self._store = store
        # Only events need words: nothing is cut, and no dictionary of words is loaded.
        self._index = StoryIndex(
            store, StoryRules(copies="join", events=False, window=0.0, strict=False), str.split
        )

    async def open(self) -> None:
        """Take the store and read what was counted."""
        self._store.own()
        try:
            await self._index.load()
        except BaseException:
            self._store.release()
            raise

    async def tell(self, key: str, text: str, found: float, title: str = "") -> NearCopy | None:
        """Return what a text is a copy of, None for the first of its kind; remember it.

        ``found`` is in seconds since 1970 UTC. A title tells issues of one series apart, of which
        none is a copy: its numbers are others.
        """
        told = await self._index.tell(StoryReading(key.encode(), "", title, text, None, found))
        # Before the item goes on: what others have stored must be known to be the first of its text.
        self._commit()
        if not told.is_copy:
            return None
        article = told.article
        return NearCopy(
            bytes.fromhex(article.like_key).decode(), article.similarity, article.because
        )

    def close(self) -> None:
        """Write what was counted and give the store back."""
        try:
            self._commit(closing=True)
        finally:
            self._store.release()

    def _commit(self, *, closing: bool = False) -> None:
        if changes := self._index.drain(closing=closing):
            self._store.commit({_COPIES_LIVE_IN: changes})
            self._index.committed()
