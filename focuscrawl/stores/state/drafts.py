"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

NAME_KEPT = 40
"""Characters of a file's name in that of its draft, which may have 255 bytes: one of Chinese takes three."""

_numbers = count()


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Give the path of a draft beside a file, which it replaces when it is written, and on the disk.

    Nothing is left of a draft that fails. Raises OSError.
    """
    name = f".{path.name[:NAME_KEPT]}.{os.getpid()}-{next(_numbers)}.part"
    draft = path.with_name(name)
    try:
        yield draft
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
