"""What kind of thing was fetched."""

import gzip

import pytest

from focuscrawl.pages.content import is_text_document, sniff
from focuscrawl.values import PageClass

HTML = b"<!DOCTYPE html><html><body>text</body></html>"


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
