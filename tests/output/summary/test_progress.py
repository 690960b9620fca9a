"""The line a minute for logs, and what a terminal shows."""

from __future__ import annotations

import io
import logging
import re
import sys
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from focuscrawl.output.summary.lines import Progress, duration_text, progress_line, share_done
from focuscrawl.output.summary.terminal import ProgressDisplay, progress_view
from tests.tables import each_row

COUNT = st.integers(0, 10**9)
PROGRESSES = st.builds(
    Progress,
    topic=st.from_regex(r"[a-z0-9_-]{1,64}", fullmatch=True),
    seconds=st.floats(0, 1e8),
    pages=COUNT,
    articles=COUNT,
    waiting=COUNT,
    in_flight=COUNT,
    failed=COUNT,
    errors=COUNT,
    refused=COUNT,
    sites=COUNT,
    rate=st.floats(0, 1e6),
    most_pages=COUNT,
)


def parsed(line: str) -> dict[str, str]:
    return dict(word.split("=", 1) for word in line.split()[1:])


@given(PROGRESSES)
def test_the_line_is_key_value_words(now: Progress) -> None:
    line = progress_line(now)
    assert re.fullmatch(r"progress( [a-z_]+=\S+)+", line)
    words = parsed(line)
    for field in fields(now):
        if isinstance(getattr(now, field.name), int) and field.name in words:
            assert int(words[field.name]) == getattr(now, field.name)
    assert words["topic"] == now.topic
    assert float(words["per_minute"]) == pytest.approx(now.rate, abs=0.06)


def test_the_line_says_all_that_matters() -> None:
    now = Progress("food", 96.4, 120, 34, 560, 8, 2, 1, 99, 7, 75.25)
    assert progress_line(now) == (
        "progress topic=food seconds=96 pages=120 articles=34 waiting=560 in_flight=8 failed=2"
        " errors=1 refused=99 sites=7 per_minute=75.2"
    )


@given(PROGRESSES)
def test_the_share_is_a_share(now: Progress) -> None:
    assert 0.0 <= share_done(now) <= 1.0


@each_row(
    ("now", "share"),
    [
        (Progress("t"), 0.0),
        (Progress("t", pages=10, waiting=30), 0.25),
        (Progress("t", pages=10, waiting=30, most_pages=20), 0.5),
        (Progress("t", pages=10, waiting=30, most_pages=1000), 0.25),
        (Progress("t", pages=10), 1.0),
    ],
)
def test_the_share_is_of_what_is_known_or_the_limit(now: Progress, share: float) -> None:
    assert share_done(now) == share


@each_row(
    ("seconds", "text"),
    [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min"), (725, "12 min 5 s"), (12_000, "3 h 20 min")],
)
def test_durations_are_words(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def drawn(now: Progress) -> str:
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    console.print(progress_view(now))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_a_terminal_sees_the_figures() -> None:
    text = drawn(Progress("食品", 60, 1200, 34, 3600, 8, rate=75.4))
    assert "食品" in text
    assert "25%" in text
    assert "1,200 pages  34 articles  3,600 waiting  8 in flight  75 pages/min" in text
    assert "errors" not in text
    assert "to try again" not in text


def test_trouble_is_shown_when_there_is_some() -> None:
    text = drawn(Progress("food", pages=1, failed=2, errors=3))
    assert "2 to try again  3 errors" in text


def test_log_lines_go_above_the_display_and_to_their_stream_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(sys, "stderr", terminal)
    handler = logging.StreamHandler(terminal)
    logger = logging.getLogger()
    logger.addHandler(handler)
    try:
        console = Console(stderr=True, force_terminal=True, width=100)
        with ProgressDisplay(console) as display:
            display.show(Progress("food", pages=7))
            assert handler.stream is not terminal
            logger.warning("something happened")
        assert handler.stream is terminal
    finally:
        logger.removeHandler(handler)
    written = terminal.getvalue()
    assert "7" in written
    # the display is drawn again below the line, after having been wiped
    assert written.index("something happened") < written.rindex("pages/min")
