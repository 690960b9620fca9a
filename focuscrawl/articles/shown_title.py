"""The title as a page shows it above its text, where <title> names the site or something else."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from focuscrawl.articles.dates.words import WEEKDAY, YEAR
from focuscrawl.articles.statements import Line, comparable
from focuscrawl.articles.surroundings import is_prose

_MOST_LINES = 12
"""Lines above the text among which its title is looked for."""

NAMED_RANK, MARKED_RANK, _PLAIN = 0, 3, 9
"""Of a line that is named as the title of an article, as a title, and of one that is not marked."""

MOST_AROUND = 4
"""Elements around a line that may be named as a menu's."""

MOST_PLAIN = 2
"""Lines without any mark between title and text."""

LEAST_SHARE = 0.8
"""Length of a title over that of what <title> says: headings of parts and names of sites are shorter."""

_SURE = 12
"""Columns from which a line that <title> begins with is no coincidence."""

SHORTEST, _LONGEST = 4, 60
"""Characters of a title that only its looks tell."""

RANKS = {"h1": 1, "h2": 2, "h3": 4, "h4": 5, "big": 4, "b": 6, "strong": 6, "center": 6, "th": 6}
"""How much an element looks like a title, the least first."""

TITLE_NAMED = re.compile(
    r"(?:post|entry|article|news|content|page|arti|thread)[_-]?(?:title|heading|tit)", re.IGNORECASE
)
SITE_NAMED = re.compile(
    r"site-?(?:title|name|branding)|blog-?(?:title|name)|masthead|navbar|(?:^|[ _-])(?:logo|brand)(?:$|[ _-])",
    re.IGNORECASE,
)
_MARKED = re.compile(r"tit(?:le)?(?![a-z])|head(?:ing|line)|subject|biaoti|large", re.IGNORECASE)
LARGE = re.compile(r"\+[1-9]|[4-7]")
SAYS_SOMETHING = re.compile(
    r"作\s*者|[来來]源|时\s*间|日\s*期|[发發][布佈表]|更新|[点點][击擊]|[浏瀏][览覽]|[阅閱][读讀]|位置|[首主][页頁]|登[录錄]|字体"
    r"|\b(?:by|posted|source|views|home|share)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"menu|nav|side|foot|modal|dialog|comment|login", re.IGNORECASE)
BESIDE = "-_|–—·»›｜/"
"""What separates the title of a page from the name of its site."""

_NO_TITLE = re.compile(
    r"^[\W\d_]+$|[:：。；;>]$|^[一二三四五六七八九十\d]{1,3}[、.．]|^[>|\[【(（\]·]"
)


def shown_part(lines: list[Line], page_title: str, parts: list[str]) -> str:
    """Return the longest line that <title> begins with, set apart from a shorter rest; else the part
    of <title> that looks like a title on the page, "" for none.
    """
    found = ""
    for line in lines:
        text = line.text
        if len(text) > len(found) and columns(text) >= _SURE and page_title.startswith(text):
            rest = page_title[len(text) :].lstrip()
            if rest and rest[0] in BESIDE and columns(rest) < columns(text):
                found = text
    if found or len(parts) < 2:
        return found
    plain = {comparable(part) for part in parts if part == parts[0] or columns(part) >= _SURE}
    for line in reversed(lines[: _first_prose(lines)]):
        if comparable(line.text) in plain and _looks_like_title(line.element):
            return line.text
    return ""


def shown_title(lines: list[Line], said: str) -> str:
    """Return the line that looks like the title above the text, "" when none does or when ``said``,
    which <title> says, is printed on the page itself.
    """
    plain = comparable(said)
    above = [line for line in lines[: _first_prose(lines)] if line.element.tag != "title"]
    if said and any(said in line.text for line in lines if line.element.tag != "title"):
        return ""
    if len(plain) >= 2 and any(plain in comparable(line.text) for line in above):
        return ""
    plain_lines, best, title = 0, _PLAIN, ""
    for line in reversed(above[-_MOST_LINES:]):
        text = line.text
        if not SHORTEST <= len(text) <= _LONGEST or _NO_TITLE.search(text):
            continue
        if SAYS_SOMETHING.search(text) or (YEAR.search(text) and WEEKDAY.search(text)):
            continue
        rank = _rank(line.element)
        plain_lines += rank is None
        if plain_lines > MOST_PLAIN:
            break
        if rank is not None and rank < best:
            best, title = rank, text
    is_long = columns(title) >= LEAST_SHARE * columns(said)
    return title if is_long or best <= NAMED_RANK else ""


def _looks_like_title(element: etree._Element) -> bool:
    rank = _rank(element)
    return rank is not None and rank <= MARKED_RANK


def _first_prose(lines: list[Line]) -> int:
    return next((place for place, line in enumerate(lines) if is_prose(line.text)), len(lines))


def columns(text: str) -> int:
    """Return a length in columns: a Han character says as much as two letters."""
    return sum(1 + (letter >= "\u2e80") for letter in text)


def _rank(element: etree._Element) -> int | None:
    """Tell how much an element looks like a title, by its name, tag, size, place in the middle: the
    less the more; None when it does not.
    """
    ranks = []
    around = (element, *islice(element.iterancestors(), 2))
    for one in around:
        if one.tag in {"a", "li", "nav"}:
            return None
        names = f"{one.get('class') or ''} {one.get('id') or ''}"
        if SITE_NAMED.search(names):
            return None
        ranks.append(
            NAMED_RANK
            if TITLE_NAMED.search(names)
            else MARKED_RANK
            if _MARKED.search(names)
            else _PLAIN
        )
        ranks.append(RANKS.get(str(one.tag), _PLAIN))
        if one.tag == "font" and LARGE.fullmatch(one.get("size", "").strip()):
            ranks.append(4)
        if one.get("align", "").lower() == "center":
            ranks.append(6)
    best = min(ranks)
    return None if best == _PLAIN or _is_elsewhere(element) else best


def _is_elsewhere(element: etree._Element) -> bool:
    around = (element, *islice(element.iterancestors(), MOST_AROUND))
    return any(_ELSEWHERE.search(f"{one.get('class')} {one.get('id')}") for one in around)
