"""The tree of pages that ``benchmarks.kill9`` crawls: articles, each with links to its children."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from benchmarks.parts.web import FAILED, NOT_FOUND, answer

FAN_OUT = 4
VOCABULARY = (
    "食品 抽检 市场 监管 成都 公布 批次 合格 企业 下架 召回 产品 乳制品 样品 "
    "检验 结果 通告 责令 消费者 农产品 餐饮 粮食 饮料 糕点 蔬菜 水果 超市 商户 "
    "生产 日期 标准 安全 部门 昨日 今天 记者 了解 情况 调查 处理"
)
WORDS = VOCABULARY.split()


def path(page: int) -> str:
    """Return a page's path."""
    return f"/article/{page}.html"


def page_body(page: int, pages: int) -> bytes:
    """Write a page: an article of its own words, and links to its children."""
    children = range(FAN_OUT * page + 1, min(FAN_OUT * page + FAN_OUT + 1, pages))
    return article(page, ((path(child), f"第{child}号通告") for child in children))


def article(page: int, linked: Iterable[tuple[str, str]]) -> bytes:
    """Write an article of its own words, and links, each an address with its text."""
    luck = random.Random(page)
    paragraphs = "".join(
        f"<p>{''.join(luck.choices(WORDS, k=24))}，{''.join(luck.choices(WORDS, k=20))}。</p>"
        for _ in range(6)
    )
    links = "".join(f'<li><a href="{address}">{text}</a></li>' for address, text in linked)
    return (
        f"<html><head><title>第{page}号通告</title></head><body><article><h1>第{page}号通告</h1>"
        f"<p>发布时间：2026-11-18 08:00</p>{paragraphs}</article><ul>{links}</ul></body></html>"
    ).encode()


class Tree:
    """The web's side: answers, and how often each page was answered with 200."""

    def __init__(self, pages: int, errors: float) -> None:
        self.pages = pages
        self.answered: Counter[int] = Counter()
        self._errors = errors
        self._luck = random.Random(1)
        self._made = {path(page): (page, answer(page_body(page, pages))) for page in range(pages)}

    def __call__(self, asked: str) -> bytes | None:
        """Answer; some answers fail."""
        if asked not in self._made:
            return NOT_FOUND
        draw = self._luck.random()
        if draw < self._errors:
            return FAILED if draw < self._errors / 2 else None
        page, made = self._made[asked]
        self.answered[page] += 1
        return made
