"""How a crawl is doing at one moment, and the line a minute that says so in logs."""

from __future__ import annotations

from dataclasses import dataclass

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
