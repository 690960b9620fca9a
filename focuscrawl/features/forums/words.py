"""Words by which forums label what they count, and how they write numbers, authors and floors."""

from __future__ import annotations

import re
from typing import Final

REPLIES: Final = re.compile(
    r"回复|回覆|回帖|回贴|回應|回应|跟帖|跟贴|评论|評論|返信|レス|답글|댓글|ответ|antwort|répons|respuesta"
    r"|\brepl(?:y|ies)|(?:^|[^a-z])rep(?:ly|lies)?[_-]?(?:num|count)|comment|\banswers?\b|(?:^|[^a-z])posts(?:[^a-z]|$)|posts?-?count",
    re.IGNORECASE,
)
VIEWS: Final = re.compile(
    r"查看|浏览|瀏覽|阅读|閱讀|点击|點擊|人气|人氣|観覧|閲覧|表示|조회|просмотр|zugriff|aufruf|\bvues\b|visita"
    r"|view|\bhits?\b|\breads?\b|\bclicks?\b",
    re.IGNORECASE,
)
# What a list of boards counts, and a list of threads does not.
TOPICS: Final = re.compile(
    r"主题数|主题[:：]|主題數|主題[:：]|帖数|帖數|贴数|(?:^|[^a-z])(?:topics|threads)(?:[^a-z]|$)|themen|トピック数",
    re.IGNORECASE,
)

LAST_REPLY: Final = re.compile(r"最[后後新]|最終|\blast|latest|ago\b|前$", re.IGNORECASE)

_COUNT_NUMBER: Final = re.compile(
    r"(\d{1,3}(?:[,，]\d{3})+|\d{1,9})(\.\d+)?\s*([kKmM千万萬wW]?)\+?"
)
PAIR: Final = re.compile(r"(\d[\d,]*)\s*/\s*(\d[\d,]*)")
SCALE: Final = {"k": 1_000, "千": 1_000, "w": 10_000, "万": 10_000, "萬": 10_000, "m": 1_000_000}
LONGEST_NUMBER: Final = 30  # characters of a text that holds a count and its label
NONE_YET: Final = re.compile(
    r"暂无(?:回复|评论)|尚无回复|no (?:replies|comments|answers)", re.IGNORECASE
)

# Addresses of the pages of people.
MEMBER: Final = re.compile(
    r"(?:^|/)(?:u|user|users|member|members|people|profile|author|space|home)[/.=_-]|/[~@][\w-]+/?$|(?:^|/)user\?id=|[?&](?:uid|user(?:id|name)?|un|mod=space)[=&]"
    r"|mode=viewprofile|action=profile|member\.php|profile[.-]|space[.-]uid|home\.php\?mod=space",
    re.IGNORECASE,
)

# Classes of elements that hold the name of who wrote something.
AUTHOR: Final = re.compile(
    r"(?:^|[\s_-])(?:author|authi|poster|username|user[_-]?name|nick(?:name)?|member|by|cite|writer|zuozhe)",
    re.IGNORECASE,
)

SAYS_AUTHOR: Final = re.compile(
    r"^(?:主题)?(?:作者|楼主|发帖人|投稿者|by)\s*[:：]\s*(\S.*)$", re.IGNORECASE
)

POSTED: Final = re.compile(
    r"^(?:发表于|發表於|发表时间|发布于|发布时间|发帖时间|回复于|回复时间|时间|posted(?: on)?|投稿日時)\s*[:：]?\s*",
    re.IGNORECASE,
)

FLOOR: Final = re.compile(
    r"第?\s*+(\d{1,6})\s*+(?:楼|樓|F|f|层|層)(?:\s*+[:：])?|[#＃]\s*+(\d{1,6})|(\d{1,6})\s*+[#＃]|No\.\s*+(\d{1,6})|Post\s*+[#＃]?\s*+(\d{1,6})"
)
# The number of a post in a line that says its date, too.
FLOOR_BESIDE: Final = re.compile(
    r"(?:^|\s)(?:第?(\d{1,6})(?:楼|樓)|[#＃](\d{1,6})|(\d{1,6})[#＃])(?=\s|$|[:：,，])"
)

NAMED_FLOORS: Final = {"楼主": 1, "樓主": 1, "1楼": 1, "沙发": 2, "沙發": 2, "板凳": 3, "地板": 4}
LONGEST_FLOOR: Final = 6  # digits of the number of a post
NUMBER_ONLY_FLOOR: Final = re.compile(
    r"(?:^|[\s_-])(?:no|floor|number|num|post[_-]?number)(?:$|[\s_-])", re.IGNORECASE
)


def count_in(text: str) -> int | None:
    """Read a count that is the whole text: 40, 1,234, 2.3k, 1.2万; None when it is none."""
    found = _COUNT_NUMBER.fullmatch(text.strip()) if len(text) <= LONGEST_NUMBER else None
    if found is None:
        return None
    whole, part, scale = found.groups()
    if part and not scale:
        return None
    value = float(whole.replace(",", "").replace("，", "") + (part or ""))
    return round(value * SCALE.get(scale.lower(), 1))


def floor_in(text: str) -> int | None:
    """Read the number of a post that is the whole text: 5楼, #5, 5#, 楼主; None when it is none."""
    text = text.strip()
    if len(text) > 12:
        return None
    if text in NAMED_FLOORS:
        return NAMED_FLOORS[text]
    found = FLOOR.fullmatch(text)
    return int(next(filter(None, found.groups()))) if found else None
