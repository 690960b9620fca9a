"""Addresses that lead nowhere, by how they are written or by what they show."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls import traps
from focuscrawl.urls.canonical import PLAIN
from focuscrawl.urls.traps import HARMLESS, Copies, Months, harmless_in, trap_in
from tests.tables import each_row

pytestmark = pytest.mark.A8

SITE = "a.cn"


def trap(path: str) -> str | None:
    return trap_in(f"http://www.example.cn{path}", 2026, Months())


@each_row(
    ("path", "reason"),
    [
        ("/a/b/a/b/a/b", "repetition"),
        ("/x/news/list/news/list/news/list/1.html", "repetition"),
        ("/a/b/c/a/b/c/a/b/c/", "repetition"),
        ("/news/news/news/news/1.html", "repetition"),
        ("/img/a/img/b/img/c/img/d", "repetition"),
        ("/a/a/a/a/", "repetition"),
        ("/x/a/x/b/x/c/x/1.html", "repetition"),
        ("/" + "/".join(f"d{number}" for number in range(26)), "segments"),
        ("/s?" + "&".join(f"a{number}=1" for number in range(31)), "parameters"),
        ("/s?" + "&".join(f"page={number}" for number in range(9)), "parameters"),
        ("/sessionid-0a1b2c3d4e5f6a7b8c9d/x", "session"),
        ("/sid=0a1b2c3d4e5f6a7b8c9d/x.html", "session"),
        ("/x/;session_id:0a1b2c3d4e5f6a7b", "session"),
        ("/calendar/2031/05/", "calendar"),
        ("/calendar/2031-05-12", "calendar"),
        ("/events?month=2040-01", "calendar"),
        ("/events?date=20400131&view=week", "calendar"),
        ("/rili.asp?month=3&year=2077", "calendar"),
        ("/rili.asp?year=1650&month=3", "calendar"),
    ],
)
def test_a_trap_is_recognised_by_its_address(path: str, reason: str | None) -> None:
    assert trap(path) == reason


@each_row(
    "path",
    [
        "/",
        "/2026/11/20/t20261120_123.html",
        "/n1/2028/0131/c1001-1.html",
        "/rmrb/1949-10/01/node_1.htm",
        "/archives/203512",  # the number of an article
        "/archives/2035/12.html",
        "/thread/9012/11/",
        "/20991231",
        "/a/b/a/b/c",
        "/news/news/news/1.html",
        "/00/00/00/00/12.html",
        "/1/1/1/1/1/1.html",
        "/zh/cn/zh/cn/x",
        "/zh/news/city/zh/sport/local/team/42.html",  # one folder twice in a long row of others
        "/s?" + "&".join(f"c[]={number}" for number in range(20)),
        "/s?" + "&".join(f"a{number}=1" for number in range(30)),
        "/s?id=0123456789abcdef0123456789abcdef",
        "/session/2026",
        "/events?year=2027&month=01",
        "/events?year=2050",
        "/stock?date=2025-12-31",
    ],
)
def test_ordinary_addresses_are_no_traps(path: str) -> None:
    assert trap(path) is None


def test_an_endless_calendar_ends_after_a_hundred_years() -> None:
    months = Months()
    admitted = [
        year
        for year in range(2100, 1700, -1)
        for month in range(12, 0, -1)
        if trap_in(f"http://a.cn/cal?month={year}-{month:02}", 2026, months) is None
    ]
    assert (max(admitted), min(admitted)) == (2028, 1927)
    assert trap_in("http://a.cn/cal?month=1950-03", 2026, months) == "calendar"
    assert trap_in("http://a.cn/cal?month=2025-03", 2026, months) is None
    assert trap_in("http://b.cn/cal?month=1950-03", 2026, months) is None


def test_days_of_one_month_count_once() -> None:
    months = Months()
    counts = {months.count("shape", 2026, 11) for _ in range(30)}
    assert counts == {1}
    assert months.count("shape", 2026, 12) == 2
    assert months.count("other", 2026, 12) == 1


def test_months_have_bounded_memory() -> None:
    months = Months()
    for number in range(traps.SHAPES_KEPT * 3):
        months.count(f"shape{number}", 2026, 11)
    assert len(months._shown) <= traps.SHAPES_KEPT


@given(st.text(alphabet=st.characters(max_codepoint=126), max_size=80))
def test_no_address_raises(rest: str) -> None:
    reason = trap_in(f"http://a.cn/{rest}", 2026, Months())
    assert reason in {None, "repetition", "session", "calendar", "parameters", "segments"}


SEGMENTS = st.sampled_from(
    [
        "news", "2031", "1799-05", "2031-12", "sid_0123456789abcdef", "SessionID=0123456789abcdef",
        "jsessionid", "s_id", "0123456789abcdef", "page-1.html", "a.b", ".x", "a", "a", "20310504",
        "2026", "2026-11", "11", "1996", "1997", "2028_12", "2029_12", "news",
    ]
)  # fmt: skip


@given(st.lists(SEGMENTS, max_size=6), st.sampled_from(["", "/"]))
def test_a_harmless_path_is_plain_and_no_trap(segments: list[str], end: str) -> None:
    path = "".join(f"/{segment}" for segment in segments) + end
    if HARMLESS.fullmatch(path) or harmless_in(2026).fullmatch(path):
        assert PLAIN.fullmatch(path)
        assert trap_in(f"http://example.cn{path}", 2026, Months()) is None


def test_most_paths_are_harmless() -> None:
    for path in (
        "/news/37/page-12.html",
        "/a",
        "/video/list_3.htm",
        "/x/",
        "/2026/11/7.html",
        "/a/b/2026-11/20/t_7.html",
    ):
        assert HARMLESS.fullmatch(path) or harmless_in(2026).fullmatch(path)


def trap_page(number: int) -> tuple[str, bytes]:
    """Return one of endless addresses of five pages."""
    return f"http://a.cn/show?x={number * 7919 % 10**9:x}zz", b"page %d" % (number % 5)


def fetched(pages: int) -> tuple[Copies, list[str]]:
    """Return what is known after some pages of a trap that were all followed, and what was said."""
    learnt, said = Copies(), []
    for number in range(pages):
        url, text = trap_page(number)
        said.append(learnt.note(url, SITE, text))
    return learnt, [one for one in said if one]


def followed(learnt: Copies, links: int) -> int:
    """Return how many links of the trap are followed, each of which gives a copy."""
    count = 0
    for number in range(1000, 1000 + links):
        url, text = trap_page(number)
        if not learnt.refuses(url, SITE):
            count += 1
            learnt.note(url, SITE, text)
    return count


def test_endless_addresses_of_few_pages_cost_little_however_many_there_are() -> None:
    learnt, said = fetched(250)
    assert learnt.traps == {SITE}
    assert "trap:copies" in said[0]
    assert "other addresses" in said[0]
    few, many = followed(learnt, 2_000), followed(learnt, 50_000)
    assert few < 40
    assert many < 60


def test_a_site_of_another_form_or_another_site_is_not_touched() -> None:
    learnt, _ = fetched(40)
    assert not learnt.refuses("http://a.cn/news/123456.html", SITE)
    assert not learnt.refuses("http://b.cn/show?x=1zz", "b.cn")


def test_printed_and_mobile_versions_are_no_copies() -> None:
    learnt = Copies()
    for number in range(500):
        for path in ("news/", "print/", "m/", "amp/"):
            learnt.note(f"http://a.cn/{path}{number}.html", SITE, b"article %d" % number)
    assert not learnt.traps


def test_sites_that_show_the_same_as_each_other_are_no_traps() -> None:
    learnt = Copies()
    for host in ("a.cn", "b.cn", "c.cn", "d.cn", "e.cn", "f.cn", "g.cn"):
        for number in range(100):
            learnt.note(f"http://{host}/news/{number}.html", host, b"article %d" % number)
    assert not learnt.traps


def test_addresses_without_a_common_form_are_bounded_by_the_whole_site() -> None:
    learnt, luck = Copies(), random.Random(3)
    words = ["about", "news", "list", "team", "jobs", "press", "contact", "history"]
    for number in range(650):
        path = "/".join(luck.choices(words, k=6))
        learnt.note(f"http://a.cn/{path}/", SITE, b"page %d" % (number % 5))
    paths = ["/".join(luck.choices(words, k=6)) for _ in range(300)]
    assert sum(not learnt.refuses(f"http://a.cn/{path}/", SITE) for path in paths) < 30
    # What has shown new pages goes on.
    for number in range(6):
        learnt.note(f"http://a.cn/real/{number + 10}.html", SITE, b"article %d" % number)
    assert SITE in learnt.traps
    assert not learnt.refuses("http://a.cn/real/77.html", SITE)


def test_a_site_that_was_out_of_order_is_followed_again_when_new_pages_come() -> None:
    learnt = Copies()
    for number in range(60):
        learnt.note(f"http://a.cn/news/{number + 10}.html", SITE, b"please wait")
    assert learnt.traps
    tried = 0
    for number in range(100, 4_000):
        url = f"http://a.cn/news/{number}.html"
        if not learnt.refuses(url, SITE):
            tried += 1
            learnt.note(url, SITE, b"article %d" % number)
    assert not learnt.traps
    assert tried > 3_000


def test_a_trap_is_written_down_once_and_has_to_show_itself_anew() -> None:
    learnt, _ = fetched(100)
    assert learnt.changed() == {SITE: {"trap": True}}
    assert not learnt.changed()
    later = Copies()
    later.load({SITE: {"copies": {"trap": True}}, "b.cn": {"copies": {}}, "c.cn": {}})
    assert later.before == {SITE}
    assert not later.traps
    assert later.changed() == {SITE: {}}


def test_memory_is_bounded() -> None:
    learnt = Copies()
    for number in range(2 * traps.COUNTS_KEPT):
        learnt.note(f"http://{number}.cn/{number}/", f"{number}.cn", b"%d" % number)
    assert len(learnt._counts) <= traps.COUNTS_KEPT + 2


@given(st.lists(st.integers(0, 30), max_size=300))
def test_a_text_is_never_counted_too_rarely(texts: list[int]) -> None:
    sketch, counted = traps._Sketch(), Counter[int]()
    for text in texts:
        assert sketch.add(hash((SITE, text))) >= counted[text]
        counted[text] += 1


def test_many_texts_are_no_copies_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = traps._Sketch()
    shown = [sketch.add(hash((SITE, b"%d" % text))) for text in range(20_000)]
    assert max(shown) < traps._OTHERS
    monkeypatch.setattr(traps, "TEXTS_KEPT", 20_000)
    again = hash((SITE, b"0"))
    assert sketch.add(again) == 0, "full: it begins anew"
    assert sketch.add(again) == 1
    assert [sketch.add(again) for _ in range(300)][-1] == 255, "no count grows for ever"
