"""The forums of one run (A9): threads that are read, and those that have grown since.

What a thread held when it was read last is a fact of the crawl's own file, written in the commit that
ends the last of its pages. While it is read its Walk is one, written with or before the address of the
page that comes next. So a kill at any moment neither forgets a page nor takes a count for read.
"""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from focuscrawl.features.forums.threads.blocks import MOST_POSTS
from focuscrawl.features.forums.walks import Read, Walk
from focuscrawl.urls.sites import partition_of, site_of
from focuscrawl.values import BoardThread, LinkBatch, PageClass, Post, ThreadCounts, Waiting

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Awaitable, Callable

    from focuscrawl.features.forums.rows import StoredPost
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission import Add
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.stores.state.protocol import Store
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Clock

    AskPosts = Callable[[str, int, int], Awaitable[dict[int, StoredPost] | None]]

# Kinds of facts, by the key of a thread's first page: where a reading ended (or the key of the thread that stands
# there), those under way; by what opens a thread, its key.
THREAD_ENDS, WALKS, OPENINGS = "threads", "thread_walks", "thread_openings"

# Readings that ended lately are known without asking the store, which may not have them yet.
ENDED_KEPT = 10_000

# Seconds without a page after which a thread counts as read: its next page was known or refused.
LONGEST_WALK = 86400.0


class Grown(NamedTuple):
    """A thread that has more replies than when it was read last."""

    thread: BoardThread
    walk: Walk
    key: bytes


class Heard(NamedTuple):
    """What a board says of threads that are known: ``counts`` of those that are stored;
    ``counted`` are the keys of all whose replies it counts: what has grown is taken at once, and the
    others need no visit.
    """

    counts: tuple[ThreadCounts, ...] = ()
    counted: tuple[bytes, ...] = ()


class ThreadReadings:
    """The threads of one run. ``walks`` are those being read, by the key of their first page.

    ``stored_posts(key, first, last)`` returns the posts of a thread that are stored, by number.
    """

    def __init__(
        self,
        rules: AdmissionRules,
        frontier: Frontier,
        store: Store,
        clock: Clock,
        counters: Counter[str],
        stored_posts: AskPosts,
    ) -> None:
        self.walks: dict[bytes, Walk] = {}
        self._rules = rules
        self._frontier = frontier
        self._store = store
        self._clock = clock
        self._counters = counters
        self._stored_posts = stored_posts
        self._posts: dict[str, dict[int, StoredPost]] = {}
        self._ended: dict[bytes, Walk] = {}
        self._opened: dict[str, str] = {}
        self._told: dict[int, BoardThread] = {}
        self._grown: dict[int, Grown] = {}

    async def load(self, partitions: Partitions) -> None:
        """Read which threads of some partitions were being read when an earlier run ended."""
        for walks in (await self._store.facts_in(partitions, WALKS)).values():
            for key, value in walks.items():
                self.walks[bytes.fromhex(key)] = msgspec.convert(value, Walk)

    def release(self, partitions: Partitions) -> None:
        """Forget the threads of some partitions; their readings are facts."""
        for memory in (self.walks, self._ended):
            for key in [key for key, walk in memory.items() if _home(walk) in partitions]:
                del memory[key]

    async def recall(self, waiting: Waiting) -> None:
        """Find out how far a thread was read that is visited again, since its board may not say so,
        and what the stored posts of its page say.
        """
        key = waiting.first_key or waiting.key
        is_visit = not waiting.first_walk and waiting.page_class is PageClass.THREAD
        if is_visit and key not in self.walks:
            ended = (await self._ended_walks([key])).get(key)
            if ended is not None and ended[0] == key:  # else another thread stands here
                self.walks[key] = self._begun(ended[1], None)
        walk = self.walks.get(key)
        if walk is not None and walk.before and walk.relevant:
            first, last = _numbers_on(walk, waiting.page_number if waiting.first_key else 1)
            self._posts[key.hex()] = await self._stored_posts(key.hex(), first, last) or {}

    def edited(self, read: Read) -> list[Post]:
        """Return the known posts of a page that say something else than what is stored of them.

        Empty where a stored number belongs to another post now: then posts were deleted, and the
        numbers that are left are those of others.
        """
        stored = self._posts.pop(read.key, {})
        pairs = [(post, stored[post.post_no]) for post in read.known if post.post_no in stored]
        if not all(before.is_of(post) for post, before in pairs):
            return []
        found = [post for post, before in pairs if not before.says(post.text)]
        self._counters["posts_edited"] += len(found)
        return found

    # Boards -------------------------------------------------------------------------------------

    async def prepare(self, batch: LinkBatch) -> Heard:
        """Find out which threads of a board are new, and which have grown; before it is admitted.

        Returns what the board says of the others.
        """
        asked: dict[bytes, tuple[int, BoardThread]] = {}
        for thread in batch.threads:
            self._rules.known.discard(thread.url)  # else admission would not look at it
            look = self._rules.look(thread.url)
            if look.refused_page is not None:
                continue  # admission refuses it, and nothing would ever take it out again
            address = look.address
            if address.number not in self._frontier.seen:
                self._told[address.number] = thread
            elif thread.replies is not None and not self._is_read(address.key):
                asked[address.key] = (address.number, thread)
        counts, counted = [], []
        for key, (first, walk) in (await self._ended_walks(list(asked))).items():
            number, thread = asked[key]
            if walk.relevant:
                counts.append(ThreadCounts(first.hex(), thread.replies, thread.views))
            if (thread.replies or 0) > walk.counted:
                self._grown[number] = Grown(thread, walk, first)
            counted.append(first)
        return Heard(tuple(counts), tuple(counted))

    def add(self, waiting: Waiting, number: int, add: Add) -> bool:
        """Add a link of a board to the frontier: what is new, and threads that have grown.

        Those are taken again from their last known page on. ``add`` takes all others, also those
        that are gone and may be back.
        """
        told, grown = self._told.pop(number, None), self._grown.pop(number, None)
        if waiting.page_class is not PageClass.THREAD:
            return add(waiting, number)
        if grown is not None:
            key = grown.key
            if self._is_read(key):
                return False
            walk = self._begun(grown.walk, grown.thread, waiting)
            self._note(key, walk)
            self._frontier.add_again(self._last_page(waiting, walk, key))
            self._counters["threads_grown"] += 1
            return True
        if not add(waiting, number):
            return False
        if told is not None:
            walk = Walk(waiting.url, page_url=waiting.url)
            self._note(waiting.key, self._begun(walk, told, waiting))
        return True

    def _begun(
        self, walk: Walk, thread: BoardThread | None, waiting: Waiting | None = None
    ) -> Walk:
        """Return the reading that begins where another one has ended."""
        walk = walk._replace(before=walk.posts, at=self._clock.wall(), news="")
        if thread is None or waiting is None:
            return walk
        return walk._replace(
            board_key=waiting.parent_key.hex(),
            replies=thread.replies,
            views=thread.views,
            author=thread.author,
            last_reply=thread.last_reply,
        )

    def _last_page(self, waiting: Waiting, walk: Walk, key: bytes) -> Waiting:
        """Return a thread as it is queued again: its last known page."""
        is_first = walk.page <= 1
        address = self._rules.look(walk.url if is_first else walk.page_url).address
        return waiting._replace(
            url=address.url,
            key=key if is_first else address.key,
            site=address.site,
            page_class=PageClass.THREAD if is_first else PageClass.ARTICLE_PAGING,
            page_number=walk.page,
            first_key=b"" if is_first else key,
            first_walk=False,
            baseline=0,  # it was read, so what it did not have then is new
        )

    def _is_read(self, key: bytes) -> bool:
        walk = self.walks.get(key)
        return walk is not None and self._clock.wall() - walk.at < LONGEST_WALK

    async def _ended_walks(self, keys: list[bytes]) -> dict[bytes, tuple[bytes, Walk]]:
        """Return by the keys of addresses the threads that stand there, each with its last reading."""
        found = {key: (key, self._ended[key]) for key in keys if key in self._ended}
        rest = [key.hex() for key in keys if key not in found]
        facts = await self._store.facts(THREAD_ENDS, rest) if rest else {}
        moved = {key: to for key, to in facts.items() if isinstance(to, str)}
        targets = await self._store.facts(THREAD_ENDS, list(moved.values())) if moved else {}
        for key, value in facts.items():
            first = moved.get(key, key)
            walk: Any = self._ended.get(bytes.fromhex(first)) or targets.get(first, value)
            if not isinstance(walk, str):
                found[bytes.fromhex(key)] = bytes.fromhex(first), msgspec.convert(walk, Walk)
        return found

    # Threads ------------------------------------------------------------------------------------

    def read(self, read: Read) -> None:
        """A page of a thread was read: what it gave is written down before its next page is queued."""
        if not read.ended:
            self._note(bytes.fromhex(read.key), read.walk)
        mark = opening_mark(read)
        if mark and not read.walk.before:
            self._opened[mark] = read.key
            if len(self._opened) > ENDED_KEPT:
                del self._opened[next(iter(self._opened))]
            self._frontier.note_fact(OPENINGS, mark, read.key, _home(read.walk))

    async def opened_before(self, read: Read) -> str:
        """Return the key of another thread of its site that was opened with the same words; "" for none."""
        mark = opening_mark(read)
        if not mark:
            return ""
        known = self._opened.get(mark) or (await self._store.facts(OPENINGS, [mark])).get(mark, "")
        return "" if known == read.key else known

    def shows_stored(self, read: Read) -> bool:
        """Whether half of the posts of a page are those that are stored of its thread."""
        stored = self._posts.get(read.key, {})
        pairs = [(post, stored[post.post_no]) for post in read.known if post.post_no in stored]
        same = sum(before.is_of(post) and before.says(post.text) for post, before in pairs)
        return same > 0 and 2 * same >= len(pairs)

    def stands_at(self, waiting: Waiting, key: str) -> None:
        """Note another address of a thread: what boards say of that address holds for the thread."""
        address = self._rules.look(waiting.url).address
        if address.key.hex() != key:
            self._frontier.note_fact(
                THREAD_ENDS, address.key.hex(), key, partition_of(address.site)
            )
            if (walk := self.walks.pop(address.key, None)) is not None:
                self._frontier.note_fact(WALKS, address.key.hex(), None, _home(walk))

    def moved(self, queued: Waiting, read: Read) -> None:
        """A thread is read under another address than its board's: a redirect has led there."""
        key, partition = queued.key, partition_of(queued.site)
        if (walk := self.walks.pop(key, None)) is not None:
            self._frontier.note_fact(WALKS, key.hex(), None, _home(walk))
        self._frontier.note_fact(THREAD_ENDS, key.hex(), read.key, partition)

    def settled(self, waiting: Waiting, read: Read | None) -> None:
        """A URL has ended: with the last page of a thread its count is written down.

        A page that did not come ends a reading, too: a thread never read is taken when it grows,
        another one when its board is read next.
        """
        if read is not None and not read.ended:
            return
        key = bytes.fromhex(read.key) if read is not None else waiting.first_key or waiting.key
        open_walk = self.walks.pop(key, None)
        self._posts.pop(key.hex(), None)
        if read is None and open_walk is None:
            return
        walk = read.walk if read is not None else _given_up(open_walk)
        if walk is None:
            return
        self._ended[key] = walk
        if len(self._ended) > ENDED_KEPT:
            del self._ended[next(iter(self._ended))]
        ended, home = msgspec.to_builtins(walk), _home(walk)
        self._frontier.note_fact(THREAD_ENDS, key.hex(), ended, home)
        self._frontier.note_fact(WALKS, key.hex(), None, home)

    def _note(self, key: bytes, walk: Walk) -> None:
        self.walks[key] = walk
        self._frontier.note_fact(WALKS, key.hex(), msgspec.to_builtins(walk), _home(walk))


def _home(walk: Walk) -> int:
    """Return the partition of a thread."""
    return partition_of(site_of(walk.url))


def _numbers_on(walk: Walk, page: int) -> tuple[int, int]:
    """Return the numbers between which the posts of a page lie, with room to spare."""
    if page <= 1:
        return 1, MOST_POSTS
    if page >= walk.page:
        return max(1, walk.before - MOST_POSTS), walk.before
    first = (page - 1) * walk.page_posts
    return max(1, first - MOST_POSTS // 2), first + MOST_POSTS


def opening_mark(read: Read) -> str:
    """Return what opens a thread as a digest: its site, title, and the first post with its author; "" unless it is
    known."""
    if read.thread is None or read.walk.page != 1:
        return ""
    first = next((post for post in (*read.posts, *read.known) if post.post_no == 1), None)
    if first is None or not first.text.strip():
        return ""
    said = f"{read.thread.host}\n{read.thread.title}\n{first.author}\n{first.text}"
    return md5(said.encode("utf-8", "replace")).hexdigest()


def _given_up(walk: Walk | None) -> Walk | None:
    """Return what is left of a reading whose page did not come."""
    if walk is None:
        return None
    told = walk.replies if walk.replies is not None else -1
    return walk._replace(counted=walk.counted if walk.walks else told, posts=walk.before, news="")
