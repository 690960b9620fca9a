"""What kind of thing was fetched."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.pages.content import MOST_STREAMS, is_text_document, is_whole, sniff
from focuscrawl.values import PageClass
from tests.steps import calls_of
from tests.tables import each_row

pytestmark = [pytest.mark.B5, pytest.mark.packed_bodies]

HTML = b"<!DOCTYPE html><html><body>text</body></html>"


@each_row(
    ("body", "expected"),
    [
        (b'<?xml version="1.0"?><rss version="2.0"><channel/></rss>', PageClass.FEED),
        (b'\xef\xbb\xbf\n <?xml version="1.0"?>\n<!-- made by x -->\n<feed xmlns="http://www.w3.org/2005/Atom"/>', PageClass.FEED),
        (b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>', PageClass.FEED),
        (b'<?xml-stylesheet href="x"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>', PageClass.SITEMAP),
        (b"<sitemapindex><sitemap/></sitemapindex>", PageClass.SITEMAP),
        (b'<!DOCTYPE rss [<!ENTITY x "y">]><rss/>', PageClass.FEED),
        (gzip.compress(b"<urlset><url/></urlset>", mtime=0), PageClass.SITEMAP),
        (gzip.compress(b"just text", mtime=0), PageClass.FILE),
        (b"\x1f\x8bbroken", PageClass.FILE),
        (HTML, None),
        (b"", None),
        (b"plain text", None),
        (b"%PDF-1.7 ...", PageClass.FILE),
    ],
)  # fmt: skip
def test_feeds_and_sitemaps_are_told_by_their_first_element(
    body: bytes, expected: PageClass | None
) -> None:
    assert sniff(body, "text/html", "http://h.example/x") is expected


def test_xml_that_is_neither_is_a_file() -> None:
    body = b'<?xml version="1.0"?><catalog><book/></catalog>'
    assert sniff(body, "application/xml") is PageClass.FILE
    xhtml = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'
    assert sniff(xhtml, "application/xml") is None


def test_a_list_of_addresses_is_a_sitemap_only_where_it_is_called_one() -> None:
    body = b"http://h.example/a\nhttp://h.example/b\n"
    assert sniff(body, "text/plain", "http://h.example/sitemap.txt") is PageClass.SITEMAP
    assert sniff(body, "text/plain", "http://h.example/notes.txt") is None


def test_a_start_made_to_keep_the_look_busy_does_not() -> None:
    assert sniff(b"<??>" * 50_000) is None


@each_row(
    ("content_type", "body", "is_text"),
    [
        ("text/html; charset=gbk", HTML, True),
        ("", HTML, True),
        ("application/xhtml+xml", HTML, True),
        ("application/octet-stream", HTML, True),
        ("text/plain", "一行文字".encode("gbk"), True),
        ("text/html", b"\xff\xfe" + "文".encode("utf-16-le"), True),
        ("text/html", b"%PDF-1.4", False),
        ("text/html", b"\x89PNG\r\n\x1a\n", False),
        ("text/html", b"PK\x03\x04....", False),
        ("text/html", bytes(range(256)), False),
        ("image/jpeg", b"text", False),
        ("application/json", b'{"a": 1}', False),
        ("text/css", b"a { }", False),
        ("text/javascript", b"var a", False),
        ("application/octet-stream", b"what is this", False),
        ("application/pdf", HTML, False),
    ],
)
def test_only_text_documents_are_read(content_type: str, body: bytes, is_text: bool) -> None:
    assert is_text_document(content_type, body) is is_text


def deflated(text: bytes, form: int) -> bytes:
    stream = zlib.compressobj(wbits=form)
    return stream.compress(text) + stream.flush()


TEXTS = st.binary(min_size=1, max_size=2000).filter(lambda text: b"</html" not in text)

Pack = Callable[[bytes], bytes]


def zipped(text: bytes) -> bytes:
    return gzip.compress(text, mtime=0)


def twice(text: bytes) -> bytes:
    return zipped(text[:7]) + zipped(text[7:])


PACKED: list[tuple[str, Pack]] = [
    ("gzip", zipped),
    ("gzip", twice),
    ("x-gzip", zipped),
    ("deflate", partial(deflated, form=15)),
    ("deflate", partial(deflated, form=-15)),  # as some servers understand it
]


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
@given(text=TEXTS)
def test_what_was_packed_is_whole(encoding: str, pack: Pack, text: bytes) -> None:
    assert is_whole(pack(text), encoding, text)


@pytest.mark.parametrize(("encoding", "pack"), PACKED)
@given(text=TEXTS, part=st.floats(0, 1, exclude_max=True))
def test_what_lost_its_last_bytes_is_not(
    encoding: str, pack: Pack, text: bytes, part: float
) -> None:
    packed = pack(text)
    cut = packed[: int(len(packed) * part)]
    if pack is twice and cut == zipped(text[:7]):
        return  # cut between two streams, which nobody can see
    assert not is_whole(cut, encoding, text) or not cut


def test_a_page_that_is_closed_is_whole_whatever_its_checksum_says() -> None:
    page = b"<html><p>news</p></HTML>\n<!-- 0.1 s -->"
    assert is_whole(gzip.compress(page)[:-6], "gzip", page)
    assert not is_whole(gzip.compress(page)[:-6], "gzip", page[:-30])


def test_bytes_behind_the_last_stream_are_no_loss() -> None:
    assert is_whole(gzip.compress(b"text") + b"\0" * 30, "gzip", b"text")
    assert is_whole(zlib.compress(b"text") + b"<!-- -->", "deflate", b"text")


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip", "deflate"])
def test_bytes_of_which_nothing_comes_are_lost(encoding: str) -> None:
    assert not is_whole(b"\x28\xb5\x2f\xfd", encoding, b"")
    assert is_whole(b"", encoding, b"")


def test_what_is_no_stream_at_all_has_no_end() -> None:
    assert not is_whole(b"<p>not packed", "gzip", b"<p>not packed")


def test_a_body_of_very_many_streams_is_not_looked_through_to_its_end() -> None:
    body = gzip.compress(b"") * 150_000
    calls = calls_of(lambda: is_whole(body, "gzip", b"text"))
    assert is_whole(body, "gzip", b"text")
    assert calls["decompressobj"] == calls["Decompress.decompress"] == MOST_STREAMS


def test_a_long_body_is_looked_through_in_one_pass() -> None:
    text = random.Random(1).randbytes(300_000)
    packed = zipped(text) + zipped(b"\0" * 3_000_000) + zipped(b"end")
    assert is_whole(packed, "gzip", text)
    assert not is_whole(packed[:-1], "gzip", text)
    assert not is_whole(packed[:200_000], "gzip", text)
