"""Whether a body that came packed has come whole.

Who unpacks bodies hands out what there is of one that ends early, and says nothing of it: of half a
gzip body half a page. Brotli and zstd are not looked into: servers that speak them say how long a
body is, or cut it into chunks, and then its transport knows.
"""

from __future__ import annotations

import zlib

PAGE_END = b"</html"
LAST_BYTES = 256
"""Bytes at the end of a page in which it is closed: comments of servers may follow."""

_AT_ONCE = 65_536
"""Bytes that are packed or unpacked at once: a slice is copied, never the rest of a body."""

MOST_STREAMS = 50
"""Streams of a body that are looked through. Servers send one or two; 3 MB of empty ones took
seconds, and a body that begins with so many is taken as it is."""

_GZIP, DEFLATE, RAW_DEFLATE = 31, 15, -15
"""Forms of a stream, as zlib counts them; many servers call raw streams deflate."""

FORMS = {"gzip": (_GZIP,), "x-gzip": (_GZIP,), "deflate": (DEFLATE, RAW_DEFLATE)}
GZIP_START = b"\x1f\x8b"


def is_whole(packed: bytes, encoding: str, unpacked: bytes) -> bool:
    """Whether a packed body has its end; ``encoding`` is as in Content-Encoding, lower case.

    ``unpacked`` is what became of it: a page that is closed, as most are, is not looked at twice.
    """
    if not unpacked:
        return not packed
    if PAGE_END in unpacked[-LAST_BYTES:].lower():
        return True
    forms = FORMS.get(encoding)
    return forms is None or any(_has_end(packed, form) for form in forms)


def _has_end(packed: bytes, form: int) -> bool:
    """Whether every stream of a body has its end; what follows the last may be anything."""
    start = 0
    for _ in range(MOST_STREAMS):
        stream = zlib.decompressobj(wbits=form)
        try:
            while start < len(packed) and not stream.eof:
                part = packed[start : start + _AT_ONCE]
                stream.decompress(part, _AT_ONCE)
                rest = stream.unused_data if stream.eof else stream.unconsumed_tail
                start += len(part) - len(rest)
        except zlib.error:
            return False
        following = packed[start : start + len(GZIP_START)]
        if not stream.eof or form != _GZIP or following not in {GZIP_START, GZIP_START[:1]}:
            return stream.eof
    return True
