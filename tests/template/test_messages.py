"""What the loader says: every mistake at once, with its line and what to write instead."""

from pathlib import Path

import pytest

from focuscrawl.features.politeness.table import RequestTable
from focuscrawl.template.load import load
from focuscrawl.template.toml import TemplateErrors
from tests.tables import each_row

SOURCE = '[[source]]\nurl = "https://a.example.cn/"\n'


def messages(folder: Path, text: str | bytes, **overrides: str) -> list[str]:
    """The lines of the error a file makes, without the first. It is written whole, so that rows may share a folder."""
    (folder / "metro.toml").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(TemplateErrors) as caught:
        load(folder / "metro.toml", overrides, {})
    return str(caught.value).splitlines()[1:]


def message(folder: Path, text: str) -> str:
    """The one problem of a file, after its line number."""
    (line,) = messages(folder, text)
    return line


def test_seven_mistakes_are_told_at_once_with_their_lines(folder: Path) -> None:
    text = """# metro
[topic]
keyword = ["地铁"]


[[source]]
urls = ["https://news.example.cn/"]
tags = "日报"
keywords = ["地铁"]


# politeness

[politeness]
delay = 2
hours = "22-6"

[follow]
allow = "\\\\d+\\\\.html"


[site.example.cn.politeness]
delay = "3s"

[request]
proxy = "env:METRO_PROXY"
"""
    (folder / "metro.toml").write_text(text, "utf-8")
    with pytest.raises(TemplateErrors) as caught:
        load(folder / "metro.toml", {}, {})
    assert (
        str(caught.value)
        == r"""topics/metro.toml: 7 problems
  line 3   [topic] keyword: unknown key; nearest: keywords
  line 9   [[source]] keywords: unknown key here; it exists in [topic]
  line 15  [politeness] delay = 2: a duration needs a unit: "2s", "2m" or "2h"
  line 16  [politeness] hours = "22-6": a time window looks like "22:00-06:00" or "Mon-Fri 20:00-07:00"
  line 19  [follow] allow = "\\d+\\.html": looks like a regular expression; write 're:\d+\.html', or "*.html"
  line 22  [site.example.cn.politeness]: a host name needs quotes: [site."example.cn".politeness]
  line 26  [request] proxy = "env:METRO_PROXY": the variable METRO_PROXY is not set"""
    )


def test_one_problem_is_one_problem(folder: Path) -> None:
    (folder / "metro.toml").write_text("[topic]\n", "utf-8")
    with pytest.raises(TemplateErrors, match=r"^topics/metro\.toml: 1 problem\n  nowhere to start"):
        load(folder / "metro.toml")


def test_a_byte_order_mark_and_windows_line_ends_are_no_mistakes(folder: Path) -> None:
    text = ("[topic]\ntitle = '地铁'\n" + SOURCE).replace("\n", "\r\n")
    (folder / "metro.toml").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert load(folder / "metro.toml").template.topic.title == "地铁"


DEEP = "(" * 500 + "a" + ")" * 500


@each_row(
    ("raw", "part"),
    [
        ("[topic]\ntitle = '成都地铁建设'\n".encode("gb18030"), "not UTF-8 but GB18030 (GBK): save it as UTF-8 (Notepad: 另存为 → 编码 UTF-8)"),
        ("[topic]\n".encode("utf-16"), "save it as UTF-8"),
        (b"[topic]\ntitle = '\xff\xff\xff'\n", "line 2  not UTF-8: save it as UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_utf_8_is_refused_with_what_to_do(
    folder: Path, raw: bytes, part: str
) -> None:
    (line,) = messages(folder, raw)
    assert part in line


@each_row(
    ("line", "part"),
    [
        ("title = “地铁”", 'line 2  “ at column 9: write "'),
        ("title＝'地铁'", "line 2  ＝ at column 6: write ="),
        ("title = ‘地铁’", "line 2  ‘ at column 9: write '"),
        ("keywords = ['地铁'，'城轨']", "line 2  ， at column 17: write ,"),
        ("keywords = ［'地铁']", "line 2  ［ at column 12: write ["),
        ("title =\u3000'“地铁”'", "line 2  full-width space at column 8: write a space"),
        ("标题 = '地铁'", 'line 2  标题: put it in quotes: "标题" = …'),
        ("title = '地铁", "line 2  not TOML: the quote ' at column 9 is not closed"),
        ("title", "line 2  not TOML"),
        ("title = '地铁'\ntitle = '城轨'", "line 3  title: already given at line 2"),
    ],
)
def test_typing_mistakes_are_named_with_line_and_column(folder: Path, line: str, part: str) -> None:
    assert part in message(folder, f"[topic]\n{line}\n{SOURCE}")


def test_full_width_signs_inside_texts_are_no_mistakes(folder: Path) -> None:
    (folder / "metro.toml").write_text(f"[topic]\ntitle = '“地铁”，城轨'\n{SOURCE}", "utf-8")
    assert load(folder / "metro.toml").template.topic.title == "“地铁”，城轨"


def test_what_follows_a_typing_mistake_is_checked_all_the_same(folder: Path) -> None:
    text = f"[topic]\ntitle = “地铁”\nkeyword = 'x'\n[topic]\nlanguage = 'cn'\n{SOURCE}depht = 3\n"
    assert [line.split()[1] for line in messages(folder, text)] == ["2", "3", "4", "5", "8"]


def test_after_a_typing_mistake_nothing_is_called_missing(folder: Path) -> None:
    assert messages(folder, "[topic]\n[[source]]\nurl = “https://a.example.cn/”\n") == [
        '  line 3  “ at column 7: write " (in the English input mode)'
    ]


def test_something_not_closed_is_told_at_the_end(folder: Path) -> None:
    assert "something is not closed" in message(folder, "[topic]\nkeywords = [\n'地铁'\n")


def test_a_table_opened_twice_points_to_where_it_is_open(folder: Path) -> None:
    text = f"[topic]\ntitle = '地铁'\n{SOURCE}[topic]\ntags = ['a']\n"
    assert (
        message(folder, text)
        == "  line 5  [topic] is already open at line 1: put these lines there"
    )


def test_single_brackets_where_two_are_needed(folder: Path) -> None:
    text = "[topic]\n[source]\nurl = 'https://a.example.cn/'\n[source]\nurl = 'b'\n"
    assert messages(folder, text) == [
        "  line 2  [source]: repeatable: [[source]]",
        "  line 4  [source]: repeatable: [[source]]",
        '  line 5  [[source]] url = "b": an address begins with http:// or https://',
    ]


def test_two_brackets_where_one_is_needed(folder: Path) -> None:
    assert message(folder, f"[[topic]]\n{SOURCE}") == "  line 1  [[topic]]: once only: [topic]"


@each_row(
    ("text", "expected"),
    [
        ("[politeness]\ndelay = '2'", 'delay = "2": a duration needs a unit: "2s", "2m" or "2h"'),
        ("[politeness]\ndelay = 'soon'", "a duration looks like"),
        ("[politeness]\ndelay = true", "a duration looks like"),
        ("[explore]\nshare = 30", "a share is a number from 0 to 1: 0.3"),
        ("[explore]\nshare = '30%'", "a share is a number from 0 to 1: 0.3"),
        ("[politeness]\nrobots = 'no'", "true or false, without quotes"),
        ("[explore]\nsteps = 31", "a whole number 0..30"),
        ("[explore]\nsteps = '2'", "a whole number 0..30, without quotes"),
        ("[politeness]\ncontact = 'me'", "e-mail"),
        ("[politeness]\nuser_agent = \"a\\nb\"", "one line of text"),
        ("[limits]\npages = -1", "a whole number from 0"),
        ("[topic]\nlanguage = 'ZH '", 'one of "zh", "en", "auto"'),
        ("[topic]\nlanguage = 'auro'", 'nearest: "auto"'),
        ("[topic]\ntimezone = 'Asia/Shanghia'", 'nearest: "Asia/Shanghai"'),
        ("[topic]\nname = 'Metro'", "a name is made of"),
        ("[topic]\nname = 'topic'", "choose another"),
        ("[topic]\ntitle = 5", 'a text in quotes: "5"'),
        ("[topic]\nkeywords = ['地铁^2|城轨']", 'keywords = "地铁^2|城轨": the weight is one number'),
        ("[topic]\nkeywords = ['@none.txt']", "the file none.txt cannot be read"),
        ("[article]\nsince = 30", 'a duration needs a unit: "30s", "30m" or "30h"'),
        ("[article]\nsince = 'May'", "or a date: 2026-11-20"),
        ("[revisit.board]\nmin = '1m'", '[revisit.board] min: no key here: always "5m"'),
        ("[follow]\nsites = ['https://a.cn/b']", 'the host only: "a.cn"'),
        ("[follow]\nsites = ['a b']", 'a host looks like "example.cn"'),
        (f"[follow]\nsites = ['{'a' * 70}.cn']", 'a host looks like "example.cn"'),
        ("[follow]\nallow = ['']", "empty"),
        ('[topic]\ntitle = "a\\u001b[31mred"', "one line of plain text"),
        ('[topic]\ntitle = "a\\r\\nBcc: b"', "one line of plain text"),
        ('[topic]\ntitle = "a\\u202eb"', "one line of plain text"),
        ("[follow]\nallow = ['re:(']", "not a regular expression"),
        (f"[follow]\nallow = ['re:{DEEP}']", "too many groups in each other"),
        (f"[topic]\nkeywords = ['re:{DEEP}']", "too many groups in each other"),
        (f"[url]\nrewrite = {{ '{DEEP}' = 'x' }}", "too many groups in each other"),
        (f"[url]\ndrop = ['re:{DEEP}']", "too many groups in each other"),
        (f"[revisit]\nignore = ['re:{DEEP}']", "too many groups in each other"),
        (f"[record.x]\nkey = 'a'\n[record.x.fields]\na = {{ labels = '甲', pattern = '{DEEP}' }}", "too many groups in each other"),
        ("[follow]\nallow = ['^https://a']", "write 're:^https://a', or \"https://a\""),
        ("[follow]\nallow = ['/[0-9]+/(a|b)']", "write 're:/[0-9]+/(a|b)'"),
        ("[url]\nrewrite = { 'a(b)' = '\\2' }", "names a group the expression has not (1 groups)"),
        ("[url]\nrewrite = ['a']", "a table of"),
        ("[request]\nheaders = { 'A B' = 'c' }", "a header is one line of text"),
        ("[request]\ncookies = 'a=b'", 'a table { name = "value" } or "file:cookies.txt"'),
        ("[request]\nproxy = 'localhost:3128'", "an address begins with http:// or https://"),
        ("[[source]]\nurl = '@feeds.opml'", 'which are a list: urls = ["@feeds.opml"]'),
        ("[site.'a.cn']\nparser = 'parse'", "module:function"),
        ("[site.'a/b']\nskip = true", "the host only"),
        ("[site.'a.cn']\ndelay = '3s'", "[site.\"a.cn\"] delay: it belongs into [site.\"a.cn\".politeness]"),
        ("[site]\ndelay = '3s'", "[site] delay: it belongs into [site.\"HOST\".politeness]"),
        ("[site]\n'a.cn' = 3", "a table"),
        ("topic.colour = 3", "[topic] colour: unknown key; allowed: name, title"),
        ("delay = '2s'", "delay: unknown key here; it exists in [search] and [politeness]"),
        ("[follow]\ndellay = '2s'", "unknown key; nearest: delay in [search] or [politeness]"),
        ("[article]\ncontact = '2s'", "unknown key here; it exists in [politeness]"),
        ("[politeness]\nretries = 2", "[politeness] retries: unknown key; write RETRY_TIMES = 2 in [settings]"),
        ("[politeness]\ntimeout = '9s'", "unknown key; write DOWNLOAD_TIMEOUT"),
        ("[politeness]\ntotal = 9", "unknown key; write CONCURRENT_REQUESTS"),
        ("[politeness]\njitter = 0", "unknown key; write RANDOMIZE_DOWNLOAD_DELAY = false"),
        ("[site.'a.cn'.politeness]\nretries = 2", "[site.\"a.cn\".politeness] retries: unknown key; write RETRY_TIMES"),
        ("[limits]\nbody = '8MB'", "unknown key; write DOWNLOAD_MAXSIZE"),
        ("[url]\nmax_length = 9", "unknown key; write URLLENGTH_LIMIT"),
        ("[output.feeds.'a.csv']\nencoding = 'gbk'", "unknown key; write options = { encoding = \"gb18030\" }"),
        ("[output.feeds.'a.csv']\noverwrite = true", "unknown key; write options = { overwrite = true }"),
        ("[output.feeds.'a.csv']\nbatch_item_count = 5", "unknown key; write options = { batch_item_count = 5000 }"),
        ("[output.feeds.'a.csv']\noptions = { format = 'csv' }", "the feed has a key for format"),
        ("[output.feeds.'a.csv']\noptions = 3", "a table of Scrapy's options"),
        ("[topics]\ntitle = 'a'", "[topics]: unknown table; nearest: [topic]"),
        ("[zzz]\ntitle = 'a'", "[zzz]: unknown table; allowed: [topic], [[source]]"),
        ("article = 3", "article: a table: [article]"),
        ("[settings]\nDOWNLOAD_DELAY = 3", "DOWNLOAD_DELAY: not here: write politeness.delay"),
        ("[settings]\nFEEDS = {}", "FEEDS: not here: write output.feeds.format"),
        ("[settings]\nSCHEDULER = 'a.B'", "not here"),
        ("[settings]\nFOCUSCRAWL_DATA_DIR = '/tmp'", "it says where, not what"),
        ("[settings]\nmemusage = 3", "in capitals"),
        ("extends = 'nws'", "a shipped template (directory, forum, news, topic)"),
        ("extends = 'archive'", "a shipped template (directory, forum, news, topic)"),
        ("[render]\nscroll = 3", "[render]: unknown table; allowed: [topic]"),
        ("[[notify]]\nto = 'env:A'", "the variable A is not set"),
        ("[[notify]]\nto = 'wecombot://key'", "an address of wecombot is a password: write env:NAME"),
        ("[[notify]]\nto = 'https://u:p@a.cn/'", "no password in an address: write env:NAME"),
        ("[[notify]]\nto = 'a@b.cn'", 'an address: "mailto:a@example.com", or "env:NAME"'),
        ("[[notify]]\nto = 'mailto:a'", "of several joined by commas"),
        ("[[notify]]\nscore = 0.5", "[[notify]]: no receiver is named"),
        ("[[notify]]\nto = 'mailto:a@b.cn'\nat = '25:00'", 'a time of day: "08:00"'),
        ("[[notify]]\nto = 'mailto:a@b.cn'\nwhat = 'all'", '"new", "changed", "gone"'),
        ("[output.exports.'a.doc']\ntable = 'articles'", "unknown file type"),
        ("[output.exports.'{day}.csv']\ntable = 'articles'", "{day} is no placeholder"),
        ("[output.exports.'a.csv']\nwhere = 'colour = red'", "no column 'colour'"),
        ("[output.exports.'a.csv']\ncolumns = 'colour'", "no column 'colour'"),
        ("[output.exports.'a.csv']\nsince = 'soon'", "last-export, run"),
        ("[output]\natom = true", "[output] atom: unknown key"),
        ("[site.'a.cn']\nrender = true", '[site."a.cn"] render: unknown key'),
        ("[output.feeds.'a.xlsx']\nfields = ['url']", "unknown file type"),
        ("[output.feeds.'a.csv']\nformat = 'parquet'", 'one of "csv", "jsonl", "json", "xml"'),
        ("[output.feeds.'a.csv']\nitems = 'story'", 'items = "story": one of "article", "page", "change"'),
        ("extends = '_none.toml'", "no such file"),
        ("extends = '../secret.toml'", "outside the folder"),
        ("extends = 3", "a text in quotes"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_answered_with_what_is_right(
    folder: Path, text: str, expected: str
) -> None:
    assert expected in message(folder, f"{text}\n{SOURCE}")


@each_row(
    ("text", "part"),
    [
        ("source = 3", "line 1  source: repeatable: [[source]]"),
        ("", "nowhere to start: write at least one [[source]]"),
        ("[[source]]\nkind = 'feed'", "line 1  [[source]]: an address is missing"),
        ("[[source]]\nurls = []", "line 2  [[source]] urls: no address in it"),
        ("[[source]]\nurl = 'https://a.cn/'\nlevel = 6", "line 3  [[source]] level = 6: there are 5 levels"),
        ("[queues]\nlevels = 2\n[site.'a.cn']\nlevel = 3\n" + SOURCE, "line 4  [site.\"a.cn\"] level = 3: there are 2"),
        ("[output.feeds.out]\n" + SOURCE, "line 1  [output.feeds.\"out\"]: unknown file type"),
        ("[output.feeds.'a/%(name)s.json']\n" + SOURCE, 'or use jsonl: [output.feeds."a/%(name)s.jsonl"]'),
        ("[output.feeds.'a.xml']\nfields = ['url']\noptions = { overwrite = false }\n" + SOURCE, "write options = { overwrite = true }, or use jsonl"),
        ("[output.feeds.'a.csv']\noptions = { batch_item_count = 5 }\n" + SOURCE, "the address needs %(batch_id)d"),
        ("[output.feeds.a.csv]\noptions = { overwrite = true }\n" + SOURCE, '[output.feeds.a.csv]: an address needs quotes: [output.feeds."a.csv"]'),
        ("[output.feeds.'a.csv']\nfields = { url = 'x', title = 'x' }\n" + SOURCE, "two columns have the same name"),
    ],
)  # fmt: skip
def test_what_must_hold_between_keys(folder: Path, text: str, part: str) -> None:
    assert part in message(folder, text)


def test_a_file_name_that_is_no_name_asks_for_one(folder: Path) -> None:
    (folder / "成都 地铁.toml").write_text(SOURCE, "utf-8")
    with pytest.raises(TemplateErrors, match="rename the file or write"):
        load(folder / "成都 地铁.toml")


def test_a_file_that_is_not_there(folder: Path) -> None:
    with pytest.raises(TemplateErrors, match=r"topics/none\.toml: 1 problem\n  cannot be read"):
        load(folder / "none.toml")


def test_mistakes_in_an_extended_file_and_in_a_list_name_that_file(folder: Path) -> None:
    (folder / "_house.toml").write_text("[politeness]\ndelay = 3\n", "utf-8")
    (folder / "sites.txt").write_text("# sites\nhttps://a.cn/\nb.cn\n", "utf-8")
    text = "extends = '_house.toml'\n[[source]]\nurls = '@sites.txt'\nevery = 5\n"
    lines = messages(folder, text)
    assert lines[0].startswith("  line 4 ")
    assert any(
        line.startswith("  sites.txt line 3 ") and '"https://b.cn"' in line for line in lines
    )
    assert any(line.startswith("  topics/_house.toml line 2 ") for line in lines)


def test_arguments_are_checked_like_keys(folder: Path) -> None:
    (folder / "metro.toml").write_text(SOURCE, "utf-8")
    arguments = {
        "limits.page": "3", "limits.pages": "-1", "foo": "1", "pages": "1", "a.b": "1",
        "source.url": "x", "_job": "7", "politeness.delay": "3",
    }  # fmt: skip
    with pytest.raises(TemplateErrors) as caught:
        load(folder / "metro.toml", arguments)
    text = str(caught.value)
    assert text.startswith(
        "topics/metro.toml: 7 problems\n  -a  [limits] page: unknown key; nearest"
    )
    assert "[limits] pages = -1: a whole number from 0" in text
    assert "pages: unknown key here; it exists in [follow] and [article] and [limits]" in text
    assert "[[source]] can only be set in the file" in text
    assert 'delay = 3: a duration needs a unit: "3s", "3m" or "3h"' in text


def test_missing_secrets_are_told_together_and_only_when_asked_for(folder: Path) -> None:
    text = (
        "[request]\nheaders = { A = 'env:METRO_A' }\ncookies = 'file:none.txt'\n"
        "[site.'a.cn'.request]\nproxy = ['env:METRO_B', 'http://p.cn/']\n"
        f"[search.engine.brave]\nkey = 'env:METRO_C'\n{SOURCE}"
    )
    missing = "the file none.txt cannot be read: No such file or directory"
    assert messages(folder, text) == [
        '  line 2  [request] headers = "env:METRO_A": the variable METRO_A is not set',
        f'  line 3  [request] cookies = "file:none.txt": {missing}',
        '  line 5  [site."a.cn".request] proxy = "env:METRO_B": the variable METRO_B is not set',
        '  line 7  [search.engine."brave"] key = "env:METRO_C": the variable METRO_C is not set',
    ]
    assert load(folder / "metro.toml").template.site("a.cn").of(RequestTable).proxy == (
        "http://p.cn/",
    )


def test_a_mail_server_that_cannot_be_one_is_told_where_mail_is_asked_for(folder: Path) -> None:
    text = "[[notify]]\nto = 'mailto:a@b.cn'\n[[notify]]\nto = 'https://c.cn/'\n"
    (folder / "metro.toml").write_text(text + SOURCE, "utf-8")
    with pytest.raises(TemplateErrors) as caught:
        load(folder / "metro.toml", {}, {"FOCUSCRAWL_SMTP": "nonsense://secret"})
    (line,) = str(caught.value).splitlines()[1:]
    told = "FOCUSCRAWL_SMTP is no address of a mail server, as smtps://mail.example.com is one"
    assert line == f"  line 2  [[notify]] to: {told}"
    assert "secret" not in line
    for server in ("smtp://mail.example.com", ""):
        warnings = load(folder / "metro.toml", {}, {"FOCUSCRAWL_SMTP": server}).warnings
        names_none = [one for one in warnings if "names no mail server" in one.text]
        assert len(names_none) == (not server)
    assert load(folder / "metro.toml").template


def test_a_receiver_is_named_by_one_table(folder: Path) -> None:
    text = "[[notify]]\nto = 'mailto:a@b.cn'\n[[notify]]\nto = 'mailto:a@b.cn'\nmatch = '事故'\n"
    told = "another [[notify]] has the same; one table for each receiver"
    assert messages(folder, text + SOURCE) == [f"  line 4  [[notify]] to: {told}"]


def test_a_receiver_of_the_environment_that_is_mail_needs_a_mail_server_too(folder: Path) -> None:
    (folder / "metro.toml").write_text(f"[[notify]]\nto = 'env:WHO'\n{SOURCE}", "utf-8")
    for who, warned in (("mailto:a@b.cn", 1), ("https://c.cn/", 0)):
        warnings = load(folder / "metro.toml", {}, {"WHO": who}).warnings
        assert sum("names no mail server" in one.text for one in warnings) == warned
    with pytest.raises(TemplateErrors, match="the variable WHO is not set"):
        load(folder / "metro.toml", {}, {})


@each_row(
    ("text", "warning"),
    [
        ("", "[politeness] contact: none"),
        ("[politeness]\ndelay = '500ms'", '[politeness] delay = "500ms": under 1 s'),
        ("[politeness]\nrobots = false", "[politeness] robots = false"),
        ("[site.'a.cn'.politeness]\nrobots = false", '[site."a.cn".politeness] robots = false'),
        ("[topic]\nkeywords = ['铁|地铁']", 'keywords = "铁": one character'),
        ("[topic]\nkeywords = ['地鐵']\nexclude = ['地 铁']", 'keywords = "地鐵": also in exclude'),
        ("[follow]\nsites = ['b.cn']", "outside follow.sites"),
    ],
)
def test_what_is_seldom_meant_is_a_warning(folder: Path, text: str, warning: str) -> None:
    (folder / "metro.toml").write_text(f"{text}\n{SOURCE}", "utf-8")
    texts = [problem.text for problem in load(folder / "metro.toml").warnings]
    assert any(warning in one for one in texts), texts


def test_a_careful_template_has_no_warnings(folder: Path) -> None:
    text = f"[topic]\nkeywords = ['地铁']\n[politeness]\ncontact = 'a@example.cn'\n{SOURCE}"
    (folder / "metro.toml").write_text(text, "utf-8")
    assert load(folder / "metro.toml").warnings == ()


def test_several_words_in_one_are_asked_about_with_the_line_that_may_be_meant(folder: Path) -> None:
    words = '[topic]\nkeywords = ["流计祘，软件^2", "food safety"]\nrequire = ["成都 绵阳"]\n'
    (folder / "metro.toml").write_text(words + SOURCE, "utf-8")
    first, second, *_ = map(str, load(folder / "metro.toml", {}, {}).warnings)
    assert first.endswith(
        'metro.toml:2: [topic] keywords = "流计祘，软件^2": one word to look for, as it stands; did you mean |?'
        ' keywords = ["流计祘|软件^2", "food safety"]; words that do not mean the same are entries of their'
        ' own: "流计祘", "软件"'
    )
    assert 'require = ["成都|绵阳"]' in second


def test_in_a_long_list_only_the_group_is_written_as_it_may_be_meant(folder: Path) -> None:
    others = ", ".join(f'"关键词{number}"' for number in range(40))
    (folder / "metro.toml").write_text(
        f'[topic]\nkeywords = ["地铁、城轨", {others}]\n{SOURCE}', "utf-8"
    )
    first = str(load(folder / "metro.toml", {}, {}).warnings[0])
    assert 'did you mean |? "地铁|城轨"; words' in first
