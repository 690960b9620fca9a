"""Dates as systems for news, blogs and forums print them, and dates that are not the article's."""

from __future__ import annotations

import pytest

from tests.features.articles.dates.dated import E1, H1, page, read, read_english
from tests.tables import each_row

pytestmark = pytest.mark.article_date


@each_row(
    ("parts", "expected"),
    [
        # WordPress, its Chinese themes
        (f'<article>{H1}<div class="entry-meta"><span class="posted-on">发表于 <a href="/x" rel="bookmark"><time class="entry-date published" datetime="2019-03-05T21:10:00+08:00">2019年3月5日</time><time class="updated" datetime="2021-01-01T00:00:00+08:00">2021年1月1日</time></a></span></div>{{text}}</article>', "2019-03-05 21:10"),
        (f'<article>{H1}<div class="entry-meta"><a href="/2019/03/"><time class="updated" datetime="2021-01-01T00:00:00+08:00">2021年1月1日</time><time class="entry-date published" datetime="2019-03-05T21:10:00+08:00">2019年3月5日</time></a></div>{{text}}</article>', "2019-03-05 21:10"),
        (f'<div class="post">{H1}<div class="post-meta"><a href="/author/lin">林</a> / <a href="/x">2019 年 3 月 5 日</a> / <a href="#c">3 条评论</a></div>{{text}}</div>', "2019-03-05"),
        (f'<div class="post">{H1}<span class="date">三月 5, 2019</span>{{text}}</div>', "2019-03-05"),
        # Hexo, Hugo, Jekyll
        (f'<article>{H1}<span class="post-time"><span class="post-meta-item-text">发表于</span><time title="创建于" itemprop="dateCreated datePublished" datetime="2016-07-02T21:10:36+08:00">2016-07-02</time></span><span class="post-updated">更新于<time itemprop="dateModified" datetime="2017-11-09T08:00:00+08:00">2017-11-09</time></span>{{text}}</article>', "2016-07-02 21:10"),
        (f'<article>{H1}<time datetime="2016-07-02T13:10:36.000Z" itemprop="datePublished">7月 2 2016</time>{{text}}</article>', "2016-07-02 21:10"),
        (f'<article>{H1}<div class="post-meta"><time datetime="2016-07-02 21:10:36 +0800 CST">July 2, 2016</time> · 5 分钟</div>{{text}}</article>', "2016-07-02 21:10"),
        (f'<article>{H1}<p class="post-meta">2016.07.02 / 技术 / 约 2000 字</p>{{text}}</article>', "2016-07-02"),
        # Discuz, phpBB
        ('<h1 class="ts"><span id="thread_subject">新馆向读者开放</span></h1><div class="authi"><a href="u">林</a><em id="authorposton1">发表于 2013-5-8 21:07:33</em></div><div class="t_f">{text}</div><div class="authi"><em id="authorposton2">发表于 2013-5-9 08:00:01</em></div><div class="t_f">好消息！</div>', "2013-05-08 21:07"),
        ('<h1>新馆向读者开放</h1><em id="authorposton1">发表于 <span title="2026-11-18 09:01:02">前天&nbsp;09:01</span></em><div class="t_f">{text}</div>', "2026-11-18 09:01"),
        # Sina, 163, Sohu, people.com.cn, xinhua, ifeng
        (f'{H1}<div class="date-source"><span class="date">2019年09月09日 20:52</span> <a class="source">城市日报</a></div>{{text}}', "2019-09-09 20:52"),
        (f'{H1}<div class="post_time_source">2018-12-28 19:56:29　来源: <a id="ne_article_source" href="#">城市日报</a></div>{{text}}', "2018-12-28 19:56"),
        (f'{H1}<div class="article-info"><span class="time" id="news-time" data-val="1567854300000">2019-09-07 19:05</span> 来源:<span>城市日报</span></div>{{text}}', "2019-09-07 19:05"),
        (f'{H1}<div class="box01"><div class="fl">2019年06月15日09:19&nbsp;&nbsp;来源：<a href="/">城市日报</a></div></div>{{text}}', "2019-06-15 09:19"),
        (f'{H1}<div class="h-info"><span class="h-time"> 2018-05-17 08:11:02</span> 来源： <em id="source">城市日报</em></div>{{text}}', "2018-05-17 08:11"),
        (f'<div class="header-time left"><span class="year"><em>2021</em></span><span class="day"><em>01</em>/<em>05</em></span><span class="time">07:15:29</span></div>{H1}<div class="header-cont">来源：城市日报</div>{{text}}', "2021-01-05 07:15"),
        (f'{H1}<p class="p_time"><span itemprop="datePublished" class="ss01">2016年03月04日 10:20:30</span><br>来源：城市日报</p>{{text}}', "2016-03-04 10:20"),
        # gov.cn and the systems of authorities
        ('<table class="bd1"><tr><td>索 引 号：</td><td>000014349/2020-00016</td><td>主题分类：</td><td>文化</td></tr><tr><td>发文机关：</td><td>市政府</td><td>成文日期：</td><td>2020年03月13日</td></tr><tr><td>标　　题：</td><td>新馆向读者开放</td></tr><tr><td>发文字号：</td><td>市政发〔2020〕3号</td><td>发布日期：</td><td>2020年03月20日</td></tr></table>{text}', "2020-03-20"),
        (f'{H1}<div class="pages-date">2020-03-20 16:40 <span class="font">来源： 市政府办公厅</span><span>【字体：大 中 小】</span></div>{{text}}', "2020-03-20 16:40"),
        (f'{H1}<div class="info">发布时间：2020-03-20　　浏览次数：<span>31</span>次　　字号：[ 大 中 小 ]</div>{{text}}', "2020-03-20"),
        (f'{H1}<div class="xxgk">发布日期：2020/3/20 16:40:12　有效性：有效　信息来源：文旅局</div>{{text}}', "2020-03-20 16:40"),
        (f'{H1}<p>[发布时间]2020年03月20日 [来源]文旅局</p>{{text}}', "2020-03-20"),
        (f'{H1}<div class="info">来源：本站　2020-03-20 16:40</div>{{text}}', "2020-03-20 16:40"),
        (f'{H1}<div class="info">评论：0　发布时间：2020-03-20</div>{{text}}', "2020-03-20"),
        # traditional Chinese, years of the Republic
        (f'{H1}<div class="page_date">發佈日期：2019/03/05 上午 10:20</div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p>發布日期：民國108年3月5日</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>發布日期：108-03-05</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>張貼日期：中華民國 108 年 03 月 05 日</p>{{text}}', "2019-03-05"),
        (f'{H1}<p class="post-time">刊登於 2019 年 3 月 5 日 下午 3:20</p>{{text}}', "2019-03-05 15:20"),
        # relative
        (f'{H1}<div class="meta"><span>林</span><span>3小时前</span><span>阅读 120</span></div>{{text}}', "2026-11-20 15:20"),
        (f'{H1}<div class="meta">发布于：昨天 08:15</div>{{text}}', "2026-11-19 08:15"),
        # forms
        (f'{H1}<p>（2019-03-05）</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>日期：19-03-05 作者：林</p>{{text}}', ""),
        (f'{H1}<p>时间：二〇一九年三月五日</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>2019年3月5日 星期二　第08版：城市</p>{{text}}', "2019-03-05"),
        ('{text}<p style="text-align:right">市图书馆</p><p style="text-align:right">2019年3月5日</p>', "2019-03-05"),
        (f'{H1}{{text}}<p>（原载《城市日报》2019年3月5日）</p>', "2019-03-05"),
    ],
)  # fmt: skip
def test_chinese_pages_say_when_they_were_published(parts: str, expected: str) -> None:
    assert read(page(parts)) == expected


@each_row(
    ("parts", "expected"),
    [
        # Blogger, Medium, Ghost, Substack, Drupal, Squarespace, Typepad, Movable Type
        ('<h2 class="date-header"><span>Tuesday, March 5, 2019</span></h2><h3 class="post-title entry-title">The new library opens</h3>{text}<div class="post-footer">Posted by Lin at <a class="timestamp-link" href="x"><abbr class="published" itemprop="datePublished" title="2019-03-05T09:30:00-08:00">9:30 AM</abbr></a></div>', "2019-03-06 01:30"),
        (f'{E1}<div><span data-testid="storyReadTime">4 min read</span><span>·</span><span data-testid="storyPublishDate">Mar 5, 2019</span></div>{{text}}', "2019-03-05"),
        (f'{E1}<section class="post-full-meta"><time class="post-full-meta-date" datetime="2019-03-05">5 March 2019</time></section>{{text}}', "2019-03-05"),
        (f'{E1}<div class="pencraft"><div class="meta">Mar 05, 2019</div></div>{{text}}', "2019-03-05"),
        (f'{E1}<span class="submitted">Submitted by lin on Tue, 03/05/2019 - 10:20</span>{{text}}', ""),
        (f'{E1}<span class="submitted">Submitted by lin on Fri, 03/15/2019 - 10:20</span>{{text}}', "2019-03-15 10:20"),
        (f'{E1}<p class="posted">Posted by Lin on March 5, 2019 10:20 AM | Permalink | Comments (3)</p>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<p class="byline">By Jane Lin | Updated March 9, 2019 | Published March 5, 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p class="byline">Published March 5, 2019 | Updated March 9, 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>First published on Tue 5 Mar 2019 06.00 GMT</p>{{text}}', "2019-03-05 14:00"),
        (f'{E1}<p>5 March 2019 · Jane Lin</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Tue., March 5, 2019, 5:00 p.m. EST</p>{{text}}', "2019-03-06 06:00"),
        (f'{E1}<p>MAR. 5, 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>05 Mar 2019, 10:20 pm IST</p>{{text}}', "2019-03-06 00:50"),
        (f'{E1}<p class="date">2019-03-05T10:20:00Z</p>{{text}}', "2019-03-05 18:20"),
        (f'{E1}<p>NEW YORK (Reuters) - Published 2 hours ago</p>{{text}}', "2026-11-20 16:20"),
        (f'{E1}<abbr class="published" title="2019-03-05T10:20:00+0000">last spring</abbr>{{text}}', "2019-03-05 18:20"),
        (f'{E1}<span itemprop="datePublished" content="2019-03-05T10:20:00+08:00">last spring</span>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<time pubdate datetime="2019-03-05">last spring</time>{{text}}', "2019-03-05"),
        (f'{E1}<p>15.03.2019</p>{{text}}', "2019-03-15"),
        (f'{E1}<p>15-03-2019 10:20</p>{{text}}', "2019-03-15 10:20"),
        # ABlog: a column beside the text
        (f'<div role="main">{E1}{{text}}</div><div role="navigation"><h1><a href="/">A blog</a></h1><div><h2><i></i> <span>18 January 2020</span></h2><ul><li>Author: <a href="/a">Ada</a></li></ul></div></div>', "2020-01-18"),
        # blag: an aside between title and text
        (f'<main>{E1}<aside><p>published on 2020-01-18 &middot; tagged with <a href="/tags/a.html">#a</a></p></aside>{{text}}</main>', "2020-01-18"),
    ],
)  # fmt: skip
def test_english_pages_say_when_they_were_published(parts: str, expected: str) -> None:
    assert read_english(parts) == expected


@each_row(
    ("head", "expected"),
    [
        ('<meta property="article:published_time" content="2019-03-05T10:20:00+08:00"><meta property="article:modified_time" content="2020-01-01T00:00:00+08:00">', "2019-03-05 10:20"),
        ('<meta itemprop="datePublished" content="2019-03-05 10:20:00">', "2019-03-05 10:20"),
        ('<meta name="DC.date.issued" content="2019-03-05">', "2019-03-05"),
        ('<meta name="citation_publication_date" content="2019/03/05">', "2019-03-05"),
        ('<meta name="citation_date" content="2019-03-05">', "2019-03-05"),
        ('<meta name="publishdate" content="2019-03-05"/>', "2019-03-05"),
        ('<meta name="PubDate" content="2019年03月05日10:20"/>', "2019-03-05 10:20"),
        ('<meta name="date" content="2019-03-05T10:20:00+08:00">', "2019-03-05 10:20"),
        ('<meta name="cXenseParse:recs:publishtime" content="2019-03-05T10:20:00+08:00">', "2019-03-05 10:20"),
        ('<meta property="og:article:published_time" content="2019-03-05T10:20:00+08:00">', "2019-03-05 10:20"),
        ('<meta name="parsely-pub-date" content="2019-03-05T02:20:00Z">', "2019-03-05 10:20"),
        ('<meta property="article:modified_time" content="2020-01-01T00:00:00+08:00">', ""),
        ('<meta name="last-modified" content="2020-01-01T00:00:00+08:00">', ""),
        ('<meta name="copyright" content="2020-01-01">', ""),
        ('<script type="application/ld+json">[{"@type":"BreadcrumbList"},{"@type":["NewsArticle","Article"],"datePublished":"2019-03-05T10:20:00+0800"}]</script>', "2019-03-05 10:20"),
        ('<script type="application/ld+json">{"@context":"https://ziyuan.baidu.com/contexts/cambrian.jsonld","@id":"x","pubDate":"2019-03-05T10:20:00","upDate":"2020-01-01T00:00:00"}</script>', "2019-03-05 10:20"),
        ('<script type="application/ld+json">{"@type":"WebPage","mainEntity":{"@type":"Article","datePublished":"2019-03-05T10:20:00+08:00"}}</script>', "2019-03-05 10:20"),
        ('<script type="application/ld+json">{"@type":"Article","dateModified":"2020-01-01"}</script>', ""),
        ('<script type="application/ld+json; charset=utf-8">{"@type":"Article","datePublished":"2019-03-05"}</script>', "2019-03-05"),
        ('<script type="application/ld+json">\n//<![CDATA[\n{"@type":"Article","datePublished":"2019-03-05"}\n//]]>\n</script>', "2019-03-05"),
        ('<script type="application/ld+json">{"@type":"Article","datePublished":"2019-03-05",}</script>', "2019-03-05"),
        ('<script type="application/ld+json">{"@type":"Person","birthDate":"2019-03-05"}</script>', ""),
        ('<script type="application/ld+json">{"@type":"Event","startDate":"2019-03-05"}</script>', ""),
        ('<script type="application/ld+json">{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@type":"NewsArticle","datePublished":"2020-02-02"}}]}</script>', ""),
        ('<script type="application/ld+json">{"@type":"NewsArticle","url":"http://other.example/a","datePublished":"2020-02-02"}</script><script type="application/ld+json">{"@type":"NewsArticle","url":"http://news.example/city/123.html","datePublished":"2019-03-05"}</script>', "2019-03-05"),
    ],
)  # fmt: skip
def test_what_markup_states_of_its_page_is_taken_and_no_other_date(
    head: str, expected: str
) -> None:
    assert read(page(f"{H1}{{text}}", head=head)) == expected


LIST = "".join(
    f'<li><a href="/{day}">另一篇文章</a><span>2020-02-{day:02}</span></li>' for day in range(1, 7)
)
FEW = '<li><a href="/1">另一篇</a> <span class="date">2020-02-01</span></li><li><a href="/2">又一篇</a> <span class="date">2020-02-02</span></li>'


@each_row(
    "parts",
    [
        f"{H1}{{text}}<footer>© 2019-2026 城市新闻网　京ICP备2019030501号</footer>",
        f"{H1}{{text}}<footer>Copyright 2019.03.05 All rights reserved</footer>",
        f"{H1}{{text}}<div>最后更新：2019-03-05 10:20</div>",
        f"{H1}{{text}}<footer>本站最后更新时间：2019年3月5日</footer>",
        f"{H1}{{text}}<footer>This site was last updated on March 5, 2019</footer>",
        f"{H1}<p>本次展览将于2019年3月5日至4月5日在新馆一楼举行，欢迎参观。</p>{{text}}",
        f"{H1}{{text}}<p>活动时间：2019年3月5日 14:00-16:00</p><p>活动地点：新馆一楼</p>",
        f"{H1}{{text}}<p>开馆时间：2019年3月5日上午9:00</p>",
        f"{H1}<p>会议时间：2019年3月5日 14:00</p><p>会议地点：新馆</p>{{text}}",
        f"{H1}{{text}}<p>2019年3月5日，新馆动工。</p>",
        f'{H1}{{text}}<ol class="comments"><li><cite>林</cite> <span>2019-03-05 10:20</span><p>好！</p></li></ol>',
        f'{H1}{{text}}<div id="comments"><h3>评论</h3><div class="c"><b>林</b><span class="time">2019-03-05 10:20</span><p>好！</p></div></div>',
        f'{H1}{{text}}<div class="comment-list"><div class="item"><b>林</b> 3小时前</div></div>',
        f'{H1}{{text}}<section class="comments"><div class="meta"><a href="u">林</a> · <time datetime="2019-03-05T10:20:00Z">5 Mar</time></div><p>好！</p></section>',
        f'{H1}{{text}}<h3>相关文章</h3><ul>{FEW}</ul>',
        f'<ul class="side">{LIST}</ul>{H1}{{text}}',
        f'{H1}{{text}}<ul class="side">{LIST}</ul>',
        f'{H1}{{text}}<aside><h3>最新文章</h3><ul>{FEW}</ul></aside>',
        f'<div id="sidebar"><h3>近期文章</h3><ul>{FEW}</ul></div>{H1}{{text}}',
        f'{H1}{{text}}<p>上一篇：<a href="/1">另一篇</a> 2020-02-01</p><p>下一篇：<a href="/2">又一篇</a> 2020-02-02</p>',
        f'<div class="top">今天是 2019年3月5日 星期二</div>{H1}{{text}}',
        f'<div class="top">2019年3月5日 星期二 <a href="/">首页</a> <a href="/login">登录</a></div><div class="nav">城市 文化 体育</div>{H1}{{text}}',
        f'{H1}{{text}}<div class="user">林　注册时间：2019-03-05 10:20　帖子：31</div>',
        f'{H1}{{text}}<table><tr><td>2019-03-05</td><td>12.5</td></tr><tr><td>2019-03-06</td><td>13.1</td></tr></table>',
        f'{H1}<p>林，生于1971年3月5日，作家。</p>{{text}}',
        f'{H1}{{text}}<p>报名截止时间：2019-03-05 10:20</p>',
        f'{H1}{{text}}<p>版本 2019-03-05 已经发布，下载地址见下。</p>',
        f'{H1}{{text}}<p>参考文献：</p><p>[1] 林. 图书馆史. 2019-03-05.</p>',
        f'{H1}{{text}}<div class="calendar"><span>2019年3月5日</span></div>',
    ],
)  # fmt: skip
def test_dates_that_are_not_the_articles_are_left(parts: str) -> None:
    assert read(page(parts)) == ""


@each_row(
    "parts",
    [
        f"{E1}{{text}}<p>The exhibition runs from March 5, 2019 to April 5, 2019.</p>",
        f"{E1}{{text}}<p>Event date: March 5, 2019 10:20 AM</p>",
        f'{E1}{{text}}<ol class="commentlist"><li><cite>Lin</cite> says: <a href="#c1">March 5, 2019 at 10:20 am</a><p>Great!</p></li></ol>',
        f'{E1}{{text}}<div class="disqus"><time datetime="2019-03-05">5 Mar</time> Great!</div>',
        f"{E1}{{text}}<footer>Last updated: March 5, 2019</footer>",
        f"{E1}{{text}}<footer>Last modified on 5 March 2019 10:20 UTC</footer>",
        f"{E1}{{text}}<p>Retrieved March 5, 2019</p>",
        f"{E1}{{text}}<p>Page last reviewed: 5 March 2019</p>",
        f"{E1}{{text}}<footer>© March 5, 2019 City News. All rights reserved.</footer>",
        f'{E1}{{text}}<h3>Related posts</h3><ul><li><a href="/1">Other</a> <time datetime="2019-03-05">5 Mar</time></li><li><a href="/2">Another</a> <time datetime="2019-03-06">6 Mar</time></li></ul>',
        f'{E1}{{text}}<nav><a href="/2019/03/">March 2019</a> <a href="/2019/02/">February 2019</a></nav>',
        f'{E1}<p>Member since March 5, 2019</p>{{text}}',
        f'<div role="main">{E1}{{text}}</div><div><h2>18 January 2020</h2><p>A story</p><h2>17 January 2020</h2><p>Another</p></div>',
        f'<div role="main">{E1}{{text}}</div><div><h2>20 November 2026</h2><p>Sunny</p></div>',
        f'<div role="main">{E1}{{text}}</div><div><h3><a href="/n">18 January 2020</a></h3></div>',
        f'<main>{E1}{{text}}</main><aside><h3>Latest</h3><p>published on 2020-01-18</p></aside>',
    ],
)  # fmt: skip
def test_dates_that_are_not_an_english_articles_are_left(parts: str) -> None:
    assert read_english(parts) == ""


@each_row(
    ("url", "expected"),
    [
        ("http://blog.example/2019/03/05/library/", "2019-03-05"),
        ("http://news.example/c/2019-03-05/doc-abc.shtml", "2019-03-05"),
        ("http://news.example/n1/2019/0305/c90-1.html", "2019-03-05"),
        ("http://gov.example/art/2019/3/5/art_33_1.html", "2019-03-05"),
        ("http://gov.example/xxgk/201903/t20190305_123.html", "2019-03-05"),
        ("http://news.example/20190305/n123.shtml", "2019-03-05"),
        ("http://news.example/19/0305/10/E9.html", ""),
        ("http://news.example/a/20190305123456.html", ""),
        ("http://news.example/2019/03/library.html", ""),
        ("http://news.example/product/2019-0305", ""),
        ("http://news.example/story?date=2019-03-05", ""),
    ],
)
def test_an_address_says_the_day_where_the_page_says_none(url: str, expected: str) -> None:
    assert read(page(f"{H1}{{text}}"), url) == expected
