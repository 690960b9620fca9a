"""The catalogue of Chinese messages, brought up to the code: ``make messages``.

What is new in the code is added without a translation and told, what is gone is taken out. The file that
programs read is written beside it, since scrapyd-deploy builds eggs where nothing could compile it.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).parents[2] / "focuscrawl"
SOURCE = PACKAGE / "locale" / "zh" / "LC_MESSAGES" / "focuscrawl.po"
COMPILED = SOURCE.with_suffix(".mo")
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2), "NN_": (1, 2)}

_BEGUN = datetime(2026, 11, 24, tzinfo=UTC)
"""Both dates of the head: with a date of today the files would change though no message does."""


@cache
def messages_in_code() -> frozenset[str | tuple[str, ...]]:
    """Return all messages that are marked in the package; those with two forms as pairs."""
    found = extract_from_dir(
        str(PACKAGE), method_map=[("**.py", "python")], keywords=KEYWORDS, strip_comment_tags=True
    )
    return frozenset(message for _file, _line, message, _comments, _context in found)


def translated() -> Catalog:
    """Return the catalogue as it is written."""
    with SOURCE.open("rb") as file:
        return read_po(file, locale="zh")


def updated(before: Catalog) -> Catalog:
    """Return a catalogue of the messages in the code, with the translations there are."""
    after = Catalog(
        locale="zh",
        project="focuscrawl",
        version="1",
        header_comment="# Chinese (simplified). Written by `make messages`; edit only what stands behind msgstr.",
        last_translator="",
        language_team="",
        msgid_bugs_address="",
        creation_date=_BEGUN,
        revision_date=_BEGUN,
        fuzzy=False,
    )
    for message in sorted(messages_in_code(), key=str):
        known = before.get(message if isinstance(message, str) else message[0])
        after.add(message, known.string if known is not None else "")
    return after


def untranslated(catalogue: Catalog) -> Iterator[Message]:
    """Go through the messages that have no translation."""
    for message in catalogue:
        if message.id and not (strings_of(message) and all(strings_of(message))):
            yield message


def strings_of(message: Message) -> tuple[str, ...]:
    """Return the translation of a message, in all its forms."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def source_text(catalogue: Catalog) -> bytes:
    """Return the file that people edit."""
    written = io.BytesIO()
    write_po(written, catalogue, no_location=True, sort_output=True, width=100)
    return written.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """Return the file that programs read."""
    written = io.BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


def main() -> int:
    """Write both files; return 1 when there is something to translate."""
    before = translated()
    after = updated(before)
    SOURCE.write_bytes(source_text(after))
    COMPILED.write_bytes(compiled(after))
    gone = [one.id for one in before if one.id and one.id not in messages_in_code()]
    for name in gone:
        print(f"no message any more: {name!r}")
    missing = list(untranslated(after))
    for message in missing:
        print(f"to be translated: {message.id!r}")
    print(f"{SOURCE}: {len(after)} messages, {len(missing)} to be translated")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
