"""Stories and their members in the results, in SQLite and PostgreSQL alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from focuscrawl.features.stories.rows import read_members
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryArticle, StoryState
from focuscrawl.values import Article, Page

if TYPE_CHECKING:
    from tests.clock import StandingClock
    from tests.databases import Database

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
        ("food", STORY, KEYS[0].hex(), "first", None, 1.0, None, NOON - 60, True),
        (
            "food",
            STORY,
            KEYS[1].hex(),
            "copy",
            KEYS[0].hex(),
            0.93,
            "93 % of its text in both",
            NOON,
            True,
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
    database: Database, results: Results, make_page: MakePage
) -> None:
    now = time.time()
    stories: list[StoryState] = []
    pages: list[Page] = []
    members: list[StoryArticle] = []

    def tell(title: str, *told: tuple[str, float, bool], into: str = "", story: str = "") -> str:
        """Tell a story by articles: each has a site, its age in seconds, and whether it is dated."""
        story_id = story or f"{len(stories):032x}"
        sites = tuple(dict.fromkeys(site for site, _, _ in told)) or ("a", "b")
        newest = now - min((age for _, age, _ in told), default=0.0)
        stories.append(
            STATE._replace(
                story_id=story_id, title=title, sites=sites, last_at=newest, merged_into=into
            )
        )
        for site, age, dated in told:
            key = bytes([len(members) + 1]) * 16
            pages.append(make_page(url_key=key.hex(), host=site))
            member = FIRST._replace(key=key, story_id=story_id, at=now - age, dated=dated)
            members.append(member)
        return story_id

    tell("两家", ("a", 3600, True), ("b", 90_000, True))
    tell("三家", ("a", 60, True), ("b", 60, True), ("c", 60, True))
    tell("一家", ("a", 60, True), ("a", 50, True))
    tell("旧的", ("a", 200_000, True), ("b", 200_000, True))
    tell("旧的又见", ("a", 200_000, True), ("b", 200_000, True), ("c", 60, False))
    tell("另一家没有日期", ("a", 60, True), ("b", 60, False))
    elder = tell("并了别的", ("a", 60, True), ("b", 60, False))
    tell("被并", ("b", 60, True), into=elder)
    results.write(ResultBatch(stories=stories, pages=pages, members=members))
    found = database.ask("SELECT title, sites FROM hot_stories ORDER BY title")
    assert found == sorted([("三家", 3), ("两家", 2), ("并了别的", 2)])
    assert database.ask("SELECT title FROM hot_stories")[0] == ("三家",)
    database.tell("UPDATE story_members SET dated = NULL")
    assert ("另一家没有日期",) in database.ask("SELECT title FROM hot_stories"), (
        "as earlier versions told"
    )


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
