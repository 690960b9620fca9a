"""Pages of single messages, whose text stands on the page of their thread, are parts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
SAID = [
    "渡口的食品抽检系统从昨天晚上开始打不开,点击查询以后页面一直空白,换了三台电脑和两个浏览器都是这样,重启以后也没有变化。",
    "我在测试机上重现了这个问题,原因是食品批次的编号超过了六位,查询语句把它截断了,所以数据库什么都找不到,补丁附在后面,请试一试。",
    "补丁已经合入主干,今天早上部署到了渡口的服务器上,食品批次可以正常查询了,谢谢报告的人,这个问题可以关闭。",
    "导出食品抽检表格的时候,第二列的日期全部变成了数字,用电子表格打开以后要一列一列地改格式,希望能够直接写成日期。",
    "已经改成直接写日期,同时把表头冻结了,大家下载新的版本试一试,如果还有别的列不对请在这里回复,我会一起处理。",
]


def write_tracker(web: Web, name: str = "message") -> None:
    """Write a tracker: a list of two issues, their messages whole, and a page of each message."""
    issues = {12: ("食品批次查询页面空白", (31, 32, 33)), 13: ("食品表格导出日期错误", (34, 35))}
    for number, (title, messages) in issues.items():
        rows = "".join(
            f'<tr><th><a href="msg{one}">msg{one} (view)</a></th><th>Author: 林月 (lin)</th>'
            f"<th>Date: 2026-11-{one - 20} 08:0{one % 10}</th></tr>"
            f'<tr><td colspan="3"><pre>{SAID[one - 31]}</pre></td></tr>'
            for one in messages
        )
        web.answers[f"{HOME}issue{number}"] = web.page(
            f"<html><head><title>Issue {number}: {title} - 渡口</title></head><body>"
            f"<h1>渡口</h1><div id='content'><h2>Issue{number}</h2><table class='form'><tr><th>Title</th>"
            f"<td>{title}</td></tr><tr><th>Status</th><td>open</td></tr></table>"
            f"<p>Created on 2026-11-{messages[0] - 20} 08:00 by lin, last changed 2026-11-18 09:00.</p>"
            f"<table class='messages'><tr><th colspan='3'>Messages ({len(messages)})</th></tr>{rows}</table></div></body></html>"
        )
    for one, said in enumerate(SAID, start=31):
        web.answers[f"{HOME}msg{one}"] = web.page(
            f"<html><head><title>{name.title()} {one} - 渡口</title></head><body><h1>渡口</h1><div id='content'>"
            f"<h2>{name.title()}{one}</h2><table class='form'><tr><th>Author</th><td>林月 (lin)</td></tr>"
            f"<tr><th>Date</th><td>2026-11-{one - 20} 08:0{one % 10}</td></tr></table>"
            f"<table class='messages'><tr><th>Content</th></tr><tr><td><pre>{said}</pre></td></tr></table></div></body></html>"
        )
    web.board(HOME, *((f"/issue{number}", title) for number, (title, _) in issues.items()))


@pytest.mark.parametrize("copies", ["join", "keep"])
def test_the_page_of_a_message_is_part_of_its_thread(
    project: Project, web: Web, copies: str
) -> None:
    write_tracker(web)
    project.topic(f'[stories]\ncopies = "{copies}"\n')
    assert project.crawl().status == 0
    assert project.articles() == {f"{HOME}issue12", f"{HOME}issue13"}
    outcomes = project.outcomes()
    kinds = {outcomes[f"{HOME}msg{one}"][0] for one in range(31, 36)}
    assert kinds == {"part", "short", "irrelevant"}, "as they were judged before they were compared"
    assert not project.rows("SELECT * FROM story_members WHERE relation = 'copy'")
    said = project.run("explain", "news", f"{HOME}msg31").said
    assert f"{HOME}issue12" in said


def test_a_post_with_a_title_of_its_own_is_no_part_of_the_list_that_shows_it_whole(
    project: Project, web: Web
) -> None:
    write_tracker(web)
    for one in range(31, 36):
        page = web.body(f"{HOME}msg{one}")
        title = f"食品抽检的第{one}份记录"
        own = page.replace(f"Message {one} -", f"{title} -").replace(
            f"<h2>Message{one}<", f"<h2>{title}<"
        )
        web.answers[f"{HOME}msg{one}"] = web.page(own)
    project.topic('[stories]\ncopies = "keep"\n')
    assert project.crawl().status == 0
    assert {f"{HOME}msg31", f"{HOME}msg32"} <= project.articles()
