"""The first line of a run's log: topic, place, state, and when it will end."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template


def first_line(
    template: Template,
    place: str,
    *,
    is_new: bool,
    due: int,
    waiting: int,
    failed: int,
    now: float,
) -> str:
    """Return the line; ``place`` is the results database, ``now`` wall time."""
    return (
        f"topic {template.name}: data {place}, {'new' if is_new else 'continued'},"
        f" due {due}, waiting {waiting}, failed {failed}; ends {ends_when(template, now)}"
    )


def ends_when(template: Template, now: float) -> str:
    """Say when a run ends."""
    limits, hours = template.limits, template.politeness.hours
    whens = [
        f"{words} {value:g}"
        for words, value in (
            ("at page", limits.pages),
            ("at article", limits.articles),
            ("at error", limits.errors),
            ("after seconds", limits.time),
        )
        if value
    ]
    stays = template.revisit.continuous  # through the night
    if hours and not stays and (closing := hours.closing(now)) is not None:
        whens.append(f"at {datetime.fromtimestamp(closing, template.topic.timezone):%H:%M}")
    last = "when it is stopped" if stays else "when nothing is left to do"
    return " or ".join([*whens, last])
