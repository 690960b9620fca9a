"""Check a URL that waits against the rules there are now."""

from __future__ import annotations

from focuscrawl.crawl.paging import beyond
from focuscrawl.crawl.signal_files import is_signal_file, refused_file
from focuscrawl.topic.admission_rules import AdmissionRules
from focuscrawl.topic.link_rules import CONTINUED, refusal
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Waiting


def checked_again(waiting: Waiting, rules: AdmissionRules) -> str | None:
    """Return why a URL would be refused now, when it is taken: the rules may have changed.

    A source is asked for by name and only ``skip`` stops it; a whole Request is its maker's.
    """
    if waiting.request is not None:
        return None
    look = rules.look(waiting.url)
    if not waiting.parent_key:
        return "skip" if look.rules.skip else None
    if is_signal_file(waiting.source_id):
        return refused_file(look, rules)
    if rules.banned is not None and host_of(waiting.site) in rules.banned:
        return "banned"
    reason = refusal(look, waiting.page_class)
    if reason is None and waiting.depth > look.rules.depth:
        return "depth"
    if reason is None and waiting.page_class in CONTINUED:
        return beyond(look, waiting.page_class, waiting.page_number)
    return reason
