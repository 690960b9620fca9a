"""Who wrote a post: what may name a person, weighed, and the place at which a page's posts name their authors."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.features.forums.elements import LONGEST_NAME
from focuscrawl.features.forums.words import AUTHOR, MEMBER, count_in
from focuscrawl.readers.pages.texts import element_text, names_of
from focuscrawl.readers.text.dates import find_dates

_SURE = 5  # weight of a link to a member that is called an author, whatever it stands in
FEWEST_FOR_AUTHOR = 3  # weight from which a name can be an author's on its own


class PersonName(NamedTuple):
    """A name and how much speaks for its being the author's."""

    text: str
    weight: int


_SAID_IN = ("data-author", "data-username", "data-user-name", "data-nickname", "data-user-card")
_PERSON_PROPERTIES = frozenset(("author", "creator"))
_NAMED_USER = re.compile(
    r"(?:profile|user|member)[_-]?link|(?:screen|display|poster)[_-]?name|user[\w-]{0,30}name|(?:^|\s)(?:name|\w{0,6}user)(?:$|\s)",
    re.IGNORECASE,
)
# What forums tell of a member right behind the name.
_BEHIND = re.compile(
    r"\s*(?:等级|等級|级别|級別|头衔|積分|积分|注册|註冊|发帖|帖子|文章|威望|joined|posts|messages|registered)\s*[:：]",
    re.IGNORECASE,
)
_BY_CHOICE = re.compile(r"user[_-]?name|nick", re.IGNORECASE)
# What stands beside a name and is called after it: pictures, ranks, badges, what others did to a post.
_BESIDE_NAME = re.compile(
    r"avatar|photo|face|rank|title|badge|role|group|level|medal|flair|signature|statist|desc|regist|join|count"
    r"|quot|like|react|thank|edit|last|reputation|stat\b|stats\b|info\b|location|online|device",
    re.IGNORECASE,
)
_TITLE = re.compile(r"\S*title\S*", re.IGNORECASE)
_AROUND = re.compile(r"avatar|photo|face|badge|quot|like|react|thank|edit|last", re.IGNORECASE)
_TOOL = re.compile(
    r"(?:回复|引用|举报|关注|私信|加好友|加为好友|只看该作者|只看楼主|只看他|只看ta|发消息|发送消息|发短消息|查看\S*|个人\S*|我的\S*|倒序浏览|电梯直达"
    r"|使用道具|返回\S*|显示全部\S*|楼主|管理员|登录|注册|匿名网友|收听TA|profile|reply|quote|report|follow|message|pm|www|e-?mail|website|visit\S*|posts?|topics?|threads?|offline|online|find|我的|我"
    r"|share|like|by|author|user|users|member|members|administrators?|moderators?|view .*profile.*|go to .*|more|permalink|edited?|all|login|log ?in|sign ?in|sign ?up|register|private message|send .*)[:：]?",
    re.IGNORECASE,
)
_CONTAINERS = frozenset(("tr", "table", "tbody", "ul", "ol", "body", "html", "form", "section", "article"))  # fmt: skip
_PICTURE_WORDS = re.compile(r"^(?:avatar of |photo of )|(?:['’]s )?(?:user )?(?:avatar|photo)$|的?头像$", re.IGNORECASE)  # fmt: skip


def name_in(element: etree._Element) -> PersonName | None:
    """Return the person an element names; None: it names none."""
    for attribute in _SAID_IN:
        said = element.get(attribute)
        if said and (name := _usable(said)):
            return PersonName(name, 4)
    weight = _weight(element)
    if weight <= 0:
        return None
    text = _usable(element.get("content", "") if element.tag == "meta" else _short(element))
    if not text:
        return _pictured(element)
    parent = element.getparent()
    called = names_of(element)
    around = parent.get("class", "") if parent is not None and weight < _SURE else ""
    if is_member_link(
        element
    ):  # a rank is no link: what is called a title there is the name's style
        called = _TITLE.sub("", called)
    if _BESIDE_NAME.search(_without_authors(called)) or _AROUND.search(_without_authors(around)):
        weight -= 3
    if _BY_CHOICE.search(called):  # where the full name is printed, too
        weight += 1
    if len(text) == 1:  # a letter in place of a picture
        weight -= 2
    return PersonName(text, max(weight, 1))


def _without_authors(called: str) -> str:
    """Drop from classes those that say a name: username, author-name."""
    return " ".join(
        word for word in called.split() if not re.search(r"name|author$|nick", word, re.IGNORECASE)
    )


def _weight(element: etree._Element) -> int:
    """Weigh how surely an element is the name of who wrote a post; 0 when it is none."""
    said = element.get("itemprop", "").split()
    if "name" in said or not _PERSON_PROPERTIES.isdisjoint(said):
        return _weight_stated(element, said)
    if element.tag in {"meta", "link"}:
        return 0
    weight = _weight_called(element)
    if weight and element.tag == "span" and _is_in_member_link(element):
        return 5
    if not weight and element.tag in {"span", "b", "strong", "em", "font"}:
        return _weight_plain(element)
    return weight


def _weight_stated(element: etree._Element, said: list[str]) -> int:
    """Weigh what is stated to be a person, or the name of one: the name wins within the person."""
    if not _PERSON_PROPERTIES.isdisjoint(said):
        inner = next(element.iterdescendants(), None)
        return 0 if inner is not None and element.xpath(".//*[@itemprop='name']") else 6
    above = (one.get("itemprop", "") for one in islice(element.iterancestors(), 4))
    return 7 if any(one in _PERSON_PROPERTIES for one in above) else 0


def _weight_called(element: etree._Element) -> int:
    """Weigh a link to a member, and an element whose class calls it a name; both together most."""
    weight = 0
    if is_member_link(element) or "author" in element.get("rel", "").split():
        weight = 4
    called = element.get("class", "")
    is_called = AUTHOR.search(called) or _NAMED_USER.search(called) or element.tag == "cite"
    if is_called and element.tag not in _CONTAINERS and (weight or _says_one_thing(element)):
        weight = weight + 1 if weight else 3
    return weight


def _weight_plain(element: etree._Element) -> int:
    """Weigh what nothing calls a name: the text of a link beside a picture, or before what tells of a member."""
    if _is_in_member_link(element) and len(element) == 0:
        return 4
    return 3 if _is_told_of(element) else 0


def _is_in_member_link(element: etree._Element) -> bool:
    parent = element.getparent()
    return parent is not None and is_member_link(parent)


def _is_told_of(element: etree._Element) -> bool:
    """Whether what comes right behind an element tells of a member."""
    behind = element.getnext()
    if (element.tail or "").strip() or behind is None or behind.tag != "br":
        return False
    return len(element) == 0 and _BEHIND.match(behind.tail or "") is not None


def _says_one_thing(element: etree._Element) -> bool:
    """Whether the text of an element stands in one piece, however deep."""
    for _ in range(6):
        children = [one for one in element if isinstance(one.tag, str)]
        if (element.text or "").strip():
            return not children
        with_text = [
            one for one in children if any(str(text).strip() for text in islice(one.itertext(), 20))
        ]
        if len(with_text) != 1 or any((one.tail or "").strip() for one in children):
            return False
        element = with_text[0]
    return False


def is_member_link(element: etree._Element) -> bool:
    """Whether an element links to the page of a member."""
    return element.tag == "a" and MEMBER.search(element.get("href", "")) is not None


def _short(element: etree._Element) -> str:
    text = element_text(element) if len(element) < 8 else ""
    return text if len(text) <= LONGEST_NAME else ""


def _usable(text: str) -> str:
    """Return a text that can be a name, "" if it cannot."""
    text = " ".join(text.split()).strip(" ,:：@|»·›")
    if not 0 < len(text) <= LONGEST_NAME or count_in(text) is not None or _TOOL.fullmatch(text):
        return ""
    if sum(map(str.isdigit, text)) > 3 and next(find_dates(text), None) is not None:
        return ""
    return text if any(map(str.isalnum, text)) else ""


def _pictured(element: etree._Element) -> PersonName | None:
    """Return whom a link names by its title or by the text of its picture."""
    if element.tag != "a":
        return None
    said = [element.get("title", ""), *(one.get("alt", "") for one in element.iter("img"))]
    name = next(filter(None, (_usable(_PICTURE_WORDS.sub("", one.strip())) for one in said)), "")
    return PersonName(name, 1) if name else None
