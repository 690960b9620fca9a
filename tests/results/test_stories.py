"""Stories and their members in the results, in SQLite and PostgreSQL alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from focuscrawl.results.results import Results
from focuscrawl.results.writing import ResultBatch
from focuscrawl.store.protocol import StoryArticle, StoryState
from focuscrawl.stories.rows import read_members
from focuscrawl.values import Article, Page

if TYPE_CHECKING:
    from tests.clock import StandingClock
    from tests.results.conftest import Database

    MakeArticle = Callable[..., Article]
    MakePage = Callable[..., Page]

NOON = 1_795_147_200.0
DAY = 86_400.0
STORY = "ab" * 16
KEYS = [bytes([number]) * 16 for number in range(3)]
FIRST = StoryArticle(1, KEYS[0], NOON - 60, STORY, "first", "", 1.0, "", b"sketch", (7,))
COPY = FIRST._replace(
    number=2,
    key=KEYS[1],
    at=NOON,
    relation="copy",
    like_key=KEYS[0].hex(),
    similarity=0.93,
    because="93 % of its text in both",
)
STATE = StoryState(
    STORY, "霉变花生", KEYS[0].hex(), "a.example", NOON - 60, NOON, 2, 1, ("a.example", "b.example"),
    (("花生", 0.5),),
)  # fmt: skip


def test_stories_and_members_are_rows_and_written_again_the_same(
    database: Database, results: Results
) -> None:
    batch = ResultBatch(stories=[STATE], members=[FIRST, COPY])
    for _ in range(2):
        results.write(batch)
    assert database.ask("SELECT * FROM stories") == [
        ("food", STORY, "霉变花生", KEYS[0].hex(), "a.example", NOON - 60, NOON, 2, 1, 2, [["花生", 0.5]], None)
    ]  # fmt: skip
    assert database.ask("SELECT * FROM story_members ORDER BY at") == [
        ("food", STORY, KEYS[0].hex(), "first", None, 1.0, None, NOON - 60),
        (
            "food",
            STORY,
            KEYS[1].hex(),
            "copy",
            KEYS[0].hex(),
            0.93,
            "93 % of its text in both",
            NOON,
        ),
    ]


def test_a_story_grows_and_is_swallowed(database: Database, results: Results) -> None:
    results.write(ResultBatch(stories=[STATE]))
    results.write(ResultBatch(stories=[STATE._replace(articles=5, merged_into="cd" * 16)]))
    assert database.ask("SELECT articles, merged_into FROM stories") == [(5, "cd" * 16)]


def test_an_article_says_its_story_and_keeps_it(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    results.write(ResultBatch(articles=[make_article(story_id=STORY, is_copy=True)]))
    results.write(ResultBatch(articles=[make_article(text="另一段。")]))
    ((story_id, is_copy),) = database.ask("SELECT story_id, is_copy FROM articles")
    assert story_id == STORY
    assert is_copy


def test_members_are_read_only_when_there_are_more_than_the_index_knows(results: Results) -> None:
    assert results.ask(read_members, more_than=0) == []
    results.write(ResultBatch(members=[FIRST, COPY]))
    assert results.ask(read_members, more_than=2) == []
    known = {article.key: article for article in results.ask(read_members, more_than=1)}
    assert known[KEYS[0]].relation == "first"
    assert known[KEYS[1]] == COPY._replace(number=0, at=0.0, sketch=b"", terms=())


@pytest.mark.of_views
def test_hot_stories_shows_those_of_a_day_by_number_of_sites(
    database: Database, results: Results
) -> None:
    now = time.time()
    many = STATE._replace(story_id="cd" * 16, title="多", sites=("a", "b", "c"), last_at=now)
    results.write(
        ResultBatch(
            stories=[
                STATE._replace(last_at=now - 3600),
                many,
                STATE._replace(story_id="ef" * 16, title="旧", last_at=now - 200_000),
                STATE._replace(story_id="01" * 16, title="并", last_at=now, merged_into=STORY),
            ]
        )
    )
    found = database.ask("SELECT title, sites, articles, copies, first_site FROM hot_stories")
    assert found == [("多", 3, 2, 1, "a.example"), ("霉变花生", 2, 2, 1, "a.example")]


@pytest.mark.parametrize("gone", [0, 1])
def test_a_story_goes_with_its_last_member_whatever_the_others_have(
    database: Database, results: Results, make_page: MakePage, clock: StandingClock, gone: int
) -> None:
    ids = ["aa" * 16, "bb" * 16]
    results.write(
        ResultBatch(
            pages=[
                make_page(url_key=KEYS[n].hex(), last_fetched=NOON + (n != gone) * 3 * DAY)
                for n in (0, 1)
            ],
            stories=[STATE._replace(story_id=one) for one in ids],
            members=[FIRST._replace(key=KEYS[n], story_id=ids[n]) for n in (0, 1)],
        )
    )
    clock.now = NOON + 4 * DAY
    assert results.forget_old(2 * DAY)["stories"] == 1
    assert database.ask("SELECT story_id FROM stories") == [(ids[1 - gone],)]
