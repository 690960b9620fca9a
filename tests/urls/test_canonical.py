from __future__ import annotations

import hashlib

import can_ada
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url, safe_url_string

from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.urls.canonical import LONGEST_URL, PLAIN, Canonicalizer, UrlRules, key_number
from focuscrawl.urls.sites import PARTITION_BITS, partition_of
from tests.tables import each_row

pytestmark = pytest.mark.A8

DEFAULT = Canonicalizer()
LITERAL = Canonicalizer(UrlRules(drop=(), scheme_same=False, slash_same=False))
"""Folds nothing of its own: what remains must be what w3lib does."""


def same(one: str, other: str, canonicalizer: Canonicalizer = DEFAULT) -> bool:
    key = canonicalizer.key(one)
    return key is not None and key == canonicalizer.key(other)


# What is fetched ---------------------------------------------------------------------------------


HOSTS = st.sampled_from(
    ["example.cn", "EXAMPLE.cn", "example.cn.", "127.0.0.1", "127.1", "0x7f.1", "a_b.example.cn"]
)
PORTS = st.sampled_from(["", ":80", ":443", ":8080", ":08080", ":", ":99999"])
PATHS = st.lists(
    st.sampled_from([*"aB7/._~-%é;?#=&+(", "/../", "/./", "//", "..", "%41", "news", "\\", "/x_1"])
).map("".join)


@given(st.sampled_from(["http", "https", "HTTP"]), HOSTS, PORTS, st.sampled_from(["", "/"]), PATHS)
@example("https", "example.cn", ":80", "/", "x")
@example("http", "example.cn", ":443", "/", "x/")
@example("http", "example.cn", "", "/", "x/")
def test_an_address_is_the_same_by_the_short_way(
    scheme: str, host: str, port: str, slash: str, path: str
) -> None:
    url = f"{scheme}://{host}{port}{slash}{path}"
    for rules in (UrlRules(), UrlRules(drop=(), scheme_same=False, slash_same=False)):
        known = Canonicalizer(rules)
        for one in ("http", "https"):  # hosts with every port that is not dropped there
            for name in ("example.cn", "127.0.0.1", "a_b.example.cn"):
                for kept in ("", ":80", ":443", ":8080"):
                    known.address(f"{one}://{name}{kept}/")
        start, path = url[: url.find("/", 9)], url[url.find("/", 9) :]
        origin = known.origin(start)
        if origin is not None and PLAIN.fullmatch(path):
            assert origin.address(url) == Canonicalizer(rules).address(url)


def test_a_plain_address_of_a_known_host_has_a_short_way() -> None:
    known = Canonicalizer()
    assert known.origin("http://example.cn:8080") is None
    known.address("http://example.cn:8080/")
    origin = known.origin("http://example.cn:8080")
    assert origin is not None
    url = "http://example.cn:8080/news/2026/x_1.html"
    assert origin.address(url) == Canonicalizer().address(url)
    for other in ("http://EXAMPLE.cn:8080", "http://example.cn:80", "http://u@example.cn:8080"):
        assert known.origin(other) is None


NUMBERS = st.from_regex(r"(0x?)?[0-9a-f]{1,3}(\.(0x?)?[0-9]{1,3}){0,3}\.?", fullmatch=True)
NAMES = st.from_regex(r"[a-z0-9-]{1,4}(\.[a-z0-9-]{1,3}){1,2}\.?", fullmatch=True)


@given(NUMBERS | NAMES)
def test_a_host_that_is_not_written_as_the_parser_writes_it_has_no_short_way(written: str) -> None:
    known = Canonicalizer()
    address = known.address(f"http://{written}/")
    origin = known.origin(f"http://{written}")
    if origin is not None:
        assert address is not None
        assert address.url == f"http://{written}/"


def test_rewritten_addresses_have_no_short_way() -> None:
    known = Canonicalizer(UrlRules(rewrite=(("a", "b"),)))
    known.address("http://example.cn/")
    assert known.origin("http://example.cn") is None


@each_row(
    ("found", "fetched"),
    [
        ("HTTP://WWW.Example.CN:80/a/../b", "http://www.example.cn/b"),
        ("https://example.cn:443", "https://example.cn/"),
        ("http://example.cn:8080/x", "http://example.cn:8080/x"),
        ("  http://example.cn/a\n b ", "http://example.cn/a%20b"),
        ("http://example.cn\\x", "http://example.cn/x"),
        ("http://example.cn./x", "http://example.cn/x"),
        ("http://中国.cn/新闻", "http://xn--fiqs8s.cn/%E6%96%B0%E9%97%BB"),
        ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
        ("http://example.cn/x#top", "http://example.cn/x"),
        ("http://example.cn/x?#top", "http://example.cn/x"),
        ("http://example.cn?", "http://example.cn/"),
    ],
)
def test_an_address_is_written_in_one_way(found: str, fetched: str) -> None:
    assert DEFAULT.canonical(found) == fetched


@each_row(
    "url",
    [
        "http://example.cn/%c4%e3?k=%C4%e3%ba%C3",  # GBK, both cases
        "http://example.cn/s?q=%81%30%84%36",  # a four-byte character of GB18030
        "http://example.cn/s?b=1&a=2&c",  # order and a bare name
        "http://example.cn/s?q=a+b&r=a%20b",
        "http://example.cn/%zz?x=%zz&y=100%",
        "http://example.cn/a%2Fb/%7Euser;v=1",
        "http://example.cn/s?a=&b=&&c=1",
        "http://example.cn//x//y",
        "http://example.cn/index.html",
        "http://example.cn/x/",
        "http://example.cn/news.asp?12345",
        "http://example.cn/s?u=http://other.cn/?a=1",
    ],
)
def test_what_is_fetched_is_kept_byte_for_byte(url: str) -> None:
    assert DEFAULT.canonical(url) == url


def test_credentials_are_never_kept() -> None:
    address = DEFAULT.address("http://user:secret@example.cn:8080/x")
    assert address is not None
    assert address.url == "http://example.cn:8080/x"
    hostile = DEFAULT.address("http://www.bank.cn@evil.cn/")
    assert hostile is not None
    assert hostile.host == hostile.site == "evil.cn"


@each_row(
    "url",
    [
        "",
        "http://",
        "http:// /",
        "//example.cn/x",
        "/x",
        "x",
        "javascript:void(0)",
        "mailto:a@example.cn",
        "tel:110",
        "data:text/html,x",
        "ftp://example.cn/",
        "about:blank",
        "http://example.cn:99999/",
        "http://exa mple.cn/",
        "http://a..cn/",
        "http://.cn/",
        "http://example$.cn/",
        "http://" + "a" * 64 + ".cn/",
        "http://" + "a." * 130 + "cn/",
        "http://xn--a.cn/",
        "http://[::1/",
        "http://256.256.256.256/",
        "http://example.cn/\ud800",
        "http://example.cn/" + "x" * LONGEST_URL,
        "http://example.cn/" + "页" * (LONGEST_URL // 4),
    ],
)
def test_what_is_no_web_address_is_none(url: str) -> None:
    assert DEFAULT.address(url) is None
    assert DEFAULT.canonical(url) is None
    assert DEFAULT.comparison(url) is None
    assert DEFAULT.key(url) is None


@given(st.text(max_size=60), st.sampled_from(["", "http://", "http://a.cn/", "https://a.cn/?"]))
@example("%", "http://")
@example("\x00\x7f", "http://a.cn/")
@example("?\\", "http://a.cn/")
def test_no_text_raises(text: str, before: str) -> None:
    address = DEFAULT.address(before + text)
    if address is not None:
        assert address.url.startswith(("http://", "https://"))
        assert address.url.isascii()
        assert not set(address.url) & set(' \t\r\n<>"#')
        # In front of the query the URL standard takes it for a slash, and behind leaves it as it is.
        assert "\\" not in address.url.partition("?")[0]


# The same page -----------------------------------------------------------------------------------


@each_row(
    ("one", "other"),
    [
        ("http://example.cn/x", "https://example.cn/x"),
        ("http://example.cn/x", "http://example.cn/x/"),
        ("http://example.cn/x/?a=1", "http://example.cn/x?a=1"),
        ("http://example.cn", "http://example.cn/"),
        ("http://example.cn/s?a=1&b=2", "http://example.cn/s?b=2&a=1"),
        ("http://example.cn/s?a", "http://example.cn/s?a="),
        ("http://example.cn/s?q=a+b", "http://example.cn/s?q=a%20b"),
        ("http://example.cn/%c4%e3", "http://example.cn/%C4%E3"),
        ("http://example.cn/%7Euser", "http://example.cn/~user"),
        ("http://example.cn/s?q=你", "http://example.cn/s?q=%e4%bd%a0"),
        ("http://example.cn/s?a=1&&b=2&", "http://example.cn/s?a=1&b=2"),
        ("http://example.cn/x;jsessionid=AB12?a=1", "http://example.cn/x?a=1"),
        ("http://example.cn/(S(abcdefghij0123456789abcd))/x.aspx", "http://example.cn/x.aspx"),
        ("http://example.cn/x?utm_source=a&id=1", "http://example.cn/x?id=1"),
        ("http://example.cn/x?PHPSESSID=0a1b", "http://example.cn/x"),
    ],
)
def test_two_spellings_of_one_page_have_one_key(one: str, other: str) -> None:
    assert same(one, other)


@each_row(
    ("one", "other"),
    [
        ("http://example.cn/x", "http://www.example.cn/x"),
        ("http://example.cn/x", "http://example.cn:8080/x"),
        ("http://example.cn/x", "http://example.cn/X"),
        ("http://example.cn/", "http://example.cn/index.html"),
        ("http://example.cn/s?a=1", "http://example.cn/s?a=2"),
        ("http://example.cn/s?a=1&a=2", "http://example.cn/s?a=2&a=2"),
        ("http://example.cn/a%2Fb", "http://example.cn/a/b"),
        ("http://example.cn/a+b", "http://example.cn/a%20b"),
        ("http://example.cn/s?q=%C4%E3", "http://example.cn/s?q=%E4%BD%A0"),  # GBK and UTF-8
        ("http://example.cn/s?a=1%26b=2", "http://example.cn/s?a=1&b=2"),
        ("http://example.cn/x?sid=12", "http://example.cn/x?sid=13"),
        ("http://example.cn/x?from=20", "http://example.cn/x?from=40"),
    ],
)
def test_two_pages_have_two_keys(one: str, other: str) -> None:
    assert not same(one, other)


def test_scheme_and_slash_may_be_told_apart() -> None:
    distinct = Canonicalizer(UrlRules(scheme_same=False, slash_same=False))
    assert not same("http://example.cn/x", "https://example.cn/x", distinct)
    assert not same("http://example.cn/x", "http://example.cn/x/", distinct)
    assert same("http://example.cn", "http://example.cn/", distinct)


def test_a_folded_address_is_still_fetched_as_it_was_seen() -> None:
    address = DEFAULT.address("https://example.cn/x/?b=1&a=2")
    assert address is not None
    assert address.url == "https://example.cn/x/?b=1&a=2"
    assert DEFAULT.comparison(address.url) == "http://example.cn/x?a=2&b=1"


def test_an_alias_is_the_same_site_but_asked_by_its_own_name() -> None:
    canonicalizer = Canonicalizer(aliases={"m.example.cn": "www.example.cn"})
    mobile = canonicalizer.address("http://m.example.cn:8080/x")
    main = canonicalizer.address("http://www.example.cn:8080/x")
    assert mobile is not None
    assert main is not None
    assert mobile.key == main.key
    assert mobile.site == main.site == "www.example.cn:8080"
    assert (mobile.host, mobile.url) == ("m.example.cn", "http://m.example.cn:8080/x")


# Rules -------------------------------------------------------------------------------------------


def test_rewriting_makes_other_spellings_one() -> None:
    rules = UrlRules(rewrite=((r"forum\.php\?mod=viewthread&tid=(\d+).*", r"thread-\1-1-1.html"),))
    canonicalizer = Canonicalizer(rules)
    address = canonicalizer.address("http://bbs.cn/forum.php?mod=viewthread&tid=7&extra=1")
    assert address is not None
    assert address.url == "http://bbs.cn/thread-7-1-1.html"
    assert address.key == canonicalizer.key("http://bbs.cn/thread-7-1-1.html")


def test_rewriting_into_nonsense_changes_nothing() -> None:
    canonicalizer = Canonicalizer(UrlRules(rewrite=(("^http", "nonsense"),)))
    assert canonicalizer.canonical("http://example.cn/x") == "http://example.cn/x"


def test_rewriting_to_another_host_moves_the_site() -> None:
    canonicalizer = Canonicalizer(UrlRules(rewrite=(("//m[.]", "//www."),)))
    address = canonicalizer.address("http://m.example.cn/x")
    assert address is not None
    assert address.site == address.host == "www.example.cn"


def test_an_endless_expression_is_switched_off() -> None:
    canonicalizer = Canonicalizer(UrlRules(rewrite=(("(a|aa)+$", "b"),)))
    url = "http://example.cn/" + "a" * 60 + "!"
    assert canonicalizer.canonical(url) == url
    assert canonicalizer.too_slow() == ["(a|aa)+$"]


@pytest.mark.parametrize("rule", [("(", "x"), ("(a)", r"\2")])
def test_a_rewrite_that_is_none_is_told(rule: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="="):
        Canonicalizer(UrlRules(rewrite=(rule,)))


def test_a_host_may_have_its_own_rules() -> None:
    def for_host(host: str) -> UrlRules:
        return UrlRules(keep=("from",)) if host == "a.cn" else UrlRules()

    canonicalizer = Canonicalizer(for_host=for_host)
    assert canonicalizer.canonical("http://a.cn/?from=x") == "http://a.cn/?from=x"
    assert canonicalizer.canonical("http://b.cn/?from=x") == "http://b.cn/"


def test_keep_wins_over_drop_in_the_path_too() -> None:
    canonicalizer = Canonicalizer(UrlRules(keep=("jsessionid",)))
    url = "http://example.cn/x;jsessionid=AB12"
    assert canonicalizer.canonical(url) == url


# Against w3lib -----------------------------------------------------------------------------------

SCHEMES = st.sampled_from(["http://", "https://", "HTTP://"])
HOSTS = st.sampled_from(
    ["example.cn", "WWW.Example.com.CN", "中国.cn", "xn--fiqs8s.cn", "127.0.0.1", "[::1]", "a_b.cn"]
)
PORTS = st.sampled_from(["", ":80", ":443", ":8080", ":"])
BYTES = st.integers(0, 255).map(lambda byte: f"%{byte:02x}")
UPPER_BYTES = st.integers(0, 255).map(lambda byte: f"%{byte:02X}")
CHINESE = st.sampled_from("新闻中心你好")
GBK = CHINESE.map(lambda sign: "".join(f"%{byte:02X}" for byte in sign.encode("gb18030")))
MARKS = st.sampled_from([*"-._~!$'()*,:@+ |^`{}\"<>[]%;=\\", "%z", "%u4f60", ".."])
WORDS = st.text("abcXYZ019", min_size=1, max_size=4)
PIECES = st.one_of(WORDS, WORDS, MARKS, BYTES, UPPER_BYTES, CHINESE, GBK)
SEGMENTS = st.lists(PIECES, max_size=4).map("".join)
PATHS = st.lists(SEGMENTS, max_size=5).map(lambda parts: "".join(f"/{part}" for part in parts))
FIELDS = st.tuples(SEGMENTS, st.sampled_from(["", "=", "=="]), SEGMENTS).map("".join)
QUERIES = st.one_of(
    st.just(""), st.lists(FIELDS, max_size=5).map(lambda fields: "?" + "&".join(fields))
)
FRAGMENTS = st.sampled_from(["", "#", "#top", "#a/b?c"])
URLS = st.tuples(SCHEMES, HOSTS, PORTS, PATHS, QUERIES, FRAGMENTS).map("".join)


@given(URLS)
@example("http://example.cn/s?b=2&a-=1&a=3")
@example("http://example.cn/s?a=%E4&a=z&a%E4=1&az=1")
@example("http://example.cn/s?a=b=c&=1&~=1")
def test_the_comparison_form_is_what_w3lib_makes_of_the_parsed_address(url: str) -> None:
    """The fast way and w3lib's must agree letter for letter, or one page would have two keys."""
    try:
        parsed = can_ada.parse(url).href
    except ValueError:
        assert LITERAL.comparison(url) is None
        return
    assert LITERAL.comparison(url) == canonicalize_url(parsed)


@given(URLS, URLS)
def test_folding_never_tells_apart_what_w3lib_holds_for_one(one: str, other: str) -> None:
    if LITERAL.key(one) is not None and LITERAL.key(one) == LITERAL.key(other):
        assert DEFAULT.key(one) == DEFAULT.key(other)


@given(URLS)
def test_the_canonical_form_is_a_fixed_point(url: str) -> None:
    address = DEFAULT.address(url)
    if address is not None:
        assert DEFAULT.address(address.url) == address


@given(URLS)
def test_escapes_reach_the_server_as_they_were_found(url: str) -> None:
    canonical = LITERAL.canonical(url)
    if canonical is None:
        return
    assert canonical.split("?")[0] == str(can_ada.parse(url)).split("#")[0].split("?")[0]
    # and what Scrapy makes of it when it builds a Request asks for the same page
    assert LITERAL.key(safe_url_string(canonical)) == LITERAL.key(canonical)


# Keys --------------------------------------------------------------------------------------------


def test_the_key_is_the_md5_of_the_comparison_form() -> None:
    url = "https://example.cn/x/?b=1&a=2"
    assert DEFAULT.key(url) == hashlib.md5(b"http://example.cn/x?a=2&b=1").digest()


@given(st.binary(min_size=16, max_size=16), st.integers(0, PARTITIONS - 1))
def test_a_partition_is_read_back_from_a_key_number(key: bytes, partition: int) -> None:
    number = key_number(key, partition)
    assert 0 <= number < 1 << 64
    assert number >> 58 == partition
    assert number & ((1 << 58) - 1) == int.from_bytes(key, "big") & ((1 << 58) - 1)


def test_an_address_carries_the_partition_of_its_site() -> None:
    address = DEFAULT.address("http://news.example.cn/x")
    assert address is not None
    assert address.number >> 58 == partition_of("example.cn")
    assert address.number == key_number(address.key, partition_of("example.cn"))


def test_partitions_fit_the_store() -> None:
    assert 2**PARTITION_BITS == PARTITIONS
