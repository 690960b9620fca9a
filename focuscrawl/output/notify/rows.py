"""Outgoing messages in the results: one row for each change and receiver, at least once, told apart by id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Index, Select, func, insert, or_, select, update

from focuscrawl.stores.results.columns import (
    KEY_COLUMN,
    SMALL_COUNT,
    LineColumn,
    Time,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.stores.results.database import parts_of
from focuscrawl.stores.results.kind import RowKind

NOTICES = table(
    "notices",
    key_column("notice_id", KEY_COLUMN, "MD5 of receiver, topic and change."),
    must("channel", KEY_COLUMN, "MD5 of the receiver's address, which is stored nowhere."),
    must(
        "on_what",
        LineColumn(12),
        "change; begun: the row that says since when a receiver gets messages.",
    ),
    must("target_key", LineColumn(255), "The change (changes.change_id)."),
    must(
        "at",
        Time,
        "When it is due; after a try, when it is tried again. Of begun: since when.",
        "UTC",
    ),
    may(
        "sent",
        Time,
        "When the receiver took it; NULL: it waits. Of begun: up to when changes were looked through.",
        "UTC",
    ),
    must("tries", SMALL_COUNT, "How often it was tried to be sent."),
    may("error", LineColumn(300), "Why the last try failed."),
    may(
        "message", KEY_COLUMN, "Id of the message that holds it: in Message-ID and Idempotency-Key."
    ),
    Index("notices_open", "sent", "at"),
    Index("notices_sent", "topic", "channel", "sent"),
    about="Outgoing messages: what each receiver gets and has got; at least once, told apart by id.",
)

NOTICE_ROWS = RowKind(NOTICES, ages="at")

CHANGE, BEGUN = "change", "begun"
"""What notices are about: a change; or the row that says since when a receiver gets messages (``at``), and up to
when the changes were looked through (``sent``)."""


class OpenNotice(NamedTuple):
    """A change that a receiver is to get; ``message`` is the id under which that was tried, "" before."""

    notice_id: str
    target_key: str
    at: float
    tries: int
    message: str


def channel_key(address: str) -> str:
    """Return the key of a receiver, which says nothing of the address."""
    return hashlib.md5(f"channel\n{address}".encode()).hexdigest()


def notice_key(channel: str, topic: str, target: str) -> str:
    """Return the id of the notice of a change to a receiver."""
    return hashlib.md5(f"{channel}\n{topic}\n{target}".encode()).hexdigest()


def message_key(channel: str, notices: Iterable[str]) -> str:
    """Return the id of a message that holds some notices: what goes out again has it, too."""
    return hashlib.md5("\n".join([channel, *sorted(notices)]).encode()).hexdigest()


# Looking through changes --------------------------------------------------------------------------


def looked_through(connection: Connection, topic: str, channel: str) -> tuple[float, float] | None:
    """Return since when a receiver gets messages, and up to when changes were looked through; None: it is new."""
    c = NOTICES.c
    query = select(c.at, c.sent).where(
        c.topic == topic, c.notice_id == notice_key(channel, topic, BEGUN)
    )
    found = connection.execute(query).first()
    return None if found is None else (found.at, found.sent)


def note_looked(
    connection: Connection, topic: str, channel: str, since: float, until: float
) -> None:
    """Note in the caller's transaction that changes were looked through ``until``."""
    c, key = NOTICES.c, notice_key(channel, topic, BEGUN)
    mine = (c.topic == topic, c.notice_id == key)
    if connection.execute(update(NOTICES).where(*mine).values(sent=until)).rowcount == 0:
        values = {"channel": channel, "on_what": BEGUN, "target_key": "", "at": since}
        connection.execute(
            insert(NOTICES).values(topic=topic, notice_id=key, sent=until, tries=0, **values)
        )


def add_notices(
    connection: Connection, topic: str, channel: str, due: Sequence[tuple[str, float]]
) -> int:
    """Add the changes that a receiver has no notice of yet, each with when it is due. Return how many."""
    wanted = {notice_key(channel, topic, change): (change, at) for change, at in due}
    there: set[str] = set()
    for some in parts_of(sorted(wanted)):
        query = select(NOTICES.c.notice_id).where(
            NOTICES.c.topic == topic, NOTICES.c.notice_id.in_(some)
        )
        there.update(connection.scalars(query))
    rows = [
        {
            "topic": topic,
            "notice_id": key,
            "channel": channel,
            "on_what": CHANGE,
            "target_key": change,
            "at": at,
            "sent": None,
            "tries": 0,
        }
        for key, (change, at) in wanted.items()
        if key not in there
    ]
    if rows:
        connection.execute(insert(NOTICES), rows)
    return len(rows)


# Sending ------------------------------------------------------------------------------------------


def due_notices(
    connection: Connection, topic: str, channel: str, now: float, most_tries: int
) -> list[OpenNotice]:
    """Return what is to be sent to a receiver now."""
    c = NOTICES.c
    query = select(c.notice_id, c.target_key, c.at, c.tries, c.message).where(
        *(c.topic == topic, c.channel == channel, c.on_what == CHANGE),
        *(c.sent.is_(None), c.at <= now, c.tries < most_tries),
    )
    rows = connection.execute(query.order_by(c.at, c.notice_id))
    return [OpenNotice(*row[:4], row.message or "") for row in rows]


def sent_before(
    connection: Connection, topic: str, channel: str, day_began: float, now: float
) -> tuple[float | None, set[str]]:
    """Return when a receiver was last sent something, and the messages of the day so far, without those of a
    clock that ran ahead.
    """
    c = NOTICES.c
    of_it = (c.topic == topic, c.channel == channel, c.on_what == CHANGE)
    last: float | None = connection.execute(select(func.max(c.sent)).where(*of_it)).scalar()
    today = select(c.message).where(*of_it, c.sent.between(day_began, now)).distinct()
    return last, {str(one) for one in connection.scalars(today)}


def take_notices(
    connection: Connection,
    topic: str,
    notices: Sequence[OpenNotice],
    message: str,
    now: float,
    until: float,
) -> bool:
    """Put notices under the id of a message that is about to be sent; they are due again at ``until``.

    False: another process has taken some of them meanwhile, and the caller's transaction must be undone.
    """
    taken = 0
    for some in parts_of([one.notice_id for one in notices]):
        c = NOTICES.c
        mine = (c.topic == topic, c.notice_id.in_(some), c.sent.is_(None), c.at <= now)
        values = {"message": message, "tries": c.tries + 1, "at": until}
        taken += connection.execute(update(NOTICES).where(*mine).values(values)).rowcount
    return taken == len(notices)


def postpone_notices(
    connection: Connection, topic: str, notices: Sequence[OpenNotice], until: float
) -> None:
    """Let notices that are due wait until another moment."""
    c = NOTICES.c
    for some in parts_of([one.notice_id for one in notices]):
        mine = (c.topic == topic, c.notice_id.in_(some), c.sent.is_(None), c.at < until)
        connection.execute(update(NOTICES).where(*mine).values(at=until))


def changes_of_message(topic: str, message: str) -> Select[Any]:
    """Return the question for the changes that a message tells."""
    c = NOTICES.c
    return select(c.target_key).where(c.topic == topic, c.message == message, c.on_what == CHANGE)


def settle_message(
    connection: Connection, topic: str, message: str, now: float, error: str = ""
) -> None:
    """Note that a message was sent, or why it was not."""
    c = NOTICES.c
    mine = (c.topic == topic, c.message == message, c.sent.is_(None))
    values = {"error": error} if error else {"sent": now, "error": None}
    connection.execute(update(NOTICES).where(*mine).values(values))


def count_given_up(connection: Connection, topic: str, most_tries: int) -> tuple[int, str]:
    """Return how many notices were not taken at any try, and why not."""
    c = NOTICES.c
    lost = (c.topic == topic, c.on_what == CHANGE, c.sent.is_(None), c.tries >= most_tries)
    count = connection.execute(select(func.count()).where(*lost)).scalar_one()
    why = connection.execute(select(func.max(c.error)).where(*lost)).scalar()
    return count, why or ""


def count_open(connection: Connection, topic: str, channels: Sequence[str]) -> int:
    """Return how many notices of some receivers wait."""
    c = NOTICES.c
    of_them = or_(*(c.channel == one for one in channels))
    waiting = (c.topic == topic, c.on_what == CHANGE, c.sent.is_(None), of_them)
    return connection.execute(select(func.count()).where(*waiting)).scalar_one() if channels else 0
