"""One value never loses a window: it is unknown, or its row alone is left out and said."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from focuscrawl.stores.results.kinds.runs import RunRow, RunStart, SiteRow
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import LeftOut, ResultBatch
from focuscrawl.stores.state.protocol import StoryArticle, StoryState
from focuscrawl.values import (
    Article,
    File,
    Page,
    PageChange,
    PageClass,
    Post,
    Record,
    Thread,
    ThreadCounts,
)
from tests.clock import NOON
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.databases import Database

    MakeArticle = Callable[..., Article]

pytestmark = pytest.mark.unfit_values

KEY = "e" * 32
URL = "http://odd.example/"
LONG = "长" * 6_000_000  # 18 MB: more than a server takes at once
TEXTS = ("text", "title", "url", "diff", "snippet")
DEEP: Any = "底"
for _ in range(400):
    DEEP = {"一": [DEEP]}
DIRTY = "a\x00b\ud800\x1b"
NUMBERS = (math.nan, math.inf, -math.inf, 10**30, -(10**30), -1, 2**31, 2**53, 2**53 + 1, 2**63)
VALUES: tuple[Any, ...] = (
    *NUMBERS,
    1e300,
    "",
    DIRTY,
    DEEP,
    {DIRTY: DIRTY},
    [10**30],
    b"\xff",
)

ITEMS: dict[str, Any] = {
    "pages": Page(KEY, URL, "odd.example", PageClass.ARTICLE, "stored", last_fetched=NOON),
    "articles": Article(KEY, URL, "odd.example", "题", "文", fetched=NOON),
    "sites": SiteRow("odd.example"),
    "threads": Thread(KEY, URL, "odd.example", "题", fetched=NOON),
    "counts": ThreadCounts(KEY, 1, 1),
    "posts": Post(KEY, 1, "人", NOON, "文", fetched=NOON),
    "files": File(KEY, URL, KEY, "0" * 64, "application/pdf", 9, NOON),
    "records": Record("firm", KEY, "odd.example", KEY, URL, {"name": "甲"}, fetched=NOON),
    "stories": StoryState(KEY, "题", KEY, "odd.example", NOON, NOON, 1, 0, ("odd.example",)),
    "members": StoryArticle(1, b"k" * 16, NOON, KEY, "first", "", 1.0, "", b""),
    "changes": PageChange(KEY, NOON, KEY, URL, "gone", "page"),
    "seeds": {
        "topic": "food", "engine": "e", "query": "q", "url_key": KEY, "url": URL, "rank": 1,
        "title": "题", "snippet": "文", "dated": NOON, "first_found": NOON, "last_found": NOON,
        "missing_since": None, "state": "new", "useful": 0,
    },
}  # fmt: skip


def test_every_part_of_a_window_is_written_item_by_item() -> None:
    assert {*ITEMS} >= {*KINDS.parts} - {"series"}


def with_extremes(whole: Any) -> Iterator[Any]:
    """Return an item as often as a field of it can be extreme."""
    item: Any = whole
    if isinstance(item, dict):
        names, now = [*item], item
        changed: Callable[..., Any] = functools.partial(dict, item)
    elif hasattr(item, "_replace"):
        names, changed = item._fields, item._replace
        now = item._asdict()
    else:
        names = [one.name for one in dataclasses.fields(item)]
        changed = functools.partial(dataclasses.replace, item)
        now = {name: getattr(item, name) for name in names}
    for name in names:
        for value in VALUES:
            yield changed(**{name: value})
        if isinstance(now[name], str | None):
            yield changed(**{name: LONG if name in TEXTS else LONG[:100_000]})


@pytest.mark.parametrize("part", ITEMS)
def test_no_value_of_any_field_loses_what_else_is_in_the_window(
    database: Database, results: Results, make_article: MakeArticle, part: str
) -> None:
    odd = list(with_extremes(ITEMS[part]))
    innocent = [make_article(url_key=f"{number:032x}") for number in range(0, len(odd), 20)]
    left: list[LeftOut] = []
    for number, article in enumerate(innocent):
        batch = ResultBatch(articles=[article])
        some = odd[number * 20 : number * 20 + 20]
        batch.rows[part] += some
        written = results.write(batch)
        assert article.url_key in written.of("articles").new
        left += written.left_out
    assert len(left) < len(odd)
    assert {one.table for one in left} <= {part}
    assert all(one.why and len(one.why) <= 200 for one in left)
    (count,) = database.ask("SELECT count(*) FROM articles WHERE title = '成都抽检食品'")
    assert count == (len(innocent),)


def test_counts_no_page_can_have_are_unknown(database: Database, results: Results) -> None:
    thread = ITEMS["threads"]
    for number, views in enumerate((-1, 2**53, 2**53 + 1, 10**30, math.nan, 7.0, "7")):
        key = f"{number:032x}"
        written = results.write(ResultBatch(threads=[dataclasses.replace(thread, url_key=key, views=views)]))  # fmt: skip
        assert not written.left_out
    assert database.ask("SELECT views FROM threads ORDER BY url_key") == [
        (None,), (2**53,), (None,), (None,), (None,), (7,), (None,),
    ]  # fmt: skip


def test_what_cannot_be_stored_is_left_out_alone_and_said(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    results.begin_run(RunStart("run-1", "", {}))
    posts = [dataclasses.replace(ITEMS["posts"], post_no=number) for number in (1, 10**12, 3)]
    told = [
        dataclasses.replace(
            ITEMS["changes"], change_id=key, url_key=key, kind="new", what="article"
        )
        for key in ("a" * 32, "b" * 32)
    ]
    written = results.write(
        ResultBatch(
            articles=[
                make_article(url_key="a" * 32, host=None, url=URL),
                make_article(url_key="b" * 32),
            ],
            posts=posts,
            changes=told,
            run=RunRow(requests=3),
            gone={"a\x00": NOON, "b" * 32: NOON},
        )
    )
    assert written.of("articles").new == {"b" * 32}
    assert [(one.table, one.of) for one in written.left_out if one.table != "gone"] == [
        ("articles", URL),
        ("posts", f"{KEY}"),
    ]
    assert "host" in written.left_out[0].why
    assert database.ask("SELECT url_key FROM articles WHERE gone_at IS NOT NULL") == [("b" * 32,)]
    assert database.ask("SELECT post_no FROM posts ORDER BY post_no") == [(1,), (3,)]
    assert database.ask("SELECT url_key FROM changes") == [("b" * 32,)]
    assert database.ask("SELECT requests FROM crawl_runs") == [(3,)]


def test_a_database_of_an_earlier_focuscrawl_takes_large_counts(
    postgresql_database: Database,
) -> None:
    postgresql_database.open().close()
    postgresql_database.tell("ALTER TABLE threads ALTER COLUMN views TYPE INTEGER")
    postgresql_database.tell("ALTER TABLE threads ALTER COLUMN replies TYPE INTEGER")
    postgresql_database.tell("CREATE VIEW mine AS SELECT replies FROM threads")
    thread = dataclasses.replace(ITEMS["threads"], views=2**40)
    with postgresql_database.open() as results:
        assert not results.write(ResultBatch(threads=[thread])).left_out
        worse = dataclasses.replace(thread, url_key="f" * 32, replies=2**40)
        (left,) = results.write(ResultBatch(threads=[worse])).left_out
        assert left.table == "threads"
    assert postgresql_database.ask("SELECT views FROM threads") == [(2**40,)]
