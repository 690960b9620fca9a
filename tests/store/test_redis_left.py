"""A worker on Redis that is gone: who takes what it held is told whose that was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from focuscrawl.store.protocol import PARTITIONS
from tests.store.stores import leave, redis_store, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.B1


def test_who_died_is_named_once_and_who_left_in_order_is_not(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    prefix, client = f"{tmp_path}:", redis_of_tests.client()
    died = redis_store(redis_of_tests, prefix)
    assert len(died.own()) == PARTITIONS
    client.zadd(f"{prefix}workers", {died.worker: 0})  # its lease is over
    left = redis_store(redis_of_tests, prefix)
    assert len(left.own()) == PARTITIONS
    assert [write(left, {}).gone for _ in range(2)] == [{died.worker: PARTITIONS}, {}]
    leave(left)
    last = redis_store(redis_of_tests, prefix)
    assert len(last.own()) == PARTITIONS
    assert write(last, {}).gone == {}
    leave(last)
