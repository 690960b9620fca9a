"""Why a run ends, in a word, and what the process returns for it."""

from __future__ import annotations

EXIT_DONE, EXIT_STORE, EXIT_USAGE, EXIT_EMPTY, EXIT_NO_ANSWER, EXIT_BUSY = 0, 1, 2, 3, 4, 5


class RunEnding:
    """The end of a run. ``reason`` is empty as long as it goes on."""

    def __init__(self) -> None:
        self.reason = ""
        self.detail = ""
        self.exit_code = EXIT_DONE

    def say(self, reason: str, detail: str = "", exit_code: int = EXIT_DONE) -> None:
        """Say why the run ends; the first to say so is right."""
        if not self.reason:
            self.reason, self.detail, self.exit_code = reason, detail, exit_code

    def broke(self, why: str) -> None:
        """Say that a store has failed, which is why it ends even where it was about to end."""
        if self.exit_code != EXIT_BUSY:
            self.reason, self.detail, self.exit_code = "store_error", why, EXIT_STORE
