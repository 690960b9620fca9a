"""The words and numbers that middlewares read; the rest is seen in whole crawls."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import DownloadFailedError, IgnoreRequest
from twisted.internet.error import ConnectionLost, DNSLookupError, TCPTimedOutError
from twisted.internet.error import ConnectionRefusedError as Refused
from twisted.internet.error import TimeoutError as TooLate
from twisted.web.client import ResponseNeverReceived

from focuscrawl import middlewares
from focuscrawl.features.politeness.feature import LONGEST_RETRY_AFTER, retry_after
from tests.tables import each_row

NOON = 1_795_147_200.0


@given(st.integers(0, 10**12))
def test_retry_after_in_seconds_is_kept_up_to_a_week(seconds: int) -> None:
    assert retry_after(str(seconds), NOON) == min(seconds, LONGEST_RETRY_AFTER)


@given(st.integers(-(10**6), 10**6))
def test_retry_after_as_a_date_is_the_time_until_then(seconds: int) -> None:
    header = formatdate(NOON + seconds, usegmt=True)
    assert retry_after(header, NOON) == min(max(0, seconds), LONGEST_RETRY_AFTER)


@given(st.text())
def test_whatever_a_server_writes_is_a_sane_time_or_none(header: str) -> None:
    found = retry_after(header, NOON)
    assert found is None or 0 <= found <= LONGEST_RETRY_AFTER


@each_row("header", ["", "soon", "-5", "Fri, 32 Nov 2026 04:00:00 GMT", "²"])
def test_retry_after_that_says_nothing_is_none(header: str) -> None:
    assert retry_after(header, NOON) is None


@each_row(
    ("error", "name"),
    [
        (TooLate, "timeout"),
        (TCPTimedOutError, "timeout"),
        (DNSLookupError, "dns"),
        (Refused, "connection refused"),
        (ConnectionLost, "connection lost"),
        (ResponseNeverReceived, "connection lost"),
        (DownloadFailedError, "connection lost"),
        (TunnelError, "proxy"),
        (ZeroDivisionError, "ZeroDivisionError"),
    ],
)
def test_network_failures_have_short_names(error: Callable[[Any], Exception], name: str) -> None:
    assert middlewares._name_of(error("")) == name


def test_a_timeout_is_one_by_its_words_too() -> None:
    assert middlewares._name_of(OSError("it Timed out")) == "timeout"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("Forbidden by robots.txt", "robots"),
        ("Ignored response (200): larger than DOWNLOAD_MAXSIZE", "oversized"),
        ("whatever a user's middleware says", "ignored"),
    ],
)
def test_requests_that_were_given_up_have_a_reason(words: str, reason: str) -> None:
    assert middlewares._why_ignored(str(IgnoreRequest(words))) == reason
