"""How a crawl is doing: one line a minute for logs, a bar with figures for terminals."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from types import TracebackType

_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class Progress:
    """A crawl at one moment. ``seconds`` is how long it runs.

    ``failed`` URLs wait for another try, ``errors`` are answers that were none. ``rate`` is pages
    a minute lately, ``most_pages`` the limit of the template (0: none).
    """

    topic: str
    seconds: float = 0.0
    pages: int = 0
    articles: int = 0
    waiting: int = 0
    in_flight: int = 0
    failed: int = 0
    errors: int = 0
    refused: int = 0
    sites: int = 0
    rate: float = 0.0
    most_pages: int = 0


def progress_line(now: Progress) -> str:
    """Return the crawl as ``key=value`` words: for logs, grep and awk; the keys never change."""
    return (
        f"progress topic={now.topic} seconds={now.seconds:.0f} pages={now.pages}"
        f" articles={now.articles} waiting={now.waiting} in_flight={now.in_flight}"
        f" failed={now.failed} errors={now.errors} refused={now.refused} sites={now.sites}"
        f" per_minute={now.rate:.1f}"
    )


def share_done(now: Progress) -> float:
    """Return 0..1: pages fetched of those known, or of the limit when that is reached first."""
    known = now.pages + now.waiting + now.in_flight + now.failed
    total = min(known, now.most_pages) if now.most_pages else known
    return min(1.0, now.pages / total) if total else 0.0


def duration_text(seconds: float) -> str:
    """Return ``45 s``, ``12 min 5 s`` or ``3 h 20 min``."""
    whole = max(0, round(seconds))
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


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
        " pages  ",
        (f"{now.articles:,}", "bold green"),
        " articles  ",
        f"{now.waiting:,} waiting  {now.in_flight} in flight  {now.rate:.0f} pages/min",
    )
    for count, words in ((now.failed, "to try again"), (now.errors, "errors")):
        if count:
            figures.append(f"  {count:,} {words}", style="yellow")
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
