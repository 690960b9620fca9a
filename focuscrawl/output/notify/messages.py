"""Messages as plain values, by story, in Chinese or English, as text, HTML and JSON.

Pure. Nothing of a page stands in one but as text; only addresses of the web become links.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import NamedTuple

from markupsafe import Markup

from focuscrawl.output.export.forms import as_text
from focuscrawl.output.notify.choice import ToldChange
from focuscrawl.output.summary.cells import for_people
from focuscrawl.output.summary.markup import LINE_BREAK, apart, element, is_link
from focuscrawl.readers.text.moments import day_only, moment_text, short_moment_text
from focuscrawl.stores.results.columns import clean_line, cut, time_text
from focuscrawl.stores.results.news import Teller
from focuscrawl.values import Json

_MOST_TOLD = 100
"""Entries of a message; it says how many more there are, and which command has them."""

MOST_OF_ENTRY, MOST_HITS = 8, 6
"""Articles and words that are named of a story."""

_LONGEST_NEED = 160
"""Characters of the first thing that needs the user, which a mail begins with; the others stand at its end, for the same
ten lines each morning hide the news."""

_MOST_SMALL, _MOST_NEEDS = 5, 12
"""Titles of small edits, and things that need the user, that are named; the report has all. Ten sites of forty were
broken in ten ways."""

LONGEST_TITLE, LONGEST_LEAD, LONGEST_DIFF, LONGEST_SUBJECT = 200, 120, 600, 90
"""Characters of a title, of how an article begins, of a difference (some ten lines), and of a subject: a
telephone shows 40, a list of mails 90."""

_THESE_MONTHS = 180 * 86_400.0
"""Seconds: what is further from when it was found has its year, as articles of years ago that come to light."""

MESSAGE_WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "subject": "{topic}：{counts} – {first}",
        "count_new": "{count} 条新消息",
        "count_pages": "{counts}（新消息共 {pages} 篇）",
        "count_replies": "{count} 个帖子有新回复",
        "count_changed": "{count} 条改动",
        "count_gone": "{count} 条消失",
        "between": "、",
        "subject_failure": "{topic}：无法开始抓取",
        "failure": "主题“{topic}”无法开始抓取，暂时不会有新消息：",
        "failure_check": "在项目目录中运行 {command} 可查看详情。原因不变时不再另行通知；恢复后会通知一次。",
        "subject_recovery": "{topic}：已恢复抓取",
        "recovery": "主题“{topic}”已重新开始抓取。",
        "subject_test": "{topic}：测试消息",
        "test": "这是一条测试消息：{topic} 有新消息时会发到这里。",
        "new": "新",
        "changed": "有改动",
        "gone": "已消失（网站上已没有，已存的内容仍在）",
        "records": "新记录",
        "replies": "新回复",
        "since": "{moment} 以来：{counts}",
        "noticed": "{moment} 发现",
        "published": "{moment} 发布",
        "medium": "{medium}（{host}）",
        "came": "新增：{line}",
        "went": "删去：{line}",
        "post": "{number} 楼 {line}",
        "none": "（无）",
        "small": "另有 {count} 处小改动：{titles}",
        "small_in_report": "另有 {count} 处小改动（改了什么见报告）：{titles}",
        "needs": "需要您处理",
        "needs_first": "需要您处理：{first}",
        "needs_count": "需要您处理 {count} 项（见文末）：{first} …",
        "report": "完整报告，在运行抓取的机器上：{place}",
        "sites": "{sites} 个网站报道",
        "late": "现在才发现",
        "others": "同一事件另见：",
        "hits": "命中：{hits}",
        "reply_count": "回复数",
        "field_title": "标题",
        "field_published": "发布时间",
        "field_author": "作者",
        "more": "另有 {count} 条。全部导出：{command}",
        "more_of": "另有 {count} 篇",
        "more_of_it": "另有 {count} 项",
        "why": "您收到此消息，是因为主题“{topic}”的 [[notify]] 写了这个地址。",
    },
    "en": {
        "subject": "{topic}: {counts} – {first}",
        "count_new": "{count} new",
        "count_pages": "{counts} (the new ones are {pages} pages)",
        "count_replies": "{count} threads with replies",
        "count_changed": "{count} changed",
        "count_gone": "{count} gone",
        "between": ", ",
        "subject_failure": "{topic}: the crawl cannot begin",
        "failure": "The crawl of the topic “{topic}” cannot begin, so nothing new will come for now:",
        "failure_check": "In the project's folder, {command} says more. You get no further message about this cause, and one when the crawl begins again.",
        "subject_recovery": "{topic}: the crawl begins again",
        "recovery": "The crawl of the topic “{topic}” has begun again.",
        "subject_test": "{topic}: a test",
        "test": "This is a test: messages about what is new in {topic} will arrive here.",
        "new": "New",
        "changed": "Changed",
        "gone": "Gone (no longer on its site; what is stored stays)",
        "records": "New records",
        "replies": "New replies",
        "since": "since {moment}: {counts}",
        "noticed": "noticed {moment}",
        "published": "published {moment}",
        "medium": "{medium} ({host})",
        "came": "added: {line}",
        "went": "removed: {line}",
        "post": "#{number} {line}",
        "none": "(nothing)",
        "small": "{count} small edits: {titles}",
        "small_in_report": "{count} small edits (the report says which): {titles}",
        "needs": "What needs you",
        "needs_first": "What needs you: {first}",
        "needs_count": "What needs you ({count}, at the end): {first} …",
        "report": "The whole report, on the machine that crawls: {place}",
        "sites": "on {sites} sites",
        "late": "found only now",
        "others": "the same story elsewhere:",
        "hits": "words: {hits}",
        "reply_count": "replies",
        "more": "{count} more. All of them: {command}",
        "more_of": "{count} more",
        "more_of_it": "{count} more",
        "why": "You get this message because [[notify]] of the topic “{topic}” names this address.",
    },
}


class Message(NamedTuple):
    """What a receiver is sent. ``message_id`` is the same whenever it is sent again; ``entries`` is how
    many stories and single things it tells. ``payload`` is the same as JSON, ``topics`` are their names.
    """

    message_id: str
    topics: tuple[str, ...]
    subject: str
    text: str
    html: str
    payload: Json
    entries: int


class MessageEntry(NamedTuple):
    """One story, or what stands alone: its changes, the oldest first."""

    section: str
    title: str
    sites: int
    changes: tuple[ToldChange, ...]


class TopicNews(NamedTuple):
    """The news of one topic: ``changes`` each by itself, ``small`` edits in one line, what of its last run
    ``needs`` its user, ``tellers`` by story, where its ``report`` lies ("": nowhere), and ``since`` when
    all of that came (None: the first message).
    """

    name: str
    title: str
    zone: tzinfo
    changes: Sequence[ToldChange]
    small: Sequence[ToldChange] = ()
    needs: Sequence[str] = ()
    tellers: Mapping[str, Sequence[Teller]] = {}
    report: str = ""
    since: float | None = None


_SECTIONS = ("new", "records", "replies", "changed", "gone")
_SECTION_OF = {"new": "new", "gone": "gone", "reply": "replies"}
"""Sections in the order in which they are read, and by kinds of changes; other kinds are edits."""

_OF_ONE_PAGE = frozenset({"replies", "changed"})
"""Sections in which all that has happened to a page since the last message is one entry."""


def _joined(changes: Sequence[ToldChange]) -> ToldChange:
    """Return the changes of one page as one: from what the first has found to what the last one has made of it."""
    some = sorted(changes, key=lambda one: one.at)
    fields: Json = {}
    for one in some:
        for name, values in one.fields.items():
            if name in fields and isinstance(values, list) and isinstance(fields[name], list):
                values = [fields[name][0], values[-1]]
            fields[name] = values
    diff = "\n".join(filter(None, (one.diff.rstrip("\n") for one in some)))
    return some[-1]._replace(fields=fields, diff=diff)


def entries_of_news(changes: Sequence[ToldChange]) -> list[MessageEntry]:
    """Join changes by story: what is new first, the stories of most sites before the others."""
    groups: dict[tuple[str, str], list[ToldChange]] = {}
    for one in changes:
        section = _SECTION_OF.get(one.kind, "changed")
        if section == "new" and one.what == "record":
            section = "records"
        key = one.change_id
        if section == "new" and one.story_id:
            key = one.story_id
        elif section in _OF_ONE_PAGE:
            key = one.url
        groups.setdefault((section, key), []).append(one)
    entries = []
    for (section, _), some in groups.items():
        some = [_joined(some)] if section in _OF_ONE_PAGE else some
        sites = max(one.sites for one in some)
        entries.append(MessageEntry(section, some[0].title, sites, tuple(some)))
    entries.sort(key=_order)
    return entries


def _order(entry: MessageEntry) -> tuple[int, int, float]:
    """Order entries: by section, the stories of most sites first, then the newest: what is new by when it was published."""
    newest = max(one.at for one in entry.changes)
    if entry.section == "new":
        newest = max(one.at if one.published is None else one.published for one in entry.changes)
    return _SECTIONS.index(entry.section), -entry.sites, -newest


def compose(message_id: str, news: Sequence[TopicNews], language: str) -> Message:
    """Make the message about what is new of some topics."""
    words = MESSAGE_WORDS[language]
    entries = [(one, entries_of_news(one.changes)) for one in news]
    count = sum(len(some) for _, some in entries)
    first = next((some[0] for _, some in entries if some), None)
    named = words["between"].join(one.title for one in news)
    shown = title_for_people(first.title) if first else ""
    counts = _counts([entry for _, some in entries for entry in some], words)
    subject = words["subject"].format(topic=named, counts=counts, first=shown)
    names = tuple(one.name for one in news)
    return Message(
        message_id,
        names,
        cut(clean_line(subject), LONGEST_SUBJECT),
        "\n".join(_text(entries, words)) + "\n",
        _html(entries, words, language),
        _payload(message_id, subject, entries),
        count,
    )


def _counts(entries: Sequence[MessageEntry], words: Mapping[str, str]) -> str:
    """Say how many entries are new, changed and gone."""
    sections = ["new" if one.section == "records" else one.section for one in entries]
    parts = (
        words[f"count_{section}"].format(count=sections.count(section))
        for section in ("new", "replies", "changed", "gone")
        if section in sections
    )
    return words["between"].join(parts)


def compose_test(message_id: str, name: str, title: str, language: str) -> Message:
    """Make a message that tells nothing but that it has arrived."""
    words = MESSAGE_WORDS[language]
    text = words["test"].format(topic=title)
    subject = words["subject_test"].format(topic=title)
    payload: Json = {"id": message_id, "subject": subject, "test": True, "topics": []}
    return Message(message_id, (name,), subject, f"{text}\n", str(element("p", text)), payload, 0)  # fmt: skip


def compose_start(message_id: str, topics: Sequence[str], why: str, language: str) -> Message:
    """Make a message that topics cannot begin, and ``why``; without a reason that they have begun again."""
    words = MESSAGE_WORDS[language]
    topic, kind = words["between"].join(topics), "failure" if why else "recovery"
    subject = cut(words[f"subject_{kind}"].format(topic=topic), LONGEST_SUBJECT)
    lines = [words[kind].format(topic=topic)]
    if why:
        command = f"scrapy topic check {topics[0]}"
        lines += ["", *why.splitlines(), "", words["failure_check"].format(command=command)]
    payload: Json = {
        "id": message_id,
        "subject": subject,
        "topics": [],
        "cannot_begin": [*topics],
        "why": why,
    }
    html = str(element("p", LINE_BREAK.join(map(apart, lines))))
    return Message(message_id, tuple(topics), subject, "\n".join(lines) + "\n", html, payload, 0)


def title_for_people(title: str) -> str:
    """Return a title as one line for people."""
    line = clean_line(for_people(title)).strip()
    return cut(line, LONGEST_TITLE) + ("…" if len(line) > LONGEST_TITLE else "")


# Text ---------------------------------------------------------------------------------------------


def _text(
    news: Sequence[tuple[TopicNews, Sequence[MessageEntry]]], words: Mapping[str, str]
) -> Iterator[str]:
    for topic, entries in news:
        yield f"== {clean_line(topic.title)} ==" if len(news) > 1 else clean_line(topic.title)
        yield from _headline(topic, entries, words)
        section = ""
        for entry in entries[:_MOST_TOLD]:
            if entry.section != section:
                section = entry.section
                yield f"\n[{words[section]}]"
            yield f"\n* {title_for_people(entry.title)}"
            yield f"  {' · '.join(_about(entry, topic.zone, words))}"
            yield f"  {clean_line(entry.changes[0].url)}"
            yield from (f"    {line}" for line in _details(entry, words))
            others = _others(entry, topic.tellers, words)
            if others:
                yield f"  {words['others']}"
            for url, said in others[:MOST_OF_ENTRY]:
                yield f"  - {said}"
                yield f"    {clean_line(url)}"
            if len(others) > MOST_OF_ENTRY:
                yield f"  {words['more_of'].format(count=len(others) - MOST_OF_ENTRY)}"
        if len(entries) > _MOST_TOLD:
            yield f"\n{_more(topic, len(entries), words)}"
        if topic.small:
            yield f"\n{_small_edits(topic, words)}"
        if len(topic.needs) > 1:
            yield f"\n[{words['needs']}]\n"
            yield from (f"* {one}" for one in _needs(topic, words))
        yield ""
    yield f"-- \n{words['why'].format(topic=clean_line(news[0][0].title))}"


def _headline(
    topic: TopicNews, entries: Sequence[MessageEntry], words: Mapping[str, str]
) -> Iterator[str]:
    """Go through the lines below a topic's title: what needs its user, how much there is, and where all of it is."""
    if topic.needs:
        kind = "needs_first" if len(topic.needs) == 1 else "needs_count"
        first = cut(clean_line(topic.needs[0]), _LONGEST_NEED)
        yield words[kind].format(count=len(topic.needs), first=first)
    counts = _counts(entries, words)
    new = [one for one in entries if one.section == "new"]
    if (pages := sum(len(one.changes) for one in new)) > len(new):
        counts = words["count_pages"].format(counts=counts, pages=pages)
    if topic.since is not None:
        moment = short_moment_text(topic.since, topic.zone)
        counts = words["since"].format(moment=moment, counts=counts)
    yield counts
    if topic.report:
        yield words["report"].format(place=clean_line(topic.report))


def _others(
    entry: MessageEntry, tellers: Mapping[str, Sequence[Teller]], words: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return where else a new story stands, address and words: its other new articles, then sites that told it
    before or have a copy."""
    if entry.section != "new":
        return []
    first, *others = entry.changes
    found = [
        (one.url, f"{title_for_people(one.title)} · {_publisher(one, words)}") for one in others
    ]
    hosts = {one.host for one in entry.changes}
    before = (one for one in tellers.get(first.story_id, ()) if one.host not in hosts)
    return [*found, *((one.url, _publisher(one, words)) for one in before)]


def _needs(topic: TopicNews, words: Mapping[str, str]) -> Iterator[str]:
    yield from map(clean_line, topic.needs[:_MOST_NEEDS])
    if (more := len(topic.needs) - _MOST_NEEDS) > 0:
        yield words["more_of_it"].format(count=more)


def _small_edits(topic: TopicNews, words: Mapping[str, str]) -> str:
    titles = [title_for_people(one.title) for one in topic.small[:_MOST_SMALL]]
    rest = ["…"] if len(topic.small) > _MOST_SMALL else []
    return words["small_in_report" if topic.report else "small"].format(
        count=len(topic.small), titles=words["between"].join([*titles, *rest])
    )


def _about(entry: MessageEntry, zone: tzinfo, words: Mapping[str, str]) -> Iterator[str]:
    """Go through what stands below a title: medium and site, time, sites, words that hit."""
    first = entry.changes[0]
    yield _publisher(first, words)
    is_of_change = entry.section in ("replies", "changed", "gone") or not first.published
    when = first.at if is_of_change else first.published or first.at
    is_of_these_months = abs(first.at - when) < _THESE_MONTHS
    if day := "" if is_of_change else day_only(first.published_date):
        moment = day.partition("-")[2] if is_of_these_months else day
        yield words["published"].format(moment=moment)
    else:
        moment = (short_moment_text if is_of_these_months else moment_text)(when, zone)
        yield words["noticed" if is_of_change else "published"].format(moment=moment)
    if not is_of_these_months:
        yield words["late"]
    if entry.sites > 1:
        yield words["sites"].format(sites=entry.sites)
    hits = sorted(first.hits.items(), key=lambda one: -one[1])[:MOST_HITS]
    if hits:
        yield words["hits"].format(hits=" ".join(clean_line(word) for word, _ in hits))


def _publisher(one: ToldChange | Teller, words: Mapping[str, str]) -> str:
    """Return who is named as the publisher of a text, with the site that has it where that is another name."""
    medium, host = clean_line(one.medium), clean_line(one.host)
    return (
        medium if medium == host or not host else words["medium"].format(medium=medium, host=host)
    )


def _details(entry: MessageEntry, words: Mapping[str, str]) -> Iterator[str]:
    """Go through the lines that say what has changed, or how an article begins."""
    one = entry.changes[0]
    if entry.section in ("changed", "replies"):
        for name, values in one.fields.items():
            if isinstance(values, list) and len(values) == 2:
                before, after = (
                    as_text("" if one is None else one) or words["none"] for one in values
                )
                called = (
                    words["reply_count"]
                    if one.what == "thread"
                    else words.get(f"field_{name}", name)
                )
                yield cut(clean_line(f"{called}: {before} → {after}"), LONGEST_LEAD)
        diff = for_people(one.diff)
        yield from _difference(cut(diff, LONGEST_DIFF), words, is_of_posts=one.kind == "reply")
        if len(diff) > LONGEST_DIFF:
            yield "…"
    elif entry.section == "new" and one.lead:
        lead = clean_line(for_people(one.lead))
        yield cut(lead, LONGEST_LEAD) + ("…" if len(lead) > LONGEST_LEAD else "")


def _difference(diff: str, words: Mapping[str, str], *, is_of_posts: bool) -> Iterator[str]:
    """Go through what came and went in a text, or the posts that came; what stayed around it is left out."""
    for line in diff.splitlines():
        sign, said = line[:1], line[1:].strip()
        if line.startswith(("@@", "---", "+++")) or not said:
            continue
        number, _blank, post = said.partition(" ")
        if sign == "+" and is_of_posts and number.isdecimal():
            yield words["post"].format(number=number, line=post)
        elif sign in "+-":
            yield words["came" if sign == "+" else "went"].format(line=said)
        elif is_of_posts:  # a post of several lines
            yield line.strip()


def _more(topic: TopicNews, count: int, words: Mapping[str, str]) -> str:
    oldest = datetime.fromtimestamp(min(one.at for one in topic.changes), topic.zone)
    since = f"{oldest:%Y-%m-%dT%H:%M}"
    command = f"scrapy topic export {topic.name} --since {since} -o {topic.name}.xlsx"
    return words["more"].format(count=count - _MOST_TOLD, command=command)


# HTML ---------------------------------------------------------------------------------------------

_HEAD = Markup(
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark"><style>:root{color-scheme:light dark}'
    "@media (prefers-color-scheme:dark){.small{color:#aaa!important}}</style>"
)
_SMALL = {"class_": "small", "style": "color:#666;font-size:13px"}
_BODY = (
    "font-family:system-ui,-apple-system,'PingFang SC','Microsoft YaHei',sans-serif;max-width:44em"
)


def _html(
    news: Sequence[tuple[TopicNews, Sequence[MessageEntry]]],
    words: Mapping[str, str],
    language: str,
) -> str:
    parts: list[Markup] = []
    for topic, entries in news:
        parts.append(element("h2", clean_line(topic.title)))
        lines = map(apart, _headline(topic, entries, words))
        parts.append(element("p", LINE_BREAK.join(lines), **_SMALL))
        section = ""
        for entry in entries[:_MOST_TOLD]:
            if entry.section != section:
                section = entry.section
                parts.append(element("h3", words[section]))
            parts.append(element("p", *_entry_html(entry, topic, words)))
        if len(entries) > _MOST_TOLD:
            parts.append(element("p", _more(topic, len(entries), words)))
        if topic.small:
            parts.append(element("p", apart(_small_edits(topic, words))))
        if len(topic.needs) > 1:
            parts.append(element("h3", words["needs"]))
            items = (element("li", apart(one)) for one in _needs(topic, words))
            parts.append(element("ul", *items))
    why = words["why"].format(topic=clean_line(news[0][0].title))
    parts.append(element("p", why, **_SMALL))
    head = element("head", _HEAD)
    return f"<!DOCTYPE html>{element('html', head, element('body', *parts, style=_BODY), lang=language)}"


def _entry_html(
    entry: MessageEntry, topic: TopicNews, words: Mapping[str, str]
) -> Iterator[Markup]:
    yield element("b", _link(entry.changes[0].url, entry.title))
    yield LINE_BREAK + _small(" · ".join(_about(entry, topic.zone, words)))
    for line in _details(entry, words):
        yield LINE_BREAK + _small(line)
    others = _others(entry, topic.tellers, words)
    if others:
        yield LINE_BREAK + _small(words["others"])
    for url, said in others[:MOST_OF_ENTRY]:
        yield LINE_BREAK + Markup("· {}").format(_link(url, said))
    if len(others) > MOST_OF_ENTRY:
        yield LINE_BREAK + words["more_of"].format(count=len(others) - MOST_OF_ENTRY)


def _small(text: str) -> Markup:
    return element("span", apart(text), **_SMALL)


def _link(url: str, title: str) -> Markup:
    shown = apart(title_for_people(title))
    if is_link(url):
        return element("a", shown, href=url)
    return Markup("{} ({})").format(shown, clean_line(url))


# JSON ---------------------------------------------------------------------------------------------


def _payload(
    message_id: str, subject: str, news: Sequence[tuple[TopicNews, Sequence[MessageEntry]]]
) -> Json:
    return {
        "id": message_id,
        "subject": clean_line(subject),
        "topics": [
            {
                "topic": topic.name,
                "title": topic.title,
                "needs": [*topic.needs],
                "small": [_change_json(one) for one in topic.small],
                "entries": [
                    {
                        "section": entry.section,
                        "title": entry.title,
                        "sites": entry.sites,
                        "tellers": [
                            one._asdict()
                            for one in topic.tellers.get(entry.changes[0].story_id, ())
                        ],
                        "changes": [_change_json(one) for one in entry.changes],
                    }
                    for entry in entries
                ],
            }
            for topic, entries in news
        ],
    }


def _change_json(one: ToldChange) -> Json:
    return {
        "id": one.change_id,
        "at": time_text(one.at),
        "kind": one.kind,
        "what": one.what,
        "url": one.url,
        "title": one.title,
        "medium": one.medium,
        "host": one.host,
        "published": None
        if one.published is None
        else day_only(one.published_date) or time_text(one.published),
        "lead": one.lead,
        "hits": dict(one.hits),
        "score": one.score,
        "story_id": one.story_id or None,
        "fields": one.fields,
        "diff": one.diff,
    }
