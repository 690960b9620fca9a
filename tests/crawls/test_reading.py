"""Pages as they come: in any encoding, read by a site's selectors, or made to break the reader."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from tests.tables import each_row
from tests.web import SENTENCE, Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.C4

HOME = "http://a.test/"
TEXT = "".join(f"<p>{SENTENCE.format(3, number)}</p>" for number in range(4))
TITLE = "第3批食品抽检结果公布"
ALIKE = '[stories]\ncopies = "off"\n'
"""The pages of a test say much the same."""

OWN = """
def parse(spider, response):
    yield {"url": response.url, "encoding": response.encoding, "title": response.css("title::text").get()}
"""
TRADITIONAL = "".join(
    f"<p>食品安全監督部門昨天公布第{number}次檢驗結果，這些產品已經全部下架，廠商應當退還貨款給買主。</p>"
    for number in range(4)
)


def page(meta: str = "", text: str = TEXT, title: str = TITLE) -> str:
    said = f'<meta http-equiv="Content-Type" content="text/html; charset={meta}">' if meta else ""
    return f"<html><head>{said}<title>{title}</title></head><body><h1>{title}</h1><div>{text}</div></body></html>"


def test_every_callback_reads_characters_whatever_header_and_page_say(
    project: Project, web: Web
) -> None:
    pages = {
        "plain": (page().encode("gb18030"), "text/html"),
        "meta-lies": (page("gb2312").encode(), "text/html"),
        "header-lies": (page("gbk").encode("gb18030"), "text/html; charset=ISO-8859-1"),
        "utf8-header": (page().encode("gb18030"), "text/html; charset=utf-8"),
        "big5": (page(text=TRADITIONAL, title="食品檢驗結果").encode("big5hkscs"), "text/html"),
        "true": (page("utf-8").encode(), "text/html; charset=utf-8"),
    }
    for name, (body, kind) in pages.items():
        for host in ("a.test", "b.test"):
            web.answers[f"http://{host}/t/{name}.html"] = Answer(body, kind=kind)
    web.board(
        HOME, *(f"http://{host}/t/{name}.html" for name in pages for host in ("a.test", "b.test"))
    )
    project.write("own.py", OWN)
    project.topic(
        '[follow]\nscope = "listed"\nsites = ["a.test", "b.test"]\narticles = ["/t/"]\n'
        f'{ALIKE}[article]\nkeep = "all"\n[site."b.test"]\nparser = "own:parse"\n'
    )
    ended = project.crawl("-o", "own.jsonl")
    assert ended.status == 0, ended.said
    kept = {row["url"]: row for row in project.rows("SELECT * FROM articles")}
    logged = {row["url"]: row["encoding"] for row in project.rows("SELECT * FROM pages")}
    yielded = [
        json.loads(line) for line in (project.folder / "own.jsonl").read_text("utf-8").splitlines()
    ]
    seen = {one["url"]: one for one in yielded if "encoding" in one}
    for name in pages:
        title = "食品檢驗結果" if name == "big5" else TITLE
        assert kept[f"{HOME}t/{name}.html"]["title"] == title
        assert "食品安全" in kept[f"{HOME}t/{name}.html"]["text"]
        assert seen[f"http://b.test/t/{name}.html"]["title"] == title
    names = {name: logged[f"{HOME}t/{name}.html"] for name in pages}
    assert names == {
        "plain": "gb18030",
        "meta-lies": "utf-8!",
        "header-lies": "gb18030!",
        "utf8-header": "gb18030!",
        "big5": "big5hkscs",
        "true": "utf-8",
    }


@pytest.mark.selectors
def test_a_sites_selectors_and_encoding_win_and_what_they_miss_is_said_once(
    project: Project, web: Web
) -> None:
    for number in (1, 2, 3):
        text = f'<b class="k">头条{number}</b>{TEXT}<p class="d">2026年11月{number}日</p>'
        web.answers[f"{HOME}t/{number}.html"] = Answer(page("utf-8", text).encode("gb18030"))
    web.answers[HOME] = Answer(
        page(text="".join(f'<li><a href="/t/{n}.html">{TITLE}{n}</a></li>' for n in (1, 2))
             + '<a class="on" href="/rest">其余</a>').encode("gb18030")
    )  # fmt: skip
    web.answers[f"{HOME}rest"] = Answer(
        page(text=f'<li><a href="/t/3.html">{TITLE}</a></li>').encode("gb18030")
    )
    project.topic(
        '[follow]\narticles = ["/t/"]\nboards = ["/", "/rest"]\ndepth = 1\n[site."a.test"]\nencoding = "gbk"\n'
        '[site."a.test".select]\ntitle = "css:b.k"\npublished = "css:p.d"\nauthor = "css:a.author"\nnext = "css:a.on"\n'
        f"{ALIKE}"
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    rows = project.rows("SELECT title, published FROM articles ORDER BY url")
    assert [row["title"] for row in rows] == ["头条1", "头条2", "头条3"], "the third is on page two"
    assert [row["published"][:10] for row in rows] == ["2026-10-31", "2026-11-01", "2026-11-02"]
    assert ended.said.count('[site."a.test".select] author finds nothing') == 1
    counters = json.loads(project.last_run()["counters"])
    assert counters["selector/a.test/author"] == 3
    assert not [name for name in counters if name.startswith("selector/") and "author" not in name]


def hostile_pages() -> dict[str, bytes]:
    """Return pages that are made to break a reader, by name."""
    links = "".join(
        f'<a href="/x/{number}.html">食品第{number}号公告</a>' for number in range(6_000)
    )
    return {
        "empty": b"",
        "large": b"<p>" + "食品安全，".encode() * 520_000,
        "deep": b"<div>" * 10_000 + "食品安全".encode() + b"</div>" * 10_000,
        "deep-and-large": b"<div><p>x, y." * 40_000,
        "binary": b"<html>" + random.Random(1).randbytes(200_000),
        "invalid": page(text=TEXT).encode() + b"\xff\xfe\x80" * 8,
        "one-word": page(title="食品", text="<p>食品</p>").encode(),
        "one-line": page(text=f"<p>{SENTENCE.format(1, 1)}</p>").encode(),
        "images": page(text="<img src=/a.jpg><img src=/b.jpg>").encode(),
        "attributes": b"<p " + b" ".join(b"x%d=1" % n for n in range(100_000)) + b">x",
        "links": page(text=links).encode(),
    }


@pytest.fixture(scope="module")
def hostile(new_project: Callable[[], Project]) -> dict[str, tuple[str, str]]:
    """Crawl hostile pages and a good one; what became of each and why, by name."""
    project = new_project()
    pages = hostile_pages()
    for name, body in pages.items():
        project.web.answers[f"{HOME}t/{name}.html"] = Answer(body)
    project.web.article(f"{HOME}t/good.html")
    project.web.board(HOME, *(f"{HOME}t/{name}.html" for name in [*pages, "good"]))
    project.topic(
        f'{ALIKE}[follow]\narticles = ["/t/"]\ndeny = ["/x/"]\n[settings]\nDOWNLOAD_MAXSIZE = 3_000_000\n'
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    outcomes = project.outcomes()
    return {name: outcomes[f"{HOME}t/{name}.html"] for name in [*pages, "good"]}


@pytest.mark.hostile_pages
@each_row(
    ("name", "outcome"),
    [
        ("good", ("stored", "")),
        ("empty", ("short", "no text")),
        ("large", ("stored", "oversized")),
        ("deep", ("short", "no text; cut: nested too deep")),
        ("deep-and-large", ("irrelevant", "keywords; cut: nested too deep")),
        ("attributes", ("short", "no text; cut: over 300 attributes in one tag"[:40])),
        ("invalid", ("stored", "")),
        ("one-line", ("stored", "")),
        ("images", ("stored", "")),
        ("one-word", ("short", "article.min_length")),
    ],
)
def test_a_hostile_page_is_passed_with_a_reason_and_the_crawl_goes_on(
    hostile: dict[str, tuple[str, str]], name: str, outcome: tuple[str, str]
) -> None:
    assert hostile[name] == outcome


@pytest.mark.hostile_pages
def test_of_very_many_links_the_first_are_taken(hostile: dict[str, tuple[str, str]]) -> None:
    assert hostile["links"][1].endswith("cut: first 5000 links taken")


@pytest.mark.hostile_pages
def test_a_page_that_is_no_text_is_not_stored(hostile: dict[str, tuple[str, str]]) -> None:
    assert hostile["binary"][0] in {"irrelevant", "refused", "short"}


@pytest.mark.hostile_pages
def test_no_hostile_page_is_an_error(hostile: dict[str, tuple[str, str]]) -> None:
    assert not [name for name, (outcome, _) in hostile.items() if outcome == "error"]
