"""The outboxes that one process looks after: its topic's, and those of topics that share its messages."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.locale.messages import N_, _, ngettext
from focuscrawl.output.notify.channels import Channel
from focuscrawl.output.notify.mail import receivers_of
from focuscrawl.output.notify.outbox import Attempt, Delivery, TopicOutbox, collect, register
from focuscrawl.output.notify.rows import channel_key, count_given_up, count_open
from focuscrawl.output.notify.table import NotifyTable
from focuscrawl.output.notify.times import MOST_SENDINGS
from focuscrawl.stores.results.database import missing_file, results_to_read
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.template.files import FileError, read_file
from focuscrawl.template.load import find_topics, load
from focuscrawl.template.toml import TemplateErrors

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Table

    from focuscrawl.config import Config
    from focuscrawl.template.keys import Language
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

_FAILED = N_("not sent to {shown}: {error}; tried again later")
_GIVEN_UP = N_(
    "{count} changes could not be sent in {tries} tries ({error}): see the table notices"
)
_WAITING = N_(
    "{count} changes not sent yet: the next crawl sends them, or scrapy topic notify {name}"
)


class TopicNotices(NamedTuple):
    """One look at the outbox of a topic: what is collected, and what is sent."""

    outbox: TopicOutbox
    delivery: Delivery
    others: OtherOutboxes

    @property
    def receivers(self) -> list[NotifyTable]:
        """The receivers of the topic."""
        return [*each_receiver(self.outbox.template.each(NotifyTable))]

    def register(self, began: float) -> None:
        """Note from when on new receivers get messages. Raises ResultsError."""
        register(self.outbox, self.receivers, began)

    def collect(self, began: float, now: float) -> int:
        """Note for receivers what came since the last look, for new ones since ``began``."""
        return collect(self.outbox, self.receivers, began, now)

    def deliver(self, now: float, *, only_at: bool = False, is_end: bool = False) -> list[Attempt]:
        """Send what is due; ``only_at``: to those alone that have times of day, ``is_end``: without a pause since the
        last message, for the run that found it ends. Raises ResultsError.
        """
        attempts = []
        for table in self.receivers:
            if only_at and not table.at:
                continue
            outboxes = [self.outbox, *(self.others.for_receiver(table) if table.at else ())]
            attempts += self.delivery.deliver(table, outboxes, now, is_end=is_end)
        return attempts

    def told(self, attempts: Sequence[Attempt]) -> Iterator[str]:
        """Say what became of messages, and what waits or was given up."""
        for one in attempts:
            if one.error:
                yield _(_FAILED).format(shown=one.shown, error=one.error)
            else:
                sent = ngettext(
                    "{count} entry to {shown}", "{count} entries to {shown}", one.entries
                )
                yield sent.format(count=one.entries, shown=one.shown)
        channels = [channel_key(one.to) for one in self.receivers]
        with results_to_read(self.outbox.place) as connection:
            lost, why = count_given_up(connection, self.outbox.name, MOST_SENDINGS)
            waiting = count_open(connection, self.outbox.name, channels) - lost
        if lost:
            yield _(_GIVEN_UP).format(count=lost, tries=MOST_SENDINGS, error=why)
        if waiting > 0:
            yield _(_WAITING).format(count=waiting, name=self.outbox.name)


class OtherOutboxes:
    """The other topics of a project that name a receiver and times of day."""

    def __init__(
        self,
        name: str,
        config: Config,
        tables: Mapping[str, Table],
        language: Language,
        environment: Mapping[str, str],
    ) -> None:
        self._name = name
        self._config = config
        self._tables = tables
        self._language = language
        self._environment = environment

    def for_receiver(self, table: NotifyTable) -> list[TopicOutbox]:
        """Return the outboxes of those topics that share the messages of a receiver."""
        return [
            outbox
            for outbox in self._outboxes()
            if any(
                share_messages(table, one)
                for one in each_receiver(outbox.template.each(NotifyTable))
            )
        ]

    def _outboxes(self) -> Iterator[TopicOutbox]:
        for name, path in find_topics(self._config.topics).topics.items():
            place = self._config.results_of(name)
            if name == self._name or missing_file(place):
                continue
            if (template := self._loaded(path)) is not None and self._has_outbox(template, place):
                yield TopicOutbox(template, place, self._tables)

    def _loaded(self, path: Path) -> Template | None:
        try:
            text = read_file(path).decode("utf-8", "replace")
        except (OSError, FileError) as error:
            logger.debug("%s shares no messages: %s", path, error)
            return None
        if not any(word in text for word in ("notify", "extends")):
            return None  # most templates say nothing of it, and take a while to load
        try:
            return load(path, None, self._environment, language=self._language).template
        except TemplateErrors as error:
            logger.debug("%s shares no messages: %s", path, error)
            return None

    def _has_outbox(self, template: Template, place: str | Path) -> bool:
        """Whether a topic was crawled since there are outboxes."""
        try:
            with results_to_read(place) as connection:
                return bool(connection.dialect.has_table(connection, "notices"))
        except StoreError as error:
            logger.debug("%s shares no messages: %s", template.name, error)
            return False


def each_receiver(tables: Iterable[NotifyTable]) -> Iterator[NotifyTable]:
    """Go through the receivers, each address of a mail by itself: a mail refused for one address is tried
    again for it alone, and the others get it once.
    """
    for table in tables:
        if Channel(table.to).is_mail:
            for address in dict.fromkeys(receivers_of(table.to)):
                yield replace(table, to=f"mailto:{address}")
        elif table.to:
            yield table


def share_messages(one: NotifyTable, other: NotifyTable) -> bool:
    """Whether two tables name the same receiver at the same times, and want the same messages."""
    return bool(one.to) and _shared(one) == _shared(other)


def _shared(table: NotifyTable) -> tuple[object, ...]:
    """Return what a message is sent by."""
    return table.to, table.at, table.quiet.windows, table.most, table.attach, table.lang
