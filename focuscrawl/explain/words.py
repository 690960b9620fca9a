"""All sentences that say why a page is in the results or not; each whole, with named places to fill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from focuscrawl.explain.facts import Fact, KnownAddress, LinkNow, Verdict
from focuscrawl.report.lines import counted, duration_text
from focuscrawl.text.moments import moment_text
from focuscrawl.values import Json, PageClass

_INDENT = "  "
MOST_SHOWN = 8
"""Words, parts and changes that are named."""

_LONGEST_TITLE = 80
"""Characters of a title: with its address it fills two lines of a terminal."""

VERDICTS = {
    "stored": "Stored as {kind} on {since}.",
    "stored_gone": "Stored as {kind} on {since}; gone from its site since {gone}.",
    "stored_copy": "Stored as {kind} on {since}, as a copy of {of}.",
    "lost": "Read as {class} on {at}, and not in the table now: it was deleted there (topic forget, output.keep).",
    "left_copy": "Not in the table because it is a copy of {of}, which is.",
    "part": "Not in the table by itself because it is a further page of {of}.",
    "list": "Not in the table because it is read as a {class}: its links are followed, its text is no article's.",
    "irrelevant": "Not in the table because it is not about the topic: {why}.",
    "old": "Not in the table because it is older than article.since allows.",
    "short": "Not in the table because its text is shorter than article.min_length.",
    "dropped": "Not in the table because a pipeline dropped it ({reason}).",
    "gone": "Not in the table because its site says there is no such page (status {status}).",
    "alias": "Not in the table under this address: it leads to a page that is known by another.",
    "refused": "Not in the table because it was not asked for: {why}.",
    "given_up": "Not in the table because it could not be fetched ({reason}), and is tried no more.",
    "failed": "Not in the table yet because it could not be fetched ({reason}); {next_try}.",
    "parked": "Not in the table because it is set aside: {why}.",
    "held_back": "Not in the table yet: it waits, and will not be asked for now because {why}.",
    "in_flight": "Not in the table yet: it is being fetched just now, or is the next of its site.",
    "waits": "Not in the table yet because it waits in the queue of level {level}.",
    "sent": "Not in the table yet: it is on its way to the worker that holds its site.",
    "known_only": "Not in the table: it was found once, and nothing is stored of it. It leads to the page of another address, or was forgotten (topic forget).",
    "would_be_refused": "Not in the table because it would be refused: {why}.",
    "source_to_come": "Not in the table because it is a source that has not been asked yet: the next run does.",
    "not_followed": "Not in the table though {lists} linked to it: the link was not followed (it asks not to be, has no word of follow.layers, or came later than the crawl went).",
    "not_linked": "Not in the table because nothing that was read links to it: the rules would let it in.",
    "no_address": "Not in the table because it is no address that can be asked for: {why}.",
}

REFUSALS = {
    "keywords": "none of topic.keywords is there",
    "score": "its score is too low",
    "layer": "it belongs to no layer that is read (follow.layers)",
    "article.since": "it is older than article.since allows",
    "article.min_length": "its text is shorter than article.min_length",
    "article.keep": 'article.keep is "none"',
    "scope": "its host {because} is not among those that are followed (follow.scope, follow.sites)",
    "private": "its host {because} is of a private network, and no source names it",
    "deny": "follow.deny has {because}",
    "allow": "no pattern of follow.allow is in it ({because})",
    "skip": "its site {because} is skipped (skip = true)",
    "suffix": "it ends with {because}, which is no page",
    "depth": "it is more than {because} clicks from a source (follow.depth)",
    "length": "it is too long for an address",
    "scheme": "it is neither http nor https",
    "invalid": "it cannot be read as an address",
    "nofollow": "its page asks not to follow the link (follow.refuse)",
    "robots": "robots.txt forbids it",
    "quota": "its site has given as many pages as limits.per_site allows",
    "steps": "it is {step} irrelevant pages away from the last relevant one (explore.steps = {steps}); it has its turn when nothing else is left",
    "site_quota": "of a site that has shown nothing relevant yet {most} links are offered at a time (explore.site_quota), and {ahead} promise more",
    "banned": "its site is banned in the template (explore.banned)",
    "ban:hand": "its site is banned by hand",
    "ban:rate": "its site, or its folder, was banned since too few of its pages were relevant",
    "ban:count": "its site was banned after too many irrelevant pages",
    "pattern": "its site has patterns of news, and it fits none",
    "callback": "its callback is not there any more",
    "oversized": "its answer is too large (DOWNLOAD_MAXSIZE)",
    "trap:copies": "addresses like it show the same pages over and over (trap:copies)",
    "trap:calendar": "it looks like a calendar without end (trap:calendar)",
    "trap:repetition": "it repeats a part of its path (trap:repetition)",
    "trap:session": "it names a session (trap:session)",
}
"""Reasons of refusal in words; what is not here is told as it is."""

NEXT_VISIT = {
    "off": 'never: revisit.policy is "off"',
    "queued": "it is queued for a visit, or being visited",
    "source": "{at}, since its interval is given (source.every)",
    "failing": "{at}, since it did not answer the last time",
    "signal": "{at}, since a feed, a sitemap or a board says that it has changed",
    "first": "{at}, the first interval of its class: nothing has been learnt yet",
    "old": "not by date: it is past `until`, and looked back at, the longest unseen first",
    "shortest": "{at}, the shortest interval of its class: it changes often",
    "longest": "{at}, the longest interval of its class: it has hardly changed",
    "policy": "{at}, by how often it has changed",
}


def why_in_words(reason: str, values: Mapping[str, Any]) -> str:
    """Say why an address is refused, or a page left out."""
    rule, _, word = reason.partition(":")
    if rule == "require":
        return f"{word} (topic.require) is not there"
    if rule == "exclude":
        return f"{word} (topic.exclude) is there"
    if rule == "language":
        return f"its language is {word} (article.languages)"
    if rule == "action" and word:
        return f"it does something ({reason}), and shows no page"
    return (
        REFUSALS.get(reason, reason).format_map(_Filled(values)) or "for no reason that was noted"
    )


class _Filled(dict[str, Any]):
    """Values for a sentence; one that is missing is left out."""

    def __missing__(self, name: str) -> str:
        """Return nothing."""
        return ""


class Sentences:
    """Says what is known in a topic's timezone; ``now`` is wall time."""

    def __init__(self, zone: ZoneInfo, now: float) -> None:
        self._zone = zone
        self._now = now
        self._facts: dict[str, Callable[[Json], Iterator[str]]] = {
            "score": score_lines,
            "queue": self._queue,
            "failure": self._failure,
            "story": self._story,
            "part": lambda values: iter((f"it is page by page the article {values['of']}",)),
            "delay": self._delay,
            "hours": lambda values: iter((f"its site is left alone until {self.moment(values['until'])} (politeness.hours)",)),
            "retry_after": lambda values: iter((f"its site asked to be left alone until {self.moment(values['until'])} (Retry-After)",)),
            "quota": lambda values: iter((f"its site has given {values['pages']:,} of {values['most']:,} pages (limits.per_site)",)),
            "robots": lambda values: iter((f"robots.txt forbids it to {values['agent']}, as it was read last",)),
            "rule": lambda values: iter((f"refused now: {why_in_words(values['reason'], values)}",)),
            "layers": lambda values: iter(("only links whose text or title names a layer are followed (follow.layers)",)),
            "pattern": lambda values: iter((f"its address looks like {values['class']}" + (" (pinned)" if values["by_hand"] else ", by what its site has shown"),)),
            "ban": self._ban,
            "explored": lambda values: iter((f"of its site {counted(values['pages'], 'page')} were judged, {values['relevant']:,} relevant",)),
            "lane": lambda values: iter((f"it explores: predicted relevance {values['score']:.2f}, {values['step']} irrelevant pages from the last relevant one",)),
            "parked_lane": lambda values: iter((f"predicted relevance {values['score']:.2f}, step {values['step']} of {values['steps']}",)),
            "site_quota": lambda values: iter((why_in_words("site_quota", values),)),
            "visits": self._visits,
            "next_visit": self._next_visit,
            "changes": self._changes,
            "answer": _answer_now,
            "would_be": lambda values: iter((outcome_text(values["stored"]),)),
        }  # fmt: skip

    def moment(self, at: float | None) -> str:
        """Say when something was or will be."""
        if at is None:
            return "never"
        return moment_text(at, self._zone)

    # An address ---------------------------------------------------------------------------------

    def address(self, known: KnownAddress, verdict: Verdict) -> Iterator[str]:
        """Say the answer, then what it rests on."""
        yield f"{known.question.url}"
        yield self.answer(verdict)
        yield from (f"{_INDENT}{line}" for line in self._evidence(known, verdict))

    def answer(self, verdict: Verdict) -> str:
        """Say the answer in one sentence."""
        values = dict(verdict.values)
        for name in ("since", "gone", "at"):
            if values.get(name) is not None:
                values[name] = self.moment(values[name])
        if "kind" in values and verdict.fate.startswith("stored"):
            values["kind"] = (
                f"an {values['kind']}" if values["kind"] == "article" else f"a {values['kind']}"
            )
        values["lists"] = ", ".join(values.get("lists", ()))
        values["why"] = self._why(verdict)
        values["next_try"] = self._next_try(verdict.values.get("next_try"))
        return VERDICTS[verdict.fate].format_map(_Filled(values))

    def _why(self, verdict: Verdict) -> str:
        values = verdict.values
        if verdict.fate in ("would_be_refused", "held_back"):
            return _stopped(values["kind"], values)
        return why_in_words(str(values.get("reason", "")), values)

    def _next_try(self, at: float | None) -> str:
        if at is None:
            return "the next run tries again"
        return f"tried again at {self.moment(at)}" if at > self._now else "it is tried again now"

    def _evidence(self, known: KnownAddress, verdict: Verdict) -> Iterator[str]:
        page, row = known.question.page, known.question.row
        title = page.get("title") or verdict.values.get("title")
        if title:
            yield f"title {title[:_LONGEST_TITLE]}"
        yield from self._found(known)
        if page:
            yield self._fetched(page)
        for fact in known.facts:
            yield from self.fact(fact)
        if known.runs and row is not None:
            yield "a crawl of the topic runs just now; this is what it had written"
        if not page and not row and verdict.fate not in ("would_be_refused", "source_to_come"):
            yield from self._lists(known)

    def _found(self, known: KnownAddress) -> Iterator[str]:
        page, row, parent = known.question.page, known.question.row, known.linked_from
        anchor = page.get("anchor") or (row.waiting.anchor if row else "")
        when = f"first seen {self.moment(page['first_seen'])}" if page else ""
        if known.question.is_source:
            yield "named as a source by the template" + (f", {when}" if when else "")
        elif parent:
            text = f" by a link {anchor!r}" if anchor else ""
            yield f"found on {parent['url']}{text}" + (f", {when}" if when else "")
        elif when:
            yield when

    def _fetched(self, page: Mapping[str, Any]) -> str:
        reason = f" ({page['reason']})" if page["reason"] else ""
        ended = f"{page['outcome']}{reason}"
        if not page["status"]:
            return f"no answer came: {ended}"
        read = "" if page["outcome"] in ("error", "gone") else f" read as {page['page_class']}:"
        when = f"last fetched {self.moment(page['last_fetched'])}"
        return f"{when}, status {page['status']},{read} {ended}"

    def _lists(self, known: KnownAddress) -> Iterator[str]:
        if not known.lists:
            yield "no list of its site was ever read"
        for one in known.lists:
            links = {True: "it linked to it", False: "it did not link to it", None: "whether it links to it is not known (--fetch asks)"}  # fmt: skip
            nexts = f", next {self.moment(one.next_visit)}" if one.next_visit else ""
            read = f"last read {self.moment(one.read_at)} ({one.outcome}){nexts}"
            yield f"{one.page_class} {one.url}: {read}; {links[one.links]}"

    # Facts --------------------------------------------------------------------------------------

    def fact(self, fact: Fact) -> Iterator[str]:
        """Say one thing that is known; one of a feature of somebody's own as it is."""
        say = self._facts.get(fact.kind)
        if say is not None:
            yield from say(fact.values)
            return
        yield f"{fact.kind}: {', '.join(f'{name} {value}' for name, value in fact.values.items())}"

    def _queue(self, values: Json) -> Iterator[str]:
        before, site = values["before"], values["before_in_site"]
        where = (
            "the lane of exploration"
            if values["explores"]
            else f"level {values['level']} of {values['levels']}"
        )
        weight = (
            ""
            if values["explores"]
            else f" (weight {values['weight']:,.1f} of {values['waiting']:,} URLs)"
        )
        yield f"waits in {where}{weight}"
        if not values["explores"]:
            yield f"{counted(before, 'URL')} of its level before it, {site:,} of its own site"
        else:
            yield f"{counted(site, 'URL')} of its site with a better prediction"

    def _failure(self, values: Json) -> Iterator[str]:
        since = self.moment(values["first_failed"])
        yield f"failed {counted(values['tries'], 'time')} since {since}: {values['reason']}; {self._next_try(values['next_try'])}"

    def _story(self, values: Json) -> Iterator[str]:
        sites = counted(values["sites"], "site")
        yield f"story {values['title']!r}: {counted(values['articles'], 'article')} of {sites}"
        if values["like"]:
            yield f"{values['relation']} of {values['like']} (similarity {values['similarity'] or 0:.2f}{values['because']})"

    def _delay(self, values: Json) -> Iterator[str]:
        at_once = f", {values['at_once']} at once" if values["at_once"] > 1 else ""
        yield f"its site is asked every {values['seconds']:g} s{at_once} (by {values['from']})"

    def _ban(self, values: Json) -> Iterator[str]:
        until = f" until {self.moment(values['until'])}" if values["until"] else ""
        yield f"{why_in_words('ban:' + values['why'], values)}{until}: {values['irrelevant']:,} of {counted(values['pages'], 'page')} irrelevant"
        yield from (f"{_INDENT}such as {url}" for url in values["evidence"])

    def _visits(self, values: Json) -> Iterator[str]:
        last = f"visited {counted(values['visits'], 'time')}, last {self.moment(values['last'])}"
        changed = counted(values["changed"], "change")
        when = f", the last {self.moment(values['last_changed'])}" if values["last_changed"] else ""
        yield f"{last}; {changed} found{when}"
        if values["gone"]:
            yield f"gone since {self.moment(values['gone'])} ({values['reason']})"

    def _next_visit(self, values: Json) -> Iterator[str]:
        told = NEXT_VISIT[values["why"]].format(at=self.moment(values["at"]))
        overdue = values["at"] is not None and values["at"] < self._now
        yield f"next visit: {told}" + (" (due now)" if overdue else "")

    def _changes(self, values: Json) -> Iterator[str]:
        for one in values["changes"][-MOST_SHOWN:]:
            yield f"{self.moment(one['at'])}: {one['kind']}" + (
                f" ({one['fields']})" if one["fields"] else ""
            )

    @staticmethod
    def of_site(stops: Fact) -> str:
        """Say why nothing of a site is asked for."""
        return f"Nothing of this site is asked for: {_stopped(stops.kind, stops.values)}."

    def list_now(self, one: LinkNow) -> str:
        """Say whether a list that was just read links to an address."""
        if one.links is None:
            return f"{one.url}: it could not be read"
        if not one.links:
            return f"{one.url}: it does not link to it"
        marked = ", and asks not to follow the link (nofollow)" if one.nofollow else ""
        return f"{one.url}: it links to it{marked}"

    # More than one ------------------------------------------------------------------------------

    def matches(self, part: str, urls: Sequence[str], most: int, name: str) -> Iterator[str]:
        """List the pages whose title has some words in it."""
        more = "" if len(urls) <= most else f" (the first {most}; say more of the title for fewer)"
        yield f"{counted(min(len(urls), most), 'page')} with {part!r} in the title{more}:"
        yield from (f"{_INDENT}{url}" for url in urls[:most])
        yield f"scrapy explain {name} ADDRESS says more of one"


def _stopped(kind: str, values: Mapping[str, Any]) -> str:
    """Say what keeps an address from being asked for, of whatever kind of fact."""
    if kind == "ban":
        return why_in_words(f"ban:{values['why']}", values)
    return why_in_words(str(values["reason"]) if kind == "rule" else kind, values)


def _answer_now(values: Json) -> Iterator[str]:
    said = f"read as {values['class']}" if values["class"] else values["why"]
    yield said + (f", {values['why']}" if values["class"] and values["why"] else "")
    if values["title"]:
        yield f"title {values['title'][:_LONGEST_TITLE]}"


def outcome_text(stored: bool) -> str:
    """Say what a crawl would make of a page."""
    return "would be stored" if stored else "would not be stored"


def score_lines(values: Json) -> Iterator[str]:
    """Say what a page scores, by which words, and what it would need to pass."""
    score, threshold, reason = values["score"], values["threshold"], values["reason"]
    sign = "relevant" if values["relevant"] else "not relevant"
    yield f"score {score:.3f}, {sign} (relevance.threshold {threshold:g})"
    for part in values["parts"][:MOST_SHOWN]:
        places = [f"{part[key]} in the {place}" for key, place in (("in_title", "title"), ("in_text", "text")) if part[key]]  # fmt: skip
        yield f"{_INDENT}+ {part['contribution']:.3f} {part['words']}" + (
            f": {', '.join(places)}" if places else ""
        )
    if not values["parts"] and values["hits"]:
        hits = [f"{word} {times}" for word, times in [*values["hits"].items()][:MOST_SHOWN]]
        yield f"{_INDENT}hit: {', '.join(hits)}"
    if values["missed"]:
        yield f"{_INDENT}not hit: {', '.join(values['missed'][:MOST_SHOWN])}"
    if not values["relevant"]:
        yield f"{_INDENT}{_needs(score, threshold, reason)}"


def missed_line(missed: Sequence[str], groups: int, articles: int) -> str:
    """Say which keyword groups hit nothing in what was tried."""
    read = counted(articles, "article")
    if not groups:
        return f"{read} read; topic.keywords is empty: nothing is weighed"
    if not missed:
        return f"every keyword group hit something in the {read} read"
    return f"keyword groups that hit nothing in the {read} read: {', '.join(missed)}"


def _needs(score: float, threshold: float, reason: str) -> str:
    """Say what a page would need to pass."""
    if reason.startswith(("require:", "exclude:")) or reason == "keywords":
        return f"it would need another text: {why_in_words(reason, {})}"
    return f"it would need {max(threshold - score, 0.0):.3f} more, or relevance.threshold = {score:.3f}"


# What waits next ------------------------------------------------------------------------------------


def plan_line(number: int, seconds: float, url: str, why: str) -> str:
    """Say which request is the next but so many, when, and why."""
    when = (
        "now"
        if seconds < 0.05
        else f"+{duration_text(seconds)}"
        if seconds >= 60
        else f"+{seconds:.1f} s"
    )
    return f"{number:>4}  {when:>8}  {url}\n{_INDENT * 9}{why}"


def effect_lines(name: str, found: Mapping[str, Any], most: int) -> Iterator[str]:
    """Say what a template would make of what is stored (``TemplateEffect``), with so many examples each."""
    dropped, admitted, let_in = found["dropped"], found["admitted"], found["let_in"]
    yield f"{name}, judged by its file as it is now: {counted(found['articles'], 'article')} stored, {len(dropped):,} would not be"
    reasons = Counter(one.reason for one in dropped).most_common(MOST_SHOWN)
    if reasons:
        yield f"{_INDENT}{', '.join(f'{reason} {count:,}' for reason, count in reasons)}"
    yield from _examples(dropped, most)
    if found["unjudged"]:
        yield f"{counted(found['unjudged'], 'article')} without a stored text cannot be judged by words"
    yield f"{len(admitted):,} of {counted(found['refused'], 'page')} that words refused would be stored, by their titles alone (no text of them is stored)"
    yield from _examples(admitted, most)
    yield f"{len(let_in):,} of {counted(found['kept_out'], 'address', 'es')} that rules kept out would be asked for"
    yield from _examples(let_in, most)
    if max(map(len, (dropped, admitted, let_in))) > most:
        yield f"all of them: scrapy topic check {name} --against-stored --list"
    yield f"nothing was changed; scrapy topic rejudge {name} judges what is stored, with --refetch what words refused, too"


def _examples(moved: Sequence[Any], most: int) -> Iterator[str]:
    for one in moved[:most]:
        yield f"{_INDENT}{one.title[:_LONGEST_TITLE]} {one.url}"
        yield f"{_INDENT}{_INDENT}{one.why}"


def end_of_plan(name: str, found: int, most: int, *, runs: bool) -> str:
    """Say what the plan is worth."""
    more = (
        "and so on"
        if found >= most
        else "then a run would end: nothing else is due or waits for less than it lingers"
    )
    if not found:
        more = f"nothing is due, and nothing waits: scrapy crawl {name} would end at once"
    now = " A crawl runs just now: what it has in flight stands here, too." if runs else ""
    return f"{more}. What is found on these pages joins them.{now}"


def class_name(page_class: PageClass | None) -> str:
    """Name a class; what is found out later has no name yet."""
    return page_class.value if page_class else "page"
