"""Dates on pages of the first years of the web: tables, fonts, no marks that say what is what."""

from __future__ import annotations

import pytest

from tests.features.articles.dates.dated import page, read
from tests.tables import each_row

pytestmark = pytest.mark.article_date

TITLE = "<font size=5><b>新馆向读者开放</b></font>"
MENU = " | ".join(
    f'<a href="/{name}">{name}</a>' for name in ("首页", "新闻", "体育", "财经", "娱乐", "论坛")
)


@each_row(
    ("parts", "expected"),
    [
        # portals
        (f'<table><tr><td>{MENU}</td></tr></table><table><tr><th class="f24"><font color="#05006C">新馆向读者开放</font></th></tr><tr><td height=20 align=center>http://news.example 2005年03月05日10:20 城市晚报</td></tr><tr><td class="l17">{{text}}</td></tr></table>', "2005-03-05 10:20"),
        (f'<table><tr><td>首页 &gt; 新闻 &gt; 正文</td></tr><tr><td align=center>{TITLE}</td></tr><tr><td align=center>NEWS.EXAMPLE　　2005年3月5日10:20　　来源：城市网　　作者：林小明</td></tr><tr><td>{{text}}</td></tr></table>', "2005-03-05 10:20"),
        (f'{TITLE}<br>2005-03-05 10:20:31 来源: <a href="/">城市晚报</a> 网友评论 <span>31</span> 条<br>{{text}}', "2005-03-05 10:20"),
        (f'<div>{TITLE}</div><div>（2005-03-05 10:20:31）</div><div>稿件来源： 城市日报</div>{{text}}', "2005-03-05 10:20"),
        (f'{TITLE}<p>城市网 ( 2005-03-05 10:20:31 )</p><p>稿件来源：城市晚报</p>{{text}}', "2005-03-05 10:20"),
        (f'{TITLE}<table><tr><td>2005年03月05日 10:20:31</td><td>城市在线</td><td><a href="/bbs">我要评论</a></td></tr></table>{{text}}', "2005-03-05 10:20"),
        (f'<table><tr><td>更新时间</td><td>2005-3-5 10:20</td></tr><tr><td colspan=2>{TITLE}</td></tr></table>{{text}}', "2005-03-05 10:20"),
        (f'<table><tr><td>{TITLE}</td></tr><tr><td>作者：林小明　　文章来源：城市文学　　点击数：31　　更新时间：2005-3-5</td></tr></table>{{text}}', "2005-03-05"),
        (f'{TITLE}<p>文章作者：林小明 发表日期：2005-3-5 浏览次数：31 文章类型：原创</p>{{text}}', "2005-03-05"),
        (f'{TITLE}<p>【信息时间：2005/3/5　阅读次数：31】【我要打印】【关闭】</p>{{text}}', "2005-03-05"),
        (f'{TITLE}<p>发布人：林小明　发布日期：2005年3月5日　阅读次数：31次</p>{{text}}', "2005-03-05"),
        (f'{TITLE}<p>[ 2005-3-5 10:20:00 | By: 林小明 ]</p>{{text}}', "2005-03-05 10:20"),
        (f'{TITLE}<p>2005-03-05 (星期六)</p>{{text}}', "2005-03-05"),
        (f'{TITLE}<p align=right>林小明 2005-3-5</p>{{text}}', "2005-03-05"),
        (f'{TITLE}{{text}}<p align=right>（林小明 2005年3月5日于上海）</p>', "2005-03-05"),
        (f'{TITLE}{{text}}<p align=right>2005.3.5 于上海</p>', "2005-03-05"),
        (f'{TITLE}{{text}}<p>（《城市日报》 2005年3月5日 第三版）</p>', "2005-03-05"),
        (f'{TITLE}{{text}}<p>来源：城市日报2005年03月05日第3版</p>', "2005-03-05"),
        (f'{TITLE}{{text}}<p>(责任编辑：林小明)</p><p>2005年03月05日10:20</p>', "2005-03-05 10:20"),
        # forums
        ('<table><tr><td><b>主题：新馆向读者开放</b></td></tr><tr><td>林小明<br>等级：新手上路<br>注册：2004-1-2<br>文章：31</td><td>{text}<hr>2005-3-5 10:20:00　IP: 已记录</td></tr><tr><td>李大同<br>注册：2004-2-3</td><td>顶！<hr>2005-3-6 8:00:00　IP: 已记录</td></tr></table>', "2005-03-05 10:20"),
        ('<h1>新馆向读者开放</h1><p>作者：林小明 提交日期：2005-3-5 10:20:00 访问：31 回复：3</p>{text}<p>作者：李大同 回复日期：2005-3-6 8:00:00</p><p>好！</p><p>作者：王五 回复日期：2005-3-7 8:00:00</p><p>顶！</p>', "2005-03-05 10:20"),
        ('<p>发信人: lin (林小明), 信区: City</p><p>标 题: 新馆向读者开放</p><p>发信站: 城市BBS (2005年03月05日10:20:31 星期六), 站内信件</p>{text}', "2005-03-05 10:20"),
        ('<p>发信人: lin, 信区: City<br>标  题: 新馆向读者开放<br>发信站: 城市BBS (Sat Mar  5 10:20:31 2005)</p>{text}', "2005-03-05 10:20"),
        ('<h3>新馆向读者开放</h3><p><b>林小明</b> 2005-3-5 10:20</p>{text}<p><b>李大同</b> 2005-3-6 8:00</p><p>好！</p><p><b>王五</b> 2005-3-7 8:00</p><p>顶！</p>', "2005-03-05 10:20"),
        ('<p>[<b>林小明</b>] 于 2005-03-05 10:20:31 发表</p><p>新馆向读者开放</p>{text}', "2005-03-05 10:20"),
        # diaries
        ('<h2 class="date">2005年3月5日</h2><h3>新馆向读者开放</h3>{text}<p class="posted">Posted by 林小明 at 10:20 AM</p>', "2005-03-05"),
        ('<div class="date">三月 05, 2005</div><h3>新馆向读者开放</h3>{text}<p>由 林小明 发表于 10:20 | 评论 (3)</p>', "2005-03-05"),
        ('<h2>新馆向读者开放</h2>{text}<p>posted on 2005-03-05 10:20 <a href="/lin">林小明</a> 阅读(31) <a href="#c">评论(3)</a> <a href="#e">编辑</a></p><h3>评论</h3><p># re: 新馆向读者开放 2005-03-06 08:00 李大同</p><p>好！</p>', "2005-03-05 10:20"),
        ('<h2>新馆向读者开放</h2>{text}<p>林小明 发表于 2005-3-5 10:20:00 | 阅读(31) | 回复(3) | 引用(0)</p>', "2005-03-05 10:20"),
        ('<h2>新馆向读者开放</h2>{text}<p>发布者 林小明 在 2005年3月5日 10:20 下列类别</p>', "2005-03-05 10:20"),
        ('<table><tr><td>星期六</td><td>晴</td></tr></table><h3>新馆向读者开放</h3><p>2005/03/05 10:20 | 分类：城市</p>{text}', "2005-03-05 10:20"),
        (f'<div>{MENU} 2006年12月27日（北京时间）</div><p>Saturday, March 5th, 2005 10:20 am</p>{TITLE}{{text}}', "2005-03-05 10:20"),
        # authorities, laws, universities
        (f'<p align=center>{TITLE}</p><p align=center>市政发〔2005〕3号</p>{{text}}<p align=right>二○○五年三月五日</p>', "2005-03-05"),
        ('<p>【颁布日期】2005.03.05</p><p>【实施日期】2005.05.01</p><p>【标题】新馆向读者开放</p>{text}', "2005-03-05"),
        (f'<table><tr><td>【颁布单位】</td><td>市政府</td></tr><tr><td>【颁布日期】</td><td>20050305</td></tr><tr><td>【实施日期】</td><td>20050501</td></tr></table>{TITLE}{{text}}', "2005-03-05"),
        (f'{TITLE}<p>发布部门：教务处　　发布时间：2005-3-5　　点击率：31</p>{{text}}', "2005-03-05"),
        (f'{TITLE}{{text}}<p>教务处</p><p>2005-3-5</p><p>上传时间：2005-3-7</p>', "2005-03-07"),
    ],
)  # fmt: skip
def test_pages_of_the_first_years_give_their_own_date(parts: str, expected: str) -> None:
    assert read(page(parts)) == expected


@each_row(
    "parts",
    [
        f'<table><tr><td>{MENU}</td><td>2005年3月5日 星期六</td></tr></table>{TITLE}{{text}}',
        f'<div>现在时间：2005-3-5 10:20:00</div>{TITLE}{{text}}',
        f'<div>{MENU} 2005年03月05日（京港台时间）</div>{TITLE}{{text}}',
        f'{TITLE}{{text}}<p>CopyRight@2004-2008 城市网 2005-03-05 建站</p>',
        f'{TITLE}{{text}}<p>您是第 31 位访客，自 2005年3月5日 起</p>',
        f'{TITLE}{{text}}<p>本站自2005年3月5日开通</p>',
        f'{TITLE}{{text}}<p>相关新闻：</p><p>· <a href="/1">旧馆要关门</a>(2005/03/05 10:20)</p><p>· <a href="/2">新馆动工</a>(2005/03/04 10:20)</p>',
        f'{TITLE}{{text}}<p><a href="/1">旧馆要关门了，读者怎么办</a> (2005-3-5)</p>',
        f'{TITLE}{{text}}<p>上一篇：<a href="/1">旧馆要关门</a></p><p>下一篇：<a href="/2">新馆动工</a> [2005-3-5]</p>',
        f'{TITLE}{{text}}<table><tr><td>网友：林小明</td><td>2005-3-5 10:20:00</td></tr><tr><td colspan=2>好！</td></tr></table>',
        f'{TITLE}{{text}}<p>林小明 评论于：2005-3-5 10:20:00</p><p>好！</p>',
        f'{TITLE}<p>会员：林小明　加入时间：2005-3-5</p>{{text}}',
        f'{TITLE}{{text}}<p>靶机发布日期：2005 年 3 月 5 日</p>'.replace("靶机", "软件"),
        f'{TITLE}<p>报名时间：2005年3月5日—3月20日</p>{{text}}',
        f'{TITLE}{{text}}<p>说明：本页最后修改日期为2005年3月5日</p>',
        f'{TITLE}{{text}}<p>一稿 2004.1.2</p><p>二稿 2005.3.5</p>',
    ],
)  # fmt: skip
def test_pages_of_the_first_years_keep_other_dates_to_themselves(parts: str) -> None:
    assert read(page(parts)) == ""
