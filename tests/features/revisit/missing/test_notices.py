"""Notices: pages that say in place of their content that it is not there any more."""

from __future__ import annotations

import pytest

from focuscrawl.features.revisit.missing.notices import LONGEST_NOTICE, SENTENCES, notice_in
from focuscrawl.readers.pages.document import Document
from tests.cost import holds
from tests.tables import each_row

pytestmark = pytest.mark.notices

NOTICES = """
抱歉，指定的主题不存在或已被删除或正在被审核
提示信息：抱歉，指定的主题不存在或已被删除或正在被审核
您访问的页面不存在或已删除！
很抱歉，您要访问的页面不存在
404 抱歉，您访问的页面找不到了
该文章已被作者删除
文章不存在或已被删除
该内容已被发布者删除
此内容因违规无法查看
该信息已过期
信息不存在或者还未通过审批！
很抱歉,该贴已被删除
抱歉,贴子不存在或已被删除。
此帖已被管理员删除
该商品已下架
您所访问的地址并不存在
找不到您访问的页面
没有找到您要访问的页面
该职位已过期
您查看的文章不存在
页面没有找到
当前音频已被作者删除
你要查看的帖子已被楼主删除
该页无法显示
该链接已失效
该文章《食品抽检》已被删除
该内容似乎已经被删除
抱歉，您访问的食品安全抽检结果页面不存在或者已经被删除
This topic does not exist yet
You've followed a link to a topic that doesn't exist yet. If permissions allow, you may create it.
The requested topic does not exist.
The requested page could not be found.
The topic or board you are looking for appears to be either missing or off limits to you.
The specified thread does not exist.
Invalid Thread specified. If you followed a valid link, please notify the administrator
No thread specified
Article not found
404 Not Found
There is currently no text in this page.
This page has been deleted.
Oops! That page can't be found.
Nothing Found
It looks like nothing was found at this location. Maybe try a search?
Sorry, but the page you requested, /a/b.html, has been removed and is no longer available.
The content you were trying to access has been deleted and is no longer available.
This post was deleted
We could not locate the item you are trying to view.
Sorry, we couldn't find that page
Oops! That page doesn't exist or is private.
This listing has expired
The page you are looking for doesn't exist or has been moved.
The job you are looking for is no longer open
Topic specified couldn't be found.
Content Removed
""".strip().splitlines()

NEWS = """
市监局：三家企业的网页已被删除
昨日，一篇关于食品安全的文章已被作者删除，引发网友热议
记者发现，该公司发布的文章已被删除
您的登录信息已过期，请重新登录
认证信息已过期，请重新登录
食品安全不存在死角
该企业不存在违法行为
产品不存在质量问题
该项目已经结束招标，中标公示如下
公司已关闭两家门店
该公司已被关闭
问题食品已下架
没有问题
市民反映的问题已解决
活动已结束
文件下载
Facebook says the page was removed after complaints
Court orders newspaper to delete article
Three articles were retracted by the journal
The company has removed the page that listed its suppliers
Products were removed from shelves
Product recall: items have been removed from sale
The article was published yesterday
The board was dissolved
The missing link
This question was removed from the exam
""".strip().splitlines()


def page(said: str, *paragraphs: str, title: str = "食品安全网") -> Document:
    """Return a page with menus around what it says."""
    menu = "".join(
        f'<li><a href="/{n}.html">关于食品安全抽检的通告第{n}号</a></li>' for n in range(20)
    )
    text = "".join(f"<p>{one}</p>" for one in paragraphs)
    body = f"<html><head><title>{title}</title></head><body><ul>{menu}</ul><div><p>{said}</p>{text}</div></body></html>"
    return Document.read(body.encode(), url="http://a.cn/1.html", content_type="text/html; charset=utf-8")  # fmt: skip


@each_row("said", NOTICES)
def test_what_software_says_in_the_place_of_a_deleted_page_is_a_notice(said: str) -> None:
    assert notice_in(page(said))
    assert notice_in(page("", title=said))
    assert notice_in(page("可能的原因有以下几点:", said, "您可以返回首页,或者联系网站的管理员。"))


@each_row("said", NEWS)
def test_news_about_deletions_and_other_short_pages_are_no_notices(said: str) -> None:
    assert not notice_in(page(said))


def test_a_page_with_more_text_than_a_notice_has_is_none() -> None:
    text = "监管部门今天公布了抽检的有关情况,不合格的产品已经全部召回。" * (LONGEST_NOTICE // 20)
    assert not notice_in(page("该文章已被作者删除。", text))


@pytest.mark.timed
@pytest.mark.parametrize(
    "unit",
    ["您访问的", "提示", "不存在或", "the page you ", "已经被", "nothing was found ", "'", "，"],
)
def test_hostile_sentences_cost_no_time(unit: str) -> None:
    document = page(unit * 20_000, *[(unit * 160)[:160]] * 300)
    holds(lambda: notice_in(document))


@pytest.mark.timed
@pytest.mark.parametrize("blank", [" ", "\u3000", "\xa0", " -", "\t"])
def test_a_line_of_blanks_costs_no_time(blank: str) -> None:
    holds(lambda: SENTENCES.split("x" + blank * 40_000 + "x"))


@each_row("sign", ["-", "–", "_", "·", " -  "])
def test_a_notice_in_a_title_stands_beside_the_name_of_its_site(sign: str) -> None:
    assert (
        notice_in(page("", title=f"食品安全网 {sign} 您访问的页面不存在")) == "您访问的页面不存在"
    )
    assert notice_in(page("", title=f"Page not found{' ' * 300}{sign} Food")) == "Page not found"
