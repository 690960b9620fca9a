"""Lists that say what others say are read rarely: one feed of a site is enough, and what asks not to be taken in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawls.days import HOME, article, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

TAGS = 12


def tagged(web: Web) -> None:
    """Put a blog whose tags have a page and a feed each."""
    urls = sorted(web.news(6))
    tags = [f"{HOME}tag/{number}/" for number in range(TAGS)]
    feed = '<p><a href="{}">RSS</a></p>'
    for number, tag in enumerate(tags):
        pair = [urls[number % 6], urls[(number + 1) % 6]]
        web.board(tag, *pair, more=feed.format(f"{tag}feed.xml"))
        items = "".join(f"<item><title>{one}</title><link>{one}</link></item>" for one in pair)
        web.xml(f"{tag}feed.xml", f'<rss version="2.0"><channel>{items}</channel></rss>')
    items = "".join(f"<item><title>{one}</title><link>{one}</link></item>" for one in urls)
    web.xml(f"{HOME}feed.xml", f'<rss version="2.0"><channel>{items}</channel></rss>')
    more = feed.format("/feed.xml") + "".join(f'<a href="{tag}">标签{tag}</a>' for tag in tags)
    web.board(HOME, *urls, more=more)


def asked(web: Web, before: int, ending: str) -> int:
    return sum(one.url.endswith(ending) for one in web.asked()[before:])


def test_of_many_feeds_of_a_site_one_is_read_each_day_and_the_others_rarely(
    project: Project, web: Web
) -> None:
    tagged(web)
    project.topic()
    run_on(project, 0)
    assert asked(web, 0, "feed.xml") <= TAGS / 2, "what some have shown stands on their lists"
    for day in (1, 2):
        before = len(web.asked())
        run_on(project, day)
        assert asked(web, before, "/feed.xml") <= 2, "that of the site, and one of a list put off"


def test_lists_that_ask_robots_not_to_take_them_in_are_read_rarely(
    project: Project, web: Web
) -> None:
    tagged(web)
    for number in range(TAGS):
        tag = f"{HOME}tag/{number}/"
        head = '<head><meta name="robots" content="noindex, follow">'
        web.answers[tag] = web.page(web.body(tag).replace("<head>", head))
    project.topic()
    run_on(project, 0)
    before = len(web.asked())
    run_on(project, 1)
    assert sum("/tag/" in one.url for one in web.asked()[before:]) <= 2, "those put off"
    web.article(article(77), 77)
    web.board(f"{HOME}tag/3/", article(1), article(77))
    before = len(web.asked())
    run_on(project, 12)
    assert sum("/tag/" in one.url for one in web.asked()[before:]) >= TAGS
    assert article(77) in project.articles()
