"""``scrapy topic notify NAME``: sends what is due without a crawl; ``--test`` sends a message that says so."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from focuscrawl.locale.messages import N_, _
from focuscrawl.output.notify.channels import Channel, ask_ping
from focuscrawl.output.notify.mail import SendError
from focuscrawl.output.notify.messages import compose_test
from focuscrawl.output.notify.outbox import Delivery, TopicOutbox, language_for
from focuscrawl.output.notify.table import NotifyTable
from focuscrawl.output.notify.topic_notices import OtherOutboxes, TopicNotices
from focuscrawl.template.template import Template
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.data import complete_schema, places_of

NOT_SENT_STATUS = 1
NO_RECEIVER = N_(
    '{name} names no receiver: write [[notify]] to = "mailto:you@example.com" into its file'
)
ARRIVED = N_("{shown}: sent, the receiver has taken it")
NOT_TAKEN = N_("{shown}: NOT sent: {error}")
NOTHING_DUE = N_("{name}: nothing is due")


def notify(call: Call, args: Sequence[str]) -> str:
    """Send what [[notify]] of a topic (NAME) has due now; --test sends a test message and says what happened."""
    loaded = call.loaded(args, secrets=True)
    tables = loaded.template.each(NotifyTable)
    if not tables:
        raise CannotDo(_(NO_RECEIVER).format(name=loaded.template.name))
    if call.options.test:
        return _test(call, loaded.template)
    places = places_of(call, loaded, results=True)
    config = places.config
    outbox = TopicOutbox(loaded.template, places.results, places.kinds.tables)
    others = OtherOutboxes(
        places.name, config, places.kinds.tables, loaded.template.language, os.environ
    )
    notices = TopicNotices(outbox, Delivery(config.data_dir, config.smtp), others)
    now = config.clock.wall()
    complete_schema(places)
    notices.collect(now, now)
    attempts = notices.deliver(now)
    lines = list(notices.told(attempts))
    if any(attempt.error for attempt in attempts):
        call.exit_status = NOT_SENT_STATUS
    return "\n".join(lines) or _(NOTHING_DUE).format(name=places.name)


def _test(call: Call, template: Template) -> str:
    """Send each receiver a message, and say what happened."""
    config = call.config()
    now, lines = config.clock.wall(), []
    message_id = hashlib.md5(f"test\n{template.name}\n{now}".encode()).hexdigest()
    for table in template.each(NotifyTable):
        for address, ask in ((table.to, False), (table.ping, True)):
            if not address:
                continue
            channel = Channel(address, config.smtp)
            message = compose_test(
                message_id, template.name, template.topic.title, language_for(table, template)
            )
            try:
                if ask:
                    ask_ping(address, channel.shown)
                else:
                    channel.send(message, now)
                lines.append(_(ARRIVED).format(shown=channel.shown))
            except SendError as error:
                call.exit_status = NOT_SENT_STATUS
                lines.append(_(NOT_TAKEN).format(shown=channel.shown, error=error))
    return "\n".join(lines)
