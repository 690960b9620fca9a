"""What takes the scheduler's place for commands that only look at pages."""

from __future__ import annotations

from collections import deque

from scrapy import Request


class MemoryScheduler:
    """A plain queue for scrapy shell, fetch, parse, view and check.

    They build an engine on the project's settings and would take stored URLs and acknowledge them.
    """

    def __init__(self) -> None:
        self._queue: deque[Request] = deque()

    def has_pending_requests(self) -> bool:
        """Whether a request waits."""
        return bool(self._queue)

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request."""
        self._queue.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the oldest request."""
        return self._queue.popleft() if self._queue else None
