"""A crawl in a Redis that no worker runs on, for a command that changes it or looks it over."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from focuscrawl.locale.messages import _
from focuscrawl.stores.redis.rows import BETWEEN, field_of
from focuscrawl.stores.redis.server import ServerAway, ServerChanged, in_words
from focuscrawl.stores.redis.store import FACT_PARTS, RedisStore
from focuscrawl.stores.state.protocol import FAILED, PARKED, PARTITIONS, WAITING, StoreError, ignore
from focuscrawl.urls.canonical import KEY_MASK, key_number
from focuscrawl.urls.sites import KEY_BITS, partition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from focuscrawl.stores.state.protocol import Changes, Fate
    from focuscrawl.stores.state.sqlite_maintenance import Held

FIELDS_AT_ONCE = 1_000
"""Values that are taken out with one command."""


class StillRedisStore(RedisStore):
    """A crawl that no worker runs on: what a command writes is written when ``commit`` returns.

    It sends no beats, so its lease (``Lease.of_command``) must be longer than what it does between two commits.
    """

    def __init__(self, *words: Any, **named: Any) -> None:
        super().__init__(*words, **named)
        self._missed: set[int] = set()
        """Partitions of which something has vanished."""

    def commit(
        self, changes: Mapping[int, Changes], heard: Callable[[Fate], object] = ignore
    ) -> None:
        """Write a window. Raises StoreError where others have begun meanwhile, or Redis does not answer."""
        try:
            fate = self._thread.submit(self._write, self._window(changes)).result().fate
        except (ServerAway, ServerChanged) as error:
            raise StoreError(f"{self._server.address} {in_words(error)}") from error
        if fate.fenced or fate.rolled_back:
            raise StoreError(_("workers have begun to crawl this topic meanwhile: stop them first"))
        heard(fate)

    def _know_again(self, partition: int, keys: Iterable[bytes]) -> None:
        """Leave what has vanished to the next crawl: that is to notice it, too, and to fetch pages again."""
        self._missed.add(partition)

    def held(self, keys: Collection[bytes], site: str = "") -> Held:
        """Return what there is of addresses, or of all of a site; once all partitions are loaded."""
        return self._mirror.held(keys, site)

    def forget(
        self, keys: Collection[bytes], site: str = "", numbers: Collection[int] = (), *, again: bool
    ) -> Held:
        """Take addresses, or all of a site, out of the crawl, as an embedded store does. Raises StoreError.

        What was read is taken out last, so that a command that is cut off can be run again.
        """
        states = (WAITING, FAILED, PARKED)
        homes = {
            row.sequence: partition_of(row.waiting.site)
            for state in states
            for row in self._mirror.rows(state)
        }
        held = self._mirror.forget(keys, site, numbers, again=again)
        rows: defaultdict[int, list[bytes]] = defaultdict(list)
        for sequence in held.waiting:
            rows[homes[sequence]].append(field_of(sequence))
        seen: defaultdict[int, list[int]] = defaultdict(list)
        for number in () if again else numbers:
            seen[number >> KEY_BITS].append(number)
        for partition in range(PARTITIONS):
            self.commit({})  # which renews the lease, and fails where others have begun
            if partition not in self._missed:
                self._server.send([("HDEL", self._server.key("sizes"), partition)])
            self._take_out(partition, rows[partition], held.keys)
            if again:
                self._change_seen(partition, without=held.keys)
            elif seen[partition]:
                self._change_seen(partition, more=seen[partition])
        return held

    def _take_out(self, partition: int, rows: Iterable[bytes], keys: Collection[bytes]) -> None:
        names = {key.hex().encode() for key in keys}
        facts = [
            field
            for field, _ in self._server.hash(FACT_PARTS, partition)
            if field.partition(BETWEEN)[2].partition(b"/")[0] in names
        ]
        going = {"rows": rows, "aside": rows, "pages": keys, FACT_PARTS: facts}
        for name, fields in going.items():
            for some in _cut([*fields]):
                self._server.send([("HDEL", self._server.key(name, partition), *some)])

    def _change_seen(
        self, partition: int, *, without: Collection[bytes] = (), more: Iterable[int] = ()
    ) -> None:
        """Write what is known of a partition anew, without some addresses or with some numbers more."""
        key = self._server.key("seen", partition)
        before = np.frombuffer(b"".join(self._server.values("seen", partition)), "<u8")
        mask = np.uint64(KEY_MASK)
        # Without the partition, which is unknown of a key: 58 bits tell addresses apart well enough.
        going = np.fromiter((key_number(one, 0) for one in without), np.uint64, len(without))
        left = before[~np.isin(before & mask, going)]
        added = np.setdiff1d(np.fromiter(more, np.uint64), left)
        if len(left) == len(before):
            commands = []
        else:
            commands = [("DEL", key), *(("RPUSH", key, some) for some in _numbers(left))]
        commands += [("RPUSH", key, some) for some in _numbers(added)]
        if commands:
            self._server.send([("MULTI",), *commands, ("EXEC",)])


def _cut(values: list[bytes]) -> Iterator[list[bytes]]:
    for first in range(0, len(values), FIELDS_AT_ONCE):
        yield values[first : first + FIELDS_AT_ONCE]


def _numbers(numbers: np.ndarray) -> Iterator[bytes]:
    for first in range(0, len(numbers), FIELDS_AT_ONCE):
        yield numbers[first : first + FIELDS_AT_ONCE].astype("<u8").tobytes()
