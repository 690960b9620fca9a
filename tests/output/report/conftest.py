"""Reports of topics that were stored, and what a page may hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import html5lib
import pytest
from scrapy.settings import Settings

from focuscrawl.config import Config, read_config
from focuscrawl.output.report.contents import ReportDocument
from focuscrawl.output.report.output import ReportSource
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from tests.clock import NOON
from tests.kinds import KINDS
from tests.stored_topic import plain_title, store_queue, store_topic, url_of

TEMPLATE = '[topic]\nname = "{}"\ntitle = "四川食品安全"\nkeywords = ["食品安全"]\n[[source]]\nurl = "http://site0.example/"\n'

HOSTILE = (
    "<script>alert('出事了')</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style><svg onload=alert(1)>",
    "invoice\u202egpj.exe\u2066 \u200f",
    "{{ 7 * 7 }} {% for one in page %} %s %(x)s {0}",
    "零\x00字符\x1b[31m",
    "长" * 100_000,
    "a" * 20_000,
    "&lt;b&gt; &amp; ]]> <!-- -->",
)

ADDRESSES = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "http://site0.example/'onmouseover='alert(1)",
    'http://site0.example/"><script>alert(1)</script>',
    "//elsewhere.example/",
    "file:///etc/passwd",
    "http://site0.example/\u202e" + "lmth.a",
    "http://site0.example/" + "y" * 5_000,
    "vbscript:msgbox(1)",
    "http://[bad",
)


def hostile_title(number: int) -> str:
    return f"{HOSTILE[number % len(HOSTILE)]}{number}"


def hostile_url(number: int) -> str:
    return f"{ADDRESSES[number % len(ADDRESSES)]}#{number}"


class Tags(HTMLParser):
    """What a browser would see of a page: tags with their attributes, and the text between."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> Iterator[dict[str, str]]:
        return (attributes for name, attributes in self.tags if name == tag)


def check_page(page: str) -> Tags:
    """Assert what holds of every page: well formed, small, no script, nothing from elsewhere."""
    parser: Any = html5lib.HTMLParser(strict=False, namespaceHTMLElements=False)
    parser.parse(page)
    assert not parser.errors, parser.errors[:3]
    assert len(page.encode()) < 300_000
    seen = Tags(page)
    names = {tag for tag, _ in seen.tags}
    assert not names & {
        "script",
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "form",
        "input",
        "base",
    }
    for tag, attributes in seen.tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert not {"src", "srcset", "action", "formaction"} & attributes.keys()
        if "href" in attributes:
            assert tag == "a"
            assert attributes["href"].startswith(("http://", "https://", "#"))
    assert "url(" not in page.partition("<style>")[2].partition("</style>")[0]
    assert "@import" not in page
    policy = next(one["content"] for one in seen.of("meta") if "http-equiv" in one)
    assert policy.startswith("default-src 'none'")
    ids = [attributes["id"] for _, attributes in seen.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    return seen


@pytest.fixture
def config(tmp_path: Path) -> Config:
    settings = Settings({"FOCUSCRAWL_DATA_DIR": str(tmp_path)})
    return read_config(settings, {}, tmp_path)


class Stored:
    """Topics stored in a folder, and their reports."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.folder = config.data_dir

    def template(self, name: str) -> Template:
        path = self.folder / f"{name}.toml"
        path.write_text(TEMPLATE.format(name), "utf-8")
        return load(path).template

    def topic(
        self,
        name: str = "food",
        *,
        hostile: bool = False,
        pages: int = 60,
        articles: int = 200,
        waiting: int = 50,
    ) -> Template:
        say, url = (hostile_title, hostile_url) if hostile else (plain_title, url_of)
        place = self.config.results or self.folder / f"{name}.db"
        store_topic(place, name, pages=pages, articles=articles, now=NOON, say=say, url=url)
        store_queue(self.folder / f"{name}.crawl.db", waiting, NOON, say, url)
        return self.template(name)

    def first(self, name: str = "food") -> Template:
        """A topic that was crawled once, a day ago: all that it found then is known, the rest came meanwhile."""
        template = self.topic(name)
        with closing(sqlite3.connect(self.folder / f"{name}.db")) as connection, connection:
            (began,) = connection.execute("SELECT min(started) FROM crawl_runs").fetchone()
            connection.execute("DELETE FROM crawl_runs WHERE started = ?", (began,))
            connection.execute("UPDATE crawl_runs SET started = ?", (began,))
        return template

    def source(self, span: str = "last", only: str = "") -> ReportSource:
        return ReportSource(self.config, KINDS, Settings(), NOON, span, only)

    def report(self, *templates: Template, span: str = "last", only: str = "") -> ReportDocument:
        return self.source(span, only).document(templates)


@pytest.fixture
def stored(config: Config) -> Stored:
    return Stored(config)
