"""Work counted instead of timed: how many functions are called says the same on every machine, however busy."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


def calls_of(work: Callable[[], object]) -> Counter[str]:
    """Return how many times work calls what, in this thread: functions of Python and those of C, by name.

    What a call of C costs by itself is not in it, as of a text that is joined anew at each step or an expression
    that tries everything, nor a loop that calls nothing: what is to be cheap in such a way is timed. A test that
    counts is shown once to fail without what it protects.
    """
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, called: Any) -> None:
        if event == "call":
            code: CodeType = frame.f_code
            calls[code.co_qualname] += 1
        elif event == "c_call":
            calls[called.__qualname__] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    calls["setprofile"] -= 1
    return +calls


def steps_of(work: Callable[[], object]) -> int:
    """Return how many calls work makes."""
    return calls_of(work).total()
