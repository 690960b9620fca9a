"""Who wrote an article and where it was taken from, as printed."""

from __future__ import annotations

import re
from typing import Any

from focuscrawl.extract.statements import Statements

LONGEST_BYLINE = 80
"""Characters of a line in which an author is looked for."""

AUTHOR_NAMES = (
    "author",
    "article:author",
    "byl",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
)
SOURCE_NAMES = ("source", "article:source", "mediaid", "copyrightsource")
SOURCE = re.compile(
    r"(?:文章|稿件|信息|新闻|内容|本文)?(?:来源|來源|出处|转自|source)\s*[:：]\s*[《“\"]?"
    r"(?P<name>[^\s|<>《》（）()\[\]【】,，;；:：]{2,40}+(?![=\"'])(?: [A-Za-z][\w.&-]*){0,4})",
    re.IGNORECASE,
)
AUTHOR = re.compile(
    r"(?:^|[\s（(【|])(?:(?:本报|本网|特约)?记者|通讯员|撰文|撰稿人?|文\s*[/／|])\s*[:：]?\s*"
    r"(?P<name>[\u4e00-\u9fff·]{2,4}(?:[、 ][\u4e00-\u9fff·]{2,4}){0,3})(?=$|[|,，;；:：）)】\]]|\s)"
)
LABELLED_AUTHOR = re.compile(
    r"(?:作\s*者|撰文|author)\s*[:：]\s*(?P<name>[^\s|,，。;；:：（）()\[\]【】<>=\"']{2,20}+(?![=\"'])(?: [A-Z][\w.]+){0,2})",
    re.IGNORECASE,
)
NO_NAME = re.compile(
    r"^[\W\d_]+$|未知|不详|匿名|佚名|网络|整理|观点|单位|本人|所有|手记|获悉|表示|报道|了解|采访|从|在|的|是|已|获|将|公司|投稿|编辑部|admin"
    r"|最新|文章|更多|简介|首页|登录|注册",
    re.IGNORECASE,
)
BYLINE = re.compile(
    r"^\s*[Bb][Yy]:?\s+(?P<name>[A-Z][\w.'’-]+(?: (?:and )?[A-Z][\w.'’-]+){1,5})\s*$"
)
NEXT_LABEL = re.compile(
    r"(?:责任编辑|编辑|作者|时间|日期|发布|点击|浏览|阅读|字体|字号|记者|(?:19|20)\d\d[-年/.]).*$"
)


def find_author(stated: Statements) -> str:
    """Return the author: JSON-LD, a byline (作者：, By, 记者), a meta element; "" when none says."""
    for value in stated.described:
        if name := _names(value.get("author")):
            return name
    for pattern in (LABELLED_AUTHOR, BYLINE, AUTHOR):
        for line in stated.lines:
            match = pattern.search(line.text) if len(line.text) <= LONGEST_BYLINE else None
            if match and not NO_NAME.search(match["name"]):
                return match["name"].strip()
    for name in AUTHOR_NAMES:
        said = stated.metas.get(name, "")
        if said and len(said) <= 60 and "://" not in said and not NO_NAME.search(said):
            return said
    return ""


def _names(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    names = [item.get("name") if isinstance(item, dict) else item for item in values[:5]]
    return ", ".join(" ".join(name.split()) for name in names if isinstance(name, str) and name)[
        :120
    ]


def find_source(stated: Statements) -> str:
    """Return the source as printed (来源：), else the meta element made for it."""
    lines = stated.lines
    for place, line in enumerate(lines):
        if match := SOURCE.search(line.text):
            return NEXT_LABEL.sub("", match["name"]).strip()[:120]
        if re.fullmatch(
            r"(?:来源|來源|source)\s*[:：]", line.text, re.IGNORECASE
        ) and place + 1 < len(lines):
            following = lines[place + 1].text[:40]
            return "" if set(following) & set('="<>{}') else following
    for name in SOURCE_NAMES:
        if said := stated.metas.get(name, ""):
            return re.sub(r"^(?:来源|source)\s*[:：]\s*", "", said, flags=re.IGNORECASE)[:120]
    return ""
