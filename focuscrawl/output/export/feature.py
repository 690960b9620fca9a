"""Files of what is stored, written when a crawl ends, and by one that stays every now and then."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

from focuscrawl.config import beside_reports, project_dir, read_config
from focuscrawl.kernel.feature import Feature
from focuscrawl.locale.messages import _
from focuscrawl.output.export.rows import note_export
from focuscrawl.output.export.table import ExportTable
from focuscrawl.stores.state.protocol import StoreError

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.output.export.files import ExportOrder

logger = logging.getLogger(__name__)


class Exports(Feature):
    """Writes the files of [output.exports]."""

    name = "export"
    scope = "topic"

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Only a topic that names files has it."""
        return cls(kernel) if kernel.template.named(ExportTable) else None

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        config = read_config(kernel.transport.settings, os.environ, project_dir())
        is_inline = kernel.template.path is None
        folder = config.data_dir if is_inline else project_dir() or Path.cwd()
        self._files = [
            (one, order_from(one, folder / beside_reports(one.name, config.data_dir)))
            for one in kernel.template.named(ExportTable).values()
        ]
        self._next = [kernel.clock.wall() + table.every for table, _ in self._files]
        self._told: dict[str, str] = {}
        self._lock = Lock()
        self._writing: asyncio.Future[None] | None = None

    def tick(self) -> None:
        """Write in a thread what is to be written anew meanwhile."""
        now = self.kernel.clock.wall()
        due = [at for at, moment in enumerate(self._next) if moment <= now]
        if not due or not self.kernel.leads or (self._writing and not self._writing.done()):
            return
        for at in due:
            self._next[at] = now + self._files[at][0].every
        self._writing = asyncio.ensure_future(asyncio.to_thread(self._write, due))

    def closing(self) -> None:
        """Write all files, now that the run's end stands in the results."""
        self._write(range(len(self._files)))

    def _write(self, which: list[int] | range) -> None:
        """Write some files; one that cannot be written does not keep the others from it."""
        with self._lock:
            for at in which:
                order = self._files[at][1]
                try:
                    self._told[order.path] = self._written(order)
                except (ValueError, OSError, StoreError) as error:
                    told = _("{path} not written: {why}").format(path=order.path, why=error)
                    self._told[order.path] = told
                    logger.error("%s", self._told[order.path])

    def _written(self, order: ExportOrder) -> str:
        from focuscrawl.output.export.files import (  # noqa: PLC0415 - see order_from
            complete_until,
            topic_results,
            write_export,
        )

        results, kernel = self.kernel.commits.results, self.kernel
        if results is None:
            raise ValueError(_("there are no results"))
        now = kernel.clock.wall()
        with results.reading() as connection:
            topic = topic_results(kernel.template, kernel.commits.kinds.tables, connection)
            until = complete_until(topic, now)
            files = write_export(order, [topic], now)
        results.ask(note_export, order.destination, order.path, now, until)
        nothing = _("{path} (nothing to write)").format(path=order.path)
        return "; ".join(one.in_words() for one in files) or nothing

    def summary(self) -> Iterator[tuple[str, str]]:
        """Say what was written."""
        for line in self._told.values():
            yield "export", line


def order_from(table: ExportTable, path: Path) -> ExportOrder:
    """Return what a table asks for; ``path`` is where its file goes."""
    # XlsxWriter is imported by those crawls alone that write files: 5 % of the CPU to the first request.
    from focuscrawl.output.export.files import ExportOrder, file_form  # noqa: PLC0415

    return ExportOrder(
        path=str(path.expanduser()),
        form=file_form(table.name),
        sheet=table.table or "",
        columns=table.columns,
        where=table.where,
        since=table.since,
        language=table.lang or "",
        one_per=table.one_per or "",
    )
