"""``scrapy topic status``: a table of topics, how each is doing and why one is late."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.features.revisit.table import RevisitTable
from focuscrawl.output.jobs.status import TopicStatus, status_json, status_of, status_text
from focuscrawl.output.jobs.timetable import TurnPlan
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.template.load import NoSuchTopic
from focuscrawl.template.toml import TemplateErrors
from focuscrawl.verbs.call import USAGE_STATUS, Call

if TYPE_CHECKING:
    from focuscrawl.template.template import Template


def status(call: Call, args: Sequence[str]) -> str:
    """List topics ([NAME …], without any all): running or not, the last run, what is left, late and why."""
    config, kinds = call.config(), call.kinds()
    statuses = []
    for name in args or call.topics():
        try:
            template = call.loaded([name], secrets=False).template
        except (TemplateErrors, NoSuchTopic) as error:
            call.exit_status = USAGE_STATUS
            statuses.append(TopicStatus(name, why=str(error).partition("\n")[0]))
            continue
        try:
            topic, place = template.topic, (config, template.name, turn_plan(template), kinds)
            statuses.append(status_of(*place, call.settings, topic.timezone, topic.title))
        except StoreError as error:
            call.exit_status = USAGE_STATUS
            statuses.append(TopicStatus(name, why=str(error)))
    return status_json(statuses) if call.options.json else status_text(statuses)


def turn_plan(template: Template) -> TurnPlan:
    """Return how often a topic is crawled."""
    return TurnPlan(template.topic.every, stays=template.of(RevisitTable).continuous)
