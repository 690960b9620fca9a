"""The store of a crawl that several processes share: state on a Redis, what this process holds at hand.

Only one thread uses Redis: the reactor hands over a window and goes on, and learns later what became of it.
What this process holds lies in a throw-away SQLite file besides, the mirror, which answers every read as the
embedded store does, at its price.

A window is one ``write`` for all partitions, own and others', and one ``renew`` over all own ones, sent
together. So a page is done in the step that stores its links, into any partition, and what is known of it.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from threading import Event
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from focuscrawl.locale.messages import N_, _
from focuscrawl.stores.redis import scripts
from focuscrawl.stores.redis.connection import check_server
from focuscrawl.stores.redis.keys import (
    BY_PARTITION,
    ONE_FOR_ALL,
    STATE_VERSION,
    UNREAD_LINKS,
    check_keys,
    left_over,
    wrong_start_key,
)
from focuscrawl.stores.redis.lease import Lease, boot_time
from focuscrawl.stores.redis.moved import hash_values, missed_in
from focuscrawl.stores.redis.rows import (
    Section,
    facts_from,
    in_scripts,
    links_of,
    own_section,
    page_from,
    row_of,
    sent_section,
    sites_from,
)
from focuscrawl.stores.redis.server import (
    READ_AT_ONCE,
    ScriptCall,
    Server,
    ServerAway,
    ServerChanged,
    in_words,
)
from focuscrawl.stores.redis.start_urls import RefusedStart, StartKey, start_from
from focuscrawl.stores.redis.workers import name_in_logs
from focuscrawl.stores.state.protocol import (
    KEPT,
    PARTITIONS,
    Changes,
    Fate,
    InboxBatch,
    InCommon,
    Loaded,
    Row,
    StartUrl,
    StoreError,
    WorkerState,
    ignore,
)
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import open_read_only
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import Partitions, partition_of

if TYPE_CHECKING:
    from focuscrawl.values import Json, PageState

logger = logging.getLogger(__name__)

ROWS_READ_AT_ONCE = 4_096
STOCK = 64
"""Sequence numbers are drawn in blocks; so many are at hand, which is more than the links of any window."""

UNNAMED = "?"
"""The owner of a partition that a worker has given up without the pauses of its sites."""

AGAIN_AFTER, AGAIN_AT_LATEST, TOLD_EVERY = 0.1, 1.0, 60.0
"""Seconds until a server that is away is asked again, at first and at most; and between two lines of the
log about it."""

ROWS_AT_ONCE = 2_000
"""Rows that are taken into the mirror before others have their turn: some 20 ms."""

FACT_PARTS, SITE_PARTS = "facts", "sites"

VANISHED = N_(
    "%s has lost something of this crawl, in %d partitions: keys were deleted, or evicted (set maxmemory-policy to"
    " noeviction). What this worker holds of them is written again"
)

VANISHED_LINKS = N_(
    "%s has lost %d links of this crawl on their way from worker to worker: keys were deleted, or evicted (set"
    " maxmemory-policy to noeviction). The next run fetches pages that are known again, and finds them there"
)

VANISHED_UNREAD = N_(
    "%s has lost %d values of this crawl, which are gone: keys were deleted, or evicted (set maxmemory-policy"
    " to noeviction). Pages that are known are fetched again, and links found there are taken for new"
)

START_LOOKS = 1.0
"""Seconds between two looks at what others have pushed."""

_T = TypeVar("_T")


def _pairs(flat: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Go through names and values that come one after the other."""
    return zip(flat[::2], flat[1::2], strict=True)


class _Stopped(Exception):
    """The store is closed, and no caller waits for an answer any more."""


class _Heard(NamedTuple):
    """What a beat has brought, besides what became of what was written."""

    fenced: frozenset[int]
    inbox: Mapping[int, list[InboxBatch]]
    taken: frozenset[int]
    gone: Mapping[str, int]
    wanted: int
    tickets: Mapping[str, int]
    seconds: float
    totals: Mapping[str, int]
    messages: list[bytes]
    answers: list[Any]
    sure_until: float
    forgotten: Collection[int]


class _Window(NamedTuple):
    """What is written together; ``started`` was handed in, and is a row of it or refused. ``age`` counts
    how often the server changed before it was made."""

    changes: Mapping[int, Changes]
    state: WorkerState
    started: Collection[StartUrl]
    age: int


class _Written(NamedTuple):
    """What became of a window, how often the server changed before that, and until when what is held is ours;
    ``vanished`` are partitions of which something has gone, and how much is left of what is known of them."""

    fate: Fate
    age: int
    sure_until: float
    vanished: Mapping[int, int] = MappingProxyType({})


class _Held(NamedTuple):
    """A partition of this process: under which epoch, and whether its last holder left no pauses of its sites.
    Until ``asked_until`` a worker may ask its sites that does not know yet that it is ours."""

    epoch: int
    is_unclean: bool
    asked_until: float


class _Raw(NamedTuple):
    """What Redis has of some partitions, as it stands there; nothing where some are ``missing``, which are
    held no more."""

    missing: Partitions
    rows: list[tuple[bytes, bytes]]
    pages: list[bytes]
    sites: list[tuple[bytes, bytes]]
    facts: dict[int, list[tuple[bytes, bytes]]]
    seen: list[bytes]
    pauses: dict[str, float]
    unclean: dict[int, float]


class RedisStore:
    """One worker's view of a crawl on a Redis; see stores.state.protocol.Store for the contract.

    ``connect`` names the server, and raises StoreError where it must not be used. ``worker`` is a name that no
    other process has, not even this one's successor. ``common`` is what all workers of a crawl must agree on, by
    name. ``foreign`` are keys of another program that are reported. ``is_dead`` returns whether a worker surely
    runs no more. ``failed`` receives every error of the mirror, or of a window that is written.
    """

    is_shared, is_last, vanished = True, False, 0

    def __init__(
        self,
        connect: Callable[[], Server],
        worker: str,
        *,
        lease: Lease,
        common: Mapping[str, InCommon],
        starts: StartKey | None = None,
        foreign: Sequence[str] = (),
        is_dead: Callable[[str], bool] = lambda worker: False,
        flush: bool = False,
        persists: bool = True,
        failed: Callable[[StoreError], object] = ignore,
        clock: Callable[[], float] = boot_time,
    ) -> None:
        self.worker = worker
        self._connect = connect
        self._server: Server
        self._failed = failed
        self._mirror: SQLiteStore
        self._lease = lease
        self._common = common
        self._starts, self._start_told_at = starts, float("-inf")
        self._foreign = foreign
        self._is_dead = is_dead
        self._flush, self._persists = flush, persists
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="redis")
        self._stopping = Event()
        self._has_others = False
        # The thread's own.
        self._has_joined = False
        self._said: Sequence[str] = ()
        self._held: dict[int, _Held] = {}
        self._read_to: dict[int, int] = {}
        self._renewed_until = float("-inf")
        self._held_before, self._on_their_way = Partitions(), Partitions()
        self._age = 0
        self._joined_at = self._looked_at = float("-inf")
        self._told_at = float("-inf")
        self._started: set[bytes] = set()
        # Written by the thread, read by the reactor.
        self._numbers: deque[range] = deque()
        self._top = 0
        # The reactor's own.
        self._told_age = 0
        self._sure_until, self._sure_age = float("-inf"), 0
        self._loadable = Partitions()
        self._loading = asyncio.Lock()
        self._gone_at_first: Mapping[str, int] = {}
        self._joined_by: tuple[_Heard, list[tuple[bytes, bytes]]] | None = None
        self._state = WorkerState()
        self._added_starts: list[StartUrl] = []

    # Owning -------------------------------------------------------------------------------------

    async def reach(self, alone: str = "") -> None:
        """Join the crawl, as ``own`` does, once the server answers; raises and is released as there."""
        with self._joining():
            self._joined_by = await self._beside(self._join, alone)

    def own(self, alone: str = "") -> Sequence[int]:
        """Take the free partitions; joins the crawl before, unless ``reach`` has done so. Raises StoreError where
        it must not, and is released then.
        """
        with self._joining():
            if self._joined_by is None:
                self._joined_by = self._thread.submit(self._join, alone).result()
            heard, facts = self._joined_by
            self._mirror.commit({0: Changes(facts=facts_from(facts))})
        self._gone_at_first = heard.gone
        self._loadable = Partitions(heard.taken)
        self._sure_until, self._sure_age = heard.sure_until, self._age
        return sorted(heard.taken)

    @contextmanager
    def _joining(self) -> Iterator[None]:
        try:
            if not hasattr(self, "_server"):
                self._server = self._connect()
                self._mirror = SQLiteStore(
                    Path(mkdtemp(prefix="focuscrawl-")) / "mirror.db",
                    synchronous="OFF",
                    failed=self._failed,
                )
                self._mirror.own()
            yield
        except BaseException as error:
            self.release()
            if isinstance(error, ServerAway):
                raise StoreError(f"{self._server.address} {in_words(error)}") from error
            raise

    def _join(self, alone: str) -> tuple[_Heard, list[tuple[bytes, bytes]]]:
        return self._begin(alone), [*self._server.hash(FACT_PARTS, 0)]

    def _begin(self, alone: str) -> _Heard:
        check_server(self._server, self._server.address, time.time())
        check_keys(self._server, self._starts)
        if keys := left_over(self._server, self._foreign):
            logger.warning(
                _(
                    "%s has %s of scrapy-redis, which is not read: the URLs there are not crawled. Let"
                    " the old crawl end, or push its addresses anew (docs/from-scrapy-redis.md); then"
                    " delete these keys"
                ),
                *(self._server.address, " and ".join(keys)),
            )
        self._forget_dead()
        shared = {"version": InCommon(str(STATE_VERSION)), **self._common}
        self._said = [word for name, one in shared.items() for word in (name, one.value)]
        (answer,) = self._server.call(
            [ScriptCall(scripts.BEGIN, (self.worker, self._lease.milliseconds, *self._said))]
        )
        others, *said = answer
        self._has_others = others > 0
        if others < 0:
            raise StoreError(
                _(
                    "this crawl is being moved ({what}), and the move was cut off or goes on: let it"
                    " end, or run scrapy topic move once more"
                ).format(what=said[0].decode())
            )
        for (name, ours), theirs in zip(shared.items(), said, strict=False):
            if ours.value != theirs.decode():
                raise StoreError(
                    _(
                        "{others} workers crawl this topic with another {name} ({theirs!r}; here it is"
                        " {ours!r}): {advice}"
                    ).format(
                        others=others,
                        name=name,
                        theirs=theirs.decode(),
                        ours=ours.value,
                        advice=_(ours.advice),
                    )
                )
        if others and alone:
            raise StoreError(
                _("{others} workers crawl this topic already, and {alone}").format(
                    others=others, alone=alone
                )
            )
        self._has_joined = True
        if self._flush and not others:
            self._clear()
        if not others:
            self._count_on()
        return self._exchange((), WorkerState())

    def _count_on(self) -> None:
        """Let no number be drawn that a row has, also where the key with the last one was deleted."""
        hashes = [(name, p) for p in range(PARTITIONS) for name in ("rows", "aside")]
        run = self._server.key("run")
        drawn, *sizes = self._server.send(
            [("HGET", run, "numbers"), *(("HLEN", self._server.key(*one)) for one in hashes)]
        )
        if drawn is None and any(sizes):
            rows = (field for one in hashes for field, _ in self._server.hash(*one))
            last = max(int.from_bytes(field, "big") for field in rows)
            self._server.send([("HSETNX", run, "numbers", last)])

    def _forget_dead(self) -> None:
        """Take out workers that were killed on this machine: the others need not wait until their leases end."""
        (workers,) = self._server.send([("ZRANGE", self._server.key("workers"), 0, -1)])
        dead = [name for name in workers if self._is_dead(name.decode())]
        if dead:
            self._server.call([ScriptCall(scripts.LEAVE, (name,)) for name in dead])

    def release(self) -> None:
        """Leave the crawl, and end the thread."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if hasattr(self, "_server"):
            self._server.hurry()
            self._thread.submit(self._leave)
        self._thread.shutdown()
        self._sure_until = float("-inf")
        if hasattr(self, "_mirror"):
            self._mirror.release()
            shutil.rmtree(self._mirror.path.parent, ignore_errors=True)

    def _leave(self) -> None:
        try:
            if not self._has_joined:
                return  # the crawl is another program's, or is being moved: nothing of it is taken out
            self._forget_dead()
            # What is held still was not given back in order: its next holder leaves its sites in peace.
            (left,) = self._server.call([ScriptCall(scripts.LEAVE, (self.worker,))])
            self.is_last = not left
            if self.is_last and not self._persists:
                self._clear()
                self._server.send([("DEL", *map(self._server.key, ONE_FOR_ALL))])
        except (ServerAway, ServerChanged, StoreError):
            pass  # the lease ends by itself
        finally:
            self._server.close()

    async def give_back(self, partitions: Collection[int], pauses: Mapping[str, float]) -> None:
        """Let others have partitions, with the seconds for which sites are left."""
        given = Partitions(partitions)
        self._loadable = Partitions(self._loadable - given)
        await self._beside(self._give_back, given, pauses)
        self._mirror.leave(given)

    def _give_back(self, partitions: Partitions, pauses: Mapping[str, float]) -> None:
        calls = []
        self._on_their_way = partitions
        for partition in partitions & self._held.keys():
            epoch, is_unclean, _ = self._held[partition]
            left = [
                word
                for site, seconds in pauses.items()
                if partition_of(site) == partition
                for word in (site, round(seconds * 1000))
            ]
            # Of sites that none of its URLs has named yet it is unknown here how long they are to be left.
            words = (partition, self.worker, epoch, UNNAMED if is_unclean else "", *left)
            calls.append(ScriptCall(scripts.RELEASE, words))
        self._server.call(calls)
        self._forget(partitions)
        self._on_their_way = Partitions()

    def _forget(self, partitions: Collection[int]) -> None:
        for partition in partitions:
            self._held.pop(partition, None)
            self._read_to.pop(partition, None)
        if (
            0 in partitions
        ):  # the next reader of what is pushed begins anew, also this one once it has it again
            self._started.clear()

    def seconds_held(self) -> float:
        """Return for how long what is held is surely ours."""
        if self._sure_age != self._age:
            return float("-inf")
        return self._sure_until - self._clock()

    def draw(self) -> range:
        """Return a block of numbers."""
        return self._numbers.popleft() if self._numbers else range(0)

    def top(self) -> int:
        """Return a number above all that any worker has drawn."""
        return self._top

    def tell(self, state: WorkerState) -> None:
        """Report with the next window what this process is doing."""
        self._state = state
        self._added_starts += state.started

    async def recount(self, counter: str, worker: str, least: int) -> None:
        """Let a worker that is gone have counted so many at least."""
        call = ScriptCall(scripts.RECOUNT, (counter, worker, least))
        await self._beside(self._server.call, [call])

    def begin_anew(self) -> None:
        """Take all that is held once more, under other epochs."""
        self._thread.submit(self._begin_anew)

    def _begin_anew(self) -> None:
        self._age += 1
        self._forget([*self._held])
        self._started.clear()
        self._joined_at = float("-inf")

    # Writing ------------------------------------------------------------------------------------

    def commit(
        self, changes: Mapping[int, Changes], heard: Callable[[Fate], object] = ignore
    ) -> None:
        """Hand over a window; the mirror has it at once."""
        loop = asyncio.get_running_loop()
        window = self._window(changes)

        def told(future: Future[_Written]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._told, future, heard)

        self._thread.submit(self._until_heard, self._write, window).add_done_callback(told)

    def _window(self, changes: Mapping[int, Changes]) -> _Window:
        """Return a window to be written, which the mirror has by now."""
        self._mirror.commit(
            {
                partition: replace(one, sent=[], taken_in=0, seen=[])
                for partition, one in changes.items()
                if partition in self._loadable
            }
        )
        window = _Window(changes, self._state, self._added_starts, self._told_age)
        self._added_starts = []
        return window

    def _told(self, future: Future[_Written], heard: Callable[[Fate], object]) -> None:
        """Report to the reactor what became of a window."""
        if future.cancelled() or isinstance(future.exception(), _Stopped):
            return
        if error := future.exception():
            if not isinstance(
                error, StoreError
            ):  # a fault of ours: the next window would meet it again
                logger.error("A window could not be written", exc_info=error)
                error = StoreError(f"{type(error).__name__}: {error}")
            self._failed(error)
            heard(KEPT)  # its caller is not to wait for ever
            return
        fate, age, sure_until, vanished = future.result()
        if self._gone_at_first and not fate.rolled_back:
            fate = fate._replace(gone=Counter(fate.gone) + Counter(self._gone_at_first))
            self._gone_at_first = {}
        self._told_age = age
        lost = self._loadable if fate.rolled_back else Partitions(fate.fenced)
        self._loadable = Partitions((self._loadable - lost) | fate.taken)
        heard(fate)
        # Only now that the caller knows what is another's: a worker that stood still renews its lease before it
        # learns that others have its partitions (two pages asked at once, kill9 --store redis, seed 6).
        self._sure_until, self._sure_age = sure_until, age
        if lost:
            self._mirror.leave(lost)
        if here := {one: known for one, known in vanished.items() if one in self._loadable}:
            self._write_again(here)

    def _write_again(self, vanished: Mapping[int, int]) -> None:
        """Write what this worker has of some partitions once more; of what is known that is pages and what waits."""
        logger.error(_(VANISHED), self._server.address, len(vanished))
        parts: defaultdict[int, defaultdict[str, list[bytes]]]
        parts = defaultdict(lambda: defaultdict(list))
        with closing(open_read_only(self._mirror.path)) as database:
            for name, partition, field, value in hash_values(database):
                if partition in vanished:
                    part = "waiting" if name == "rows" else name
                    parts[partition][part] += (field, value)
                    if not vanished[partition] and name in ("rows", "aside", "pages"):
                        key = field if name == "pages" else row_of(field, value).waiting.key
                        number = key_number(key, partition)
                        parts[partition]["seen"].append(number.to_bytes(8, "little"))
        self._thread.submit(self._until_heard, self._put_again, parts)

    def _put_again(self, parts: Mapping[int, Mapping[str, Sequence[bytes]]]) -> None:
        sections = [
            Section(partition, str(self._held[partition].epoch), 0, some)
            for partition, some in parts.items()
            if partition in self._held
        ]
        for some in in_scripts(sections):
            if some:
                self._server.call([self._write_call(some)])
        there = [word for one in sections for word in (one.partition, one.epoch)]
        self._server.call([ScriptCall(scripts.SIZES, (self.worker, *there))])
        # What says which crawl this is may have gone, too.
        self._server.send([("HSET", self._server.key("run"), *self._said)])

    def _write(self, window: _Window) -> _Written:
        """Write a window, and read what the beat brings."""
        if window.age != self._age:  # made before the server changed: its rows may be gone
            return _Written(Fate(rolled_back=True), self._age, float("-inf"))
        sections = [
            own_section(partition, self._held[partition].epoch, one)
            if partition in self._held
            else sent_section(partition, one)  # others', or lost since it was gathered
            for partition, one in window.changes.items()
        ]
        calls = [self._write_call(some) for some in in_scripts(sections) if some]
        heard = self._exchange(calls, window.state)
        answers = heard.answers[: len(calls)]
        lost = heard.fenced.union(*(fenced for fenced, _ in answers))
        self._forget(lost - heard.taken)
        fate = Fate(
            fenced=frozenset(lost),
            inbox=heard.inbox,
            taken=heard.taken,
            gone=heard.gone,
            wanted=heard.wanted,
            totals=heard.totals,
            tickets=heard.tickets,
            seconds=heard.seconds,
            starts=self._new_starts(window.started),
            messages=heard.messages,
            finished=window.state.idle and bool(heard.answers[-1]),
        )
        gone = {p: left for _, flat in answers for p, left in _pairs(flat)}
        return _Written(fate, self._age, heard.sure_until, gone | dict.fromkeys(heard.forgotten, 0))

    def _new_starts(self, added: Collection[StartUrl]) -> Sequence[StartUrl]:
        """Return addresses that others have pushed, and take those out whose rows are ``added``."""
        if self._starts is None or 0 not in self._held:
            return ()
        # The window that has their rows is stored by now.
        if gone := [start for start in added if start.entry in self._started]:
            for start in gone:
                if start.refused:
                    self._set_aside(RefusedStart(start.entry, start.refused))
                else:
                    self._server.send(self._starts.removal([start.entry]))
            self._started.difference_update(start.entry for start in gone)
        now = self._clock()
        if now - self._looked_at < START_LOOKS:
            return ()
        self._looked_at = now
        try:
            (entries,) = self._server.send([self._starts.look()])
        except StoreError:
            if not (why := wrong_start_key(self._server, self._starts)):
                raise
            if now - self._start_told_at >= TOLD_EVERY:  # another program has made it meanwhile
                self._start_told_at = now
                logger.error("%s; until then nothing is taken from it", why)
            return ()
        found: list[StartUrl] = []
        for entry in dict.fromkeys(entries):
            read = None if entry in self._started else start_from(entry)
            if isinstance(read, RefusedStart):
                self._set_aside(read)
            elif read is not None:
                self._started.add(entry)
                found.append(read)
        return found

    def _set_aside(self, refused: RefusedStart) -> None:
        """Take out what cannot be asked for, and keep it with the reason."""
        assert self._starts is not None
        logger.warning("%s: set aside, since %s", self._starts.name, refused.why)
        self._server.send(self._starts.refusal(refused))

    def _write_call(self, sections: Iterable[Section]) -> ScriptCall:
        words = [word for section in sections for word in section.words()]
        return ScriptCall(scripts.WRITE, (self.worker, *words))

    def _exchange(self, calls: Sequence[ScriptCall], state: WorkerState) -> _Heard:
        """Run scripts, and renew the lease behind them; now and then look what others have.

        The answers of scripts are the first of ``answers``, that on the end the last.
        """
        before = self._clock()
        wanted = ROWS_READ_AT_ONCE * max(0, STOCK - len(self._numbers))
        joins = self._lease.is_time_to_look(before - self._joined_at)
        answers = self._server.call([*calls, *self._beat(state, wanted, joins=joins)])
        own = iter(answers[len(calls) :])
        taken: dict[int, _Held] = {}
        gone: Counter[str] = Counter()
        surplus = 0
        if joins:
            taken, gone, surplus = self._joined(*next(own))
            self._joined_at = before
            self._held_before = Partitions()
        fenced, inbox, top, lost, forgotten = next(own)
        granted, age, flat, messages = next(own)
        names = [one.counter for one in state.tickets]
        self._draw(wanted, top)
        if lost:
            self._miss_links(sum(count for _, count in _pairs(lost)))
        batches = self._batches(inbox)
        self._held |= taken
        self._renewed_until = self._lease.sure_until(before)
        return _Heard(
            frozenset(fenced),
            batches,
            frozenset(taken),
            gone,
            surplus,
            dict(zip(names, granted, strict=True)),
            age / 1000,
            {name.decode(): int(sum_) for name, sum_ in _pairs(flat)},
            messages,
            answers,
            self._renewed_until,
            forgotten,
        )

    def _beat(self, state: WorkerState, wanted: int, *, joins: bool) -> Iterator[ScriptCall]:
        """Go through the scripts by which a worker stays one: it may join, renews its lease, reports its numbers,
        and asks whether all is over when it is idle."""
        held = self._held.items()
        if joins:
            # First, since it sees that Redis has lost something, and keeps its numbers from being drawn again.
            first = partition_of(self.worker)  # those who come together begin at different ones
            known = [word for partition, one in held for word in (partition, one.epoch)]
            words = (self.worker, self._lease.milliseconds, first, self._server.process, *known)
            yield ScriptCall(scripts.JOIN, words)
        read = [
            word
            for partition, one in held
            for word in (partition, one.epoch, self._read_to[partition])
        ]
        drawn = max(0, self._top - 1)
        lease = (self.worker, self._lease.milliseconds, int(state.idle), wanted, drawn, *read)
        yield ScriptCall(scripts.RENEW, lease)
        counted = [word for pair in state.counted.items() for word in pair]
        limited = [
            word
            for one in state.tickets
            for word in (one.counter, one.limit, one.number, round(1000 * one.kept))
        ]
        numbers = (self.worker, state.message, len(state.tickets), *limited, *counted)
        yield ScriptCall(scripts.COUNT, numbers)
        if state.idle:
            keys = (self._starts.name,) if self._starts else ()
            yield ScriptCall(scripts.FINISHED, keys)

    def _joined(
        self, share: int, mine: int, found: Sequence[Any], asked_for: int
    ) -> tuple[dict[int, _Held], Counter[str], int]:
        """Return the partitions that are held from now on, which workers left them, and how many are too many."""
        taken: dict[int, _Held] = {}
        gone: Counter[str] = Counter()
        asked_until = self._clock() + asked_for / 1000
        for partition, epoch, base, owner in zip(*[iter(found)] * 4, strict=True):
            until = float("-inf") if partition in self._held_before else asked_until
            taken[partition] = _Held(epoch, bool(owner), until)
            if (name := owner.decode()) not in ("", UNNAMED, self.worker):
                gone[name_in_logs(name)] += 1
            self._read_to[partition] = base
        return taken, gone, max(0, mine - share)

    def _draw(self, wanted: int, top: int) -> None:
        """Keep numbers that were drawn; the first of all is 1."""
        for start in range(top - wanted + 1, top + 1, ROWS_READ_AT_ONCE):
            self._numbers.append(range(start, start + ROWS_READ_AT_ONCE))
        self._top = top + 1

    def _miss_links(self, count: int) -> None:
        """Count and log links to this worker that have vanished: the next run finds them again."""
        self.vanished += count
        logger.error(_(VANISHED_LINKS), self._server.address, count)

    def _batches(
        self, inbox: Iterable[tuple[int, list[bytes], int]]
    ) -> dict[int, list[InboxBatch]]:
        """Read what others have sent; what cannot be read is kept beside, and logged.

        Nothing counts as read before that is kept: it may have to be done again.
        """
        read = [(p, links_of(values), start + len(values)) for p, values, start in inbox]
        if aside := [
            ("SADD", self._server.key(UNREAD_LINKS, partition), *unread)
            for partition, (_, unread), _ in read
            if unread
        ]:
            self._server.send(aside)
        found = {}
        for partition, (links, unread), end in read:
            if unread:
                logger.error(
                    "%d links that were sent into partition %d cannot be read: they are kept in %s, and scrapy"
                    " topic workers counts them",
                    *(len(unread), partition, self._server.key(UNREAD_LINKS, partition)),
                )
            self._read_to[partition] = end
            if links or unread:
                found[partition] = [InboxBatch(end, links, len(unread))]
        return found

    # The thread ---------------------------------------------------------------------------------

    async def _beside(self, work: Callable[..., _T], *words: Any) -> _T:
        """Do something in the thread, once the server answers. Raises StoreError."""
        future = self._thread.submit(self._until_heard, work, *words)
        try:
            return await asyncio.wrap_future(future)
        except _Stopped as error:
            raise StoreError(_("the store is closed")) from error

    def _until_heard(self, work: Callable[..., _T], *words: Any) -> _T:
        """Do something until the server has answered; all of it can be repeated."""
        wait, since = AGAIN_AFTER, 0.0
        while True:
            try:
                done = work(*words)
            except ServerChanged:
                logger.warning(_("Redis has been started anew: what it holds is read again"))
                # It may have forgotten who has taken a partition. What is ours by what we know is surely still
                # ours, since no other worker can have taken it before our lease is over.
                is_sure = self._clock() < self._renewed_until
                ours = (p for p, one in self._held.items() if one.asked_until <= self._clock())
                self._held_before = Partitions({*ours} - self._on_their_way if is_sure else ())
                self._begin_anew()
            except ServerAway as error:
                now = self._clock()
                since = since or now
                if now - self._told_at >= TOLD_EVERY:
                    self._told_at = now
                    logger.warning(
                        _("Redis %s (%s): the crawl waits for it, and nothing is lost; %s"),
                        *(_(error.what), error, _(error.advice)),
                    )
                if self._stopping.wait(wait):
                    raise _Stopped from error
                wait = min(2 * wait, AGAIN_AT_LATEST)
            else:
                if since:
                    logger.warning(
                        _("Redis answers again, after %.0f s: the crawl goes on"),
                        self._clock() - since,
                    )
                    self._told_at = float("-inf")
                return done

    # Reading ------------------------------------------------------------------------------------

    async def load(self, partitions: Collection[int]) -> Loaded:
        """Read partitions into the mirror, and from there.

        One load after the other: what was read of a partition that was lost meanwhile must not get among
        what is read of it when it is taken once more.
        """
        async with self._loading:
            return await self._load(Partitions(partitions))

    async def _load(self, wanted: Partitions) -> Loaded:
        raw = await self._beside(self._fetch, wanted)
        while raw.missing:
            if raw.missing & self._loadable:  # the reactor is about to learn that they were lost
                await asyncio.sleep(AGAIN_AFTER)
            else:
                wanted = Partitions(wanted - raw.missing)
            raw = await self._beside(self._fetch, wanted)
        self._mirror.leave(wanted)
        said = self._clock()

        async def go_on() -> None:
            nonlocal said
            await asyncio.sleep(0)
            if self._lease.is_time_to_report(
                self._clock() - said
            ):  # no beat comes while a run opens
                await self._beside(self._keep)
                said = self._clock()

        try:
            for partition, facts in raw.facts.items():
                self._mirror.commit({partition: Changes(facts=facts_from(facts))})
            self._mirror.commit({0: Changes(sites=sites_from(raw.sites))})
            for first in range(0, len(raw.rows), ROWS_AT_ONCE):
                rows = [row_of(*one) for one in raw.rows[first : first + ROWS_AT_ONCE]]
                self._mirror.commit({0: Changes(added=rows)})
                await go_on()
            for first in range(0, len(raw.pages), ROWS_AT_ONCE):
                pages = [page_from(one) for one in raw.pages[first : first + ROWS_AT_ONCE]]
                self._mirror.commit({0: Changes(pages=pages)})
                await go_on()
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StoreError(
                _(
                    "a value in Redis under {prefix} cannot be read ({error}): is it another program's?"
                    " Give this crawl a Redis, or a database of it (REDIS_DB), of its own"
                ).format(prefix=self._server.prefix, error=error)
            ) from error
        loaded = await self._mirror.load(wanted)
        loaded.seen = raw.seen
        loaded.pauses, loaded.unclean = raw.pauses, raw.unclean
        loaded.next_sequence = 2 if raw.seen or raw.rows else 1
        return loaded

    def _fetch(self, wanted: Partitions) -> _Raw:
        """Read what Redis has of partitions, unless one of them is held no more."""
        server, missing = self._server, Partitions(wanted - self._held.keys())
        there, age = Partitions() if missing else wanted, self._age

        def read(name: str) -> Iterator[tuple[bytes, bytes]]:
            return self._kept(one for p in there for one in server.hash(name, p))

        rows = [*read("rows"), *read("aside")]
        rows.sort()
        now = self._clock()
        pages = [*read("pages")]
        raw = _Raw(
            missing=missing,
            rows=rows,
            pages=[value for _, value in pages],
            sites=[*read(SITE_PARTS)],
            facts={p: [*server.hash(FACT_PARTS, p)] for p in there},
            seen=self._seen(there, rows, pages),
            pauses=self._pauses(there),
            unclean={
                p: max(0.0, one.asked_until - now)
                for p, one in self._held.items()
                if p in there and one.is_unclean
            },
        )
        assert age == self._age
        return raw

    def _seen(
        self,
        partitions: Partitions,
        rows: Sequence[tuple[bytes, bytes]],
        pages: Sequence[tuple[bytes, bytes]],
    ) -> list[bytes]:
        """Return what is known; where something has vanished only what is still there, that it can be found again."""
        server, lost = self._server, missed_in(self._server, partitions)
        if not lost:
            return [*self._kept(part for p in partitions for part in server.values("seen", p))]
        self.vanished += sum(lost.values())
        logger.error(_(VANISHED_UNREAD), server.address, sum(lost.values()))
        known: defaultdict[int, list[bytes]] = defaultdict(list)
        for waiting in (row_of(*row).waiting for row in rows):
            known[partition_of(waiting.site)].append(waiting.key)
        for key, value in pages:
            known[partition_of(page_from(value).site)].append(key)
        for p in lost:
            self._know_again(p, known[p])
        return [*self._kept(part for p in partitions for part in server.values("seen", p))]

    def _know_again(self, partition: int, keys: Iterable[bytes]) -> None:
        """Let a partition of which something has vanished know what it still has, and nothing else."""
        key = self._server.key("seen", partition)
        numbers = b"".join(key_number(one, partition).to_bytes(8, "little") for one in keys)
        again = [("RPUSH", key, numbers)] if numbers else []
        sizes = ("HDEL", self._server.key("sizes"), partition, f"links {partition}")
        self._server.send([("MULTI",), ("DEL", key), *again, sizes, ("EXEC",)])

    def _kept(self, values: Iterable[_T]) -> Iterator[_T]:
        """Go through many values, and report meanwhile that this worker lives: others would take what it loads."""
        said = self._clock()
        for at, value in enumerate(values):
            if at % READ_AT_ONCE == 0 and self._lease.is_time_to_report(self._clock() - said):
                self._keep()
                said = self._clock()
            yield value

    def _keep(self) -> None:
        self._server.call([ScriptCall(scripts.KEEP, (self.worker, self._lease.milliseconds))])

    def _pauses(self, partitions: Partitions) -> dict[str, float]:
        """Return for how long sites are to be left, by Redis's clock."""
        server = self._server
        ((seconds, microseconds),) = server.send([("TIME",)])
        now = int(seconds) + int(microseconds) / 1e6
        return {
            site.decode(): int(until) / 1000 - now
            for partition in partitions
            for site, until in server.hash("pauses", partition)
            if int(until) / 1000 > now
        }

    async def is_left(self) -> bool:
        """Whether URLs wait in Redis, or others work on the crawl."""
        return self._has_others or await self._beside(self._is_left)

    def _is_left(self) -> bool:
        asked = [("HLEN", self._server.key("rows", one)) for one in range(PARTITIONS)]
        asked += [("LLEN", self._server.key("inbox", one)) for one in range(PARTITIONS)]
        return any(self._server.send(asked))

    def clear(self) -> None:
        """Delete all keys of the crawl."""
        self._thread.submit(self._clear).result()
        self._mirror.clear()

    def _clear(self) -> None:
        for partition in range(PARTITIONS):
            self._server.send(
                [("UNLINK", *(self._server.key(name, partition) for name in BY_PARTITION))]
            )
        self._server.send([("DEL", self._server.key("bases"), self._server.key("sizes"))])
        self._read_to = dict.fromkeys(self._read_to, 0)

    def read(self, sequence: int, level: int) -> Row | None:
        """Return a row of the mirror."""
        return self._mirror.read(sequence, level)

    def rows(self, state: int) -> Iterator[Row]:
        """Go through the rows of one state in the partitions that are held."""
        return self._mirror.rows(state)

    async def pages(self, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return the states of pages."""
        return await self._mirror.pages(keys)

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the pages whose next visit has come."""
        return await self._mirror.due(now, most, after)

    async def due_count(self, now: float) -> int:
        """Return how many pages' next visit has come."""
        return await self._mirror.due_count(now)

    async def undated(self, most: int, after: bytes = b"") -> list[PageState]:
        """Return pages that are not visited again."""
        return await self._mirror.undated(most, after)

    async def unseen(
        self, until: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return pages without a next visit."""
        return await self._mirror.unseen(until, most, after)

    async def unseen_count(self) -> int:
        """Return how many pages ``unseen`` would go through."""
        return await self._mirror.unseen_count()

    async def sites(self, names: Sequence[str]) -> dict[str, Json]:
        """Return the records of sites."""
        return await self._mirror.sites(names)

    async def facts(self, kind: str, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """Return facts: of pages and sites those that are held, of the topic as they were last read."""
        return await self._mirror.facts(kind, keys)

    async def facts_in(self, partitions: Collection[int], kind: str) -> dict[int, dict[str, Any]]:
        """Return facts by partition."""
        return await self._mirror.facts_in(partitions, kind)
