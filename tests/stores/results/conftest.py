"""Results in each kind of database, and what a crawl hands over to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from focuscrawl.stores.results.results import Results
from focuscrawl.values import Article, Page, PageClass
from tests.clock import NOON, StandingClock
from tests.databases import Database
from tests.servers.mariadb_server import is_installed

KEY = "0123456789abcdef0123456789abcdef"
PARENT_KEY = "f" * 32


collect_ignore = [] if is_installed() else ["test_mariadb.py"]  # tests/conftest.py says so


@pytest.fixture
def results(database: Database) -> Iterator[Results]:
    with database.open() as opened:
        yield opened


@pytest.fixture
def make_page() -> Callable[..., Page]:
    """A page as the crawl hands it over, fetched at noon; arguments change its fields."""
    usual = Page(
        url_key=KEY,
        url="http://news.example/a.html",
        host="news.example",
        page_class=PageClass.ARTICLE,
        outcome="stored",
        level=2,
        parent_key=PARENT_KEY,
        anchor="成都抽检食品",
        first_seen=NOON - 60,
        last_fetched=NOON,
        status=200,
        title="成都抽检食品",
        run_id="run-1",
    )
    return lambda **changes: replace(usual, **changes)


@pytest.fixture
def make_article() -> Callable[..., Article]:
    """An article as the crawl hands it over, fetched at noon; arguments change its fields."""
    usual = Article(
        url_key=KEY,
        url="http://news.example/a.html",
        host="news.example",
        title="成都抽检食品",
        text="第一段。\n第二段。",
        fetched=NOON,
        keywords=[("食品", 0.5)],
        hits={"食品": 2},
    )
    return lambda **changes: replace(usual, **changes)


@pytest.fixture
def clock(database: Database) -> StandingClock:
    """The clock the results were opened with."""
    return database.clock
