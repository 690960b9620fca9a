"""A command inside the test's process knows no more of those before it than a program would."""

from __future__ import annotations

import sys
from inspect import CO_OPTIMIZED
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    import pytest

    from tests.project import Project
    from tests.web import Web

CALLED_FUNCTIONS = 1_745
"""Functions of ours that a crawl of one board and three articles comes by, its start and its end counted."""


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


def test_a_crawl_of_a_board_and_three_articles_calls_few_functions_of_ours(
    project: Project, web: Web, pytestconfig: pytest.Config
) -> None:
    project.topic()
    web.board("http://a.test/", *sorted(web.news(3)))
    called: set[tuple[str, int]] = set()
    ours = str(pytestconfig.rootpath / "focuscrawl")

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        is_named = code.co_flags & CO_OPTIMIZED and code.co_name[0] != "<"  # no class, no lambda
        if event == "call" and is_named and code.co_filename.startswith(ours):
            called.add((code.co_filename, code.co_firstlineno))

    sys.setprofile(note)
    try:
        ended = project.crawl()
    finally:
        sys.setprofile(None)
    assert ended.status == 0, ended.said
    assert len(called) <= CALLED_FUNCTIONS, len(called)
