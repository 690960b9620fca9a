"""A worker on Redis that is gone: who takes what it held is told whose that was."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.stores.state.topic_store import is_dead, worker_name
from tests.stores.opened_stores import leave, redis_store, write

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


def test_for_a_worker_that_died_on_this_machine_no_lease_is_waited_for(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    died = redis_store(redis_of_tests, f"{tmp_path}:")
    assert len(died.own()) == PARTITIONS
    after = redis_store(redis_of_tests, f"{tmp_path}:", is_dead=died.worker.__eq__)
    assert len(after.own()) == PARTITIONS
    leave(after)


def test_a_worker_is_dead_when_its_machine_has_no_such_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = worker_name()
    assert not is_dead(worker)
    monkeypatch.setattr(os, "kill", Mock(side_effect=ProcessLookupError))
    assert is_dead(worker)
    assert not is_dead("there:7:another.ab12"), "it is of another machine"
    monkeypatch.setattr(os, "kill", Mock(side_effect=PermissionError))
    assert not is_dead(worker), "the process is another user's"
