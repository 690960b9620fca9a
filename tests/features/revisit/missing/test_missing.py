"""When a page is gone, and how a site's error page is told."""

import pytest

from focuscrawl.features.revisit.agenda import Agenda
from focuscrawl.features.revisit.missing.soft_404 import (
    ErrorPages,
    impossible_address,
    impossible_path,
    look,
)
from focuscrawl.features.revisit.table import RevisitRules
from focuscrawl.features.revisit.visits import GONE_STATUS, Visits
from focuscrawl.values import PageClass, PageState
from tests.tables import each_row

pytestmark = pytest.mark.gone

DAY = 86400.0
BEGAN = 1_790_000_000.0
KEY = b"k" * 16


def seen(visits: Visits) -> PageState:
    return visits.first_seen(KEY, "http://a.example/", "a.example", PageClass.RECORD, BEGAN)


def failing(visits: Visits, state: PageState, now: float) -> list[PageState]:
    """Fail a page until it is gone."""
    story: list[PageState] = []
    while state.gone is None and len(story) < 20:
        state = visits.failed(state, state.visits, now, "http:404", says_gone=True)
        story.append(state)
        if state.next_visit is not None:
            now = state.next_visit
    return story


def test_a_page_is_gone_after_three_failures_spread_over_three_days() -> None:
    visits = Visits(RevisitRules(gone_after=3, gone_within=3 * DAY))
    story = failing(visits, seen(visits), BEGAN + 7 * DAY)
    assert [state.gone for state in story] == [None, None, BEGAN + 10 * DAY]
    buried = story[-1]
    assert (buried.reason, buried.next_visit, buried.failures) == ("http:404", None, 3)
    assert visits.replanned(buried, BEGAN + 20 * DAY) == buried


def test_failures_one_after_the_other_bury_nothing() -> None:
    visits = Visits(RevisitRules(gone_after=3, gone_within=3 * DAY))
    state = seen(visits)
    for minute in range(10):
        state = visits.failed(state, 1, BEGAN + DAY + 60 * minute, "http:404", says_gone=True)
    assert state.gone is None
    assert state.next_visit is not None


def test_an_answer_in_between_begins_the_count_anew() -> None:
    visits = Visits(RevisitRules())
    state = failing(visits, seen(visits), BEGAN + DAY)[1]
    assert state.next_visit is not None
    state = visits.visited(state, state.visits, state.next_visit, False)
    assert (state.failures, state.failing_since) == (0, None)


def test_a_server_that_is_down_for_weeks_buries_none_of_its_pages() -> None:
    visits = Visits(RevisitRules())
    state = seen(visits)
    now = BEGAN + 7 * DAY
    for _ in range(60):
        state = visits.failed(state, state.visits, now, "timeout")
        assert state.next_visit is not None
        now = state.next_visit
    assert state.gone is None
    # Back again, a single 404 is a first failure, however long the silence was.
    state = visits.failed(state, state.visits, now, "http:404", says_gone=True)
    assert (state.gone, state.failures, state.failing_since) == (None, 1, now)


def test_a_fetch_that_confirms_an_absence_buries_at_once() -> None:
    visits = Visits(RevisitRules())
    state = visits.failed(seen(visits), 1, BEGAN + DAY, "missing", says_gone=True, confirms=True)
    assert (state.gone, state.reason) == (BEGAN + DAY, "missing")


def test_a_page_that_is_back_goes_on_as_it_was() -> None:
    visits = Visits(RevisitRules())
    state = visits.visited(seen(visits), 1, BEGAN + 7 * DAY, True)
    buried = visits.gone(state, BEGAN + 8 * DAY, "http:410")
    linked = visits.found_again(buried, BEGAN + 9 * DAY)
    assert linked.next_visit == BEGAN + 9 * DAY
    still = visits.failed(linked, linked.visits, BEGAN + 9 * DAY, "http:404", says_gone=True)
    assert (still.gone, still.next_visit) == (BEGAN + 8 * DAY, None)
    back = visits.visited(linked, linked.visits, BEGAN + 9 * DAY, False)
    assert (back.gone, back.reason, back.failures) == (None, "", 0)
    assert back.next_visit is not None
    assert back.changes > 1
    assert visits.found_again(back, BEGAN + 9 * DAY) == back


def test_a_buried_page_is_never_taken() -> None:
    agenda = Agenda()
    agenda.first_seen(KEY, BEGAN)
    agenda.gone(KEY, BEGAN + DAY)
    assert agenda.take(10, BEGAN + 900 * DAY, by_budget=True) == []


@each_row(
    ("status", "expected"), [(404, True), (410, True), (403, False), (500, False), (0, False)]
)
def test_only_404_and_410_say_that_a_page_is_gone(status: int, expected: bool) -> None:
    assert (status in GONE_STATUS) is expected


ASKED = "http://a.example/news/123.html"
PROBE = "http://a.example" + impossible_path("q7x9k2m4")


def error_pages(text: str = "抱歉,您访问的页面不存在", final: str = PROBE) -> ErrorPages:
    pages = ErrorPages()
    pages.learn(200, look(final, "提示信息", text, 0b1010, PROBE), BEGAN)
    return pages


def test_a_page_with_the_error_pages_text_is_the_error_page() -> None:
    pages = error_pages()
    same = look(ASKED, "食品安全", "抱歉,您访问的页面不存在。", 0, ASKED)
    assert pages.is_error(same, ASKED)
    other = look(ASKED, "提示信息", "市场监管总局公布抽检结果 不合格食品二十批次", 0xFFFF, ASKED)
    assert not pages.is_error(other, ASKED)


def test_an_error_page_that_repeats_the_address_is_still_known() -> None:
    pages = error_pages(f"找不到 {PROBE} 这个页面")
    assert pages.is_error(look(ASKED, "提示信息", f"找不到 {ASKED} 这个页面", 7, ASKED), ASKED)


def test_nearly_the_same_text_under_the_same_title_is_the_error_page() -> None:
    pages = error_pages("抱歉,您访问的页面不存在,5 秒后返回首页")
    near = look(ASKED, "提示信息", "抱歉,您访问的页面不存在,4 秒后返回首页", 0b1000, ASKED)
    assert pages.is_error(near, ASKED)
    assert not pages.is_error(near._replace(title="食品安全"), ASKED)
    assert not pages.is_error(near._replace(simhash=0xFF), ASKED)


def test_a_redirect_to_where_the_error_page_stands_is_an_error_but_that_page_itself_is_not() -> (
    None
):
    home = "http://a.example/"
    pages = error_pages("首页 新闻 专题", final=home)
    seen_home = look(home, "首页", "首页 今天的新闻", 1 << 40, ASKED)
    assert pages.is_error(seen_home, ASKED)
    assert not pages.is_error(seen_home._replace(digest="other"), home)


def test_an_honest_site_has_no_error_pages() -> None:
    pages = error_pages()
    pages.learn(404, None, BEGAN + DAY)
    assert pages.looks == []
    assert pages.asked == BEGAN + DAY


def test_error_pages_are_kept_as_plain_json() -> None:
    pages = error_pages()
    again = ErrorPages.from_json(pages.to_json())
    assert again.looks == pages.looks
    assert again.asked == pages.asked
    assert ErrorPages.from_json({}).looks == []


def test_a_path_that_cannot_exist_needs_a_random_token() -> None:
    assert impossible_path("abcdefgh1") == "/abcdefgh1/1hgfedcba.html"
    with pytest.raises(ValueError, match="random"):
        impossible_path("../etc")


TOKEN = "0a1b2c3d4e5f6071"


@each_row(
    ("url", "expected"),
    [
        ("http://a.cn/", f"http://a.cn/{TOKEN}/{TOKEN[::-1]}.html"),
        ("http://a.cn", f"http://a.cn/{TOKEN}/{TOKEN[::-1]}.html"),
        ("http://a.cn/news/1.html", "http://a.cn/news/972822440656996.html"),
        ("http://a.cn/news/fish.html", f"http://a.cn/news/{TOKEN}.html"),
        ("http://a.cn/2026/fish/", f"http://a.cn/2026/{TOKEN}/"),
        ("http://a.cn/t.php?id=7&name=鱼#top",
         f"http://a.cn/t.php?id=972822440656996&name={TOKEN}"),
        ("http://a.cn/t?7", "http://a.cn/t?7=" + TOKEN),
    ],
)  # fmt: skip
def test_an_address_that_cannot_exist_stands_beside_the_one_that_is_doubted(
    url: str, expected: str
) -> None:
    assert impossible_address(url, TOKEN) == expected


def test_a_site_is_asked_again_after_some_time_and_when_its_clock_ran_ahead() -> None:
    pages = ErrorPages()
    assert pages.may_ask(BEGAN)
    pages.learn(404, None, BEGAN)
    assert not pages.may_ask(BEGAN + 2 * DAY), "it was honest"
    assert pages.may_ask(BEGAN + 3 * DAY)
    assert pages.may_ask(BEGAN - DAY)
    known = error_pages()
    assert not known.may_ask(BEGAN + DAY / 2)
    assert known.may_ask(BEGAN + DAY)


def test_pages_without_a_text_are_told_by_where_they_stand_only() -> None:
    pages = error_pages("", final="http://a.example/error.html")
    empty = look(ASKED, "提示信息", "", 0, ASKED)
    assert not pages.is_error(empty, ASKED)
    assert pages.is_error(empty._replace(final_url="http://a.example/error.html"), ASKED)
    assert pages.stands_at("http://a.example/error.html", ASKED)
    assert not pages.stands_at(ASKED, ASKED)
