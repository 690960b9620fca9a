"""The words beside a date that tell what it is the date of."""

from __future__ import annotations

import re

PUBLISHED = (
    r"[发發][布佈表]|首[发發]|刊[登发發载載]|登[载載]|[张張][贴貼]|上[传傳网網线線]|[发發]帖|提交|[创創]建|[录錄]入|添加|[编編][辑輯]|[撰][写寫文]"
    r"|[写寫][作于於]|印[发發]|公[布佈告开開]|生成|[发發][稿文]|[颁頒][布佈]|出版|投稿|[转轉][载載]|文章|新[闻聞]|信息|稿件|本文|原文|推送|播出|更新"
)
SAID_BEHIND = re.compile(
    rf"^[\s)）\]】]*(?:[于於])?(?:首次)?(?:{PUBLISHED}|[来來]源|作者|[责責][编編]|by\b|IP\s*[:：]|第[\d一二三四五六七八九十]+版)",
    re.IGNORECASE,
)
LABELLED = re.compile(
    rf"{PUBLISHED}|[时時]\s*[间間]|日\s*期|[来來]源|作者|[记記]者|[责責][编編]|原[载載]|posted|publish|written|dated?\b|submitted|added|uploaded|released|issued|created|filed"
    r"|^\s*[于於]\s*$|(?<!\d)1\s*[楼樓#]|[楼樓]主",
    re.IGNORECASE,
)
IS_LABEL = re.compile(
    r"(?:[:：]|[时時][间間]|日期|[于於]|[发發][布佈表]|(?<!\d)1\s*[楼樓#]|[楼樓]主|posted(?:\s*@)?|published|publish date|date|\bon)[\])】]?$",
    re.IGNORECASE,
)
ENDS_AS_LABEL = re.compile(r"(?:[时時][间間]|日期|date)[:：]?$|[发發][布佈表][:：]$", re.IGNORECASE)
"""No name of an account as 上海发布 is."""

PLACED = re.compile(
    r"date|time|pub|info|source|meta|byline|author|post|ptime|riqi|laiyuan", re.IGNORECASE
)
CHANGED = re.compile(r"updated?|modified|lastmod|revis", re.IGNORECASE)
CREATED = re.compile(r"publish|created|posted|entry-date|pubdate", re.IGNORECASE)
"""Class names of the dates of a change and of the beginning."""

COUNTS_OF_READERS = re.compile(r"阅读|閱讀|浏览|瀏覽|点击|點擊|人气|views|reads", re.IGNORECASE)
DRAWN_UP = re.compile(r"(?:成文|签[发署]|生效|施行|实施|制定|起草|落款)(?:日期|时间)?\s*[:：]?\s*$")
"""What authorities print beside the date of publication."""

AMENDED = re.compile(r"(?:更新|[编編][辑輯])(?:[时時][间間]|日期)?\s*[于於]?\s*[:：]?\s*$")
"""What is said of the date of a change, which is the article's where no other is said."""

AMENDED_BEHIND = re.compile(r"\s*更新")
OTHER_LABEL = re.compile(
    r"(?:^|[\s　|])[\u4e00-\u9fff]{2,6}\s*[:：]\s*$|(?:^|[|·•]\s*)[A-Z]?[a-z]+(?: [a-z]+){0,2}:\s*$"
)
"""What introduces a date and does not say that it is the article's: 开工：."""

IN_CLAUSE = re.compile(r"(?:^|\s)(?!(?:on|at|of|the|online)\s)[a-z]{2,}\s+$")
NAMED_MONTH = re.compile(r"[A-Za-z]{3}")
"""Before an English date: Sale ends March 5."""

OF_BOOK = re.compile(r"ISBN|出版社|定价|页数|[书書][号號]", re.IGNORECASE)
OF_ANYTHING = re.compile(
    r"(?P<what>[\u4e00-\u9fff]{2,8})(?:[时時][间間]|日期)\s*[\])】]?\s*[:：]?\s*$"
    r"|(?P<kind>\b[a-z]+(?: [a-z]+)?) (?:date|time)\s*[:：]?\s*$",
    re.IGNORECASE,
)
IS_PUBLISHED = re.compile(
    rf"{PUBLISHED}|建立|[来來]信|留言|提[问問]|咨[询詢]|publish|publication|post|issue|article|press|news|story|creat|entry|upload|filing|submission|original",
    re.IGNORECASE,
)
OF_WHAT = re.compile(
    r"(?:^|[^\u4e00-\u9fff])(?:[时時]\s*[间間]|日\s*期|\b(?:date|time))\s*[:：]\s*$", re.IGNORECASE
)
"""A label that does not say of what it is the time: of the event, where a place is named beside it."""

OF_EVENT = re.compile(
    r"(?:^|[\s　，,;；])(?:[地场場会會]\s*[点點址场場地]|[会會][议議]室|主\s*[讲講]人?|[报報]告人|演[讲講](?:人|者|嘉[宾賓])|venue|location|where|place|speaker)\s*[:：]",
    re.IGNORECASE,
)
NOT_IT = re.compile(
    r"copyright|©|版[权權]|[备備]案|ICP|[评評][论論]|回[复復帖]|注[册冊]|登[录錄]|上一篇|下一篇|前一篇|后一篇|有效期|截止|截至|[报報]名"
    r"|成立于|生于|[卒逝]于|至今|最(?:近|[后後](?!次?[发發][布佈表]))|本站[更最运運成已]|今天是|[现現]在是|[当當]前|上一?次|服[务務]器|北京时间[:：]|推[荐薦]|相[关關]|[热熱][门門]|更多|延伸|往期|(?:版本|论文|产品|软件|游戏|新品|专辑|单曲|影片|固件|漏洞|补丁|系统)(?:首次)?(?:[发發][布佈表]|更新|出版)|[摄攝][于於]|[页頁]面生成|首[播映]|上映|版本|[日记記][志誌录錄][:：]|修[改订訂]|[浏瀏][览覽]器|访问于|检索|参考"
    r"|comment|repl(?:y|ies)\b|joined|member since|expires|updat|modified|revised|reviewed|edited|retrieved|accessed|received|accepted|effective"
    r"|\bas of\b|\bwhen\b|\bbuilt\b|\bcommit\b|\bends?\b|\btaken\b|calendar|\bv(?:ersion)?\s*\d|\bevent|\bborn\b|\bdied\b|\bsince\b|\bdue\b|deadline",
    re.IGNORECASE,
)
THEN_LABELLED = re.compile(
    rf"[\W\d_].*(?:{PUBLISHED}|[时時][间間]|日期|posted|published)", re.IGNORECASE
)
"""What behind another label says of the date that it is the article's after all: 评论：0 时间：…"""

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
    r"\s*(?:凌晨|深夜|夜|晨)?\s*(?:[写寫作]?[于於][\u4e00-\u9fff]{2,8}|初稿|定稿)[\s)）]*$"
)
YEAR = re.compile(r"(?:19|20)\d\d|年")
DIGITS = re.compile(r"\d+")
