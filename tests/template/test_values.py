"""What a template becomes: values by key, rules of sites, sources, secrets."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from focuscrawl.features.articles.table import ArticleTable
from focuscrawl.features.politeness.table import PolitenessTable, RequestTable
from focuscrawl.readers.links.admission_rules import scope_of
from focuscrawl.readers.links.table import FollowTable, UrlTable
from focuscrawl.template.files import Cookie
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.urls.sites import Hosts
from tests.tables import each_row

NAME = 'topic.name = "metro"\n'
SOURCE = '[[source]]\nurl = "https://a.example.cn/list?page=1"\n'


def template(text: str, **arguments: str) -> Template:
    """A template from the text that follows its name."""
    return load(f"{NAME}{text}\n{SOURCE}", arguments).template


def test_defaults_hold_without_a_word() -> None:
    plain = template("")
    assert plain.of(PolitenessTable).delay == 2.0
    assert plain.of(ArticleTable).since is None
    assert plain.topic.title == "metro"
    assert plain.of(FollowTable).depth == 5
    assert not plain.of(FollowTable).allow
    assert plain.of(UrlTable).rules.scheme_same
    assert "utm_*" in plain.of(UrlTable).drop
    assert plain.path is None
    assert plain.output.feeds == ()


@each_row(
    ("written", "seconds"),
    [("500ms", 0.5), ("2s", 2), ("15m", 900), ("1h30m", 5400), ("7d", 604800), ("2w", 1209600)],
)
def test_durations_are_seconds(written: str, seconds: float) -> None:
    assert template(f"[limits]\ntime = '{written}'").limits.time == seconds


def test_the_timezone_follows_the_language_unless_it_is_given() -> None:
    assert template("").topic.timezone.key == "Asia/Shanghai"
    assert template("topic.language = 'en'").topic.timezone.key == "UTC"
    english = template("topic.language = 'en'\ntopic.timezone = 'Europe/Paris'")
    assert english.topic.timezone.key == "Europe/Paris"


def test_since_is_an_age_or_a_date_in_the_topics_timezone() -> None:
    assert template("article.since = '30d'").of(ArticleTable).oldest(5_000_000.0) == 2_408_000.0
    dated = template("article.since = 2026-11-20").of(ArticleTable)
    assert dated.oldest(0.0) == datetime(2026, 11, 19, 16, tzinfo=UTC).timestamp()
    instant = template("article.since = 2026-11-20T00:00:00Z").of(ArticleTable)
    assert instant.oldest(0.0) == datetime(2026, 11, 20, tzinfo=UTC).timestamp()
    assert template("").of(ArticleTable).oldest(0.0) is None


def test_a_source_has_a_level_and_an_id_of_its_own() -> None:
    text = (
        "[queues]\nlevels = 3\n"
        "[[source]]\nurls = ['https://b.cn/x', 'https://c.cn/']\nname = '公告'\nlevel = 1\n"
        "[[source]]\nurl = 'https://a.example.cn/list?page=2'\nevery = '10m'\nrelevant = 'all'"
    )
    notices, second, first = template(text).sources
    assert (notices.source_id, notices.level) == ("公告", 1)
    assert second.source_id == "a.example.cn/list"
    assert (second.level, second.every, second.relevant) == (2, 600.0, "all")
    assert first.source_id.startswith("a.example.cn/list~")
    assert template(text).sources[2].source_id == first.source_id


def test_ids_of_sources_are_cut_and_stay_different() -> None:
    long = f"https://a.example.cn/{'x' * 90}"
    text = "\n".join(f"[[source]]\nurl = '{long}?{number}'" for number in range(3))
    ids = [source.source_id for source in template(text).sources]
    assert all(len(one) <= 64 for one in ids)
    assert len(set(ids)) == 4


def test_a_site_has_the_general_values_and_its_own() -> None:
    site = template(
        "[politeness]\ndelay = '3s'\n[follow]\ndeny = ['/en/']\n[limits]\nper_site = 7\n"
        "[request]\nheaders = { A = '1', B = '2' }\n"
        "[site.'example.cn'.politeness]\ndelay = '5s'\n[site.'example.cn'.follow]\ndeny = ['...', '/zt/']\n[site.'example.cn'.request]\nheaders = { B = '3' }\n"
        "[site.'example.cn'.url]\nkeep = 'id'\n[site.'example.cn']\n"
        "tags = 'x'\nquota = 9\nrelevant = 'all'\nlevel = 2\n"
        "[site.'sub.example.cn']\nskip = true\n[site.'example.org']"
    ).site
    own = site("example.cn")
    assert (own.host, own.quota, own.level) == ("example.cn", 9, 2)
    assert (own.of(PolitenessTable).delay, own.of(PolitenessTable).concurrency) == (5, 1)
    assert own.of(FollowTable).deny.written == ("/en/", "/zt/")
    assert own.of(RequestTable).headers == {"A": "1", "B": "3"}
    assert (own.of(UrlTable).keep, own.tags) == (("id",), ("x",))
    assert site("www.example.cn") is own
    assert site("a.sub.example.cn").skip
    assert site("a.sub.example.cn").of(PolitenessTable).delay == 3
    other = site("notexample.cn")
    assert (
        other.host,
        other.of(PolitenessTable).delay,
        other.skip,
        other.quota,
        other.relevant,
    ) == (
        "",
        3,
        False,
        7,
        "judge",
    )
    assert other.of(FollowTable).deny.written == ("/en/",)
    assert site("example.org").host == "example.org"


def test_aliases_lead_to_the_rules_of_their_site() -> None:
    aliased = template(
        "[site.'A.example.cn']\naliases = ['m.example.cn']\n[site.'A.example.cn'.politeness]\ndelay = '9s'"
    )
    assert aliased.aliases == {"m.example.cn": "a.example.cn"}
    assert aliased.site("m.example.cn").of(PolitenessTable).delay == 9
    assert (scope := scope_of(aliased)) is not None
    assert "m.example.cn" in scope


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        ("sources", ["a.example.cn", "b.a.example.cn", "x.cn"], ["example.cn", "ba.example.cn"]),
        ("listed", ["x.cn", "www.x.cn"], ["a.example.cn"]),
    ],
)
def test_scope_says_which_hosts_belong(scope: str, inside: list[str], outside: list[str]) -> None:
    hosts = scope_of(template(f"[follow]\nsites = ['x.cn']\nscope = '{scope}'"))
    assert hosts is not None
    assert all(host in hosts for host in inside)
    assert not any(host in hosts for host in outside)


def test_the_whole_web_has_no_bounds() -> None:
    assert scope_of(template("[follow]\nscope = 'web'")) is None


def test_hosts_are_names_with_all_below_or_alone() -> None:
    hosts = Hosts(["example.cn", "=alone.cn"])
    assert "www.example.cn" in hosts
    assert "alone.cn" in hosts
    assert "www.alone.cn" not in hosts
    assert not Hosts()
    named = template("[follow]\nsites = ['食品.cn', 'Example.COM.']").of(FollowTable).sites
    assert named.written == ("xn--jvr189m.cn", "example.com")


def test_feeds_know_their_format_and_scrapys_options() -> None:
    feeds = template(
        "[output.feeds.'a/%(name)s.csv']\nfields = ['url', 'title']\n"
        "[output.feeds.'a.JL.gz']\nitems = 'page'\n"
        "[output.feeds.'a.xml']\noptions = { overwrite = true, encoding = 'gb18030' }\nfields = { url = '链接' }"
    ).output.feeds
    assert [(one.format, one.options) for one in feeds] == [
        ("csv", {}),
        ("jsonl", {}),
        ("xml", {"overwrite": True, "encoding": "gb18030"}),
    ]
    assert [one.fields for one in feeds] == [
        {"url": "url", "title": "title"},
        None,
        {"url": "链接"},
    ]
    assert feeds[1].items == ("page",)


@pytest.mark.parametrize(
    ("written", "report"),
    [("", True), ("report = false", False), ("report = 'a/b.HTML'", "a/b.HTML")],
)
def test_a_report_is_written_unless_it_is_said_otherwise(written: str, report: bool | str) -> None:
    assert template(f"[output]\n{written}").output.report == report


def test_a_report_is_a_page() -> None:
    with pytest.raises(TemplateErrors, match=r"ends with .html"):
        template("[output]\nreport = 'metro.pdf'")


@each_row("expires", ["1.x", "nan", "inf", "", "soon", "1_0e"])
def test_a_cookie_file_whose_expiry_is_no_number_is_refused(tmp_path: Path, expires: str) -> None:
    (tmp_path / "jar.txt").write_text(f".bbs.cn\tTRUE\t/\tTRUE\t{expires}\tsid\tx\n", "utf-8")
    path = tmp_path / "metro.toml"
    path.write_text(f"[request]\ncookies = 'file:jar.txt'\n{SOURCE}", "utf-8")
    with pytest.raises(TemplateErrors, match="line 1 has not the seven fields"):
        load(path, {}, {})


def test_secrets_are_read_for_a_crawl_and_are_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("s3cret-b\n", "utf-8")
    (tmp_path / "jar.txt").write_text(
        "# Netscape HTTP Cookie File\n\n"
        ".bbs.cn\tTRUE\t/\tTRUE\t1900000000\tsid\ts3cret-c\n"
        "#HttpOnly_bbs.cn\tFALSE\t/x\tFALSE\t0\tb\t\n",
        "utf-8",
    )
    path = tmp_path / "metro.toml"
    path.write_text(
        "[request]\nheaders = { X-A = 'env:METRO_A', X-B = 'file:token', X-C = 'plain' }\n"
        "cookies = { a = 'env:METRO_A' }\nproxy = 'env:METRO_P'\n"
        f"[site.'bbs.cn'.request]\ncookies = 'file:jar.txt'\n{SOURCE}",
        "utf-8",
    )
    environment = {"METRO_A": "s3cret-a", "METRO_P": "http://u:s3cret-p@p.cn:3128"}
    crawled = load(path, {}, environment).template
    assert crawled.of(RequestTable).headers == {
        "X-A": "s3cret-a",
        "X-B": "s3cret-b",
        "X-C": "plain",
    }
    assert crawled.of(RequestTable).cookies == (Cookie("a", "s3cret-a"),)
    assert crawled.of(RequestTable).proxy == ("http://u:s3cret-p@p.cn:3128",)
    assert crawled.site("bbs.cn").of(RequestTable).cookies == (
        Cookie("sid", "s3cret-c", ".bbs.cn", "/", True, 1_900_000_000.0),
        Cookie("b", "", "bbs.cn", "/x", False, None),
    )
    assert "s3cret" not in f"{crawled!r}{crawled.site('bbs.cn')!r}{crawled.resolved!r}"
    looked_at = load(path).template
    assert looked_at.of(RequestTable).headers == {"X-C": "plain"}
    assert looked_at.of(RequestTable).proxy == ()
    assert looked_at.hash == crawled.hash


@pytest.mark.parametrize("text", ["sid=1\n", "a\tb\tc\td\te\tf\tg\n"])
def test_a_file_that_is_no_cookie_file_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "jar.txt").write_text(text, "utf-8")
    (tmp_path / "metro.toml").write_text(f"[request]\ncookies = 'file:jar.txt'\n{SOURCE}", "utf-8")
    with pytest.raises(TemplateErrors, match="no exported cookie file: line 1"):
        load(tmp_path / "metro.toml", {}, {})


def test_settings_are_kept_as_written() -> None:
    kept = template("[settings]\nMEMUSAGE_LIMIT_MB = 2000\nA = { b = [1.5, true], d = 2026-11-20 }")
    assert kept.settings == {"MEMUSAGE_LIMIT_MB": 2000, "A": {"b": [1.5, True], "d": "2026-11-20"}}


def test_an_inline_template_may_be_json() -> None:
    loaded = load(
        '{"topic": {"name": "metro", "keywords": ["地铁"]}, "source": [{"url": "http://a/"}]}'
    )
    assert loaded.template.topic.keywords.count("地铁") == {"地铁": 1}
    with pytest.raises(TemplateErrors, match="not JSON"):
        load('{"topic": ')


def test_an_inline_template_needs_a_name() -> None:
    with pytest.raises(TemplateErrors, match=r"inline template: 1 problem\n  .*needs one"):
        load(SOURCE)


def test_a_shipped_template_is_loaded_by_name() -> None:
    assert load("news").template.name == "news"


def test_the_hash_changes_with_every_value_and_only_then() -> None:
    assert template("").hash == template("[politeness]\ndelay = '2s'").hash
    assert template("").hash != template("[politeness]\ndelay = '3s'").hash
    assert template("").hash != template("topic.keywords = '地铁'").hash


def test_names_of_the_topic_are_known_to_its_word_splitter(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("# stations\n天府通 3 nz\nopen source\n", "utf-8")
    topic = tmp_path / "metro.toml"
    topic.write_text(f'[topic]\ndictionary = ["张鱼哥", "@names.txt"]\n{SOURCE}', "utf-8")
    loaded = load(topic).template
    assert loaded.topic.dictionary == ("张鱼哥", "天府通 3 nz", "open source")
    words = loaded.splitter.cut("张鱼哥用天府通付款，Open Source")
    assert words == ["张鱼哥", "用", "天府通", "付款", "open source"]
    assert template("").splitter.cut("天府通付款") != words[2:4]


def test_a_topic_that_would_be_crawled_all_the_time_is_refused() -> None:
    with pytest.raises(TemplateErrors, match=r"every = .0s.: at least 1s"):
        template("topic.every = '0s'")


def test_a_name_of_nothing_is_refused() -> None:
    with pytest.raises(TemplateErrors, match="at least one character"):
        load('topic.name = "metro"\ntopic.dictionary = [" "]\n' + SOURCE)
