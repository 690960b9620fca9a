"""What a link of a pager says: a page number, "next", "back to the first", or nothing at all."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

_LONGEST_PAGER_WORD = 40
"""Characters of a label that may be a word of a pager; longer ones are headlines."""

_LABELS_KEPT = 4_096
"""Labels whose words are remembered. Menus and pagers say the same on all pages of a site, and each label of a page is
asked about up to six times: without this it was a hundred substitutions for a page with fifteen links of its own site."""

_ORNAMENT_SIGNS = r"\u2190-\u21ff\u2300-\u23ff\u25a0-\u25ff\u2700-\u27bf\u27e6-\u27ff\u2900-\u297f\u2b00-\u2bff\ufe0f"
"""Unicode's blocks of arrows, triangles, ornaments and mathematical brackets."""
_ORNAMENTS = re.compile(rf"[\s\[\]()（）【】<>《》«»‹›|·….:：_{_ORNAMENT_SIGNS}-]+")
_TO_THE_RIGHT = re.compile(r"RIGHTWARDS|RIGHT-POINTING|RIGHT (?:DOUBLE )?ANGLE|GREATER-THAN")
"""What the Unicode name of a sign says that leads on: each program has its own, Pelican's is a bracket of mathematics."""
_NEXT_PAGE = re.compile(
    r"(?i)(?:翻到|看)?下[一1]?[页頁](?:阅读)?|后一?页|後一?頁|往后翻|下页|次页|次へ|nextpage|下一頁"
)
_NEXT_WORDS = re.compile(
    r"(?i)next|older(?:posts?|entries|articles?|news)?|previousposts|较早(?:的)?(?:文章|日志|博文)?|更早的(?:文章|日志|博文)?"
)
# The page before this one, by words that name a page: "previous" alone is the next article of many sites.
_PREVIOUS_PAGE = re.compile(r"(?i)上[一1]?[页頁]|前一?[页頁]|prev(?:ious)?page")
_PAGE_NUMBER = re.compile(r"第?(\d{1,4})[页頁]?")
_WHOLE_PAGE = re.compile(
    r"(?i)(?:在?[本单]页)?(?:阅读|显示|浏览|查看|展开)?(?:全文|全部|所有)(?:显示|阅读|浏览)?|单页(?:阅读|显示|浏览)?|显示全部内容?"
    r"|(?:viewas)?singlepage|viewall|fullarticle|viewfullarticle|onepage"
)
_OTHER_PAGE = re.compile(
    r"(?i)上[一1]?[页頁]|前一?页|首页|第一页|最后一?页|末页|尾页|prev(?:ious)?|first|last|newer(?:posts)?"
)
_FIRST_PAGE = re.compile(r"首页|第[一1]页|返回首页|first(?:page)?", re.IGNORECASE)


class PagerWords(NamedTuple):
    """What a label says in a pager: ``number`` is the page number that it is, ``is_empty``: nothing but ornaments.

    ``is_next_page`` names a page (下一页), ``is_next`` does not (next, older posts), ``is_arrow`` is one sign that points to
    the right; ``is_other`` leads to any page but the next; ``is_whole`` to an article on one page.
    """

    is_headline: bool = False
    is_empty: bool = False
    number: int | None = None
    is_next_page: bool = False
    is_next: bool = False
    is_arrow: bool = False
    is_previous_page: bool = False
    is_first: bool = False
    is_other: bool = False
    is_whole: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether a link says no more than a pager: an icon, a number, a word of paging."""
        is_word = self.is_next_page or self.is_next or self.is_other or self.is_first
        return self.is_empty or self.number is not None or is_word


_NO_PAGER_WORDS: Final = PagerWords(is_headline=True)


@lru_cache(_LABELS_KEPT)
def pager_words(label: str) -> PagerWords:
    """Return what a label says in a pager."""
    if len(label) > _LONGEST_PAGER_WORD:
        return _NO_PAGER_WORDS
    plain = _ORNAMENTS.sub("", label)
    number = _PAGE_NUMBER.fullmatch(plain)
    return PagerWords(
        is_empty=not plain,
        number=int(number.group(1)) if number else None,
        is_next_page=_NEXT_PAGE.fullmatch(plain) is not None,
        is_next=_NEXT_WORDS.fullmatch(plain) is not None,
        is_arrow=_is_arrow(label),
        is_previous_page=_PREVIOUS_PAGE.fullmatch(plain) is not None,
        is_first=_FIRST_PAGE.fullmatch(plain) is not None,
        is_other=_OTHER_PAGE.fullmatch(plain) is not None,
        is_whole=_WHOLE_PAGE.fullmatch(plain) is not None,
    )


def _is_arrow(label: str) -> bool:
    sign = label.strip().removesuffix("\ufe0f")
    return len(sign) == 1 and _TO_THE_RIGHT.search(unicodedata.name(sign, "")) is not None
