"""What the site programs need, installed once into a folder and used again."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Final

from benchmarks.parts.programs.posts import Language, Post

INSTALL_SECONDS: Final = 600
BUILD_SECONDS: Final = 300
TITLES: Final[dict[Language, str]] = {"en": "City Notes", "zh": "城市札记"}
ABOUT: Final[dict[Language, str]] = {
    "en": "Notes on building, eating and living in the city",
    "zh": "记录城市的建设、饮食与生活",
}


class ProgramMissing(Exception):
    """A program is not on this machine, or failed."""


@dataclass(frozen=True)
class Tools:
    """The folder that programs are installed in, and what holds for every site that they build.

    The language is that of the posts: it is the site's language setting in every program.
    The host is where the caller will serve the site: feeds name it.
    """

    folder: Path
    language: Language = "en"
    host: str = "notes.example"

    @property
    def address(self) -> str:
        """The address of the site's root, without a slash at its end."""
        return f"http://{self.host}"

    @property
    def title(self) -> str:
        """The site's title in its language."""
        return TITLES[self.language]

    @property
    def about(self) -> str:
        """What the site says of itself in its language."""
        return ABOUT[self.language]

    def python(self, name: str, packages: Sequence[str]) -> Path:
        """Return the folder of commands of a virtual environment that has these packages."""
        folder = self.folder / name
        if _is_new(folder, packages):
            run([sys.executable, "-m", "venv", "--clear", folder], self.folder, INSTALL_SECONDS)
            pip: list[str | Path] = [
                folder / "bin" / "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ]
            run([*pip, *packages], self.folder, INSTALL_SECONDS)
            _note(folder, packages)
        return folder / "bin"

    def node(self, name: str, packages: Sequence[str]) -> Path:
        """Return the folder ``node_modules`` that has these packages."""
        folder = self.folder / name
        if _is_new(folder, packages):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / "package.json").write_text('{"private": true}\n')
            npm: list[str | Path] = [
                self.command("npm", "npm"),
                "install",
                "--no-audit",
                "--no-fund",
                "--save-exact",
            ]
            run([*npm, *packages], folder, INSTALL_SECONDS)
            _note(folder, packages)
        return folder / "node_modules"

    def command(self, name: str, package: str) -> Path:
        """Return the path of a command that a Debian package brings, or say which one is missing."""
        found = shutil.which(name)
        if found is None:
            raise ProgramMissing(f"no {name} on this machine: install Debian's package {package}")
        return Path(found)


def run(
    command: Sequence[str | Path], folder: Path, seconds: int, day: datetime | None = None
) -> None:
    """Run a command in a folder; one that fails is told with the end of what it printed."""
    variables = {
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "CI": "1",
        "NO_COLOR": "1",
        "PYTHONHASHSEED": "0",
    }
    if day is not None:
        variables["SOURCE_DATE_EPOCH"] = str(int(day.timestamp()))
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=os.environ | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        check=False,
    )
    if done.returncode:
        words = " ".join(map(str, command))
        raise ProgramMissing(f"{words} ended with {done.returncode}:\n{done.stdout[-3000:]}")


def run_build(command: Sequence[str | Path], folder: Path, posts: Sequence[Post]) -> None:
    """Run a program that builds a site, at the day of the newest post where it can be told one."""
    run(command, folder, BUILD_SECONDS, last_day(posts))


def last_day(posts: Sequence[Post]) -> datetime:
    """Return noon of the newest post's day."""
    return datetime.combine(max(post.day for post in posts), time(12), UTC)


def write(folder: Path, files: dict[str, str]) -> None:
    """Write texts to files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def settle(site: Path, ending: str, changes: dict[str, str]) -> None:
    """Replace patterns in a site's files with this ending: what a program takes from the clock or from chance."""
    for path in sorted(site.rglob(f"*{ending}")):
        old = new = path.read_text(encoding="utf-8")
        for pattern, text in changes.items():
            new = re.sub(pattern, text, new)
        if new != old:
            path.write_text(new, encoding="utf-8")


def _is_new(folder: Path, packages: Sequence[str]) -> bool:
    note = folder / "installed.txt"
    return not note.exists() or note.read_text() != "\n".join(packages)


def _note(folder: Path, packages: Sequence[str]) -> None:
    (folder / "installed.txt").write_text("\n".join(packages))
