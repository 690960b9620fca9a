"""Tables of cases: one test goes through all rows and tells all that fail, each as a test of its own would.

A test costs three reports and their way from one process to another, some milliseconds; most rows cost a tenth of
that. ``subtests`` of pytest makes a report of each row, too, and captures what it writes: of a thousand rows that
cost nothing they take .4 s of CPU, or 1.2 s with workers; here .003 s.

A plugin of tests/conftest.py, so that the last lines of a run say how many cases were checked.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from reprlib import Repr
from typing import Any

import pytest

Check = Callable[..., None]
Names = Callable[[Any], str] | Sequence[str] | None

ROWS = "rows"
"""What a table says of how many rows it has checked: in its user_properties, which reach the process that prints."""

SHORT = Repr()
"""How a row without a name of its own is called: by its values."""
SHORT.maxstring = SHORT.maxother = 160


@dataclass(frozen=True)
class Row:
    """One case: what it is called, and the arguments that the test gets of it."""

    name: str
    values: Mapping[str, Any]

    def and_of(self, other: Row) -> Row:
        """Return the case of both, the other's name first, as pytest names tests."""
        return Row(f"{other.name}; {self.name}", {**self.values, **other.values})


@dataclass(frozen=True)
class Table:
    """A check and its rows, as the test that goes through them bears it."""

    check: Check
    rows: tuple[Row, ...]

    def failures(self, **fixtures: Any) -> list[str]:
        """Return what each row that fails says: its name, the line that failed, what was got and expected.

        A row that would be skipped fails: nobody would see that it is not checked.
        """
        __tracebackhide__ = True
        failed = []
        for row in self.rows:
            try:
                self.check(**row.values, **fixtures)
            except pytest.exit.Exception:
                raise
            except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 - all are told
                said = pytest.ExceptionInfo.from_exception(error).getrepr(style="short")
                failed.append(f"[{row.name}]\n{said}")
        return failed


def each_row(
    names: str | Sequence[str], rows: Iterable[Any], ids: Names = None
) -> Callable[[Check], Check]:
    """Check each row in one test: names, rows and ids are those of ``pytest.mark.parametrize``.

    Two of them on one test check each row of one with each of the other. Fixtures are made once for all rows: a
    test whose rows must not meet, as in a folder or store, takes ``parametrize``, and so does one whose rows take
    long, for workers share tests.

    Raises:
        ValueError: there are no rows, or one has more or fewer values than there are names.
        TypeError: the test takes no argument of such a name.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    is_plain = isinstance(names, str) and len(keys) == 1
    cases = [dict(zip(keys, [row] if is_plain else row, strict=True)) for row in rows]
    if not cases:
        raise ValueError(f"a table of {', '.join(keys)} without rows checks nothing")
    called = ids if isinstance(ids, Sequence) else [name_of(case, ids) for case in cases]
    own = tuple(Row(name, case) for name, case in zip(called, cases, strict=True))

    def decorate(check: Check) -> Check:
        inner = getattr(check, "table", None)
        table = Table(check, own)
        if isinstance(inner, Table):
            table = replace(inner, rows=tuple(b.and_of(a) for a in own for b in inner.rows))
        return in_one_test(table, check, keys)

    return decorate


def name_of(case: Mapping[str, Any], ids: Callable[[Any], str] | None) -> str:
    """Return what a row is called when its test does not say it of each."""
    if ids is not None:
        return "-".join(name for value in case.values() if (name := ids(value)))
    return ", ".join(f"{key}={SHORT.repr(value)}" for key, value in case.items())


def in_one_test(table: Table, check: Check, keys: Sequence[str]) -> Check:
    """Return the test that checks a table, in the place and with the marks and the fixtures of its check."""

    @wraps(check)
    def check_all(request: pytest.FixtureRequest, **fixtures: Any) -> None:
        request.node.user_properties.append((ROWS, len(table.rows)))
        if failed := table.failures(**fixtures):
            heading = f"{len(failed)} of {len(table.rows)} rows fail"
            pytest.fail("\n\n".join([heading, *failed]), pytrace=False)

    asked = inspect.signature(check).parameters
    if missing := [key for key in keys if key not in asked]:
        raise TypeError(f"{check.__name__} takes no {', '.join(missing)}")
    request = inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    left = {name: one for name, one in asked.items() if name not in keys}
    signature = inspect.Signature([*({"request": request} | left).values()])
    for name, value in {"__signature__": signature, "table": table}.items():
        setattr(check_all, name, value)
    return check_all


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many cases were checked: a number of tests says nothing of them where tables are tests."""
    found = [one for some in terminalreporter.stats.values() for one in some]
    reports = [one for one in found if getattr(one, "when", "") == "call" and not one.skipped]
    rows = [value for one in reports for name, value in one.user_properties if name == ROWS]
    if rows:
        cases = len(reports) - len(rows) + sum(rows)
        line = (
            f"{cases:,} cases were checked, {sum(rows):,} of them as rows of {len(rows):,} tables"
        )
        terminalreporter.write_line(line)
