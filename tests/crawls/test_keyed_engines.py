"""Engines with a key: each gets it where it takes it, nobody else does, and it stands nowhere."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from tests.web import Answer, Asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

KEYS = {
    "BRAVE_API_KEY": "brave-5eb63bbbe01eeed0",
    "SERPAPI_API_KEY": "serpapi+93cb22bb8f5acdc3",
    "BOCHA_API_KEY": "bocha-2cf24dba5fb0a30e",
}
SEARCH = """
[topic]
keywords = ["食品安全|抽检"]
[search]
engines = ["brave", "serpapi", "bocha"]
queries = ["成都 抽检"]
results = 20
delay = "0s"
[search.engine.brave]
url = "http://brave.test/res/v1/web/search?q={query}&count=20&offset={index}"
[search.engine.serpapi]
url = "http://serpapi.test/search.json?engine=google&q={query}&start={first}"
[search.engine.bocha]
url = "http://bocha.test/v1/web-search"
[explore]
enabled = false
[politeness]
delay = "0s"
"""


def answers(**by_page: object) -> object:
    """Return a script that answers by the page of results that is asked for."""

    def answer(asked: Asked) -> Answer:
        query = parse_qs(urlsplit(asked.url).query)
        page = (query.get("offset") or query.get("start") or ["0"])[0]
        return Answer(json.dumps(by_page[f"at_{page}"]), kind="application/json")

    return answer


def engines(web: Web, urls: list[str]) -> None:
    """Let three engines answer in the form of their interfaces, with one article each."""
    brave, google, bocha = urls
    web.anything["brave.test"] = answers(  # type: ignore[assignment]
        at_0={
            "type": "search",
            "query": {"original": "成都 抽检"},
            "web": {
                "type": "search",
                "results": [
                    {"title": "抽检", "url": brave, "description": "食品", "page_age": "2026-11-02"}
                ],
            },
        },
        at_1={"type": "search", "query": {"original": "成都 抽检"}},
    )
    web.anything["serpapi.test"] = answers(  # type: ignore[assignment]
        at_0={
            "search_metadata": {"status": "Success"},
            "organic_results": [
                {"position": 1, "title": "抽检", "link": google, "snippet": "食品"}
            ],
        },
        at_10={"error": "Google hasn't returned any results for this query."},
    )
    found = {"value": [{"name": "抽检", "url": bocha, "snippet": "食品", "datePublished": None}]}
    web.answers["http://bocha.test/v1/web-search"] = Answer(
        json.dumps({"code": 200, "data": {"_type": "SearchResponse", "webPages": found}}),
        kind="application/json",
    )


@pytest.fixture(scope="module")
def keyed(new_project: Callable[[], Project]) -> tuple[Project, Ended]:
    """A crawl whose seeds come from three engines that ask for keys."""
    project = new_project()
    engines(project.web, sorted(project.web.news(3)))
    project.write("topics/news.toml", SEARCH)
    ended = project.crawl("-s", "LOG_LEVEL=DEBUG", **KEYS)
    assert ended.status == 0, ended.said
    return project, ended


def asked_of(keyed: tuple[Project, Ended], host: str) -> list[Asked]:
    return [one for one in keyed[0].web.asked() if one.host == host]


def test_what_engines_with_keys_show_is_a_seed_and_crawled(keyed: tuple[Project, Ended]) -> None:
    project, _ = keyed
    urls = {f"http://a.test/news/{number}.html" for number in (1, 2, 3)}
    assert project.articles() == urls
    assert {row["url"] for row in project.rows("SELECT url FROM seeds")} == urls


def test_each_engine_gets_its_key_where_it_asks_for_it(keyed: tuple[Project, Ended]) -> None:
    tokens = [one.headers["x-subscription-token"] for one in asked_of(keyed, "brave.test")]
    assert tokens == [KEYS["BRAVE_API_KEY"]] * 2
    asked = [parse_qs(urlsplit(one.url).query) for one in asked_of(keyed, "serpapi.test")]
    assert [one["api_key"] for one in asked] == [[KEYS["SERPAPI_API_KEY"]]] * 2
    (posted,) = asked_of(keyed, "bocha.test")
    assert posted.method == "POST"
    assert posted.headers["authorization"] == f"Bearer {KEYS['BOCHA_API_KEY']}"
    assert json.loads(posted.body) == {"query": "成都 抽检", "count": 50, "summary": False}


def test_no_robots_txt_is_asked_of_engines_with_keys(keyed: tuple[Project, Ended]) -> None:
    some = [one.url for host in HOSTS for one in asked_of(keyed, host)]
    assert not any("robots.txt" in url for url in some)


def test_no_other_site_no_line_and_no_file_has_a_key(keyed: tuple[Project, Ended]) -> None:
    project, ended = keyed
    others = [one for one in project.web.asked() if one.host not in HOSTS]
    told = [ended.said, *(f"{one.url} {one.headers}" for one in others)]
    stored = b"".join(project.files().values())
    for key in KEYS.values():
        for form in {key, key.replace("+", "%2B")}:
            assert not any(form in one for one in told), form
            assert form.encode() not in stored, form


HOSTS = ("brave.test", "serpapi.test", "bocha.test")


@pytest.mark.parametrize("fault", ["drop", "elsewhere", "refused"])
def test_a_key_is_not_said_when_an_engine_fails_or_leads_elsewhere(
    project: Project, web: Web, fault: str
) -> None:
    key = KEYS["SERPAPI_API_KEY"]
    faults = {
        "drop": Answer(fault="drop"),
        "elsewhere": Answer(status=302, headers={"Location": "http://other.test/search.json"}),
        "refused": Answer(json.dumps({"error": "Invalid API key."}), 401, kind="application/json"),
    }
    web.anything["serpapi.test"] = faults[fault]
    project.write(
        "topics/news.toml", SEARCH.replace('["brave", "serpapi", "bocha"]', '["serpapi"]')
    )
    ended = project.crawl("-s", "LOG_LEVEL=DEBUG", "-s", "RETRY_TIMES=0", **KEYS)
    assert ended.status == 4, ended.said
    assert [one for one in web.asked() if one.host == "serpapi.test" and "api_key=" in one.url]
    assert not [one for one in web.asked() if one.host == "other.test" and "api_key=" in one.url]
    if fault == "refused":
        assert "serpapi answered 401 (its key is not taken)" in ended.said
    for form in {key, key.replace("+", "%2B")}:
        assert form not in ended.said
        assert form.encode() not in b"".join(project.files().values())


@pytest.mark.parametrize("form", ["plain", "quoted"])
@pytest.mark.parametrize("place", ["link", "redirect"])
def test_a_key_that_an_engine_repeats_stands_nowhere(
    project: Project, web: Web, form: str, place: str
) -> None:
    key = KEYS["SERPAPI_API_KEY"]
    written = quote(key, safe="") if form == "quoted" else key
    link = f"http://a.test/news/1.html?from={written}"
    engines(web, sorted(web.news(3)))
    web.article(link.replace(written, "***"), 1)
    shown = json.dumps(
        {
            "search_metadata": {"status": "Success", "json_endpoint": link},
            "organic_results": [{"title": f"抽检 {key}", "link": link, "snippet": f"食品 {key}"}],
        }
    )
    page = replace(web.packed(gzip.compress(shown.encode())), kind="application/json")
    leads = Answer(status=302, headers={"Location": f"/again.json?start=0&seen={written}"})
    web.anything["serpapi.test"] = leads if place == "redirect" else page
    web.answers["http://serpapi.test/again.json?start=0&seen=***"] = page
    project.write(
        "topics/news.toml", SEARCH.replace('["brave", "serpapi", "bocha"]', '["serpapi"]')
    )
    ended = project.crawl("-s", "LOG_LEVEL=DEBUG", "-s", "RETRY_TIMES=0", **KEYS)
    told = [ended.said, *(one.url for one in web.asked() if one.host == "a.test")]
    stored = b"".join(project.files().values())
    for one in {key, quote(key, safe="")}:
        assert not any(one in words for words in told), one
        assert one.encode() not in stored, one
    if place == "link":
        assert project.rows("SELECT url FROM seeds")


def test_a_key_that_is_missing_is_told_before_anything_is_asked(project: Project, web: Web) -> None:
    project.write("topics/news.toml", SEARCH)
    ended = project.run("topic", "check", "news", BRAVE_API_KEY="x", SERPAPI_API_KEY="x")
    assert ended.status == 2
    assert (
        '[search.engine."bocha"] key = "env:BOCHA_API_KEY": the variable BOCHA_API_KEY is not set'
        in ended.said
    )
    written = SEARCH.replace("[search.engine.bocha]", '[search.engine.bocha]\nkey = "2cf24dba5fb0"')
    project.write("topics/news.toml", written)
    ended = project.run("topic", "check", "news", BRAVE_API_KEY="x", SERPAPI_API_KEY="x")
    assert 'a secret is named, not written: "env:NAME" or "file:PATH"' in ended.said
