"""Files and logs of a crawl that was killed, cut and spoilt by its disk: nothing is lost without a word."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.crawls.days import DAY, article
from tests.web import Answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.project import Project
    from tests.web import Asked

pytestmark = [pytest.mark.crawl_file, pytest.mark.of_a_file]

RESULTS, CRAWL = "news.db", "news.crawl.db"
ARTICLES, KILLED_AT = 24, 17
FRAME = 4096 + 24
"""Bytes of a page in SQLite's log, with its head."""


class Spoilt(NamedTuple):
    """What is done to a file, how the name of that ends, and where: a share of its pages, and bytes more."""

    change: Callable[[Path, float, int], None]
    ending: str
    share: float
    more: int

    @property
    def name(self) -> str:
        return f"{self.change.__name__} {self.ending} {self.share} {self.more}"


class Killed(NamedTuple):
    """A crawl in whose midst its files were copied, as a kill leaves them: no log was folded into its file."""

    project: Project
    urls: set[str]
    files: Path


@pytest.fixture(scope="module")
def killed(new_project: Callable[[], Project]) -> Killed:
    project = new_project()
    web = project.web
    urls = web.news(ARTICLES)
    web.pause = 0.4  # some commits are of several pages
    whole = web.answers[article(KILLED_AT)]
    files = project.folder / "killed"

    def answer(asked: Asked) -> Answer:
        shutil.copytree(project.data, files)
        web.answers[article(KILLED_AT)] = whole
        assert isinstance(whole, Answer)
        return whole

    web.answers[article(KILLED_AT)] = answer
    project.topic("[settings]\nCONCURRENT_REQUESTS = 1\n")
    assert project.crawl().status == 0
    assert (files / f"{RESULTS}-wal").stat().st_size > 20 * FRAME
    assert (files / f"{CRAWL}-wal").stat().st_size > 20 * FRAME
    return Killed(project, urls, files)


def cut(path: Path, share: float, more: int) -> None:
    with path.open("r+b") as file:
        file.truncate(int(share * (path.stat().st_size // FRAME)) * FRAME + more)


def flip(path: Path, share: float, more: int) -> None:
    at = int(share * (path.stat().st_size // FRAME)) * FRAME + more
    content = bytearray(path.read_bytes())
    for place in range(at, min(at + 8, len(content))):
        content[place] ^= 0xFF
    path.write_bytes(content)


def gone(path: Path, share: float, more: int) -> None:
    path.unlink()


HEAD = 32
"""Bytes of the head of a log."""

LOGS = [
    *(Spoilt(cut, "-wal", share, more) for share in (0.0, 0.5) for more in (0, 16, HEAD, 2_000)),
    Spoilt(cut, "-wal", 0.9, HEAD),
    *(Spoilt(flip, "-wal", share, more) for share, more in ((0.0, 8), (0.3, 40), (0.6, 3_000))),
    Spoilt(gone, "-wal", 0.0, 0),
    Spoilt(gone, "-shm", 0.0, 0),
    Spoilt(flip, "-shm", 0.0, 16),
    Spoilt(cut, "-shm", 0.0, 100),
]
FILES = [
    *(
        Spoilt(cut, "", share, more)
        for share, more in ((0.0, 50), (0.0, 2_000), (0.3, 0), (0.9, 100))
    ),
    *(
        Spoilt(flip, "", share, more)
        for share, more in ((0.0, 0), (0.0, 16), (0.0, 100), (0.1, 3_000))
    ),
]


def spoil(killed: Killed, names: tuple[str, ...], spoilt: Spoilt) -> Project:
    """Put the files of a crawl that was killed where they were, and spoil some."""
    change, ending, share, more = spoilt
    shutil.rmtree(killed.project.data)
    shutil.copytree(killed.files, killed.project.data)
    for name in names:
        change(killed.project.data / f"{name}{ending}", share, more)
    return killed.project


@pytest.mark.parametrize("names", [(RESULTS,), (CRAWL,), (RESULTS, CRAWL)], ids=" and ".join)
@pytest.mark.parametrize("spoilt", LOGS, ids=lambda spoilt: spoilt.name)
def test_no_article_is_lost_by_a_log_that_was_spoilt_after_a_kill(
    killed: Killed, names: tuple[str, ...], spoilt: Spoilt
) -> None:
    project = spoil(killed, names, spoilt)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == killed.urls
    if names == (RESULTS,) and spoilt[:3] == (cut, "-wal", 0.0):
        assert "the last run of this crawl is not in them, or not all of it" in ended.said


@pytest.mark.parametrize("name", [RESULTS, CRAWL])
@pytest.mark.parametrize("spoilt", FILES, ids=lambda spoilt: spoilt.name)
def test_a_file_that_was_spoilt_is_said_or_is_whole_and_is_no_traceback(
    killed: Killed, name: str, spoilt: Spoilt
) -> None:
    """A log may have all pages that were spoilt."""
    project = spoil(killed, (name,), spoilt)
    ended = project.crawl(FOCUSCRAWL_SHIFT=str(DAY))
    assert "Traceback" not in ended.said
    if ended.status == 0:
        assert project.articles() == killed.urls
    else:
        assert ended.status == 1
        assert str(project.data / name) in ended.said
