"""``scrapy topic status``: a table of topics, how each is doing and why one is late."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.jobs.status import TopicStatus, status_json, status_of, status_text
from focuscrawl.jobs.timetable import TurnPlan
from focuscrawl.revisit.table import RevisitTable
from focuscrawl.store.protocol import StoreError
from focuscrawl.template.load import NoSuchTopic, find_topics, load
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.verbs.call import USAGE_STATUS, Call, CannotDo


def status(call: Call, args: Sequence[str]) -> str:
    """List topics ([NAME …], without any all): running or not, the last run, what is left, late and why."""
    found = find_topics(call.folders())
    names = [*args] or [*found.topics, *found.refused]
    config = call.config()
    kinds = call.kinds()
    if not names:
        raise CannotDo("there is no topic yet: scrapy topic new NAME makes one")
    statuses = []
    for name in names:
        try:
            loaded = load(found.path_of(name), language=call.language())
        except (TemplateErrors, NoSuchTopic) as error:
            call.exit_status = USAGE_STATUS
            statuses.append(TopicStatus(name, why=str(error).partition("\n")[0]))
            continue
        try:
            topic = loaded.template.topic
            plan = TurnPlan(topic.every, stays=loaded.template.of(RevisitTable).continuous)
            statuses.append(status_of(config, name, plan, kinds, call.settings, topic.timezone))
        except StoreError as error:
            call.exit_status = USAGE_STATUS
            statuses.append(TopicStatus(name, why=str(error)))
    return status_json(statuses) if call.options.json else status_text(statuses)
