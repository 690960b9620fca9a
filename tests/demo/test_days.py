import time
from collections import Counter

import pytest
from parsel import Selector

from focuscrawl.demo.entries import LAST_DAY, Entry
from focuscrawl.demo.truth import DAY_ZERO, moment
from focuscrawl.demo.web import DemoWeb


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(seed=1)


def entry(*changes: tuple[float, str], posted: float = -3.0) -> Entry:
    return Entry(
        ("http://a.example/1",), "food", "seed", 5, posted, "源", "甲", "e", changes=changes
    )


def test_day_zero_is_the_default_and_nothing_of_later_days_shows(web: DemoWeb) -> None:
    later = [entry for entry in web.entries() if entry.posted > 0]
    assert later
    assert all(web.page(entry.url) is None for entry in later)
    for entry in later:
        page = web.page(entry.url, day=entry.posted)
        assert page is not None
        assert page.article is not None
        assert page.article.published == (moment(entry.posted) if entry.dated else None)


def test_every_kind_of_change_is_planted(web: DemoWeb) -> None:
    kinds = Counter(change.kind for change in web.changes())
    assert kinds.keys() == {"new", "minor", "major", "gone", "back", "reply"}
    assert min(kinds.values()) >= 4
    assert all(0 < change.day <= LAST_DAY + 0.25 for change in web.changes())


def test_an_article_that_goes_is_gone_until_it_comes_back() -> None:
    changing = entry((2.0, "gone"), (5.0, "back"))
    assert [changing.there(day) for day in (0, 1.9, 2.0, 4.9, 5.0, 14)] == [
        True,
        True,
        False,
        False,
        True,
        True,
    ]


def test_an_edit_changes_the_text_a_little_or_a_lot() -> None:
    edited = entry((2.0, "minor"), (5.0, "major"))
    first, second, third = (edited.article(day) for day in (0, 3, 6))
    assert [first.version, second.version, third.version] == [1, 2, 3]
    assert 0 < len(second.text) - len(first.text) < 12
    assert len(third.text) - len(second.text) > 60
    assert first.title == third.title


def test_a_board_gains_what_appears_and_loses_what_goes(web: DemoWeb) -> None:
    for day in (0, 7, 14):
        listed = {
            link
            for url, page in web.walk(["http://news.example/"], day, ["news.example"]).items()
            for link in page.links
        }
        for one in web.portals[0].entries:
            assert (one.url in listed) == one.there(day)


def test_only_counters_change_on_a_page_without_a_planted_change(web: DemoWeb) -> None:
    still = next(one for one in web.entries() if one.posted < 0 and not one.changes)
    before, after = web.page(still.url, 0), web.page(still.url, 3)
    assert before is not None
    assert after is not None
    assert before.article == after.article
    first, second = (Selector(page.body.decode()) for page in (before, after))
    assert first.css(".count::text").get() != second.css(".count::text").get()
    assert first.css("p::text").getall() == second.css("p::text").getall()


def test_a_company_moves_its_telephone_on_its_day(web: DemoWeb) -> None:
    moving = next(owner for owner in web.companies if owner.moves is not None)
    assert moving.moves is not None
    before, after = moving.record(0), moving.record(moving.moves)
    changed = {name for name in before.fields if before.fields[name] != after.fields[name]}
    assert changed == {"phone"}
    page = web.page(moving.contact_url, moving.moves)
    assert page is not None
    assert after.fields["phone"][0] in page.body.decode(page.encoding)


def test_threads_grow_and_their_boards_say_by_how_much(web: DemoWeb) -> None:
    grown = 0
    for thread in web.forum.threads:
        before, after = thread.truth(0), thread.truth(LAST_DAY)
        if thread.written(0):
            assert after.posts[: len(before.posts)] == before.posts
            grown += len(after.posts) > len(before.posts)
    assert grown > 10
    for day in (0.0, 10.0):
        counts = {}
        for url, page in web.walk(["http://bbs.example/"], day, ["bbs.example"]).items():
            if "/forum-" in url:
                for row in Selector(page.body.decode()).xpath("//tr[.//a[@class='xst']]"):
                    counts[row.css("a.xst::attr(href)").get()] = row.css("a.xi2::text").get()
        assert counts == {t.url: str(t.replies) for t in web.threads(day)}


def test_a_thread_shows_every_post_once_over_its_pages(web: DemoWeb) -> None:
    truth = max(web.threads(), key=lambda thread: thread.replies)
    assert truth.replies == 34
    shown: list[str] = []
    for number in range(1, 5):
        page = web.page(truth.url.replace("-1-1.html", f"-{number}-1.html"))
        assert page is not None
        shown += Selector(page.body.decode()).css(".t_f::text").getall()
    assert shown == [post.text for post in truth.posts]
    assert web.page(truth.url.replace("-1-1.html", "-5-1.html")) is None


def test_the_clock_of_a_crawl_starts_on_the_day_it_is_told() -> None:
    from focuscrawl.demo.clock import DemoClock

    began = time.monotonic()
    clock = DemoClock(2.5)
    passed = clock.wall() - DAY_ZERO.timestamp() - 2.5 * 86400
    assert 0 <= round(passed, 3) <= time.monotonic() - began + 0.001
    assert clock.steady() <= clock.steady()
