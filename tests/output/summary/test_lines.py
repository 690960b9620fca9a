"""The first line of a run's log."""

from __future__ import annotations

import pytest

from focuscrawl.output.summary.lines import ended_line, ends_when, first_line, proxy_of
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from tests.tables import each_row

NOON = 1_795_147_200.0  # 2026-11-20T04:00:00Z, noon in Shanghai


def topic(text: str = "") -> Template:
    return load(
        f'topic.name = "metro"\n{text}\n[[source]]\nurl = "https://a.cn/"\n', {}, {}
    ).template


@pytest.mark.parametrize(("is_new", "word"), [(True, "new"), (False, "continued")])
def test_the_first_line_tells_place_state_and_end(is_new: bool, word: str) -> None:
    line = first_line(
        topic(), "/data/metro.db", is_new=is_new, due=3, waiting=12, failed=1, now=NOON
    )
    assert line == (
        f"topic metro: data /data/metro.db, {word}, due 3, waiting 12, failed 1;"
        " ends when nothing is left to do"
    )


def test_every_limit_that_is_set_is_named() -> None:
    limited = topic('[limits]\npages = 100\narticles = 5\nerrors = 7\ntime = "90s"\n')
    assert ends_when(limited, NOON) == (
        "at page 100 or at article 5 or at error 7 or after seconds 90 or when nothing is left to do"
    )


def test_the_end_of_the_hours_is_told_in_the_topics_time() -> None:
    hours = topic('[politeness]\nhours = "09:00-18:30"\n')
    assert ends_when(hours, NOON) == "at 18:30 or when nothing is left to do"
    assert ends_when(hours, NOON + 9 * 3600) == "when nothing is left to do"
    assert ends_when(topic('[politeness]\nhours = "00:00-24:00"\n'), NOON) == (
        "when nothing is left to do"
    )


def test_a_crawl_that_stays_ends_when_it_is_stopped() -> None:
    text = '[revisit]\ncontinuous = true\n[politeness]\nhours = "09:00-18:30"\n'
    assert ends_when(topic(text), NOON) == "when it is stopped"
    limited = topic(f"[limits]\npages = 9\n{text}")
    assert ends_when(limited, NOON) == "at page 9 or when it is stopped"


@each_row(
    ("given", "environment", "shown"),
    [
        ("", {}, ""),
        ("", {"http": "http://me:secret@10.0.0.1:3128"}, "http://me:***@10.0.0.1:3128"),
        ("", {"http": "http://p:1", "https": "http://p:1", "ftp": "http://f:1"}, "http://p:1"),
        ('proxy = "http://a:b@c:1"', {"http": "http://else:1"}, "http://a:***@c:1"),
        ('proxy = "env:CRAWL_PROXY"', {}, "env:CRAWL_PROXY"),
        (
            'proxy = ["http://a:1", "http://b:1", "http://c:1", "http://d:1", "http://e:1"]',
            {},
            "http://a:1, http://b:1, http://c:1 and 2 more",
        ),
    ],
)
def test_the_proxy_is_named_without_its_password(
    given: str, environment: dict[str, str], shown: str
) -> None:
    template = load(
        f'topic.name = "metro"\n[request]\n{given}\n[[source]]\nurl = "https://a.cn/"\n',
        {},
        {"CRAWL_PROXY": "http://x:y@z:1"},
    ).template
    assert proxy_of(template, environment, is_on=True) == shown
    if not given:
        assert proxy_of(template, environment, is_on=False) == ""


def test_a_proxy_stands_behind_the_place_of_the_data() -> None:
    line = first_line(
        topic(), "/d.db", is_new=True, due=0, waiting=1, failed=0, now=NOON, proxy="http://p:1"
    )
    assert line.startswith("topic metro: data /d.db, by proxy http://p:1, new, due 0")


def test_the_end_of_a_crawl_is_one_line_of_keys_that_never_change() -> None:
    assert ended_line("metro", "finished", 0, pages=812, new=14) == (
        "ended topic=metro reason=finished exit=0 pages=812 new=14"
    )
