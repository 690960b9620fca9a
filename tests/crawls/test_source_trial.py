"""``scrapy topic try NAME --sites``: a line for each source says whether it works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.test_silent_sources import (
    ALL,
    CLOSED,
    EMPTY,
    FILES,
    GOOD,
    MISSING,
    UNREAD,
    WALLED,
    forty_sites,
)

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web


@pytest.mark.program
def test_each_source_has_a_line_that_says_whether_it_works(project: Project, web: Web) -> None:
    forty_sites(web)
    shell = "http://spa.test/"
    web.answers[shell] = web.page(
        "<html><head><title>门户</title><script src='/app.js'></script></head><body><div id='app'></div></body></html>"
    )
    project.topic("[politeness]\ndelay = '0s'\nrobots = true\n", sources=" ".join([*ALL, shell]))
    said = project.run("topic", "try", "news", "--sites").said
    lines = {line.split()[0]: line for line in said.splitlines() if line.startswith("http://")}
    states = {
        GOOD: "works",
        FILES: "its links lead to files",
        EMPTY: "no link on its page",
        CLOSED: "robots.txt",
        WALLED: "something stands in front: log-in",
        MISSING: "status 404",
        UNREAD: "no article behind its likeliest links",
        shell: "its text comes by JavaScript",
    }
    assert {url: state for url, state in states.items() if state not in lines[url]} == {}
    assert "第" in lines[GOOD]
    assert "2026-11-18" in lines[GOOD]
    assert said.splitlines()[-1] == "1 of 9 sources work"
    assert len(lines) == 9
