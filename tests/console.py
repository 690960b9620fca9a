"""The console script ``focuscrawl`` inside the test's process."""

from __future__ import annotations

import io
import os
import sys
from contextvars import copy_context
from typing import TYPE_CHECKING
from unittest.mock import patch

from focuscrawl.commands.console import main
from tests.in_process import Ended, as_a_program, without_threads

if TYPE_CHECKING:
    from pathlib import Path


def without_settings() -> dict[str, str]:
    """Return an environment that names no settings."""
    return {name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"}


def run_script(folder: Path, *arguments: str, **environment: str) -> Ended:
    """Run the script's function in a folder, until it ends the process."""
    said = io.StringIO()
    with (
        as_a_program(folder, without_settings() | environment, said),
        without_threads(),
        patch.object(sys, "argv", ["focuscrawl", *arguments]),
    ):
        sys.path.remove(str(folder))  # of a script its own folder stands there
        try:
            copy_context().run(main)
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
    return Ended(status, said.getvalue())
