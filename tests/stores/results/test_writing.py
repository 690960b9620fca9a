"""What a batch does to the rows, in SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import pytest

from focuscrawl.stores.results.database import ResultsError
from focuscrawl.stores.results.kind import RowOutcome
from focuscrawl.stores.results.kinds.runs import SiteRow
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch, Written
from focuscrawl.values import Article, Page, PageChange
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.clock import StandingClock
    from tests.databases import Database

    MakePage = Callable[..., Page]
    MakeArticle = Callable[..., Article]

KEY = "0123456789abcdef0123456789abcdef"
NOON = 1_795_147_200.0
PARENT_KEY = "f" * 32


def test_a_visit_written_twice_counts_once(
    database: Database, results: Results, make_page: MakePage
) -> None:
    results.write(ResultBatch(pages=[make_page()]))
    results.write(ResultBatch(pages=[make_page()]))
    assert database.ask("SELECT visits FROM pages") == [(1,)]


@pytest.mark.parametrize("later", [{"last_fetched": NOON + 1}, {"run_id": "run-2"}])
def test_another_visit_counts(
    database: Database, results: Results, make_page: MakePage, later: dict[str, object]
) -> None:
    results.write(ResultBatch(pages=[make_page()]))
    results.write(ResultBatch(pages=[make_page(**later)]))
    assert database.ask("SELECT visits FROM pages") == [(2,)]


def test_two_visits_in_one_batch_count_both(
    database: Database, results: Results, make_page: MakePage
) -> None:
    results.write(ResultBatch(pages=[make_page(), make_page(last_fetched=NOON + 1)]))
    assert database.ask("SELECT visits FROM pages") == [(2,)]


def test_how_a_page_was_found_first_stays(
    database: Database, results: Results, make_page: MakePage
) -> None:
    results.write(ResultBatch(pages=[make_page()]))
    later = make_page(
        first_seen=NOON + 5,
        last_fetched=NOON + 9,
        parent_key="a" * 32,
        anchor="另一个链接",
        outcome="error",
        status=500,
        title="",
    )
    results.write(ResultBatch(pages=[later]))
    assert database.ask(
        "SELECT parent_key, anchor, title, outcome, status, first_seen, first_fetched,"
        " last_fetched FROM pages"
    ) == [(PARENT_KEY, "成都抽检食品", "成都抽检食品", "error", 500, NOON - 60, NOON, NOON + 9)]


def test_a_page_that_was_only_refused_has_no_visit(
    database: Database, results: Results, make_page: MakePage
) -> None:
    refused = make_page(last_fetched=None, outcome="refused", reason="robots", status=0)
    results.write(ResultBatch(pages=[refused]))
    assert database.ask("SELECT visits, last_fetched, reason FROM pages") == [(0, None, "robots")]


def test_a_refusal_after_a_visit_keeps_when_and_by_whom_it_was_fetched(
    database: Database, results: Results, make_page: MakePage
) -> None:
    results.write(ResultBatch(pages=[make_page()]))
    refused = make_page(last_fetched=None, outcome="refused", reason="robots", run_id="run-2")
    results.write(ResultBatch(pages=[refused]))
    assert database.ask("SELECT last_fetched, run_id, visits, outcome FROM pages") == [
        (NOON, "run-1", 1, "refused")
    ]


def test_an_article_written_twice_is_the_same_row(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    first = results.write(ResultBatch(articles=[make_article()]))
    row = database.ask("SELECT * FROM articles")
    second = results.write(ResultBatch(articles=[make_article()]))
    assert database.ask("SELECT * FROM articles") == row
    assert (first, second) == (Written({"articles": RowOutcome(new=frozenset({KEY}))}), Written())


def test_a_new_article_has_all_its_columns(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    results.write(
        ResultBatch(
            articles=[make_article(published=NOON - 3600, tags=["民生"], extra={"甲": [1]})]
        )
    )
    assert database.ask(
        "SELECT text, lead, published, tags, keywords, hits, extra, length, version, complete,"
        " is_copy, simhash, found, updated, fetched, author FROM articles"
    ) == [
        (
            "第一段。\n第二段。",
            "第一段。 第二段。",
            NOON - 3600,
            ["民生"],
            [["食品", 0.5]],
            {"食品": 2},
            {"甲": [1]},
            9,
            1,
            True,
            False,
            None,
            NOON,
            NOON,
            NOON,
            None,
        )
    ]


def test_another_text_is_another_version(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    results.write(ResultBatch(articles=[make_article()]))
    written = results.write(
        ResultBatch(articles=[make_article(text="第三段。", fetched=NOON + 60)])
    )
    assert written == Written({"articles": RowOutcome(changed=frozenset({KEY}))})
    assert database.ask("SELECT version, found, updated, fetched FROM articles") == [
        (2, NOON, NOON + 60, NOON + 60)
    ]


def test_another_layout_of_the_same_text_is_no_new_version(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    results.write(ResultBatch(articles=[make_article(text="ABC 1 2 3")]))
    written = results.write(
        ResultBatch(articles=[make_article(text="ＡＢＣ\n１２３", fetched=NOON + 60)])
    )
    assert written == Written()
    assert database.ask("SELECT version, found, updated, fetched FROM articles") == [
        (1, NOON, NOON, NOON + 60)
    ]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [("full", ("长" * 400, "长" * 300)), ("lead", (None, "长" * 300)), ("none", (None, None))],
)
def test_output_text_decides_what_is_stored_but_not_what_a_change_is(
    database: Database,
    make_article: MakeArticle,
    kept: Literal["full", "lead", "none"],
    expected: tuple[str | None, str | None],
) -> None:
    with Results.open(
        database.url, "food", kinds=KINDS, clock=database.clock, text=kept
    ) as results:
        results.write(ResultBatch(articles=[make_article(text="短" * 400)]))
        changed = results.write(ResultBatch(articles=[make_article(text="长" * 400)]))
        stored = results.text(KEY)
    assert stored is not None
    assert stored.length == 400, "a text that is cut or left out had its length"
    assert database.ask("SELECT text, lead, length, version FROM articles") == [(*expected, 400, 2)]
    assert changed.of("articles").changed == {KEY}


def test_an_article_without_a_time_was_fetched_now(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    results.write(ResultBatch(articles=[make_article(fetched=0.0)]))
    assert database.ask("SELECT fetched, found, updated FROM articles") == [(NOON, NOON, NOON)]


def test_topics_share_a_database_and_do_not_meet(
    database: Database, make_article: MakeArticle, make_page: MakePage
) -> None:
    batch = ResultBatch(articles=[make_article()], pages=[make_page()])
    with database.open("food") as food, database.open("chips") as chips:
        food.write(batch)
        assert not chips.ever_found()
        assert chips.write(batch).of("articles").new == {KEY}
    assert database.ask("SELECT topic, version FROM articles ORDER BY topic") == [
        ("chips", 1),
        ("food", 1),
    ]


def test_what_is_not_known_of_a_site_leaves_what_was(database: Database, results: Results) -> None:
    results.write(
        ResultBatch(
            sites=[
                SiteRow("a.example", state="banned", evidence={"pages": [1]}, until=NOON + 60),
                SiteRow("b.example", pages=3, delay_s=1.5, delay_from="robots", last_ok=NOON),
            ]
        )
    )
    results.write(
        ResultBatch(sites=[SiteRow("a.example", state="relevant"), SiteRow("b.example", pages=4)])
    )
    assert database.ask(
        "SELECT host, state, evidence, until, pages, delay_s, last_ok, updated FROM sites"
        " ORDER BY host"
    ) == [
        ("a.example", "relevant", {"pages": [1]}, None, None, None, None, NOON),
        ("b.example", "unknown", None, None, 4, 1.5, NOON, NOON),
    ]


def test_a_batch_is_written_whole_or_not_at_all(
    database: Database, results: Results, make_page: MakePage, make_article: MakeArticle
) -> None:
    database.tell("ALTER TABLE changes RENAME TO elsewhere")
    change = PageChange("c" * 32, NOON, KEY, "http://x.example/", "gone", "page")
    with pytest.raises(ResultsError, match="changes"):
        results.write(ResultBatch(articles=[make_article()], pages=[make_page()], changes=[change]))
    assert database.ask("SELECT count(*) FROM pages") == [(0,)]
    assert not results.ever_found()


def test_hostile_text_is_stored_without_what_databases_refuse(
    database: Database, results: Results, make_page: MakePage, make_article: MakeArticle
) -> None:
    dirty = "a\x00b\x1b[31m\ud800c\ufffe"
    results.write(
        ResultBatch(
            pages=[make_page(title=dirty, anchor="一\n二", url="http://x/\x00")],
            articles=[
                make_article(
                    title=dirty,
                    text=dirty + "\r\n次行",
                    hits={dirty: 1},
                    extra={"数": float("nan"), "大": 10**30, "词": dirty},
                    published=1e20,
                    host="长" * 300,
                )
            ],
        )
    )
    assert database.ask("SELECT title, anchor, url FROM pages") == [
        ("ab[31mc", "一 二", "http://x/")
    ]
    assert database.ask("SELECT title, text, hits, extra, published, host FROM articles") == [
        (
            "ab[31mc",
            "ab[31mc\n次行",
            {"ab[31mc": 1},
            {"数": None, "大": str(10**30), "词": "ab[31mc"},
            None,
            "长" * 255,
        )
    ]


def test_json_keeps_chinese_readable(sqlite_database: Database, make_article: MakeArticle) -> None:
    with sqlite_database.open() as results:
        results.write(ResultBatch(articles=[make_article()]))
    assert sqlite_database.ask("SELECT count(*) FROM articles WHERE keywords LIKE '%食品%'") == [
        (1,)
    ]


def test_times_in_sqlite_are_text_that_sorts(
    sqlite_database: Database, make_page: MakePage
) -> None:
    with sqlite_database.open() as results:
        results.write(ResultBatch(pages=[make_page(last_fetched=NOON + 0.123)]))
    found = sqlite_database.ask("SELECT substr(last_fetched, 1, 99) || '' || '|' FROM pages")
    assert found == [("2026-11-20T04:00:00.123Z|",)]


def test_nothing_found_is_known_until_an_article_is_stored(
    results: Results, make_page: MakePage, make_article: MakeArticle
) -> None:
    results.write(ResultBatch(pages=[make_page()]))
    assert not results.ever_found()
    results.write(ResultBatch(articles=[make_article()]))
    assert results.ever_found()


@pytest.mark.parametrize("table", ["records", "threads"])
def test_a_record_or_a_thread_also_counts_as_found(
    database: Database, results: Results, table: str
) -> None:
    extra = {
        "records": (
            "record_type, record_id, data, complete, version",
            "'firm', 'k', '{}', true, 1",
        ),
        "threads": ("replies_seen", "0"),
    }[table]
    when = "'2026-11-20T04:00:00.000Z'"
    database.tell(
        f"INSERT INTO {table} (topic, url_key, url, found, updated, {extra[0]})"
        f" VALUES ('food', 'k', 'http://x/', {when}, {when}, {extra[1]})"
    )
    assert results.ever_found()


def test_an_empty_batch_writes_nothing(results: Results, database: Database) -> None:
    assert results.write(ResultBatch()) == Written()
    assert database.ask("SELECT count(*) FROM pages") == [(0,)]


def test_the_clock_is_the_one_given(
    database: Database, results: Results, clock: StandingClock
) -> None:
    clock.now = NOON + 7200
    results.write(ResultBatch(sites=[SiteRow("a.example")]))
    assert database.ask("SELECT updated FROM sites") == [(NOON + 7200,)]
