"""What is never the same on the demo web's pages, though nothing has happened.

Clocks, visitors' counters, advertisements between paragraphs and lists of what is hot now: drawn from
the address and the day, so that the same seed and day still give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from random import Random

from focuscrawl.demo.entries import Entry
from focuscrawl.demo.pages import Draft
from focuscrawl.demo.texts import say
from focuscrawl.demo.truth import moment

WEEKDAYS = "一二三四五六日"
HOT_SHOWN = 3
SHIFTS_A_DAY = 4
"""How often a day advertisements and hot lists change."""


def clock(day: float) -> str:
    """Write the line that tells a reader what day and time it is."""
    now = moment(day)
    return (
        f'<div class="today">今天是{now.year}年{now.month}月{now.day}日'
        f" 星期{WEEKDAYS[now.weekday()]} {now:%H:%M}</div>"
    )


def visitors(url: str, day: float) -> str:
    """Write how many people have been here, and how many are now."""
    random = Random(f"visitors/{url}")
    before = random.randint(2_000, 90_000)
    now = Random(f"visitors/{url}/{day:.2f}").randint(3, 90)
    return f'<div class="visitors">您是第 {before + int(day * 97)} 位访客 当前在线 {now} 人</div>'


def advertisement(url: str, day: float) -> str:
    """Write the advertisement of the hour."""
    random = _drawn("ad", url, day)
    return f'<div class="ad"><span>广告</span>{escape(say("plain", "ad", random))}</div>'


def remarks(url: str, day: float) -> str:
    """Write the line of counters below an article."""
    random = Random(f"remarks/{url}/{day:.2f}")
    return (
        f'<div class="tools">评论({random.randint(0, 60)}) 点赞 {random.randint(5, 400)}'
        f" 收藏 {random.randint(1, 90)} 分享到：微信 微博</div>"
    )


def hot(draft: Draft, entries: Sequence[Entry], day: float) -> str:
    """Link to what readers of a board like just now."""
    there = [entry for entry in entries if entry.there(day)]
    random = _drawn("hot", draft.url, day)
    rows = [
        f"<li>{draft.link(entry.url, entry.title())} <em>热度 {random.randint(900, 99_000)}</em></li>"
        for entry in random.sample(there, min(HOT_SHOWN, len(there)))
    ]
    return f'<div class="hot"><h3>热点排行</h3><ul>{"".join(rows)}</ul></div>'


def _drawn(what: str, url: str, day: float) -> Random:
    return Random(f"{what}/{url}/{int(day * SHIFTS_A_DAY)}")
