"""The unit file of docs/many-machines.md is one that systemd takes."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "/srv/news/.venv/bin/scrapy"


@pytest.mark.program
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_finds_nothing_wrong_with_the_unit_of_a_worker(
    pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    page = (pytestconfig.rootpath / "docs/many-machines.md").read_text("utf-8")
    (unit,) = re.findall(
        r"^```ini\n# /etc/systemd/system/focuscrawl@.service\n(.*?)^```",
        page,
        re.MULTILINE | re.DOTALL,
    )
    assert PROGRAM in unit
    path = tmp_path / "focuscrawl@1.service"
    path.write_text(unit.replace(PROGRAM, "/bin/true"), "utf-8")
    found = subprocess.run(
        ["systemd-analyze", "verify", path], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout + found.stderr) == (0, "")
