"""Reasons why an address is refused, or a page left out, and the names of classes and outcomes, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from focuscrawl.locale.messages import N_, _
from focuscrawl.values import PageClass

STATUS_OF_PAGES = 200

REFUSALS = {
    "keywords": N_("none of topic.keywords occurs in it"),
    "score": N_("its score is too low"),
    "layer": N_("it belongs to no layer that is read (follow.layers)"),
    "article.since": N_("it is older than article.since allows"),
    "article.min_length": N_("its text is shorter than article.min_length"),
    "article.keep": N_('article.keep is "none"'),
    "scope": N_(
        "its host {because} is not among those that are followed (follow.scope, follow.sites)"
    ),
    "elsewhere": N_(
        "it leads to a host that is not among those that are followed (follow.scope, follow.sites)"
    ),
    "private": N_("its host {because} is of a private network, and no source names it"),
    "deny": N_("follow.deny has {because}"),
    "allow": N_("no pattern of follow.allow is in it ({because})"),
    "skip": N_("its site {because} is skipped (skip = true)"),
    "suffix": N_("it ends with {because}, which is no page"),
    "depth": N_("it is more than {because} clicks from a source (follow.depth)"),
    "length": N_("it is too long for an address"),
    "scheme": N_("it is neither http nor https"),
    "invalid": N_("it cannot be read as an address"),
    "nofollow": N_("its page asks not to follow the link (follow.refuse)"),
    "robots": N_("robots.txt forbids it"),
    "quota": N_(
        "its site has given as many pages as limits.per_site allows, or, with explore.strict, more links into it waited than explore.site_quota allows"
    ),
    "steps": N_(
        "it is {step} irrelevant pages away from the last relevant one (explore.steps = {steps}); it has its turn when nothing else is left"
    ),
    "site_quota": N_(
        "of a site that has shown nothing relevant yet {most} links are offered at a time (explore.site_quota), and {ahead} promise more"
    ),
    "banned": N_("its site is banned in the template (explore.banned)"),
    "ban:hand": N_("its site is banned by hand"),
    "ban:rate": N_("its site, or its folder, was banned since too few of its pages were relevant"),
    "ban:count": N_("its site was banned after too many irrelevant pages"),
    "pattern": N_("its site has patterns of news, and it fits none"),
    "callback": N_("its callback is not there any more"),
    "oversized": N_("its answer is too large (DOWNLOAD_MAXSIZE)"),
    "sitemaps": N_("its site has more sitemaps than are read in one run, the newest first"),
    "crowded": N_("as many URLs of its site wait as may (queues.waiting)"),
    "trap:copies": N_("addresses like it show the same pages over and over (trap:copies)"),
    "trap:views": N_(
        "it is the view of a page, and such views of other pages have given nothing (trap:views)"
    ),
    "trap:lists": N_(
        "it waits for a later run: lists like it have shown nothing new on this site (trap:lists)"
    ),
    "trap:calendar": N_("it looks like a calendar without end (trap:calendar)"),
    "trap:repetition": N_("it repeats a part of its path (trap:repetition)"),
    "trap:session": N_("it names a session (trap:session)"),
}
"""Reasons of refusal in words; a reason that is not here is shown as it is."""

CLASS_NAMES = {
    PageClass.BOARD: N_("board"),
    PageClass.ARTICLE: N_("article"),
    PageClass.THREAD: N_("thread"),
    PageClass.PAGING: N_("further page of a list"),
    PageClass.ARTICLE_PAGING: N_("further page of an article"),
    PageClass.FEED: N_("web feed"),
    PageClass.SITEMAP: N_("sitemap"),
    PageClass.RECORD: N_("record"),
    PageClass.FILE: N_("file"),
    PageClass.SEARCH: N_("search"),
    PageClass.OTHER: N_("other page, such as About"),
}

_CODES = (
    *(
        N_("stored"),
        N_("unchanged"),
        N_("list"),
        N_("irrelevant"),
        N_("old"),
        N_("short"),
        N_("copy"),
    ),
    *(N_("dropped"), N_("error"), N_("gone"), N_("refused"), N_("parked"), N_("alias"), N_("part")),
    *(N_("file"), N_("fetched"), N_("first"), N_("event"), N_("new"), N_("major"), N_("minor")),
    *(N_("back"), N_("completed"), N_("reply"), N_("moved"), N_("redesign")),
)
"""Outcomes of pages, relations of texts and kinds of changes, which are shown by their names."""


_WHY_ALIKE = (
    (r"([\d.]+ ?%) of its text in both", N_("{0} of its text stands there, too")),
    (r"([\d.]+ ?%) of the other text in both", N_("{0} of the text there stands in it, too")),
    (r"both tell of (.*)", N_("both have the words {0}")),
    (r"contains ([\d.]+ ?%) of it, and is ([\d.]+) times as long", N_("it has {0} of the text there, and is {1} times as long")),
)  # fmt: skip
"""Why a text is like another, as it stands in the results, in words for people."""


def class_name(page_class: str | None) -> str:
    """Name a class of pages; what is found out later has no name yet."""
    return _(CLASS_NAMES[PageClass(page_class)]) if page_class else _("page")


def why_in_words(reason: str, values: Mapping[str, Any]) -> str:
    """Say why an address is refused, or a page left out."""
    rule, _sign, word = reason.partition(":")
    if rule == "require":
        return _("{word} (topic.require) does not occur").format(word=word)
    if rule == "exclude":
        return _("{word} (topic.exclude) occurs").format(word=word)
    if rule == "language":
        return _("its language is {word} (article.languages)").format(word=word)
    if rule == "action" and word:
        return _("it does something ({reason}), and shows no page").format(reason=reason)
    if reason == "scope" and not values.get("because"):
        reason = "elsewhere"  # a redirect has led there, and the log book has its own address alone
    if reason in REFUSALS:
        return _(REFUSALS[reason]).format_map(Filled(values))
    return reason or _("for no reason that was noted")


class Filled(dict[str, Any]):
    """Values for a sentence; one that is missing is left out."""

    def __missing__(self, name: str) -> str:
        """Return nothing."""
        return ""


def why_alike(because: str) -> str:
    """Say why a text is like another; a reason that fits no form stays as it is."""
    for form, told in _WHY_ALIKE:
        if found := re.fullmatch(form, because):
            return _(told).format(*found.groups())
    return because


def answer_words(outcome: str, reason: str, status: int) -> str:
    """Say what came of a fetch; ``status`` 0: there was no answer."""
    told = "{outcome}"
    if status != STATUS_OF_PAGES:
        told = _("{outcome}, status {status}") if status else _("{outcome}, no answer")
    return told.format(outcome=outcome_name(outcome, reason), status=status)


def outcome_name(outcome: str, reason: str | None = "") -> str:
    """Name an outcome, a relation or a kind of change, with its reason where there is one."""
    name = _("no text of its own") if outcome == "list" else _(outcome)
    return f"{name} ({why_alike(reason)})" if reason else name
