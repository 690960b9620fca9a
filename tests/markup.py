"""Units of markup that some reader of pages looks for, and topics for which all readers are on."""

from __future__ import annotations

TOPIC = """
extends = "directory"
[topic]
name = "grid"
title = "食品"
keywords = ["食品", "抽检"]
[[source]]
name = "a"
url = "http://h.example/"
[[source]]
name = "b"
url = "http://b.example/"
kind = "forum"
[record.company]
pages = "all"
[search]
engines = ["baidu"]
"""

MOST_MARKUP = 4_000_000
"""Bytes of a page that are read."""

PROSE = "市场监管部门昨日公布食品抽检结果，责令企业下架产品。"
UNITS: dict[str, str] = {
    "dialogs": "<div role=dialog class=cookie>cookie<a>ok</a>",
    "consent": "<div><b></b><button>Accept</button> cookie</div>",
    "ends of pages": "<p>甲</p></body></html>",
    "lists": "<p>市水务局昨天在通气会上介绍，工程分三期进行。</p><ul><li>甲</ul>",
    "like blocks": "<article class=c><h2>消息{n}的标题</h2><p>市水务局昨天介绍，工程分三期进行，每期四十天。</p><a href='/p/{n}'></a></article>",
    "cards within cards": "<div class=c><h3>消息{n}</h3><a href='/p/{n}'>阅读全文</a>",
    "links to edit": "<h2>甲<span>[<a href='/x?action=edit&section={n}'>编辑</a>]</span></h2>",
    "lists within lists": "<div><ul><li>甲，乙。",
    # what forums have
    "posts": '<div class="post" id="post_{n}"><b class="author">u{n}</b> 发表于 2026-11-20 10:00 <p>回复内容{n}，食品。</p></div>',
    "posts without a date": '<div class="post"><a class="author">u{n}</a><p>回复内容</p></div>',
    "threads": '<tr><td><a href="/thread-{n}-1-1.html">主题{n}</a></td><td>{n}</td><td>9{n}</td></tr>',
    "counts": "<td>回复 {n}</td><td>查看 {n}</td>",
    "quotes": "<blockquote>引用 u{n} 的话",
    "signatures": '<div class="signature">--{n}</div>',
    "answers": '<div class="answer" id="answer-{n}"><div itemprop="text"><p>回答{n}</p></div><a href="/users/{n}">u{n}</a> <span title="2026-11-20 10:00:0{d}Z">answered</span></div>',
    "ids of posts": '<div id="post_{n}"><h3>',
    "dates of joining": "<dd>Joined: 2020-01-0{d}</dd><dd>Posts: {n}</dd>",
    "times of posts": '<time datetime="2026-11-20T10:00:0{d}Z" title="x">1{d} 小时前</time>',
    "a title again": '<li><a href="/t/1">食品主题，同一个标题</a> <em>热度 {n}</em></li>',
    "long texts and short ones": "<p>" + "文字" * 40 + "</p>短文字短文字短文<b></b>",
    # what records have
    "labels": "电话：",
    "labelled values": "<p>电话：028-5550{d}123{d}</p>",
    "labels in cells": "<tr><td>电话</td><td>028-5550{d}123</td></tr>",
    "heads of tables": "<tr><th>名称</th><th>电话</th>",
    "lists of definitions": "<dl><dt>地址</dt><dd>成都市样例路{n}号</dd>",
    "links to phones": '<a href="tel:0285550{d}123">拨打</a>',
    "icons": "<i class='fa fa-phone'></i>1 ",
    "numbers of phones": "028-5550{d}123 ",
    "mail addresses": "u{n}@h.example ",
    "brackets": "（电话",
    "companies": "<h3>云杉{n}食品有限公司</h3>地址：成都市样例路{n}号 电话：028-5550{d}123<br>",
    "branches": "<div>分店{n} 地址：样例路{n}号<div>",
    "properties": '<p itemscope itemtype="https://schema.org/PostalAddress"><b itemprop="telephone">028-5550{d}123</b>',
    "cards": '<div class="vcard"><b class="fn org">云杉{n}</b><i class="tel">028-5550{d}123</i>',
    "organisations": '<script type="application/ld+json">{{"@type":"Organization","name":"云杉{n}","telephone":"028-5550{d}123"}}</script>',
    "names and numbers": "<li>食品科{n} 028-5550{d}123</li>",
    "postcodes": "<p>成都市样例路{n}号 610{d}00</p>",
    "extensions": "电话：028-55500123转{n} 分机{n}，",
    # what articles have
    "paragraphs": "<p>" + PROSE + "</p>",
    "headings": "<h1>食品抽检{n}</h1>",
    "titles": "<title>食品{n}</title>",
    "descriptions": '<meta name="description" content="食品{n}">',
    "dates in meta": '<meta property="article:published_time" content="2026-11-2{d}T10:00:00">',
    "dates": "<p>发布时间：2026-11-20 10:0{d} 来源：日报 作者：张{n}</p>",
    "bare dates": "2026年11月2{d}日 ",
    "numbers like dates": "2026-",
    "persons beside a date": "<div>2026-11-2{d} 张三丰 </div>",
    "persons in brackets": "<p>昨天开馆。（县教育局 张三丰 李四{n}）",
    "persons at the right": "<p align=right>张三丰</p>",
    "labels of notices": "<p>发布时间：</p>",
    "attachments": '<a href="/{n}.pdf">附件{n}.pdf</a>',
    "bylines": '<span class="author">记者 张{n}</span>',
    "reporters": "（记者 张某某）本报讯 " + PROSE,
    "JSON-LD": '<script type="application/ld+json">{{"@type":"NewsArticle","datePublished":"2026-11-20"}}</script>',
    "scripts": '<script>var publish_time="2026-11-20 10:0{d}";</script>',
    "scripts never closed": "<script>var a='<p>",
    "breaks": "文字，食品。<br>",
    "blank breaks": "<br>&nbsp;",
    "hidden words": "<i class=hide>文",
    "hidden sections": '<section style="visibility: hidden">文字，食品。</section>',
    "files": '<p>附件{n}：<a href="/f/{n}.pdf">附件{n}.pdf</a></p>',
    "signatures of reporters": "<p>（记者 张{n} 通讯员 李某）</p>",
    "editors": "责编：张{n} 来源：日报 ",
    "dates in links": '<a href="/2026/11/2{d}/{n}.html">2026-11-2{d}</a>',
    "marked dates": '<b itemprop="datePublished" title="发布于 2026-11-2{d} 10:00">2{d}</b>',
    "days above months": '<p class="time"><b class="day">2{d}</b><i class="month">2026-11</i></p>',
    "images": '<p><img src="/i/{n}.jpg" alt="图{n}"></p>',
    "figures": "<figure><img src=/f/{n}.png><figcaption>图{n}</figcaption></figure>",
    "iframes": '<iframe src="/frame/{n}"></iframe>',
    "comments": "<!-- {n} 电话：1 -->",
    "open comments": "<!-- ",
    "code": "<pre><code>x = {n}\n</code></pre>",
    "advertisements": '<div class="ad-box">广告{n}</div>',
    # what lists and engines have
    "links": '<a href="/news/{n}.html">食品抽检结果公布第{n}期</a> ',
    "links never closed": "<a href=/x{n}>",
    "entries": '<li><a href="/news/2026/{n}.html">食品抽检{n}</a><span>2026-11-2{d}</span></li>',
    "pagers": '<a href="/list_{n}.html">{n}</a>',
    "next links": '<a href="/p/{n}">下一页</a>',
    "ellipses": '<span>...</span><a href="?page={n}">{n}</a>',
    "results": '<div class="result c-container"><h3><a href="http://x{n}.example/">食品</a></h3><p class=c-abstract>食品{n}</p></div>',
    "headings that lead out": '<div><h2><a href="http://x{n}.example/">食品抽检第{n}期</a></h2><p>食品{n}摘要</p></div>',
    "blocks of links": '<a href="http://x{n}.example/"><h3>食品{n}</h3></a><span>摘要{n}</span>',
    "bases": '<base href="/{n}/">',
    "refreshes": '<meta http-equiv="refresh" content="0;url=/{n}">',
    "areas": '<area href="/f{n}">',
    # what every page is made of
    "divs": "<div>",
    "divs and text": "<div>食品 ",
    "closed divs": "<div></div>",
    "tables in tables": "<table><tr><td>",
    "cells": "<td>电话 ",
    "spans": "<span>文",
    "forms": "<form><input>",
    "options": "<option value={n}>电话{n}",
    "textareas": "<textarea>",
    "svg": "<svg><title>x</title>",
    "templates": "<template><p>",
    "custom elements": "<x-app id=a{n}>",
    "entities": "&nbsp;&amp;&#30005;",
    "attributes": " a{n}=1",
    "classes": "<p class='a{n} b c'>",
    "styles": "<style>p{{}}</style>",
    "ends": "</div>",
    "ends of others": "<div></h1> ",
    "broken tags": "<",
    "quotation marks": "\"'“”",
    "digits": "{n} ",
    "one number": "1",
    "Chinese": "食",
    "keywords": "食品抽检",
    "blanks": " \n",
    "wide blanks": "　",
    "line separators": "\u2028",
    "half characters": "\ufffd",
    "brackets open": "【（(",
    "instructions": "<?php echo {n} ?>",
    "conditionals": "<!--[if IE]><p>x<![endif]-->",
}


def page_of(unit: str, times: int) -> str:
    """Return a page that has a unit so many times, as far as pages are read."""
    length = len(unit.format(n=99_999, d=9).encode())
    units = (unit.format(n=n, d=n % 10) for n in range(min(times, MOST_MARKUP // length)))
    return f"<html><head><title>食品抽检结果</title></head><body>{''.join(units)}"
