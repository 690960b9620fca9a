"""A topic run day after day: what is due is visited again, and every change is told once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, cast

import pytest

from tests.crawls.conftest import tell_all
from tests.crawls.days import DAY, HOME, article, run_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.B1, pytest.mark.usefixtures("all_is_news")]

DAILY = '[revisit]\npolicy = "fixed"\n[revisit.article]\nfirst = "1d"\nmin = "1d"\nmax = "1d"\n'
FAST = '[revisit]\ngone_after = 2\ngone_within = "1d"\n'


def told(project: Project, kind: str = "") -> list[tuple[str, str, str]]:
    """Return kind, class and address of every change that was told, in order."""
    rows = project.rows("SELECT kind, what, url FROM changes ORDER BY at, url")
    return [(row["kind"], row["what"], row["url"]) for row in rows if kind in ("", row["kind"])]


def asked_for(web: Web, since: int) -> Counter[str]:
    return Counter(one.url for one in web.asked()[since:])


class Changed(NamedTuple):
    """Days over three articles, of which one has changed by the second."""

    first: Project
    second: Project
    asked: Counter[str]
    """What was asked for on the second."""
    later: list[Project]


@pytest.fixture(scope="module")
def changed(new_project: Callable[[], Project]) -> Changed:
    project = new_project()
    web = project.web
    tell_all(project)
    web.news(3)
    project.topic()
    assert run_on(project, 0).status == 0
    first = project.as_it_is()
    web.article(article(1), 77)
    before = len(web.asked())
    assert run_on(project, 1.1).status == 0
    second, asked = project.as_it_is(), asked_for(web, before)
    later = []
    for day in (2.5, 5, 9):
        assert run_on(project, day).status == 0
        later.append(project.as_it_is())
    return Changed(first, second, asked, later)


@pytest.mark.both_stores
def test_every_page_has_a_state_and_articles_are_due_in_a_day(changed: Changed) -> None:
    assert Counter(kind for kind, _, _ in told(changed.first)) == {"new": 3}
    first = changed.first.states()
    assert set(first) == {HOME, *map(article, (1, 2, 3))}
    assert all(0.9 * DAY < (one.next_visit or 0) - one.last_fetched < 1.1 * DAY
               for url, one in first.items() if url != HOME)  # fmt: skip


@pytest.mark.both_stores
def test_what_is_due_is_asked_for_once_and_where_a_page_is_another_how_errors_look(
    changed: Changed,
) -> None:
    first = changed.first.states()
    assert {url: changed.asked[url] for url in first} == dict.fromkeys(first, 1)
    assert changed.asked.total() == 5, "an address that cannot exist"


@pytest.mark.both_stores
@pytest.mark.change_rows
def test_a_changed_article_is_told_once(changed: Changed) -> None:
    assert told(changed.second, "major") == [("major", "article", article(1))]
    assert len(told(changed.later[-1])) == 4, "nothing else was told"


@pytest.mark.both_stores
@pytest.mark.change_rows
def test_a_change_has_its_version_its_title_and_what_differs(changed: Changed) -> None:
    (row,) = changed.second.rows("SELECT * FROM changes WHERE kind = 'major'")
    assert row["version"] == 2
    assert "第77批" in row["title"]
    assert "第1批" in row["fields"]
    assert any(line.startswith("-") and "第1批" in line for line in row["diff"].splitlines())
    assert any(line.startswith("+") and "第77批" in line for line in row["diff"].splitlines())


@pytest.mark.both_stores
def test_the_log_book_says_what_has_changed_and_counts_visits_and_changes(
    changed: Changed,
) -> None:
    outcomes = changed.second.outcomes()
    assert outcomes[article(1)][0] == "stored"
    assert outcomes[article(2)][0] == "unchanged"
    (page,) = changed.later[-1].rows(f"SELECT * FROM pages WHERE url = '{article(1)}'")
    assert (page["changes"], page["visits"]) == (1, 5)
    assert page["last_changed"] < page["next_visit"]


@pytest.mark.both_stores
def test_a_page_at_rest_is_visited_less_and_less(changed: Changed) -> None:
    waits = [one.states()[article(2)] for one in (changed.second, *changed.later)]
    assert [one.visits for one in waits] == [2, 3, 4, 5]
    intervals = [(one.next_visit or 0) - one.last_fetched for one in waits]
    assert intervals == sorted(intervals)
    assert intervals[-1] > 1.5 * intervals[0]


class Gone(NamedTuple):
    """Days on which a page is missing, is gone, is left alone, and is back."""

    missing: Project
    gone: Project
    asked: int
    """How often it was asked for when it was known to be gone."""
    back: Project


@pytest.fixture(scope="module")
def gone(new_project: Callable[[], Project]) -> Gone:
    project = new_project()
    web = project.web
    tell_all(project)
    web.news(2)
    whole = web.answers[article(1)]
    project.topic(FAST)
    run_on(project, 0)
    del web.answers[article(1)]
    run_on(project, 1.1)
    missing = project.as_it_is()
    run_on(project, 2.3)
    is_gone = project.as_it_is()
    before = len(web.asked())
    run_on(project, 2.4)
    asked = asked_for(web, before)[article(1)]
    web.answers[article(1)] = whole
    run_on(project, 5)
    return Gone(missing, is_gone, asked, project.as_it_is())


def gone_at(project: Project) -> float | None:
    (row,) = project.rows(f"SELECT gone_at FROM articles WHERE url = '{article(1)}'")
    return cast("float | None", row["gone_at"])


@pytest.mark.gone_links
def test_one_404_is_a_failure_and_tells_of_no_page_that_it_is_gone(gone: Gone) -> None:
    assert not told(gone.missing, "gone")
    assert gone.missing.states()[article(1)].failures == 1


@pytest.mark.gone_links
def test_a_page_that_is_gone_is_told_when_it_is_sure(gone: Gone) -> None:
    assert told(gone.gone, "gone") == [("gone", "article", article(1))]
    assert gone.gone.last_run()["gone"] == 1


@pytest.mark.gone_links
def test_a_page_that_is_gone_keeps_its_row_with_the_time(gone: Gone) -> None:
    assert gone_at(gone.gone)
    (page,) = gone.gone.rows(f"SELECT * FROM pages WHERE url = '{article(1)}'")
    assert page["gone_at"]
    assert page["next_visit"] is None


@pytest.mark.gone_links
def test_pages_that_are_gone_are_left_alone(gone: Gone) -> None:
    assert gone.asked == 0


@pytest.mark.gone_links
def test_a_page_that_is_back_is_told_and_no_longer_gone(gone: Gone) -> None:
    """Its board still shows it."""
    assert told(gone.back, "back") == [("back", "article", article(1))]
    assert gone_at(gone.back) is None
    counted = Counter(kind for kind, _, _ in told(gone.back))
    assert counted == {"new": 2, "gone": 1, "back": 1}


def test_servers_that_fail_say_nothing_about_their_pages(project: Project, web: Web) -> None:
    web.news(2)
    project.topic(FAST)
    run_on(project, 0)
    for number in (1, 2):
        web.answers[article(number)] = web.say("稍后再试", status=503)
    for day in (1.1, 2.5, 4, 6):
        run_on(project, day)
    assert not told(project, "gone")
    assert all(project.states()[article(number)].next_visit for number in (1, 2))
    web.news(2)
    run_on(project, 8)
    assert project.outcomes()[article(1)][0] == "unchanged"
    assert project.states()[article(1)].failing_since is None


@pytest.mark.cut_answers
def test_an_answer_that_is_cut_off_is_no_change_of_a_page_that_is_known(
    project: Project, web: Web
) -> None:
    web.news(2)
    whole = web.answers[article(2)]
    web.cut(article(2))
    project.topic('[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\n')
    run_on(project, 0)
    query = "SELECT url, text, complete, version FROM articles ORDER BY url"
    first, cut = project.rows(query)
    assert (first["complete"], cut["complete"]) == (1, 0)
    assert len(cut["text"]) < len(first["text"])

    web.cut(article(1))
    run_on(project, 1.1)
    assert project.rows(query) == [first, cut], "what is stored is whole, or no worse"
    assert project.outcomes()[article(1)] == ("error", "truncated")
    assert [kind for kind, _, _ in told(project)] == ["new", "new"]

    web.news(1)
    web.answers[article(2)] = whole
    run_on(project, 3)
    assert project.outcomes()[article(1)] == ("unchanged", "")
    assert told(project)[2:] == [("completed", "article", article(2))]
    (_, completed) = project.rows(query)
    assert len(completed["text"]) > len(cut["text"])
    assert completed["complete"]


@pytest.mark.program
@pytest.mark.both_stores
@pytest.mark.visit_states
def test_a_visit_that_is_killed_loses_no_page_and_tells_nothing_twice(
    project: Project, web: Web
) -> None:
    web.news(12)
    project.topic()
    run_on(project, 0)
    for number in range(1, 7):
        web.article(article(number), number + 50)
    web.pause = 0.03
    for answers in (4, 5, 3):
        project.crawl_killed(answers, FOCUSCRAWL_SHIFT=str(1.1 * DAY))
    web.pause = 0.0
    assert run_on(project, 1.1).status == 0
    known = project.states()
    assert len(known) == 13
    assert {one.visits for url, one in known.items() if url != HOME} == {2}
    assert all(one.next_visit and one.reserved is None for one in known.values())
    assert sorted(told(project, "major")) == [
        ("major", "article", url) for url in sorted(map(article, range(1, 7)))
    ]
    assert all(row["diff"] for row in project.rows("SELECT diff FROM changes WHERE kind='major'"))
    assert {row["version"] for row in project.rows("SELECT version FROM articles")} == {1, 2}
    assert project.stored_rows() == 0


@pytest.mark.parametrize("policy", ["tx", "fixed", "index"])
def test_a_policy_goes_on_from_what_another_has_learnt(
    project: Project, web: Web, policy: str
) -> None:
    web.news(2)
    project.topic()
    run_on(project, 0)
    project.topic('[revisit]\npolicy = "off"\n')
    before = len(web.asked())
    run_on(project, 1.1)
    assert not asked_for(web, before), "no page twice, lists neither"
    project.topic(f'[revisit]\npolicy = "{policy}"\n')
    run_on(project, 1.2)
    assert asked_for(web, before) == dict.fromkeys([HOME, article(1), article(2)], 1)
    assert project.states()[article(1)].visits == 2


@pytest.mark.new_dates
def test_pages_that_were_too_old_come_back_when_they_may_be_older(
    project: Project, web: Web
) -> None:
    web.news(2)
    project.topic('[revisit.article]\nuntil = "12h"\n')
    run_on(project, 0)
    ended = {url for url, state in project.states().items() if state.next_visit is None}
    assert ended == {article(1), article(2)}
    before = len(web.asked())
    run_on(project, 2)
    assert asked_for(web, before) == {HOME: 1}
    project.topic('[revisit.article]\nuntil = "90d"\n')
    run_on(project, 2.1)
    assert asked_for(web, before) == {HOME: 2, article(1): 1, article(2): 1}
    assert all(state.next_visit for state in project.states().values())


RACING = """
import os
import time

BEGAN, STEADY = float(os.environ["BEGAN"]), time.monotonic()


class Racing:
    def wall(self):
        return BEGAN + (time.monotonic() - STEADY) * float(os.environ["TIMES"])

    def steady(self):
        return time.monotonic()


clock = Racing()
"""


@pytest.mark.program
@pytest.mark.B4
def test_a_crawl_that_stays_visits_what_becomes_due_and_rests_in_between(
    project: Project, web: Web
) -> None:
    web.news(2)
    project.write("racing.py", RACING)
    project.topic(
        '[revisit]\ncontinuous = true\npolicy = "fixed"\n[revisit.board]\nfirst = "12h"\n'
    )
    ended = project.crawl(
        kill=lambda: web.times(article(1)) >= 4,
        FOCUSCRAWL_CLOCK="racing:clock",
        BEGAN="1795320000",
        TIMES=str(DAY / 3),
    )
    assert ended.status < 0, ended.said
    asked = asked_for(web, 0)
    assert 4 <= asked[article(2)] + 1 <= 6
    assert asked[article(2)] <= asked[HOME] <= 12, "twice a day"
    known = project.states()
    assert {one.visits for url, one in known.items() if url != HOME} <= {3, 4, 5}
    assert len(told(project)) == 2, "nothing but that they are new"

    before = len(web.asked())
    project.topic('[revisit]\nbudget = "2/s"\ncontinuous = true\n')
    project.crawl(
        kill=lambda: len(web.asked()) - before >= 6,
        FOCUSCRAWL_CLOCK="racing:clock",
        BEGAN=str(1_795_320_000 + 9 * DAY),
        TIMES=str(DAY / 3),
    )
    assert project.facts("revisit") == ["price"], "the price followed the budget"


def test_clocks_counters_and_what_the_template_ignores_are_no_change(
    project: Project, web: Web
) -> None:
    def write(reads: int, weather: str) -> None:
        for number in (1, 2):
            more = f"<p>阅读:{reads}次</p><p>今日天气播报 {weather}</p><p id='rates'>汇率 {reads / 7:.3f}</p>"
            web.article(article(number), number)
            answer = web.answers[article(number)]
            body = str(getattr(answer, "body", "")).replace("</div>", f"{more}</div>")
            web.answers[article(number)] = web.page(body)

    web.news(2)
    write(17, "晴")
    project.topic('[revisit]\nignore = ["...", "今日天气播报*。|今日天气播报 晴|今日天气播报 雨"]\n'
                  '[site."a.test".revisit]\nignore = ["...", "css:#rates"]\n')  # fmt: skip
    run_on(project, 0)
    write(2_345, "雨")
    run_on(project, 1.1)
    assert [kind for kind, _, _ in told(project)] == ["new", "new"]
    assert project.outcomes()[article(1)][0] == "unchanged"


def test_a_source_with_an_interval_of_its_own_is_left_alone_until_then(
    project: Project, web: Web
) -> None:
    web.news(1)
    project.topic('[[source]]\nurl = "http://b.test/"\nevery = "2d"\n')
    web.news(1, host="b.test")
    run_on(project, 0)
    before = len(web.asked())
    run_on(project, 0.5)
    assert asked_for(web, before) == {HOME: 1}
    run_on(project, 2.1)
    assert asked_for(web, before)["http://b.test/"] == 1


def test_a_timer_at_the_same_hour_visits_with_every_run_what_is_due_each_day(
    project: Project, web: Web
) -> None:
    """A run reaches its pages some time after it began, and a timer is never exact."""
    web.news(3)
    project.topic(f'[[source]]\nurl = "http://b.test/"\nevery = "1d"\n{DAILY}')
    # A text of its own: of two copies the one that comes second is not visited, whichever that is.
    web.article("http://b.test/news/9.html", 9)
    web.board("http://b.test/", "/news/9.html")
    run_on(project, 0)
    for day in (0.995, 1.994, 2.993):
        before = len(web.asked())
        run_on(project, day)
        asked = asked_for(web, before)
        assert {article(1), article(2), article(3), "http://b.test/"} <= asked.keys(), day
        assert max(asked.values()) == 1
    before = len(web.asked())
    run_on(project, 2.998)
    assert asked_for(web, before) == {HOME: 1}, "a run soon after another finds nothing due"


@pytest.mark.looks_back
def test_pages_past_until_are_looked_at_again_a_tenth_a_day_the_longest_unseen_first(
    project: Project, web: Web
) -> None:
    urls = [article(number) for number in range(1, 21)]
    for number, url in enumerate(urls, start=1):
        web.article(url, number, date="2026-01-05")
    web.board(HOME, *urls)
    project.topic(FAST)
    run_on(project, 0)
    first = project.states()
    assert {first[url].next_visit for url in urls} == {None}
    order = sorted(urls, key=lambda url: (first[url].last_fetched, first[url].key))
    edited, deleted = order[5], order[9]
    more = (
        "<p>召回的产品已经全部封存,企业负责人承认管理不严,表示将接受处罚并赔偿消费者的损失。</p>"
        * 2
    )
    web.article(edited, 77, more, date="2026-01-05")
    del web.answers[deleted]
    asked = []
    for day in (1, 3, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28):  # none after the pause on day 8
        before = len(web.asked())
        assert run_on(project, day).status == 0
        came = [one.url for one in web.asked()[before:]]
        looks = 0.3 if day == 8 else 0.2  # by the days since the last run
        assert len(came) <= looks * 20 + 2, "its list, and once what cannot exist"
        asked += [url for url in came if url in urls]
        if day < 8:
            assert not asked, "no page twice in a week"
    seen = [url for url in asked if url != deleted]  # which its board still lists
    assert sorted(seen[:19]) == sorted({*urls} - {deleted}), "none twice before all were seen"
    assert {*asked[:4]} == {*order[:4]}
    assert told(project, "major") == [("major", "article", edited)]
    assert told(project, "gone") == [("gone", "article", deleted)]
    assert len(told(project)) == 22


def test_old_pages_are_left_alone_where_the_template_says_so(project: Project, web: Web) -> None:
    web.article(article(1), date="2026-01-05")
    web.board(HOME, article(1))
    project.topic("[revisit]\nold = 0\n")
    for day in (0, 20, 60):
        assert run_on(project, day).status == 0
    assert web.times(article(1)) == 1
