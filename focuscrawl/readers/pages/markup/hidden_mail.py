"""Addresses of mail that a service in front of a site has hidden: written as its script shows them.

Cloudflare puts "[email protected]" in the place of whatever holds an @, and the words in an attribute, each
letter changed by the first two digits. Every reader sees the words; the link leads nowhere.
"""

from __future__ import annotations

import re
from html import escape

_CODE_MARK = b"cdn-cgi/l/email-protection"
_ATTRIBUTE = b"data-cfemail"
_LONGEST_CODE = 600  # digits: 300 characters
# Nothing is tried twice: a tag has no > in it, and what it holds is short.
_HIDDEN_MAIL = re.compile(
    rb"<(?P<tag>a|span)\b[^<>]{0,400}?\bdata-cfemail\s*=\s*[\"']?(?P<code>[0-9a-f]{4,%d})\b[^<>]{0,400}>"
    rb"[^<]{0,200}(?:<script\b[^<>]{0,400}>[^<]{0,2000}</script>)?\s*(?:</(?P=tag)\s*>|(?=<))"
    % _LONGEST_CODE,
    re.IGNORECASE,
)
_LINK = re.compile(
    rb"(?P<before>href\s*=\s*[\"']?)[^\"'\s>#]{0,200}/cdn-cgi/l/email-protection#(?P<code>[0-9a-f]{4,%d})"
    % _LONGEST_CODE,
    re.IGNORECASE,
)


def shown_mail(markup: bytes) -> bytes:
    """Return markup (UTF-8) with hidden addresses as readers see them."""
    if _ATTRIBUTE in markup:
        markup = _HIDDEN_MAIL.sub(lambda found: escape(_decoded(found["code"])).encode(), markup)
    if _CODE_MARK in markup:
        markup = _LINK.sub(
            lambda found: found["before"] + b"mailto:" + escape(_decoded(found["code"])).encode(),
            markup,
        )
    return markup


def _decoded(code: bytes) -> str:
    """Return the words of a code in hexadecimal digits; its first two change all others."""
    octets = bytes.fromhex(code[: len(code) // 2 * 2].decode())
    return bytes(one ^ octets[0] for one in octets[1:]).decode("utf-8", "replace")
