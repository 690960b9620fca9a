"""What one line of a page is: running text, or what the page says of itself, as the time, how often it was read, advertisements."""

from __future__ import annotations

import re
from hashlib import blake2b

from focuscrawl.readers.text.characters import HAN

LONGEST_FURNITURE = 60
"""Characters of a line that may be a clock or a counter."""

_SENTENCE = re.compile(r"[。!?;…]|[.!?] |[.!?]$|,.*,|、.*、")
_READER_NUMBER = r"\d[\d,.]*\s*(?:万|亿|k|w|m)?\+?"
_COUNTED = (
    "阅读|浏览|点击|访问|查看|围观|人气|热度|点赞|赞|转发|分享|收藏|评论|回复|跟帖|参与|关注|下载"
    "|播放|在线|在线人数|访客"
)
COUNTED_EN = "views?|reads?|hits?|clicks?|visits?|visitors?|comments?|replies|likes?|shares?|online"
UNIT = "秒钟?|分钟|个?小时|天|日|周|个?星期|个?月|年"
UNIT_EN = "sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?"
DATE = r"\d{2,4}\s*[年/.-]\s*\d{1,2}\s*[月/.-]\s*\d{1,2}\s*日?"
_CLOCK = r"\d{1,2}\s*[::时]\s*\d{2}(?:\s*[::分]\s*\d{2}\s*秒?)?"
_PRINTED_WEEKDAY = r"(?:星期|周)[一二三四五六日天]"
_FURNITURE_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:{_COUNTED})(?:总)?(?:量|数|次数|人数|人次)?\s*[::=(\[]?\s*{_READER_NUMBER}\s*(?:次|人|条|篇)?[)\]]?",
        rf"(?:已有|共有?|共计)?\s*{_READER_NUMBER}\s*(?:次|人次|人|条|个)?\s*(?:{_COUNTED})",
        rf"\b(?:{COUNTED_EN})\s*[:=(\[]\s*{_READER_NUMBER}[)\]]?",
        rf"\b{_READER_NUMBER}\s*(?:{COUNTED_EN})\b",
        rf"(?:现在|当前|系统|北京|服务器)时间\s*[::是]?\s*(?:{DATE})?\s*(?:{_PRINTED_WEEKDAY})?\s*(?:{_CLOCK})?",
        rf"今天是?\s*[::]?\s*{DATE}\s*(?:{_PRINTED_WEEKDAY})?\s*(?:{_CLOCK})?",
        r"\b(?:current time|time now|now)\s*:\s*[\d/: .-]+(?:am|pm)?",
        rf"\d+\s*(?:{UNIT})(?:以|之)?前",
        rf"\b(?:\d+|an?)\s*(?:{UNIT_EN})\s+ago\b",
        r"\b\d{1,2}:\d{2}:\d{2}\b",
        r"(?:页面|本页)?(?:执行|加载|生成|处理)(?:时间|用时|耗时)\s*[::]?\s*[\d.]+\s*(?:ms|毫秒|s|秒)?",
        r"\bprocessed in [\d.]+\s*[\w()]*(?:, \d+ queries)?",
        r"(?:©|\(c\)|copyright|版权所有)[^\d]{0,20}(?:\d{4}\s*[-~至]\s*)?\d{4}",
        r"^(?:广告|推广|赞助(?:内容)?|advertisements?|sponsored(?: content)?|ad|promoted)$",
    )
)


# Sentences in which a page speaks of itself, and what they must say of it: by NFKC, as all lines here.
LONGEST_OF_ITSELF = 120
OF_ITSELF = re.compile(
    r"\W*(?:(?:截[至止](?:目前)?|到?目前(?:为止)?|至今)\W*)?(?:(?:[本该此这](?:页面?|网页|文章?|帖子?|站|网站|主题)|页面|[您你]是(?:本站)?(?:的)?第|(?:累计|总)(?:访问|浏览))"
    r"|this (?:page|article|site|post|document)\b|page (?:generated|rendered|created|served|loaded|viewed)\b|(?:generated|rendered) (?:on|at|in)\b|you are (?:the )?visitor\b)",
    re.IGNORECASE,
)
_SAYS_OF_ITSELF = re.compile(
    rf"(?:生成|更新|刷新|渲染|缓存|加载|执行|处理)(?:于|在|时间|用时|耗时)?\s*:?\s*\d|第\s*{_READER_NUMBER}\s*(?:位|名|个)?(?:访客|访问者|读者|来访)"
    rf"|(?:阅读|浏览|点击|访问|查看|围观|人气|在线)(?:总)?(?:量|数|次数|人数|人次)?(?:了|达|为|已达)?\s*:?\s*{_READER_NUMBER}|{_READER_NUMBER}\s*(?:次|人次|人|位)?(?:的)?(?:阅读|浏览|点击|访问|查看|围观|访客)"
    rf"|\b(?:generated|rendered|created|served|loaded|viewed|read|visited|updated|visitor)\b[^.]{{0,20}}\d",
    re.IGNORECASE,
)


def is_furniture_line(line: str) -> bool:
    """Whether a line (NFKC) may be a clock or a counter: it is short, and no sentence."""
    return len(line) <= LONGEST_FURNITURE and not _SENTENCE.search(line)


def without_furniture(line: str) -> str:
    """Return what of such a line is neither clock nor counter."""
    for pattern in _FURNITURE_PATTERNS:
        line = pattern.sub("", line)
    return line


def speaks_of_itself(line: str) -> bool:
    """Whether a sentence says of its page when it was made, or how often it was read."""
    return (
        len(line) <= LONGEST_OF_ITSELF
        and OF_ITSELF.match(line) is not None
        and _SAYS_OF_ITSELF.search(line) is not None
    )


SENTENCE_MARK = re.compile(r"[，。！？,.!?]|(?<=[\u3040-\u30ff])、")
# Characters from which a line with marks is prose: Chinese that ends a sentence, any.
SHORT_PROSE, _LONG_PROSE = 30, 60


def is_prose(text: str) -> bool:
    """Whether a line is a sentence or more of running text."""
    if len(text) < SHORT_PROSE or len(SENTENCE_MARK.findall(text)) < 2:
        return False
    return len(text) >= _LONG_PROSE or (text[-1] in "。！？”" and HAN.search(text) is not None)


def line_number(text: str) -> int:
    """Return a number of 63 bits for a text, which msgpack and SQL hold as it is."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) >> 1
