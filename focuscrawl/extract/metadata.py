"""What a page says about its article: title, date, author, source. Nothing is guessed.

Order of belief for the date: JSON-LD and meta elements made for it, a line near the title that
reads like one (发布/来源/时间), a time element, the address. A page that shows no date has none.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from lxml import etree

from focuscrawl.extract.document import Document, element_text
from focuscrawl.text.dates import FoundDate, date_in_address, find_dates, read_date

MOST_LINES = 1_500
"""Pieces of text that are looked through for a date."""

LONGEST_LINE = 200
"""Characters of a line that may hold a date, a source or an author."""

LONGEST_BYLINE = 80
"""Characters of a line in which an author is looked for."""

FEWEST_POINTS = 3
"""Points from which a date in the text is the article's."""

NEAR_TITLE = 4
"""Lines below the title in which a date is likelier the article's."""

MOST_ALIKE = 3
"""Lines of the same shape (digits aside) above which they are a list, not the article's date."""

FIND_META = etree.XPath("//meta[@content and (@name or @property or @itemprop)]")
FIND_JSON = etree.XPath("//script[@type='application/ld+json']/text()")
FIND_TIMES = etree.XPath("//time[@datetime or text()]")
FIND_HEADINGS = etree.XPath("//h1 | //h2 | //h3")
FIND_LINES = etree.XPath(
    "//body//text()[string-length(.) > 5 and string-length(.) < 400 and not(parent::script or parent::style"
    " or parent::noscript or parent::textarea or parent::option or parent::a)]"
)
PUBLISHED_NAMES = (
    "article:published_time", "og:published_time", "datepublished", "pubdate", "publishdate", "publish_date",
    "publish-date", "publishtime", "_pubtime", "weibo: article:create_at", "apub:time", "date.issued", "dc.date.issued",
    "dcterms.created", "dc.date", "article.published", "sailthru.date", "parsely-pub-date", "firstpublishedtime",
    "og:release_date", "bytedance:published_time", "article:create_at",
)  # fmt: skip
AUTHOR_NAMES = (
    "author",
    "article:author",
    "byl",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
)
SOURCE_NAMES = ("source", "article:source", "mediaid", "copyrightsource")
LABELLED = re.compile(
    r"发布|发表|时间|日期|来源|刊登|撰文|posted|publish|first published|写于|作者|编辑|记者|责编",
    re.IGNORECASE,
)
PLACED = re.compile(
    r"date|time|pub|info|source|meta|byline|author|post|ptime|riqi|laiyuan", re.IGNORECASE
)
COUNTED = re.compile(r"阅读|浏览|点击|人气|views|reads", re.IGNORECASE)
SENTENCE = re.compile(r"[，。！？,.!?]")
DIGITS = re.compile(r"\d+")
NOT_IT = re.compile(
    r"copyright|©|版权|备案|ICP|评论|回复|回帖|注册|登录|上一篇|下一篇|有效期|截止|截至|报名|成立于|生于|至今|updated|更新于|修改|浏览器|注册时间"
    r"|comment|reply|replies|joined|expires",
    re.IGNORECASE,
)
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
POWERED = re.compile(r"powered by", re.IGNORECASE)
BYLINE = re.compile(
    r"^\s*[Bb][Yy]:?\s+(?P<name>[A-Z][\w.'’-]+(?: (?:and )?[A-Z][\w.'’-]+){1,5})\s*$"
)
NEXT_LABEL = re.compile(r"(?:责任编辑|编辑|作者|时间|日期|发布|点击|浏览|阅读|字体|字号|记者).*$")
SEPARATORS = re.compile(
    r"\s+[-|_–—·»:]+\s+|[|_｜]|\s*--+\s*|——|(?<=[\u4e00-\u9fff”》！？])-(?=[\u4e00-\u9fff])"
)


class Metadata(NamedTuple):
    """Texts are "" and ``published`` None where the page does not say; ``published_by`` is the
    results table's word for how a date was found: json-ld, meta, rule, url.
    """

    title: str
    published: float | None
    published_raw: str
    published_by: str
    author: str
    source_name: str


def read_metadata(document: Document, *, fetched: float, timezone: str) -> Metadata:
    """Read what the page says of its article.

    ``fetched`` is the wall time of the fetch: later dates are refused, relative ones count from
    it. Dates without a zone are in ``timezone``.
    """
    metas = _metas(document.root)
    described = list(_described(document.root))
    lines = _lines(document.root)
    title = _title(document, metas)
    date, found_by = _published(document, metas, described, lines, title, fetched, timezone)
    return Metadata(
        title=title,
        published=date.seconds if date else None,
        published_raw=date.raw if date else "",
        published_by=found_by if date else "",
        author=_author(metas, described, lines),
        source_name=_source(metas, lines),
    )


class Line(NamedTuple):
    """A piece of text and its element."""

    text: str
    element: etree._Element


def _metas(root: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in cast("list[etree._Element]", FIND_META(root)):
        content = " ".join(element.get("content", "").split())[:500]
        name = element.get("property") or element.get("name") or element.get("itemprop") or ""
        if content:
            found.setdefault(name.strip().lower(), content)
    return found


def _described(root: etree._Element) -> Iterator[dict[str, Any]]:
    """Go through the JSON-LD objects of a page that describe an article."""
    for text in cast("list[str]", FIND_JSON(root))[:20]:
        try:
            value = json.loads(text[:200_000], strict=False)
        except (ValueError, RecursionError):
            continue
        waiting = [value]
        for _ in range(200):
            if not waiting:
                break
            value = waiting.pop(0)
            if isinstance(value, list):
                waiting.extend(value[:50])
            elif isinstance(value, dict):
                kind = str(value.get("@type", ""))
                if (
                    "Article" in kind
                    or "Posting" in kind
                    or "datePublished" in value
                    or "pubDate" in value
                ):
                    yield value
                waiting.append(value.get("@graph"))


def _lines(root: etree._Element) -> list[Line]:
    lines = []
    for piece in cast("list[Any]", FIND_LINES(root))[:MOST_LINES]:
        text = " ".join(piece.split())
        if 5 < len(text) <= LONGEST_LINE:
            element = piece.getparent()
            lines.append(Line(text, element.getparent() if piece.is_tail else element))
    return lines


def _title(document: Document, metas: dict[str, str]) -> str:
    """Choose the heading that <title> contains, else og:title, else the longest part of <title>."""
    page_title = document.title
    plain = _comparable(page_title)
    best = ""
    for heading in cast("list[etree._Element]", FIND_HEADINGS(document.root))[:50]:
        text = element_text(heading)
        if 3 <= len(text) <= 200 and _comparable(text) in plain and len(text) > len(best):
            best = text
    shared = metas.get("og:title", "")
    if len(best) >= 6 or (best and (not shared or page_title.startswith(best))):
        return best
    if shared:
        return _longest_part(shared) if shared == page_title else shared
    return _longest_part(page_title) or best


def _comparable(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def _longest_part(title: str) -> str:
    parts = [part.strip(" -_|–—") for part in SEPARATORS.split(title)]
    return max(parts, key=_weight, default="")


def _weight(part: str) -> int:
    """Return a length in columns: a Han character says as much as two letters."""
    return 0 if POWERED.search(part) else sum(1 + (letter >= "\u2e80") for letter in part)


def _published(
    document: Document,
    metas: dict[str, str],
    described: list[dict[str, Any]],
    lines: list[Line],
    title: str,
    fetched: float,
    timezone: str,
) -> tuple[FoundDate | None, str]:
    for value in described:
        said = value.get("datePublished") or value.get("pubDate") or value.get("dateCreated")
        if isinstance(said, str) and (found := read_date(said, timezone=timezone, now=fetched)):
            return found, "json-ld"
    for name in PUBLISHED_NAMES:
        if name in metas and (found := read_date(metas[name], timezone=timezone, now=fetched)):
            return found, "meta"
    if found := _date_in_lines(lines, title, fetched, timezone):
        return found, "rule"
    if found := _date_in_times(document.root, fetched, timezone):
        return found, "rule"
    return date_in_address(document.url, timezone=timezone, now=fetched), "url"


def _date_in_lines(
    lines: list[Line], title: str, fetched: float, timezone: str
) -> FoundDate | None:
    """Return the date with the most points; see ``_points``. Ties go to the earlier line."""
    plain_title = _comparable(title)
    shapes = [DIGITS.sub("0", line.text) for line in lines]
    alike = Counter(shapes)
    best: tuple[int, FoundDate] | None = None
    title_at = -NEAR_TITLE - 1
    in_head = True
    for place, line in enumerate(lines):
        if len(plain_title) >= 4 and plain_title in _comparable(line.text):
            title_at = place
        in_head = in_head and not _is_prose(line.text)
        date = next(find_dates(line.text, timezone=timezone, now=fetched), None)
        if date is None:
            continue
        shape = shapes[place]
        stands_alone = (
            in_head
            and shape not in shapes[max(0, place - 8) : place] + shapes[place + 1 : place + 9]
        )
        if alike[shape] > MOST_ALIKE and not stands_alone:
            continue
        before = lines[place - 1].text if place else ""
        near = 2 * (place - title_at <= NEAR_TITLE) + 2 * in_head
        points = _points(line, date, before) + near
        if points >= FEWEST_POINTS and (best is None or points > best[0]):
            best = points, date
    return best[1] if best else None


def _is_prose(text: str) -> bool:
    return len(text) >= 60 and len(SENTENCE.findall(text)) >= 2


def _points(line: Line, date: FoundDate, before: str) -> int:
    """Weigh a date by what stands around it: labels, a clock time, a telling class, little else."""
    text, element = line
    around = text[max(0, date.start - 15) : date.start + len(date.raw) + 12]
    rest = len(text) - len(date.raw)
    if NOT_IT.search(around) or (date.precision in {"hour", "minute"} and rest > 100):
        return -9
    points = -3 if rest > 80 else 1 if rest <= 40 else 0
    if LABELLED.search(around) or (len(before) < 20 and LABELLED.search(before)):
        points += 3
    elif COUNTED.search(text):
        points += 2
    if date.precision != "day":
        points += 2
    above = element.getparent()
    places = (element,) if above is None else (element, above)
    if PLACED.search(" ".join(f"{place.get('class')} {place.get('id')}" for place in places)):
        points += 1
    if any(place.tag == "li" for place in places):
        points -= 2
    return points


def _date_in_times(root: etree._Element, fetched: float, timezone: str) -> FoundDate | None:
    """Return the date of the page's first time element, unless there are many (a list's)."""
    times = cast("list[etree._Element]", FIND_TIMES(root))
    if not 0 < len(times) <= 4:
        return None
    said = times[0].get("datetime") or element_text(times[0])
    return read_date(said, timezone=timezone, now=fetched)


def _author(metas: dict[str, str], described: list[dict[str, Any]], lines: list[Line]) -> str:
    for value in described:
        if name := _names(value.get("author")):
            return name
    for pattern in (LABELLED_AUTHOR, BYLINE, AUTHOR):
        for line in lines:
            match = pattern.search(line.text) if len(line.text) <= LONGEST_BYLINE else None
            if match and not NO_NAME.search(match["name"]):
                return match["name"].strip()
    for name in AUTHOR_NAMES:
        said = metas.get(name, "")
        if said and len(said) <= 60 and "://" not in said and not NO_NAME.search(said):
            return said
    return ""


def _names(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    names = [item.get("name") if isinstance(item, dict) else item for item in values[:5]]
    return ", ".join(" ".join(name.split()) for name in names if isinstance(name, str) and name)[
        :120
    ]


def _source(metas: dict[str, str], lines: list[Line]) -> str:
    for place, line in enumerate(lines):
        if match := SOURCE.search(line.text):
            return NEXT_LABEL.sub("", match["name"]).strip()[:120]
        if re.fullmatch(
            r"(?:来源|來源|source)\s*[:：]", line.text, re.IGNORECASE
        ) and place + 1 < len(lines):
            following = lines[place + 1].text[:40]
            return "" if set(following) & set('="<>{}') else following
    for name in SOURCE_NAMES:
        if said := metas.get(name, ""):
            return re.sub(r"^(?:来源|source)\s*[:：]\s*", "", said, flags=re.IGNORECASE)[:120]
    return ""
