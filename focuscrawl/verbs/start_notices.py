"""Sends notices that a topic cannot begin, and that it can again: by its [[notify]], else FOCUSCRAWL_NOTIFY."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from filelock import Timeout
from scrapy import signals

from focuscrawl.kernel.figures import EXIT_BUSY
from focuscrawl.kernel.run import Run
from focuscrawl.locale.messages import MessageLanguage, _, message_language
from focuscrawl.output.notify.start_failures import LOCK_PATIENCE, FailureFile, StartFailure
from focuscrawl.spiders.topic import TopicSpider
from focuscrawl.stores.results.kinds.last_run import last_run_in
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.template.load import find_topics, readable_tables
from focuscrawl.template.template import language_in_use

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from focuscrawl.config import Config
    from focuscrawl.output.notify.start_failures import FailureCause

logger = logging.getLogger(__name__)


class _Receiver(NamedTuple):
    address: str
    language: MessageLanguage


class StartNotices:
    """Watches how the topics of a project begin. ``environment`` has the secrets that [[notify]] names."""

    def __init__(
        self, config: Config, settings: BaseSettings, environment: Mapping[str, str]
    ) -> None:
        self._config = config
        self._environment = environment
        self._settings = settings
        self._file = FailureFile(config.data_dir)
        self._threads: list[Thread] = []

    def watch(self, crawler: Crawler, spider: type[Spider], name: str) -> None:
        """Watch whether a crawl begins. Messages are sent in a thread: a crawl waits for none."""

        def opened() -> None:
            run = Run.of(crawler)
            if run.is_open and self._file.path.exists():
                self._begin(Thread(target=self.work, args=(name,)))
            elif not run.is_open and run.ending.reason:
                self.fail_aside(name, run.ending.detail, is_busy=run.ending.exit_code == EXIT_BUSY)

        if issubclass(spider, TopicSpider):
            crawler.signals.connect(opened, signals.spider_opened, weak=False)

    def fail_aside(self, name: str, why: str, *, is_busy: bool = False) -> None:
        """Do what ``fail`` does in a thread."""
        self._begin(Thread(target=self.fail, args=(name, why), kwargs={"is_busy": is_busy}))

    def _begin(self, thread: Thread) -> None:
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(thread)
        thread.start()

    def wait(self) -> None:
        """Wait until each message is sent or has failed."""
        for thread in self._threads:
            thread.join()

    def fail(self, name: str, why: str, *, is_busy: bool = False) -> None:
        """Send notice that a topic cannot begin, once for its cause. ``is_busy``: its crawl file is locked."""
        now = self._config.clock.wall()
        path = find_topics(self._config.topics).topics.get(name)
        if not path or (is_busy and self._is_crawled(name, now)):
            return
        failure = StartFailure.of(name, why, LOCK_PATIENCE if is_busy else 0.0)
        receivers = self._receivers([path])
        if not receivers:  # a failure without a receiver is not kept
            return
        try:
            with self._file.opened() as book:
                if cause := book.fail(failure, now):
                    self._send(receivers, cause, [name], failure.why, now)
        except (OSError, Timeout) as error:
            logger.warning(_("No receiver has heard that %s cannot begin: %s"), name, error)

    def work(self, name: str) -> None:
        """Send notice that a topic has begun, to the receivers of the notice that it cannot."""
        now = self._config.clock.wall()
        try:
            with self._file.opened() as book:
                for cause in book.work(name):
                    paths = find_topics(self._config.topics).topics
                    receivers = self._receivers(
                        [paths[one] for one in cause.topics if one in paths]
                    )
                    self._send(receivers, cause, [*cause.topics], "", now)
                book.forget()
        except (OSError, Timeout) as error:
            logger.warning(_("No receiver has heard that %s has begun again: %s"), name, error)

    def _receivers(self, paths: Sequence[Path]) -> dict[str, _Receiver]:
        """Return by their keys the receivers that the files of topics name, else that of the project."""
        # Only what sends messages imports these modules.
        from focuscrawl.output.notify.rows import channel_key  # noqa: PLC0415
        from focuscrawl.output.notify.table import NotifyTable  # noqa: PLC0415
        from focuscrawl.output.notify.topic_notices import each_receiver  # noqa: PLC0415

        found, language = {}, language_in_use(self._settings, self._environment)
        for path in paths:
            tables = readable_tables(path, NotifyTable, self._environment, language)
            for one in each_receiver(tables):
                found[channel_key(one.to)] = _Receiver(one.to, one.lang or message_language())
        if not found and (address := self._config.notify):
            found[channel_key(address)] = _Receiver(address, message_language())
        return found

    def _send(
        self,
        receivers: Mapping[str, _Receiver],
        cause: FailureCause,
        topics: Sequence[str],
        why: str,
        now: float,
    ) -> None:
        """Send to each receiver that has not received it yet; the next try sends again where this one failed."""
        from focuscrawl.output.notify.channels import Channel  # noqa: PLC0415 - as above
        from focuscrawl.output.notify.mail import SendError  # noqa: PLC0415
        from focuscrawl.output.notify.messages import compose_start  # noqa: PLC0415

        left = [key for key in receivers if (key in cause.told) != bool(why)]
        if not why:  # receivers that are named no longer get nothing
            cause.told[:] = left
        for key in left:
            said = f"start\n{key}\n{cause.since}\n{topics}\n{why}"
            message_id = hashlib.md5(said.encode()).hexdigest()
            channel = Channel(receivers[key].address, self._config.smtp)
            try:
                channel.send(compose_start(message_id, topics, why, receivers[key].language), now)
            except (SendError, OSError) as error:
                logger.warning(_("Not sent to %s: %s"), channel.shown, error)
            else:
                (cause.told.append if why else cause.told.remove)(key)

    def _is_crawled(self, name: str, now: float) -> bool:
        """Whether the crawl that holds a topic's file shows signs of life."""
        try:
            return last_run_in(self._config.results_of(name), name, now).state == "running"
        except StoreError:
            return False
