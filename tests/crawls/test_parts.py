"""Articles of several pages, crawled: one row each, whole, in order, whatever goes wrong."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.crawls.days import run_on
from tests.project import Project, made_project
from tests.web import Answer, Web

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.A2

HOME = "http://a.test/"
SENTENCE = "{}的第{}页第{}段:市场监管部门在食品安全抽检中发现样品不合格,已经责令有关企业立即下架并且召回全部产品,后续处理结果将向社会公布。"
ALIKE = '[stories]\ncopies = "off"\n'
"""The articles here tell much the same."""
PLAIN = "{}的第{}页第{}段:这一天河边的风很大,孩子们带着风筝在草地上来回奔跑,老人坐在长椅上晒太阳,直到傍晚大家才慢慢散去回家吃饭。"


def address(name: str, number: int = 1) -> str:
    return f"{HOME}news/{name}.html" if number == 1 else f"{HOME}news/{name}_{number}.html"


def lines(name: str, number: int, sentence: str = SENTENCE) -> list[str]:
    return [sentence.format(name, number, paragraph) for paragraph in range(1, 5)]


def text(name: str, *numbers: int) -> str:
    return "\n".join(line for number in numbers for line in lines(name, number))


def numbered(name: str, number: int, last: int) -> str:
    """Link to every page by its number, and to the next one."""
    links = [f'<a href="{address(name, page)}">{page}</a>' for page in range(1, last + 1)]
    links[number - 1] = str(number)
    return " ".join([*links, following(name, number, last)])


def following(name: str, number: int, last: int) -> str:
    return f'<a href="{address(name, number + 1)}">下一页</a>' if number < last else ""


def put(web: Web, url: str, title: str, paragraphs: Sequence[str], more: str = "") -> None:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    web.answers[url] = web.page(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
        f"<p>发布时间:2026-11-18 08:00 来源:四川日报</p><div>{text}</div>"
        f'<div class="pages">{more}</div></body></html>'
    )


def put_article(
    web: Web, name: str, last: int, *, by_next: bool = False, plain: int = 0, more: str = ""
) -> str:
    """Put an article of so many pages on the web, the first ``plain`` of them not on the topic."""
    pager = following if by_next else numbered
    for number in range(1, last + 1):
        said = lines(name, number, PLAIN if number <= plain else SENTENCE)
        put(web, address(name, number), f"{name}长篇记", said, pager(name, number, last) + more)
    return address(name)


class Row(NamedTuple):
    text: str
    pages: int
    complete: bool
    version: int


def stored(project: Project) -> dict[str, Row]:
    found = project.rows("SELECT url, text, page_count, complete, version FROM articles")
    return {
        row["url"]: Row(row["text"], row["page_count"], bool(row["complete"]), row["version"])
        for row in found
    }


def fed(project: Project) -> list[str]:
    """Return the addresses in the feed."""
    written = (project.folder / "out/news.jsonl").read_text("utf-8").splitlines()
    return sorted(json.loads(line)["url"] for line in written)


@pytest.fixture(scope="module")
def crawled_once(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Project:
    """A crawl of articles of several pages of every kind."""
    web = Web()
    project = made_project(tmp_path_factory.mktemp("parts"), web, pytestconfig.rootpath)
    links = [
        put_article(web, "numbered", 5),
        put_article(web, "following", 4, by_next=True),
        put_article(web, "gone", 4),
        put_article(web, "late", 3, plain=2),
        put_article(web, "elsewhere", 3, plain=3),
        put_article(web, "moved", 3),
        put_article(web, "limited", 8),
    ]
    del web.answers[address("gone", 3)]
    web.answers[address("moved-2")] = web.answers[address("moved", 2)]
    web.redirect(address("moved", 2), address("moved-2"))
    # a page that shows all, beside two parts
    whole = f'<a href="{HOME}news/view_all.html">阅读全文</a>'
    links.append(put_article(web, "view", 2, more=whole))
    said = [*lines("view", 1), *lines("view", 2)]
    put(web, f"{HOME}news/view_all.html", "view长篇记", said)
    # the board links to the third page only
    put_article(web, "early", 3)
    links.append(address("early", 3))
    # 下一页 leads in a circle, and to another article
    put(web, address("circle"), "circle长篇记", lines("circle", 1), following("circle", 1, 2))
    back = f'<a href="{address("circle")}">下一页</a>'
    put(web, address("circle", 2), "circle长篇记", lines("circle", 2), back)
    other = f'<a href="{HOME}news/other.html">下一页</a>'
    put(web, address("lonely"), "某地食堂后厨的一天", lines("lonely", 1), other)
    put(web, address("other"), "乳粉召回进展如何", lines("other", 1))
    links += [address("circle"), address("lonely")]
    web.board(HOME, *links)
    project.topic(
        f'{ALIKE}[output.feeds."out/news.jsonl"]\n[article]\npages = 6\n'
        "[relevance]\nthreshold = 0.05\n"
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    return project


@pytest.mark.parametrize(
    ("name", "pages"),
    [("numbered", 5), ("following", 4), ("moved", 3), ("early", 3), ("circle", 2), ("lonely", 1)],
)
def test_an_article_is_one_row_whole_and_in_order(
    crawled_once: Project, name: str, pages: int
) -> None:
    row = stored(crawled_once)[address(name)]
    assert row == Row(text(name, *range(1, pages + 1)), pages, True, 1)


def test_a_page_that_shows_all_replaces_the_parts(crawled_once: Project) -> None:
    assert stored(crawled_once)[address("view")] == Row(text("view", 1, 2), 2, True, 1)


def test_a_part_that_is_gone_leaves_the_article_incomplete_and_says_why(
    crawled_once: Project,
) -> None:
    assert stored(crawled_once)[address("gone")] == Row(text("gone", 1, 2, 4), 3, False, 1)
    assert crawled_once.outcomes()[address("gone")] == ("stored", "part 3: http 404")


def test_no_more_parts_are_joined_than_the_template_says(crawled_once: Project) -> None:
    row = stored(crawled_once)[address("limited")]
    assert row == Row(text("limited", *range(1, 7)), 6, False, 1)
    assert crawled_once.outcomes()[address("limited")] == ("stored", "article.pages")


def test_relevance_is_that_of_the_whole_text_when_the_first_page_does_not_do(
    crawled_once: Project,
) -> None:
    assert "第3页第4段:市场监管部门" in stored(crawled_once)[address("late")].text
    assert crawled_once.outcomes()[address("late")] == ("stored", "")
    assert crawled_once.outcomes()[address("elsewhere")] == ("irrelevant", "keywords")


def test_no_part_is_an_article_and_each_article_is_one_line_of_a_feed(
    crawled_once: Project,
) -> None:
    names = ("numbered", "following", "gone", "late", "moved", "limited", "view", "early", "circle", "lonely", "other")  # fmt: skip
    urls = sorted(map(address, names))
    assert sorted(stored(crawled_once)) == urls
    assert fed(crawled_once) == urls
    assert crawled_once.last_run()["articles_new"] == len(urls)
    outcomes = crawled_once.outcomes()
    assert {outcomes[address("numbered", number)][0] for number in range(2, 6)} == {"part"}
    assert crawled_once.facts("article_parts") == []
    assert crawled_once.facts("article_lost") == []


def test_an_article_waits_for_a_part_that_fails_and_is_filled_when_it_comes(
    project: Project, web: Web
) -> None:
    web.board(HOME, put_article(web, "torn", 4))
    web.fail_first(address("torn", 3), status=500)
    project.topic('[output.feeds."out/news.jsonl"]\n')
    assert project.crawl(FOCUSCRAWL_RETRY_WAITS="20s", FOCUSCRAWL_LINGER="1s").status == 0
    assert stored(project) == {address("torn"): Row(text("torn", 1, 2, 4), 3, False, 1)}
    assert project.outcomes()[address("torn")] == ("stored", "part 3 is missing")
    assert fed(project) == [address("torn")]

    assert project.crawl(FOCUSCRAWL_SHIFT="60").status == 0
    assert stored(project) == {address("torn"): Row(text("torn", 1, 2, 3, 4), 4, True, 1)}
    assert project.outcomes()[address("torn")] == ("stored", "")
    assert fed(project) == [address("torn")], "one line an article"
    assert project.facts("article_parts") + project.facts("article_sent") == []
    assert project.last_run()["articles_new"] == 0


@pytest.mark.program
@pytest.mark.both_stores
def test_a_kill_between_parts_loses_none(project: Project, web: Web) -> None:
    web.board(HOME, put_article(web, "long", 6, by_next=True), put_article(web, "wide", 5))
    lasts = (address("long", 6), address("wide", 5))
    held = {url: web.answers.pop(url) for url in lasts}
    # Or the articles may be whole too soon.
    web.answers |= dict.fromkeys(lasts, Answer(fault="hold"))
    web.pause = 0.1
    project.topic(ALIKE)
    project.crawl_killed(4)
    goal = len(web.asked()) + 5
    ended = project.crawl(
        kill=lambda: len(web.asked()) >= goal and bool(project.facts("article_parts"))
    )
    assert ended.status == -signal.SIGKILL, "parts that are there are kept"
    web.answers |= held
    assert project.crawl().status == 0
    assert stored(project) == {
        address("long"): Row(text("long", *range(1, 7)), 6, True, 1),
        address("wide"): Row(text("wide", *range(1, 6)), 5, True, 1),
    }
    assert project.stored_rows() == 0
    assert project.facts("article_parts") == []


@pytest.mark.copies_rest
def test_a_copy_of_several_pages_is_not_visited_again(project: Project, web: Web) -> None:
    original, copy = put_article(web, "original", 2), address("copy")
    for number in (1, 2):
        said = lines("original", number)
        put(web, address("copy", number), "original长篇记", said, numbered("copy", number, 2))
    web.board(HOME, original, copy)
    project.topic('[politeness]\ndelay = "0s"\n')
    assert project.crawl().status == 0
    outcomes = project.outcomes()
    kept, left = sorted((original, copy), key=lambda url: outcomes[url][0], reverse=True)
    assert [outcomes[url][0] for url in (kept, left)] == ["stored", "copy"]
    assert project.crawl(FOCUSCRAWL_SHIFT=str(1.1 * 86400)).status == 0
    assert (web.times(kept), web.times(left)) == (2, 1)
    assert set(stored(project)) == {kept}


def test_an_article_that_is_a_source_is_gathered_anew_in_each_run(
    project: Project, web: Web
) -> None:
    source = put_article(web, "again", 4)
    project.topic(sources=source)
    assert project.crawl().status == 0
    assert stored(project) == {source: Row(text("again", 1, 2, 3, 4), 4, True, 1)}
    changed = lines("again", 3)[:2] + lines("added", 3)
    put(web, address("again", 3), "again长篇记", changed, numbered("again", 3, 4))
    assert project.crawl().status == 0
    whole = "\n".join([text("again", 1, 2), *changed, text("again", 4)])
    assert stored(project) == {source: Row(whole, 4, True, 2)}
    web.fail_first(address("again", 2), status=500, times=99)
    assert project.crawl(FOCUSCRAWL_RETRY_WAITS="20s", FOCUSCRAWL_LINGER="1s").status == 0
    assert stored(project) == {source: Row(whole, 4, True, 2)}, "what is whole stays"


PIPELINES = '''
from scrapy.exceptions import DropItem

from focuscrawl.values import Article


class Picks:
    """Drops an article, and fails once on another."""

    failed = False

    def process_item(self, item):
        if "dropped" in item.url:
            raise DropItem("not wanted")
        if "stumbles" in item.url and not self.failed:
            self.failed = True
            raise ValueError("at first")
        if isinstance(item, Article):
            item.extra["parts"] = item.page_count
        return item
'''


def test_articles_of_parts_go_through_the_users_own_pipelines(project: Project, web: Web) -> None:
    links = [put_article(web, name, 3) for name in ("dropped", "stumbles", "torn")]
    web.board(HOME, *links)
    del web.answers[address("torn", 3)]
    project.spider(PIPELINES, "ITEM_PIPELINES.update({'mine.spiders.Picks': 400})\n")
    project.topic(ALIKE)
    ended = project.crawl(traceback=True)
    assert ended.status == 0, ended.said
    rows = project.rows("SELECT url, extra, complete FROM articles ORDER BY url")
    assert [(row["url"], json.loads(row["extra"]), row["complete"]) for row in rows] == [
        (address("stumbles"), {"parts": 3}, 1),
        (address("torn"), {"parts": 2}, 0),
    ]
    assert project.outcomes()[address("dropped")][0] == "dropped"


def test_what_is_stored_of_a_text_and_how_many_articles_hold_for_articles_of_parts(
    project: Project, web: Web
) -> None:
    web.board(HOME, *(put_article(web, name, 4) for name in ("one", "two", "three", "four")))
    web.pause = 0.4
    project.topic(ALIKE + '[output]\ntext = "lead"\n')
    assert project.crawl("-a", "limits.articles=1").status == 0
    assert project.last_run()["end_reason"] in {"limit_articles", "finished"}
    rows = project.rows("SELECT text, lead, length, page_count FROM articles")
    assert 1 <= len(rows) < 4
    for row in rows:
        assert row["text"] is None
        assert len(row["lead"]) == 300
        assert row["page_count"] == 4
        assert row["length"] > 1000


@pytest.mark.program
def test_an_article_that_was_whole_when_the_run_was_killed_is_stored_by_the_next(
    project: Project, web: Web
) -> None:
    web.board(HOME, put_article(web, "long", 3))
    killing = KILLING.replace("NAME", "long")
    project.spider(killing, "ITEM_PIPELINES.update({'mine.spiders.Kills': 800})\n")
    project.topic(ALIKE)
    assert project.crawl().status < 0
    project.write("scrapy.cfg", "[settings]\ndefault = focuscrawl.settings\n")
    assert project.crawl().status == 0
    assert stored(project) == {address("long"): Row(text("long", 1, 2, 3), 3, True, 1)}


KILLING = """
import os
import signal


class Kills:
    def process_item(self, item):
        if "NAME" in item.url:
            os.kill(os.getpid(), signal.SIGKILL)
        return item
"""


def test_an_article_by_number_is_no_page_of_the_front_page_that_its_menu_names(
    project: Project, web: Web
) -> None:
    urls = [f"{HOME}archives/{number}/" for number in (12, 17)]
    for number, url in zip((12, 17), urls, strict=True):
        web.article(
            url, number, more=f'<div><a href="{HOME}">首页</a> <a href="/about">关于</a></div>'
        )
    web.board(HOME, *urls)
    project.topic(ALIKE)
    project.crawl()
    assert project.articles() == set(urls)


ARCHIVES = (1, 12, 17)


def archive(number: int) -> str:
    return f"{HOME}archives/{number}/"


def put_archives(web: Web) -> None:
    """Put articles by number on the web; all but the first name some others by their numbers."""
    for number in ARCHIVES:
        named = (
            "" if number == 1 else f'<a href="{archive(1)}">1</a> <a href="{archive(11)}">11</a>'
        )
        web.article(archive(number), number, more=f"<div>{named}</div>")


@pytest.mark.parametrize("listed", [(1, 12, 17), (17, 12, 1), (12, 17)])
def test_a_page_with_a_heading_of_its_own_to_which_no_pager_leads_is_an_article(
    project: Project, web: Web, listed: tuple[int, ...]
) -> None:
    put_archives(web)
    web.board(HOME, *map(archive, listed))
    project.topic(ALIKE)
    project.crawl()
    assert project.articles() == {*map(archive, ARCHIVES)}
    assert {row.pages for row in stored(project).values()} == {1}
    outcomes = project.outcomes()
    assert {outcomes[archive(number)][0] for number in ARCHIVES} == {"stored"}
    assert project.facts("article_parts") == []


def test_a_page_that_comes_days_after_its_first_page_is_compared_with_what_is_stored(
    project: Project, web: Web
) -> None:
    put_archives(web)
    web.board(HOME, archive(1))
    project.topic(ALIKE)
    project.crawl()
    web.board(HOME, archive(1), archive(12), archive(17))
    project.crawl(FOCUSCRAWL_SHIFT=str(1.1 * 86_400))
    assert project.articles() == {*map(archive, ARCHIVES)}


def put_chapters(web: Web, count: int) -> list[str]:
    """Put a manual on the web, whose chapters lie in files with numbers and lead on to each other by 下一页."""
    names = [
        "安装启动",
        "编写话题",
        "检索词条",
        "查看结果",
        "定时运行",
        "分布抓取",
        "邮件通知",
        "常见疑问",
    ]
    titles = [f"{names[number % 8]}：{chr(0x4E00 + 37 * number) * 6}" for number in range(count)]
    urls = [f"{HOME}guide/page{number:02}.html" for number in range(1, count + 1)]
    web.board(HOME, *zip(urls, titles, strict=True))
    for number, (url, title) in enumerate(zip(urls, titles, strict=True)):
        nearby = "".join(
            f'<a href="{urls[other]}">{word}</a>'
            for other, word in ((number - 1, "上一页"), (number + 1, "下一页"))
            if 0 <= other < count
        )
        text = "".join(f"<p>{line}</p>" for line in lines(title, number))
        web.answers[url] = web.page(
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1><div>{text}</div>"
            f'<div class="nearby">{nearby}</div></body></html>'
        )
    return urls


def test_chapters_in_files_with_numbers_that_lead_on_to_each_other_are_articles_of_their_own(
    project: Project, web: Web
) -> None:
    urls = put_chapters(web, 4)
    project.topic(ALIKE)
    assert project.crawl().status == 0
    found = stored(project)
    assert found.keys() == {*urls}
    assert {row.pages for row in found.values()} == {1}
    assert all(row.complete for row in found.values())


def test_a_look_at_a_chapter_is_none_at_those_behind_it(project: Project, web: Web) -> None:
    urls = put_chapters(web, 40)
    project.topic(ALIKE)
    for day in range(5):
        before = len(web.asked())
        assert run_on(project, day).status == 0
        asked = {one.url for one in web.asked()[before:]}
        assert len(asked.intersection(urls)) <= (40 if day == 0 else 8)
    assert stored(project).keys() == {*urls}


def test_an_article_that_names_its_only_further_page_by_a_number_keeps_it_beside_chapters(
    project: Project, web: Web
) -> None:
    urls = put_chapters(web, 8)
    project.topic(ALIKE)
    project.crawl()
    title, first, second = "地铁盾构施工的经过", f"{HOME}tunnel.html", f"{HOME}tunnel_2.html"
    web.board(HOME, *((url, "地铁") for url in urls), (first, title))
    said = lines(title, 60)
    for url, some in ((first, said[:3]), (second, said[3:])):
        text = "".join(f"<p>{line}</p>" for line in some)
        pager = f'<div>1 <a href="{second}">2</a> <a href="{second}">下一页</a></div>'
        web.answers[url] = web.page(
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1><div>{text}</div>"
            f"{pager * (url == first)}</body></html>"
        )
    run_on(project, 1)
    found = stored(project)
    assert found.keys() == {*urls, first}
    assert (found[first].pages, found[first].complete) == (2, True)
