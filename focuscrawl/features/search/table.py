"""The tables [search] and [search.engine.NAME]: seeds from search engines."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import product
from typing import Any, Literal, NamedTuple, Self

from focuscrawl.features.search.engines import (
    SEARXNG_ADDRESS,
    EngineAddress,
    Keyed,
    Within,
    address,
    built_in,
    is_paged,
    keyed,
    posted_text,
    queries,
    standard_words,
    within,
)
from focuscrawl.locale.messages import _
from focuscrawl.template.files import SecretError
from focuscrawl.template.keys import Table, key
from focuscrawl.template.kinds.addresses import host_of_checked, hosts, named_secret, url
from focuscrawl.template.kinds.kind import (
    NAME,
    NAME_ADVICE,
    KeyPlace,
    choice,
    encoding,
    flag,
    listed,
    selector,
    text,
    whole,
)
from focuscrawl.template.kinds.times import duration
from focuscrawl.template.kinds.words import Words, words
from focuscrawl.template.merge import Entry, Merged
from focuscrawl.template.table import Topic, topic_of
from focuscrawl.template.toml import Problem, toml_text
from focuscrawl.urls.sites import Hosts
from focuscrawl.values import Json, Selector

_STANDARD = {
    "html": {"link": "css:a::attr(href)", "title": "css:a"},
    "json": {"link": "json:url", "title": "json:title"},
}
"""Where an engine's results have link and title, by its format."""

MOST_SEARCHES = 200
"""More searches in one cycle are seldom meant: 42 pages an hour at the usual pause."""

_SELECTORS = ("results", "link", "target", "title", "snippet", "date", "ads")
_URLS = listed(url(), "urls")
_ENGINE_ENCODING = encoding()
_KEY = named_secret()
_KEYED = keyed()
_POST = posted_text()
_WITHIN = within()


# fmt: off
class EngineTable(Table, path="search.engine", doc="a search engine by data, or other values for a built-in one", shape="named", placeholder="NAME", called="a name with dots"):
    """One [search.engine.NAME], built in or not.

    With ``urls`` it is a list and is never asked. Else ``url`` is there, and
    ``results`` where it answers with JSON. Selectors that may be missing are None; so is ``within`` when the engine cannot be asked for an age.
    """

    url: EngineAddress | None = key(address(), None,
        "Its address, with `{query}` and `{page}` (1, 2 …), `{index}` (0, 1 …) or `{first}` (0, 10 …).",
        'url = "https://s.example.com/find?q={query}&from={first}"', "-")
    key_as: Keyed | None = key(_KEYED, None,
        "Where the key stands: in a header, or in a parameter of the address.",
        'key_as = "Authorization: Bearer {key}"', "-")
    post: str = key(_POST, None,
        "What is posted as JSON, with the places of `url`; without it the engine is asked by GET.",
        '''post = '{"query": "{query}", "count": 50}\'''', "none")
    urls: tuple[str, ...] = key(_URLS, None,
        "Instead of an address: results you have yourself, in order. No request is made.",
        'urls = ["https://a.example.cn/", "@seeds.txt"]', "none")
    encoding: str = key(_ENGINE_ENCODING, "utf-8",
        "The encoding of the query in the address.",
        'encoding = "gbk"')
    within: Within | None = key(_WITHIN, None,
        "What the address gets added for search.within: `{since}` and `{until}` are seconds, `{since_day}` and `{until_day}` days since 1970, `{d|w|m|y}` are words for the last day, week, month, year.",
        'within = "&age={1|7|31|366}"', "the engine cannot be asked")
    format: Literal["html", "json"] = key(choice("html", "json"), "html",
        "What it answers with.",
        'format = "json"')
    results: Selector = key(selector(), None,
        "One element for each result; all below are looked for inside it. Where it finds none, or is not given, results are read by what they look like: links that lead out, under headings of one rank; none leads out of a site that searches itself, so there pages of its own that name what was asked for.",
        'results = "css:li.hit"', "read by their looks; a JSON answer needs it")
    link: Selector = key(selector(), None,
        "The result's link; addresses of the engine that lead on are unwrapped.",
        'link = "css:h2 a::attr(href)"', '"css:a::attr(href)", json: "json:url"')
    target: Selector | None = key(selector(), None,
        "Where the page gives the address behind a redirecting link.",
        'target = "css:a::attr(data-url)"', "none")
    title: Selector = key(selector(), None,
        "The result's title.",
        'title = "css:h2"', '"css:a", json: "json:title"')
    snippet: Selector | None = key(selector(), None,
        "The lines below it.",
        'snippet = "css:p.text"', "none")
    date: Selector | None = key(selector(), None,
        "Its date.",
        'date = "css:time"', "none")
    ads: Selector | None = key(selector(), None,
        "What makes a result an advertisement, when found in it. Those that say so (广告, 推广, Sponsored …) are known anyway.",
        'ads = "css:.promoted"', "none")
    blocked: Words = key(words(), standard_words("blocked"),
        "Words of a captcha or refusal, which never count as no results.",
        'blocked = ["...", "请登录后查看"]', "built-in list")
    empty: Words = key(words(), standard_words("empty"),
        "Words by which it says that it knows nothing.",
        'empty = ["...", "換個詞試試"]', "built-in list")
    key: str = key(_KEY, None,
        "The key of an engine that wants one †: sent to its host alone, never logged or stored. `brave`, `serpapi` and `bocha` look for it in BRAVE_API_KEY, SERPAPI_API_KEY and BOCHA_API_KEY. Such an engine's robots.txt is not asked for: the key is its permission.",
        'key = "env:MY_ENGINE_KEY"', "none", repr=False)
    name: str

    @property
    def host(self) -> str:
        """The host its result pages are on; "" for a list."""
        return host_of_checked(self.url.written) if self.url else ""

    @property
    def is_paged(self) -> bool:
        """Whether there are pages after the first."""
        return self.url is not None and (self.url.paged or is_paged(self.post))

    def is_own(self, url: str) -> bool:
        """Whether an address is the engine's, by its scheme, too: a key is sent nowhere else."""
        begin = self.url.written.partition("://")[0] if self.url else ""
        return bool(begin) and url.startswith(f"{begin}://") and host_of_checked(url) == self.host

    def keyed(self, url: str) -> tuple[str, dict[str, str]]:
        """Return an address as it is sent, and the headers to send with it: the key is in one of them."""
        if not (self.key and self.key_as):
            return url, {}
        if self.key_as.in_header:
            return url, dict([self.key_as.header(self.key)])
        return self.key_as.address(url, self.key), {}

# fmt: on
    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through what is missing, and selectors of another language than the answers."""
        engine, asked = entry.plain, ("search", "engines")
        if engine["urls"]:
            if entry.given("url"):
                text = _(": one of url and urls; an engine with urls is not asked")
                yield entry.problem("url", text, at=asked)
            return
        if entry.given("urls"):
            yield entry.problem("urls", _(": no address in it"), at=asked)
            return
        if not engine["url"] and entry.name in built_in():
            text = _(": the address of an instance: url = {address}").format(address=toml_text(SEARXNG_ADDRESS))
            yield entry.problem("url", text, at=asked)
        elif not engine["url"]:
            form = _('url = "https://s.example.com/find?q={query}", or urls = ["@seeds.txt"]')
            yield entry.problem("url", _(": missing: {form}").format(form=form), at=asked)
        elif "{query}" not in engine["url"] and not engine["post"]:
            text = _(' = {url}: {{query}} is missing, as in "https://s.example.com/find?q={{query}}"').format(url=toml_text(engine['url']))
            yield entry.problem("url", text, at=asked)
        elif not engine["results"] and engine["format"] == "json":
            text = _(': missing: one value for each result, as in "json:results"')
            yield entry.problem("results", text, at=asked)
        yield from cls._wrong_key(entry)
        for name in _SELECTORS:
            written: Any = engine[name]
            if written and written.startswith("json:") != (engine["format"] == "json"):
                wanted = '"json:…"' if engine["format"] == "json" else '"css:…" or "xpath:…"'
                text = _(" = {written}: format is {format}, so write {wanted}").format(written=toml_text(written), format=engine['format'], wanted=wanted)
                yield entry.problem(name, text, at=asked)


    @classmethod
    def _wrong_key(cls, entry: Entry) -> Iterator[Problem]:
        """Go through keys that are missing, or that the engine is not told of."""
        engine, asked, around = entry.plain, ("search", "engines"), entry.around
        if entry.complete and engine["key_as"] and not engine["key"]:
            yield entry.problem("key", _(': missing: key = "env:NAME", a variable that holds it'), at=asked)
        elif entry.complete and engine["key"] and not engine["key_as"]:
            yield entry.problem("key_as", _(': missing: key_as = "Authorization: Bearer {key}"'), at=asked)
        elif engine["key"] and not entry.given("key") and around.environment is not None:
            try:  # of an engine that is built in
                _KEY.value(engine["key"], around)
            except SecretError as error:
                text = f" = {toml_text(engine['key'])}: {error}"
                yield entry.problem("key", text, at=asked)


# fmt: off
class SearchTable(Table, path="search", doc="seeds from search engines"):
    """[search]: which engines are asked for what. ``engine`` has one for each of ``engines``."""

    engines: tuple[str, ...] = key(listed(text("name", NAME, NAME_ADVICE), "names"), None,
        "Which engines are asked: `baidu`, `baidu-news`, `bing`, `duckduckgo`, `duckduckgo-lite`, `so360`, `sogou`, `searxng` (with the address of an instance), with a key `brave`, `serpapi`, `bocha`, and those described in [search.engine.NAME].",
        'engines = ["baidu", "sogou"]', "no search")
    queries: tuple[str, ...] = key(queries(), None,
        "What is asked for: each synonym is one search, a `+` joins words (`++` is a plus).",
        'queries = ["地铁+开通|轨道交通+开通"]', "each keyword with the first word of each group of topic.require before it")
    areas: tuple[str, ...] = key(listed(text(), "texts"), None,
        "Each of them with each query, the area first.",
        'areas = ["成都", "@towns.txt"]', "none")
    results: int = key(whole(10, 760), 100,
        "How many results each search is asked for.",
        "results = 50")
    every: float = key(duration(), "7d",
        "How long a search holds before it is made again.",
        'every = "1d"')
    within: float | None = key(duration(), None,
        "Only results of this age, from engines that can be asked for that.",
        'within = "60d"', "any age")
    robots: bool = key(flag(), None,
        "Whether the engines' own robots.txt is obeyed; one that forbids result pages is said at the start and gives no seeds.",
        "robots = true", "politeness.robots")
    delay: float = key(duration(), "10s",
        "Pause between two requests to one engine.",
        'delay = "15s"')
    sites: Hosts = key(hosts(), None,
        "Only results of these sites: one search for each (`site:`).",
        'sites = ["example.gov.cn"]', "none")
    strict: bool = key(flag(), False,
        "Seed *s* of *n* is crawled with probability 1 − (s + f) ÷ 2n by a seeded coin, one after the other; without it that number is its priority and all are crawled. Layers are followed one by one, none is passed over.",
        "strict = false")
    engine: dict[str, EngineTable]
# fmt: on

    @property
    def delays(self) -> dict[str, float]:
        """The hosts of the engines that are asked, with the pause between two requests."""
        return {self.engine[one].host: self.delay for one in self.engines if one in self.engine}

    def hosts(self) -> Iterator[str]:
        """Go through the hosts of engines and lists."""
        for engine in self.engine.values():
            yield engine.host
            yield from map(host_of_checked, engine.urls)

    def on_links(self) -> dict[str, Any]:
        """Pass over no layer in the published form."""
        return {"strict_layers": self.strict}

    @classmethod
    def built(cls, plain: Json, place: KeyPlace, **others: Any) -> Self:
        """Build the engines, too."""
        engine = {name: EngineTable.built(one, place, name=name) for name, one in plain["engine"].items()}
        return super().built(plain, place, engine=engine, **others)

    @classmethod
    def fill(cls, entry: Entry) -> None:
        """Describe the engines: those that are given, and built-in ones that are asked."""
        plain, known = entry.plain, built_in()
        if plain["robots"] is None:
            plain["robots"] = entry.whole["politeness"]["robots"]
        asked = [name for name in plain["engines"] or [] if name in known]
        plain["engine"] = {
            name: _described(entry.merged, name, known.get(name, {}))
            for name in dict.fromkeys([*plain["engine"], *asked])
        }

    @classmethod
    def check(cls, entry: Entry) -> Iterator[Problem]:
        """Go through unknown engines, and searches for nothing."""
        plain, topic = entry.plain, entry.whole["topic"]
        engines: dict[str, Json] = plain["engine"]
        for name in plain["engines"] or ():
            if name not in engines:
                known = sorted({*built_in(), *engines})
                near = get_close_matches(name, known, 1)
                hint = _("; nearest: {name}").format(name=toml_text(near[0])) if near else ""
                title = EngineTable.form.title(name)
                advice = _("known are {known}, or describe it in {title}").format(known=', '.join(known), title=title)
                yield entry.problem("engines", _(" = {name}: no such engine{hint}; {advice}").format(name=toml_text(name), hint=hint, advice=advice))
        asks = any(not engines[one]["urls"] for one in plain["engines"] or () if one in engines)
        if asks and entry.complete and not (plain["queries"] or topic["keywords"] or topic["require"]):
            advice = _('write queries = ["…"], or keywords in [topic]')
            text = _("[search] queries: nothing to search for; {advice}").format(advice=advice)
            yield Problem(entry.origin("engines"), text)
        if entry.complete and not plain["engines"] and not entry.whole["source"]:
            advice = _('write at least one [[source]] with urls = ["https://…"], or [search] engines')
            yield Problem(entry.merged.origin("source"), _("nowhere to start: {advice}").format(advice=advice))

    @classmethod
    def warn(cls, entry: Entry) -> Iterator[Problem]:
        """Warn of searches that do not end in time, or that engines block."""
        plain = entry.plain
        yield from _endless(entry)
        engines = [plain["engine"][name] | {"name": name} for name in plain["engines"] or ()]
        asked = [engine for engine in engines if not engine["urls"]]
        if not asked:
            return
        if duration().build(plain["delay"]) < 1:
            text = _(" = {delay}: under 1 s; search engines block that").format(delay=toml_text(plain['delay']))
            yield entry.problem("delay", text)
        if not plain["robots"] and entry.whole["politeness"]["robots"]:
            yield entry.problem("robots", _(" = false: robots.txt of the engines is not obeyed"))
        for engine in asked:
            if plain["within"] and not engine["within"]:
                yield entry.problem("within", _(": {name} cannot be asked for an age").format(name=engine["name"]))
            if not (is_paged(engine["url"]) or is_paged(engine["post"] or "")):
                title = EngineTable.form.title(engine["name"])
                text = _("{title} url: without {{page}} or {{first}} there is only the first page").format(title=title)
                yield Problem(entry.merged.origin(*EngineTable.form.path, engine["name"], "url"), text)


def _endless(entry: Entry) -> Iterator[Problem]:
    """Warn of more searches than a cycle can make."""
    if not entry.plain["engines"]:
        return
    search, topic = SearchTable.built(entry.plain, KeyPlace()), topic_of(entry.whole)
    count = sum(bool(query.text) for query in all_queries(search, topic))
    if count > MOST_SEARCHES:
        text = _(
            ": {count} searches per cycle: more than {most} seldom end in time; name fewer queries, areas or"
            " sites"
        ).format(count=count, most=MOST_SEARCHES)
        yield Problem(entry.merged.origin("search", "engines"), f"[search]{text}")


def _described(merged: Merged, name: str, known: Json) -> Json:
    """Return the keys of an engine: as given, as built in, else their defaults."""
    filled: Json = {}
    for one in EngineTable.form.keys:
        given = merged.values.get((*EngineTable.form.path, name, one.name))
        filled[one.name] = known.get(one.name, one.default) if given is None else given
    if not filled["urls"]:
        form = filled["format"]
        filled |= {part: filled[part] or _STANDARD[form][part] for part in _STANDARD[form]}
    return filled


# What engines are asked for (C2): subject and area, the area first ------------------------------


class Query(NamedTuple):
    """One search: an engine and the text it is asked for ("" for a list, which is not asked)."""

    engine: str
    text: str


def search_texts(search: SearchTable, topic: Topic) -> tuple[str, ...]:
    """Return the texts every engine is asked for: areas × queries × sites.

    Without ``queries`` it is each synonym of each keyword group, with the first word of each
    required group before it; without keywords the required words alone.
    """
    queries = search.queries or _from_topic(topic)
    sites = [f"site:{host.removeprefix('=')}" for host in search.sites.written]
    parts = (search.areas or ("",), queries, sites or ("",))
    joined = (" ".join(part for part in chosen if part) for chosen in product(*parts))
    return tuple(dict.fromkeys(joined))


def all_queries(search: SearchTable, topic: Topic) -> tuple[Query, ...]:
    """Return the searches of one cycle, engine by engine."""
    texts = search_texts(search, topic)
    return tuple(
        Query(name, text)
        for name in dict.fromkeys(search.engines)
        for text in (("",) if search.engine[name].urls else texts)
    )


def _from_topic(topic: Topic) -> tuple[str, ...]:
    def spoken(*words: str) -> str:
        return " ".join(" ".join(words).split())

    required = [group.synonyms[0].parts for group in topic.require.groups if group.synonyms]
    around = spoken(*(word for parts in required for word in parts))
    subjects = [one.parts for group in topic.keywords.groups for one in group.synonyms]
    found = [spoken(around, *parts) for parts in subjects] if subjects else [around]
    return tuple(dict.fromkeys(filter(None, found)))
