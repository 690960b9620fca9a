"""What the text of a link says of paging: the next page, a page number, all on one page."""

from __future__ import annotations

import re

LONGEST_WORDS = 40
"""Characters of an anchor that may say "next page"; longer ones are headlines."""

DECORATION = re.compile(r"[\s\[\]()（）【】<>《》«»‹›→⇒▶|·….:：_-]+")
ARROW = re.compile(r"\s*[>»›→⇒▶]\s*")
NEXT_PAGE = re.compile(
    r"(?:翻到|看)?下[一1]?[页頁](?:阅读)?|后一?页|後一?頁|往后翻|下页|次页|次へ|nextpage|下一頁",
    re.IGNORECASE,
)
NEXT = re.compile(
    r"next|older(?:posts?|entries|articles?|news)?|previousposts|较早(?:的)?(?:文章|日志|博文)?|更早的(?:文章|日志|博文)?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"第?(\d{1,4})[页頁]?")
WHOLE_PAGE = re.compile(
    r"(?:在?[本单]页)?(?:阅读|显示|浏览|查看|展开)?(?:全文|全部|所有)(?:显示|阅读|浏览)?|单页(?:阅读|显示|浏览)?|显示全部内容?"
    r"|(?:viewas)?singlepage|viewall|fullarticle|viewfullarticle|onepage",
    re.IGNORECASE,
)
OTHER_PAGE = re.compile(
    r"上[一1]?[页頁]|前一?页|首页|第一页|最后一?页|末页|尾页|prev(?:ious)?|first|last|newer(?:posts)?",
    re.IGNORECASE,
)
FIRST_PAGE = re.compile(r"首页|第[一1]页|返回首页|first(?:page)?", re.IGNORECASE)
NEXT_CLASS = re.compile(r"(?:^|[\s_-])(?:next|pagenext|nextpage)(?:$|[\s_-])", re.IGNORECASE)


def number_in(anchor: str) -> int | None:
    """Return the page number that an anchor is; None when it is something else."""
    if len(anchor) > LONGEST_WORDS:
        return None
    found = _NUMBERED.fullmatch(DECORATION.sub("", anchor))
    return int(found.group(1)) if found else None
