"""The console script chooses the settings Scrapy would choose, and ours where there are none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("focuscrawl")


def output(folder: Path, *arguments: str, **environment: str) -> str:
    """Run the script in a folder; what it printed."""
    inherited = {
        name: value for name, value in os.environ.items() if name != "SCRAPY_SETTINGS_MODULE"
    }
    done = subprocess.run(
        [SCRIPT, *arguments],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def other_project(folder: Path) -> Path:
    """Make a Scrapy project that is not ours."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = other_settings\n")
    (folder / "other_settings.py").write_text('BOT_NAME = "other"\n')
    return folder


def test_outside_a_project_our_settings_are_used(tmp_path: Path) -> None:
    assert output(tmp_path, "settings", "--get", "BOT_NAME") == "focuscrawl"
    assert list(tmp_path.iterdir()) == []


def test_inside_another_project_its_own_settings_win(tmp_path: Path) -> None:
    deeper = other_project(tmp_path) / "deeper"
    deeper.mkdir()
    assert output(deeper, "settings", "--get", "BOT_NAME") == "other"


def test_the_settings_module_of_the_environment_wins_over_the_project(tmp_path: Path) -> None:
    folder = other_project(tmp_path)
    (folder / "third_settings.py").write_text('BOT_NAME = "third"\n')
    chosen = output(
        folder, "settings", "--get", "BOT_NAME", SCRAPY_SETTINGS_MODULE="third_settings"
    )
    assert chosen == "third"


def test_a_scrapy_cfg_that_names_no_settings_leaves_ours(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("")
    assert output(tmp_path, "settings", "--get", "BOT_NAME") == "focuscrawl"
