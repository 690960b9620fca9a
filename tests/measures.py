"""What a run of tests costs: the programs that it starts, and the CPU time of each test.

A plugin of tests/conftest.py. ``make test`` fails when it starts more programs than ``MOST_PROGRAMS``, or when one
test takes more CPU time than ``LONGEST_TEST``: a change that waits for its proof is not made. CPU time and not the
clock on the wall, since other work on the machine must not decide.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, NamedTuple

import pytest

from tests.cost import yardstick

MOST_PROGRAMS = 60
"""Programs that ``make test`` may start in all (six are): what must be a program carries the marker ``program``, and
runs in ``make test-crawls``. The six are a Redis of each process of tests, and what a test asks it by."""

LONGEST_TEST = 5.0
"""Seconds of CPU time that a test of ``make test`` may take, its fixtures included; more on a busy machine, by as
much as a yardstick takes longer there."""

FAST = "not (program or timed or server)"
"""What ``make test`` selects."""

FEW = 50
"""Below so many tests a person looks at some of them, and at their own times."""

COST = "cost"


class Cost(NamedTuple):
    """What one test took: programs, and seconds of CPU time of the process of tests."""

    programs: int
    seconds: float


BEFORE = pytest.StashKey[Cost]()

_started: Counter[str] = Counter()


def counted(start: Callable[..., Any]) -> Callable[..., Any]:
    """Return what starts a program, and counts it. A launcher's children are its own: it is a program itself.

    No audit hook of Python's: it is called for each ``id()``, too, which SQLAlchemy asks for all the time.
    """

    @wraps(start)
    def started(*arguments: Any, **named: Any) -> Any:
        _started["programs"] += 1
        return start(*arguments, **named)

    return started


def cost_so_far() -> Cost:
    """Return what this process has cost."""
    return Cost(_started["programs"], time.process_time())


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count."""
    if not _started:
        _started["programs"] = 0
        subprocess.Popen.__init__ = counted(subprocess.Popen.__init__)  # type: ignore[method-assign]
        os.fork, os.posix_spawn = counted(os.fork), counted(os.posix_spawn)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what a test costs with its fixtures; a report takes it to the process that prints."""
    item.stash[BEFORE] = cost_so_far()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Say in the last report of a test what all of it has cost."""
    if call.when == "teardown":
        programs, seconds = item.stash[BEFORE]
        now = cost_so_far()
        cost = Cost(now.programs - programs, now.seconds - seconds)
        item.user_properties.append((COST, tuple(cost)))


def costs_in(stats: dict[str, list[Any]]) -> dict[str, Cost]:
    """Return what each test took, by its name."""
    reports = [one for some in stats.values() for one in some if hasattr(one, "user_properties")]
    return {
        one.nodeid: Cost(*value)
        for one in reports
        if getattr(one, "when", "") == "teardown"
        for name, value in one.user_properties
        if name == COST
    }


def complaints(costs: dict[str, Cost]) -> list[str]:
    """Return what a run of ``make test`` may not cost, one line each."""
    told = []
    if (programs := sum(one.programs for one in costs.values())) > MOST_PROGRAMS:
        most = sorted(costs, key=lambda name: -costs[name].programs)[:5]
        names = ", ".join(f"{name} ({costs[name].programs})" for name in most)
        told.append(f"{programs} programs were started, {MOST_PROGRAMS} are allowed: {names}")
    long = {name: one.seconds for name, one in costs.items() if one.seconds > LONGEST_TEST}
    allowed = LONGEST_TEST * (yardstick() if long else 1.0)
    told += [
        f"{name} took {seconds:.1f} s of CPU time, {allowed:.1f} s are allowed"
        for name, seconds in long.items()
        if seconds > allowed
    ]
    return told


def slowest(costs: dict[str, Cost], number: int = 5) -> list[str]:
    """Return lines about the tests that took most CPU time."""
    names = sorted(costs, key=lambda name: -costs[name].seconds)[:number]
    return [f"{costs[name].seconds:5.1f} s of CPU time  {name}" for name in names]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a run of ``make test`` fail that costs too much."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if hasattr(session.config, "workerinput") or session.config.option.markexpr != FAST:
        return
    if reporter and complaints(costs_in(reporter.stats)) and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in the last lines what a run has cost."""
    costs = costs_in(terminalreporter.stats)
    if len(costs) < FEW:
        return
    programs = sum(one.programs for one in costs.values())
    seconds = sum(one.seconds for one in costs.values())
    terminalreporter.write_line(
        f"{seconds:,.0f} s of CPU time in tests, {programs} programs started; the slowest:"
    )
    for line in slowest(costs):
        terminalreporter.write_line(line)
    if terminalreporter.config.option.markexpr == FAST:
        for line in complaints(costs):
            terminalreporter.write_line(line, red=True)
