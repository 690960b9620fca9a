"""Files that templates name: regular and not too long; inline templates reach only some places."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.politeness.table import RequestTable
from focuscrawl.template.files import MOST_BYTES, Reach, masked, masked_message
from focuscrawl.template.load import LoadedTemplate, load
from focuscrawl.template.show import shown_template
from focuscrawl.template.toml import TemplateErrors
from tests.tables import each_row

TOPIC = 'topic.name = "x"\n{}\n[[source]]\nurl = "https://a.cn/"\n'
SECRET = "s3cret-words"


@pytest.fixture
def reach(tmp_path: Path) -> Reach:
    """Make a server's folders, and a file beside them that is nobody's business."""
    for name in ("topics", "crawls", "outside"):
        (tmp_path / name).mkdir()
    for name in ("topics", "outside"):
        (tmp_path / name / "words.txt").write_text(SECRET)
        (tmp_path / name / "base.toml").write_text(f'[topic]\nkeywords = ["{SECRET}"]\n')
        (tmp_path / name / "cookies.txt").write_text(f"a.cn\tTRUE\t/\tFALSE\t0\tname\t{SECRET}\n")
    return Reach((tmp_path / "topics", tmp_path / "crawls"), tmp_path / "crawls")


def inline(
    text: str, reach: Reach | None, overrides: dict[str, str] | None = None
) -> LoadedTemplate:
    folder = reach.data.parent / "topics" if reach else None
    return load(TOPIC.format(text), overrides or {}, {}, folder, reach)


def refusal(text: str, reach: Reach | None, overrides: dict[str, str] | None = None) -> str:
    with pytest.raises(TemplateErrors) as refused:
        inline(text, reach, overrides)
    assert SECRET not in str(refused.value)
    return str(refused.value)


READS = {
    "list": 'topic.keywords = ["@{}/words.txt"]',
    "synonyms": 'topic.keywords = ["食品|@{}/words.txt"]',
    "addresses": '[follow]\nsites = ["@{}/words.txt"]',
    "secret": '[request]\nheaders = {{ X = "file:{}/words.txt" }}',
    "cookies": '[request]\ncookies = "file:{}/cookies.txt"',
    "model": '[relevance]\nmodel = "{}/words.txt"',
}


@pytest.mark.parametrize("way", ["relative", "absolute", "link"])
@pytest.mark.parametrize("name", sorted(READS))
def test_an_inline_template_reads_nothing_outside_its_folders(
    name: str, way: str, reach: Reach, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (tmp_path / "topics/link").symlink_to(outside)
    place = {"relative": "../outside", "absolute": str(outside), "link": "link"}[way]
    said = refusal(READS[name].format(place), reach)
    assert "an inline template reads and writes below" in said
    assert "FOCUSCRAWL_INLINE_FOLDERS allows more" in said


@pytest.mark.parametrize("name", ["list", "synonyms", "secret", "cookies"])
def test_an_inline_template_reads_what_lies_in_its_folders_and_those_a_setting_adds(
    name: str, reach: Reach, tmp_path: Path
) -> None:
    inline(READS[name].format("."), reach)
    inline(READS[name].format(tmp_path / "topics"), reach)
    more = Reach((*reach.folders, tmp_path / "outside"), reach.data)
    inline(READS[name].format("../outside"), more)
    inline(READS[name].format("../outside"), Reach((Path("/"),), reach.data))


def test_an_inline_template_extends_nothing_by_way_of_a_link(reach: Reach, tmp_path: Path) -> None:
    (tmp_path / "topics/base2.toml").symlink_to(tmp_path / "outside/base.toml")
    text = 'extends = "{}"\n[topic]\nname = "x"\n[[source]]\nurl = "https://a.cn/"\n'
    folder = tmp_path / "topics"
    assert load(text.format("base.toml"), {}, {}, folder, reach).template.topic.keywords
    for place in ("base2.toml", "../outside/base.toml"):
        with pytest.raises(TemplateErrors, match=r"reads and writes below|outside the folder"):
            load(text.format(place), {}, {}, folder, reach)


def test_the_arguments_of_an_inline_template_reach_no_further(reach: Reach, tmp_path: Path) -> None:
    argument = {"topic.keywords": f"@{tmp_path}/outside/words.txt"}
    assert "an inline template reads" in refusal("", reach, argument)


@pytest.mark.parametrize(
    "uri",
    ["../outside/x.csv", "/tmp/x.csv", "file:///etc/x.csv", "FILE:///tmp/x.csv", "link/x.csv",
     "a/../../x.csv", "~/../../x.csv", "file:///%2e%2e/x.csv"],
)  # fmt: skip
def test_an_inline_template_writes_no_feed_outside_its_folders(
    uri: str, reach: Reach, tmp_path: Path
) -> None:
    (tmp_path / "crawls/link").symlink_to(tmp_path / "outside")
    assert "an inline template reads and writes below" in refusal(f'[output.feeds."{uri}"]', reach)
    inline(f'[output.feeds."{uri}"]', None)


@pytest.mark.parametrize("file", ["../outside/x.html", "/tmp/x.html", "link/x.html"])
def test_an_inline_template_writes_no_report_outside_its_folders(
    file: str, reach: Reach, tmp_path: Path
) -> None:
    (tmp_path / "crawls/link").symlink_to(tmp_path / "outside")
    said = refusal(f"[output]\nreport = '{file}'", reach)
    assert "an inline template reads and writes below" in said
    inline(f"[output]\nreport = '{file}'", None)
    inline("[output]\nreport = 'pages/x.html'", reach)


@pytest.mark.parametrize(
    "uri",
    ["%(template).80s/x.csv", "%(settings)s.csv", "s3://bucket/%(template)s.csv", "%(name)999d.csv",
     "%(batch_id)99999999d.csv", "%(batch_id)s.csv", "%(x%(name)s.csv", "%(time).1s.csv",
     "file:///%(start_urls)r.csv", "stdout:%(a)s", "%(name)s%(custom_settings)a.csv"],
)  # fmt: skip
def test_an_inline_template_names_its_feeds_by_nothing_that_spiders_hold(
    uri: str, reach: Reach
) -> None:
    said = refusal(f'[output.feeds."{uri}"]\nformat = "csv"', reach)
    assert "only %(name)s, %(time)s, %(batch_time)s and %(batch_id)d" in said
    inline(f'[output.feeds."{uri}"]\nformat = "csv"', Reach((Path("/"),), reach.data))
    inline(f'[output.feeds."{uri}"]\nformat = "csv"', None)


@pytest.mark.parametrize("uri", ["metro.db", "metro.crawl.db", "../topics/metro.toml"])
def test_an_inline_template_writes_over_no_database_and_no_topic(uri: str, reach: Reach) -> None:
    said = refusal(
        f'[output.feeds."{uri}"]\nformat = "csv"\noptions = {{ overwrite = true }}', reach
    )
    assert "whose suffix is their format" in said


@pytest.mark.parametrize(
    "uri",
    ["x.csv", "out/x.jsonl.gz", "s3://bucket/x.csv", "stdout:", "%(name)s-%(time)s.xml",
     "a%20b-%(batch_time)s.csv", "%(batch_id)d.csv", "%(name)s/%(batch_id)05d.csv", "100%.csv"],
)  # fmt: skip
def test_an_inline_template_writes_feeds_into_the_data_folder_and_elsewhere(
    uri: str, reach: Reach
) -> None:
    inline(f'[output.feeds."{uri}"]\nformat = "csv"', reach)


@pytest.mark.parametrize("option", ['postprocessing = ["os.system"]', 'item_filter = "x.Y"', "uri_params = 'a.b'"])  # fmt: skip
def test_an_inline_template_gives_its_feeds_no_option_that_names_code(
    option: str, reach: Reach
) -> None:
    feed = '[output.feeds."x.csv"]\noptions = { overwrite = true, encoding = "gb18030"'
    inline(f"{feed} }}", reach)
    assert "not in an inline template" in refusal(f"{feed}, {option} }}", reach)


@pytest.mark.parametrize(
    "setting",
    ['LOG_FILE = "/tmp/x"', 'HTTPCACHE_DIR = "/tmp"', "REMOTE_CONTROL_ENABLED = true",
     'EXTENSIONS = { "os.system" = 1 }', 'DOWNLOAD_HANDLERS = { http = "x" }',
     'FILES_STORE = "/tmp"', "TELNETCONSOLE_ENABLED = true"],
)  # fmt: skip
def test_an_inline_template_sets_nothing_that_names_files_code_or_ports(
    setting: str, reach: Reach
) -> None:
    assert "not in an inline template" in refusal(f"[settings]\n{setting}", reach)
    inline(f"[settings]\n{setting}", Reach((Path("/"),), reach.data))


def test_an_inline_template_sets_numbers(reach: Reach) -> None:
    loaded = inline('[settings]\nREACTOR_THREADPOOL_MAXSIZE = 5\nLOG_LEVEL = "DEBUG"', reach)
    assert loaded.template.settings["REACTOR_THREADPOOL_MAXSIZE"] == 5


def test_a_list_is_a_regular_file_of_some_megabytes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    with (tmp_path / "long.txt").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    (tmp_path / "fine.txt").write_text("食品\n")
    for name, why in {
        "pipe.txt": "no regular file",
        "folder.txt": "no regular file",
        "zero.txt": "no regular file",
        "long.txt": "longer than 16 MB",
    }.items():
        for text in (f'topic.keywords = ["@{name}"]', f'[request]\ncookies = "file:{name}"'):
            with pytest.raises(TemplateErrors, match=why):
                load(TOPIC.format(text), {}, {}, tmp_path)
    loaded = load(TOPIC.format('topic.keywords = ["@fine.txt"]'), {}, {}, tmp_path)
    assert loaded.template.resolved["topic"]["keywords"] == ["食品"]


# Passwords --------------------------------------------------------------------------------------


@each_row(
    "url", ["https://me:s3cret-words@a.cn/", "https://me@a.cn/", "https://:s3cret-words@a.cn:8/x"]
)
@each_row(
    "text",
    ['[[source]]\nurl = "{}"', '[[source]]\nurls = ["https://b.cn/", "{}"]',
     '[search]\nengines = ["e"]\n[search.engine.e]\nurls = ["{}"]',
     '[politeness]\ncontact = "{}"'],
)  # fmt: skip
def test_an_address_with_a_login_is_refused_with_the_way_out(url: str, text: str) -> None:
    said = refusal(text.format(url), None)
    if "contact" not in text:
        assert '[site."a.cn".request] headers = { Authorization = "env:LOGIN" }' in said


def test_a_proxys_password_is_used_but_neither_shown_nor_stored() -> None:
    for proxy in ("http://me:s3cret-words@p.cn:3128", "http://me:x@s3cret-words@p.cn:3128/"):
        text = f'[request]\nproxy = "{proxy}"\n[site."b.cn".request]\nproxy = ["{proxy}", "http://q.cn/"]'
        loaded = inline(text, None)
        assert loaded.template.of(RequestTable).proxy == (proxy,)
        assert loaded.template.site("b.cn").of(RequestTable).proxy[0] == proxy
        for shown in (repr(loaded.template.resolved), shown_template(loaded)):
            assert SECRET not in shown
            assert "http://me:***@p.cn:3128" in shown


def test_a_feeds_and_a_settings_password_is_not_shown() -> None:
    text = f'[output.feeds."ftp://me:{SECRET}@h/x.csv"]\n[settings]\nMINE = "redis://:{SECRET}@h/0"'
    loaded = inline(text, None)
    assert loaded.template.output.feeds[0].uri == f"ftp://me:{SECRET}@h/x.csv"
    assert loaded.template.settings["MINE"] == f"redis://:{SECRET}@h/0"
    assert SECRET not in repr(loaded.template.resolved) + shown_template(loaded)


@each_row(
    "proxy",
    [f"me:{SECRET}@p.cn:3128", f"socks5://me:{SECRET}@p.cn", f"http://me:{SECRET}@p.cn:port",
     f"http://me:a/{SECRET}@p.cn", f"http://me:{'x' * 90}{SECRET}@p.cn x", f"//me:{SECRET}@p.cn"],
)  # fmt: skip
def test_a_mistyped_proxys_password_is_not_in_the_message(proxy: str) -> None:
    refusal(f'[request]\nproxy = "{proxy}"', None)
    refusal(f'[request]\nproxy = ["http://q.cn/", "{proxy}"]', None)
    refusal("", None, {"request.proxy": proxy})


@given(
    st.text(
        st.characters(blacklist_characters=" /?#\\\"'", blacklist_categories=("C", "Z"))
    ).filter(lambda text: len(text) > 3),
    st.sampled_from(["http://u:{}@p.cn:1/", "socks5://:{}@[::1]", "see ftp://u.v:{}@h/x now"]),
)
def test_no_password_is_left_in_a_masked_text(password: str, form: str) -> None:
    shown = masked({"a": [form.format(f"~{password}~")]})["a"][0]
    assert shown == form.format("***")
    assert masked(shown) == shown


@each_row(
    ("text", "shown"),
    [
        ("http://KEY4711@proxy.cn:80/", "http://***@proxy.cn:80/"),
        (
            "https://a.cn/in?user=me&password=KEY4711&x=1",
            "https://a.cn/in?user=me&password=***&x=1",
        ),
        ("https://a.cn/?X-Amz-Signature=KEY4711", "https://a.cn/?X-Amz-Signature=***"),
        ("see https://a.cn/?api_key=KEY4711, then", "see https://a.cn/?api_key=*** then"),
        ("https://a.cn/?ACCESS_TOKEN=KEY4711#x", "https://a.cn/?ACCESS_TOKEN=***#x"),
        ("https://a.cn/?apikey=a%26KEY4711", "https://a.cn/?apikey=***"),
        ("https://a.cn/?tokens=3&design=1&key=食品", "https://a.cn/?tokens=3&design=1&key=食品"),
    ],
)
def test_a_key_in_an_address_is_not_shown(text: str, shown: str) -> None:
    assert masked(text) == masked_message(text) == shown
    assert masked(shown) == shown


@each_row(
    "text",
    ["https://m.social/@user", "https://m.social:443/@user", "https://a.cn:8080/?mail=x@y.cn",
     'write contact = "mailto:you@example.com"', "you@example.com", "08:30-12:00"],
)  # fmt: skip
def test_what_is_no_password_is_left_alone(text: str) -> None:
    assert masked(text) == text
    assert masked_message(text) == text
