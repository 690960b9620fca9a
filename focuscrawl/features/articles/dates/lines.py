"""Which of the dates printed on a page is its article's: by labels, by place, by what is around.

Between title and text a date is likely the article's. Below the text it must say so, or stand
alone under the last paragraph as a signature. A date that says it is something else (an event's,
a comment's, the site's last update) is left. Dates that look alike are a list and not the article's,
unless one of them stands alone at the top. Of the others the one with the most points is taken.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.features.articles.statements import (
    HEADINGS,
    Line,
    Surroundings,
    elements_behind,
    is_elsewhere,
)
from focuscrawl.readers.pages.texts import names_of, short_text
from focuscrawl.readers.text.dates import DateReader, FoundDate, is_midnight

PUBLISHED = (
    r"[发發][布佈表]|首[发發]|刊[登发發载載]|登[载載]|[张張][贴貼]|上[传傳网網线線]|[发發]帖|提交|[创創]建|[录錄]入|添加|[编編][辑輯]|[撰][写寫文]"
    r"|[写寫][作于於]|印[发發]|公[布佈告开開]|生成|[发發][稿文]|[颁頒][布佈]|出版|投稿|[转轉][载載]|文章|新[闻聞]|信息|稿件|本文|原文|推送|播出|更新"
    r"|公開|投稿|掲載|配信|初出|입력|등록|작성|게재|승인|수정"
)
SAID_BEHIND = re.compile(
    rf"(?i)^[\s)）\]】]*(?:[于於])?(?:首次)?(?:{PUBLISHED}|[来來]源|作者|[责責][编編]|by\b|IP\s*[:：]|第[\d一二三四五六七八九十]+版)"
)
LABELLED = re.compile(
    rf"(?i){PUBLISHED}|[时時]\s*[间間]|日\s*期|[来來]源|作者|[记記]者|[责責][编編]|原[载載]|posted|publish|written|dated?\b|submitted|added|uploaded|released|issued|created|filed|\b(?:story|article|report|post|news) (?:is|was) from\b"
    r"|^\s*[于於]\s*$|(?<!\d)1\s*[楼樓#]|[楼樓]主"
)
IS_LABEL = re.compile(
    r"(?i)(?:[:：]|[时時][间間]|日期|[于於]|[发發][布佈表]|(?<!\d)1\s*[楼樓#]|[楼樓]主|posted(?:\s*@)?|published|publish date|date|\bon)[\])】]?$"
)
# No name of an account as 上海发布 is.
ENDS_AS_LABEL = re.compile(r"(?:[时時][间間]|日期|date)[:：]?$|[发發][布佈表][:：]$", re.IGNORECASE)
PLACED = re.compile(
    r"date|time|pub|info|source|meta|byline|author|post|ptime|riqi|laiyuan", re.IGNORECASE
)
# Class names of the dates of a change and of the beginning.
CHANGED = re.compile(r"updated?|modified|lastmod|revis", re.IGNORECASE)
CREATED = re.compile(r"publish|created|posted|entry-date|pubdate", re.IGNORECASE)
COUNTS_OF_READERS = re.compile(r"阅读|閱讀|浏览|瀏覽|点击|點擊|人气|views|reads", re.IGNORECASE)
# What authorities print beside the date of publication.
DRAWN_UP = re.compile(
    r"(?:成文|签[发署]|生效|施行|实施|制定|起草|落款)(?:日期|时间)?\s*+[:：]?\s*+$"
)
# Labels of the date of a change, which is the article's where no other date is printed.
AMENDED = re.compile(r"(?:更新|수정|[编編][辑輯])(?:[时時][间間]|日期)?\s*+[于於]?\s*+[:：]?\s*+$")
AMENDED_BEHIND = re.compile(r"\s*更新")
# What introduces a date and does not say that it is the article's: 开工：.
OTHER_LABEL = re.compile(
    r"(?:^|[\s　|])[\u4e00-\u9fff]{2,6}\s*[:：]\s*$|(?:^|[|·•]\s*)[A-Z]?[a-z]+(?: [a-z]+){0,2}:\s*$"
)
IN_CLAUSE = re.compile(r"(?:^|\s)(?!(?:on|at|of|the|online)\s)[a-z]{2,}\s+$")
NAMED_MONTH = re.compile(r"[A-Za-z]{3}")  # before an English date: Sale ends March 5
OF_BOOK = re.compile(r"ISBN|出版社|定价|页数|[书書][号號]", re.IGNORECASE)
OF_ANYTHING = re.compile(
    r"(?i)(?P<what>[\u4e00-\u9fff]{2,8})(?:[时時][间間]|日期)\s*+[\])】]?\s*+[:：]?\s*+$"
    r"|(?P<kind>\b[a-z]+(?: [a-z]+)?) (?:date|time)\s*+[:：]?\s*+$"
)
IS_PUBLISHED = re.compile(
    rf"(?i){PUBLISHED}|建立|[来來]信|留言|提[问問]|咨[询詢]|publish|publication|post|issue|article|press|news|story|creat|entry|upload|filing|submission|original"
)
# A label that does not say of what it is the time: of the event, where a place is named beside
# it.
OF_WHAT = re.compile(
    r"(?:^|[^\u4e00-\u9fff])(?:[时時]\s*[间間]|日\s*期|\b(?:date|time))\s*[:：]\s*$", re.IGNORECASE
)
OF_EVENT = re.compile(
    r"(?i)(?:^|[\s　，,;；])(?:[地场場会會]\s*[点點址场場地]|[会會][议議]室|主\s*[讲講]人?|[报報]告人|演[讲講](?:人|者|嘉[宾賓])|venue|location|where|place|speaker)\s*[:：]"
)
NOT_IT = re.compile(
    r"(?i)copyright|©|版[权權]|[备備]案|ICP|[评評][论論]|回[复復帖]|注[册冊]|登[录錄]|上一篇|下一篇|前一篇|后一篇|有效期|截止|截至|[报報]名"
    r"|成立于|生于|[卒逝]于|至今|最(?:近|[后後](?!次?[发發][布佈表]))|本站[更最运運成已]|今天是|[现現]在是|[当當]前|上一?次|服[务務]器|北京时间[:：]|推[荐薦]|相[关關]|[热熱][门門]|更多|延伸|往期|(?:版本|论文|产品|软件|游戏|新品|专辑|单曲|影片|固件|漏洞|补丁|系统)(?:首次)?(?:[发發][布佈表]|更新|出版)|[摄攝][于於]|[页頁]面生成|首[播映]|上映|版本|[日记記][志誌录錄][:：]|修[改订訂]|[浏瀏][览覽]器|访问于|检索|参考"
    r"|comment|repl(?:y|ies)\b|joined|member since|expires|updat|modified|revised|reviewed|edited|retrieved|accessed|received|accepted|effective"
    r"|\bas of\b|\bwhen\b|\bbuilt\b|\bcommit\b|\bends?\b|\btaken\b|calendar|\bv(?:ersion)?\s*\d|\bevent|\bborn\b|\bdied\b|\bsince\b|\bdue\b|deadline"
)
# What behind another label says of the date that it is the article's after all: 评论：0 时间：…
THEN_LABELLED = re.compile(
    rf"[\W\d_].*(?:{PUBLISHED}|[时時][间間]|日期|posted|published)", re.IGNORECASE
)
NOT_IT_BEHIND = re.compile(r"^\s*(?:前?[截终]止|到期|前报名|注册|加入|生于?$|出生|[摄攝]|修[改订訂]|last (?:updated|modified))", re.IGNORECASE)  # fmt: skip
RANGE = re.compile(
    r"^\s*(?:至|到|—+|–|~|～|-|to\b|until\b|through\b)\s*(?:\d{1,4}\s*[年月日./:-]\s*\d|[A-Z][a-z]+ \d)"
)
RANGE_BETWEEN = re.compile(r"\s*[—–~～-]+\s*")
RANGE_BEFORE = re.compile(r"(?:至|到|~|～|\bto|\buntil|\bthrough)\s*$")
SENTENCE_END = re.compile(r"[。！？]|[a-z]{2}[.!?](?:\s|$)")
FOOTNOTE = re.compile(r"^\s*\[\d+\]")
WEEKDAY = re.compile(
    r"星期|周[一二三四五六日]|礼拜|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE
)
WEATHER = re.compile(r"晴|多云|[阴雨雪]\s|℃|°C|[农農][历曆]")
ISSUE = re.compile(r"第\s*[\dA-Z一二三四五六七八九十]+\s*版|版次")
WRITTEN_AT = re.compile(
    r"\s*+(?:凌晨|深夜|夜|晨)?\s*+(?:[写寫作]?[于於][\u4e00-\u9fff]{2,8}|初稿|定稿)[\s)）]*$"
)
YEAR = re.compile(r"(?:19|20)\d\d|年")
DIGITS = re.compile(r"\d+")


# Links between a date and the title below it, or beside it, from which on it is the page's.
MOST_LINKS_BETWEEN = 5
LINE_OF_ITS_OWN = 2  # characters a line may have beside a date that stands alone
# Characters a line may have beside a date when it stands at the right or says where it was
# written.
LONGEST_SIGNED = 12
# Characters of a paragraph that holds a date and other facts about an article.
LONGEST_META = 100
LONG_SENTENCE = 60  # characters of a paragraph from which it is a sentence when it ends like one
_LONGEST_HEADER = 20  # characters of what names a cell of a table
MOST_CELLS = 30  # cells of a row, or terms of a list, before the one that is named by its table
MOST_WITHIN = 200  # elements of a part of a page among which its heading is looked for
MOST_HEADED = 6  # elements around a date in which its heading may stand


def header_of(element: etree._Element) -> str:
    """Return what a table or list of terms calls the cell an element stands in, "" for no header."""
    for cell in (element, *islice(element.iterancestors(), 2)):
        if cell.tag not in {"td", "dd"}:
            continue
        before = list(islice(cell.itersiblings(preceding=True), MOST_CELLS))
        beside = [one for one in before if one.tag in {"th", "dt"}]
        row = cell.getparent()
        if not beside and cell.tag == "td" and row is not None:
            table = row.getparent()
            first = row if table is None else next(iter(table))
            column = islice(first, len(before), len(before) + 1)
            beside = [one for one in column if one.tag == "th"]
        return short_text(beside[0], _LONGEST_HEADER) if beside else ""
    return ""


def heading_beside(element: etree._Element) -> etree._Element | None:
    """Return the first heading in the smallest part of the page around an element that has one."""
    for above in islice(element.iterancestors(), MOST_HEADED):
        for one in islice(above.iter(), MOST_WITHIN):
            if one.tag in HEADINGS:
                return one
    return None


def is_in_sentence(element: etree._Element) -> bool:
    """Whether an element stands in a paragraph, which what stands around it makes long."""
    above = element.getparent()
    if above is None or above.tag != "p" or element.tag == "br":
        return False
    text = short_text(above, LONGEST_META)
    is_long = not text or (len(text) >= LONG_SENTENCE and SENTENCE_END.search(text) is not None)
    return is_long and above.find("br") is None


def is_signature(line: Line, after: str, rest: int, place_of: Surroundings) -> bool:
    """Whether a date stands alone among the paragraphs, as under a notice, at the right or with the
    place where the article was written. ``rest`` is the length of its line without it.
    """
    element = line.element
    above = element.getparent()
    if rest > LINE_OF_ITS_OWN:
        places = (element,) if above is None else (element, above)
        at_right = any(
            one.get("align", "").lower() == "right"
            or "text-align:right" in one.get("style", "").replace(" ", "").lower()
            for one in places
        )
        if rest > LONGEST_SIGNED or not (at_right or WRITTEN_AT.match(after)):
            return False
    if element.find("a[@href]") is not None:
        return False  # a list's, beside its link
    return element in place_of.prose or (above is not None and above in place_of.prose)


def is_the_pages(line: Line, place_of: Surroundings) -> bool:
    """Whether a date above the title is today's, as sites print it beside their menu."""
    text, element = line.text, line.element
    above = element.getparent()
    beside = (
        "" if above is None else short_text(element, LONGEST_META) + short_text(above, LONGEST_META)
    )
    if ISSUE.search(text) or ISSUE.search(beside):
        return False
    if element.find("a[@href]") is not None:
        return True  # of what the link leads to
    for above in islice(element.iterancestors(), 3):
        if above in place_of.around:
            break
        if WEEKDAY.search(text) and len(above.findall(".//a[@href]")) >= MOST_LINKS_BETWEEN:
            return True
    links = 0
    for following in islice(elements_behind(element), 2_000):
        if following in place_of.around and following.tag not in {"body", "html"}:
            break
        links += following.tag == "a"
        if links >= MOST_LINKS_BETWEEN:
            return True
    return links > 0 and (WEEKDAY.search(text) or WEATHER.search(text)) is not None


MOST_DATES = 4  # dates of one line that are looked at
BEFORE, _AFTER = 24, 12  # characters before and after a date that say what it is
LONG_LABEL = 20  # characters from which a line above a date is more than its label


class Stated(NamedTuple):
    """A date in a line: ``before`` is what leads to it, ``after`` what follows. ``shape`` is its line
    and the label above it without their digits; ``headed`` says that its table or list names it.
    """

    date: FoundDate
    line: Line
    place: int
    before: str
    after: str
    shape: str
    headed: bool


def stated_in(lines: list[Line], dates: DateReader) -> Iterator[Stated]:
    """Go through the dates of all lines, a few of each."""
    for place, line in enumerate(lines):
        found = list(islice(dates.find(line.text), MOST_DATES))
        compact = not found and line.text.isdecimal() and len(line.text) == 8
        if compact and (whole := dates.read(line.text)):
            found = [whole]
        end = 0
        label = ""
        found.sort(key=lambda date: date.start)
        for number, date in enumerate(found):
            before = line.text[end : date.start]
            header = ""
            if len(before.strip()) < 2 and not end:
                label = _label_above(lines[place - 1], line) if place else ""
                header = "" if label else header_of(line.element)
                before = label + header + before
            elif number and RANGE_BETWEEN.fullmatch(before):
                before += "至"
            end = date.start + len(date.raw)
            if compact and not LABELLED.search(before):
                continue  # any number
            after = line.text[end : end + _AFTER]
            shape = DIGITS.sub("0", (label if ENDS_AS_LABEL.search(label) else "") + line.text)
            yield Stated(date, line, place, before[-BEFORE:], after, shape, bool(header))


def _label_above(above: Line, line: Line) -> str:
    """Return the line right above a date when it is its label."""
    is_label = len(above.text) < LONG_LABEL and IS_LABEL.search(above.text) is not None
    return above.text if is_label and line.number == above.number + 1 else ""


# Characters beside a relative date (3小时前) above which it belongs to a sentence.
MOST_BESIDE_AGO = 8
NEAR_TITLE = 4  # lines below the title in which a date is likelier the article's
NEAR_EVENT = 3  # lines between the time of an event and its place
LONG_REST = 4  # characters beside a date from which a line that ends like a sentence is one


class _Signs(NamedTuple):
    """What speaks for a date: a label, its place in the head of the article or near its title."""

    label: bool
    in_head: bool
    near: bool


def _signs_of(stated: Stated, place_of: Surroundings) -> _Signs:
    place, label = stated.place, LABELLED.search(stated.before) or SAID_BEHIND.search(stated.after)
    near = any(-1 <= place - title_at <= NEAR_TITLE for title_at in place_of.titles)
    in_head = place < place_of.head_ends
    return _Signs(bool(label), in_head, near and place < place_of.text_begins)


def points_of(stated: Stated, lines: list[Line], place_of: Surroundings) -> int:
    """Weigh a date by what stands around it: labels, a clock time, a telling class, little else."""
    date, (text, element, _), place, before, after, *_ = stated
    titles, signs = place_of.titles, _signs_of(stated, place_of)
    rest = len(text) - len(date.raw)
    if _is_another(stated, signs, lines, place_of):
        return -9
    points = -3 if rest > 80 else 1 if rest <= 40 else 0
    is_between = bool(titles) and titles[0] < place < place_of.text_begins
    points += 3 * signs.in_head + 2 * signs.near + 2 * is_between
    if signs.label:
        points += _points_of_label(before, after)
    elif COUNTS_OF_READERS.search(text):
        points += 2
    elif not any(signs):
        points += 2  # a signature
    return points + 2 * (date.precision != "day") + _points_of_place(element)


def _is_another(stated: Stated, signs: _Signs, lines: list[Line], place_of: Surroundings) -> bool:
    """Whether a date is not the article's: a line says so, it is in a sentence, or nothing speaks for it."""
    date, (text, element, _), place, before, after, *_ = stated
    rest = len(text) - len(date.raw)
    ago = not YEAR.search(date.raw)
    if _is_something_else(stated, rest) or (rest > MOST_BESIDE_AGO and ago and not signs.label):
        return True
    if _is_an_events(stated, lines) or (not signs.label and is_in_sentence(element)):
        return True
    if stated.headed and not (signs.in_head or signs.near or IS_PUBLISHED.search(before)):
        return True
    if not any(signs) and not is_signature(stated.line, after, rest, place_of):
        return True
    is_above = bool(place_of.titles) and place < place_of.titles[0]
    return is_above and not signs.label and is_the_pages(stated.line, place_of)


def _points_of_label(before: str, after: str) -> int:
    """Weigh the label of a date: published, changed, drawn up."""
    if DRAWN_UP.search(before) or (AMENDED_BEHIND.match(after) and not LABELLED.search(before)):
        return -1
    return 2 if AMENDED.search(before) else 3


def _points_of_place(element: etree._Element) -> int:
    above = element.getparent()
    places = (element,) if above is None else (element, above)
    names = " ".join(map(names_of, places))
    points = -2 if any(place.tag == "li" for place in places) else 0
    if CHANGED.search(names) and not CREATED.search(names):
        points -= 2
    return points + (PLACED.search(names) is not None)


def _is_something_else(stated: Stated, rest: int) -> bool:
    """Whether a line says of a date that it is not the article's."""
    before, after, text = stated.before, stated.after, stated.line.text
    if stated.headed and not LABELLED.search(before):
        return True
    refused = list(NOT_IT.finditer(before))
    if refused and not THEN_LABELLED.search(before, refused[-1].end()):
        return True
    if NOT_IT_BEHIND.search(after) or FOOTNOTE.search(text):
        return True
    if what := OF_ANYTHING.search(before):  # 活动时间：, 会议日期：
        named = what["what"] or what["kind"]
        return not (IS_PUBLISHED.search(named) or DRAWN_UP.search(before))
    in_clause = NAMED_MONTH.search(stated.date.raw) and IN_CLAUSE.search(before)
    if (OTHER_LABEL.search(before) or in_clause) and not LABELLED.search(before):
        return True
    if RANGE.search(after) or RANGE_BEFORE.search(before):
        return True
    in_brackets = text[:1] in "（(【[" or text[-1:] in "）)】]"
    return (
        rest >= LONG_REST
        and bool(SENTENCE_END.search(text))
        and not in_brackets
        and not LABELLED.search(before)
    )


def _is_an_events(stated: Stated, lines: list[Line]) -> bool:
    """Whether a date is that of an event, 时间： beside 地点：, or of a book."""
    if OF_WHAT.search(stated.before):
        of_another = OF_EVENT
    elif "出版" in stated.before:
        of_another = OF_BOOK
    else:
        return False
    beside = lines[max(0, stated.place - NEAR_EVENT) : stated.place + NEAR_EVENT + 1]
    return any(of_another.search(line.text) for line in beside)


FEWEST_POINTS = 3  # points from which a date in the text is the article's
# Lines of the same shape (digits aside) above which they are a list, not the article's date.
MOST_ALIKE = 3
# Dates of a page that are looked at, from its top and from its end.
_MOST_ABOVE, MOST_BELOW = 150, 50
NEAR_IN_LIST = 8  # lines between two that look alike from which on they are no items of one list


def date_in_lines(lines: list[Line], place_of: Surroundings, dates: DateReader) -> FoundDate | None:
    """Return the date with the most points; see ``points_of``. Ties go to the earlier line."""
    found = list(stated_in(lines, dates))
    if len(found) > _MOST_ABOVE + MOST_BELOW:
        found = found[:_MOST_ABOVE] + found[-MOST_BELOW:]
    shapes: defaultdict[str, list[Stated]] = defaultdict(list)
    for stated in found:
        if not is_elsewhere(stated.line.element, place_of.around):
            shapes[stated.shape].append(stated)
    best: tuple[int, Stated] | None = None
    chosen = [one for alike in shapes.values() for one in _of_article(alike, place_of)]
    for stated in sorted(chosen, key=lambda one: (one.place, one.date.start)):
        points = points_of(stated, lines, place_of)
        if points >= FEWEST_POINTS and (best is None or points > best[0]):
            best = points, stated
    return _more_precise(best[1], dates) if best else None


def _of_article(alike: list[Stated], place_of: Surroundings) -> list[Stated]:
    """Return those of the dates that look alike that may be the article's: of many, which are a list,
    what stands alone at the top, or is the first post's.

    In a list of articles the others stand under headings of the same kind.
    """
    places = {stated.place for stated in alike}
    if len(places) <= MOST_ALIKE:
        return alike
    in_head = {place for place in places if place < place_of.head_ends}
    heading = {stated.place: heading_beside(stated.line.element) for stated in alike}
    chosen = []
    for stated in alike:
        place = stated.place
        around = range(place - NEAR_IN_LIST, place + NEAR_IN_LIST + 1)
        near = any(other in places and other != place for other in around)
        alone = place in in_head and (not near or len(in_head) == 1)
        first = stated is alike[0] and LABELLED.search(stated.shape) is not None
        own = heading[place]
        others = {
            other
            for other in heading.values()
            if own is not None and other is not None and other is not own and other.tag == own.tag
        }
        # A list of links under one heading of its own may repeat the date; articles have one each.
        if (alone or first) and len(others) <= 1:
            chosen.append(stated)
    return chosen


def _more_precise(stated: Stated, dates: DateReader) -> FoundDate:
    """Return a date as its element states it for programs, when that is the same day."""
    date, element = stated.date, stated.line.element
    above = element.getparent()
    for one in (element,) if above is None else (element, above):
        said = one.get("datetime") or one.get("content") or one.get("title") or ""
        exact = dates.read(said)
        if exact is None or abs(exact.seconds - date.seconds) >= 2 * 86_400:
            continue
        return exact if exact.unit < date.unit and not is_midnight(exact, dates.timezone) else date
    return date
