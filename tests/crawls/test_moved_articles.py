"""An article that has moved to another address stays one article: its row, its history, its visits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, article, run_on
from tests.crawls.test_records import DIRECTORY, SOURCE, company
from tests.crawls.test_records_lost import CONTACT, DAILY
from tests.crawls.test_returning import told

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.B1, pytest.mark.usefixtures("all_is_news")]

FAST = '[revisit]\ngone_after = 2\ngone_within = "1d"\n'
DAYS = (1.1, 2.3, 3.5)


def new_address(number: int) -> str:
    return f"{HOME}archive/item-{number}.html"


def by_redirect(web: Web) -> None:
    """All addresses change, the old ones lead to the new ones; the list still names the old."""
    for number in (1, 2, 3):
        web.answers[new_address(number)] = web.answers[article(number)]
        web.redirect(article(number), new_address(number), 301)


def by_redirect_and_list(web: Web) -> None:
    """As before, and the list names the new addresses, which are read before the old ones."""
    by_redirect(web)
    web.board(HOME, *map(new_address, (1, 2, 3)))


def without_a_word(web: Web) -> None:
    """The old addresses answer 404, the list names the new ones."""
    by_redirect_and_list(web)
    for number in (1, 2, 3):
        del web.answers[article(number)]


def by_its_own_word(web: Web) -> None:
    """Both addresses show the articles, the old ones say that they stand at the new ones, which the list names."""
    by_redirect_and_list(web)
    for number in (1, 2, 3):
        web.answers[article(number)] = web.page(
            web.body(new_address(number)).replace(
                "<head>", f'<head><link rel="canonical" href="{new_address(number)}">'
            )
        )


def test_an_address_that_has_always_named_another_one_has_not_moved(
    project: Project, web: Web
) -> None:
    web.news(3)
    by_its_own_word(web)
    web.board(HOME, *map(article, (1, 2, 3)), *map(new_address, (1, 2, 3)))
    project.topic(FAST)
    for day in (0, *DAYS):
        run_on(project, day)
    assert {kind for kind, _, _ in told(project)} == {"new"}


def test_an_article_that_was_gone_and_is_found_elsewhere_has_moved(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.topic(FAST)
    run_on(project, 0)
    text = web.answers.pop(article(1))
    for day in DAYS:
        run_on(project, day)
    assert [kind for kind, _, _ in told(project)][3:] == ["gone"]
    web.answers[new_address(1)] = text
    web.board(HOME, new_address(1), *map(article, (2, 3)))
    run_on(project, 6)
    (row,) = project.rows("SELECT * FROM articles WHERE aliases IS NOT NULL")
    assert (row["url"], row["gone_at"]) == (new_address(1), None)
    assert {kind for kind, _, _ in told(project)[4:]} == {"moved", "back"}


@pytest.mark.parametrize(
    "move", [by_redirect, by_redirect_and_list, without_a_word, by_its_own_word]
)
def test_an_article_that_has_moved_keeps_its_row_and_is_told_to_have_moved_once(
    project: Project, web: Web, move: Callable[[Web], None]
) -> None:
    web.news(3)
    project.topic(FAST)
    run_on(project, 0)
    before = {row["url"]: row for row in project.rows("SELECT * FROM articles")}
    move(web)
    for day in DAYS:
        assert run_on(project, day).status == 0
    rows = {row["url"]: row for row in project.rows("SELECT * FROM articles")}
    assert {*rows} == {*map(new_address, (1, 2, 3))}
    for number in (1, 2, 3):
        row, old = rows[new_address(number)], before[article(number)]
        for name in ("url_key", "found", "text", "version", "story_id"):
            assert row[name] == old[name], name
        assert json.loads(row["aliases"]) == [article(number)]
        assert row["gone_at"] is None
    kinds = sorted((kind, url) for kind, _, url in told(project) if kind != "new")
    assert kinds == [("moved", new_address(number)) for number in (1, 2, 3)]
    assert len(told(project, "new")) == 3
    (change,) = project.rows(f"SELECT * FROM changes WHERE url = '{new_address(1)}'")
    assert json.loads(change["fields"]) == {"url": [article(1), new_address(1)]}

    web.article(new_address(1), 77)
    assert run_on(project, 12).status == 0
    assert [url for _, _, url in told(project, "major")] == [new_address(1)], "visits go on"
    assert len(told(project)) == 7


@pytest.mark.parametrize("is_list_there", [False, True])
@pytest.mark.parametrize("site", ["http://www.a.test/", "http://renamed.test/"])
def test_an_article_whose_site_has_another_name_now_has_moved_once_and_is_not_gone(
    project: Project, web: Web, site: str, is_list_there: bool
) -> None:
    web.news(3)
    project.topic(FAST)
    run_on(project, 0)
    new = [site + article(number).removeprefix(HOME) for number in (1, 2, 3)]
    for number, url in enumerate(new, start=1):
        web.answers[url] = web.answers[article(number)]
        web.redirect(article(number), url, 301)
    if is_list_there:
        web.board(site, *new)
        web.redirect(HOME, site, 301)
    for day in DAYS:
        run_on(project, day)
    rows = project.rows("SELECT url, aliases, gone_at FROM articles ORDER BY url")
    assert [row["url"] for row in rows] == new
    assert {json.loads(row["aliases"])[0] for row in rows} == {*map(article, (1, 2, 3))}
    assert {row["gone_at"] for row in rows} == {None}
    assert sorted(url for kind, _, url in told(project) if kind != "new") == new
    assert len(told(project)) == 6
    web.article(new[0], 77)
    run_on(project, 12)
    assert [url for _, _, url in told(project, "major")] == new[:1], "visits go on"


def test_a_redirect_to_another_text_out_of_scope_says_nothing_of_an_article(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.topic(FAST)
    run_on(project, 0)
    said = "<p>食品安全的读者请先填写姓名和密码,然后才能继续阅读本站的文章,没有帐号的读者可以在这里申请一个。</p>"
    web.answers["http://sso.test/enter.html"] = web.page(f"<h1>请先进门</h1><div>{said * 5}</div>")
    web.redirect(article(1), "http://sso.test/enter.html", 302)
    for day in DAYS:
        run_on(project, day)
    assert {kind for kind, _, _ in told(project)} == {"new"}
    assert project.outcomes()[article(1)][1] == "scope"
    assert project.articles() == {*map(article, (1, 2, 3))}


@pytest.mark.parametrize("is_listed", [False, True])
@pytest.mark.parametrize("leaves", ["redirect", "nothing", "its word"])
def test_a_record_whose_page_has_moved_keeps_its_row_and_is_told_to_have_moved_once(
    project: Project, web: Web, leaves: str, is_listed: bool
) -> None:
    company(web, "a.test", "云杉软件有限公司", "028-55501111", about=False)
    company(web, "b.test", "青禾软件有限公司", "028-55502222")
    project.write("topics/news.toml", DIRECTORY + DAILY + SOURCE)
    run_on(project, 0)
    row = "SELECT record_id, url, url_key, gone_at, version FROM records WHERE host = 'a.test'"
    (before,) = project.rows(row)
    new = f"{HOME}company/reach.html"
    web.answers[new] = web.answers.pop(CONTACT)
    if leaves == "its word":
        said = f'<html><head><link rel="canonical" href="{new}"></head>{web.body(new)}</html>'
        web.answers[CONTACT] = web.page(said)
    if leaves == "redirect":
        web.redirect(CONTACT, new, 301)
    if is_listed:
        linked = web.body(HOME).replace("/contact.html", "/company/reach.html")
        web.answers[HOME] = web.page(linked)
    for day in (*DAYS, 5, 7):
        run_on(project, day)
    (after,) = project.rows(row)
    is_found = is_listed or leaves == "redirect"
    told_of = [(kind, url) for kind, _, url in told(project) if kind != "new"]
    stays = leaves == "its word" and not is_listed
    assert told_of == ([] if stays else [("moved", new)] if is_found else [("gone", CONTACT)])
    assert (after["record_id"], after["url_key"]) == (before["record_id"], before["url_key"])
    assert after["url"] == (new if is_found else CONTACT)
    assert (after["gone_at"] is None, after["version"]) == (is_found or stays, 1)


@pytest.mark.parametrize("target", [HOME, f"{HOME}old/"])
def test_an_article_whose_address_leads_to_a_list_now_is_gone(
    project: Project, web: Web, target: str
) -> None:
    web.news(3)
    project.topic(FAST)
    run_on(project, 0)
    web.board(f"{HOME}old/", *map(article, (2, 3)))
    web.redirect(article(1), target, 301)
    for day in DAYS:
        run_on(project, day)
    assert [one for one in told(project) if one[0] != "new"] == [("gone", "article", article(1))]
    (row,) = project.rows("SELECT * FROM articles WHERE gone_at IS NOT NULL")
    assert (row["url"], row["aliases"]) == (article(1), None)


def test_a_copy_that_is_news_brings_a_look_at_what_it_copies(project: Project, web: Web) -> None:
    """An old article has its turn after days; where its site shows its text anew, it is asked for at once."""
    for number in (1, 2, 3):
        web.article(article(number), number, date="2024-01-05")
    web.board(HOME, *map(article, (1, 2, 3)))
    project.topic(FAST)
    run_on(project, 0)
    web.answers[new_address(1)] = web.answers.pop(article(1))
    web.board(HOME, new_address(1), *map(article, (2, 3)))
    for day in (1.1, 2.3):
        run_on(project, day)
    assert ("moved", "article", new_address(1)) in told(project)


@pytest.mark.parametrize(
    "move", [by_redirect, by_redirect_and_list, without_a_word, by_its_own_word]
)
def test_an_article_that_has_moved_keeps_its_row_where_copies_are_kept(
    project: Project, web: Web, move: Callable[[Web], None]
) -> None:
    web.news(3)
    project.topic(FAST + '[stories]\ncopies = "keep"\n')
    run_on(project, 0)
    before = {row["url_key"] for row in project.rows("SELECT url_key FROM articles")}
    move(web)
    for day in DAYS[:2]:
        assert run_on(project, day).status == 0
    rows = project.rows("SELECT url, url_key FROM articles ORDER BY url")
    assert {row["url_key"] for row in rows} == before
    assert [row["url"] for row in rows] == [*map(new_address, (1, 2, 3))]
    kinds = sorted((kind, url) for kind, _, url in told(project) if kind != "new")
    assert kinds == [("moved", new_address(number)) for number in (1, 2, 3)]
    assert len(told(project, "new")) == 3


def test_a_copy_beside_its_original_is_stored_at_its_second_fetch_where_copies_are_kept(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.topic(FAST + '[stories]\ncopies = "keep"\n')
    run_on(project, 0)
    web.answers[new_address(1)] = web.answers[article(1)]
    web.board(HOME, new_address(1), *map(article, (1, 2, 3)))
    for day in DAYS[:3]:
        run_on(project, day)
    rows = project.rows("SELECT url, is_copy FROM articles ORDER BY url")
    assert [row["url"] for row in rows] == [new_address(1), *map(article, (1, 2, 3))]
    assert [row["is_copy"] for row in rows] == [1, 0, 0, 0]
    assert {kind for kind, _, _ in told(project)} == {"new"}
    assert len(told(project)) == 4
