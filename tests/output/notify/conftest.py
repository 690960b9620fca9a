"""A mail server and an address that takes JSON, both real, and results in which something is new."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.output.notify.outbox import Delivery, TopicOutbox
from focuscrawl.output.notify.table import NotifyTable
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.template.load import load
from focuscrawl.values import Article, PageChange
from tests.clock import StandingClock
from tests.databases import Database
from tests.kinds import KINDS
from tests.output.notify.receivers import Hook, Mailbox, served_hook, served_mailbox

MORNING = 1_795_132_800.0  # 2026-11-20T08:00 in Shanghai
HOUR, DAY = 3_600.0, 86_400.0


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with served_mailbox() as box:
        yield box


@pytest.fixture
def hook() -> Iterator[Hook]:
    with served_hook() as box:
        yield box


TEMPLATE = """
[topic]
name = "{name}"
title = "{title}"
[[source]]
url = "http://www.site.cn/"
[[notify]]
{notify}
"""


@dataclass
class Newsroom:
    """Results of a topic, to which a test adds what is new, and its outbox."""

    folder: Path
    results: Results
    outbox: TopicOutbox
    clock: StandingClock
    database: Database
    number: int = 0

    @property
    def table(self) -> NotifyTable:
        return self.outbox.template.each(NotifyTable)[0]

    def add(
        self,
        title: str,
        at: float | None = None,
        *,
        kind: str = "new",
        told: bool = True,
        **more: Any,
    ) -> str:
        """Store an article, and a change that tells of it, whose id is returned; not ``told``: no change."""
        self.number += 1
        moment = self.clock.now if at is None else at
        key = f"{self.outbox.name:0>16}"[:16].encode().hex()[:16] + f"{self.number:016x}"
        url = more.pop("url", f"http://www.site{self.number % 3}.cn/{self.number}.html")
        article = Article(
            *(key, url, f"www.site{self.number % 3}.cn", title, more.pop("text", f"正文 {title}")),
            fetched=moment,
            **{"hits": {"地铁": 2}, "score": 0.6, **more},
        )
        change = PageChange(key[::-1], moment, key, url, kind, "article", title=title)
        self.results.write(ResultBatch(articles=[article], changes=[change] if told else []))
        return change.change_id


@pytest.fixture
def newsroom(tmp_path: Path, database: Database) -> Iterator[Callable[..., Newsroom]]:
    opened: list[Results] = []

    def make(notify: str, name: str = "metro", title: str = "成都地铁") -> Newsroom:
        folder = tmp_path / "topics"
        folder.mkdir(exist_ok=True)
        path = folder / f"{name}.toml"
        path.write_text(TEMPLATE.format(name=name, title=title, notify=notify), "utf-8")
        template = load(path, None, {**os.environ, "SECRET_HOOK": "http://127.0.0.1:9/s3cret"}).template  # fmt: skip
        is_server = not database.url.startswith(
            "sqlite"
        )  # it has all topics; else each has its file
        place = database.url if is_server else tmp_path / f"{name}.db"
        clock = StandingClock(MORNING)
        results = Results.open(place, name, kinds=KINDS, clock=clock)
        opened.append(results)
        return Newsroom(
            tmp_path, results, TopicOutbox(template, place, KINDS.tables), clock, database
        )

    yield make
    for results in opened:
        results.close()


@pytest.fixture
def delivery(tmp_path: Path, mailbox: Mailbox) -> Delivery:
    return Delivery(tmp_path, mailbox.url)
