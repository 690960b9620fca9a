"""What all workers of a crawl have in common, and what is said to one that has not."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from focuscrawl.config import read_config
from focuscrawl.kernel.opening import common_of
from focuscrawl.stores.state.protocol import StoreError
from tests.kernel.test_template_changes import template
from tests.stores.opened_stores import leave, redis_store

if TYPE_CHECKING:
    from focuscrawl.stores.state.protocol import InCommon
    from tests.servers.redis_server import RedisServer

RESULTS = "FOCUSCRAWL_RESULTS"


def results(place: str) -> InCommon:
    config = read_config(Settings({RESULTS: place}), {}, Path("/projects/food"))
    return common_of(template(), config)[RESULTS]


def test_a_file_of_results_is_one_of_a_machine_however_it_is_written() -> None:
    here = socket.gethostname()
    assert results("").value == f"{here}:/projects/food/crawls/x.db"
    for form in (
        "sqlite:////data/x.db",
        "sqlite+pysqlite:////data/x.db",
        "sqlite:////data/x.db?a=b",
    ):
        assert results(form).value == f"{here}:/data/x.db"
    server = "postgresql+psycopg://crawl:secret@db.example/news"
    assert results(server).value == "postgresql+psycopg://crawl:***@db.example/news"


def test_workers_on_other_machines_are_told_that_a_file_is_for_one(
    redis_of_tests: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = redis_store(redis_of_tests, f"{tmp_path}:", results=results("sqlite:////data/x.db"))
    first.own()
    monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
    second = redis_store(redis_of_tests, f"{tmp_path}:", results=results("sqlite:////data/x.db"))
    with pytest.raises(
        StoreError, match=r"here it is 'elsewhere:/data/x.db'.*a file is for workers of one"
    ) as said:
        second.own()
    assert "postgresql+psycopg://" in str(said.value)
    second.release()
    leave(first)
