"""Titles, authors and sources as systems for news and blogs print them, and none that is not there."""

from __future__ import annotations

import pytest

from focuscrawl.features.articles.article import ArticleText, read_article
from focuscrawl.readers.pages.document import Document
from tests.tables import each_row

pytestmark = pytest.mark.article_head

TEXT = (
    "市图书馆的新馆向读者开放，馆里有三十万册图书，二楼是儿童阅览室，三楼可以借外文期刊。",
    "“我们等了五年，”一位退休教师说，“现在走路十分钟就能到，周末可以带着孩子来看书。”",
    "据馆长介绍，新馆的建设用了三年，屋顶的太阳能板可以供给全馆三分之一的用电，夏天还有余。",
)
TITLE = "新馆向读者开放"


def read(parts: str, *, head: str = "", title: str = f"{TITLE} - 城市新闻网") -> ArticleText:
    """Read a page: {text} in ``parts`` is where the article's paragraphs stand."""
    text = "".join(f"<p>{line}</p>" for line in TEXT)
    body = parts.replace("{text}", text)
    markup = f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    document = Document.read(markup.encode(), url="http://news.example/city/123.html")
    article = read_article(document, fetched=None, timezone="Asia/Shanghai", language="zh")
    assert article is not None
    return article


@each_row(
    ("above", "author"),
    [
        ("<p>作者：张三丰</p>", "张三丰"),
        ("<p>作者: <a href='/u/1'>张三丰</a></p>", "张三丰"),
        ("<p><span>作者：</span><span>张三丰</span></p>", "张三丰"),
        ("<p>文 | 张三丰</p>", "张三丰"),
        ("<p>文/张三丰 图/李四光</p>", "张三丰"),
        ("<p>撰文：张三丰</p>", "张三丰"),
        ("<p>本报记者 张三丰</p>", "张三丰"),
        ("<p>记者：张三丰　编辑：李四光</p>", "张三丰"),
        ("<p>新华社记者张三丰、李四光</p>", "张三丰、李四光"),
        ("<p>（记者 张三丰 通讯员 李四光）</p>", "张三丰"),
        ("<p>中新社记者 张三丰 摄</p>", ""),
        ("<p>本文作者：张三丰，系市图书馆馆长</p>", "张三丰"),
        ("<p>原创： 张三丰</p>", "张三丰"),
        ("<p>Posted by Zhang San on 2019-03-05</p>", "Zhang San"),
        ("<p>By Jane Lin</p>", "Jane Lin"),
        ("<p>By JANE LIN</p>", "JANE LIN"),
        ("<p>By <a href='/jane' rel='author'>Jane Lin</a></p>", "Jane Lin"),
        ("<p>By Jane Lin, City News</p>", "Jane Lin"),
        ("<p>By Jane Lin | March 5, 2019</p>", "Jane Lin"),
        ("<p>Written by Jane Lin</p>", "Jane Lin"),
        ("<p>Author: Jane Lin</p>", "Jane Lin"),
        ("<span itemprop='author' itemscope><span itemprop='name'>张三丰</span></span>", "张三丰"),
        ("<span itemprop='author'>张三丰</span>", "张三丰"),
        ("<span class='author vcard'><a class='url fn n' href='/a'>张三丰</a></span>", "张三丰"),
        ("<a rel='author' href='/a'>张三丰</a>", "张三丰"),
        ("<ul class='post-copyright'><li><strong>本文作者： </strong>张三丰</li></ul>", "张三丰"),
        ("<p>作者：admin</p>", ""),
        ("<p>作者：本站编辑</p>", ""),
        ("<p>作者：</p><p>点击：31</p>", ""),
        ("<p>作者：&nbsp;来源：城市日报</p>", ""),
        ("<p>责任编辑：李四光</p>", ""),
        ("<p>记者从市图书馆获悉</p>", ""),
        ("<p>记者昨日来到新馆</p>", ""),
        ("<p>作者授权发布</p>", ""),
        ("<p>By the way, the library is open.</p>", ""),
        ("<p>作者：张三丰 (zhang@example.com)</p>", "张三丰"),
        ("<p>张三丰 2019-03-05</p>", "张三丰"),
        ("<p>江南区 2019-03-05</p>", ""),
        ("<span hidden itemprop='author' itemscope itemtype='http://schema.org/Person'><meta itemprop='image' content='/a.png'><meta itemprop='name' content='张三丰'></span>", "张三丰"),
        ("<p>文｜张三丰</p>", "张三丰"),
        ("<p>采写：张三丰</p>", "张三丰"),
        ("<p>采写｜城市日报记者 张三丰</p>", "张三丰"),
        ("<p>□ 本报记者 张三丰</p>", "张三丰"),
        ("<p>■记者 张三丰 通讯员 李四光 报道</p>", "张三丰"),
        ("<p>本报记者 张三丰 摄影报道</p>", "张三丰"),
        ("<p>城市日报讯（记者张三丰）新馆向读者开放。</p>", "张三丰"),
        ("<p>来源：城市日报（记者张三丰）</p>", "张三丰"),
        ("<p>作者简介：张三丰，市图书馆馆长。</p>", ""),
        ("<p>译者：李四光</p>", ""),
        ("<p>作者 | 张三丰</p>", "张三丰"),
        ("<p>作者丨张三丰 编辑丨李四光</p>", "张三丰"),
        ("<p>作者/张三丰</p>", "张三丰"),
        ("<p>原创 张三丰 城市读书 2019-03-05</p>", "张三丰"),
        ("<p>撰稿：张三丰</p>", "张三丰"),
        ("<p>作 者：张 三</p>", "张三"),
        ("<p>【作者】张三丰</p>", "张三丰"),
        ("<p>[作者：张三丰]</p>", "张三丰"),
        ("<p>作者：张三丰　李四光</p>", "张三丰 李四光"),
        ("<p>作者：张三丰、李四光</p>", "张三丰、李四光"),
        ("<p>作者：Jane Lin</p>", "Jane Lin"),
        ("<p>作者：jane_lin</p>", "jane_lin"),
        ("<p>记者 張三豐／台北報導</p>", "張三豐"),
        ("<p>記者張三豐／台北報導</p>", "張三豐"),
        ("<p>〔記者張三豐／台北報導〕新館開放。</p>", "張三豐"),
        ("<p>By JANE LIN and BOB LEE</p>", "JANE LIN and BOB LEE"),
        ("<p>By Jane Lin and Bob Lee | March 5, 2019</p>", "Jane Lin and Bob Lee"),
        ("<p>By Jane Lin for City News</p>", "Jane Lin"),
        ("<p>by <a href='/jane'>Jane Lin</a></p>", "Jane Lin"),
        ("<p>Words by Jane Lin</p>", "Jane Lin"),
        ("<p>By Jane Lin, Bob Lee and Ann Wu</p>", "Jane Lin, Bob Lee and Ann Wu"),
        ("<p>By Jane Lin 5 March 2019</p>", "Jane Lin"),
        ("<p>By Jane Lin • 3 min read</p>", "Jane Lin"),
        ("<p>Published by Jane Lin</p>", "Jane Lin"),
        ("<p>By City News Staff</p>", "City News Staff"),
        ("<p>By using this site you agree</p>", ""),
        ("<p>By Appointment Only</p>", ""),
        ("<a class='follow-nickName' href='/u'>张三丰</a>", "张三丰"),
        ("<span class='author-name'>张三丰</span>", "张三丰"),
        ("<span class='post-author'>张三丰</span>", "张三丰"),
        ("<a class='AuthorInfo-name' href='/u'>张三丰</a>", "张三丰"),
        ("<a class='AuthorInfo-name' href='/u'>读书人</a>", ""),
        ("<p>编辑：李四光</p>", ""),
        ("<p>记者了解到</p>", ""),
        ("<p>作者有话说</p>", ""),
        ("<p>作者：未知</p>", ""),
        ("<p>本文作者为市图书馆馆长</p>", ""),
        ("<p>新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，馆长说以后每天都开。（记者 张三丰）</p>", "张三丰"),
        ("<p>城市日报讯（记者 张三丰 通讯员 李四光）新馆今天向读者开放，市民在门前排起了长队。新馆今天向读者开放，市民在门前排起了长队。新馆今天向读者开放，市民在门前排起了长队。新馆今天向读者开放，市民在门前排起了长队。新馆今天向读者开放，市民在门前排起了长队。</p>", "张三丰"),
        ("<p>新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，新馆今天向读者开放，市民在门前排起了长队，馆长说以后每天都开。（张三丰 上海报道）</p>", "张三丰"),
        ("<p>新馆今天向读者开放，新馆今天向读者开放，新馆今天向读者开放，新馆今天向读者开放，新馆今天向读者开放，新馆今天向读者开放，新馆今天向读者开放，新馆今天向读者开放，馆长告诉（记者）说以后每天都开。</p>", ""),
    ],
)  # fmt: skip
def test_authors_are_named_by_what_introduces_them(above: str, author: str) -> None:
    assert read(f"<h1>{TITLE}</h1>{above}{{text}}").author == author


@each_row(
    ("above", "author"),
    [
        ("<p>张三丰</p>", "张三丰"),
        ("<div><span>张　丰</span></div>", "张丰"),
        ("<p>张三丰　李　光</p>", "张三丰 李光"),
        ("<p>张三丰<sup>1</sup>，李 光<sup>2*</sup></p>", "张三丰，李光"),
        ("<p>张三丰、风四娘</p>", "张三丰、风四娘"),
        ("<p>欧阳三丰</p>", "欧阳三丰"),
        ("<p> 胡平<br><br>馆里</p>", "胡平"),
        ("<p>□ 张丰</p>", "张丰"),
        ("<p>——张三丰 李四光</p>", "张三丰 李四光"),
        ("<p>文 张三丰</p>", "张三丰"),
        ("<p>[美]约翰·史密斯</p>", "约翰·史密斯"),
        ("<p>高考</p>", ""),
        ("<p>文化</p>", ""),
        ("<p>黄山</p>", ""),
        ("<p>石家庄</p>", ""),
        ("<p>读书</p>", ""),
        ("<p>中国·沿江</p>", ""),
        ("<ul><li>张三丰</li><li>李四光</li></ul>", ""),
        ("<table><tr><td>张家渡</td><td>李家渡</td></tr></table>", ""),
        ("<p>主讲人<b>张三丰</b>昨天来了</p>", ""),
    ],
)  # fmt: skip
def test_persons_alone_below_the_title_wrote_it(above: str, author: str) -> None:
    assert read(f"<h1>{TITLE}</h1>{above}{{text}}").author == author


def test_whom_the_title_names_and_the_line_below_it_wrote_the_article() -> None:
    title = "茉花：新馆向读者开放"
    text = f"<h1>{title}</h1><p>茉花</p>{{text}}"
    assert read(text, title=title).author == "茉花"
    assert (
        read(f"<h1>{title}</h1><p>读者在<span>茉花</span>等候</p>{{text}}", title=title).author
        == ""
    )


@each_row(
    ("line", "author"),
    [
        ("本贴由<b>小雨</b>于2005年8月12日16:12:21在〖<a href='/b'>读书</a>〗发表", "小雨"),
        ("本文由 <b>书虫</b> 于 2003-07-08 22:10:05 发表在 <a href='/b'>读书</a>", "书虫"),
        ("<a href='/u/7'>shuchong</a> 发表于 2005-9-15 11:46:00", "shuchong"),
        ("<a href='/c/7'>新闻中心</a> 发表于 2005-9-15 11:46:00", ""),
        ("本文 发表于 2005-9-15", ""),
        ("〓 读书 话题 发布时间 2005/03/15 22:36:13 by <a href='/u'>shuchong</a> 〓", "shuchong"),
        ("posted @ <span>2021-08-09 10:00</span> <a href='/'>好看的书</a> 阅读(<b>3</b>) 评论(0)", "好看的书"),
        ("2020-4-21 22:02 | 发布者: <a href='/u'>读书管理员</a> | 查看: 54", "读书管理员"),
        ("发布人：办公室 2020-4-21", ""),
        ("来自手机 发表于 2020-4-21", ""),
        ("2020/04/21 22:02 张三丰", "张三丰"),
        ("2020年4月21日　浏览次数：54　张三丰", "张三丰"),
        ("2020/04/21 成功", ""),
        ("张三丰 城市日报 2020-04-21", "张三丰"),
        ("2020-04-21 10:00 | 张三丰 | 城市日报", "张三丰"),
        ("由张三丰 2020年4月21日 发布", "张三丰"),
    ],
)  # fmt: skip
def test_the_words_around_a_date_name_who_posted(line: str, author: str) -> None:
    assert read(f"<h1>{TITLE}</h1><div>{line}</div>{{text}}").author == author


@each_row(
    ("end", "author"),
    [
        ("（县交通局　张　丰　李四光）", "张丰 李四光"),
        ("（沿江中学 张三丰）", "张三丰"),
        ("（文/图　张　丰　李四光）", "张丰 李四光"),
        ("整合 城市日报·渡口点记者 张三丰", "张三丰"),
        ("（本报全媒体记者 张三丰 通讯员 李四光）", "张三丰"),
        ("（责任编辑：张三丰）", ""),
        ("（作者单位：沿江中学）", ""),
        ("（图中为张三丰的书）", ""),
        ("（详见附表）", ""),
        ("（张三丰系沿江学院教授）", "张三丰"),
        ("（李某系张某近亲属）", ""),
        ("（李白系唐代诗人）", ""),
        ("（张三丰 李四光/文）", "张三丰 李四光"),
        ("<p align=right>张三丰</p>", "张三丰"),
        ("<p style='text-align: right'>张三丰 2019年3月5日</p>", "张三丰"),
        ("<p align=right>沿江县教育局</p>", ""),
        ("<p>供稿：张三丰</p>", "张三丰"),
        ("<p>供稿：团委 文学院</p>", ""),
        ("<p>主席：李四光 评论人：张三丰</p>", ""),
        ("（编辑 张三丰）", ""),
    ],
)
def test_the_bracket_that_ends_a_text_names_its_author(end: str, author: str) -> None:
    assert read(f"<h1>{TITLE}</h1>{{text}}<p>馆长说以后每天都开。{end}</p>").author == author


@each_row(
    ("above", "title", "author"),
    [
        ("<h1><a href='/'>张三丰的博客</a></h1>", f"{TITLE} - 张三丰的博客", "张三丰"),
        ("<h1><a href='/z/'>张三丰</a></h1>", "", "张三丰"),
        ("<h1><a href='/'>城市网的博客</a></h1>", f"{TITLE} - 城市网的博客", ""),
        ("<h1><a href='/'>我的博客</a></h1>", f"{TITLE} - 我的博客", ""),
        ("<p>发文机关：<span>沿江县人民政府</span></p>", TITLE, "沿江县人民政府"),
        ("<p>［英］约翰·哈格里夫斯 著　　李四光 译</p>", TITLE, "约翰·哈格里夫斯"),
        ("<p>作者：周小博 (Joe Smith)</p>", TITLE, "周小博 (Joe Smith)"),
        ("<p>作者：约翰·哈格里夫斯</p>", TITLE, "约翰·哈格里夫斯"),
        ("<p>作者：[英]约翰·哈格里夫斯</p>", TITLE, "约翰·哈格里夫斯"),
        ("<p>撰稿：张三丰 摄影：李四光 审核：王五</p>", TITLE, "张三丰"),
        ("<p>文字：张三丰 图片：李四光</p>", TITLE, "张三丰"),
        ("<p>本刊记者/张三丰 编辑/李四光</p>", TITLE, "张三丰"),
        ("<p>本报评论员 张三丰</p>", TITLE, "张三丰"),
        ("<p>本报江城3月5日电 记者张三丰报道：昨天</p>", TITLE, "张三丰"),
        ("<p>城市社记者张三丰江城报道：昨天，渔民出海了。</p>", TITLE, "张三丰"),
        ("<p>读书</p>", f"{TITLE}_张三丰_城市博客", "张三丰"),
        ("<p>读书</p>", f"{TITLE}_张三丰_城市明星网", ""),
        ("<span id='author_baidu'>张三丰</span>", TITLE, "张三丰"),
    ],
)
def test_owners_organs_and_foreigners_are_authors(above: str, title: str, author: str) -> None:
    assert read(f"{above}<h2>{TITLE}</h2>{{text}}", title=title).author == author


@each_row(
    ("head", "author"),
    [
        ('<meta name="author" content="张三丰">', "张三丰"),
        ('<meta name="author" content="张三丰,zhang@example.com">', "张三丰"),
        ('<meta name="author" content="zhang@example.com">', ""),
        ('<meta name="author" content="www.news.example,城市日报,城市网">', "城市日报,城市网"),
        ('<meta name="author" content="admin">', ""),
        ('<meta property="article:author" content="https://social.example/zhang">', ""),
        ('<meta name="author" content="城市新闻网">', ""),
        ('<meta name="byl" content="By Jane Lin">', "Jane Lin"),
        ('<script type="application/ld+json">{"@type":"Article","author":{"@type":"Person","name":"张三丰"}}</script>', "张三丰"),
        ('<script type="application/ld+json">{"@type":"Article","author":"张三丰"}</script>', "张三丰"),
        ('<script type="application/ld+json">{"@type":"Article","author":[{"name":"张三丰"},{"name":"李四光"}]}</script>', "张三丰, 李四光"),
        ('<script type="application/ld+json">{"@graph":[{"@type":"Article","author":{"@id":"#p"}},{"@type":"Person","@id":"#p","name":"张三丰"}]}</script>', "张三丰"),
        ('<script type="application/ld+json">{"@type":"Article","author":{"name":"admin"}}</script>', ""),
        ('<script type="application/ld+json">{"@type":"Article","author":{"name":"城市百科贡献者"}}</script>', ""),
        ('<script type="application/ld+json">{"@type":"WebSite","author":{"name":"城市新闻网"}}</script>', ""),
    ],
)  # fmt: skip
def test_authors_that_markup_names_are_people(head: str, author: str) -> None:
    assert read(f"<h1>{TITLE}</h1>{{text}}", head=head).author == author


def test_a_blog_may_be_called_as_the_one_who_writes_it() -> None:
    head = '<meta name="author" content="张三丰">'
    assert read("{text}", head=head, title=f"{TITLE} | 张三丰").author == "张三丰"


@pytest.mark.parametrize(
    "below",
    [
        "<ol class='comments'><li><span class='author'>李四光</span> 说：<p>好！</p></li></ol>",
        "<div class='comments'><p>作者：李四光</p></div>",
        "<div class='related'><a rel='author' href='/b'>李四光</a></div>",
        "<aside><p>作者：李四光</p><p>最新文章</p></aside>",
    ],
)
def test_who_wrote_something_else_on_the_page_is_not_its_author(below: str) -> None:
    assert read(f"<h1>{TITLE}</h1>{{text}}{below}").author == ""


@each_row(
    ("above", "source"),
    [
        ("<p>来源：城市日报</p>", "城市日报"),
        ("<p>2019-03-05 10:20　来源： 城市日报　作者：张三丰</p>", "城市日报"),
        ("<p>来源:<a href='/'>城市日报</a></p>", "城市日报"),
        ("<p><span>来源：</span><span>城市日报</span></p>", "城市日报"),
        ("<p>【来源：城市日报】</p>", "城市日报"),
        ("<p>（来源：城市日报）</p>", "城市日报"),
        ("<p>来源：《城市日报》</p>", "城市日报"),
        ("<p>稿件来源：城市日报 责任编辑：李四光</p>", "城市日报"),
        ("<p>來源：城市日報</p>", "城市日報"),
        ("<p>本文转自：城市日报</p>", "城市日报"),
        ("<p>文章来源于：城市日报</p>", "城市日报"),
        ("<p>Source: City Daily News</p>", "City Daily News"),
        ("<p>来源：</p><p>作者：张三丰</p>", ""),
        ("<p>来源：&nbsp;作者：张三丰</p>", ""),
        ("<p>信息来源：2019-03-05</p>", ""),
        ("<p>作者： size=\"20\" 来源： size=\"20\" 发布日期： 2019-03-05</p>", ""),
        ("<p>图片来源：视觉图库</p>", ""),
        ("<p>数据来源：统计局</p>", ""),
        ("<p>资金来源：财政拨款</p>", ""),
        ("<p>收入来源：工资</p>", ""),
        ("<p>这些书的来源：捐赠和购买。</p>", ""),
        ("<p>来源：本站</p>", "本站"),
        ("<p>来源：未知</p>", ""),
        ("<p>来源：http://daily.example/1.html</p>", "http://daily.example/1.html"),
        ("<p>来源：城市日报 2019-03-05</p>", "城市日报"),
        ("<p>来源 | 城市日报</p>", "城市日报"),
        ("<p>来源丨城市日报</p>", "城市日报"),
        ("<p>来源/城市日报</p>", "城市日报"),
        ("<p>【来源】城市日报</p>", "城市日报"),
        ("<p>本文来源：城市日报</p>", "城市日报"),
        ("<p>文章来源：城市日报 作者：张三丰</p>", "城市日报"),
        ("<p>本文转载自《城市日报》，作者张三丰。</p>", "城市日报"),
        ("<p>信息来源：市文旅局</p>", "市文旅局"),
        ("<p>来源：城市日报客户端</p>", "城市日报客户端"),
        ("<p>來源：中央社</p>", "中央社"),
        ("<p>原载《城市日报》2019年3月5日</p>", "城市日报"),
        ("<p>热量来源：脂肪</p>", ""),
        ("<p>食物来源：鸡蛋</p>", ""),
        ("<p>Source: http://www.city.example/a</p>", "http://www.city.example/a"),
        ("<p>(Source: City Daily)</p>", "City Daily"),
        ("<p>病毒的来源：蝙蝠</p>", ""),
        ("<p>来源：综合</p>", "综合"),
        ("<p>稿源：城市日报</p>", "城市日报"),
        ("<p>消息来源：城市日报</p>", "城市日报"),
        ("<p>来源于：城市日报</p>", "城市日报"),
        ("<p>文章来自：城市日报</p>", "城市日报"),
    ],
)  # fmt: skip
def test_sources_are_those_of_the_article(above: str, source: str) -> None:
    assert read(f"<h1>{TITLE}</h1>{above}{{text}}").source_name == source


@each_row(
    ("page_title", "body", "title"),
    [
        ("新馆向读者开放_城市新闻网", "<h1>新馆向读者开放</h1>", "新馆向读者开放"),
        ("新馆向读者开放-城市新闻网", "", "新馆向读者开放"),
        ("新馆向读者开放--文化--城市新闻网", "", "新馆向读者开放"),
        ("城市新闻网 | 新馆向读者开放，市民排队", "", "新馆向读者开放，市民排队"),
        ("城市新闻网_文化频道_新馆开放", "<h1>新馆开放</h1>", "新馆开放"),
        ("新馆开放", "<h1><a href='/'>城市新闻网</a></h1><h2>新馆开放</h2>", "新馆开放"),
        ("新馆开放 - 林的博客", "<h1 class='site-title'>林的博客</h1><h2>新馆开放</h2>", "新馆开放"),
        ("林的很长很长的博客名字 | 新馆", "<h1 class='post-title'>新馆</h1>", "新馆"),
        ("C++ - 林的博客", "<h1>C++</h1>", "C++"),
        ("The new library opens | City News", "<h1>The new library opens</h1>", "The new library opens"),
        ("The new library opens – Lin's very long blog about libraries", "<h1>The new library opens</h1>", "The new library opens"),
        ("The new library opens - News", "<h1>The library</h1><h2>News</h2>", "The new library opens"),
        ("城市新闻网", "<h1>新馆向读者开放</h1>", "新馆向读者开放"),
        ("", "<h1>新馆向读者开放</h1>", "新馆向读者开放"),
        ("", "<h2>新馆向读者开放</h2><h3>相关文章</h3>", "新馆向读者开放"),
        ("新馆 - 读者的家 - 城市新闻网", "<h1>新馆 - 读者的家</h1>", "新馆 - 读者的家"),
        ("【专题】新馆向读者开放（图）_城市新闻网", "", "【专题】新馆向读者开放（图）"),
        ("新馆开放 | 林的图书馆学笔记和读书随想录", "<div class='title'>新馆开放</div>", "新馆开放"),
        ("城市新闻网", "<div class='arti_title'>新馆向读者开放</div>", "新馆向读者开放"),
        ("", "<center><b>新馆向读者开放</b></center><center>2019-03-05</center>", "新馆向读者开放"),
        ("欢迎访问城市图书馆网站", "<p align=center><font size=5>新馆向读者开放，市民排队</font></p><p>作者：林</p>", "新馆向读者开放，市民排队"),
        ("新馆向读者开放 · 城市", "<h1><a href='http://news.example/'>城市</a></h1><h2>新馆向读者开放</h2>", "新馆向读者开放"),
        ("Lin's notes on libraries | The new library opens", "<h1><a href='http://news.example/'>Lin's notes on libraries</a></h1><h2>The new library opens</h2>", "The new library opens"),
        ("新馆向读者开放-CNW 城市新闻", "<h4>新馆向读者开放</h4>", "新馆向读者开放"),
        ("(12) 新馆向读者开放 - 城市论坛", "<h1>新馆向读者开放</h1>", "新馆向读者开放"),
        ("新馆向读者开放 第2页 - 城市新闻网", "<h1>新馆向读者开放</h1>", "新馆向读者开放"),
        ("新馆向读者开放_百度百科", "", "新馆向读者开放"),
        ("新馆 - 维基百科，自由的百科全书", "<h1 id='firstHeading'>新馆</h1>", "新馆"),
        ("新馆向读者开放 - 知乎", "<h1 class='Post-Title'>新馆向读者开放</h1>", "新馆向读者开放"),
        ("新馆向读者开放_林小明的博客-CSDN博客", "<h1 class='title-article'>新馆向读者开放</h1>", "新馆向读者开放"),
        ("新馆向读者开放 - 林小明 - 博客园", "<h1 class='postTitle'><a href='/p/1.html'><span>新馆向读者开放</span></a></h1>", "新馆向读者开放"),
        ("城市日报", "<h2>新馆向读者开放</h2><h3>市民排队</h3>", "新馆向读者开放"),
        ("新馆向读者开放", "<h1>城市新闻</h1>", "新馆向读者开放"),
        ("What is a library? - City Docs", "<h1>What is a library?<a class='headerlink' href='#x'>¶</a></h1>", "What is a library?"),
        ("What is a library? - City Docs", "<h1>What is a library?<a class='headerlink' href='#x'>\uf0c1</a></h1>", "What is a library?"),
        ("Learn C# - City Docs", "<h1>Learn C#<a href='#x'>#</a></h1>", "Learn C#"),
        ("新馆向读者开放&#65293;城市新闻网", "<h1>新馆向读者开放</h1>", "新馆向读者开放"),
        ("新馆向读者开放-首页-城市新闻网", "", "新馆向读者开放"),
        ("新闻中心-城市公司官方网站有限责任公司", "<div class='newstitle'>新馆向读者开放</div><div>时间：2019-03-05</div>", "新馆向读者开放"),
    ],
)  # fmt: skip
def test_titles_are_without_the_name_of_their_site(page_title: str, body: str, title: str) -> None:
    assert read(f"{body}{{text}}", title=page_title).title == title
