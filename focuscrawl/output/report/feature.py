"""The report of a crawl that ends, written by the last process of it (``output.report``)."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from focuscrawl.config import project_dir, read_config
from focuscrawl.kernel.feature import Feature
from focuscrawl.locale.messages import message_language
from focuscrawl.output.report.output import ReportSource, report_path, write_report
from focuscrawl.stores.state.protocol import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.config import Config
    from focuscrawl.kernel.feature import Kernel

logger = logging.getLogger(__name__)


class Report(Feature):
    """Writes what is new, and how the run went, when it has ended."""

    name = "report"
    scope = "topic"

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it for a topic that wants one."""
        config = read_config(kernel.transport.settings, os.environ, project_dir())
        path = report_path(kernel.template, config.data_dir)
        return cls(kernel, config, path) if path is not None else None

    def __init__(self, kernel: Kernel, config: Config, path: Path) -> None:
        super().__init__(kernel)
        self._config = config
        self._path = path
        self._is_written = False

    def closing(self) -> None:
        """Write it. Log what cannot be read or written."""
        # What only a report needs is loaded when one is made, not when a crawl begins.
        from focuscrawl.output.report.forms.page import page_text  # noqa: PLC0415
        from focuscrawl.output.report.forms.words import Vocabulary  # noqa: PLC0415

        config, now = self._config, self.kernel.clock.wall()
        source = ReportSource(
            config, self.kernel.commits.kinds, self.kernel.transport.settings, now
        )
        try:
            document = source.document([self.kernel.template])
            words = Vocabulary(message_language(), document.zone, now)
            write_report(self._path, page_text(document, words))
        except (StoreError, OSError) as error:
            logger.warning(
                "The report could not be written to %s: %s; scrapy report %s makes it anew",
                self._path,
                error,
                self.kernel.run.name,
            )
        else:
            self._is_written = True

    def summary(self) -> Iterable[tuple[str, str]]:
        """Say where it is."""
        if self._is_written:
            yield "report", str(self._path)
