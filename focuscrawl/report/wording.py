"""Numbers, sizes, times and reasons as words."""

from __future__ import annotations

from collections.abc import Mapping

END_SENTENCES = {
    "finished": "Finished: every page it knows of was dealt with.",
    "nothing_due": "Nothing was due: no page is waiting and none is to be visited again yet.",
    "limit_pages": "Stopped at limits.pages.",
    "limit_articles": "Stopped at limits.articles.",
    "limit_errors": "Stopped at limits.errors: too many fetches failed.",
    "limit_time": "Stopped at limits.time.",
    "outside_hours": "Stopped because politeness.hours ended.",
    "shutdown": "Stopped by a signal or Ctrl-C; what was in flight is fetched again.",
    "empty": "Ended without a single article, record or thread.",
    "search_blocked": "Ended because the search engines refused to answer.",
    "sites_unreachable": "Ended because no site answered.",
    "only_errors": "Ended because every answer was an error.",
    "store_error": "Ended because the store or the results could not be written.",
    "crashed": "Crashed.",
}
"""By ``end_reason`` of the results table crawl_runs."""

KILOBYTE = 1000
_MINUTE, _HOUR = 60, 3600


def counted(number: int, noun: str) -> str:
    """Return ``1 page``, ``2 pages``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def most_frequent(counts: Mapping[str, int], most: int, others: str = "for other reasons") -> str:
    """Return ``stored 30, list 12, … and 3 more``, largest first."""
    found = sorted(((-n, name) for name, n in counts.items() if n), key=lambda pair: pair)
    words = [f"{name} {-n:,}" for n, name in found[:most]]
    if len(found) > most:
        words.append(f"and {sum(-n for n, _ in found[most:]):,} {others}")
    return ", ".join(words)


def largest(counts: Mapping[str, int]) -> tuple[str, int]:
    """Return the name counted most and its number; ("", 0) without any."""
    return max(counts.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))


def size_text(size: int) -> str:
    """Return ``999 B``, ``1.5 MB``."""
    number = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if number < KILOBYTE or unit == "GB":
            break
        number /= KILOBYTE
    return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"


def duration_text(seconds: float) -> str:
    """Return ``45 s``, ``12 min 5 s`` or ``3 h 20 min``."""
    whole = max(0, round(seconds))
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
