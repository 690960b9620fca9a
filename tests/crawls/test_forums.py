"""A forum that is crawled again and again: counts of boards, threads that grow, posts, kills."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.crawls.conftest import tell_all
from tests.crawls.days import run_on

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.usefixtures("all_is_news"), pytest.mark.A2, pytest.mark.A9]

BOARD = "http://bbs.test/forum-1-1.html"
TOPIC = """
[topic]
keywords = ["食品"]
[[source]]
url = "http://bbs.test/forum-1-1.html"
kind = "forum"
name = "bbs"
[politeness]
delay = "0s"
[settings]
RETRY_TIMES = 0
"""
ON_A_PAGE = 10


def address(number: int, page: int = 1) -> str:
    return f"http://bbs.test/thread-{number}-{page}-1.html"


class Forum:
    """A forum in the small web: threads by number, with their posts; a board of all of them."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.posts: dict[int, int] = {}
        self.views = 40
        self.more = ""

    def write(self, number: int, posts: int, about: str = "食品") -> None:
        """Let a thread have so many posts, and the board say so."""
        self.posts[number] = posts
        pages = ceil(posts / ON_A_PAGE)
        for page in range(1, pages + 1):
            numbers = range((page - 1) * ON_A_PAGE + 1, min(page * ON_A_PAGE, posts) + 1)
            blocks = "".join(
                f'<div class="post"><a href="/space-uid-{post}.html">网友{post}</a>'
                f"<em>发表于 2026-11-{post % 20 + 1:02} 08:{post % 60:02}</em><strong>{post}楼</strong>"
                f'<div class="t_f">{about}出了问题，这是第{post}个人说的话，大家看看。{self.more}</div></div>'
                for post in numbers
            )
            pager = "".join(
                f'<a href="{address(number, other)}">{other}</a> '
                for other in range(1, pages + 1)
                if other != page
            )
            self.web.answers[address(number, page)] = self.web.page(
                f"<html><head><title>{about}帖子{number} - 论坛</title></head><body>"
                f"<h1>{about}帖子{number}</h1>{blocks}<div class='pg'>{pager}</div></body></html>"
            )
        self.write_board()

    def write_board(self) -> None:
        """Put the board there: title, author, count of replies and views."""
        rows = "".join(
            f'<tr><td><a href="{address(number)}">关于食品的第{number}个帖子</a>'
            f' <a href="{address(number, 2)}">2</a></td><td><cite>楼主{number}</cite></td>'
            f"<td><b>{posts - 1}</b><em>{posts * self.views}</em></td><td>2026-11-19 10:00</td></tr>"
            for number, posts in self.posts.items()
        )
        head = "<tr><th>标题</th><th>作者</th><th>回复/查看</th><th>最后发表</th></tr>"
        self.web.answers[BOARD] = self.web.page(
            f"<html><head><title>曝光台 - 论坛</title></head><body><table>{head}{rows}</table></body></html>"
        )


@pytest.fixture
def forum(web: Web) -> Forum:
    return Forum(web)


def crawl_on(project: Project, web: Web, day: float) -> list[str]:
    """Crawl on a day, counted from today, and return what was asked for."""
    before = len(web.asked())
    ended = run_on(project, day)
    assert ended.status == 0, ended.said
    return sorted(asked.url for asked in web.asked()[before:])


def posts_of(project: Project) -> dict[str, list[int]]:
    """Return the numbers of the stored posts by the address of their thread."""
    rows = project.rows(
        "SELECT url, post_no FROM posts JOIN threads ON thread_key = url_key"
        " AND posts.topic = threads.topic ORDER BY url, post_no"
    )
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["url"], []).append(row["post_no"])
    return found


def crawl(project: Project, web: Web) -> list[str]:
    """Crawl, and return what was asked for."""
    before = len(web.asked())
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "failures" not in ended.said
    return sorted(asked.url for asked in web.asked()[before:])


class Grown(NamedTuple):
    """Three runs over threads, of which two have grown by the second."""

    first: list[str]
    """What was asked for."""
    once: Project
    second: list[str]
    twice: Project
    third: list[str]
    last: Project


@pytest.fixture(scope="module")
def grown(new_project: Callable[[], Project]) -> Grown:
    project = new_project()
    forum = Forum(project.web)
    tell_all(project)
    project.write("topics/news.toml", TOPIC)
    for number, posts in ((1, 3), (2, 25), (3, 10), (4, 1)):
        forum.write(number, posts)
    first, once = crawl(project, project.web), project.as_it_is()
    forum.write(2, 31)
    forum.write(3, 12)
    second, twice = crawl(project, project.web), project.as_it_is()
    third = crawl(project, project.web)
    return Grown(first, once, second, twice, third, project.as_it_is())


def replies(project: Project) -> list[sqlite3.Row]:
    return project.rows("SELECT * FROM changes WHERE kind = 'reply' ORDER BY url")


def test_a_thread_is_read_to_its_end_and_every_post_is_a_row(grown: Grown) -> None:
    pages = [address(1), address(2), address(2, 2), address(2, 3), address(3), address(4)]
    assert grown.first == sorted([BOARD, *pages])
    assert posts_of(grown.once) == {
        address(1): [*range(1, 4)],
        address(2): [*range(1, 26)],
        address(3): [*range(1, 11)],
        address(4): [1],
    }


def test_a_thread_has_its_title_its_author_its_start_and_its_counts(grown: Grown) -> None:
    (thread,) = grown.once.rows(f"SELECT * FROM threads WHERE url = '{address(2)}'")
    assert (thread["title"], thread["author"]) == ("食品帖子2", "网友1")
    assert (thread["replies"], thread["views"], thread["replies_seen"]) == (24, 1000, 25)
    assert thread["started"].startswith("2026-11-02T00:01")


def test_a_post_has_its_author_and_its_text(grown: Grown) -> None:
    (post,) = grown.once.rows("SELECT * FROM posts WHERE post_no = 25")
    assert (post["author"], post["text"]) == (
        "网友25",
        "食品出了问题，这是第25个人说的话，大家看看。",
    )


def test_a_thread_that_has_grown_is_read_on_from_its_last_page(grown: Grown) -> None:
    assert grown.second == sorted([BOARD, address(2, 3), address(2, 4), address(3), address(3, 2)])
    assert posts_of(grown.twice)[address(2)] == [*range(1, 32)]
    assert posts_of(grown.twice)[address(3)] == [*range(1, 13)]


def test_new_replies_are_told_with_what_they_say(grown: Grown) -> None:
    told = replies(grown.twice)
    assert [(row["url"], row["what"], row["fields"]) for row in told] == [
        (address(2), "thread", '{"replies":[24,30]}'),
        (address(3), "thread", '{"replies":[9,11]}'),
    ]
    assert "+31 网友31" in told[0]["diff"]
    assert "+25 网友25" not in told[0]["diff"]


def test_threads_at_rest_are_not_read_again_and_nothing_is_told_of_them(grown: Grown) -> None:
    assert grown.third == [BOARD]
    assert len(replies(grown.last)) == 2


@pytest.mark.program
def test_a_kill_forgets_no_page_of_a_thread_and_takes_no_count_for_read(
    project: Project, web: Web, forum: Forum
) -> None:
    project.write("topics/news.toml", TOPIC)
    for number in range(1, 5):
        forum.write(number, 32)
    web.pause = 0.02
    project.crawl_killed(6)
    assert project.crawl().status == 0
    whole = {address(number): [*range(1, 33)] for number in range(1, 5)}
    assert posts_of(project) == whole

    for number in range(1, 5):
        forum.write(number, 45)
    project.crawl_killed(5)
    assert project.crawl().status == 0
    assert posts_of(project) == {url: [*range(1, 46)] for url in whole}
    told = project.rows("SELECT url, fields FROM changes WHERE kind = 'reply' ORDER BY url")
    assert [(row["url"], row["fields"]) for row in told] == [
        (url, '{"replies":[31,44]}') for url in whole
    ]


def test_threads_of_other_matters_are_left_and_looked_at_again_when_they_grow(
    project: Project, web: Web, forum: Forum
) -> None:
    feed = '[output.feeds."out/posts.jsonl"]\nitems = ["post", "thread"]\n'
    project.write("topics/news.toml", TOPIC + feed)
    forum.write(1, 12, about="旅游")
    forum.write(2, 2)
    assert crawl(project, web) == sorted([BOARD, address(1), address(2)])
    assert posts_of(project) == {address(2): [1, 2]}
    lines = (project.folder / "out/posts.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 3

    forum.write(1, 13)
    assert crawl(project, web) == sorted([BOARD, address(1), address(1, 2)])
    assert posts_of(project)[address(1)] == [*range(1, 14)]
    told = project.rows("SELECT kind, url FROM changes ORDER BY at, url")
    assert [(row["kind"], row["url"]) for row in told] == [
        ("new", address(2)),
        ("new", address(1)),
    ]


def test_a_thread_that_moved_is_read_on_under_its_new_address(
    project: Project, web: Web, forum: Forum
) -> None:
    project.write("topics/news.toml", TOPIC)
    forum.write(1, 12)
    old = "http://bbs.test/read.php?tid=1"
    web.redirect(old, address(1))

    def board(replies: int) -> None:
        web.answers[BOARD] = web.page(
            f'<table><tr><td><a href="{old}">关于食品的帖子</a></td><td>{replies} 回复</td></tr></table>'
        )

    board(11)
    assert crawl(project, web) == sorted([BOARD, old, address(1), address(1, 2)])
    assert posts_of(project) == {address(1): [*range(1, 13)]}
    assert crawl(project, web) == [BOARD]
    forum.write(1, 14)
    board(13)
    assert crawl(project, web) == sorted([BOARD, address(1, 2)])
    assert posts_of(project) == {address(1): [*range(1, 15)]}
    board(13)
    assert crawl(project, web) == [BOARD]


@pytest.mark.both_stores
@pytest.mark.reply_changes
def test_new_replies_are_changes_of_a_thread_that_is_visited_in_its_time(
    project: Project, web: Web, forum: Forum
) -> None:
    project.write("topics/news.toml", TOPIC)

    def crawl_on(day: float, posts: dict[int, int]) -> None:
        for number, count in posts.items():
            forum.write(number, count)
        rows = "".join(f'<li><a href="{address(number)}">食品帖</a></li>' for number in posts)
        web.answers[BOARD] = web.page(f"<title>曝光台</title><ul>{rows}</ul>")
        ended = project.crawl(FOCUSCRAWL_SHIFT=str(day * 86_400))
        assert ended.status == 0, ended.said

    crawl_on(0, {1: 3, 2: 25, 3: 4, 4: 25})
    crawl_on(1.1, {1: 5, 2: 31, 3: 4, 4: 25})
    told = project.rows("SELECT url FROM changes WHERE kind = 'reply' ORDER BY url")
    assert [row["url"] for row in told] == [address(1), address(2)]
    threads = [project.states()[address(number)] for number in (1, 2, 3, 4)]
    assert [(one.visits, one.times_changed) for one in threads] == [(2, 1), (2, 1), (2, 0), (2, 0)]
    waits = [(one.next_visit or 0.0) - one.last_fetched for one in threads]
    assert max(waits[:2]) < min(waits[2:])
    query = "SELECT changes FROM pages WHERE page_class = 'thread' ORDER BY url"
    assert [row["changes"] for row in project.rows(query)] == [1, 0, 0, 0], (
        "one is still to be read"
    )
    crawl_on(5, {1: 5, 2: 31, 3: 4, 4: 25})
    assert [row["changes"] for row in project.rows(query)] == [1, 1, 0, 0]


def write_wordless(web: Web, posts: dict[int, int]) -> None:
    """Write a forum that numbers nothing: dates in titles, pagers of icons; ten on each page."""
    icon = "<i class='icon'></i>"

    def put(url: str, title: str, blocks: list[str]) -> None:
        pages = ceil(len(blocks) / ON_A_PAGE)
        for page in range(1, pages + 1):
            pager = f'<a href="?page={page - 1}">{icon}</a>' if page > 1 else ""
            if page < pages:
                pager += (
                    f'<a href="?page={page + 1}">{icon}</a><a href="?page={pages}">Last {icon}</a>'
                )
            shown = "".join(blocks[(page - 1) * ON_A_PAGE : page * ON_A_PAGE])
            answer = web.page(
                f"<html><head><title>{title} - 论坛</title></head><body><h1>{title}</h1>"
                f"<main>{shown}</main><nav>{pager}</nav></body></html>"
            )
            web.answers[f"{url}?page={page}"] = answer
            if page == 1:
                web.answers[url] = answer

    rows = [
        f'<div class="row"><a class="subject" href="/t/{number}/">关于食品的第{number}个话题</a>'
        f'<span class="comments">{icon} {count}</span><div class="last" title="Nov. 19, 2026, 4:13 p.m.">3d</div></div>'
        for number, count in posts.items()
    ]
    put("http://bbs.test/b/", "曝光台", rows)
    for number, count in posts.items():
        blocks = [
            f'<section class="entry"><div class="face">网</div><div class="who"><a class="who-name" href="/user/{post}/">'
            f'<b>网友{post}</b></a><ul class="when"><li title="Nov. {post % 18 + 1}, 2026, 8:{post % 60:02} a.m.">3d</li></ul></div>'
            f'<div class="said">食品出了问题，这是话题{number}里第{post}个人说的话。</div>'
            '<div class="foot"><a href="#">share</a></div></section>'
            for post in range(1, count + 1)
        ]
        put(f"http://bbs.test/t/{number}/", f"关于食品的第{number}个话题", blocks)


def test_a_forum_that_numbers_nothing_is_read_whole(project: Project, web: Web) -> None:
    counts = {number: (1, 25, 3, 10, 12)[number % 5] for number in range(1, 16)}
    write_wordless(web, counts)
    project.write("topics/news.toml", TOPIC.replace("forum-1-1.html", "b/"))
    asked = crawl(project, web)
    stored = posts_of(project)
    assert {url: len(posts) for url, posts in stored.items()} == {
        f"http://bbs.test/t/{number}/": count for number, count in counts.items()
    }
    assert all(posts == [*range(1, len(posts) + 1)] for posts in stored.values())
    assert project.articles() == set()
    assert not [url for url in asked if url.endswith("page=1")]
    query = "SELECT posts.author, posted, text FROM posts JOIN threads ON thread_key = url_key"
    (post,) = project.rows(f"{query} WHERE url LIKE '%/t/1/' AND post_no = 23")
    assert (post["author"], post["posted"]) == ("网友23", "2026-11-06T00:23:00.000Z")
    assert post["text"] == "食品出了问题，这是话题1里第23个人说的话。"


def test_a_board_that_counts_no_new_reply_saves_the_visits_of_its_threads(
    project: Project, web: Web, forum: Forum
) -> None:
    project.write("topics/news.toml", TOPIC)
    for number, posts in ((1, 3), (2, 25), (3, 10), (4, 1)):
        forum.write(number, posts)
    crawl(project, web)
    forum.views = 90
    forum.write(2, 31)
    assert crawl_on(project, web, 1.1) == sorted([BOARD, address(2, 3), address(2, 4)])
    rows = project.rows("SELECT url, replies, views, replies_seen FROM threads ORDER BY url")
    assert [tuple(row) for row in rows] == [
        (address(1), 2, 270, 3),
        (address(2), 30, 2790, 31),
        (address(3), 9, 900, 10),
        (address(4), 0, 90, 1),
    ], "views have moved though nobody looked"
    assert crawl_on(project, web, 2.5) == [BOARD]
    whole = [address(1), address(2), address(2, 4), address(3), address(4)]
    assert crawl_on(project, web, 12) == sorted([BOARD, *whole]), "what is not counted is seen, too"
    counted = project.rows("SELECT counters FROM crawl_runs ORDER BY rowid")
    assert ['"visits_saved":' in row["counters"] for row in counted] == [False, True, True, False]


def test_without_signals_threads_are_visited_in_their_time(
    project: Project, web: Web, forum: Forum
) -> None:
    project.write("topics/news.toml", TOPIC + "[revisit]\nsignals = false\n")
    forum.write(1, 3)
    forum.write(2, 3)
    crawl(project, web)
    assert crawl_on(project, web, 1.1) == sorted([BOARD, address(1), address(2)])


def test_posts_that_were_edited_are_corrected_and_others_left(
    project: Project, web: Web, forum: Forum
) -> None:
    feed = '[output.feeds."out/posts.jsonl"]\nitems = ["post"]\noptions = { overwrite = false }\n'
    project.write("topics/news.toml", TOPIC + feed)
    forum.write(1, 12)
    forum.write(2, 3)
    crawl(project, web)
    query = "SELECT url, post_no, text, found FROM posts JOIN threads ON thread_key = url_key"
    before = {
        (row["url"], row["post_no"]): row
        for row in project.rows(query.replace("found", "posts.found"))
    }
    forum.more = "（已编辑）"
    forum.write(1, 13)
    assert crawl_on(project, web, 1.1) == sorted([BOARD, address(1, 2)])
    after = {
        (row["url"], row["post_no"]): row
        for row in project.rows(query.replace("found", "posts.found"))
    }
    edited = {key for key, row in before.items() if after[key]["text"] != row["text"]}
    assert edited == {(address(1), 11), (address(1), 12)}, "those of the page that was read"
    assert all(after[key]["text"].endswith("（已编辑）") for key in edited)
    assert all(after[key]["found"] == row["found"] for key, row in before.items())
    lines = (project.folder / "out/posts.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 15 + 2 + 1
    assert '"posts_edited":2' in project.last_run()["counters"]

    crawl_on(project, web, 12)
    after = {
        (row["url"], row["post_no"]): row
        for row in project.rows(query.replace("found", "posts.found"))
    }
    assert {key for key, row in after.items() if row["text"].endswith("（已编辑）")} == {*after} - {
        (address(2), number) for number in (1, 2, 3)
    }
    assert "posts_edited" in project.last_run()["counters"]
    told = project.rows("SELECT kind FROM changes WHERE kind NOT IN ('new', 'reply')")
    assert told == []


def test_a_post_that_was_deleted_gives_its_number_to_no_other(project: Project, web: Web) -> None:
    write_wordless(web, {1: 5, 2: 4, 3: 4})
    project.write("topics/news.toml", TOPIC.replace("forum-1-1.html", "b/"))
    crawl(project, web)
    query = "SELECT post_no, posts.author, text FROM posts ORDER BY thread_key, post_no"
    before = project.rows(query)
    thread = web.answers["http://bbs.test/t/1/"]
    assert not callable(thread)
    assert isinstance(thread.body, str)
    head, *posts = thread.body.split('<section class="entry">')
    web.answers["http://bbs.test/t/1/"] = web.page(
        '<section class="entry">'.join([head, *posts[:1], *posts[2:]])
    )
    assert "http://bbs.test/t/1/" in crawl_on(project, web, 12)
    assert project.rows(query) == before


def test_a_thread_that_is_back_is_visited(project: Project, web: Web, forum: Forum) -> None:
    project.write("topics/news.toml", TOPIC + '[revisit]\ngone_after = 2\ngone_within = "1d"\n')
    forum.write(1, 3)
    forum.write(2, 3)
    crawl(project, web)
    there = web.answers.pop(address(1))
    for day in (8, 10, 12, 14):
        crawl_on(project, web, day)
    (row,) = project.rows(f"SELECT gone_at FROM threads WHERE url = '{address(1)}'")
    assert row["gone_at"] is not None
    web.answers[address(1)] = there
    assert address(1) in crawl_on(project, web, 16)
    (row,) = project.rows(f"SELECT gone_at FROM threads WHERE url = '{address(1)}'")
    assert row["gone_at"] is None
    told = project.rows(f"SELECT kind FROM changes WHERE url = '{address(1)}' ORDER BY at")
    assert [row["kind"] for row in told] == ["new", "gone", "back"]


def write_paged(web: Web, threads: dict[int, tuple[int, str]]) -> None:
    """Write a forum of threads with so many posts, the board in this order, ten on each page;
    threads have a date of their last reply.
    """
    numbers = [*threads]
    for first in range(0, len(numbers), ON_A_PAGE):
        rows = "".join(
            f'<tr><td><a href="{address(number)}">关于食品的第{number}个帖子</a></td>'
            f"<td>{threads[number][0] - 1} 回复</td><td>{threads[number][1]}</td></tr>"
            for number in numbers[first : first + ON_A_PAGE]
        )
        page = first // ON_A_PAGE + 1
        more = (
            f'<a href="/forum-1-{page + 1}.html">下一页</a>'
            if first + ON_A_PAGE < len(numbers)
            else ""
        )
        web.answers[BOARD.replace("-1.html", f"-{page}.html")] = web.page(
            f"<html><head><title>曝光台</title></head><body><table>{rows}</table>{more}</body></html>"
        )


@pytest.mark.parametrize("is_by_reply", [True, False])
def test_threads_behind_a_board_by_last_reply_that_shows_nothing_new_are_not_visited(
    project: Project, web: Web, forum: Forum, is_by_reply: bool
) -> None:
    project.write("topics/news.toml", TOPIC)
    threads = {
        number: (2, f"2026-11-{20 - number // 2 if is_by_reply else 1 + number * 7 % 18:02} 08:00")
        for number in range(1, 25)
    }
    for number, (posts, _) in threads.items():
        forum.write(number, posts)
    write_paged(web, threads)
    first = crawl_on(project, web, 0)
    assert len(first) == 3 + 24
    behind = {address(number) for number in range(11, 25)}
    second = crawl_on(project, web, 1.1)
    assert {*second} == {BOARD} | (set() if is_by_reply else behind)

    del threads[3], web.answers[address(3)]
    write_paged(web, threads)
    assert address(3) in crawl_on(project, web, 1.8), "it should have been listed"

    forum.write(17, 4)
    moved = {17: (4, "2026-11-23 08:00"), **{n: one for n, one in threads.items() if n != 17}}
    write_paged(web, moved)
    third = crawl_on(project, web, 2.2)
    assert address(17) in third
    assert posts_of(project)[address(17)] == [1, 2, 3, 4]
    assert not is_by_reply or third == sorted([BOARD, BOARD.replace("-1.h", "-2.h"), address(17)])
    assert len(crawl_on(project, web, 12)) >= 24, "after the longest interval all are seen"


LEFT_OVER = """
from scrapy import signals
from focuscrawl.features.forums.feature import Forums
class LeftOver:
    @classmethod
    def from_crawler(cls, crawler):
        self = cls()
        self.crawler = crawler
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)
        return self
    def opened(self):
        self.run = self.crawler.engine._slot.scheduler.run
    def closed(self):
        print("under way:", sorted(self.run.hooks.feature(Forums).boards.under_way(())))
"""


def test_a_further_page_of_a_board_that_does_not_come_keeps_no_thread_waiting(
    project: Project, web: Web, forum: Forum
) -> None:
    project.write("topics/news.toml", TOPIC)
    project.write("left_over.py", LEFT_OVER)
    threads = dict.fromkeys(range(1, 13), (2, "2026-11-20 08:00"))
    for number, (posts, _) in threads.items():
        forum.write(number, posts)
    write_paged(web, threads)
    crawl_on(project, web, 0)
    forum.write(77, 2)
    write_paged(web, {77: (2, "2026-11-23 08:00"), **threads})
    second = BOARD.replace("-1.html", "-2.html")
    del web.answers[second]
    before = len(web.asked())
    ours = '"focuscrawl.extensions.RunClock": 100'  # which closes the results
    ended = run_on(project, 1.1, "-s", f'EXTENSIONS={{"left_over.LeftOver": 1, {ours}}}')
    assert second in {asked.url for asked in web.asked()[before:]}
    assert "under way: []" in ended.said


def test_a_trial_says_who_read_a_page_and_counts_the_posts_of_threads(
    project: Project, web: Web, forum: Forum
) -> None:
    project.write("topics/news.toml", TOPIC)
    forum.write(1, 3)
    forum.write(2, 25)
    said = project.run("topic", "try", "news").said
    board, _, pages = said.partition("thread  ")
    for number, counts in (
        (1, "2 replies, 120 views, 3 posts read"),
        (2, "24 replies, 1,000 views, 25 posts read"),
    ):
        assert f"食品帖子{number}: {counts}" in board, said
        assert f"thread: {counts}" in pages, said
    assert pages.count("read by forums") == 4, "later pages of a thread, too"
    assert "read by" not in board, said
