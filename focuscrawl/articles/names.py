"""What is the name of one who writes and what is none: placeholders, offices, the site itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import unescape
from typing import Any

from focuscrawl.articles.statements import comparable

NO_NAME = re.compile(
    r"(?i)^[\W\d_]+$|^(?:user)?name$|^author$|\bteam\b|_(?:mobile|wap|web|cms)$|未知|不详|匿名|佚名|网络|整理|观点|单位|本人|所有|手记|公司|投稿"
    r"|编辑|本站|本网|本报|小编|^(?:网站|系统|超级|本站)?管理员$|来源|admin\d*$|administrator|webmaster|anonymous|unknown|贡献者$|contributors?$"
    r"|^(?:appointment|default|popular|design)\b|最新|文章|更多|简介|策划|首页|登录|注册|联系|[昨今明前当]日|[昨今明]天|[记記]者$|通讯员$"
)
# What a label is followed by in a sentence, as 记者从…获悉.
_CLAUSE = re.compile(r"获悉|表示|报道|了解|采访|从|在|的|是|已|获|将|来到|走进|看到")
LATIN_NAME = r"[A-Z][\w.'’-]+(?: (?:and |de |van |von )?[A-Z][\w.'’-]+)"
# A name that a site has and no person; a blog may be called as the one who writes it.
ORGANISATION = re.compile(
    r"(?i)(?:网|网站|在线|频道|[日晚早周时]报|社|台|集团|公司|论坛|新闻|财经|科技|体育|娱乐|中心|[部处科室局厅院校委会办]|大学|news|times|daily|\.\w{2,4})$"
)
# What programs and offices call themselves in a meta element: KWCHCIK, Stadt - Presseamt.
OF_NO_PERSON = re.compile(r"^[A-Z]{3,}$|[A-Za-z] - |: ")
_AND = re.compile(r"[\s|]*(?:&|(?<=[\s|])and(?=[\s|]))[\s|]*")
_BEGINS_NAMED = re.compile(
    rf"[\s|]*(?:(?:[Ww]ritten )?[Bb][Yy]:?[\s|]+)?(?P<name>{LATIN_NAME}{{1,3}}(?:, {LATIN_NAME}{{1,3}})*(?: and {LATIN_NAME}{{1,3}})?)"
    r"\s*(?:$|[,|·•–—(-]|\b(?:on|at|in|for|is|was)\b|\d)"
)
# Words that no name of a person holds, and a byline may begin with.
_OFFICE = re.compile(r"(?i)\b(?:staff|writers?|reporters?|editor(?:s|ial)?|correspondent|author|about|share|follow|posted|published|updated|read|view|all|post|sign|log|news|press|media|magazine|the)\b")  # fmt: skip
INTRODUCED = re.compile(r"^(?:by|作者|文)\s*[:：]?\s+|^(?:作者)[:：]", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+|https?://\S+|\bwww\.[\w.-]+", re.IGNORECASE)


def cleaned_name(text: str) -> str:
    """Return a name without addresses and introduction; "" when it is none."""
    words = (word.strip() for word in re.split(r"[,，]", _ADDRESS.sub("", text)))
    between = ", " if text.isascii() else ","
    name = INTRODUCED.sub("", between.join(filter(None, words))).strip(" .,-|/—–")
    return "" if NO_NAME.search(name) or _CLAUSE.search(name) else name


def is_the_sites(name: str, site_names: Collection[str]) -> bool:
    """Whether a meta element names the site: by its whole name, or by how one of its names begins."""
    plain = comparable(name)
    is_called_so = ORGANISATION.search(name) is not None and plain in site_names
    return is_called_so or any(one != plain and one.startswith(plain) for one in site_names)


def names_at_beginning(text: str) -> str:
    """Return the persons of Latin letters that a byline begins with, "" for none; its pieces stand
    between bars.
    """
    match = _BEGINS_NAMED.match(_AND.sub(" and ", text))
    name = match["name"] if match else ""
    return name if cleaned_name(name) == name and not _OFFICE.search(name) else ""


def names_in(value: Any, *, of_persons: bool) -> str:
    """Return the names of a JSON-LD value: those of organisations, or all others."""
    values = value if isinstance(value, list) else [value]
    chosen = (one for one in values[:5] if of_persons != _is_organisation(one))
    names = [one.get("name") if isinstance(one, dict) else one for one in chosen]
    found = (" ".join(unescape(name).split()) for name in names if isinstance(name, str))
    # Behind a bar stands the outlet: Mira Holt | Harbour News.
    named = (cleaned_name(name.partition(" | ")[0]) for name in found if "://" not in name and not name.startswith("#"))  # fmt: skip
    return ", ".join(filter(None, named))[:120]


def _is_organisation(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("@type", "")).endswith("Organization")
