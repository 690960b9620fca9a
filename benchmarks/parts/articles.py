"""A web of articles on one site, for ``benchmarks.throughput --articles``: what a page costs, and where.

Each page is an article of about 40 kB: a menu, a byline, twelve paragraphs of its own about the
topic, a box of headlines, scripts and styles; its 33 links lead to pages of the same site. All is
as in a crawl: every article is read, judged, split into words, asked for its story and stored.
"""

from __future__ import annotations

import os
import random
from typing import Any

from benchmarks.parts.children import in_child, table
from benchmarks.parts.web import NOT_FOUND, Web, answer

LINKS, PARAGRAPHS = 33, 12
SCRIPT = f"<script>var page = [{','.join(map(str, range(2_000)))}];</script>"
RULES = "".join(f".c{number}{{margin:{number}px;color:#333}}" for number in range(300))
STYLE = f"<style>{RULES}</style>"
PLACES = (
    *("锦江", "青羊", "金牛", "武侯", "成华", "龙泉驿", "青白江", "新都", "温江", "双流"),
    *("郫都", "新津", "简阳", "彭州", "邛崃", "崇州"),
)
GOODS = (
    *("酱油", "面粉", "挂面", "香肠", "豆腐", "牛奶", "食用油", "茶叶", "饼干", "泡菜", "腊肉"),
    *("蜂蜜", "白酒", "粉条", "辣椒酱", "果汁"),
)


def path(page: int) -> str:
    """Return a page's path."""
    return f"/news/20260{page % 9 + 1}/{page}.html"


def body(page: int, pages: int) -> bytes:
    """Write an article."""
    luck = random.Random(page)
    links = [luck.randrange(pages) for _ in range(LINKS)]
    menu = "".join(f'<li><a href="{path(one)}">第{one}号栏目</a></li>' for one in links[:12])
    box = "".join(
        f'<li><a href="{path(one)}">第{one}批食品抽检的消息已经公布</a></li>' for one in links[12:]
    )
    prose = "".join(
        f"<p>{luck.choice(PLACES)}区市场监管局第{luck.randrange(10_000)}号通告说，本次食品安全抽检了"
        f"{luck.randrange(900)}批次{luck.choice(GOODS)}和{luck.choice(GOODS)}，其中{luck.randrange(90)}批次不合格，"
        f"涉及{luck.choice(PLACES)}的{luck.randrange(90)}家企业，已经要求他们在{luck.randrange(30)}天内召回。</p>"
        for _ in range(PARAGRAPHS)
    )
    title = f"第{page}批食品抽检结果公布"
    html = (
        f"<html><head><title>{title}_测试新闻网</title>{STYLE}{SCRIPT}</head><body><ul>{menu}</ul><h1>{title}</h1>"
        f'<p class="info">2026-0{page % 9 + 1}-11 08:{page % 60:02} 来源：测试报</p><div class="text">{prose}</div>'
        f"<h3>相关新闻</h3><ul>{box}</ul>{SCRIPT}<div>版权所有 测试新闻网</div></body></html>"
    )
    return html.encode()


def run(crawled: int) -> dict[str, Any]:
    """Crawl so many articles and print where the time went."""
    pages = 2 * crawled
    made = {path(page): answer(body(page, pages)) for page in range(pages)}
    with Web(lambda asked: made.get(asked, NOT_FOUND), ["127.0.0.1"]) as web:
        start = f"http://127.0.0.1:{web.port}{path(0)}"
        spent = in_child("benchmarks.parts.article_arm", {"start": start, "crawled": crawled})
    count = spent.pop("pages")
    whole = spent["all"]
    table(("part", "ms a page", "share"), [(name, one, one / whole) for name, one in spent.items()])
    return {f"{name}_ms": round(one, 3) for name, one in spent.items()} | {
        "pages": count,
        "load_average": round(os.getloadavg()[0], 1),
    }
