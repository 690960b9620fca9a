"""The egg and the wheel hold the whole package with its data, and nothing of the tests."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.program


def package_files(checkout: Path) -> set[str]:
    """Every file of the package: modules, templates, data, migrations."""
    return {
        str(file.relative_to(checkout))
        for file in (checkout / "focuscrawl").rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }


def packed_files(archive: Path) -> set[str]:
    """The files of an archive without compiled modules and metadata."""
    return {
        name
        for name in zipfile.ZipFile(archive).namelist()
        if not name.endswith((".pyc", "/")) and not name.startswith("EGG-INFO/")
        if ".dist-info/" not in name
    }


@pytest.mark.parametrize("kind", ["egg", "wheel"])
def test_a_build_holds_the_package_and_nothing_else(
    kind: str, checkout: Path, request: pytest.FixtureRequest
) -> None:
    assert packed_files(request.getfixturevalue(kind)) == package_files(checkout)


@pytest.mark.parametrize("kind", ["egg", "wheel"])
def test_a_build_names_the_settings_for_scrapyd_and_the_cloud(
    kind: str, request: pytest.FixtureRequest
) -> None:
    archive = zipfile.ZipFile(request.getfixturevalue(kind))
    (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert "[scrapy]\nsettings = focuscrawl.settings" in archive.read(entry_points).decode()


def test_templates_are_read_from_the_zipped_egg(egg: Path, tmp_path: Path) -> None:
    program = (
        "import focuscrawl\n"
        "from importlib.resources import files\n"
        "print(focuscrawl.__file__)\n"
        "print(*sorted(f.name for f in files('focuscrawl.template.presets').iterdir() "
        "if f.name.endswith('.toml') and f.read_text(encoding='utf-8')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(egg)},
        capture_output=True,
        text=True,
        check=True,
    )
    where, templates = done.stdout.splitlines()
    assert where.startswith(str(egg))
    assert {"news.toml", "topic.toml"} <= set(templates.split())
