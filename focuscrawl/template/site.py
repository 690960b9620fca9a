"""The table [site.HOST]: what is different at one site."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar

from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import check_host, hosts
from focuscrawl.template.kinds.kind import choice, encoding, flag, listed, text, whole
from focuscrawl.template.merge import Entry
from focuscrawl.template.problems import Problem
from focuscrawl.template.table import wrong_level
from focuscrawl.urls.sites import Hosts

_PARSER_ADVICE = 'module:function, such as "mypkg.sites:parse_example"'


T = TypeVar("T", bound=Table)
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

    def of(self, table: type[T]) -> T:
        """Return what holds here of a table in which a site may have values of its own."""
        found: T = self.tables[table]
        return found

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through levels there are not."""
        return wrong_level(entry)
