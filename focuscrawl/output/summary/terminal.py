"""A crawl on a terminal: a bar with figures at its foot, below the log."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from focuscrawl.locale.messages import _
from focuscrawl.output.summary.lines import Progress, duration_text, share_done

if TYPE_CHECKING:
    from types import TracebackType


def progress_view(now: Progress) -> RenderableType:
    """Return what a terminal shows: a bar over what is known so far, and the figures below."""
    bar = Table.grid(padding=(0, 1))
    bar.add_row(
        Text(now.topic, style="bold"),
        ProgressBar(total=1.0, completed=share_done(now), width=30),
        Text(f"{share_done(now):.0%}"),
        Text(duration_text(now.seconds), style="dim"),
    )
    figures = Text.assemble(
        (f"{now.pages:,}", "bold"),
        _(" pages  "),
        (f"{now.articles:,}", "bold green"),
        _(" articles  "),
        _("{waiting:,} waiting  {in_flight} in flight  {rate:.0f} pages/min").format(
            waiting=now.waiting, in_flight=now.in_flight, rate=now.rate
        ),
    )
    for count, words in (
        (now.failed, _("  {count:,} to try again")),
        (now.errors, _("  {count:,} errors")),
    ):
        if count:
            figures.append(words.format(count=count), style="yellow")
    return Group(bar, figures)


class ProgressDisplay:
    """The progress at the foot of a terminal, with log lines scrolling above it.

    ``console`` must be of the stream the log goes to, else the two overwrite each other.
    """

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._moved: list[logging.StreamHandler[Any]] = []

    def __enter__(self) -> Self:
        before = sys.stderr
        self._live.start()
        for handler in logging.getLogger().handlers:
            if isinstance(handler, logging.StreamHandler) and handler.stream is before:
                handler.setStream(sys.stderr)  # rich's: prints above the display
                self._moved.append(handler)
        return self

    def show(self, now: Progress) -> None:
        """Draw the crawl as it is now."""
        self._live.update(progress_view(now), refresh=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()
        for handler in self._moved:
            handler.setStream(sys.stderr)
        self._moved.clear()
