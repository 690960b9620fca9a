"""Files that build on others, lists from files, arguments, and where each value comes from."""

from pathlib import Path

import pytest

from focuscrawl.features.articles.table import ArticleTable
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.features.politeness.table import PolitenessTable, RequestTable
from focuscrawl.features.records.table import RecordTable
from focuscrawl.features.search.table import SearchTable
from focuscrawl.frontier.table import QueuesTable
from focuscrawl.readers.links.table import FollowTable, UrlTable
from focuscrawl.template.load import LoadedTemplate, load
from focuscrawl.template.show import shown_template
from focuscrawl.template.template import language_of
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.verbs.template import check_text

SOURCE = '[[source]]\nurl = "https://a.example.cn/"\n'


def loaded(folder: Path, text: str, arguments: dict[str, str] | None = None) -> LoadedTemplate:
    (folder / "metro.toml").write_text(text, "utf-8")
    return load(folder / "metro.toml", arguments)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(TemplateErrors) as caught:
        loaded(folder, text)
    return str(caught.value)


def test_nearer_values_win_and_repeated_tables_add_up(folder: Path) -> None:
    (folder / "_base.toml").write_text(
        "[politeness]\ndelay = '4s'\ncrawl_delay_max = '3m'\n[[source]]\nurl = 'https://base.cn/'\n",
        "utf-8",
    )
    (folder / "_house.toml").write_text(
        "extends = '_base.toml'\n[politeness]\ndelay = '5s'\nconcurrency = 3\n", "utf-8"
    )
    text = f"extends = '_house.toml'\n[politeness]\nconcurrency = 2\n{SOURCE}"
    template = loaded(folder, text, {"politeness.robots": "false"}).template
    polite = template.of(PolitenessTable)
    assert (polite.delay, polite.crawl_delay_max, polite.concurrency, polite.robots) == (
        5,
        180,
        2,
        False,
    )
    assert [source.urls[0] for source in template.sources] == [
        "https://base.cn/",
        "https://a.example.cn/",
    ]


def test_lists_replace_and_three_dots_hold_the_inherited_list(folder: Path) -> None:
    (folder / "_house.toml").write_text(
        "[follow]\ndeny = ['/a/']\nallow = ['/x/']\n[site.'b.cn'.follow]\ndeny = ['/b/']\n", "utf-8"
    )
    text = (
        "extends = '_house.toml'\n[follow]\ndeny = ['/c/', '...']\nallow = '/y/'\n"
        "[url]\ndrop = ['...', 'ts']\n[topic]\ntags = ['...', 'x']\n"
        "[site.'b.cn'.follow]\ndeny = ['...', '/d/']\nallow = ['...', '/z/']\n"
        f"[site.'c.cn'.url]\ndrop = ['...', 'q']\n{SOURCE}"
    )
    template = loaded(folder, text).template
    assert template.of(FollowTable).deny.written == ("/c/", "/a/")
    assert template.of(FollowTable).allow.written == ("/y/",)
    assert template.site("b.cn").of(FollowTable).deny.written == ("/b/", "/d/")
    assert template.site("b.cn").of(FollowTable).allow.written == ("/y/", "/z/")
    assert template.of(UrlTable).drop[-1] == "ts"
    assert "utm_*" in template.of(UrlTable).drop
    assert template.site("c.cn").of(UrlTable).drop[-2:] == ("ts", "q")
    assert template.topic.tags == ("x",)


def test_tables_of_values_merge_key_by_key(folder: Path) -> None:
    (folder / "_house.toml").write_text(
        "[request]\nheaders = { A = '1', B = '1' }\ncookies = { c = '1' }\n"
        "[output.feeds.'a.csv']\noptions = { overwrite = true }\nfields = { url = 'x', title = 'y' }\n",
        "utf-8",
    )
    text = (
        "extends = '_house.toml'\n[request]\nheaders = { B = '2' }\ncookies = { d = '2' }\n"
        f"[output.feeds.'a.csv']\nfields = {{ url = 'z' }}\n{SOURCE}"
    )
    template = loaded(folder, text).template
    assert template.of(RequestTable).headers == {"A": "1", "B": "2"}
    assert [cookie.name for cookie in template.of(RequestTable).cookies] == ["c", "d"]
    (feed,) = template.output.feeds
    assert feed.options == {"overwrite": True}
    assert feed.fields == {"url": "z"}, "a list of columns is a value of its own"


def test_a_shipped_template_gives_its_habits_but_not_its_examples(folder: Path) -> None:
    template = loaded(folder, f"extends = 'news'\n{SOURCE}").template
    assert template.of(FollowTable).depth == 3
    assert template.of(ArticleTable).since == 30 * 86400
    assert not template.topic.keywords
    assert template.topic.title == "metro"
    assert len(template.sources) == 1


def test_a_name_is_not_inherited(folder: Path) -> None:
    (folder / "_house.toml").write_text("[topic]\nname = 'house'\ntags = ['x']\n", "utf-8")
    template = loaded(folder, f"extends = '_house.toml'\n{SOURCE}").template
    assert template.name == "metro"
    assert template.topic.tags == ("x",)


def test_files_may_extend_each_other_four_deep(folder: Path) -> None:
    for number in range(1, 6):
        text = f"extends = '_{number + 1}.toml'\n" if number < 5 else ""
        (folder / f"_{number}.toml").write_text(text, "utf-8")
    assert "at most 4 files deep" in refused(folder, f"extends = '_1.toml'\n{SOURCE}")
    assert loaded(folder, f"extends = '_2.toml'\n{SOURCE}").template.name == "metro"


def test_a_circle_is_told(folder: Path) -> None:
    (folder / "_a.toml").write_text("extends = '_b.toml'\n", "utf-8")
    (folder / "_b.toml").write_text("extends = '_a.toml'\n", "utf-8")
    text = refused(folder, f"extends = '_a.toml'\n{SOURCE}")
    assert "a circle: metro.toml → _a.toml → _b.toml → _a.toml" in text


def test_parts_may_lie_below_the_folder_but_not_outside(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts/a.toml").write_text("extends = '../_b.toml'\n", "utf-8")
    (folder / "_b.toml").write_text("[limits]\npages = 3\n", "utf-8")
    (folder.parent / "c.toml").write_text("[limits]\npages = 3\n", "utf-8")
    assert loaded(folder, f"extends = 'parts/a.toml'\n{SOURCE}").template.limits.pages == 3
    (folder / "parts/a.toml").write_text("extends = '../../c.toml'\n", "utf-8")
    assert "outside the folder" in refused(folder, f"extends = 'parts/a.toml'\n{SOURCE}")


def test_lists_come_from_files_beside_the_template(folder: Path) -> None:
    (folder / "sites.txt").write_bytes(
        "\ufeff# our sites\n\nhttps://a.cn/#top\nhttps://b.cn/ # second\n".encode()
    )
    (folder / "towns.csv").write_text('温江,1\n\n"双,流",2\n#郫都\n', "utf-8")
    (folder / "words.txt").write_text("地铁|城轨^2\n盾构\n@x\n", "utf-8")
    text = (
        "[topic]\nkeywords = ['@words.txt', '换乘']\nrequire = '成都|@towns.csv^3'\n"
        "exclude = ['@@home|招租']\ntags = ['@@a']\n"
        "[[source]]\nurls = ['https://0.cn/', '@sites.txt']\n"
    )
    template = loaded(folder, text).template
    assert template.sources[0].urls == ("https://0.cn/", "https://a.cn/#top", "https://b.cn/")
    assert [group.name for group in template.topic.keywords.groups] == [
        "地铁",
        "盾构",
        "@@x",
        "换乘",
    ]
    (towns,) = template.topic.require.groups
    assert [one.written for one in towns.synonyms] == ["成都", "温江", "双,流"]
    assert towns.weight == 3
    assert template.topic.keywords.count("@x") == {"@@x": 1}
    assert template.topic.exclude.count("@home")
    assert template.topic.tags == ("@a",)


def test_a_list_that_is_not_utf_8_is_refused(folder: Path) -> None:
    (folder / "sites.txt").write_bytes("https://a.cn/ # 成都".encode("gb18030"))
    text = refused(folder, "[[source]]\nurls = '@sites.txt'\n")
    assert "the file sites.txt is not UTF-8 but GB18030" in text


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("limits.pages", "100", 100),
        ("limits.pages", " 100 ", 100),
        ("politeness.delay", "5s", 5.0),
        ("politeness.delay", '"5s"', 5.0),
        ("topic.title", "2026", "2026"),
        ("topic.title", "", ""),
        ("politeness.robots", "false", False),
        ("article.since", "2026-11-20T00:00:00+08:00", 1795104000.0),
    ],
)
def test_arguments_are_values_with_or_without_quotes(
    folder: Path, name: str, value: str, expected: object
) -> None:
    template = loaded(folder, SOURCE, {name: value, "_job": "1"}).template
    table, key = name.split(".")
    values = next(one for own, one in template.tables.items() if own.form.path == (table,))
    found = getattr(values, key)
    assert (found.timestamp() if key == "since" else found) == (
        expected or ("metro" if key == "title" else expected)
    )


def test_arguments_reach_lists_sites_feeds_and_settings(folder: Path) -> None:
    text = f"[topic]\nkeywords = '地铁'\n[follow]\ndeny = '/a/'\n[site.'b.cn'.politeness]\ndelay = '9s'\n{SOURCE}"
    arguments = {
        "topic.keywords": '["...", "城轨|轻轨"]',
        "follow.deny": "/b/",
        "site.b.cn.quota": "7",
        "site.news.d.cn.politeness.delay": "8s",
        "site.e.politeness.delay": "6s",
        'site."c.cn".skip': "true",
        'output.feeds."a.csv".options': "{ overwrite = true }",
        "settings.MEMUSAGE_LIMIT_MB": "5",
        "settings.LOG_FORMAT": "%(message)s",
    }
    template = loaded(folder, text, arguments).template
    assert [group.name for group in template.topic.keywords.groups] == ["地铁", "城轨"]
    assert template.of(FollowTable).deny.written == ("/b/",)
    assert (template.site("b.cn").quota, template.site("b.cn").of(PolitenessTable).delay) == (
        7,
        9.0,
    )
    assert template.site("news.d.cn").of(PolitenessTable).delay == 8.0, "a name with dots"
    assert template.site("e").of(PolitenessTable).delay == 6.0, "and one without any"
    assert template.site("c.cn").skip
    assert template.output.feeds[0].options == {"overwrite": True}
    assert template.settings == {"MEMUSAGE_LIMIT_MB": 5, "LOG_FORMAT": "%(message)s"}


def test_show_prints_a_template_that_is_the_same_and_where_values_come_from(folder: Path) -> None:
    (folder / "_house.toml").write_text("[politeness]\ndelay = '5s'\n", "utf-8")
    (folder / "sites.txt").write_text("".join(f"https://{n}.cn/\n" for n in range(30)), "utf-8")
    text = (
        "extends = '_house.toml'\n[topic]\nkeywords = ['地铁|城轨^2', 're:\\d+号线']\ntags = '@@x'\n"
        "[[source]]\nurls = '@sites.txt'\n[[source]]\nurl = 'https://z.cn/'\n"
        "[request]\nheaders = { X-A = 'env:METRO_A' }\n[url]\nrewrite = { 'a(b)' = '\\1' }\n"
        "[output.feeds.'a-%(name)s.csv']\nfields = { title = '题目' }\n"
        "[site.'b.cn'.follow]\ndeny = ['...', '/x/']\n[settings]\nA = [1, { b = 2 }]\n"
    )
    first = loaded(folder, text, {"limits.pages": "7"})
    shown = shown_template(first)
    (folder / "again.toml").write_text(shown, "utf-8")
    again = load(folder / "again.toml").template
    assert again.resolved == first.template.resolved
    lines = {line.split(" = ")[0]: line.rpartition("# ")[2] for line in shown.splitlines()}
    assert lines["delay"] == "topics/_house.toml:2"
    assert lines["keywords"] == "topics/metro.toml:3"
    assert lines["concurrency"] == "default"
    assert "pages = 7                                                # -a" in shown
    assert "env:METRO_A" in shown


RECORD = '[record.firm]\nkey = ["phone"]\n[record.firm.fields]\nphone = "电话"\n'


@pytest.mark.strict
def test_the_topics_strict_holds_in_every_table_that_does_not_say_otherwise(folder: Path) -> None:
    text = f"[topic]\nstrict = true\n[search]\nstrict = false\n{RECORD}{SOURCE}"
    made = loaded(folder, text)
    strict = {
        name: table["strict"]
        for name, table in made.template.resolved.items()
        if isinstance(table, dict) and "strict" in table
    }
    described = {table.path[0] for table in language_of().forms if table.key("strict")}
    plain = described - {"record"}  # of which there are several, by name
    assert strict == dict.fromkeys(plain, True) | {"search": False}
    assert made.template.named(RecordTable)["firm"].strict
    assert made.template.of(ExploreTable).strict
    assert made.template.of(QueuesTable).strict
    assert not made.template.of(SearchTable).strict
    lines = [line for line in shown_template(made).splitlines() if line.startswith("strict = ")]
    origins = [line.partition("# ")[2] for line in lines]
    assert origins.count("topics/metro.toml:2") == 1
    assert origins.count("topics/metro.toml:4") == 1
    assert origins.count("topics/metro.toml:2 [topic] strict") == len(described) - 2
    assert not loaded(folder, SOURCE).template.of(QueuesTable).strict
    assert loaded(folder, SOURCE, {"topic.strict": "true"}).template.of(QueuesTable).strict


def test_check_says_in_one_line_what_will_be_read(folder: Path) -> None:
    text = f"[topic]\nkeywords = ['地铁', '城轨']\nrequire = '成都'\n[politeness]\ncontact = 'a@b.cn'\n{SOURCE}"
    assert check_text(loaded(folder, text)) == (
        "topics/metro.toml: topic metro (metro): 1 address in 1 source; 2 keyword groups,"
        " 1 required; links of these sites (1 host), 5 clicks deep; one request every 2 s and site"
    )
    two = check_text(loaded(folder, "[politeness]\nrobots = false\n" + SOURCE)).splitlines()
    assert two[0] == "topics/metro.toml: 2 warnings"
    assert len(two) == 4
