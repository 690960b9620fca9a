"""A feature of a user's own in a project of their own: its items become rows, lines and a feed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.crawls.conftest import Project, Web

MINE = """
import re
from dataclasses import dataclass

from focuscrawl.kernel.feature import Feature
from focuscrawl.results.columns import (
    KEY_COLUMN, Figure, LineColumn, TextColumn, Time, key_column, may, must, table,
)
from focuscrawl.results.kind import RowKind
from focuscrawl.results.upsert import first
from focuscrawl.results.schema import views


@dataclass
class Price:
    url_key: str
    url: str
    host: str
    amount: float
    found: float
    seen: float


PRICES = table(
    "prices",
    key_column("url_key", KEY_COLUMN),
    must("url", TextColumn),
    must("host", LineColumn(255)),
    may("amount", Figure),
    may("found", Time),
    may("seen", Time),
    may("gone_at", Time),
    about="What things cost.",
)


class Prices(Feature):
    name = "prices"
    rows = (
        RowKind(
            PRICES,
            item=Price,
            feed="price",
            merge={"found": first("found")},
            besides={"gone_at"},
            counters=("new",),
            views=views(dear="SELECT url, amount FROM prices WHERE amount > 100"),
            address="url_key",
            seen="seen",
        ),
    )

    def __init__(self, kernel):
        self.clock = kernel.clock

    @classmethod
    def of(cls, kernel):
        return cls(kernel)

    def judged(self, flight, judged):
        page, now = judged.page, self.clock.wall()
        if found := re.fullmatch(r".*/price-([0-9]+)[.]html", page.url):
            yield Price(page.url_key, page.url, page.host, float(found[1]), now, now)

    def summary(self):
        yield "dearest", "120 yuan"
"""
FEATURES = '{"mine.Prices": 500}'
FEEDS = '{"out/prices.jsonl": {"format": "jsonl", "item_classes": ["mine.Price"]}}'
HOME = "http://a.test/"


def test_what_it_finds_is_stored_counted_told_and_forgotten(project: Project, web: Web) -> None:
    web.board(HOME, f"{HOME}price-120.html", f"{HOME}price-80.html")
    web.article(f"{HOME}price-120.html", 1)
    web.article(f"{HOME}price-80.html", 2)
    project.topic()
    project.write("mine.py", MINE)
    ended = project.crawl("-s", f"FEEDS={FEEDS}", FOCUSCRAWL_FEATURES=FEATURES)
    assert ended.status == 0, ended.said
    assert "  prices     2 new" in ended.said
    assert "  dearest    120 yuan" in ended.said
    assert [tuple(row) for row in project.rows("SELECT url, amount FROM dear")] == [
        (f"{HOME}price-120.html", 120.0)
    ]
    counters = json.loads(project.last_run()["counters"])
    assert counters["prices_new"] == 2
    lines = (project.folder / "out/prices.jsonl").read_text("utf-8").splitlines()
    assert sorted(json.loads(line)["amount"] for line in lines) == [80.0, 120.0]
    assert json.loads(lines[0])["seen"].endswith("Z")
    looked = project.run("topic", "check-data", "news", FOCUSCRAWL_FEATURES=FEATURES)
    assert looked.status == 0, looked.said
    forgotten = project.run(
        "topic", "forget", "news", "--site", "a.test", "--yes", FOCUSCRAWL_FEATURES=FEATURES
    )
    assert "2 prices" in forgotten.said
