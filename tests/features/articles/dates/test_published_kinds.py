"""Dates of whole kinds of pages: their own, among those of comments, neighbours, events and builds."""

from __future__ import annotations

import pytest

from focuscrawl.features import articles
from tests.features.articles.dates.dated import E1, H1, URL, page, read, read_english
from tests.tables import each_row

pytestmark = pytest.mark.article_date

MENU = '<ul class="nav"><li><a href="/">首页</a></li><li><a href="/news">新闻</a></li><li><a href="/bbs">论坛</a></li></ul>'
HEADER = '<div class="header"><a href="/">首页</a><a href="/a">新闻</a><a href="/b">视频</a><a href="/c">图片</a><a href="/d">博客</a></div>'
NEIGHBOURS = "".join(
    f'<div class="item"><a href="/{day}">另一篇文章的标题</a><span class="date">2021-04-{day:02}</span></div>'
    for day in range(1, 4)
)


def date_of(markup: str) -> str:
    """Return the date in its own zone."""
    return articles.read(markup.encode(), URL).date


@each_row(
    ("parts", "expected"),
    [
        # WeChat: the browser writes the date, scripts hold it
        ('<h1 id="activity-name">新馆向读者开放</h1><div id="meta_content"><span>原创</span> <a id="js_name">城市读书</a> <em id="publish_time"></em></div>{text}<script>var svr_time = "1795170000"; var ct = "1551752400"; var user_name = "gh_1";</script>', "2019-03-05 10:20"),
        ('<h1 id="activity-name">新馆向读者开放</h1><em id="publish_time"></em>{text}<script>var createTime = \'2019-03-05 10:20\'; document.getElementById("publish_time").innerText = createTime;</script>', "2019-03-05 10:20"),
        # Zhihu
        (f'{H1}<div>林</div>{{text}}<div class="ContentItem-time">发布于 2019-03-05 10:20・IP 属地上海</div><div class="Comments"><span>2020-01-01</span></div>', "2019-03-05 10:20"),
        (f'{H1}{{text}}<div class="ContentItem-time"><span data-tooltip="发布于 2019-03-05 10:20" aria-label="发布于 2019-03-05 10:20">编辑于 2020-01-01 08:00</span></div>', "2019-03-05 10:20"),
        # CSDN
        (f'{H1}<div class="bar-content"><a class="follow-nickName">林</a> <span class="time">最新推荐文章于 2023-01-02 10:00:00 发布</span></div><div class="up-time"><span>于 2019-03-05 10:20:31 首次发布</span></div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<span class="time">最后发布于2019-03-05 10:20:31</span><span class="read-count">阅读数 31</span>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<span class="time">已于 2020-01-01 08:00:00 修改</span><span>于 2019-03-05 10:20:31 首次发布</span>{{text}}', "2019-03-05 10:20"),
        # cnblogs
        (f'{H1}{{text}}<div class="postDesc">posted @ <span id="post-date">2019-03-05 10:20</span>&nbsp;<a href="/lin">林</a>&nbsp;阅读(<span>12</span>)&nbsp;评论(0)</div><div id="comment_form">2020-01-01 08:00</div>', "2019-03-05 10:20"),
        # Jianshu
        (f'{H1}<span class="publish-time" data-original-title="最后编辑于 2020.01.01 08:00">2019.03.05 10:20*</span> <span>字数 1234</span>{{text}}', "2019-03-05 10:20"),
        # Typecho, Hexo themes, Hugo
        (f'{H1}<ul class="post-meta"><li itemprop="author">作者: <a href="/lin">林</a></li><li>时间: <time datetime="2019-03-05T10:20:00+08:00" itemprop="datePublished">March 5, 2019</time></li><li>分类: <a href="/c">城市</a></li></ul>{{text}}', "2019-03-05 10:20"),
        (f'<header>{H1}<time class="post-meta-date-created" datetime="2019-03-05T02:20:00.000Z" title="发表于 2019-03-05 10:20:00">2019-03-05</time><time class="post-meta-date-updated" datetime="2020-01-01T02:20:00.000Z" title="更新于 2020-01-01 10:20:00">2020-01-01</time></header>{{text}}<div class="card-recent-post"><time datetime="2021-01-01T00:00:00Z">2021-01-01</time><time datetime="2021-01-02T00:00:00Z">2021-01-02</time><time datetime="2021-01-03T00:00:00Z">2021-01-03</time></div>', "2019-03-05 10:20"),
        (f"{H1}<div class='post-meta'><span title='2019-03-05 10:20:31 +0800 CST'>March 5, 2019</span>&nbsp;·&nbsp;5 分钟</div>{{text}}", "2019-03-05 10:20"),
        (f'{H1}<div class="meta">创建于 2019-03-05 / 更新于 2020-01-01</div>{{text}}', "2019-03-05"),
        (f'{H1}<div class="meta">更新于 2020-01-01 / 创建于 2019-03-05</div>{{text}}', "2019-03-05"),
        # forums
        (f'{H1}<small class="gray"><a href="/m">林</a> · 2019-03-05 10:20:31 +08:00 · 1234 次点击</small>{{text}}<div class="reply"><span class="ago" title="2019-03-06 08:00:00 +08:00">2019-03-06</span> 好！</div>', "2019-03-05 10:20"),
        (f'{H1}<div class="post"><div>{{text}}</div><span class="tail-info">1楼</span><span class="tail-info">2019-03-05 10:20</span></div><div class="post">好！<span class="tail-info">2楼</span><span class="tail-info">2019-03-06 08:00</span></div>', "2019-03-05 10:20"),
        (f'{H1}<table><tr><td>林<br>注册：2010-1-1<br>帖子：31</td><td>发表于：2019-3-5 10:20:00 楼主<div>{{text}}</div></td></tr><tr><td>李<br>注册：2011-1-1</td><td>发表于：2019-3-6 8:00:00 1楼<div>好！</div></td></tr></table>', "2019-03-05 10:20"),
        ('<div>主题：新馆向读者开放</div>{text}<center>本贴由<b>林</b>于2019年3月5日10:20:31在〖<a href="/">城市论坛</a>〗发表</center><hr>原标题：【<a href="1.html">旧馆要关门</a>】是林在2019年3月4日09:00:00发表', "2019-03-05 10:20"),
        # authorities
        ('<table><tr><th>索引号</th><th>发布机构</th><th>发布日期</th></tr><tr><td>000014349/2019-00016</td><td>市文旅局</td><td>2019-03-05</td></tr></table><h1>新馆向读者开放</h1>{text}', "2019-03-05"),
        (f'<ul><li>索引号：000014349/2019-16</li><li>公开日期：2019-03-05</li><li>有效期：2024-03-05</li></ul>{H1}{{text}}', "2019-03-05"),
        (f'<table><tr><td>成文日期</td><td>2019-03-05</td><td>施行日期</td><td>2019-05-01</td></tr><tr><td>废止日期</td><td>2021-01-01</td></tr></table>{H1}{{text}}', "2019-03-05"),
        (f'{H1}<p>（2018年12月1日市政府第3次常务会议通过　2019年3月5日公布　自2019年5月1日起施行）</p>{{text}}', "2019-03-05"),
        (f'{H1}{{text}}<p>附件：1.新馆示意图</p><p>　　　　市文化和旅游局</p><p>　　　　２０１９年３月５日　</p><p>（联系人：林，电话：12345678）</p>', "2019-03-05"),
        (f'{H1}{{text}}<p align="right">二〇一九年三月五日</p><p>抄送：各区县。</p>', "2019-03-05"),
        (f'{H1}<div>信息来源：招标中心　发布日期：2019-03-05</div><p>开标时间：2019年3月25日 9:30</p><p>投标截止时间：2019年3月24日 17:00</p>{{text}}', "2019-03-05"),
        # companies, portals, papers, journals
        (f'<div class="top">{MENU}</div>{H1}<div class="date"><b>05</b><span>2019-03</span></div>{{text}}', "2019-03-05"),
        (f'{H1}<div class="msg">2019-03-05 | 浏览：31 | 作者：admin</div>{{text}}{NEIGHBOURS}', "2019-03-05"),
        (f'{NEIGHBOURS}{H1}<div class="info"><i>时间：</i><i>2019-03-05</i></div>{{text}}', "2019-03-05"),
        (f'{H1}<span>2019-03-05 10:20</span> <span>城市日报</span>{{text}}<p>图为新馆外景（2020年1月1日摄）。</p>', "2019-03-05 10:20"),
        (f'{H1}<p>收稿日期：2018-01-01　修回日期：2018-06-01　出版日期：2019-03-05</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>网络首发时间：2019-03-05 10:20:31</p>{{text}}', "2019-03-05 10:20"),
        (f'<div class="cookie"><p>本站使用 Cookie 来改善您的体验，继续浏览即表示同意，详情请见我们的隐私政策，谢谢您的理解和支持。</p></div>{MENU}{H1}<div class="x"><div>2019-03-05</div></div>{{text}}', "2019-03-05"),
        # forms
        (f'{H1}<p class="time">2019年03月05日10时20分</p>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p class="time">2019-03-05，10:20</p>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p class="time">2019—03—05 10:20</p>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p class="time">2019/3/5 上午10:20:31</p>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p class="time">2019年3月5日（农历正月廿九）星期二</p>{{text}}', "2019-03-05"),
        (f'{H1}<p class="time">发布时间：19-03-05 10:20</p>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p class="time">发布于 2 天前</p>{{text}}', "2026-11-18"),
        (f'{H1}<p class="time">发布于 2 周前</p>{{text}}', ""),
        (f'{H1}<p class="time">03-05 10:20</p>{{text}}', ""),
        (f'{H1}<p class="time">3月5日 10:20</p>{{text}}', ""),
        # and many more ways to print it
        (f'<div class="crumb">首页 > 新闻 > 正文</div>{H1}<div class="article_info"><span>2019-03-05 10:20:31</span><span>来源：<a>城市日报</a></span><span>点击：<em>31</em></span></div>{{text}}<div class="pages">上一篇：<a href="/1">旧馆</a></div>', "2019-03-05 10:20"),
        (f'{H1}<div class="tips"><span>2019-03-05</span><span>08:15</span><span>城市日报</span></div>{{text}}', "2019-03-05"),
        (f'{H1}<div class="author-info"><a>林</a><div><span>2019.03.05 10:20:31</span><span>字数 1,234</span><span>阅读 31</span></div></div>{{text}}<div class="note-list"><a href="/p/1">旧馆</a> <span>2020.01.01</span></div>', "2019-03-05 10:20"),
        (f'{H1}<p>林 · 2019年03月05日 · 阅读 31</p>{{text}}', "2019-03-05"),
        (f'{H1}<div><time datetime="2019-03-05T02:20:31.000Z" title="Tue Mar 05 2019 10:20:31 GMT+0800" class="time">2019年03月05日 10:20</time></div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<div class="item_hot_topic_title"><span>2019-03-05 10:20</span></div>{{text}}<div class="answer"><span>2019-03-06 10:20 回答</span></div>', "2019-03-05 10:20"),
        (f'<div class="question">{H1}<div>林 | 浏览 31 次 | 发布于 2019-03-05 10:20</div></div><div class="best">最佳答案 2019-03-06 08:00</div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<div>[日期：2019-03-05] 来源：城市网 作者：林 [字体：大 中 小]</div>{{text}}', "2019-03-05"),
        (f'{H1}<div>发布时间: 2019-03-05 10:20:31 | 更新时间: 2020-01-01 08:00:00</div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<div>更新时间: 2020-01-01 08:00:00 | 发布时间: 2019-03-05 10:20:31</div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<span>原创</span><span>林</span><span>首发于 2019-03-05</span><span>修改于 2020-01-01</span>{{text}}', "2019-03-05"),
        (f'{H1}<div class="meta"><span>Mar</span><span>05</span><span>2019</span></div>{{text}}', "2019-03-05"),
        (f'{H1}<div class="date"><span>2019</span>-<span>03</span>-<span>05</span></div>{{text}}', "2019-03-05"),
        (f'{H1}<div class="date">2019<br>03-05</div>{{text}}', "2019-03-05"),
        (f'{H1}<div class="date"><strong>03-05</strong><em>2019</em></div>{{text}}', "2019-03-05"),
        (f'<div class="pubTime">发布于：2019年3月5日</div>{H1}{{text}}', "2019-03-05"),
        (f'{H1}<table><tr><td>发布日期</td><td>2019-03-05</td><td>来源</td><td>城市日报</td></tr></table>{{text}}', "2019-03-05"),
        (f'{H1}<table><tr><td>主题分类：</td><td>文化</td><td>成文日期：</td><td>2019-02-28</td></tr><tr><td>公开形式：</td><td>主动公开</td><td>公开日期：</td><td>2019-03-05</td></tr></table>{{text}}<p>2019年2月28日</p>', "2019-03-05"),
        (f'{H1}<table><tr><th>主题分类</th><td>文化</td><th>成文日期</th><td>2019-03-05</td></tr></table>{{text}}', "2019-03-05"),
        (f'{H1}<div>发文日期：2019年3月5日</div><div>生效日期：2019年5月1日</div>{{text}}', "2019-03-05"),
        (f'{H1}<p>招标编号：2019-0301</p><p>公告时间：2019-03-05</p><p>开标时间：2019-03-25</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>信息发布时间：2019-3-5　信息有效期：30天</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>职位刷新时间：2019-03-05</p>{{text}}', ""),
        (f'{H1}<p>截至2019年3月5日，新馆藏书三十万册</p>{{text}}', ""),
        (f'{H1}{{text}}<p>本文链接：http://blog.example/1　发布于 2019-03-05，转载请注明出处。</p>', "2019-03-05"),
        (f'{H1}{{text}}<p>本文由 林 创作，采用 CC 协议。最后编辑时间为: Mar 5, 2019 at 10:20 am</p>', ""),
        (f'{H1}{{text}}<div class="post-copyright"><p>发布日期：2019-03-05</p><p>更新日期：2020-01-01</p></div>', "2019-03-05"),
        (f'{H1}{{text}}<div class="tags">标签</div><div class="line">2019-03-05 <a href="/c/1">城市</a> <a href="#c">评论</a></div>', ""),
        (f'{H1}<p class="excerpt">2019-03-05 林 城市</p>{{text}}', "2019-03-05"),
        (f'{H1}<span id="PublishTime">2019-03-05 10:20:31</span>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<input type="hidden" id="pubtime" value="2019-03-05 10:20">{{text}}', ""),
        (f'{H1}<!-- publishdate: 2019-03-05 10:20 -->{{text}}', ""),
        (f'{H1}<p>播出时间：2019年3月5日 19:00</p>{{text}}', "2019-03-05 19:00"),
        (f'{H1}<p>首播：2019-03-05</p><p>导演：林</p>{{text}}', ""),
        (f'{H1}<p>出版社：城市出版社</p><p>出版时间：2019-03-05</p><p>ISBN：978-7-0000-0000-0</p>{{text}}', ""),
        (f'{H1}<p>軟體版本：1.2（2019-03-05）</p>{{text}}', ""),
        (f'{H1}<div>更新日志：2019-03-05 修复若干问题</div>{{text}}', ""),
        (f'{H1}{{text}}<h3>更新记录</h3><ul><li>2019-03-05：初稿</li><li>2020-01-01：修订</li></ul>', ""),
        (f'{H1}<div class="subinfo">2019-03-05 10:20 · 上海 · 来自<a>城市频道</a></div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p>發布時間：2019/03/05 最後更新：2020/01/01</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>刊登日期 : 2019年3月5日</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>建立日期: 2019-03-05　最近更新: 2020-01-01</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>2019/03/05 10:20（2020/01/01 08:00 更新）</p>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<p>2019-03-05 10:20 聯合報 記者林小明／台北報導</p>{{text}}', "2019-03-05 10:20"),
        (f'{HEADER}<div class="w960"><div class="path">当前位置：<a href="/">首页</a> &gt; <a href="/x">新闻</a> &gt; 正文</div>{H1}<div class="info">2019年03月05日 10:20 <span>来源：城市网</span><div class="fontsize">分享到：</div></div>{{text}}</div>', "2019-03-05 10:20"),
        (f'{HEADER}<div class="time">2026年11月20日 星期五</div>{H1}<div class="fbt"><span>2019-03-05</span></div>{{text}}', "2019-03-05"),
        (f'{HEADER}{H1}<div class="article-meta"><span class="item">林</span><span class="item"><i class="icon-clock"></i> 2019-03-05</span><span class="item"><i class="icon-eye"></i> 31</span></div>{{text}}<div class="relates"><ul><li>2020-01-01 <a href="/1">旧馆</a></li><li>2020-01-02 <a href="/2">旧馆</a></li></ul></div>', "2019-03-05"),
        (f'<article><header>{H1}<p>Written by <a href="/lin">Lin</a> on <time>2019-03-05</time> in <a href="/c">城市</a></p></header>{{text}}</article>', "2019-03-05"),
        (f'{H1}<div class="blog-meta"><a href="/lin">林</a> 发表于 <a href="/2019/03">2019/03/05</a> 14:20</div>{{text}}', "2019-03-05"),
        (f'{H1}<div class="detail-time">时间：2019-03-05 10:20:00 &nbsp; 浏览量：31</div>{{text}}<div class="case-list"><div><p>案例</p><p>2020-01-01</p></div></div>', "2019-03-05 10:20"),
        (f'{H1}<div class="t_info"><span>2019-03-05 10:20</span><span>责编：林</span></div>{{text}}<div class="edit">(责任编辑：林)</div>', "2019-03-05 10:20"),
        ('<h2 class="rich_media_title">新馆向读者开放</h2><div><em class="rich_media_meta rich_media_meta_text">2019-03-05</em> <a>城市读书</a></div>{text}', "2019-03-05"),
        (f'{H1}<div class="news_date"><p>2019-03</p><h4>05</h4></div>{{text}}', "2019-03-05"),
        (f'{H1}<p>【发布单位】市文旅局【发布日期】2019-03-05【生效日期】2019-05-01</p>{{text}}', "2019-03-05"),
        (f'{H1}<p>文号：市政发〔2019〕3号　成文日期：2019年2月28日　发布日期：2019年3月5日</p>{{text}}', "2019-03-05"),
        (f'{H1}<div class="xl_tit2">发布时间：2019-03-05 10:20:31　信息来源：<script>document.write("市文旅局")</script></div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<div>中国城市网　｜　时间：2019 年03 月05 日　｜　文章来源：市文旅局</div>{{text}}', "2019-03-05"),
        (f'{H1}{{text}}<p>二○一九年三月五日印发</p>', "2019-03-05"),
        (f'{H1}{{text}}<p>（本文原刊于《城市》2019年3月5日）</p>', "2019-03-05"),
        (f'{H1}{{text}}<p>编辑于 2019-03-05 10:20</p>', "2019-03-05 10:20"),
        (f'{H1}<div>提问时间：2019-03-05 10:20:31</div><div>来信人：林</div>{{text}}<div>回复时间：2019-03-08</div>', "2019-03-05 10:20"),
        (f'{H1}<div class="topic-info">林 发起了问题 • 2019-03-05 10:20 • 3 个回复 • 31 次浏览</div>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<div>楼主 林 <span>2019-03-05 10:20:31</span></div>{{text}}<div>沙发 李 <span>2019-03-05 11:20:31</span> 好！</div><div>板凳 王 <span>2019-03-05 12:20:31</span> 顶！</div><div>地板 赵 <span>2019-03-05 13:20:31</span> 顶！</div>', "2019-03-05 10:20"),
        (f'{HEADER}{H1}{{text}}<div class="foot">主办单位：市文旅局　网站更新：2019-03-05</div>', ""),
        (f'{H1}<p>活动日期：2019年3月5日</p>{{text}}', ""),
        (f'{H1}<p>演出日期 2019-03-05 19:30</p><p>演出场馆 城市剧院</p>{{text}}', ""),
        (f'{H1}<p>成立日期：2019-03-05</p><p>注册资本：31万</p>{{text}}', ""),
        (f'{H1}<p>驾照初领日期：2019-03-05</p>{{text}}', ""),
        (f'{H1}<ul><li>文件大小：31M</li><li>更新时间：2019-03-05</li><li>软件语言：中文</li></ul>{{text}}', "2019-03-05"),
        (f'{H1}{{text}}<table><tr><th>届次</th><th>日期</th></tr><tr><td>第一届</td><td>2019-03-05</td></tr></table>', ""),
        (f'{H1}{{text}}<blockquote>林 2019-03-05 10:20 写道：好！</blockquote>', ""),
        (f'{H1}{{text}}<p>引用来自“林”的评论 2019-03-05</p>', ""),
        (f'{H1}{{text}}<p>#1 林 2019-03-05 10:20</p><p>好！</p><p>#2 李 2019-03-05 11:20</p><p>顶！</p>', ""),
        (f'<div class="last-news">最新：<a href="/1">旧馆</a> 2019-03-05</div>{H1}{{text}}', ""),
    ],
)  # fmt: skip
def test_chinese_pages_of_every_kind_give_their_own_date(parts: str, expected: str) -> None:
    assert read(page(parts)) == expected


@each_row(
    ("parts", "expected"),
    [
        # newspapers
        (f'{E1}<details><summary>Tue 5 Mar 2019 06.00 GMT</summary><span>Last modified on Wed 6 Mar 2019 11.20 GMT</span></details>{{text}}', "2019-03-05 14:00"),
        (f'{E1}<p>Published: 10:20 GMT, 5 March 2019 | Updated: 11:30 GMT, 6 March 2019</p>{{text}}', "2019-03-05 18:20"),
        (f'{E1}<p><span>Published</span> <span>5 March 2019 • 10:20am</span></p>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<ul><li>Published: 10:20, 5 Mar 2019</li><li>Updated: 11:20, 6 Mar 2019</li></ul>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<time><span>Published March 5, 2019</span><span>Updated March 6, 2019</span></time>{{text}}', "2019-03-05"),
        (f'{E1}<span>Tuesday 05 March 2019 10:20</span>{{text}}<p>A version of this article appears in print on March 6, 2019, Section A.</p>', "2019-03-05 10:20"),
        (f'{E1}<p>March 5, 2019 GMT</p>{{text}}<p>Correction, March 9, 2019: An earlier version misspelled a name.</p>', "2019-03-05"),
        (f'{E1}{{text}}<p>This article was originally published on March 5, 2019 and has been updated.</p>', "2019-03-05"),
        (f'{E1}<p>LONDON, March 5 (City News) - Posted: 5th of March, 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>the 5th March 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>2019 March 5</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>05-Mar-2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>05 MAR 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Tuesday, March 5 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Updated March 9, 2019 at 10:20 a.m.</p>{{text}}', ""),
        (f'{E1}<p>03/05/2019</p>{{text}}', ""),
        # blogs
        (f'{E1}<span class="posted-on"><span class="screen-reader-text">Posted on</span> <a href="/x" rel="bookmark"><time class="entry-date published updated" datetime="2019-03-05T10:20:00+08:00">March 5, 2019</time></a></span>{{text}}<h2>3 thoughts on “The new library opens”</h2><ol class="comment-list"><li><time datetime="2019-03-06T00:00:00+08:00">March 6, 2019 at 12:00 am</time></li></ol>', "2019-03-05 10:20"),
        (f'{E1}<time datetime="PT5M">5 min read</time><time datetime="2019-03-05">5 March</time>{{text}}', "2019-03-05"),
        (f'{E1}<time datetime="2019-03-05T10:20:00+08:00" class="timeago">7 years ago</time>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<relative-time datetime="2019-03-05T02:20:00Z">Mar 5, 2019</relative-time>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<time datetime="2019-03-05">5 March 2019</time>{{text}}<p>On <time datetime="2012-08-06">6 August 2012</time> the mayor promised that a new library would be built at the river.</p>', "2019-03-05"),
        (f'{E1}<p>On <time datetime="2012-08-06">6 August 2012</time> the mayor promised that a new library would be built at the river.</p>{{text}}', ""),
        (f'{E1}<p>by <strong>lin</strong> » Tue Mar 05, 2019 10:20 am</p>{{text}}<p>by <strong>li</strong> » Wed Mar 06, 2019 8:00 am</p><p>Great!</p>', "2019-03-05 10:20"),
        (f'{E1}<div class="p-description"><a href="/m">lin</a> <time class="u-dt" datetime="2019-03-05T10:20:00+0800">Mar 5, 2019</time></div>{{text}}' + "".join(f'<div class="message"><time class="u-dt" datetime="2019-03-{day:02}T10:20:00+0800">Mar {day}, 2019</time>Great!</div>' for day in range(6, 12)), "2019-03-05 10:20"),
        (f'{E1}<div>Asked <time itemprop="dateCreated" datetime="2019-03-05T10:20:31+08:00">7 years ago</time> Modified <a href="?lastactivity" title="2020-01-01 00:00:00Z">6 years ago</a></div>{{text}}<div class="answer"><span title="2019-03-06 10:20:31Z" class="relativetime">Mar 6, 2019 at 10:20</span></div>', "2019-03-05 10:20"),
        # academic
        (f'{E1}<div class="dateline">[Submitted on 5 Mar 2019 (v1), last revised 6 Apr 2020 (this version, v2)]</div>{{text}}', "2019-03-05"),
        (f'{E1}<p>Received: 1 January 2019 / Accepted: 20 February 2019 / Published: 5 March 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Received 1 January 2019; accepted 20 February 2019</p>{{text}}', ""),
        (f'{E1}<p>Available online 5 March 2019</p>{{text}}', "2019-03-05"),
        # documentation, encyclopedias, companies
        (f'{E1}{{text}}<p>Effective date: March 5, 2019</p>', ""),
        (f'{E1}{{text}}<div class="theme-last-updated">Last updated on <time datetime="2019-03-05T10:20:00Z">Mar 5, 2019</time> by <b>lin</b></div>', ""),
        (f'{E1}{{text}}<small>Last update: <span class="git-revision-date">March 5, 2019</span></small>', ""),
        (f'{E1}{{text}}<ul><li id="footer-info-lastmod"> This page was last edited on 5 March 2019, at 10:20 (UTC).</li></ul>', ""),
        (f'{E1}<table class="infobox"><tr><th>Opened</th><td>March 5, 2019</td></tr><tr><th>Architect</th><td>Lin</td></tr></table>{{text}}', ""),
        (f'{E1}<table class="ambox"><tr><td>This article needs additional citations for verification. <small class="date-container">(<span class="date">5 March 2019</span>)</small></td></tr></table>{{text}}', ""),
        (f'{E1}<p>When: March 5, 2019 10:20 AM</p><p>Where: City library</p>{{text}}', ""),
        (f'{E1}<p>Date: March 5, 2019</p><p>Venue: City library</p>{{text}}', ""),
        (f'{E1}<p>Data as of March 5, 2019</p>{{text}}', ""),
        (f'{E1}<p>Release date: March 5, 2019</p><p>Price: $31</p>{{text}}<div class="review">Great! <span>Reviewed on March 6, 2019</span></div>', ""),
        # and many more ways to print it
        (f'{E1}<div class="byline">By <a>Jane Lin</a></div><div class="dates"><span>Mar. 5, 2019</span><span>Updated: Mar. 6, 2019 8:00 a.m.</span></div>{{text}}', "2019-03-05"),
        (f'{E1}<div>Jane Lin • March 5, 2019 • 3 min read</div>{{text}}', "2019-03-05"),
        (f'{E1}<div class="dates">Last Updated: March 6, 2019 at 8:00 a.m. ET First Published: March 5, 2019 at 10:20 a.m. ET</div>{{text}}', "2019-03-05 23:20"),
        (f'{E1}<p>Tue, Mar 5, 2019 — 10:20 AM</p>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<p>5 Mar 2019 (Updated 6 Mar 2019)</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Created: 5 March 2019, last edited 6 March 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Issued on: 05/03/2019 - 10:20Modified: 06/03/2019</p>{{text}}', ""),
        (f'{E1}<p>Posted on 2019-03-05 by lin in <a>City</a></p>{{text}}', "2019-03-05"),
        (f'{E1}<p>For Immediate Release: March 5, 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}{{text}}<p>First published at 10:20 on 5 March 2019</p>', "2019-03-05 10:20"),
        (f'{E1}{{text}}<p>© 2019 City News. Published March 5, 2019.</p>', "2019-03-05"),
        (f'{E1}<dl><dt>Published</dt><dd>5 March 2019</dd><dt>Updated</dt><dd>6 March 2019</dd></dl>{{text}}', "2019-03-05"),
        (f'{E1}<dl><dt>Last updated</dt><dd>6 March 2019</dd></dl>{{text}}', ""),
        (f'{E1}<p>Published 5 March 2019<br>Last updated 6 March 2019 — <a>See all updates</a></p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Submitted by Lin on March 5, 2019 - 10:20am</p>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<div class="meta">March 5, 2019 / Jane Lin / 0 Comments</div>{{text}}', "2019-03-05"),
        (f'{E1}<div><span>Filed</span> <span>03.05.19</span></div>{{text}}', ""),
        (f'{E1}<p>Vol. 31 No. 3 (2019) | Published 2019-03-05</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Article first published online: 5 MAR 2019</p><p>DOI: 10.1000/x</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Accepted 1 March 2019, Published online 5 March 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>lin commented on Mar 5, 2019</p>{{text}}', ""),
        (f'{E1}<p>lin opened this issue <relative-time datetime="2019-03-05T02:20:00Z">Mar 5, 2019</relative-time> · 3 comments</p>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<p>Latest commit a1b2c3 on Mar 5, 2019</p>{{text}}', ""),
        (f'{E1}<p>Version 1.2, March 5, 2019</p>{{text}}', ""),
        (f'{E1}<p>Sale ends March 5, 2019</p>{{text}}', ""),
        (f'{E1}<p>Opening hours: from March 5, 2019</p>{{text}}', ""),
        (f'{E1}<p>Photo taken March 5, 2019</p>{{text}}', ""),
        (f'{E1}<p>Add to calendar: March 5, 2019, 10:20 AM</p>{{text}}', ""),
        (f'{E1}{{text}}<p>Sign up before March 5, 2019</p>', ""),
        (f'<header>{E1}<p class="dek">A short summary of what is told below.</p><div class="author"><a>Jane Lin</a></div><time>March 5, 2019</time></header>{{text}}', "2019-03-05"),
        (f'{E1}<div class="post-info">Posted: Mar 5, 2019 / 10:20 AM EST / Updated: Mar 6, 2019 / 08:00 AM EST</div>{{text}}', "2019-03-05 23:20"),
        (f'{E1}<div><div>Opinion</div><div>By Jane Lin</div><div>March 5, 2019 10:20am</div></div>{{text}}', "2019-03-05 10:20"),
        (f'{E1}<div>5 March 2019</div><div>Share</div><div>Updated 6 March 2019</div>{{text}}', "2019-03-05"),
        (f'{E1}<div class="timestamp">2:10 a.m. March 5, 2019</div>{{text}}', "2019-03-05 02:10"),
        (f'<p>City Gazette, 5 March 2019</p>{E1}{{text}}', "2019-03-05"),
        (f'{E1}<p>Blog | 5 March 2019 | Jane Lin</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Date of publication: 5 March 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Publication date: March 5, 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<p>Published in City, Issue 31, March 5, 2019</p>{{text}}', "2019-03-05"),
        (f'{E1}<span class="dtreviewed"><time class="value-title" title="2019-03-05">March 5, 2019</time></span>{{text}}', "2019-03-05"),
        (f'{E1}<table><tr><th>Author</th><td>Lin</td></tr><tr><th>Date</th><td>5 March 2019</td></tr></table>{{text}}', "2019-03-05"),
        (f'{E1}{{text}}<p>Jane Lin, 5 March 2019</p>', ""),
        (f'{E1}{{text}}<div class="mw-footer">This page was last modified 10:20, 5 March 2019.</div>', ""),
        (f'{E1}<p>Event starts 5 March 2019 at 19:30</p>{{text}}', ""),
        (f'{E1}<p>Applications close: 5 March 2019</p>{{text}}', ""),
        (f'{E1}<p>Offer valid until 5 March 2019</p>{{text}}', ""),
        (f'{E1}<p>Next review due: 5 March 2019</p>{{text}}', ""),
        (f'{E1}<p>Born: 5 March 1999</p>{{text}}', ""),
        (f'{E1}{{text}}<div class="comment-body"><span class="says">lin</span> <a href="#1">5 March 2019 at 10:20</a></div>', ""),
        (f'{E1}{{text}}<h2>Upcoming events</h2><div>5 March 2019 Reading night</div>', ""),
    ],
)  # fmt: skip
def test_english_pages_of_every_kind_give_their_own_date(parts: str, expected: str) -> None:
    assert read_english(parts) == expected


@each_row(
    "parts",
    [
        # encyclopedias
        f'{H1}{{text}}<ul id="footer-info"><li id="footer-info-lastmod"> 此页面最后编辑于2019年3月5日 (星期二) 10:20。</li></ul>',
        f'{H1}{{text}}<li>本页面最后更新于2019年3月5日 (星期二) 10:20</li>',
        f'{H1}<div class="ambox"><span>此条目需要补充更多来源。</span><small class="date-container">(<span class="date">2019年3月5日</span>)</small></div>{{text}}',
        f'{H1}<table class="infobox"><tr><th>开馆日期</th><td>2019年3月5日</td></tr><tr><th>馆长</th><td>林</td></tr></table>{{text}}',
        f'{H1}{{text}}<dl class="side"><dt>词条统计</dt><dd>浏览次数：31次</dd><dd>最近更新： 2019-03-05</dd></dl>',
        f'{H1}{{text}}<ul><li>发行日期：2019年3月5日</li><li>唱片公司：城市唱片</li></ul>',
        # notices of events
        f'{H1}<p>时间：2019年3月5日 14:00</p><p>地点：新馆报告厅</p>{{text}}',
        f'{H1}<p>主讲人：林教授</p><p>时间：2019年3月5日 14:00</p>{{text}}<p>地点：新馆报告厅</p>',
        f'{H1}<p>时　间：2019年3月5日（星期二）14:00—16:00</p><p>地　点：新馆报告厅</p>{{text}}',
        f'{H1}<p>展期：2019年3月5日—2019年4月5日</p>{{text}}',
        f'{H1}<p>公示期：2019年3月5日至3月9日</p>{{text}}',
        # products
        f'{H1}<p>上架时间：2019-03-05</p><p>价格：31 元</p>{{text}}',
        f'{H1}<p>生产日期：2019-03-05</p><p>保质期：12 个月</p>{{text}}',
        f'{H1}<p>上市时间：2019年3月5日</p>{{text}}',
        f'{H1}{{text}}<div class="pj"><b>林***</b> 颜色：红 <span>2019-03-05 10:20</span> 很好</div><div class="pj"><b>李***</b> 颜色：蓝 <span>2019-03-06 08:00</span> 不错</div>',
        # what a site says of itself
        f'<div>当前时间：2019-03-05 10:20:31</div>{H1}{{text}}',
        f'<div>上次登录：2019-03-05 10:20</div>{H1}{{text}}',
        f'<div class="weather">2019-03-05 晴 5℃</div>{MENU}{H1}{{text}}',
        f'{H1}{{text}}<div>页面生成于 2019-03-05 10:20:31，用时 0.03 秒</div>',
        f'{H1}{{text}}<p>上次修改：2019-03-05 10:20</p>',
        f'{H1}{{text}}<p>上次更新: 2019-03-05 10:20:31</p>',
        f'{H1}{{text}}<p>本文最近一次更新为 2019年3月5日</p>',
        f'{H1}{{text}}<p>图为新馆外景（2019年3月5日摄）</p>',
        f'{H1}<p>新馆外景，摄于2019年3月5日</p>{{text}}',
        f'{H1}<p>收稿日期：2019-03-05</p>{{text}}',
        f'{H1}{{text}}<div class="card"><h3>相关推荐</h3>{NEIGHBOURS[:120]}</div>',
        f'{H1}{{text}}<div class="list">{NEIGHBOURS}</div>',
        f'{H1}{{text}}<p><a href="/1">上一条：另一篇文章</a><span>2019-03-05</span></p>',
        f'{H1}<span class="time">最新推荐文章于 2019-03-05 10:20:31 发布</span>{{text}}',
    ],
)  # fmt: skip
def test_dates_of_something_else_are_left_on_pages_of_every_kind(parts: str) -> None:
    assert read(page(parts)) == ""


@each_row(
    ("head", "expected"),
    [
        ('<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebSite","datePublished":"2001-01-01"},{"@type":"BreadcrumbList"},{"@type":"WebPage","datePublished":"2019-03-05T02:20:00+00:00","dateModified":"2020-01-01T00:00:00+00:00"},{"@type":"Person","name":"林"}]}</script>', "2019-03-05 10:20"),
        ('<script type="application/ld+json">{"@type":"WebSite","name":"城市新闻网","datePublished":"2001-01-01"}</script>', ""),
        ('<script type="application/ld+json">{"@type":"Product","review":[{"@type":"Review","datePublished":"2019-03-05"}]}</script>', ""),
        ('<script type="application/ld+json">{"@type":"VideoGame","datePublished":"2019-03-05"}</script>', ""),
        ('<script type="application/ld+json">{"@type":"MusicAlbum","datePublished":"2019-03-05"}</script>', ""),
        ('<script type="application/ld+json">{"@type":"QAPage","mainEntity":{"@type":"Question","dateCreated":"2019-03-05T10:20:00+08:00","acceptedAnswer":{"@type":"Answer","dateCreated":"2019-03-06T10:20:00+08:00"}}}</script>', "2019-03-05 10:20"),
        ('<script type="application/ld+json">{"@type":"JobPosting","datePosted":"2019-03-05","validThrough":"2019-04-05"}</script>', "2019-03-05"),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"","dateCreated":"2019-03-05T10:20:00+08:00"}</script>', "2019-03-05 10:20"),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":["2019-03-05T10:20:00+08:00"]}</script>', "2019-03-05 10:20"),
        ('<meta property="og:updated_time" content="2019-03-05T10:20:00+08:00">', ""),
        ('<meta property="article:modified_time" content="2019-03-05T10:20:00+08:00">', ""),
        ('<meta name="last-modified" content="2019-03-05"><meta name="revised" content="2019-03-05"><meta http-equiv="last-modified" content="2019-03-05">', ""),
        ('<meta name="citation_date" content="2019/03/05"><meta name="citation_online_date" content="2020/04/06">', "2019-03-05"),
        ('<meta name="citation_publication_date" content="2019/04"><meta name="citation_online_date" content="2019/03/05">', "2019-03-05"),
        ('<meta name="parsely-page" content=\'{"title":"新馆","pub_date":"2019-03-05T02:20:00Z","section":"城市"}\'>', "2019-03-05 10:20"),
        ('<meta name="sailthru.date" content="2019-03-05T10:20:00+08:00">', "2019-03-05 10:20"),
        ('<meta name="DC.date.created" content="2019-03-05">', "2019-03-05"),
        ('<meta name="DCTERMS.modified" content="2019-03-05">', ""),
        ('<meta property="article:published" content="2019-03-05T10:20:00+08:00">', "2019-03-05 10:20"),
        ('<meta name="publication-date" content="Tue Mar 05 2019 10:20:31 GMT+0800 (中国标准时间)">', "2019-03-05 10:20"),
        ('<meta name="pubdate" content="Tue Mar 05 10:20:31 CST 2019">', "2019-03-05 10:20"),
        ('<meta name="pubdate" content="20190305T022000Z">', "2019-03-05 10:20"),
        ('<meta name="pubdate" content="2019-03-05 10:20:31.0">', "2019-03-05 10:20"),
        ('<meta name="pubdate" content="2019-03-05T10:20:00+08:00[Asia/Shanghai]">', "2019-03-05 10:20"),
        ('<meta name="pubdate" content="1551752400000">', "2019-03-05 10:20"),
        ('<meta name="generator" content="javadoc/17"><meta name="dc.created" content="2019-03-05">', ""),
        ('<meta name="date" content="2019-03-05"><meta name="generator" content="Doxygen 1.9">', ""),
        ('<link rel="stylesheet" href="/style.css?v=20190305"><script src="/app.js?t=1551752400"></script><meta name="build" content="2019-03-05">', ""),
        ('<script>var build = {"buildTime": "2019-03-05 10:20"}; var startTime = "2019-03-05 10:20";</script>', ""),
        ('<script>window.__STATE__ = {"note":{"first_shared_at":1551752400,"title":"新馆"}}</script>', ""),
        ('<script>window.data = {"list":[{"publish_time":"2019-03-05 10:20"},{"publish_time":"2019-03-06 10:20"}]}</script>', ""),
    ],
)  # fmt: skip
def test_statements_of_every_kind_are_read_for_the_page_alone(head: str, expected: str) -> None:
    assert read(page(f"{H1}{{text}}", head=head)) == expected


@each_row(
    ("parts", "expected"),
    [
        (f'<article itemscope itemtype="https://schema.org/Article">{H1}<meta itemprop="datePublished" content="2019-03-05T10:20:00+08:00"><meta itemprop="dateModified" content="2020-01-01">{{text}}</article>', "2019-03-05 10:20"),
        (f'{H1}{{text}}<div itemprop="comment" itemscope itemtype="https://schema.org/Comment"><meta itemprop="datePublished" content="2019-03-05">好！</div>', ""),
        (f'<div itemscope itemtype="http://schema.org/Book">{H1}<span itemprop="datePublished" content="2019-03-05">2019</span></div>{{text}}', ""),
        (f'{H1}<span property="schema:datePublished" content="2019-03-05T10:20:00+08:00">5 Mar</span>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<span property="dc:date dc:created" content="2019-03-05T10:20:00+08:00" datatype="xsd:dateTime">由 林 提交</span>{{text}}', "2019-03-05 10:20"),
        (f'{H1}<div itemprop="dateModified" content="2019-03-05">5 Mar</div>{{text}}', ""),
        # what a machine writes in UTC is the day before where the page is read
        (f'{H1}<time datetime="2019-03-04T16:00:00.000Z">2019-03-05</time>{{text}}', "2019-03-05"),
        # a day without its year, which the page states elsewhere
        (f'<meta itemprop="dateUpdate" content="2019-03-05 10:20:57">{H1}<span class="date">发布时间：03-05</span><span class="time">10:20</span>{{text}}', "2019-03-05 10:20"),
        (f'<meta itemprop="dateUpdate" content="2020-01-01 10:20:57">{H1}<span class="date">发布时间：03-05</span><span class="time">10:20</span>{{text}}', ""),
    ],
)  # fmt: skip
def test_marked_elements_of_every_kind_are_read_for_the_article_alone(
    parts: str, expected: str
) -> None:
    assert read(page(parts)) == expected


def test_a_moment_stated_in_utc_is_told_on_the_day_the_page_prints() -> None:
    head = '<meta property="article:published_time" content="2019-03-04T16:30:00.000Z">'
    assert date_of(page(f"{H1}<p>2019-03-05</p>{{text}}", head=head)) == "2019-03-05T00:30:00+08:00"
    assert date_of(page(f"{H1}<p>2019-03-04</p>{{text}}", head=head)) == "2019-03-04T16:30:00+00:00"
    assert date_of(page(f"{H1}{{text}}", head=head)) == "2019-03-04T16:30:00+00:00"


def test_midnight_beside_a_printed_day_is_no_time_of_day() -> None:
    parts = f'{H1}<time datetime="2019-03-05T00:00:00+08:00">2019年3月5日</time>{{text}}'
    assert date_of(page(parts)) == "2019-03-05"


@each_row(
    ("line", "day"),
    [
        ("This story is from October 9, 2019", "2019-10-09"),
        ("发布于 农历二〇二四年八月十五", ""),
        ("19.07.2022", "2022-07-19"),
    ],
)
def test_lines_below_the_title_of_other_kinds(line: str, day: str) -> None:
    text = "".join(
        f"<p>The council said on Monday, in its {number}th report, that old pipes had served for years, and would go.</p>"
        for number in range(4)
    )
    markup = f"<title>A New Pipe For Town</title><article><h1>A New Pipe For Town</h1><div>{line}</div>{text}</article>"
    assert articles.read(markup.encode(), "http://a.test/x").date == day
