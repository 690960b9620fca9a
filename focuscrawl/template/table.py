"""What belongs to no feature: the top of a file, [topic], [[source]], [limits], [site.HOST], [settings]."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from focuscrawl.locale.messages import N_, _
from focuscrawl.template.files import ListError
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import check_host, host_of_checked, hosts, url
from focuscrawl.template.kinds.kind import (
    ELLIPSIS,
    NAME,
    NAME_ADVICE,
    ONE_LINE,
    ONE_LINE_ADVICE,
    KeyPlace,
    choice,
    encoding,
    flag,
    listed,
    text,
    whole,
)
from focuscrawl.template.kinds.times import duration, zone
from focuscrawl.template.kinds.words import Words, several_words, with_bars, words
from focuscrawl.template.merge import Entry
from focuscrawl.template.opml import SUFFIX, OpmlError, feeds_of
from focuscrawl.template.toml import Problem, shortened, toml_text
from focuscrawl.urls.sites import Hosts
from focuscrawl.values import Json

RESERVED = "topic"
"""The spider of scrapy crawl topic -a template=…"""

SHORTEST_EVERY = 1.0
"""Seconds: with none a process would crawl a topic all the time."""

_URL = url()
_FEED_LIST = re.compile(rf"@(?!@).*{re.escape(SUFFIX)}\s*", re.IGNORECASE | re.DOTALL)
"""An address that stands for the feeds of an OPML file."""
_ELSEWHERE = {"body": N_("write DOWNLOAD_MAXSIZE = 20000000 (bytes) in [settings]")}


# fmt: off
class Top(Table, path="", doc="The top of the file", shape="top"):
    """…"""

    extends: ClassVar[Any] = key(text("name | path"), None,
        "A file this one builds on: the name of a shipped template, or a path relative to this file and inside the folder of the topic.",
        'extends = "_house.toml"', "none")
# fmt: on


# fmt: off
class Topic(Table, path="topic", doc="what to look for"):
    """[topic]: what we look for."""

    name: str = key(text("name", NAME, NAME_ADVICE), None,
        "What the spider, its data and `%(name)s` in feeds are called: a-z, 0-9, `-`, `_`, at most 64. Another name is another, empty crawl.",
        'name = "cd-metro"', "file name without .toml")
    title: str = key(text("text", ONE_LINE, ONE_LINE_ADVICE), None,
        "The name for people, in any script.",
        'title = "成都地铁建设"', "name")
    keywords: Words = key(words(), None,
        "Word groups; pages and links are scored by them ([relevance]). A weight (`^3` at its end) makes a group so heavy that one mention in passing can be enough. Without `keywords` and `require` every article of the sources is relevant.",
        'keywords = ["地铁", "轨道交通|城轨", "盾构|换乘站"]', "none")
    require: Words = key(words(), None,
        "Word groups that must all be found, each in the title or the text.",
        'require = ["成都|天府新区", "开通|动工|延长"]', "none")
    exclude: Words = key(words(), None,
        "Word groups against a page: one is enough in the title, and in the text when it is there at least as often as all keywords together.",
        'exclude = ["租房", "楼盘|户型"]', "none")
    language: Literal["zh", "en", "auto"] = key(choice("zh", "en", "auto"), "zh",
        "The language of the pages: built-in words and the Accept-Language header.",
        'language = "zh"')
    timezone: ZoneInfo = key(zone(), None,
        "Holds for dates that name no zone, for `hours` and for what people read. Stored is always UTC.",
        'timezone = "Asia/Shanghai"', '"Asia/Shanghai" (zh), else "UTC"')
    dictionary: tuple[str, ...] = key(listed(text("text", r".*\S.*", "a name with at least one character"), "texts"), None,
        "Names that are kept whole where text is cut into words; a `@file` may be a user dictionary of jieba (name, frequency, tag). Another list means other keywords and hashes.",
        'dictionary = ["天府通", "@stations.txt"]', "none")
    tags: tuple[str, ...] = key(listed(text(), "texts"), None,
        "Labels of every article.",
        'tags = ["交通"]', "none")
    every: float | None = key(duration(SHORTEST_EVERY), None,
        "How often `focuscrawl run` crawls the topic: so long after its last run began, or at once when that took longer.",
        'every = "30m"', "once")
    strict: bool = key(flag(), False,
        "Every method in its published form, to the letter: sets each `strict` below that is not given itself.",
        "strict = false")
# fmt: on

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Call the topic by its name, and know where its language is spoken."""
        plain = entry.plain
        plain["title"] = plain["title"] or plain["name"]
        if plain["timezone"] is None:
            plain["timezone"] = "Asia/Shanghai" if plain["language"] == "zh" else "UTC"

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through names that no spider can have."""
        name = entry.plain["name"]
        if not name:
            yield entry.problem("name", _(": an inline template needs one"))
        elif name == RESERVED:
            reason = _('"{name}" is the spider of scrapy crawl topic -a template=…; choose another').format(name=RESERVED)
            yield entry.problem("name", f" = {toml_text(name)}: {reason}")
        elif not entry.given("name") and not re.fullmatch(NAME, name):
            advice = _('{advice}: rename the file or write [topic] name = "…"').format(advice=_(NAME_ADVICE))
            text = _("the file's name gives the topic's, {name}: {advice}").format(name=shortened(name), advice=advice)
            yield Problem(entry.origin("name"), text)

    @classmethod
    def warn(cls, entry: Entry) -> Iterator[Problem]:
        """Warn of words that are found everywhere, asked and refused at once, or several in one."""
        for name in ("keywords", "require", "exclude"):
            yield from _several_in_one(entry, name)
        excluded = {
            synonym.key
            for group in Words(entry.plain["exclude"] or []).groups
            for synonym in group.synonyms
        }
        for group in Words(entry.plain["keywords"] or []).groups:
            for synonym in group.synonyms:
                text = f" = {toml_text(synonym.written)}:"
                if len(synonym.key) == 1:
                    yield entry.problem("keywords", _("{text} one character is found on almost every page").format(text=text))
                if synonym.key in excluded:
                    yield entry.problem("keywords", _("{text} also in exclude").format(text=text))


_LONGEST_LINE = 100
"""Characters of a key that is written out whole as it was probably meant."""


def _several_in_one(entry: Entry, name: str) -> Iterator[Problem]:
    """Ask about groups with words that are separated by signs of a text, and write them as they are meant."""
    groups: list[str] = entry.plain[name] or []
    for group in groups:
        if words := several_words(group):
            meant = f"{name} = {toml_text([with_bars(one) for one in groups])}"
            if len(meant) > _LONGEST_LINE:
                meant = toml_text(with_bars(group))
            text = _(
                " = {group}: one word to look for, as it stands; did you mean |? {meant}; words that do not"
                " mean the same are entries of their own: {words}"
            ).format(group=toml_text(group), meant=meant, words=toml_text(words)[1:-1])
            yield entry.problem(name, text)
def _feeds_of_lists(entry: Json, read: Callable[[str], bytes]) -> list[Json]:
    """Return a source for each feed of the OPML files among its addresses, and one for the others.

    A feed is called what the file calls it, and tagged by its folders. Raises ListError.
    """
    urls = entry.get("urls")
    given = urls if isinstance(urls, list) else [urls]
    lists = [one for one in given if isinstance(one, str) and _FEED_LIST.fullmatch(one)]
    if not lists:
        return [entry]
    rest = [one for one in given if one not in lists]
    found = [{**entry, "urls": rest}] if rest or entry.get("url") else []
    shared = {name: value for name, value in entry.items() if name not in ("url", "urls")}
    tags = entry.get("tags", [])
    for name in lists:
        try:
            feeds = list(feeds_of(read(name[1:].strip())))
        except OpmlError as error:
            raise ListError(_("the file {name} cannot be used: {error}").format(name=name[1:], error=error)) from None
        if not feeds:
            raise ListError(_("the file {name} lists no feed").format(name=name[1:]))
        for feed in feeds:
            own = [*(tags if isinstance(tags, list) else [tags]), *feed.folders]
            more = {"name": feed.title} if feed.title else {}
            found.append({**shared, "urls": [feed.url], **({"tags": own} if own else {}), **more})
    return found




# fmt: off
class Source(Table, path="source", doc="where to start; one table for each kind of source", shape="repeated", spread=_feeds_of_lists):
    """One [[source]]. ``level`` is filled in; ``source_id`` names it in the results."""

    url: ClassVar[Any] = key(_URL, None,
        "An address to start from; `urls` for several.",
        'url = "https://metro.example.cn/news/"', "-")
    urls: tuple[str, ...] = key(listed(_URL, "urls"), None,
        "Addresses with the same properties; of a `@feeds.opml` each feed becomes a source of its own, with its name, and its folders as tags.",
        'urls = ["https://a.example.cn/", "@sites.txt"]', "-")
    kind: Literal["auto", "board", "article", "feed", "sitemap", "forum"] = key(choice("auto", "board", "article", "feed", "sitemap", "forum"), "auto",
        "What is at the address; `auto` looks at the page. `forum` is a board whose reply counts are read: threads and posts are stored, and a thread that has grown is read again from its last known page on.",
        'kind = "board"')
    level: int = key(whole(1, 10), None,
        "The level its pages start at, from 1 to `queues.levels`; higher is sooner. The top one is meant for the other pages of an article already begun.",
        "level = 4", "one below the top")
    every: float | None = key(duration(), None,
        "How often to look again, whatever the policy says. A run that comes sooner, by more than a tenth, leaves it alone.",
        'every = "20m"', "each run; with revisit.continuous by the policy, between min and max of its class")
    relevant: Literal["judge", "all"] = key(choice("judge", "all"), "judge",
        "`all` keeps whatever is published here, without judging it.",
        'relevant = "all"')
    tags: tuple[str, ...] = key(listed(text(), "texts"), None,
        "Labels of everything found from here.",
        'tags = ["官方"]', "none")
    name: str = key(text(), None,
        "What reports call it.",
        'name = "市住建局 公告"', "title of the page")
    source_id: str
# fmt: on

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Put all addresses into one list, however they were written."""
        first = entry.plain.pop("url")
        urls = [one for one in entry.plain["urls"] or [] if one != ELLIPSIS]
        entry.plain["urls"] = ([first] if first else []) + urls

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through sources without an address, and levels there are not."""
        plain = entry.plain
        if not plain["urls"] and entry.complete and not entry.given("urls"):
            yield entry.problem("", _(': an address is missing: url = "https://…" or urls'))
        elif not plain["urls"] and entry.complete:
            yield entry.problem("urls", _(": no address in it"))
        yield from wrong_level(entry)

    @classmethod
    def warn(cls, entry: Entry) -> Iterator[Problem]:
        """Warn of addresses that follow.sites leaves out."""
        sites = Hosts(entry.whole["follow"]["sites"] or [])
        for address in entry.plain["urls"] if sites else ():
            if host_of_checked(address) not in sites:
                origin = entry.origin("urls" if entry.given("urls") else "url")
                yield Problem(origin, _("[[source]] {address}: outside follow.sites").format(address=shortened(address)))


# fmt: off
class Limits(Table, path="limits", doc="when a run ends and how much it takes; 0 = no limit", elsewhere=_ELSEWHERE):
    """[limits]: 0 = no limit; ``time`` in seconds."""

    pages: int = key(whole(), 0,
        "Pages in this run.",
        "pages = 5000", sets=("CLOSESPIDER_PAGECOUNT",))
    articles: int = key(whole(), 0,
        "New articles in this run, and never more: pages whose articles there is no room for wait for the next run.",
        "articles = 1000", sets=("CLOSESPIDER_ITEMCOUNT",))
    time: float = key(duration(), "0s",
        "How long this run may take.",
        'time = "50m"', sets=("CLOSESPIDER_TIMEOUT",))
    errors: int = key(whole(), 0,
        "Errors in this run.",
        "errors = 500", sets=("CLOSESPIDER_ERRORCOUNT",))
    per_site: int = key(whole(), 0,
        "Pages of one site, counting those of earlier runs, but no second visits.",
        "per_site = 2000")
# fmt: on


class Settings(
    Table, path="settings", doc="settings of Scrapy that no key stands for", shape="open"
):
    """[settings]: handed to Scrapy as they are."""


def wrong_level(entry: Entry) -> Iterator[Problem]:
    """Tell a level that is higher than there are."""
    levels, level = entry.whole["queues"]["levels"], entry.plain.get("level")
    if (level or 1) > levels:
        yield entry.problem(
            "level",
            _(" = {level}: there are {levels} levels (queues.levels)").format(
                level=level, levels=levels
            ),
        )


def time_zone_of(resolved: Json) -> ZoneInfo:
    """Return the timezone that ``hours`` and dates of a template are of."""
    return ZoneInfo(resolved["topic"]["timezone"])


def topic_of(resolved: Json) -> Topic:
    """Build [topic] alone, of a template that an earlier run has stored.

    Raises KeyError, TypeError or ValueError when it is of a version with other keys.
    """
    return Topic.built(resolved["topic"], KeyPlace(timezone=time_zone_of(resolved)))


_PARSER_ADVICE = 'module:function, such as "mypkg.sites:parse_example"'


_T = TypeVar("_T", bound=Table)
_TEXTS = listed(text(), "texts")
_ENCODING = encoding()
_PARSER = text("module:function", r"[\w.]+:[\w.]+", _PARSER_ADVICE)


def _host(name: str) -> str:
    """Return the host of a table without its mark; raises ValueError."""
    return check_host(name).removeprefix("=")


# fmt: off
class SiteTable(Table, path="site", doc="what is different at one site: HOST and the hosts below it; of several tables the longest HOST holds", shape="named", placeholder="HOST", names=_host, called="a host name"):
    """What holds for one site: its own keys, and the tables in which it may differ from others.

    ``host`` is the HOST of the table, "" where none fits; the tables are asked for by ``of``. ``encoding``
    is "" where it is found out.
    """

    skip: bool = key(flag(), False,
        "Fetch nothing here.",
        "skip = true")
    quota: int | None = key(whole(), None,
        "The most pages of this site.",
        "quota = 500", "limits.per_site")
    level: int | None = key(whole(1, 10), None,
        "The level of its lists.",
        "level = 5", "-")
    relevant: Literal["judge", "all"] = key(choice("judge", "all"), "judge",
        "As in [[source]].",
        'relevant = "all"')
    tags: tuple[str, ...] = key(_TEXTS, None,
        "Labels of its articles.",
        'tags = ["市级"]', "none")
    aliases: Hosts = key(hosts(), None,
        "Hosts that show the same pages.",
        'aliases = ["m.example.cn", "3g.example.cn"]', "none")
    encoding: str = key(_ENCODING, None,
        "What its pages are read with, whatever they say themselves.",
        'encoding = "big5"', "found out")
    parser: str = key(_PARSER, None,
        "A function of yours that reads pages of this site instead: a spider callback, yields items and links.",
        'parser = "mypkg.sites:parse_metro"', "none")
    host: str
    tables: Mapping[type[Table], Any]
# fmt: on

    def of(self, table: type[_T]) -> _T:
        """Return what holds here of a table in which a site may have values of its own."""
        found: _T = self.tables[table]
        return found

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through levels there are not."""
        return wrong_level(entry)


LONGEST_ID = 64


def source_ids(sources: Iterable[Json]) -> list[str]:
    """Name all sources of a resolved template: each by its name, else host and path of its first
    address; one of several of the same name by its addresses, too.
    """
    found: list[str] = []
    for plain in sources:
        parts = urlsplit(plain["urls"][0])
        name = str(plain["name"] or f"{parts.netloc}{parts.path}")[:LONGEST_ID]
        if name in found:  # the same page with other parameters
            digest = hashlib.md5("\n".join(plain["urls"]).encode()).hexdigest()[:8]
            name = f"{name[: LONGEST_ID - 9]}~{digest}"
        found.append(name)
    return found
