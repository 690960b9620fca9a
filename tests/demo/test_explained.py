"""``scrapy explain`` is right about forty addresses of the demo web, compared with what that knows of itself."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from scrapy.settings import Settings

from focuscrawl.demo.running import Crawl, crawl_of, surroundings, topic_text
from focuscrawl.demo.tour import Plan, plan
from focuscrawl.demo.truth import Page
from focuscrawl.demo.web import DemoWeb
from focuscrawl.values import PageClass
from focuscrawl.verbs.call import Call
from focuscrawl.verbs.explain.address import explain
from tests.demo.served import served_inside

ZONE = ZoneInfo("Asia/Shanghai")
MISSING = "http://news.example/shipin/9999.html"
MORE = f"""
[[source]]
url = "{MISSING}"

[site."company-01.example"]
quota = 3

[site."slow.example".politeness]
hours = "%s"
"""


def _closed() -> str:
    """Return hours that are not on now."""
    now = datetime.now(ZONE)
    return f"{now + timedelta(hours=6):%H:00}-{now + timedelta(hours=7):%H:00}"


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(1, "small")


@pytest.fixture(scope="module")
def planned(web: DemoWeb) -> Plan:
    return plan(web)


@pytest.fixture(scope="module")
def truth(planned: Plan) -> dict[str, Page]:
    return planned.expected


@pytest.fixture(scope="module")
def crawled(web: DemoWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl the small web once, with a rule, a quota and hours that its pages meet."""
    folder = tmp_path_factory.mktemp("explained")
    (folder / "topics").mkdir()
    text = topic_text("demo.toml").replace("[follow]\n", '[follow]\ndeny = ["/yule/"]\n')
    (folder / "topics" / "demo.toml").write_text(text + MORE % _closed(), "utf-8")
    log = folder / "access.jsonl"
    with served_inside(web, "small", log) as demo:
        environment = surroundings(folder, demo.address) | {
            "FOCUSCRAWL_LINGER": "0s",
            "FOCUSCRAWL_RETRY_WAITS": "1h",
        }
        crawl = Crawl(crawl_of("demo"), folder, environment, log)
        status = demo.crawl(crawl, [folder / "crawl.log"], lambda pages, doing: None, "crawls")
    assert status == 0, demo.ended.said[-3000:]
    return folder


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(crawled: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask in this process, as the command does."""
    monkeypatch.setenv("FOCUSCRAWL_DATA_DIR", str(crawled))
    monkeypatch.setenv("FOCUSCRAWL_TOPICS", str(crawled / "topics"))

    def answer(what: str, **options: Any) -> dict[str, Any]:
        settings = Settings()
        settings.setmodule("focuscrawl.settings")
        named = {"arguments": [], "fetch": False, "json": True, **options}
        said = explain(Call(settings, argparse.Namespace(**named)), ["demo", what])
        return dict(json.loads(said)) if named["json"] else {"said": said}

    return answer


def _one(truth: dict[str, Page], fits: Callable[[Page], Any]) -> str:
    """Return the first address whose truth fits."""
    return next(url for url, page in truth.items() if fits(page))


def _is_article(page: Page, *, relevant: bool, parts: int = 1) -> bool:
    article = page.article
    return (
        article is not None
        and page.page_class is PageClass.ARTICLE
        and article.relevant is relevant
        and (len(article.parts) > 1) is (parts > 1)
        and not (article.copy_of or page.trouble or page.delay)
    )


def _on(host: str, page: Page) -> bool:
    return page.url.startswith(f"http://{host}/")


SEEN: dict[str, tuple[Callable[[Page], Any], str]] = {
    "a stored article": (lambda page: _is_article(page, relevant=True) and _on("notices.example", page), "stored"),
    "an article of a feed": (lambda page: _is_article(page, relevant=True) and _on("blog.example", page), "stored"),
    "an article of several pages": (lambda page: _is_article(page, relevant=True, parts=2) and _on("daily.example", page), "stored"),
    "a further page of one": (lambda page: page.article and page.article.relevant and page.part > 1, "part"),
    "an article that is not about the topic": (lambda page: _is_article(page, relevant=False) and _on("blog.example", page), "irrelevant"),
    "one of several pages that is not": (lambda page: _is_article(page, relevant=False, parts=2), "irrelevant"),
    "news of a company": (lambda page: page.page_class is PageClass.ARTICLE and not page.article and _on("company-03.example", page), "irrelevant"),
    "a board": (lambda page: page.page_class is PageClass.BOARD and _on("news.example", page), "list"),
    "a feed": (lambda page: page.page_class is PageClass.FEED, "list"),
    "a sitemap": (lambda page: page.page_class is PageClass.SITEMAP, "list"),
    "a page with a record": (lambda page: page.record and _on("company-03.example", page), "stored"),
    "a thread": (lambda page: page.thread and page.thread.relevant and page.page_class is PageClass.THREAD, "stored"),
    "a thread about something else": (lambda page: page.thread and not page.thread.relevant, "irrelevant"),
    "a page that never answers": (lambda page: page.trouble and page.trouble.times is None, "failed"),
    "a page that failed more often than it was asked": (lambda page: page.trouble and page.trouble.times == 5, "failed"),
    "an article that answered at the second try": (lambda page: page.trouble and page.trouble.fault == "429", "stored"),
}  # fmt: skip
"""What the web knows of a page that was found, and what must be said of it."""


@pytest.mark.parametrize("what", SEEN)
def test_what_became_of_a_page_is_what_the_web_says_it_is(
    what: str, ask: Ask, truth: dict[str, Page]
) -> None:
    fits, fate = SEEN[what]
    url = _one(truth, fits)
    told = ask(url)
    assert told["verdict"]["fate"] == fate, (url, told["verdict"])
    page = truth[url]
    if page.article and fate == "part":
        assert told["verdict"]["of"] == page.article.url
    if page.article and fate == "stored":
        assert told["verdict"]["title"] == page.article.title
    if page.record:
        assert told["verdict"]["kind"] == "record"
    if page.thread and fate == "stored":
        assert told["verdict"]["kind"] == "thread"


def test_a_copy_names_the_article_it_is_a_copy_of(ask: Ask, truth: dict[str, Page]) -> None:
    families: dict[str, set[str]] = {}
    for url, page in truth.items():
        if page.article and page.part == 1:
            families.setdefault(page.article.copy_of or url, set()).add(url)
    family = next(urls for urls in families.values() if len(urls) > 1)
    told = {url: ask(url)["verdict"] for url in family}
    copies = {url: one for url, one in told.items() if one["fate"] in ("left_copy", "stored_copy")}
    assert len(copies) == len(family) - 1
    assert all(one["of"] in family for one in copies.values())
    assert [one["fate"] for url, one in told.items() if url not in copies] == ["stored"]


def test_an_irrelevant_page_says_what_it_would_need(ask: Ask, truth: dict[str, Page]) -> None:
    recruiting = _one(truth, lambda page: page.article and "招聘" in page.article.title)
    told = ask(recruiting)
    assert (told["verdict"]["fate"], told["verdict"]["reason"]) == ("irrelevant", "exclude:招聘")
    said = ask(recruiting, json=False)["said"]
    assert "招聘 (topic.exclude) occurs" in said
    score = next(one for one in told["facts"] if one["kind"] == "score")
    assert score["relevant"] is False


def test_a_stored_article_names_the_words_that_hit(ask: Ask, truth: dict[str, Page]) -> None:
    url = _one(truth, SEEN["a stored article"][0])
    score = next(one for one in ask(url)["facts"] if one["kind"] == "score")
    text = "".join(truth[url].article.parts) + truth[url].article.title  # type: ignore[union-attr]
    assert score["hits"]
    assert all(word in text for word in score["hits"])
    missed = [word for group in score["missed"] for word in group.split("^")[0].split("|")]
    assert not any(word in text for word in missed)
    assert score["score"] >= score["threshold"]


def test_a_redirect_is_an_alias_and_one_without_end_is_given_up(
    ask: Ask, truth: dict[str, Page]
) -> None:
    fates = {}
    for url, page in truth.items():
        if page.redirect and _on("moved.example", page):
            fates[url] = ask(url)["verdict"]["fate"]
    assert {"alias", "given_up"} <= set(fates.values()), fates
    assert set(fates.values()) <= {"alias", "given_up", "stored", "list", "known_only"}


def test_what_robots_forbid_was_not_asked_for(ask: Ask, planned: Plan) -> None:
    forbidden = [url for url in planned.forbidden if "slow.example" not in url]
    assert len(forbidden) > 4
    for url in forbidden[:6]:
        told = ask(url)
        assert (told["verdict"]["fate"], told["verdict"]["reason"]) == ("refused", "robots"), url


def test_a_page_that_is_not_there_is_gone(ask: Ask) -> None:
    told = ask(MISSING)
    assert (told["verdict"]["fate"], told["verdict"]["status"]) == ("gone", 404)
    assert told["is_source"]


def test_pages_beyond_a_quota_are_set_aside(ask: Ask, truth: dict[str, Page]) -> None:
    fates = [ask(url)["verdict"] for url in truth if url.startswith("http://company-01.example/")]
    parked = [one for one in fates if one["fate"] == "parked"]
    assert len(fates) - len(parked) <= 3 + 1  # what robots.txt forbids is no page that was given
    assert parked
    assert all(one["reason"] == "quota" for one in parked)


def test_a_site_that_is_closed_waits_and_says_until_when(ask: Ask) -> None:
    told = ask("http://slow.example/")
    assert told["verdict"]["fate"] == "waits"
    hours = next(one for one in told["facts"] if one["kind"] == "hours")
    assert hours["until"] > time.time()
    assert told["waits"]["level"] == 4
    queue = next(one for one in told["facts"] if one["kind"] == "queue")
    assert (queue["before_in_site"], queue["level"]) == (0, 4)


@pytest.mark.program  # a process does not see locks of its own
def test_what_waits_at_the_head_of_its_site_may_be_in_flight_while_a_crawl_runs(
    ask: Ask, crawled: Path
) -> None:
    script = (
        "import sys; from pathlib import Path; from focuscrawl.stores.state.sqlite import SQLiteStore;"
        "store = SQLiteStore(Path(sys.argv[1])); store.own(); print('held', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(crawled / "demo.crawl.db")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as holder:  # fmt: skip
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        told = ask("http://slow.example/")
        holder.communicate("\n")
    assert told["verdict"]["fate"] == "in_flight"
    assert told["runs"]


NEVER: dict[str, tuple[str, str, str]] = {
    "a page no list shows": ("http://news.example/shipin/never.html", "not_linked", ""),
    "a page of another host": ("http://giant.example/1.html", "would_be_refused", "scope"),
    "one that a rule refuses": ("http://news.example/yule/1.html", "would_be_refused", "deny"),
    "one that names a session": ("http://news.example/session_id=12345678901234567890/a.html", "would_be_refused", "trap:session"),
    "one that repeats itself": ("http://news.example/a/b/a/b/a/b/a/b/c.html", "would_be_refused", "trap:repetition"),
    "one that logs in": ("http://bbs.example/member.php?mod=logging&action=login", "would_be_refused", "action:login"),
    "a packed file": ("http://news.example/shipin/a.zip", "would_be_refused", "suffix"),
    "a host of a private network": ("http://192.168.1.7/x.html", "would_be_refused", "private"),
    "one that robots.txt forbids": ("http://hub.example/vip/members.html", "would_be_refused", "robots"),
    "a mail address": ("mailto:someone@news.example", "no_address", "scheme"),
    "no address at all": ("http://", "no_address", "invalid"),
    "an address without end": ("http://news.example/" + "a" * 9000, "would_be_refused", "length"),
}  # fmt: skip


@pytest.mark.parametrize("what", NEVER)
def test_what_was_never_seen_is_answered_by_the_rules_of_today(what: str, ask: Ask) -> None:
    url, fate, reason = NEVER[what]
    told = ask(url)
    verdict = told.get("verdict", told)
    assert verdict["fate"] == fate, verdict
    if reason:
        assert reason in (verdict.get("reason"), verdict.get("kind")), verdict
    assert ask(url, json=False)["said"].count("\n") < 20


def test_the_lists_that_should_have_shown_a_page_are_named_the_nearest_first(ask: Ask) -> None:
    told = ask("http://news.example/shipin/never.html")
    first = told["lists"][0]
    assert first["url"] == "http://news.example/shipin/"
    assert first["links"] is False
    assert first["read_at"]
    said = ask("http://news.example/shipin/never.html", json=False)["said"]
    assert "nothing that was read links to it" in said
    assert "it did not link to it" in said


def test_a_list_says_that_it_links_to_what_it_shows(crawled: Path, truth: dict[str, Page]) -> None:
    from focuscrawl.features.revisit.change.comparison import links_to
    from focuscrawl.stores.state.snapshot import Snapshot
    from focuscrawl.urls.canonical import Canonicalizer

    board = "http://news.example/shipin/"
    shown = next(url for url in truth[board].links if url in truth and "/2026/" in url)
    store = Snapshot(crawled / "demo.crawl.db")
    store.own()
    keys = [Canonicalizer().key(url) for url in (board, shown)]
    state = store._pages("SELECT body FROM pages WHERE key = ?", keys[0])[0]
    store.release()
    assert keys[1]
    assert links_to(state, keys[1]) is True


@pytest.mark.parametrize(
    "what",
    [
        "HTTP://News.Example:80/shipin/#top",
        "https://news.example/shipin/",
        "news.example/shipin/",
        "http://news.example/shipin",
    ],
)
def test_an_address_is_found_in_any_form(what: str, ask: Ask) -> None:
    if what.endswith("shipin"):
        assert ask(what)["verdict"]["fate"] in ("not_linked", "list")
    else:
        assert ask(what)["verdict"]["fate"] == "list"
        assert ask(what)["url"] == "http://news.example/shipin/"


def test_a_host_is_told_by_what_became_of_its_pages(ask: Ask, truth: dict[str, Page]) -> None:
    told = ask("blog.example")
    counts = {(one["class"], one["outcome"]): one["count"] for one in told["pages"]}
    relevant = [p for p in truth.values() if _on("blog.example", p) and p.article and p.article.relevant and p.part == 1]  # fmt: skip
    stored = sum(count for (kind, outcome), count in counts.items() if (kind, outcome) in (("article", "stored"), ("article", "copy")))  # fmt: skip
    assert stored == len(relevant)
    assert "pages asked for" in ask("blog.example", json=False)["said"]


def test_a_host_may_be_a_number_and_have_a_port(ask: Ask) -> None:
    for host in ("127.0.0.1:8971", "10.0.0.7", "localhost:80", "[::1]:8080"):
        told = ask(host, json=False)["said"]
        assert told.startswith(host.removesuffix(":80"))
        assert "Nothing of this site is asked for" in told


def test_a_title_finds_its_page_and_several_are_listed(ask: Ask, truth: dict[str, Page]) -> None:
    url = _one(truth, SEEN["an article of a feed"][0])
    article = truth[url].article
    assert article
    assert ask(article.title)["url"] == url
    found = ask("食品")["matches"]
    assert len(found) > 1
    assert all("食品" in one["title"] and one["url"].startswith("http") for one in found)
    assert "pages with '食品' in the title" in ask("食品", json=False)["said"]


def test_nothing_is_written_by_asking(ask: Ask, crawled: Path) -> None:
    before = {path.name: path.read_bytes() for path in crawled.glob("demo*.db")}
    ask("http://news.example/shipin/")
    assert {path.name: path.read_bytes() for path in crawled.glob("demo*.db")} == before
