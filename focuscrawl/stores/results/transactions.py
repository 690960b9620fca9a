"""Work on the results in transactions: repeated after clashes, and a server that is away is waited for.

A server is away while it does not answer, is about to stop or to start, only reads or has no room: that passes,
or its keeper ends it. A wrong password, a missing right or table is not: waiting mends none of them. When a
connection is lost while a transaction is committed, it is unknown what became of it: it is done again, and all
that is written can be written twice.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import socket
import time
from contextlib import contextmanager, suppress
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from focuscrawl.locale.messages import _
from focuscrawl.stores.results.database import (
    LOCKED,
    ONLY_LOOKS,
    ResultsError,
    explaining,
    place_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Engine, RootTransaction

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

# Clashes ----------------------------------------------------------------------------------------

CLASHES_IN_POSTGRESQL = frozenset({"40001", "40P01"})
CLASHES_IN_MYSQL = frozenset({1205, 1213})
"""Codes of a transaction that was broken off since another has locked what it needs: a deadlock, an order that
could not be kept, a lock that was waited for too long."""

MOST_CLASHES, CLASH_PAUSE, CLASH_PAUSE_AT_MOST = 12, 0.04, 1.0
"""How often such a transaction is repeated, and the seconds before the first time and before a late one, at
most, where it is quick. Of two that write 200 rows in opposite order one in four tries clashes on an idle machine; on a
busy one six in a row did, which were too many when five were borne (benchmarks/results_server.py)."""

_LONGEST_CLASH_PAUSE = 30.0


def longest_pause(clashes: int, took: float) -> float:
    """Return for how long at most a transaction waits that has clashed so often, the last time after ``took`` seconds.

    One that comes again while the other is still at work clashes again: on a busy machine, where two hundred rows
    took seconds, thirteen times in a row within pauses of a second, and within pauses that began at .04 s and doubled.
    """
    first = max(CLASH_PAUSE, took / 4)
    at_most = min(max(CLASH_PAUSE_AT_MOST, 2 * took), _LONGEST_CLASH_PAUSE)
    return min(first * 2.0 ** (clashes - 1), at_most)


def has_clashed(error: DBAPIError) -> bool:
    """Whether a transaction was broken off since another one was in its way; it can be repeated."""
    original: Any = error.orig
    if getattr(original, "sqlstate", None) in CLASHES_IN_POSTGRESQL:
        return True
    arguments = getattr(original, "args", None) or (None,)
    return arguments[0] in CLASHES_IN_MYSQL


# Outages ----------------------------------------------------------------------------------------

AGAIN_AFTER, AGAIN_AT_LATEST = 0.2, 2.0
"""Seconds until a server that is away is asked again, at first and in the end."""

TOLD_EVERY = 60.0
GIVEN_UP_AFTER = 5.0
"""Seconds for which a server that is away is waited for in a run that is to stop."""

AWAY_IN_POSTGRESQL = (
    "08",
    "57P01",
    "57P02",
    "57P03",
    "57P04",
    "53300",
    "25006",
    "53100",
    "53200",
    "55P03",
)
"""How the SQLSTATE begins: no connection, about to stop or to start, its database put back from a copy, no connection
left; it only reads (a standby before it takes over), has no disk or memory left, a lock is held for long."""

AWAY_IN_MYSQL = frozenset(
    {
        0,
        1040,
        1053,
        1927,
        2002,
        2003,
        2006,
        2013,
        2055,
        1290,
        1792,
        1836,
        1021,
        1114,
        1037,
        1038,
        1041,
    }
)
"""The same in MySQL: numbers from 1290 on say that it only reads, those from 1021 on that it has no room or memory."""

AWAY_IN_WORDS = (
    "connection refused",
    "connection reset",
    "connection timed out",
    "timeout expired",
    "timed out",
    "no such file or directory",
    "no route to host",
    "network is unreachable",
    "broken pipe",
    "closed the connection",
    "eof detected",
    "could not translate host name",
    "name resolution",
    "name or service not known",
    "failed to resolve host",
    "the database system is",
    "too many clients",
    "remaining connection slots",
    "terminating connection",
)
"""Messages about a connection that never came about, which have no code. All but the last four come from client
and system: those four a server may send in its own language, and then the crawl ends as it does for any unknown
error."""


def is_away(error: Exception) -> bool:
    """Whether an error says that a server cannot be reached, so that the same may be done later."""
    if isinstance(error, NoConnectionFree):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    original: Any = error.orig
    arguments = getattr(original, "args", None) or (None,)
    if isinstance(arguments[0], int):  # MySQL's, which PyMySQL 1.2 raises with a SQLSTATE
        return arguments[0] in AWAY_IN_MYSQL
    if isinstance(state := getattr(original, "sqlstate", None), str):
        return state.startswith(AWAY_IN_POSTGRESQL)
    said = str(original).lower()
    return any(words in said for words in AWAY_IN_WORDS)


class Outage:
    """Whether a server is away, as all threads of a run see it: it is logged once, whichever thread notices.

    ``stop`` lets those who wait give up soon, for the run is about to end.
    """

    def __init__(self) -> None:
        self._stopping = Event()
        self._given_up_after = float("inf")
        self._lock = Lock()
        self._since = self._told_at = 0.0
        self._answered_at = float("-inf")

    @property
    def is_on(self) -> bool:
        """Whether the server was away when it was last asked."""
        return self._since > 0.0

    def stop(self, given_up_after: float) -> None:
        """Wait no longer than so many seconds from the beginning of an outage."""
        self._given_up_after = min(self._given_up_after, given_up_after)
        self._stopping.set()

    def wait(self, asked_at: float, seconds: float, error: Exception) -> bool:
        """Wait a while, when it did not answer what it was asked then; False: it is waited for no longer."""
        now = time.monotonic()
        with self._lock:
            if asked_at < self._answered_at:  # another thread has got an answer since
                return True
            self._since = self._since or now
            if now - self._told_at >= TOLD_EVERY:
                self._told_at = now
                logger.warning(
                    _(
                        "The results database does not answer (%s): the crawl waits for it, and nothing is"
                        " lost"
                    ),
                    " ".join(str(getattr(error, "orig", None) or error).split()),
                )
            left = self._since + self._given_up_after - now
        if left <= 0.0:
            return False
        if self._stopping.is_set():
            time.sleep(min(seconds, left))
        else:
            self._stopping.wait(seconds)
        return True

    def answered(self) -> None:
        """End the outage, if there is one: the server has answered."""
        if not self._since:
            return
        with self._lock:
            if self._since:
                gone = time.monotonic() - self._since
                logger.warning(
                    _("The results database answers again, after %.0f s: the crawl goes on"), gone
                )
                self._since, self._told_at = 0.0, 0.0
                self._answered_at = time.monotonic()


def _holds_up_a_loop() -> bool:
    """Whether to wait here lets everything else wait: in a thread with an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _begun(connection: Connection, looks: bool, locked: int | None) -> RootTransaction:
    return connection.execution_options(**{ONLY_LOOKS: looks, LOCKED: locked}).begin()


@contextmanager
def _given_up_where_away(connection: Connection) -> Iterator[None]:
    """Close a connection to a server that only reads, or has no room: the next may reach one that has taken over."""
    try:
        yield
    except DBAPIError as error:
        if is_away(error) and not connection.invalidated:
            connection.invalidate(error)
        raise


ANSWERED_WITHIN = 600.0
"""Seconds that a transaction with a server takes at most. The system keeps a connection open to one that was stopped, or
hangs at its disk: without an end the crawl waited there for ever, and logged nothing."""


@contextmanager
def _hung_up_late(connection: Connection) -> Iterator[None]:
    """Hang up on a server that has not answered all of a transaction by then: it is away."""
    driver = connection.connection.driver_connection
    files = (
        getattr(driver, "fileno", None),
        getattr(getattr(driver, "_sock", None), "fileno", None),
    )
    number = next((file() for file in files if file is not None), None)
    if number is None:  # SQLite's, which has its own end of waiting
        yield
        return
    timer = Timer(ANSWERED_WITHIN, _hang_up, (number,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _hang_up(number: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(number)) as connected:
        connected.shutdown(socket.SHUT_RDWR)


class Transactions:
    """Does work, each piece in a transaction of its own; ``place`` says for people where.

    ``waits``: a server that is away is waited for, but not in a thread with an event loop.
    """

    def __init__(self, engine: Engine) -> None:
        self.place = place_of(engine)
        self.waits = False
        self.outage = Outage()
        self._engine = engine

    def __call__(
        self,
        work: Callable[[Connection], _T],
        *,
        looks: bool = False,
        locked: int | None = None,
    ) -> _T:
        """Do ``work`` in one transaction: again when the server was away, and some times when it clashed
        with another's. What only ``looks`` writes nothing, and waits for no writer. In PostgreSQL it begins
        with the lock of the number ``locked``.

        Raises ResultsError.
        """
        clashes, was_closed, pause = 0, False, AGAIN_AFTER
        with explaining(self.place):
            while True:
                asked_at = time.monotonic()
                try:
                    with (
                        self._engine.connect() as connection,
                        _given_up_where_away(connection),
                        _hung_up_late(connection),
                        _begun(connection, looks, locked),
                    ):
                        done = work(connection)
                except (DBAPIError, NoConnectionFree) as error:
                    if isinstance(error, DBAPIError) and has_clashed(error):
                        clashes += 1
                        if clashes > MOST_CLASHES:
                            raise
                        # Drawn, so that the two do not meet again.
                        took = time.monotonic() - asked_at
                        time.sleep(random.uniform(0.0, longest_pause(clashes, took)))
                    elif not is_away(error):
                        raise
                    elif not was_closed and getattr(error, "connection_invalidated", False):
                        was_closed = True  # while it stood in the pool: others are opened
                    elif not self.waits or _holds_up_a_loop():
                        raise
                    elif self.outage.wait(asked_at, pause, error):
                        pause = min(2 * pause, AGAIN_AT_LATEST)
                    else:
                        raise ResultsError(
                            _(
                                "results in {place}: the server does not answer, and the run is to stop: what was"
                                " not written is fetched again"
                            ).format(place=self.place)
                        ) from error
                else:
                    self.outage.answered()
                    return done
