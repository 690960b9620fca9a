"""Running benchmarks as programs, as people and CI do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Printed = Callable[..., dict[str, Any]]


@pytest.fixture
def printed(pytestconfig: pytest.Config) -> Printed:
    """Call it with a benchmark's name and arguments; it returns the JSON object of the last line."""

    def run(name: str, *arguments: str) -> dict[str, Any]:
        ended = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{name}", *arguments],
            cwd=pytestconfig.rootpath,
            capture_output=True,
            text=True,
            check=False,
        )
        print(ended.stdout)  # what a missed floor is about stands above the last line
        assert ended.returncode == 0, ended.stderr
        return dict(json.loads(ended.stdout.splitlines()[-1]))

    return run
