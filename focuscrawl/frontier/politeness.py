"""When a site may be asked again, and when a failed URL is tried again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

GIVE_UP_TRIES = 6
GIVE_UP_AFTER = 2 * 86400.0


class Politeness(NamedTuple):
    """How one site is treated. The pause is drawn from delay … delay · (1 + jitter), in seconds."""

    delay: float = 0.0
    jitter: float = 0.0
    concurrency: int = 1

    def pause(self, luck: float) -> float:
        """Return the pause before the next request; ``luck`` is drawn from 0 … 1."""
        return self.delay * (1.0 + self.jitter * luck)


class Retry(NamedTuple):
    """What becomes of a URL whose fetch failed: ``at`` is wall time, None = in the next run."""

    give_up: bool
    at: float | None


def retry(tries: int, first_failed: float, now: float, waits: Sequence[float]) -> Retry:
    """Decide about a URL that has now failed ``tries`` times, first at wall time ``first_failed``.

    The waits grow as given; after the last of them a URL waits for the next run. It is given up
    after six tries that lie over at least two days.
    """
    if tries >= GIVE_UP_TRIES and now - first_failed >= GIVE_UP_AFTER:
        return Retry(give_up=True, at=None)
    if tries <= len(waits):
        return Retry(give_up=False, at=now + waits[tries - 1])
    return Retry(give_up=False, at=None)
