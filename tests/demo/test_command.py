import subprocess
import sys
from pathlib import Path

import pytest

from focuscrawl.demo.report import read_results
from tests.console import run_script

DEMO = (sys.executable, "-c", "from focuscrawl.commands.console import main; main()", "demo")


def demo(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DEMO, *options], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.program
def test_the_demo_loses_nothing_though_its_crawl_is_killed(tmp_path: Path) -> None:
    done = demo(tmp_path, "--size", "small", "--seed", "3", "--keep")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "killed after" in done.stdout
    assert "nothing was lost" in done.stdout
    kept = read_results(tmp_path / "demo-data" / "demo.db", "demo")
    assert len(kept.articles) > 20
    report = tmp_path / "demo-data" / "demo.report.html"
    assert f"Its report: {report.as_uri()}" in done.stdout
    assert "四川" in report.read_text("utf-8")
    assert any("食品安全" in str(row["text"]) for row in kept.articles.values())


def test_what_an_earlier_demo_has_kept_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "demo-data").mkdir()
    again = run_script(tmp_path, "demo", "--keep")
    assert again.status == 2
    assert "is there already" in again.said


def test_an_argument_that_is_no_option_is_refused(tmp_path: Path) -> None:
    done = run_script(tmp_path, "demo", "news")
    assert done.status == 2
    assert "demo takes no arguments" in done.said
