"""Sites of real programs over five days with a redesign: is a page read in the light of its site?

Method. Each of ``parts.programs`` makes a site of ``POSTS`` drawn posts in its first design, and one in its second, in which
one young post is edited. The first is served on days 0 and 1, the second on the days 2 to 4, by a proxy on loopback in this
process; a crawl a day by a clock that is moved, with the shortest topic. Each arm crawls the same files.

``f1`` is the mean over all posts of F1 of the words of the stored text on the last day (a post without a row: 0), ``right``
counts the texts of the first day that are the post's to the letter. ``false_changes`` are edits, moves and ends told of posts
that nothing happened to, ``redesigns_told`` sites whose redesign is told as one, ``edits_told`` edits told by the last day.
``lists_as_articles`` are stored articles that are no posts. ``requests`` are those of the first crawl for each post.
``--programs a,b`` picks programs; ``--tools FOLDER`` is where they are installed and stay; ``--quick``: two, 24 posts each.
"""

from __future__ import annotations

import mimetypes
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from sqlite3 import connect
from statistics import fmean
from time import time
from typing import Any
from urllib.parse import unquote, urlsplit

from benchmarks.parts.children import arguments, finish, start_crawl, table
from benchmarks.parts.moved_clock import MOVED
from benchmarks.parts.programs import PROGRAMS, Post, Program, Tools, address_of, draw_posts
from benchmarks.parts.programs.posts import pieces
from benchmarks.parts.web import NOT_FOUND, Web, answer

POSTS = 70
DAYS = 5
REDESIGNED_ON = 2
HOST = "notes.example"
EDIT = {
    "en": "The opening was put off by seven weeks, since the pumps did not pass the second test.",
    "zh": "开通的日子推迟七个星期，因为水泵没有通过第二次检验。",
}
TOLD = ("minor", "major", "moved", "gone", "back")

ARMS = {
    "without": {"FOCUSCRAWL_FEATURES": '{"focuscrawl.site_layouts.Layouts": null}'},
    "with": {},
}

TOPIC = """[topic]
keywords = [{words}]

[[source]]
urls = ["http://{host}/"]

[relevance]
threshold = 0

[politeness]
delay = "50ms"
"""
WORDS = {"en": '"the|a|of"', "zh": '"的|了|在|是|和|市"'}


class Files:
    """The files of a site as they are served; ``asked`` counts requests."""

    def __init__(self) -> None:
        self.folder = Path()
        self.asked = 0

    def __call__(self, url: str) -> bytes:
        """Answer a request of the proxy."""
        self.asked += 1
        parts = urlsplit(url)
        path = self.folder / unquote(parts.path).lstrip("/")
        if path.is_dir():
            path /= "index.html"
        if parts.hostname != HOST or not path.is_file():
            return NOT_FOUND
        kind = mimetypes.guess_type(path.name)[0] or "text/html"
        is_text = kind.startswith("text/") or kind.endswith("xml")
        return answer(path.read_bytes(), f"{kind}; charset=utf-8" if is_text else kind)


def words_of(text: str) -> Counter[str]:
    """Return the words of a text; Chinese characters count as one each."""
    return Counter(re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+", text.lower()))


def f1(text: str, expected: str) -> float:
    """Return F1 of the words of a text."""
    ours, theirs = words_of(text), words_of(expected)
    both = (ours & theirs).total()
    return 2 * both / max(1, ours.total() + theirs.total())


def shown_by(post: Post) -> str:
    """Return the lines of a post's text."""
    return "\n".join(line for block in post.blocks for line in pieces(block))


def rows_of(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """Ask the results of a crawl."""
    (path,) = (one for one in folder.glob("*.db") if not one.name.endswith(".crawl.db"))
    with closing(connect(path)) as database:
        return database.execute(query).fetchall()


def begin(folder: Path, language: str) -> None:
    """Write a project of one topic, the shortest there is for a site in this language."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n", "utf-8")
    topic = TOPIC.format(words=WORDS[language], host=HOST)
    (folder / "site.toml").write_text(topic, encoding="utf-8")


def crawl_on(folder: Path, port: int, newest: date, day: int, settings: Mapping[str, str]) -> None:
    """Crawl so many days after the day behind that of the newest post. Raises RuntimeError when that fails."""
    first = datetime(newest.year, newest.month, newest.day, tzinfo=UTC) + timedelta(days=1)
    environment = {
        "http_proxy": f"http://127.0.0.1:{port}",
        "FOCUSCRAWL_DATA_DIR": str(folder),
        "FOCUSCRAWL_CLOCK": "benchmarks.parts.moved_clock:clock",
        MOVED: str(first.timestamp() + day * 86_400 - time()),
        **settings,
    }
    command = ["crawl", "topic", "-a", "template=site.toml", "-s", "LOG_LEVEL=WARNING"]
    if status := start_crawl(command, folder, folder / "log", environment).wait():
        raise RuntimeError(f"status {status}:\n{(folder / 'log').read_text()[-3000:]}")


def crawl(files: Files, designs: Sequence[Path], posts: Sequence[Post], edited: Post, language: str, settings: Mapping[str, str]) -> dict[str, Any]:  # fmt: skip
    """Crawl a site on all days; returns its figures."""
    addresses = {f"http://{HOST}{address_of(designs[0], post)}": post for post in posts}
    first: dict[str, str] = {}
    requests = 0
    with tempfile.TemporaryDirectory() as name, Web(files) as web:
        folder = Path(name)
        begin(folder, language)
        for day in range(DAYS):
            files.folder, files.asked = designs[day >= REDESIGNED_ON], 0
            crawl_on(folder, web.port, max(post.day for post in posts), day, settings)
            if day == 0:
                requests = files.asked
                first = dict(rows_of(folder, "SELECT url, text FROM articles"))
        stored = dict(rows_of(folder, "SELECT url, text FROM articles"))
        changes = rows_of(folder, "SELECT url, kind, diff FROM changes")
    expected = {url: shown_by(post) for url, post in addresses.items()}
    own = next(url for url, post in addresses.items() if post.slug == edited.slug)
    told = [(url, kind, diff) for url, kind, diff in changes if kind in TOLD]
    return {
        "right": sum(first.get(url, "").split() == text.split() for url, text in expected.items()),
        "f1": fmean(f1(stored.get(url, ""), text) for url, text in (expected | {own: shown_by(edited)}).items()),
        "lists_as_articles": len(stored.keys() - addresses.keys()),
        "false_changes": sum(url != own for url, _, _ in told),
        "edits_told": sum(url == own and EDIT[language] in diff for url, _, diff in told),
        "redesigns_told": sum(kind == "redesign" for _, kind, _ in changes),
        "requests": requests / len(posts),
    }  # fmt: skip


def measure(program: Program, count: int, tools_in: Path, number: int) -> dict[str, dict[str, Any]]:
    """Build a site in both designs and crawl it by each arm."""
    language = "en" if number % 2 == 0 else "zh"
    tools = Tools(tools_in, language=language, host=HOST)
    posts = draw_posts(count, language, seed=number)
    newest = posts[-1]
    edited = newest._replace(blocks=(*newest.blocks, EDIT[language]))
    with tempfile.TemporaryDirectory() as name:
        designs = []
        for design, shown in enumerate((posts, [*posts[:-1], edited])):
            folder = Path(name) / str(design)
            folder.mkdir()
            designs.append(program.build(tools, folder, shown, design))
        files = Files()
        return {
            arm: crawl(files, designs, posts, edited, language, settings)
            for arm, settings in ARMS.items()
        }


COLUMNS = ("right", "f1", "lists_as_articles", "false_changes", "edits_told", "redesigns_told", "requests")  # fmt: skip


def main() -> None:
    """Crawl all programs by all arms."""
    given = arguments(__doc__, "programs", "tools")
    wanted = given.programs.split(",") if given.programs else [one.name for one in PROGRAMS]
    if given.quick:
        wanted = wanted[:2]
    found: dict[str, list[dict[str, Any]]] = {arm: [] for arm in ARMS}
    with tempfile.TemporaryDirectory() as name:
        tools = Path(given.tools or name)
        rows = []
        for number, program in enumerate(PROGRAMS):
            if program.name in wanted:
                arms = measure(program, 24 if given.quick else POSTS, tools, number)
                for arm, figures in arms.items():
                    found[arm].append(figures)
                    rows.append((program.name, arm, *(figures[one] for one in COLUMNS)))
                    print(*rows[-1], flush=True)
    table(("program", "arm", *COLUMNS), rows)
    result = {
        arm: {
            "sites": len(sites),
            "right": sum(one["right"] for one in sites),
            "f1": round(fmean(one["f1"] for one in sites), 4),
            "false_changes": sum(one["false_changes"] for one in sites),
            "edits_told": sum(one["edits_told"] for one in sites),
            "redesigns_told": sum(one["redesigns_told"] for one in sites),
            "lists_as_articles": sum(one["lists_as_articles"] for one in sites),
            "requests": round(fmean(one["requests"] for one in sites), 2),
        }
        for arm, sites in found.items()
    }
    finish(result)


if __name__ == "__main__":
    main()
