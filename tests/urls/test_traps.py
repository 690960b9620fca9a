from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls import traps
from focuscrawl.urls.canonical import PLAIN
from focuscrawl.urls.traps import HARMLESS, Months, trap_in


def trap(path: str) -> str | None:
    return trap_in(f"http://www.example.cn{path}", 2026, Months())


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/b/a/b/a/b", "repetition"),
        ("/x/news/list/news/list/news/list/1.html", "repetition"),
        ("/a/b/c/a/b/c/a/b/c/", "repetition"),
        ("/news/news/news/news/1.html", "repetition"),
        ("/img/a/img/b/img/c/img/d", "repetition"),
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


@pytest.mark.parametrize(
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
    ]
)  # fmt: skip


@given(st.lists(SEGMENTS, max_size=5), st.sampled_from(["", "/"]))
def test_a_harmless_path_is_plain_and_no_trap(segments: list[str], end: str) -> None:
    path = "".join(f"/{segment}" for segment in segments) + end
    if HARMLESS.fullmatch(path):
        assert PLAIN.fullmatch(path)
        assert trap_in(f"http://example.cn{path}", 2026, Months()) is None


def test_most_paths_are_harmless() -> None:
    for path in ("/news/37/page-12.html", "/a", "/video/list_3.htm", "/x/"):
        assert HARMLESS.fullmatch(path)
