"""Topics that cannot begin: which receivers know which cause, so that each is sent once, and its end once.

Nothing of it stands in results, which may be what cannot be opened, but in one file for all topics: a server that is
away keeps forty of them from beginning, and is one cause. Pure, but for ``FailureFile``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock

from focuscrawl.stores.results.columns import clean_text, cut
from focuscrawl.stores.state.drafts import draft_of
from focuscrawl.template.files import masked_message
from focuscrawl.template.toml import ARGUMENT, TemplateErrors

_LONGEST_WHY = 2_000
"""Characters of why a topic cannot begin that are sent: some twenty mistakes of a template."""

LOCK_PATIENCE = 3_600.0
"""Seconds for which a crawl file may be locked without a run that shows signs of life: opening a large one takes minutes."""

_LOCK_WAIT = 60.0
"""Seconds to wait for another process that sends to its receivers."""

FILE_NAME = "start-failures.json"

_NUMBER_IN_WORDS = re.compile(r"\d+")
_VALUE = re.compile(r"\s*=.*", re.DOTALL)


class StartFailure(NamedTuple):
    """Why a topic cannot begin, in words for people. ``cause`` is the same as long as the cause is; it is sent
    after ``patience`` seconds.
    """

    topic: str
    why: str
    cause: str
    patience: float = 0.0

    @classmethod
    def of(cls, topic: str, why: str, patience: float = 0.0) -> StartFailure:
        """Make one of a message: lines move and tries are counted, while its cause stays."""
        shown = cut(clean_text(masked_message(why)), _LONGEST_WHY)
        cause = hashlib.md5(_NUMBER_IN_WORDS.sub("", shown).encode()).hexdigest()
        return cls(topic, shown, cause, patience)


@dataclass(slots=True)
class FailureCause:
    """What keeps topics from beginning. ``since`` is wall time; ``topics`` are those that it has kept from
    beginning, true as long as it does; ``told`` are keys of receivers that know it, and not yet that it is over.
    """

    since: float
    topics: dict[str, bool] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether all of its topics have begun since."""
        return not any(self.topics.values())


def mistakes_of(error: Exception) -> str:
    """Return where the files of a template have mistakes and in which keys, a line each; "" for another error, and for
    a mistake in an argument, which the person sees who typed it.

    What is written there is left out: that may be a password, and a mail goes far.
    """
    errors = getattr(error, "mistakes", error)
    if not isinstance(errors, TemplateErrors):
        return ""
    of_files = (one for one in errors.problems if one.origin.file != ARGUMENT)
    return "\n".join(f"{one.origin}: {_VALUE.sub('', one.text)}" for one in of_files)


class FailureBook:
    """All causes that have not ended, or whose end a receiver does not know yet. Mutable."""

    def __init__(self, plain: Any = None) -> None:
        """Take what ``plain_values`` gave. Raises TypeError, AttributeError where it is something else."""
        self._causes = {name: FailureCause(**one) for name, one in (plain or {}).items()}

    def plain_values(self) -> dict[str, Any]:
        """Return the book as JSON."""
        return {
            name: {"since": one.since, "topics": one.topics, "told": one.told}
            for name, one in self._causes.items()
        }

    def fail(self, failure: StartFailure, now: float) -> FailureCause | None:
        """Note a failure; return its cause where it has lasted long enough to be sent."""
        cause = self._causes.setdefault(failure.cause, FailureCause(now))
        if cause.is_over:
            cause.since = now
        cause.topics[failure.topic] = True
        return cause if now - cause.since >= failure.patience else None

    def knows(self, topic: str) -> bool:
        """Whether a topic could not begin when it was tried last."""
        return any(one.topics.get(topic) for one in self._causes.values())

    def work(self, topic: str) -> list[FailureCause]:
        """Note that a topic has begun; return the causes that are over and whose receivers are to learn that."""
        for one in self._causes.values():
            if topic in one.topics:
                one.topics[topic] = False
        self.forget()
        return [one for one in self._causes.values() if one.is_over]

    def forget(self) -> None:
        """Drop the causes that are over and whose receivers know it."""
        self._causes = {
            name: one for name, one in self._causes.items() if one.told or not one.is_over
        }


class FailureFile(NamedTuple):
    """The file of a project's failures, in the folder of its data."""

    folder: Path

    @property
    def path(self) -> Path:
        """Where it lies; there is none as long as all topics begin."""
        return self.folder / FILE_NAME

    @contextmanager
    def opened(self) -> Iterator[FailureBook]:
        """Lend the book to one process at a time, and write what it has become. Raises OSError, Timeout."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / f".{FILE_NAME}.lock", timeout=_LOCK_WAIT):
            book = self.read()
            try:
                yield book
            finally:
                if plain := book.plain_values():
                    with draft_of(self.path) as draft:
                        draft.write_text(json.dumps(plain, indent=1), "utf-8")
                else:
                    self.path.unlink(missing_ok=True)

    def read(self) -> FailureBook:
        """Return the book as it is now; a spoilt one is empty: at worst a cause is sent once more."""
        try:
            return FailureBook(json.loads(self.path.read_text("utf-8")))
        except (OSError, ValueError, TypeError, AttributeError):
            return FailureBook()
