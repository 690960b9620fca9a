"""Sites whose pages are made by scripts: lists that come as JSON are read, and a trial says what is not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.crawls.test_unrecognised import SHELL

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Answer, Asked, Web

pytestmark = pytest.mark.A6

HOME = "http://a.test/"


@pytest.mark.parametrize(
    "element",
    [
        '<ul id="list" data-api="/api/list?page=1"></ul>',
        '<div data-url="/api/list?page=1"></div>',
        '<button data-api="/api/list?page=1">加载更多</button>',
    ],
)
def test_lists_that_scripts_would_fetch_as_json_are_followed(
    project: Project, web: Web, element: str
) -> None:
    urls = [f"{HOME}n/{number}.html" for number in range(1, 8)]
    for number, url in enumerate(urls, start=1):
        web.article(url, number)

    def listed(asked: Asked) -> Answer:
        page = int(asked.url.rpartition("=")[2])
        rows = [{"title": f"第{n}批食品抽检", "link": f"/n/{n}.html"} for n in range(3 * page - 2, min(3 * page, 7) + 1)]  # fmt: skip
        body = json.dumps({"data": {"rows": rows, "pages": 3, "page": page}})
        return replace(web.say(body), kind="application/json")

    web.anything["a.test"] = listed
    web.answers[HOME] = web.say(
        f"<html><head><title>通告列表</title></head><body>{element}<script src='/app.js'></script></body></html>"
    )
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == set(urls)
    assert "JavaScript" not in ended.said


def test_a_trial_says_when_a_site_has_no_text_without_scripts(project: Project, web: Web) -> None:
    web.anything["a.test"] = web.say(SHELL)
    project.topic()
    said = project.run("topic", "try", "news").said
    assert "a.test: 1 of 1 page without text: JavaScript is needed" in said
    assert "feed, sitemap or mobile pages" in said
