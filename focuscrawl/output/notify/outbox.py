"""Collects what receivers are to get, and sends what is due, over the table ``notices``.

Before a message is sent its notices are put under its id in a commit of their own; after the answer another
commit notes it. A process killed between the two sends it again under the same id; one killed before the
first has sent nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from focuscrawl.locale.messages import MessageLanguage, language_about
from focuscrawl.output.export.files import ExportOrder, TopicResults, topic_results, write_export
from focuscrawl.output.notify.channels import Channel
from focuscrawl.output.notify.choice import (
    LOOKED_BACK,
    changes_by_id,
    changes_since,
    choose_changes,
    choose_small,
)
from focuscrawl.output.notify.mail import Attachment, SendError
from focuscrawl.output.notify.messages import TopicNews, compose
from focuscrawl.output.notify.rows import (
    OpenNotice,
    add_notices,
    changes_of_message,
    channel_key,
    due_notices,
    looked_through,
    message_key,
    note_looked,
    postpone_notices,
    sent_before,
    settle_message,
    take_notices,
)
from focuscrawl.output.notify.times import MOST_SENDINGS, DigestTimes, wait_after
from focuscrawl.output.report.forms.words import needs_in_short
from focuscrawl.output.report.output import report_path
from focuscrawl.output.summary.advice import findings_of
from focuscrawl.readers.text.moments import day_began
from focuscrawl.stores.results.database import results_to_read, results_transaction
from focuscrawl.stores.results.kinds.last_run import last_run_of
from focuscrawl.stores.results.news import News

if TYPE_CHECKING:
    from sqlalchemy import Table

    from focuscrawl.output.notify.table import NotifyTable
    from focuscrawl.template.template import Template

NAMES_SHOWN = 80
"""Characters of the topics' names in that of a workbook."""

LOCK_WAIT = 60.0
"""Seconds to wait for another process that sends: it waits for a server at most so long itself."""


class TopicOutbox(NamedTuple):
    """The outbox of one topic: its template, with secrets, and where its results are."""

    template: Template
    place: str | Path
    tables: Mapping[str, Table]

    @property
    def name(self) -> str:
        """The topic."""
        return self.template.name

    def timetable(self, table: NotifyTable) -> DigestTimes:
        """Return when a receiver gets messages."""
        zone = self.template.topic.timezone
        return DigestTimes(table.at, table.every, table.quiet, table.most, zone)


class Attempt(NamedTuple):
    """What became of a message; ``error`` is "" when it was taken."""

    shown: str
    topics: tuple[str, ...]
    entries: int
    error: str = ""


# Collecting -------------------------------------------------------------------------------------


def register(outbox: TopicOutbox, receivers: Sequence[NotifyTable], began: float) -> None:
    """Note from when on new receivers get messages, before anything is found: a run that is killed, or
    that another process ends, loses nothing of what they are to get. Raises ResultsError.
    """
    channels = [channel_key(one.to) for one in receivers]
    with results_to_read(outbox.place) as connection:
        new = [one for one in channels if looked_through(connection, outbox.name, one) is None]
    if not new:
        return
    with results_transaction(outbox.place) as connection:
        for channel in new:
            note_looked(connection, outbox.name, channel, began, began)


def collect(outbox: TopicOutbox, receivers: Sequence[NotifyTable], began: float, now: float) -> int:
    """Note which changes of a topic each receiver is to get, and when; return how many these are.

    A new receiver gets what came since ``began``. Raises ResultsError.
    """
    added = 0
    for table in receivers:
        channel = channel_key(table.to)
        with results_to_read(outbox.place) as connection:
            looked = looked_through(connection, outbox.name, channel)
            since, until = looked or (began, began)
            first = max(since, min(until, now) - LOOKED_BACK)
            changes = changes_since(connection, outbox.tables, outbox.name, first)
        timetable = outbox.timetable(table)
        due = [
            (one.change_id, timetable.due(max(one.at, now)))
            for one in choose_changes(changes, table)
        ]
        with results_transaction(outbox.place) as connection:
            added += add_notices(connection, outbox.name, channel, due)
            note_looked(connection, outbox.name, channel, since, now)
    return added


# Sending ----------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """The notices of one topic in a message."""

    outbox: TopicOutbox
    notices: list[OpenNotice]


class Delivery(NamedTuple):
    """Sends messages. ``folder`` is where processes of one machine see each other's lock; ``smtp`` is
    FOCUSCRAWL_SMTP.
    """

    folder: Path
    smtp: str

    def deliver(
        self,
        table: NotifyTable,
        outboxes: Sequence[TopicOutbox],
        now: float,
        *,
        is_end: bool = False,
    ) -> list[Attempt]:
        """Send one receiver what is due of some topics, which share its messages; at the ``is_end`` of a run
        whenever the last message was. Raises ResultsError.
        """
        channel = Channel(table.to, self.smtp)
        key, timetable = channel_key(table.to), outboxes[0].timetable(table)
        if is_end:
            timetable = timetable._replace(every=0.0)
        lock = FileLock(self.folder / f".notify-{key}.lock", timeout=LOCK_WAIT)
        attempts = []
        with suppress(Timeout), lock:
            last, today = None, set[str]()
            for outbox in outboxes:
                with results_to_read(outbox.place) as connection:
                    began = day_began(now, timetable.zone)
                    before = sent_before(connection, outbox.name, key, began, now)
                last = max(filter(None, (last, before[0])), default=None)
                today |= before[1]
            for message_id, parts in self._due(key, outboxes, now):
                if not timetable.may_send(now, last, len(today)):
                    if timetable.at and len(today) >= timetable.most:
                        self._postpone(parts, timetable.due_tomorrow(now))
                        continue
                    break
                if not self._take(message_id, parts, now):
                    continue
                attempt = self._send(channel, table, message_id, parts, last, now)
                attempts.append(attempt)
                if attempt.error:
                    break  # a receiver that does not answer is not asked again at once
                last = now
                today.add(message_id)
        return attempts

    def _due(
        self, channel: str, outboxes: Sequence[TopicOutbox], now: float
    ) -> list[tuple[str, list[_Part]]]:
        """Return the messages that are due: those that were tried under their ids, then one of what is new."""
        groups: dict[str, list[_Part]] = {}
        for outbox in outboxes:
            with results_to_read(outbox.place) as connection:
                due = due_notices(connection, outbox.name, channel, now, MOST_SENDINGS)
            for message in dict.fromkeys(one.message for one in due):
                part = _Part(outbox, [one for one in due if one.message == message])
                groups.setdefault(message, []).append(part)
        fresh = groups.pop("", [])
        found = sorted(groups.items())
        if fresh:
            ids = [one.notice_id for part in fresh for one in part.notices]
            found.append((message_key(channel, ids), fresh))
        return found

    def _take(self, message_id: str, parts: Sequence[_Part], now: float) -> bool:
        """Put notices under a message's id; False: another process has them."""
        for part in parts:
            tries = max(one.tries for one in part.notices) + 1
            with results_transaction(part.outbox.place) as connection:
                until = now + wait_after(tries)
                mine = (part.outbox.name, part.notices, message_id, now, until)
                if not take_notices(connection, *mine):
                    connection.rollback()
                    return False
        return True

    def _postpone(self, parts: Sequence[_Part], until: float) -> None:
        for part in parts:
            with results_transaction(part.outbox.place) as connection:
                postpone_notices(connection, part.outbox.name, part.notices, until)

    def _send(
        self,
        channel: Channel,
        table: NotifyTable,
        message_id: str,
        parts: Sequence[_Part],
        last: float | None,
        now: float,
    ) -> Attempt:
        names = tuple(part.outbox.name for part in parts)
        language = language_for(table, parts[0].outbox.template)
        told = (self._news(part, table, language, last, now) for part in parts)
        news = [one for one in told if one.changes]
        error, message = "", compose(message_id, news, language) if news else None
        if message is not None:
            try:
                attached = _attached(table, channel, parts, message_id, language, now)
                channel.send(message, now, attached)
            except (SendError, OSError) as failed:  # OSError: the disk is full of something else
                error = str(failed)
        for part in parts:
            with results_transaction(part.outbox.place) as connection:
                settle_message(connection, part.outbox.name, message_id, now, error)
        return Attempt(channel.shown, names, message.entries if message else 0, error)

    def _news(
        self,
        part: _Part,
        table: NotifyTable,
        language: MessageLanguage,
        last: float | None,
        now: float,
    ) -> TopicNews:
        """Return what a topic's part of a message tells; what was forgotten meanwhile is not in it. Small edits are
        those since the ``last`` message."""
        outbox, topic = part.outbox, part.outbox.template.topic
        ids = [one.target_key for one in part.notices]
        with results_to_read(outbox.place) as connection:
            changes = changes_by_id(connection, outbox.tables, outbox.name, ids)
            since = now - LOOKED_BACK if last is None else last
            lately = changes_since(connection, outbox.tables, outbox.name, since)
            stories = {one.story_id for one in changes if one.sites > 1}
            tellers = News(connection, outbox.tables, outbox.name, since).tellers(stories)
            run = last_run_of(connection, outbox.name, now)
            looked = looked_through(connection, outbox.name, channel_key(table.to))
        report = report_path(outbox.template, self.folder)
        return TopicNews(
            *(outbox.name, topic.title, topic.timezone, changes),
            small=choose_small((one for one in lately if one.at <= now), table),
            needs=needs_in_short(findings_of(run.counters), language),
            tellers=tellers,
            report=str(report) if report is not None and report.exists() else "",
            since=looked[0] if last is None and looked else last,
        )


def language_for(table: NotifyTable, template: Template) -> MessageLanguage:
    """Return the language of a receiver's messages."""
    return table.lang or language_about(template.topic.language)


def _attached(
    table: NotifyTable,
    channel: Channel,
    parts: Sequence[_Part],
    message_id: str,
    language: str,
    now: float,
) -> list[Attachment]:
    """Return what a message tells as a workbook, if the receiver wants one. Raises OSError."""
    if table.attach is None or not channel.is_mail:
        return []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        name = f"{'-'.join(part.outbox.name for part in parts)[:NAMES_SHOWN]}-{{date}}.xlsx"
        order = ExportOrder(str(Path(folder) / name), "xlsx", language=language)
        topics: list[TopicResults] = [
            topic_results(
                part.outbox.template,
                part.outbox.tables,
                stack.enter_context(results_to_read(part.outbox.place)),
                changes_of_message(part.outbox.name, message_id),
            )
            for part in parts
        ]
        (written,) = write_export(order, topics, now)
        return [Attachment(Path(written.path).name, Path(written.path).read_bytes())]
