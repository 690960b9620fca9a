"""Running a benchmark at a small size."""

import json
import subprocess
import sys
from typing import Any

import pytest


def printed(root: pytest.Config, name: str, *arguments: str) -> dict[str, Any]:
    """Run a benchmark and return the JSON object of its last line."""
    ended = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--quick", *arguments],
        cwd=root.rootpath,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout.splitlines()[-1]))
