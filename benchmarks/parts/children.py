"""Parts of a benchmark that run in a process of their own, so that none warms another's memory."""

from __future__ import annotations

import argparse
import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.programs import Launcher, Running


def arguments(description: str | None, *more: str) -> argparse.Namespace:
    """Read ``--quick`` and the named arguments of a child (all optional texts)."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes, within a minute")
    for name in more:
        parser.add_argument(f"--{name}", default="", nargs="?", const="yes", help=argparse.SUPPRESS)
    return parser.parse_args()


def in_child(module: str, options: Mapping[str, object]) -> dict[str, Any]:
    """Run ``python -m module --key value …`` and return the JSON object of its last line.

    Raises RuntimeError with what the child said when it fails.
    """
    command = [sys.executable, "-m", module]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = ended.stdout.splitlines()
    if ended.returncode or not lines:
        raise RuntimeError(f"{' '.join(command)} failed:\n{ended.stderr[-4000:]}")
    return dict(json.loads(lines[-1]))


@cache
def _launcher() -> Launcher:
    """Return what starts crawls that have imported all already: of a hundred small ones half the CPU was imports."""
    made = Launcher(Path.cwd(), Path(tempfile.gettempdir()))
    atexit.register(made.close)
    return made


def start_crawl(
    command: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str]
) -> Running:
    """Start ``scrapy COMMAND`` in a folder, without settings from around; what it says is added to ``log``."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("FOCUSCRAWL_")}
    return _launcher().start(
        command, folder, {**kept, "PYTHONPATH": str(Path.cwd()), **environment}, output=log
    )


def resident_bytes() -> int:
    """Return how much memory this process holds (Linux)."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table with a Markdown header, so that it can be pasted into results.md."""
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print(
            "| "
            + " | ".join(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row)
            + " |",
            flush=True,
        )


def finish(result: Mapping[str, Any]) -> None:
    """Print the result as the last line."""
    print(json.dumps(result, ensure_ascii=False), flush=True)
