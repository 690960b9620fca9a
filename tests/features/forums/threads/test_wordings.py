"""How forums print moments in other languages and in short, and what only looks so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from focuscrawl.features.forums.threads.times import MOST_DATED_TEXTS, moments_by, stamp_in
from focuscrawl.features.forums.threads.wordings import plain_moment
from focuscrawl.readers.pages.document import Document
from tests.tables import each_row

pytestmark = pytest.mark.A9

NOW = datetime(2026, 5, 20, 16, tzinfo=UTC).timestamp()


def said(markup: str) -> str:
    """The moment of an element, to the minute in UTC; "" for none."""
    page = Document.read(f"<body>{markup}</body>".encode(), url="http://bbs.test/")
    element = next(page.root.iter("b"))
    stamp = stamp_in(element, moments_by("UTC", NOW, None))
    return datetime.fromtimestamp(stamp.date.seconds, UTC).isoformat()[:16] if stamp else ""


@each_row(
    ("text", "moment"),
    [
        ("2h ago", "2026-05-20T14:00"),
        ("45m ago", "2026-05-20T15:15"),
        ("刚刚", "2026-05-20T16:00"),
        ("gestern, 14:05", "2026-05-19T14:05"),
        ("heute um 14:05 Uhr", "2026-05-20T14:05"),
        ("hier à 14:05", "2026-05-19T14:05"),
        ("Вчера в 14:05", "2026-05-19T14:05"),
        ("어제 14:05", "2026-05-19T14:05"),
        ("Do 20. März 2025, 14:05", "2025-03-20T14:05"),
        ("20 novembre 2025 à 14:05", "2025-11-20T14:05"),
        ("20 de noviembre de 2025, 14:05", "2025-11-20T14:05"),
        ("20 Ноя 2025 14:05", "2025-11-20T14:05"),
    ],
)
def test_a_moment_is_read_as_forums_of_many_languages_print_it(text: str, moment: str) -> None:
    assert said(f"<b class='date'>{text}</b>") == moment


@each_row(
    ("text", "moment"),
    [
        ("11-03 12:10", "2025-11-03T12:10"),
        ("05-20 12:10", "2026-05-20T12:10"),
        ("5月3日 12:10", "2026-05-03T12:10"),
        ("Dec 30, 12:10", "2025-12-30T12:10"),
        ("3 Okt. 12:10", "2025-10-03T12:10"),
    ],
)
def test_a_day_without_a_year_is_the_latest_that_is_not_after_the_fetch(
    text: str, moment: str
) -> None:
    assert said(f"<b class='date'>{text}</b>") == moment


@each_row(
    "text",
    [
        *("Mark 5", "Marlowe 3", "set 4", "out 3", "30-45 12:10", "2-1", "13-03 12:10"),
        *("vor 3 m rechts", "gestern", "le chantier 14:05", "Nov 31"),
    ],
)
def test_what_only_looks_like_a_moment_is_none(text: str) -> None:
    assert plain_moment(text, "UTC", NOW) == text
    assert said(f"<b>{text}</b>") == ""


def test_no_year_is_guessed_where_the_fetch_has_no_time() -> None:
    assert plain_moment("11-03 12:10", "UTC", None) == "11-03 12:10"


def test_the_zone_that_a_title_prints_holds_for_the_same_moment_in_the_element() -> None:
    bare = "2026-05-03 08:30:00"
    assert said(f"<b datetime='{bare}' title='{bare} -0600'>x</b>") == "2026-05-03T14:30"
    assert said(f"<b datetime='{bare}' title='2026-05-04 08:30:00 -0600'>x</b>") == (
        "2026-05-03T08:30"
    )


def test_of_texts_that_may_say_a_moment_a_page_has_so_many_read_and_no_more() -> None:
    moment_of = moments_by("UTC", NOW, None)
    first = moment_of("2024-03-01 12:00")
    assert first is not None
    assert all(moment_of(f"000-{number}") is None for number in range(MOST_DATED_TEXTS))
    assert moment_of("2024-03-01 12:01") is None
    assert moment_of("2024-03-01 12:00") is first, "what was read once is known"
