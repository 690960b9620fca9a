"""``output.keep``: rows go so long after they were last seen, with all that is theirs, never sooner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.features.records.rows import record_change, record_row
from focuscrawl.features.revisit.change.comparison import first_change
from focuscrawl.stores.results.forgetting import delete_addresses
from focuscrawl.stores.results.kind import RowContext
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryArticle, StoryState
from focuscrawl.values import Article, Page, PageChange, Record
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.clock import StandingClock
    from tests.databases import Database

    MakePage = Callable[..., Page]
    MakeArticle = Callable[..., Article]

pytestmark = pytest.mark.keep

NOON = 1_795_147_200.0
DAY = 86_400.0
CHILDREN = ("articles", "versions", "records", "story_members", "changes", "labels")


def key(number: int) -> str:
    return f"{number:032x}"


def record(number: int, url: str, at: float) -> Record:
    said = {"value": "甲", "raw": "甲", "label": "名称", "url": url, "at": at}
    return Record(
        record_type="company",
        record_id=key(1000 + number),
        host="a.cn",
        url_key=key(number),
        url=url,
        data={"name": "甲"},
        evidence={"name": said},
        fetched=at,
    )


def new(*articles: Article) -> list[PageChange]:
    """Tell that articles are new, as a crawl does with what it stores."""
    return [change for article in articles if (change := first_change(article, None, NOON))]


def member(number: int, story: int) -> StoryArticle:
    return StoryArticle(number, bytes.fromhex(key(number)), NOON, key(story), "first", "", 0, "", b"")  # fmt: skip


def story(number: int, first: int) -> StoryState:
    return StoryState(key(number), "抽检", key(first), "a.cn", NOON, NOON, 2, 0, ("a.cn",))


def test_an_old_address_goes_with_all_that_is_its(
    database: Database, results: Results, make_page: MakePage, make_article: MakeArticle, clock: StandingClock,
) -> None:  # fmt: skip
    for text in ("第一版", "第二版"):
        articles = [make_article(url_key=key(number), text=text) for number in (1, 2)]
        results.write(ResultBatch(articles=articles, changes=new(*articles)))
    results.write(
        ResultBatch(
            pages=[make_page(url_key=key(1)), make_page(url_key=key(2), last_fetched=NOON + DAY)],
            records=[record(number, "http://a.cn/", NOON) for number in (1, 2)],
            stories=[story(50, 1), story(51, 1), story(52, 1)],
            members=[member(1, 50), member(2, 51)],
        )
    )
    for number in (1, 2):
        database.tell(
            "INSERT INTO changes (topic, change_id, at, url_key, url, kind, what) SELECT topic,"
            f" '{key(90 + number)}', updated, url_key, url, 'major', 'article' FROM articles"
            f" WHERE url_key = '{key(number)}'"
        )
        database.tell(
            "INSERT INTO labels (topic, target, target_key, label, at) SELECT topic, 'article',"
            f" url_key, 'read', updated FROM articles WHERE url_key = '{key(number)}'"
        )
    clock.now = NOON + DAY
    assert not results.forget_old(DAY), "never sooner"
    clock.now += 1
    deleted = results.forget_old(DAY)
    assert deleted == {"pages": 1, "changes": 4, "stories": 1, **dict.fromkeys({*CHILDREN} - {"changes"}, 1)}  # fmt: skip
    assert database.ask("SELECT url_key FROM pages") == [(key(2),)]
    for table in {*CHILDREN} - {"changes"}:
        assert database.ask(f"SELECT count(*) FROM {table}") == [(1,)], table
    assert database.ask("SELECT story_id FROM stories ORDER BY 1") == [(key(51),), (key(52),)]
    assert not results.forget_old(DAY)


def test_a_page_that_is_looked_at_keeps_its_article_however_old_that_is(
    database: Database, results: Results, make_page: MakePage, make_article: MakeArticle, clock: StandingClock,
) -> None:  # fmt: skip
    results.write(ResultBatch(articles=[make_article()], changes=new(make_article())))
    results.write(ResultBatch(pages=[make_page(last_fetched=NOON + 30 * DAY, outcome="unchanged")]))
    clock.now = NOON + 31 * DAY
    assert results.forget_old(2 * DAY) == {"changes": 1}, "that it was new"
    assert database.ask("SELECT count(*) FROM articles") == [(1,)]


def test_what_is_gone_goes_so_long_after_that_was_found_out(
    database: Database, results: Results, make_page: MakePage, make_article: MakeArticle, clock: StandingClock,
) -> None:  # fmt: skip
    page = make_page(last_fetched=NOON + 30 * DAY, outcome="gone", status=404)
    results.write(ResultBatch(pages=[page], articles=[make_article()], changes=new(make_article())))
    clock.now = NOON + 3 * DAY
    for table in ("pages", "articles"):
        database.tell(f"UPDATE {table} SET gone_at = (SELECT updated FROM articles)")
    assert results.forget_old(4 * DAY).total() == 0
    assert results.forget_old(2 * DAY) == {"pages": 1, "articles": 1, "changes": 1}


def test_a_record_stays_while_another_page_says_it(
    results: Results, make_page: MakePage, clock: StandingClock
) -> None:
    first = record(1, "http://a.cn/1", NOON)
    told = record_change(None, record_row(first, RowContext("", None, NOON, "full")), None)
    results.write(
        ResultBatch(
            pages=[make_page(url_key=key(1))], records=[first], changes=[told] if told else []
        )
    )
    again = record(1, "http://a.cn/2", NOON + 9 * DAY)
    again.url_key = key(2)
    results.write(ResultBatch(records=[again]))
    clock.now = NOON + 10 * DAY
    assert results.forget_old(5 * DAY) == {"changes": 1}
    clock.now = NOON + 20 * DAY
    assert results.forget_old(5 * DAY) == {"pages": 1, "records": 1}


def test_what_a_parser_stored_without_a_page_grows_old_too(
    results: Results, make_article: MakeArticle, clock: StandingClock
) -> None:
    results.write(ResultBatch(articles=[make_article()], changes=new(make_article())))
    clock.now = NOON + 9 * DAY
    assert not results.forget_old(9 * DAY)
    assert results.forget_old(8 * DAY) == {"articles": 1, "changes": 1}


def test_in_the_midst_of_a_run_only_some_go_at_a_time(
    results: Results, make_page: MakePage, clock: StandingClock
) -> None:
    keys = [key(number) for number in range(450)]
    results.write(ResultBatch(pages=[make_page(url_key=one) for one in keys]))
    clock.now = NOON + 9 * DAY
    assert [results.forget_old(DAY, most=150)["pages"] for _ in range(4)] == [200, 200, 50, 0]


@pytest.mark.of_views
def test_articles_that_went_are_no_longer_found_by_their_words(
    database: Database, clock: StandingClock, make_article: MakeArticle
) -> None:
    with Results.open(database.url, "food", kinds=KINDS, clock=clock, text_index=True) as results:
        articles = [make_article(), make_article(url_key=key(1), fetched=NOON + DAY)]
        results.write(ResultBatch(articles=articles, changes=new(*articles)))
        assert len(results.search("第二段")) == 2
        clock.now = NOON + 2 * DAY
        assert results.forget_old(1.5 * DAY) == {"articles": 1, "changes": 1}
        assert results.search("第二段") == [key(1)]


def test_other_topics_are_left_alone(
    database: Database, results: Results, make_article: MakeArticle, clock: StandingClock
) -> None:
    with database.open("other") as other:
        other.write(ResultBatch(articles=[make_article()]))
    results.write(ResultBatch(articles=[make_article()]))
    clock.now = NOON + 9 * DAY
    results.forget_old(DAY)
    assert database.ask("SELECT topic FROM articles") == [("other",)]


def test_a_story_loses_the_title_of_an_article_a_person_wants_forgotten(
    sqlite_database: Database, make_article: MakeArticle
) -> None:
    with sqlite_database.open() as results:
        results.write(ResultBatch(stories=[story(50, 1)], members=[member(1, 50), member(2, 50)]))
    engine = sqlite_database.engine()
    with engine.begin() as connection:
        delete_addresses(connection, KINDS, "food", [key(1)], retell=True)
    engine.dispose()
    assert sqlite_database.ask("SELECT title, first_key, articles FROM stories") == [
        (None, None, 1)
    ]


AGES = st.lists(
    st.fixed_dictionaries({"page": st.integers(0, 9), "article": st.none() | st.integers(0, 9)}),
    max_size=12,
)


def test_exactly_what_is_older_goes(
    sqlite_database: Database, make_page: MakePage, make_article: MakeArticle
) -> None:
    results = sqlite_database.open()

    @settings(max_examples=40, deadline=None)
    @given(AGES, st.integers(0, 9))
    def check(ages: list[dict[str, Any]], keep: int) -> None:
        pages = [
            make_page(url_key=key(number), last_fetched=NOON - age["page"] * DAY)
            for number, age in enumerate(ages)
        ]
        articles = [
            make_article(url_key=key(number), fetched=NOON - age["article"] * DAY)
            for number, age in enumerate(ages)
            if age["article"] is not None
        ]
        results.write(ResultBatch(pages=pages, articles=articles))
        deleted = results.forget_old(keep * DAY)
        old = [
            age
            for age in ages
            if age["page"] > keep and (age["article"] is None or age["article"] > keep)
        ]
        assert deleted["pages"] == len(old)
        assert deleted["articles"] == sum(age["article"] is not None for age in old)
        results.forget_old(-DAY)

    check()
    results.close()
