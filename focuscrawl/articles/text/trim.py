"""Lines around an article that are not of it: breadcrumbs, bylines, pagers, further reading."""

from __future__ import annotations

import re

from focuscrawl.articles.text.agreement import CLAUSE_END

LEADING = 8
TRAILING = 40
"""Lines at the beginning and at the end that are looked at."""

_SHORT_LINE = 60
"""Characters; a longer line is a sentence, whatever it begins with."""

CRUMBS = re.compile(
    r"(?:您?(?:当前|现在|所在)?(?:的)?位置\s*[:：]|首页|主页|home\b).*", re.IGNORECASE
)
_BYLINE = re.compile(
    r"(?:(?:文章)?来源|作者|记者|编辑|责任编辑|发布(?:时间|日期|者)?|时间|日期|点击|浏览|阅读|字号|分享|评论)\s*[:：\d(（].*"
    r"|\d{4}\s*[年/.-]\s*\d{1,2}\s*[月/.-]\s*\d{1,2}\s*日?.*"
)
_LABEL = re.compile(
    r"(?:(?:发[布表]|更新|编辑|创建|修改|分类|归类|收录|刊登|转载)[于在]?|作者|来源|阅读(?:数|量|次数)?|浏览(?:数|量|次数)?|评论数?|热度|字数|本文字数|阅读时长|标签"
    r"|posted (?:on|by|in)|edited on|updated|author|category|tags?|views|comments?|words)\s*[:：]?",
    re.IGNORECASE,
)
PAGER_WORD = re.compile(
    r"\d{1,3}|第\d{1,3}页|共\d{1,3}页|[上下前后首末尾]一?页|第一页|最后一页|全文(?:阅读|显示)?|阅读全文|单页(?:阅读|显示)?"
    r"|prev(?:ious)?|next|\.{2,}|…+",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s\[\](){}（）【】<>《》«»|·/-]+")
CREDITS = re.compile(
    r"[(（\[【]?\s*(?:责任?编辑?|责编|编辑|校对|审核|审校|值班主任|监制|来源|文章来源|作者|本文来源|打印|分享)\s*[:：].*"
)
IMPRINT = re.compile(
    r".*(?:版权所有|copyright\b|©|备案号|ICP备|all rights reserved).*", re.IGNORECASE
)
TOOL = re.compile(
    r"(?:(?:评论|点赞|赞|顶|踩|喜欢|收藏|分享|转发|转载|举报|纠错|打印|关注|在看|微信|微信好友|朋友圈|新浪微博|微博"
    r"|QQ空间|QQ好友|QQ|复制链接|扫一扫|comments?|likes?|shares?|save|print|email|facebook|twitter)[到至数]?)+",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\d[\d,.]*[万亿kw]?\+?", re.IGNORECASE)
BETWEEN_TOOLS = re.compile(r"[\W_]+")
_FURTHER = re.compile(
    r"(?:相关|推荐|延伸|热门|更多|猜你喜欢|您可能|往期|最新)(?:的)?(?:阅读|新闻|文章|链接|推荐|资讯|内容|报道|专题|回顾)?[:：]?"
    r"|猜你喜欢|related (?:articles|stories|posts)|read (?:more|next)|you may also like",
    re.IGNORECASE,
)


def trimmed(text: str, title: str) -> str:
    """Return the text without what stands before and after it; ``title`` repeated on top goes, too.

    Only short lines go, and never all of them: a text of bylines alone stays as it is.
    """
    lines = text.split("\n")
    start = _first(lines, title)
    end = _end(lines, start)
    return "\n".join(lines[start:end]) if start < end else text


def _first(lines: list[str], title: str) -> int:
    start = 0
    plain = _plain(title)
    for number, line in enumerate(lines[:LEADING]):
        crumb = CRUMBS.fullmatch(line) and (">" in line or "»" in line or "：" in line)
        if (
            crumb
            or (plain and _plain(line) == plain)
            or (len(line) <= _SHORT_LINE and _is_labels(line))
            or (len(line) <= _SHORT_LINE and _BYLINE.fullmatch(line))
        ):
            start = number + 1
        elif len(line) > _SHORT_LINE or CLAUSE_END.search(line):
            break
    return start


def _end(lines: list[str], start: int) -> int:
    end = len(lines)
    for number in range(len(lines) - 1, max(start, len(lines) - TRAILING) - 1, -1):
        line = lines[number]
        if _FURTHER.fullmatch(line) and all(len(rest) <= _SHORT_LINE for rest in lines[number:]):
            end = number
    while end > start + 1:
        line = lines[end - 1]
        if len(line) > _SHORT_LINE or not (
            _is_pager(line) or CREDITS.fullmatch(line) or IMPRINT.fullmatch(line) or _is_tools(line)
        ):
            break
        end -= 1
    return end


def _is_pager(line: str) -> bool:
    words = [word for word in _BETWEEN.split(line) if word]
    return bool(words) and all(PAGER_WORD.fullmatch(word) for word in words)


def _is_tools(line: str) -> bool:
    """Whether a line only counts and offers what a reader may do: 评论(12) 点赞 3 分享到：微信 微博."""
    words = [word for word in BETWEEN_TOOLS.split(line) if word and not _COUNT.fullmatch(word)]
    return bool(words) and all(TOOL.fullmatch(word) for word in words)


def _is_labels(line: str) -> bool:
    """Whether a line names what was beside it: 发表于 | 更新于 | 分类于."""
    words = [word for word in _BETWEEN.split(line) if word.strip(":：")]
    return bool(words) and all(_LABEL.fullmatch(word) for word in words)


def _plain(line: str) -> str:
    return re.sub(r"\W", "", line).casefold()
