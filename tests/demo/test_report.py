import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from focuscrawl.demo.report import Finding, Kept, Request, fetching, read_log, read_results
from focuscrawl.demo.truth import ArticleTruth, Page
from focuscrawl.demo.verdicts import politeness, storing, understanding
from focuscrawl.demo.web import DemoWeb
from focuscrawl.values import PageClass

HOSTS = ("news.example", "daily.example", "faulty.example")


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(1, "small")


@pytest.fixture
def expected(web: DemoWeb) -> dict[str, Page]:
    return web.walk([f"http://{host}/" for host in HOSTS], hosts=HOSTS)


def never(page: Page) -> bool:
    return page.trouble is not None and page.trouble.times is None


def perfect_log(expected: dict[str, Page], start: float = 0.0) -> list[Request]:
    return [
        Request(
            start + number, page.url.split("/")[2], url, 500 if never(page) else page.status, False
        )
        for number, (url, page) in enumerate(expected.items())
    ]


def row(truth: ArticleTruth) -> dict[str, object]:
    published = truth.published
    return {
        "url": truth.url,
        "title": truth.title,
        "text": truth.text,
        "page_count": len(truth.parts),
        "complete": 1,
        "published": published.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        if published
        else None,
    }


def perfect_kept(expected: dict[str, Page]) -> Kept:
    pages: dict[str, dict[str, object]] = {}
    articles: dict[str, dict[str, object]] = {}
    for url, page in expected.items():
        if never(page):
            continue
        plain = url.rstrip("/")
        pages[plain] = {"page_class": page.page_class.value, "encoding": page.encoding}
        if page.article and page.article.relevant and page.page_class is PageClass.ARTICLE:
            articles[plain] = row(page.article)
    told = {plain: {"relation": "first", "like_url": None, "story_id": plain} for plain in articles}
    for url, page in expected.items():
        if (article := page.article) and url.rstrip("/") in told and article.copy_of:
            like = article.copy_of
            told[url.rstrip("/")] = {"relation": "copy", "like_url": like, "story_id": like}
            del articles[url.rstrip("/")]
    return Kept(pages, articles, members=told)


def named(findings: Iterable[Finding], name: str) -> Finding:
    return next(finding for finding in findings if finding.name == name)


def test_a_perfect_crawl_misses_nothing(expected: dict[str, Page]) -> None:
    log, kept = perfect_log(expected), perfect_kept(expected)
    findings = [*fetching(expected, ["http://news.example/admin/"], log, None), *storing(expected, log, kept), *understanding(expected, kept)]  # fmt: skip
    assert [finding.misses for finding in findings] == [()] * len(findings)
    assert not any(finding.lost for finding in findings)
    assert named(findings, "pages reached").total > 70
    assert named(findings, "errors recovered").total >= 7
    assert named(findings, "never to be had, tried").total >= 1


def test_a_page_that_was_never_fetched_is_lost(expected: dict[str, Page]) -> None:
    log = [
        request for request in perfect_log(expected) if request.url != "http://news.example/tiyu/"
    ]
    missing = named(fetching(expected, [], log, None), "pages reached")
    assert missing.misses == ("http://news.example/tiyu",)
    assert missing.lost
    assert missing.right == missing.total - 1


@pytest.mark.parametrize(("status", "short"), [(500, False), (0, False), (200, True)])
def test_a_page_that_was_only_answered_badly_is_lost(
    expected: dict[str, Page], status: int, short: bool
) -> None:
    url = next(url for url, page in expected.items() if page.trouble and not never(page))
    log = [
        r._replace(status=status, short=short) if r.url == url else r for r in perfect_log(expected)
    ]
    findings = fetching(expected, [], log, None)
    assert named(findings, "pages reached").misses == (url,)
    assert named(findings, "errors recovered").misses == (url,)


def test_what_the_kill_cost_is_told_apart_from_fetching_twice(expected: dict[str, Page]) -> None:
    log = perfect_log(expected)
    board, article, other = "http://news.example/tiyu/", *[
        url for url, page in expected.items() if page.page_class is PageClass.ARTICLE and not page.trouble
    ][:2]  # fmt: skip
    again = [Request(1000, "news.example", url, 200, False) for url in (board, article)]
    twice = [Request(1, "news.example", other, 200, False)]
    findings = fetching(expected, [], [*log, *again, *twice], killed_at=999)
    cost = named(findings, "fetched again for the kill")
    assert (cost.right, cost.note) == (1, "and 1 lists read again")
    assert named(findings, "fetched once in a run").misses == (f"{other} (2 times)",)
    assert not any(finding.lost for finding in findings)


def test_a_forbidden_page_that_was_asked_for_is_told(expected: dict[str, Page]) -> None:
    forbidden = "http://news.example/admin/"
    log = [*perfect_log(expected), Request(1, "news.example", forbidden, 200, False)]
    finding = named(fetching(expected, [forbidden], log, None), "forbidden left alone")
    assert finding.misses == ("http://news.example/admin",)


def test_a_page_outside_the_truth_is_counted(expected: dict[str, Page]) -> None:
    log = [*perfect_log(expected), Request(1, "giant.example", "http://giant.example/", 200, False)]
    beyond = named(fetching(expected, [], log, None), "fetched beyond the truth")
    assert (beyond.right, beyond.note) == (1, "http://giant.example")


def changed(expected: dict[str, Page], **values: object) -> tuple[str, list[Finding]]:
    kept = perfect_kept(expected)
    url = next(url for url, page in expected.items() if page.article and url in kept.articles and len(page.article.parts) == 1)  # fmt: skip
    articles = {**kept.articles, url: {**kept.articles[url], **values}}
    return url, storing(expected, perfect_log(expected), replace(kept, articles=articles))


def test_a_missing_article_is_lost(expected: dict[str, Page]) -> None:
    kept = perfect_kept(expected)
    url = min(kept.articles)
    fewer = {other: value for other, value in kept.articles.items() if other != url}
    finding = named(storing(expected, perfect_log(expected), replace(kept, articles=fewer)), "relevant articles stored")  # fmt: skip
    assert finding.misses == (url,)
    assert finding.lost


@pytest.mark.parametrize(
    ("column", "value", "name"),
    [
        ("text", "别的文字", "text right and whole"),
        ("title", "别的标题", "title right"),
        ("published", None, "date right, or rightly none"),
        ("published", "2026-01-01T00:00:00.000Z", "date right, or rightly none"),
    ],
)
def test_a_wrong_column_is_told_and_nothing_else(expected: dict[str, Page], column: str, value: object, name: str) -> None:  # fmt: skip
    url, findings = changed(expected, **{column: value})
    assert {f.name: f.misses for f in findings if f.misses} == {name: (url,)}


def long_article(expected: dict[str, Page], kept: Kept) -> ArticleTruth:
    """Return a relevant article of several pages."""
    found = (
        page.article for url, page in expected.items() if page.article and url in kept.articles
    )
    return next(truth for truth in found if len(truth.parts) > 1)


def with_columns(kept: Kept, truth: ArticleTruth, **columns: object) -> Kept:
    row = {**kept.articles[truth.url], **columns}
    return replace(kept, articles={**kept.articles, truth.url: row})


def test_white_space_does_not_matter(expected: dict[str, Page]) -> None:
    kept = perfect_kept(expected)
    truth = long_article(expected, kept)
    spaced = with_columns(kept, truth, text=truth.text.replace("\n", "\n\n  "))
    findings = storing(expected, perfect_log(expected), spaced)
    assert not any(finding.misses for finding in findings)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda truth: {"text": "\n".join(reversed(truth.parts))},
        lambda truth: {"text": truth.parts[0]},
        lambda truth: {"complete": 0},
        lambda truth: {"page_count": 1},
    ],
    ids=["out of order", "first part only", "incomplete", "one page"],
)
def test_parts_that_are_not_joined_are_told(
    expected: dict[str, Page], wrong: Callable[[ArticleTruth], dict[str, object]]
) -> None:
    kept = perfect_kept(expected)
    truth = long_article(expected, kept)
    findings = storing(expected, perfect_log(expected), with_columns(kept, truth, **wrong(truth)))
    joined = named(findings, "parts joined into one article")
    assert joined.misses == (truth.url,)
    assert joined.lost


def test_a_part_that_became_an_article_is_told(expected: dict[str, Page]) -> None:
    kept = perfect_kept(expected)
    truth = long_article(expected, kept)
    part = truth.part_urls[1]
    more = replace(kept, articles={**kept.articles, part: kept.articles[truth.url]})
    findings = storing(expected, perfect_log(expected), more)
    assert named(findings, "parts that are no articles").misses == (part,)


def test_an_article_that_lacks_a_part_is_torn(expected: dict[str, Page]) -> None:
    part = next(url for url, page in expected.items() if page.part == 2 and page.relevant)
    log = [request for request in perfect_log(expected) if request.url != part]
    torn = named(storing(expected, log, perfect_kept(expected)), "all parts fetched")
    assert len(torn.misses) == 1
    assert torn.lost


def test_a_stored_advertisement_for_a_job_is_told(expected: dict[str, Page]) -> None:
    kept = perfect_kept(expected)
    wrong = next(p.article for p in expected.values() if p.article and not p.article.relevant and p.part == 1)  # fmt: skip
    articles = {**kept.articles, wrong.url: row(wrong)}
    findings = storing(expected, perfect_log(expected), replace(kept, articles=articles))
    assert named(findings, "irrelevant articles left out").misses == (wrong.url,)


def test_classes_and_encodings_are_compared_and_chinese_ones_are_one_family(
    expected: dict[str, Page],
) -> None:
    kept = perfect_kept(expected)
    gbk = "http://daily.example/node_12.htm"
    utf = "http://news.example/tiyu"
    pages = {
        **kept.pages,
        gbk: {"page_class": "board", "encoding": "gb18030!"},
        utf: {"page_class": "article", "encoding": "gbk"},
    }
    findings = understanding(expected, replace(kept, pages=pages))
    assert named(findings, "page class right").misses == (
        f"{utf}/ (article, is board)".replace("/ (", " ("),
    )
    assert [miss.split(" ")[0] for miss in named(findings, "encoding right").misses] == [utf]


def test_politeness_knows_the_delay_of_each_host() -> None:
    log = [
        Request(0.0, "a.example", "http://a.example/1", 200, False),
        Request(0.2, "a.example", "http://a.example/2", 200, False),
        Request(0.1, "b.example", "http://b.example/1", 200, False),
        Request(0.15, "b.example", "http://b.example/2", 200, False),
    ]
    assert politeness(log, {}, 0.05).misses == ()
    finding = politeness(log, {"a.example": 0.25}, 0.05)
    assert finding.misses == ("http://a.example/2 (200 ms after the one before, of 250)",)
    assert "80%" in finding.note


def test_a_log_line_still_being_written_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(
        '{"t": 1.5, "host": "a", "url": "http://a/", "status": 200, "short": true}\n{"t": 2'
    )
    assert read_log(path) == [Request(1.5, "a", "http://a/", 200, True)]


def test_results_are_read_by_topic(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    with sqlite3.connect(path) as connection:
        for table in ("pages", "articles"):
            connection.execute(f"CREATE TABLE {table} (topic TEXT, url TEXT)")
            for topic in ("demo", "other"):
                connection.execute(
                    f"INSERT INTO {table} VALUES (?, ?)", (topic, f"http://{topic}/")
                )
        columns = "topic TEXT, url_key TEXT, like_key TEXT, story_id TEXT, relation TEXT"
        connection.execute(f"CREATE TABLE story_members ({columns})")
        connection.execute("ALTER TABLE pages ADD COLUMN url_key TEXT")
        connection.execute("UPDATE pages SET url_key = topic")
        for topic in ("demo", "other"):
            row_of_it = (topic, topic, topic, "1", "copy")
            connection.execute("INSERT INTO story_members VALUES (?, ?, ?, ?, ?)", row_of_it)
        connection.execute("CREATE TABLE records (topic TEXT, data TEXT)")
        for topic in ("demo", "other"):
            connection.execute("INSERT INTO records VALUES (?, ?)", (topic, f'{{"of": "{topic}"}}'))
    connection.close()
    kept = read_results(path, "demo")
    assert list(kept.pages) == list(kept.articles) == ["http://demo"]
    assert [record["data"] for record in kept.records] == [{"of": "demo"}]
    assert [member["like_url"] for member in kept.members.values()] == ["http://demo/"]
