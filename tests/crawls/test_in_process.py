"""A command inside the test's process knows no more of those before it than a program would."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project


def test_sites_owe_a_crawl_nothing_for_crawls_that_other_tests_ran(
    new_project: Callable[[], Project],
) -> None:
    """Crawls by the machine's clock share the turns of sites, and the time of each test begins anew."""
    began: list[float] = []
    for _ in range(2):
        project = new_project()
        project.web.news(3)
        project.topic('[politeness]\ndelay = "60s"\n')
        ended = project.crawl(FOCUSCRAWL_CLOCK="")
        assert ended.status == 0, ended.said
        began.append(project.web.asked()[0].at)
    first, second = began
    assert abs(second - first) < 30
