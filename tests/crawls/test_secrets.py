"""Passwords and files of a machine: what a whole crawl keeps to itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

SECRET = "s3cret-words"
INLINE = """
[topic]
name = "inline"
keywords = ["食品"{words}]
[[source]]
urls = ["http://a.test/"]
[politeness]
delay = "0s"
{more}
"""


def test_a_proxys_password_is_sent_and_stored_nowhere(project: Project, web: Web) -> None:
    urls = web.news(2)
    proxy = f"http://me:{SECRET}@127.0.0.1:{project.port}"
    project.topic(f'[request]\nproxy = "{proxy}"\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert all("proxy-authorization" in asked.headers for asked in web.asked())
    assert SECRET not in ended.said
    assert [name for name, held in project.files().items() if SECRET.encode() in held] == []
    assert f"http://me:***@127.0.0.1:{project.port}" in project.last_run()["template"]
    shown = project.run("topic", "show", "news").said
    assert (SECRET in shown, "http://me:***@" in shown) == (False, True)
    assert project.crawl().status == 0


def test_passwords_that_were_stored_once_are_masked_by_the_next_run(
    project: Project, web: Web
) -> None:
    web.news(1)
    proxy = f"http://me:{SECRET}@127.0.0.1:{project.port}"
    project.topic(f'[request]\nproxy = "{proxy}"\n')
    project.crawl()
    with closing(sqlite3.connect(project.data / "news.db")) as database, database:
        hidden = "http://me:***@"
        database.execute(
            "UPDATE crawl_runs SET template = replace(template, ?, ?)",
            (hidden, f"http://me:{SECRET}@"),
        )
    assert SECRET in project.last_run()["template"]
    assert project.crawl().status == 0
    templates = [row["template"] for row in project.rows("SELECT template FROM crawl_runs")]
    assert [SECRET in text for text in templates] == [False, False]
    assert all(hidden in text for text in templates)


def test_a_feeds_password_is_in_no_line_of_the_log(project: Project, web: Web) -> None:
    web.news(1)
    project.topic(f'[output.feeds."ftp://me:{SECRET}@127.0.0.1:1/x.csv"]\n')
    ended = project.crawl(traceback=True)  # Scrapy tells a server that refuses with one
    assert "ftp://me:***@127.0.0.1:1/x.csv" in ended.said
    assert SECRET not in ended.said
    assert [name for name, held in project.files().items() if SECRET.encode() in held] == []


def test_an_inline_template_reads_and_writes_below_the_topics_and_data_folders(
    project: Project, web: Web
) -> None:
    urls = web.news(2)
    project.write("topics/words.txt", "抽检\n")
    project.write("private/words.txt", f"{SECRET}\n")
    words = f', "@{project.folder}/private/words.txt"'
    text = INLINE.format(words=words, more='[output.feeds."../feed.jsonl"]\n')
    ended = project.run("crawl", "topic", "-a", f"template={text}")
    assert ended.status == 2, ended.said
    assert ended.said.count("FOCUSCRAWL_INLINE_FOLDERS allows more") == 2
    assert SECRET not in ended.said
    assert not web.asked()
    assert not (project.folder / "feed.jsonl").exists()

    allowed = project.run("crawl", "topic", "-a", f"template={text}", FOCUSCRAWL_INLINE_FOLDERS=".")
    assert allowed.status == 0, allowed.said
    assert (project.folder / "feed.jsonl").exists()

    fine = INLINE.format(words=', "@topics/words.txt"', more='[output.feeds."feed.jsonl"]\n')
    ended = project.run("crawl", "topic", "-a", f"template={fine.replace('inline', 'fine')}")
    assert ended.status == 0, ended.said
    assert project.articles("fine") == urls
    assert (project.data / "feed.jsonl").read_text("utf-8").count("\n") == 2


TOKEN = """
[follow]
scope = "web"
[site."a.test".request]
headers = { X-Token = "s3cret-words", User-Agent = "guest of a" }
cookies = { key = "s3cret-words" }
[site."b.test".request]
headers = { X-Other = "of b" }
"""


def test_what_is_sent_to_a_site_goes_along_no_redirect_to_another(
    project: Project, web: Web
) -> None:
    web.redirect("http://a.test/there", "http://b.test/1.html")
    web.redirect("http://a.test/same", "http://a.test/2.html")
    web.article("http://b.test/1.html", 1)
    web.article("http://a.test/2.html", 2)
    web.board("http://a.test/", "http://a.test/there", "http://a.test/same")
    project.topic(TOKEN)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {"http://b.test/1.html", "http://a.test/2.html"}
    (other,) = [asked for asked in web.asked("b.test") if asked.url.endswith("/1.html")]
    assert SECRET not in str(other.headers)
    assert other.headers["user-agent"] != "guest of a"
    assert other.headers["x-other"] == "of b"
    own = web.asked("a.test")
    assert all(asked.headers["x-token"] == SECRET for asked in own)
    assert all(asked.headers["user-agent"] == "guest of a" for asked in own)


FALLS = """
[site."a.test".politeness]
user_agent = "guest of a"
[site."a.test".request]
headers = { X-Token = "s3cret-words", Authorization = "env:TOKEN", Accept-Language = "zh" }
cookies = { key = "s3cret-words" }
[request]
headers = { X-All = "env:TOKEN", X-Any = "any" }
"""


def test_what_is_sent_to_a_site_by_https_goes_along_no_redirect_to_http(
    project: Project, web: Web
) -> None:
    web.redirect("https://a.test/fall", "http://a.test/1.html")
    web.redirect("https://a.test/stay", "https://a.test/2.html")
    web.redirect("https://a.test/back", "http://a.test/turn")
    web.redirect("http://a.test/turn", "https://a.test/3.html")
    for number, scheme in ((1, "http"), (2, "https"), (3, "https")):
        web.article(f"{scheme}://a.test/{number}.html", number)
    web.board("https://a.test/", *(f"https://a.test/{name}" for name in ("fall", "stay", "back")))
    web.name("https://a.test/", {"Set-Cookie": "own=s3cret-words; Secure"})
    project.topic(FALLS, sources="https://a.test/")
    ended = project.crawl(TOKEN=f"Bearer {SECRET}")
    assert ended.status == 0, ended.said
    by_http = [asked for asked in web.asked("a.test") if asked.url.startswith("http:")]
    assert {asked.url[-6:] for asked in by_http} >= {"1.html", "t/turn"}
    for asked in by_http:
        assert SECRET not in str(asked.headers), asked.url
        assert asked.headers["user-agent"] == "guest of a"
        assert asked.headers["x-any"] == "any"
    for asked in web.asked("a.test"):
        if asked.url in {"https://a.test/2.html", "https://a.test/3.html"}:
            sent = asked.headers
            assert sent["x-token"] == SECRET
            assert sent["authorization"] == sent["x-all"] == f"Bearer {SECRET}"
            assert {f"key={SECRET}", f"own={SECRET}"} <= {*sent["cookie"].split("; ")}


def test_a_browsers_cookie_that_is_for_http_too_stays_along_a_redirect_to_http(
    project: Project, web: Web
) -> None:
    web.redirect("https://a.test/fall", "http://a.test/1.html")
    web.article("http://a.test/1.html", 1)
    web.board("https://a.test/", "https://a.test/fall")
    lines = ("a.test\tFALSE\t/\tFALSE\t0\topen\t1", "a.test\tFALSE\t/\tTRUE\t0\tclosed\t2")
    project.write("topics/jar.txt", "".join(f"{line}\n" for line in lines))
    project.topic('[request]\ncookies = "file:jar.txt"\n', sources="https://a.test/")
    assert project.crawl().status == 0
    (fallen,) = [asked for asked in web.asked() if asked.url == "http://a.test/1.html"]
    assert fallen.headers["cookie"] == "open=1"
    (whole,) = [asked for asked in web.asked() if asked.url == "https://a.test/fall"]
    assert {*whole.headers["cookie"].split("; ")} == {"open=1", "closed=2"}


def test_a_cookie_goes_to_the_hosts_below_only_where_it_names_its_domain(
    project: Project, web: Web
) -> None:
    web.article("http://www.a.test/1.html", 1)
    web.article("http://a.test/2.html", 2)
    web.board("http://a.test/", "http://www.a.test/1.html", "http://a.test/2.html")
    web.name("http://a.test/", {"Set-Cookie": "own=1", "set-cookie": "all=2; Domain=a.test"})
    project.topic()
    assert project.crawl().status == 0
    sent = {asked.url: asked.headers.get("cookie", "") for asked in web.asked()}
    assert sent["http://www.a.test/1.html"] == "all=2"
    assert {*sent["http://a.test/2.html"].split("; ")} == {"own=1", "all=2"}
