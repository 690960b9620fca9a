"""[search], [search.engine.NAME] and follow.layers as a template says them."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.search.engines import (
    EngineAddress,
    Within,
    built_in,
    posted,
    standard_words,
)
from focuscrawl.features.search.table import Query, SearchTable, all_queries, search_texts
from focuscrawl.readers.links.admission_rules import scope_of
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.template.kinds.words import Words
from focuscrawl.template.load import LoadedTemplate, load
from focuscrawl.template.show import shown_template
from focuscrawl.template.template import Template
from focuscrawl.template.toml import TemplateErrors, toml_text
from focuscrawl.values import Selector
from focuscrawl.verbs.template import check_text
from tests.tables import each_row

pytestmark = pytest.mark.C1

TOPIC = '[topic]\nname = "t"\nkeywords = ["地铁"]\n[politeness]\ncontact = "mailto:a@b.cn"\n'
MINE = '[search.engine.mine]\nurl = "https://s.cn/?q={query}&p={page}"\nresults = "css:li"\n'


def loaded(text: str, topic: str = TOPIC) -> LoadedTemplate:
    return load(f"{topic}{text}")


def template(text: str, topic: str = TOPIC) -> Template:
    return loaded(text, topic).template


def texts(text: str, topic: str = TOPIC) -> tuple[str, ...]:
    found = template(text, topic)
    return search_texts(found.of(SearchTable), found.topic)


def problems(text: str, topic: str = TOPIC) -> list[str]:
    with pytest.raises(TemplateErrors) as caught:
        loaded(text, topic)
    return [problem.text for problem in caught.value.problems]


def warnings(text: str, topic: str = TOPIC) -> list[str]:
    return [problem.text for problem in loaded(text, topic).warnings]


def test_a_topic_without_sources_starts_from_search_results() -> None:
    found = template('[search]\nengines = ["baidu"]')
    assert not found.sources
    assert found.of(SearchTable).engines == ("baidu",)
    assert found.of(FollowTable).scope == "web"
    assert scope_of(found) is None


def test_without_search_engines_links_stay_on_the_sources() -> None:
    found = template("[[source]]\nurl = 'https://a.cn/'")
    assert found.of(FollowTable).scope == "sources"
    assert (found.of(SearchTable).engines, found.of(SearchTable).engine) == ((), {})


def test_a_scope_that_is_given_holds_with_search_engines() -> None:
    text = '[search]\nengines = "baidu"\n[follow]\nscope = "listed"\nsites = ["gov.cn"]'
    assert template(text).of(FollowTable).scope == "listed"


def test_nowhere_to_start_names_both_ways() -> None:
    (line,) = problems("")
    assert line.endswith(
        'write at least one [[source]] with urls = ["https://…"], or [search] engines'
    )


def test_what_a_search_says_is_built() -> None:
    text = """[search]
    engines = ["baidu", "sogou"]
    areas = ["成都"]
    results = 50
    every = "1d"
    within = "30d"
    delay = "20s"
    robots = false
    sites = ["gov.cn", "=www.a.cn"]
    strict = true
    [follow]
    layers = ["关于我们|公司简介", "联系我们"]
    """
    found = template(text)
    search = found.of(SearchTable)
    assert (search.results, search.every, search.within, search.delay) == (50, 86400, 2592000, 20)
    assert (search.robots, search.strict, search.areas) == (False, True, ("成都",))
    assert "x.gov.cn" in search.sites
    assert list(search.engine) == ["baidu", "sogou"]
    assert [group.name for group in found.of(FollowTable).layers.groups] == ["关于我们", "联系我们"]


@pytest.mark.parametrize("robots", ["true", "false"])
def test_robots_of_engines_are_those_of_politeness_unless_said(robots: str) -> None:
    general = template(
        f'[search]\nengines = ["baidu"]\n[site."a.cn".politeness]\nrobots = {robots}'
    )
    assert general.of(SearchTable).robots
    topic = TOPIC.replace("contact", f"robots = {robots}\ncontact")
    assert template('[search]\nengines = ["baidu"]', topic).of(SearchTable).robots == (
        robots == "true"
    )


# What is asked for


def test_areas_come_before_subjects() -> None:
    search = (
        '[search]\nengines = "baidu"\nqueries = ["软件公司|软件开发公司"]\nareas = ["四川", "成都"]'
    )
    assert texts(search) == (
        "四川 软件公司",
        "四川 软件开发公司",
        "成都 软件公司",
        "成都 软件开发公司",
    )


def test_a_plus_joins_words_and_two_are_a_plus() -> None:
    search = '[search]\nengines = "baidu"\nqueries = ["食品 + 抽检|C++++^2", "安全"]'
    assert texts(search) == ("食品 抽检", "C++", "安全")


def test_sites_are_asked_one_by_one() -> None:
    search = '[search]\nengines = "baidu"\nqueries = "a"\nsites = ["gov.cn", "=www.b.cn"]'
    assert texts(search) == ("a site:gov.cn", "a site:www.b.cn")


def test_without_queries_each_keyword_is_asked_for_with_what_is_required() -> None:
    topic = TOPIC.replace(
        '["地铁"]', '["食品*安全^3", "抽检|召回", "re:地.油"]\nrequire = ["四川|成都", "餐饮"]'
    )
    expected = ("四川 餐饮 食品 安全", "四川 餐饮 抽检", "四川 餐饮 召回")
    assert texts('[search]\nengines = "baidu"', topic) == expected


def test_required_words_alone_are_enough_to_ask_for() -> None:
    topic = '[topic]\nname = "t"\nrequire = ["四川|成都", "餐饮"]\n'
    assert texts('[search]\nengines = "baidu"', topic) == ("四川 餐饮",)


def test_every_engine_is_asked_everything_and_a_list_nothing() -> None:
    text = """[search]
    engines = ["mine", "baidu", "mine"]
    queries = ["a|b"]
    [search.engine.mine]
    urls = ["https://a.cn/", "https://b.cn/"]
    """
    found = template(text)
    assert all_queries(found.of(SearchTable), found.topic) == (
        Query("mine", ""),
        Query("baidu", "a"),
        Query("baidu", "b"),
    )
    assert found.of(SearchTable).engine["mine"].urls == ("https://a.cn/", "https://b.cn/")
    assert found.of(SearchTable).engine["mine"].host == ""


def test_a_list_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("# mine\nhttps://a.cn/\nhttps://b.cn/x\n", "utf-8")
    path = tmp_path / "t.toml"
    text = '[search]\nengines = "hand"\n[search.engine.hand]\nurls = "@seeds.txt"\n'
    path.write_text(TOPIC + text, "utf-8")
    assert load(path).template.of(SearchTable).engine["hand"].urls == (
        "https://a.cn/",
        "https://b.cn/x",
    )


# Addresses


def engine_address(name: str, query: str, page: int) -> str:
    engine = template(f'[search]\nengines = ["{name}"]').of(SearchTable).engine[name]
    assert engine.url is not None
    return engine.url.of(query, page, engine.encoding)


@pytest.mark.C2
def test_golden_address_of_baidu() -> None:
    found = engine_address("baidu", "四川 软件公司", 1)
    assert found.endswith("wd=%E5%9B%9B%E5%B7%9D%20%E8%BD%AF%E4%BB%B6%E5%85%AC%E5%8F%B8&pn=0")
    assert engine_address("baidu", "x", 76).endswith("wd=x&pn=750")


@each_row("name", sorted(set(built_in()) - {"searxng", "bocha"}))
def test_every_built_in_engine_asks_for_a_page_of_a_query(name: str) -> None:
    first, second = (engine_address(name, "a&b=1 中", page) for page in (1, 2))
    assert first != second
    assert "a%26b%3D1%20%E4%B8%AD" in first


def test_an_engine_that_is_posted_to_gets_the_query_as_json() -> None:
    engine = template('[search]\nengines = ["bocha"]').of(SearchTable).engine["bocha"]
    sent = json.loads(posted(engine.post, 'say "抽检" \\ {page}', 1))
    assert sent == {"query": 'say "抽检" \\ {page}', "count": 50, "summary": False}
    assert not engine.is_paged
    assert posted('{"query": "{query}", "page": {page}, "from": {first}}', "a", 3) == (
        '{"query": "a", "page": 3, "from": 20}'
    )


def test_a_key_is_sent_as_its_engine_takes_it_and_to_its_host_alone() -> None:
    texts = 'engines = ["mine"]\n[search.engine.mine]\nurl = "https://s.cn/find?q={query}"\nkey = "env:K"\n'
    for key_as, address, headers in (
        ("X-Key: {key}", "https://s.cn/find?q=x", {"X-Key": "93 cb22"}),
        (
            "Authorization: Bearer {key}",
            "https://s.cn/find?q=x",
            {"Authorization": "Bearer 93 cb22"},
        ),
        ("key={key}", "https://s.cn/find?q=x&key=93%20cb22", {}),
    ):
        loaded = load(
            f'[topic]\nname = "x"\nkeywords = ["x"]\n[search]\n{texts}key_as = "{key_as}"',
            {},
            {"K": "93 cb22"},
        )
        engine = loaded.template.of(SearchTable).engine["mine"]
        assert engine.keyed("https://s.cn/find?q=x") == (address, headers)
        assert "93 cb22" not in repr(engine) + json.dumps(loaded.template.resolved)
        others = (
            "http://s.cn/",
            "https://www.s.cn/",
            "https://s.cn.evil.cn/",
            "https://evil.cn/?s.cn",
        )
        assert engine.is_own("https://s.cn/x")
        assert not any(map(engine.is_own, others))


@each_row(
    ("lines", "part"),
    [
        ('key_as = "X-Key: {key}"', "key: missing: key = "),
        ('key = "env:K"', "key_as: missing: key_as = "),
        ('key = "5eb63bbb"\nkey_as = "k={key}"', "a secret is named, not written"),
        ('key = "env:K"\nkey_as = "k"', 'or a parameter "key={key}"'),
        ("post = '{\"q\": {query}'", "no JSON: "),
        ('post = \'{"q": "x"}\'', "{query} is missing"),
    ],
)
def test_what_is_wrong_with_a_key_or_with_what_is_posted_is_told(lines: str, part: str) -> None:
    (line,) = problems(
        '[search]\nengines = ["mine"]\n[search.engine.mine]\nurl = "https://s.cn/?q={query}"\n'
        + lines
    )
    assert part in line


def test_searxng_wants_the_address_of_an_instance() -> None:
    (line,) = problems('[search]\nengines = ["searxng"]')
    assert line.startswith('[search.engine."searxng"] url: the address of an instance: url = "http')
    given = line.partition("url = ")[2]
    text = f'[search]\nengines = ["searxng"]\n[search.engine.searxng]\nurl = {given}'
    engine = template(text).of(SearchTable).engine["searxng"]
    assert engine.format == "json"
    assert engine.results == Selector("json", "results")


def test_a_query_is_escaped_in_the_engines_encoding() -> None:
    address = EngineAddress("http://s.cn/?q={query}")
    assert address.of("中文", 1, "gbk") == "http://s.cn/?q=%D6%D0%CE%C4"
    assert address.of("a😀", 1, "gbk") == "http://s.cn/?q=a%26%23128512%3B"


@given(query=st.text(st.characters(exclude_categories=["Cs"])), page=st.integers(1, 76))
def test_whatever_is_asked_for_stays_one_parameter(query: str, page: int) -> None:
    found = EngineAddress("http://s.cn/?q={query}&p={page}&f={first}").of(query, page)
    assert found == f"http://s.cn/?q={quote(query, safe='')}&p={page}&f={10 * page - 10}"


def test_a_place_in_a_query_is_not_filled() -> None:
    assert EngineAddress("http://s.cn/?q={query}").of("{page}", 3) == "http://s.cn/?q=%7Bpage%7D"


DAY = 86_400.0


@each_row(
    ("written", "age", "expected"),
    [
        ("&t={since},{until}", DAY, "&t=863913600,864000000"),
        ("&t={since_day}_{until_day}", 2 * DAY, "&t=9998_10000"),
        ("&t={d|w|m|y}", DAY, "&t=d"),
        ("&t={d|w|m|y}", 1.5 * DAY, "&t=w"),
        ("&t={d|w|m|y}", 30 * DAY, "&t=m"),
        ("&t={d|w|m|y}", 300 * DAY, "&t=y"),
        ("&t={d|w|m|y}", 3000 * DAY, ""),
    ],
)
def test_an_age_is_asked_for_in_the_engines_way(written: str, age: float, expected: str) -> None:
    assert Within(written).of(age, 10_000 * DAY) == expected


# Engines of one's own


def test_an_engine_of_ones_own_needs_an_address_and_its_results() -> None:
    engine = template(f'[search]\nengines = ["mine"]\n{MINE}').of(SearchTable).engine["mine"]
    assert (engine.name, engine.host) == ("mine", "s.cn")
    assert engine.link == Selector("css", "a::attr(href)")
    assert engine.title == Selector("css", "a")
    assert (engine.snippet, engine.date, engine.target, engine.ads) == (None, None, None, None)
    assert engine.blocked.count("请完成下方的安全验证")
    assert engine.empty.count("抱歉，没有找到相关网页")


def test_a_json_engine_has_other_standard_places() -> None:
    text = f'[search]\nengines = ["mine"]\n{MINE}format = "json"\n'.replace(
        "css:li", "json:data.list"
    )
    engine = template(text).of(SearchTable).engine["mine"]
    assert (engine.link, engine.title) == (Selector("json", "url"), Selector("json", "title"))


def test_keys_of_a_built_in_engine_may_be_changed_one_by_one() -> None:
    text = '[search]\nengines = ["baidu"]\n[search.engine.baidu]\nsnippet = "css:.new"\n'
    engine = template(text + 'blocked = ["...", "请登录"]').of(SearchTable).engine["baidu"]
    assert engine.snippet == Selector("css", ".new")
    assert str(engine.results) == str(Selector("css", built_in()["baidu"]["results"][4:]))
    assert engine.blocked.count("请登录")
    assert engine.blocked.count("安全验证")


def test_an_engine_may_be_given_for_one_run() -> None:
    overrides = {"search.engine.mine.results": "css:p", "search.results": "20"}
    text = f'{TOPIC}[search]\nengines = ["mine"]\n{MINE}'
    search = load(text, overrides).template.of(SearchTable)
    assert search.engine["mine"].results == Selector("css", "p")
    assert search.results == 20


def test_built_in_engines_are_written_in_the_language_of_templates() -> None:
    lists = {name: engine for name, engine in built_in().items() if "url" in engine}
    assert set(lists) == {
        "baidu",
        "baidu-news",
        "bing",
        "duckduckgo",
        "duckduckgo-lite",
        "so360",
        "sogou",
        "brave",
        "serpapi",
        "bocha",
    }
    for name in lists:
        rows = "\n".join(
            f"{key} = {toml_text(value)}" for key, value in built_in()[name].items() if key != "url"
        )
        text = (
            f'[search]\nengines = ["mine"]\n{MINE.splitlines()[0]}\nurl = "{lists[name]["url"]}"\n'
        )
        mine = template(text + rows).of(SearchTable).engine["mine"]
        same = template(f'[search]\nengines = ["{name}"]').of(SearchTable).engine[name]
        assert (mine.url, mine.results, mine.within) == (same.url, same.results, same.within)


@pytest.mark.parametrize(
    ("written", "searches", "finds"),
    [
        ("http://s.cn/?p=1&q={query}&n=2", "http://s.cn/all?q=&p=9", "http://s.cn/?p=1&query=x"),
        ("http://s.cn/find/{query}", "http://s.cn/find/x?p=2", "http://s.cn/a?find=x"),
    ],
)
def test_an_address_is_of_a_search_when_it_asks_where_the_engine_is_asked(
    written: str, searches: str, finds: str
) -> None:
    assert EngineAddress(written).searches(searches)
    assert not EngineAddress(written).searches(finds)


def test_standard_words_tell_refusals_from_ignorance() -> None:
    blocked, empty = Words(standard_words("blocked")), Words(standard_words("empty"))
    for text in (
        "百度安全验证",
        "请输入验证码",
        "Our systems have detected unusual traffic",
        "CAPTCHA",
    ):
        assert blocked.count(text), text
        assert not empty.count(text), text
    for text in (
        "抱歉，没有找到与“a”相关的网页",
        "找到相关结果约0个",
        "There are no results for a",
    ):
        assert empty.count(text), text
        assert not blocked.count(text), text
    for text in ("找到相关结果约10个", "1,230 results", "共20条"):
        assert not empty.count(text), text


# What is wrong


@each_row(
    ("text", "expected"),
    [
        ('[search]\nengines = ["baido"]', 'engines = "baido": no such engine; nearest: "baidu"'),
        ('[search]\nengines = ["min"]\n' + MINE, 'nearest: "mine"'),
        ('[search]\nengines = ["qq"]', "or describe it in [search.engine.\"qq\"]"),
        ('[search]\nengines = ["mine"]\n[search.engine.mine]\nresults = "css:li"', "url: missing"),
        (
            '[search.engine.mine]\nurl = "https://s.cn/?q={query}"\nformat = "json"',
            '[search.engine."mine"] results: missing: one value for each result',
        ),
        (MINE + 'urls = ["https://a.cn/"]', "url: one of url and urls"),
        ("[search.engine.mine]\nurls = []", "urls: no address in it"),
        (MINE + 'link = "json:url"', 'format is html, so write "css:…" or "xpath:…"'),
        (MINE + 'format = "json"', 'results = "css:li": format is json, so write "json:…"'),
        (MINE.replace("css:li", "li"), "a selector says its language"),
        (MINE.replace("css:li", "css:"), "a selector says its language"),
        (MINE.replace("css:li", "css:li["), "not a CSS selector"),
        (MINE.replace("css:li", "xpath://li["), "not XPath"),
        (MINE.replace("css:li", "xpath:nothing(1)("), "not XPath"),
        (MINE.replace("css:li", "json:a["), "not JMESPath"),
        (MINE.replace("{query}", "x"), "{query} is missing"),
        (MINE.replace("{page}", "{pages}"), "{pages} stands for nothing"),
        (MINE.replace("https:", "ftp:"), "an address begins with http"),
        (MINE + 'within = "&t=7"', "holds places for a time"),
        (MINE + 'within = "&t={a|b}"', "holds places for a time"),
        (MINE + 'encoding = "gbx"', "an encoding:"),
        ('[search]\nengines = "baidu"\nresults = 800', "a whole number 10..760"),
        ('[search]\nengines = "baidu"\nqueries = ["re:a+"]', "cannot be searched for"),
        ('[search]\nengines = "baidu"\nqueries = ["a*b"]', "no * in what is searched for"),
        ('[search]\nengines = "baidu"\nqueries = ["a||"]\nquery = "b"', "nearest: queries"),
        ('[search]\nengines = "Bai du"', "a name is made of"),
        ("[search.engine.my.own]\nresults = 'css:a'", 'a name with dots needs quotes'),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_with_what_is_right(text: str, expected: str) -> None:
    source = "\n[[source]]\nurl = 'https://a.cn/'"
    assert any(expected in line for line in problems(text + source))


def test_nothing_to_search_for_is_a_mistake() -> None:
    topic = '[topic]\nname = "t"\n'
    (line,) = problems('[search]\nengines = ["baidu"]', topic)
    assert line.startswith("[search] queries: nothing to search for")
    urls = '[search]\nengines = ["mine"]\n[search.engine.mine]\nurls = ["https://a.cn/"]'
    assert template(urls, topic).of(SearchTable).engines == ("mine",)


def test_areas_of_a_cycle_multiply_to_a_warning() -> None:
    areas = ", ".join(f'"{number}"' for number in range(101))
    text = f'[search]\nengines = ["baidu", "sogou"]\nareas = [{areas}]'
    assert [line for line in warnings(text) if "202 searches per cycle" in line]
    assert not warnings(text.replace('"100"', '"99"'))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('engines = "baidu"\ndelay = "500ms"', '[search] delay = "500ms": under 1 s'),
        ('engines = "baidu"\nrobots = false', "[search] robots = false"),
        ('engines = "baidu-news"\nwithin = "7d"', "within: baidu-news cannot be asked for an age"),
        (
            f'engines = "mine"\n{MINE.replace("&p={page}", "")}',
            "url: without {page} or {first} there is only the first page",
        ),
    ],
)
def test_what_is_seldom_meant_is_a_warning(text: str, expected: str) -> None:
    assert [line for line in warnings(f"[search]\n{text}") if expected in line]


def test_an_ordinary_search_has_no_warning() -> None:
    assert not warnings('[search]\nengines = ["baidu", "bing"]\nwithin = "7d"')


# What people see


def test_show_prints_engines_with_where_they_come_from() -> None:
    text = f'{TOPIC}[search]\nengines = ["baidu", "mine"]\n{MINE}'
    shown = shown_template(load(text))
    assert '[search.engine."baidu"]' in shown
    assert 'results = "css:li"' in shown
    again = load(shown)
    first = load(text).template.resolved["search"]
    assert again.template.resolved["search"] == first


def test_check_counts_the_searches() -> None:
    text = '[search]\nengines = ["baidu", "bing"]\nareas = ["a", "b"]'
    assert "4 searches of baidu, bing; 1 keyword group; links anywhere" in check_text(loaded(text))


def test_a_search_is_a_frozen_value() -> None:
    search = template('[search]\nengines = "baidu"').of(SearchTable)
    assert isinstance(search, SearchTable)
    with pytest.raises(AttributeError):
        search.results = 3  # type: ignore[misc]
