"""Sends receivers what is new: in one message when a crawl ends; a crawl that stays sends it as it comes.

A crawl that ends sends while it runs only what has a time of day: a first message after a minute told 8 of the 26
new articles of a morning, and the rest came when no reader looked any more.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from threading import Lock
from typing import TYPE_CHECKING, Self

from sqlalchemy import select

from focuscrawl.config import project_dir, read_config
from focuscrawl.features.revisit.table import RevisitTable
from focuscrawl.kernel.feature import Feature, Round
from focuscrawl.locale.messages import _
from focuscrawl.output.notify.table import NotifyTable
from focuscrawl.stores.state.protocol import StoreError

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel

logger = logging.getLogger(__name__)

_LOOK_EVERY = 60.0
"""Seconds between two looks of a crawl that stays."""

START, FAIL = "/start", "/fail"


class Notices(Feature):
    """Collects and sends what [[notify]] asks for, and asks for its pings."""

    name = "notify"
    scope = "topic"
    after = ("export",)

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Only a topic with a [[notify]] has it."""
        return cls(kernel) if kernel.template.each(NotifyTable) else None

    def __init__(self, kernel: Kernel) -> None:
        # What sends mail is imported by those crawls alone that do.
        from focuscrawl.output.notify.outbox import Delivery, TopicOutbox  # noqa: PLC0415
        from focuscrawl.output.notify.topic_notices import OtherOutboxes, TopicNotices  # noqa: PLC0415

        super().__init__(kernel)
        config = read_config(kernel.transport.settings, os.environ, project_dir())
        template, tables = kernel.template, kernel.commits.kinds.tables
        outbox = TopicOutbox(template, config.results_of(template.name), tables)
        others = OtherOutboxes(template.name, config, tables, template.language, os.environ)
        self._notices = TopicNotices(outbox, Delivery(config.data_dir, config.smtp), others)
        self._pings = [one.ping for one in template.each(NotifyTable) if one.ping]
        self._stays = template.of(RevisitTable).continuous
        self._next = kernel.clock.wall() + _LOOK_EVERY
        self._told: list[str] = []
        self._lock = Lock()
        self._looking: asyncio.Future[None] | None = None
        self._pinging: asyncio.Future[None] | None = None
        self._ping_lock = Lock()

    async def begin(self, round_: Round) -> int:
        """Note which receivers get messages from now on, and ping that the run has begun."""
        try:
            await asyncio.to_thread(self._notices.register, self.kernel.run.started)
        except StoreError as error:  # noted at the first look for what is new
            logger.warning("New receivers were not noted: %s", error)
        if self._pings:  # the run does not wait for it
            self._pinging = asyncio.ensure_future(asyncio.to_thread(self._ping, START))
        return 0

    def tick(self) -> None:
        """Look for what is new and due, in a thread."""
        now = self.kernel.clock.wall()
        is_due = (
            now >= self._next or now < self._next - _LOOK_EVERY
        )  # a clock set back holds nothing up
        if not is_due or not self.kernel.leads or (self._looking and not self._looking.done()):
            return
        self._next = now + _LOOK_EVERY
        self._looking = asyncio.ensure_future(asyncio.to_thread(self._look))

    def closing(self) -> None:
        """Send what is due now that the run's end stands in the results, and ping that end."""
        self._look(closing=True)
        self._ping(FAIL if self._has_failed() else "")

    def _look(self, *, closing: bool = False) -> None:
        kernel = self.kernel
        if not self._notices.receivers:
            return
        with self._lock:
            try:
                self._notices.collect(kernel.run.started, kernel.clock.wall())
                attempts = self._notices.deliver(
                    kernel.clock.wall(), only_at=not (self._stays or closing), is_end=closing
                )
                for one in attempts:
                    kernel.counters["notices_sent"] += 0 if one.error else one.entries
                    if one.error:
                        logger.warning(_("Not sent to %s: %s"), one.shown, one.error)
                if closing:
                    self._told = list(self._notices.told(attempts))
            except StoreError as error:
                self._told = [_("nothing was sent: {error}").format(error=error)]
                logger.error(_("No message was sent: %s"), error)

    def _ping(self, end: str) -> None:
        from focuscrawl.output.notify.channels import Channel, ask_ping  # noqa: PLC0415 - as above
        from focuscrawl.output.notify.mail import SendError  # noqa: PLC0415

        with self._ping_lock:  # the ping of a short run's end comes after that of its beginning
            for url in self._pings:
                shown = Channel(url).shown
                try:
                    ask_ping(url, shown, end)
                except SendError as error:
                    logger.warning(_("The ping failed: %s"), error)

    def _has_failed(self) -> bool:
        """Whether the run has ended with another status than 0, as the results have it."""
        results, runs = self.kernel.commits.results, self.kernel.commits.kinds.tables["crawl_runs"]
        if results is None:
            return True
        query = select(runs.c.exit_code).where(runs.c.run_id == self.kernel.run.run_id)
        try:
            with results.reading() as connection:
                return connection.execute(query).scalar() != 0
        except StoreError:
            return True

    def summary(self) -> Iterator[tuple[str, str]]:
        """Say what was sent, and what was not."""
        for line in self._told:
            yield "notify", line
