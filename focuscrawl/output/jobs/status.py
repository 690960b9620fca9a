"""How each topic is doing, for a user who runs many of them. It only reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import tzinfo
from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from focuscrawl.locale.messages import IN_CHINESE, N_, _, message_language
from focuscrawl.output.jobs.timetable import TurnPlan
from focuscrawl.output.report.forms.words import Vocabulary
from focuscrawl.output.summary.advice import findings_of
from focuscrawl.output.summary.lines import duration_text
from focuscrawl.readers.text.characters import padded, width_of
from focuscrawl.readers.text.moments import day_began, short_moment_text
from focuscrawl.stores.results.columns import cut, time_text
from focuscrawl.stores.results.database import missing_file, results_to_read
from focuscrawl.stores.results.kinds.last_run import NEVER, LastRun, last_run_of
from focuscrawl.stores.results.kinds.runs import SILENCE
from focuscrawl.stores.results.news import News
from focuscrawl.stores.state.topic_store import work_left

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.stores.results.kind import Kinds

LATE_BY_SHARE, LATE_BY_LEAST = 0.1, 60.0
"""A turn is late after a tenth of ``every``, but a minute at least: crawls wait for a free place."""


@dataclass(frozen=True, slots=True)
class TopicStatus:
    """How a topic is doing. Times are seconds since 1970 UTC; what is not known is None, ``why`` is "". ``needs`` counts
    what of its last run needs its user.
    """

    topic: str
    title: str = ""
    running: bool = False
    workers: tuple[str, ...] = ()
    last_run: float | None = None
    ended: float | None = None
    reason: str = ""
    exit: int | None = None
    pages: int | None = None
    new: int | None = None
    needs: int | None = None
    waiting: int | None = None
    failed: int | None = None
    due: int | None = None
    next_turn: float | None = None
    late: float = 0.0
    why: str = ""
    timezone: str = "UTC"


# One topic ----------------------------------------------------------------------------------------


def status_of(
    config: Config,
    name: str,
    plan: TurnPlan,
    kinds: Kinds,
    settings: Any,
    zone: ZoneInfo,
    title: str = "",
) -> TopicStatus:
    """Return how a topic is doing. Raises StoreError."""
    now = config.clock.wall()
    left = work_left(name, config, settings, now)
    place, last, new = config.results_of(name), NEVER, 0
    if not missing_file(place):
        with results_to_read(place) as connection:
            last = last_run_of(connection, name, now)
            new = News(connection, kinds.tables, name, yesterday_began(now, zone)).count()
    workers = left.workers
    running, reason = bool(workers), last.state if last.has_begun else ""
    if last.has_begun and last.ended is None:
        reason = "crashed"
    next_turn = _next_turn(plan, last, running=running)
    late = _late(plan, next_turn, last, now, running=running)
    return TopicStatus(
        topic=name,
        title=title,
        running=running,
        workers=workers,
        last_run=last.started if last.has_begun else None,
        ended=last.ended,
        reason="" if running else reason,
        exit=None if running else last.exit_code,
        pages=last.counts["pages"] if last.has_begun else None,
        new=new,
        needs=len(findings_of(last.counters)),
        waiting=left.waiting,
        failed=left.failed,
        due=left.due,
        next_turn=next_turn,
        late=late,
        why=_why(plan, last, late, now, reason=reason, running=running),
        timezone=str(zone),
    )


def yesterday_began(now: float, zone: tzinfo) -> float:
    """Return when yesterday began."""
    return day_began(day_began(now, zone) - 1.0, zone)


def _next_turn(plan: TurnPlan, last: LastRun, *, running: bool) -> float | None:
    if plan.every is None or not last.has_begun or (running and plan.stays):
        return None
    if not running and last.was_cut_off:
        return last.sign
    return last.started + plan.every


def _late(
    plan: TurnPlan, next_turn: float | None, last: LastRun, now: float, *, running: bool
) -> float:
    """Return by how many seconds a topic is late; 0: it is not, or has no time when it is due."""
    if running:
        return 0.0
    if plan.stays and last.has_begun:
        return max(0.0, now - last.sign)
    if next_turn is None or plan.every is None:
        return 0.0
    late = now - next_turn
    return late if late > max(LATE_BY_LEAST, LATE_BY_SHARE * plan.every) else 0.0


def _why(
    plan: TurnPlan, last: LastRun, late: float, now: float, *, reason: str, running: bool
) -> str:
    if running:
        if last.has_begun and now - last.sign > SILENCE:
            told = _("has given no sign for {duration}")
            return told.format(duration=duration_text(now - last.sign))
        return ""
    if not last.has_begun:
        return _("was never crawled")
    if reason == "crashed":
        return _("crashed: its last run has no end; the next goes on from there")
    if late and plan.stays and not last.exit_code and reason.startswith("limit_"):
        return _(
            "a limit has ended it ({reason}): begun again, or with [topic] every, it goes on"
        ).format(reason=reason)
    if late and plan.stays:
        return _("is to stay (revisit.continuous), but no process runs it")
    if late:
        return _("no process runs it: focuscrawl run is not running, or has no place for it")
    if last.exit_code:
        return _("its last run ended with status {status}").format(status=last.exit_code)
    return ""


# In words -----------------------------------------------------------------------------------------

_TITLES = (*(N_("topic"), N_("state"), N_("last run"), N_("new"), N_("needs"), N_("next turn")),)
_LONGEST_NAME, _LONGEST_STATE = 20, 17
"""Columns of a topic's name and of its state, so that a line has eighty."""


def status_text(statuses: Sequence[TopicStatus]) -> str:
    """Return a table, those in trouble first: a line a topic, below it its title and what is wrong. Times are those of
    the topic's time zone.
    """
    ordered = sorted(statuses, key=lambda one: (not one.why, not one.needs))
    rows = [tuple(map(_, _TITLES)), *map(_row, ordered)]
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    below = [[], *map(_below, ordered)]
    return "\n".join(chain.from_iterable([line, *more] for line, more in zip(lines, below, strict=True)))  # fmt: skip


def _below(status: TopicStatus) -> list[str]:
    """Return the lines below a topic's own."""
    told = [status.title if status.title != status.topic else ""]
    if status.late:
        told.append(_("late by {duration}").format(duration=duration_text(status.late)))
    told.append(status.why)
    if status.waiting:
        told.append(_("{count:,} waiting").format(count=status.waiting))
    if status.failed:
        told.append(_("{count:,} failed, to be tried again").format(count=status.failed))
    said = " · ".join(filter(None, told))
    wide = 80 if said.isascii() else 40  # a Chinese character has two columns
    return wrap(said, wide, initial_indent="    ", subsequent_indent="    ") if said else []


def status_json(statuses: Sequence[TopicStatus]) -> str:
    """Return the same for programs: times in ISO 8601, UTC."""
    return json.dumps([_plain(status) for status in statuses], ensure_ascii=False, indent=1)


def _plain(status: TopicStatus) -> dict[str, Any]:
    found = asdict(status)
    for name in ("last_run", "ended", "next_turn"):
        if found[name] is not None:
            found[name] = time_text(found[name])
    return found


def _row(status: TopicStatus) -> tuple[str, ...]:
    zone, state = ZoneInfo(status.timezone), status.reason or "-"
    if message_language() == IN_CHINESE:  # in English the names are those of the results
        state = Vocabulary(IN_CHINESE, status.timezone, 0.0).say("ended", state)
    if status.running:
        more = f" ×{len(status.workers)}" if len(status.workers) > 1 else ""
        state = _("running") + more
    numbers = (status.new, status.needs)
    return (
        cut(status.topic, _LONGEST_NAME),
        cut(state, _LONGEST_STATE),
        _moment(status.last_run, zone),
        *("-" if number is None else f"{number:,}" for number in numbers),
        _moment(status.next_turn, zone),
    )


def _moment(at: float | None, zone: tzinfo) -> str:
    return "-" if at is None else short_moment_text(at, zone)
