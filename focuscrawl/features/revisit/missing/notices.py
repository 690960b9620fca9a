"""Notices: pages that say in place of their content that it is not there, or not any more.

Much software answers 200 for what was deleted. A sentence counts that begins by naming what was asked
for (this page, 该文章, the requested topic) and goes on to say that it is not there; one about another
deleted page names that first. The caller knows that the page was an article with more text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from copy import deepcopy
from typing import NamedTuple, cast

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.kind import FIND_UNLINKED, needs_script, prose_length
from focuscrawl.readers.pages.texts import paragraphs

LONGEST_NOTICE = 400
"""Characters of sentences, outside of links, above which a page is more than a notice: the longest
one seen, with its list of possible reasons, has 260."""

_MOST_LEFT = 150
"""Characters outside of links that menus have beside them: labels, an imprint, a date. A table or a poem has more."""

LONGEST_SENTENCE = 160
MOST_LINES = 1_000

SENTENCES = re.compile(r"[。!?;|…]+|(?<=[a-z])\.(?:\s|$)|(?<=\s)[-–—_·](?=\s)")
APOLOGY = re.compile(
    r"(?:[^\w]|(?:http|error|错误(?:代码)?)?\s*40[34]|410|(?:温馨|系统|错误|友情)?提示(?:信息)?|(?:很|非常|十分|真的?)?(?:抱歉|对不起|遗憾)"
    r"|啊哦|哎呀|呀|糟糕|悲剧啦|错误|error|(?:we(?:'| a)re )?(?:very |so )?sorry|we apologi[sz]e|oops|uh[- ]oh|unfortunately|hmm+|but\b)+",
    re.IGNORECASE,
)
"""What stands before the sentence itself."""

# What was asked for, and what has become of it. Pages may be named alone; what else pages are about
# (a company, a job) has to be the one that was asked for, and is not gone when it has only closed.
_PAGES = "页面?|网页|网址|地址|链接|文章|文档|文件|主题|帖子?|贴子?|话题|讨论|信息|资讯|新闻|稿件|日志|博文|博客|词条|条目|内容"
OTHERS = (
    "问题|回答|评论|公告|通知|通告|消息|记录|资源|资料|数据|视频|音频|图片|专题|栏目|活动|项目|产品|商品|宝贝|职位|房源|店铺|企业|公司"
    "|用户|楼层"
)
SEEN = "访问|请求|查看|浏览|打开|查找|寻找|搜索|阅读|找|看|指定|输入"
THIS = rf"(?:[您你]|当前)?(?:所|要|想|正在?|试图|需要|刚才)*(?:{SEEN})的(?:\w{{0,12}}?)|(?:该|此|本|这|原|当前)[个篇条则份张款家]?"
ASKED = rf"(?:(?:{THIS}|所?指定的?|目标)?(?:{_PAGES})|(?:{THIS})(?:{OTHERS}))"
BY = r"(?:作者|发布者?人?|发帖人|楼主|管理员?|版主|系统|平台|用户|商家|卖家|官方|网站|本站)?(?:自行)?"
TITLE = r"""(?:["'“”《»«][^"'“”》»«]{1,80}["'“”》»«])?"""
MISSING = (
    r"(?:可能|似乎|好像|或许|也许|已经?|都|并|目前|现在|暂时)*"
    r"(?:(?:不存在|未?找不到|未找到|没有?找到|无法找到|不见|走丢|丢失|飞走|(?:因\w{2,12})?(?:无法|不能|不予)(?:访问|显示|查看|浏览)|不可用|无效)"
    rf"|(?:被|经)*{BY}(?:被)?(?:删除?|移除|屏蔽|下架|下线|撤下|撤销|撤回|撤稿|清除|隐藏|过期|失效|转移|移走|封禁)"
    r"|(?:正在(?:被)?|还?未通过|尚未通过|等待|待)审[核批])了?"
    r"(?=$|[,、或及且并和/(]|[!.~])"
)
CHINESE_NOTICES = (
    re.compile(rf"{ASKED}{TITLE}{MISSING}"),
    re.compile(
        rf"(?:找不到|未找到|没有?找到|无法找到|不存在)(?:{THIS})?(?:{_PAGES}|{OTHERS})[了哦呢啦]*$"
    ),
    re.compile(rf"没有(?:{THIS})(?:{_PAGES}|{OTHERS})[了哦呢啦]*$"),
)
PAGE = (
    r"(?:web ?|wiki ?|forum ?|blog ?|news ?)?"
    r"(?:page|topic|thread|post|article|entry|content|document|discussion|resource|listing|advert(?:isement)?|address|url|link|paste|node)s?"
)
OTHER = r"(?:item|file|ad|job|story|record|product|message|question|video|event|forum|board|journal|profile|user)s?"
SOUGHT = r"(?: (?:that |which )?you(?:'re| are| have|'ve| were)?\b[^.,;]{1,70}?)"
WANTED = (
    rf"(?:(?:the|this|that|your) )?(?:(?:requested|specified|selected|given|original|following) )?"
    rf"(?:{PAGE}(?: or (?:{PAGE}|{OTHER}))?{SOUGHT}?|{OTHER}{SOUGHT}|(?<=requested ){OTHER}|(?<=specified ){OTHER}|(?<=this ){OTHER})"
    r"""(?: specified)?(?: ["'“«][^"'”»]{1,80}["'”»])?,?(?: \S{1,80},)?"""
)
IS_NOT = (
    r"(?:(?:probably|currently|apparently|either|appears? to|seems? to|may|might|has|have|had|was|were|is|are|been|be|also|since|already) )*"
    r"(?:(?:does not|doesn'?t|don'?t|do not|did not|no longer|not)(?: seem to| appear to| yet| currently| actually)? exists?"
    r"|(?:could ?n[o']?t|can ?n[o']?t|can'?t|could not|not)(?: be)? (?:found|located)"
    r"|(?:permanently |recently )?(?:deleted|removed|expired|unpublished|withdrawn|retracted|taken down|trashed)"
    r"|(?:no longer|not)(?: be)? (?:available|online|accessible|here|open)|unavailable|missing|gone|invalid)"
    r"(?= *(?:$|[,.!(]|(?:or|and|yet|here|by|at this|on this|on our|from (?:this|our))\b))"
)
SEEK = r"(?:could ?n[o']?t|could not|can ?not|can'?t|were unable to|are unable to|did ?n[o']?t|unable to) (?:find|locate)"
ENGLISH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{WANTED} {IS_NOT}",
        rf"(?:{PAGE} )?not found$",
        rf"(?:no|invalid|missing) (?:such )?(?:{PAGE})(?: id)?(?: (?:was|were))?(?: (?:found|specified|exists?|here))?$",
        rf"(?:we |i )?{SEEK} (?:what you\b|that\b|(?:the|this|any) (?:{PAGE}|{OTHER})\b)",
        rf"you(?:'ve| have) followed a link to an? (?:{PAGE}) that {IS_NOT}",
        r"(?:(?:it looks|looks|seems) like )?nothing (?:was |has been )?found(?: (?:here|at this location)|$)",
        rf"there is (?:currently |at present )?no (?:text|content|{PAGE})\b[^.]{{0,20}}?(?:\bpage\b|\bhere\b|$)",
    )
)


class Notice(NamedTuple):
    """What a page says instead of its content, "" where it says nothing at all; ``length`` is that of all its
    sentences, ``shown`` what such a page shows outside of links."""

    words: str
    length: int
    shown: str = ""


def notice_of(document: Document) -> Notice | None:
    """Return what a page says in place of its content; None when it has more.

    Menus alone, or an empty body, say as much: software that has no row for an address prints what is around it.
    What a script fills says nothing.
    """
    if words := notice_in(document):
        return Notice(words, prose_length(document))
    if prose_length(document) or needs_script(document):
        return None
    shown = "".join(cast("list[str]", FIND_UNLINKED(document.root)))
    left = sum(map(len, shown.split()))
    return Notice("", 0, shown) if left <= _MOST_LEFT else None


def notice_in(document: Document) -> str:
    """Return the sentence by which a page says that what was asked for is not there; "" for none.

    A page with more text than a notice has none.
    """
    if prose_length(document) > LONGEST_NOTICE:
        return ""
    return next((said for said in _sentences(document) if _says_missing(said)), "")


def _sentences(document: Document) -> Iterator[str]:
    lines = [document.title, *paragraphs(deepcopy(document.root)).splitlines()[:MOST_LINES]]
    for line in lines:
        for part in SENTENCES.split(unicodedata.normalize("NFKC", line)):
            sentence = part.strip()
            if sentence and len(sentence) <= LONGEST_SENTENCE:
                yield sentence


def _says_missing(sentence: str) -> bool:
    apology = APOLOGY.match(sentence)
    said = sentence[apology.end() :] if apology else sentence
    return any(form.match(said) for form in (*CHINESE_NOTICES, *ENGLISH))
