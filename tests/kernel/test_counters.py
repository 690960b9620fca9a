"""What is counted in a run."""

from __future__ import annotations

from unittest.mock import MagicMock, Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.kernel.figures import FAILED_KEPT, Tally, say_why
from focuscrawl.values import Page, PageClass

OUTCOMES = ("stored", "list", "irrelevant", "error", "gone", "refused", "parked", "alias")


def page(outcome: str = "list", status: int = 200, **values: object) -> Page:
    made = Page("k", "http://a.cn/1", "a.cn", PageClass.OTHER, outcome, status=status, bytes=10)
    for name, value in values.items():
        setattr(made, name, value)
    return made


def test_pages_errors_and_bytes_are_counted_by_site() -> None:
    tally = Tally()
    tally.count_page(page("stored", relevant=True), failed=False, now=7.0)
    tally.count_page(page("gone", 404), failed=False, now=8.0)
    tally.count_page(page("error", 500, reason="http 500"), failed=True, now=9.0)
    tally.count_page(page("error", 0, reason="timeout", host="b.cn"), failed=False, now=9.0)
    tally.count_page(page("refused", 0, reason="robots"), failed=False, now=9.0)
    tally.count_page(page("parked", 0, reason="quota"), failed=False, now=9.0)
    assert tally.counters == {"pages": 2, "errors": 2, "bytes": 20, "relevant": 1}
    assert tally.sites["a.cn"] == {"pages": 2, "articles": 1, "relevant": 1, "errors": 1}
    assert tally.last_ok == {"a.cn": 8.0}
    assert tally.last_errors == {"a.cn": "http 500", "b.cn": "timeout"}
    assert tally.failures == {"http 500": 1, "timeout": 1}
    assert tally.page_reasons == {"robots": 1, "quota": 1}


def test_urls_that_failed_are_named_until_they_came() -> None:
    tally = Tally()
    for number in range(1, 9):
        failed = page("error", 500, reason="http 500", url=f"http://a.cn/{number}")
        tally.count_page(failed, failed=True, now=1.0)
    assert list(tally.failed_urls) == [f"http://a.cn/{number}" for number in range(4, 9)]
    tally.count_page(page("error", 503, reason="http 503", url="http://a.cn/5"), failed=True, now=2)
    tally.count_page(page("stored", url="http://a.cn/6"), failed=False, now=2.0)
    tally.count_page(page("error", reason="given up", url="http://a.cn/7"), failed=False, now=2.0)
    assert tally.failed_urls == {
        "http://a.cn/4": "http 500",
        "http://a.cn/8": "http 500",
        "http://a.cn/5": "http 503",
    }


def test_of_hosts_that_do_not_answer_three_are_named() -> None:
    run = MagicMock(tally=Tally())
    run.store.vanished = 0
    run.totals.limit_reached.return_value = None
    run.hooks.sites.seconds_closed.return_value = 0.0
    for host in ("a.cn", "b.cn", "c.cn", "d.cn"):
        failed = page("error", 0, reason="timeout", host=host)
        run.tally.count_page(failed, failed=True, now=1.0)
    say_why(run, "finished")
    named = "a.cn: timeout, b.cn: timeout, c.cn: timeout"
    run.ending.say.assert_called_once_with("sites_unreachable", named, 4)


@pytest.mark.parametrize(
    ("waiting", "elsewhere", "is_shared", "is_at_end", "told"),
    [
        (3, 0, False, False, "limit_pages"),
        (0, 0, False, False, "finished"),
        (0, 0, True, False, "limit_pages"),
        (0, 0, True, True, "finished"),
        (0, 3, True, True, "limit_pages"),  # of which no worker may ask for one: all are idle
    ],
)
def test_a_limit_ends_a_crawl_of_which_something_is_left_here_or_with_other_workers(
    waiting: int, elsewhere: int, is_shared: bool, is_at_end: bool, told: str
) -> None:
    run = MagicMock(tally=Tally(), is_at_end=is_at_end)
    run.store.vanished = 0
    run.tally.counters["answers"] = 1
    run.frontier.counts.return_value.waiting = waiting
    run.totals.waiting_elsewhere = elsewhere
    run.store.is_shared = is_shared
    run.totals.limit_reached.return_value = Mock(reason="limit_pages", ends_at_once=False)
    run.hooks.sites.seconds_closed.return_value = 0.0
    run.hooks.search.failure.return_value = None
    run.run.has_topic = False
    say_why(run, "finished")
    assert run.ending.say.call_args.args[0] == told


@given(st.lists(st.tuples(st.sampled_from(OUTCOMES), st.booleans(), st.booleans())))
def test_every_page_is_counted_once_and_an_error_is_never_a_page(
    pages: list[tuple[str, bool, bool]],
) -> None:
    tally = Tally()
    for outcome, answered, failed in pages:
        tally.count_page(page(outcome, 200 if answered else 0), failed=failed, now=1.0)
    assert tally.outcomes.total() == len(pages)
    assert tally.counters["pages"] == sum(answered and not failed for _, answered, failed in pages)
    assert tally.counters["errors"] == sum(failed or one == "error" for one, _, failed in pages)
    assert len(tally.failed_urls) <= FAILED_KEPT


def test_the_row_of_a_run_keeps_every_counter_under_a_name() -> None:
    tally = Tally()
    tally.count_page(page("stored"), failed=False, now=1.0)
    tally.refused["deny"] += 3
    tally.counters["requests"] += 2
    tally.counters["links_added"] += 9
    row = tally.run_row()
    assert (row.requests, row.pages, row.errors, row.bytes) == (2, 1, 0, 10)
    assert row.counters == {"links_added": 9, "outcome/stored": 1, "refused/deny": 3}
