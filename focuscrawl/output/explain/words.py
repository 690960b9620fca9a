"""All sentences that say why a page is in the results or not; each whole, with named places to fill."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from focuscrawl.locale.messages import N_, _
from focuscrawl.output.explain.facts import Fact, KnownAddress, LinkNow, Verdict
from focuscrawl.output.explain.reasons import (
    Filled,
    answer_words,
    class_name,
    outcome_name,
    why_alike,
    why_in_words,
)
from focuscrawl.output.explain.scores import MOST_SHOWN, outcome_text, score_lines
from focuscrawl.output.explain.site_words import cut_place_lines, design_lines, site_lines
from focuscrawl.output.summary.lines import counted, listed_words
from focuscrawl.readers.text.moments import moment_text
from focuscrawl.stores.results.columns import clean_line, cut
from focuscrawl.values import Json

_INDENT = "  "
_DELAY_FROM = {"template": N_("template"), "site": N_("site")}
"""Who says how fast a site is asked; other names are those of headers and files."""

LONGEST_HEADLINE = 80
"""Characters of a title: with its address it fills two lines of a terminal."""

VERDICTS = {
    "stored": N_("Stored as {kind} on {since}."),
    "stored_gone": N_("Stored as {kind} on {since}; gone from its site since {gone}."),
    "stored_copy": N_("Stored as {kind} on {since}, as a copy of {of}."),
    "lost": N_(
        "Read as {class} on {at}, and not in the table now: it was deleted there (topic forget, output.keep)."
    ),
    "left_copy": N_("Not in the table because it is a copy of {of}, which is."),
    "part": N_("Not in the table by itself because it is a further page of {of}."),
    "list": N_(
        "Not in the table because it is read as a {class}: its links are followed, its text is no article's."
    ),
    "irrelevant": N_("Not in the table because it is not about the topic: {why}."),
    "old": N_("Not in the table because it is older than article.since allows."),
    "short": N_("Not in the table because its text is shorter than article.min_length."),
    "dropped": N_("Not in the table because a pipeline dropped it ({reason})."),
    "gone": N_("Not in the table because its site says there is no such page (status {status})."),
    "alias": N_(
        "Not in the table under this address: it leads to a page that is known by another."
    ),
    "refused": N_("Not in the table because it was not asked for: {why}."),
    "given_up": N_(
        "Not in the table because it could not be fetched ({reason}), and is tried no more."
    ),
    "failed": N_("Not in the table yet because it could not be fetched ({reason}); {next_try}."),
    "parked": N_("Not in the table because it is set aside: {why}."),
    "held_back": N_("Not in the table yet: it waits, and will not be asked for now because {why}."),
    "in_flight": N_(
        "Not in the table yet: it is being fetched just now, or is the next of its site."
    ),
    "waits": N_("Not in the table yet because it waits in the queue of level {level}."),
    "sent": N_("Not in the table yet: it is on its way to the worker that holds its site."),
    "known_only": N_(
        "Not in the table: it was found once, and nothing is stored of it. It leads to the page of another address, or was forgotten (topic forget)."
    ),
    "would_be_refused": N_("Not in the table because it would be refused: {why}."),
    "source_to_come": N_(
        "Not in the table because it is a source that has not been asked yet: the next run does."
    ),
    "not_followed": N_(
        "Not in the table though {lists} linked to it: the link was not followed (it asks not to be, has no word of follow.layers, or came later than the crawl went)."
    ),
    "not_linked": N_(
        "Not in the table because nothing that was read links to it: the rules would let it in."
    ),
    "no_address": N_("Not in the table because it is no address that can be asked for: {why}."),
}

NEXT_VISIT = {
    "off": N_('never: revisit.policy is "off"'),
    "queued": N_("it is queued for a visit, or being visited"),
    "source": N_("{at}, since its interval is given (source.every)"),
    "failing": N_("{at}, since it did not answer the last time"),
    "signal": N_("{at}, since a feed, a sitemap or a board says that it has changed"),
    "first": N_("{at}, the first interval of its class: nothing has been learnt yet"),
    "old": N_("not by date: it is past `until`, and looked back at, the longest unseen first"),
    "shortest": N_("{at}, the shortest interval of its class: it changes often"),
    "longest": N_("{at}, the longest interval of its class: it has hardly changed"),
    "policy": N_("{at}, by how often it has changed"),
}

_STORED_AS = {"article": N_("an article"), "thread": N_("a thread"), "record": N_("a record")}

_FACTS = {
    "part": N_("it is page by page the article {of}"),
    "hours": N_("its site is left alone until {until} (politeness.hours)"),
    "retry_after": N_("its site asked to be left alone until {until} (Retry-After)"),
    "quota": N_("its site has given {pages:,} of {most:,} pages (limits.per_site)"),
    "robots": N_("robots.txt forbids it to {agent}, as it was read last"),
    "layers": N_("only links whose text or title names a layer are followed (follow.layers)"),
    "lane": N_(
        "it explores: predicted relevance {score:.2f}, {step} irrelevant pages from the last relevant one"
    ),
    "parked_lane": N_("predicted relevance {score:.2f}, step {step} of {steps}"),
}
"""Sentences of facts whose values stand in them as they are."""

_LINKED = {
    True: N_("it linked to it"),
    False: N_("it did not link to it"),
    None: N_("whether it links to it is not known (--fetch asks)"),
}


class Sentences:
    """Says what is known in a topic's timezone; ``now`` is wall time."""

    def __init__(self, zone: ZoneInfo, now: float) -> None:
        self._zone = zone
        self._now = now
        self._facts: dict[str, Callable[[Json], Iterator[str]]] = {
            "score": score_lines,
            "queue": _queue,
            "failure": self._failure,
            "story": _story,
            "delay": _delay,
            "rule": _rule,
            "pattern": _pattern,
            "ban": self._ban,
            "explored": _explored,
            "site_quota": lambda values: iter((why_in_words("site_quota", values),)),
            "visits": self._visits,
            "next_visit": self._next_visit,
            "changes": self._changes,
            "site_lines": cut_place_lines,
            "site_design": lambda values: design_lines(values, self.moment),
            "answer": _answer_now,
            "would_be": lambda values: iter((outcome_text(values["stored"]),)),
        }

    def moment(self, at: float | None) -> str:
        """Say when something was or will be."""
        return _("never") if at is None else moment_text(at, self._zone)

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
        if (kind := values.get("kind")) in _STORED_AS:
            values["kind"] = _(_STORED_AS[kind])
        if "class" in values:
            values["class"] = class_name(values["class"])
        values["lists"] = listed_words(values.get("lists", ()))
        values["why"] = self._why(verdict)
        values["next_try"] = self._next_try(verdict.values.get("next_try"))
        return _(VERDICTS[verdict.fate]).format_map(Filled(values))

    def _why(self, verdict: Verdict) -> str:
        values = verdict.values
        if verdict.fate in ("would_be_refused", "held_back"):
            return _stopped(values["kind"], values)
        return why_in_words(str(values.get("reason", "")), values)

    def _next_try(self, at: float | None) -> str:
        if at is None:
            return _("the next run tries again")
        if at > self._now:
            return _("tried again at {moment}").format(moment=self.moment(at))
        return _("it is tried again now")

    def _evidence(self, known: KnownAddress, verdict: Verdict) -> Iterator[str]:
        page, row = known.question.page, known.question.row
        if title := page.get("title") or verdict.values.get("title"):
            yield _("title {title}").format(title=title[:LONGEST_HEADLINE])
        yield from self._found(known)
        if page:
            yield self._fetched(page)
        for fact in known.facts:
            yield from self.fact(fact)
        if known.runs and row is not None:
            yield _("a crawl of the topic is running; this is what it has written so far")
        if not page and not row and verdict.fate not in ("would_be_refused", "source_to_come"):
            yield from self._lists(known)

    def _found(self, known: KnownAddress) -> Iterator[str]:
        """Say where an address was found first, and when."""
        page, row, parent = known.question.page, known.question.row, known.linked_from
        anchor = page.get("anchor") or (row.waiting.anchor if row else "")
        when = self.moment(page["first_seen"]) if page else ""
        if known.question.is_source:
            told = _("named as a source by the template")
            if when:
                told = _("named as a source by the template, first seen {moment}")
        elif parent and anchor:
            told = _("found on {url} by a link {anchor!r}")
            if when:
                told = _("found on {url} by a link {anchor!r}, first seen {moment}")
        elif parent:
            told = _("found on {url}")
            if when:
                told = _("found on {url}, first seen {moment}")
        else:
            told = _("first seen {moment}") if when else ""
        if told:
            yield told.format(url=parent.get("url", ""), anchor=anchor, moment=when)

    def _fetched(self, page: Mapping[str, Any]) -> str:
        ended = outcome_name(page["outcome"], page.get("reason") or "")
        if not page["status"]:
            return _("no answer came: {ended}").format(ended=ended)
        told = _("last fetched {moment}, status {status}, read as {page_class}: {ended}")
        if page["outcome"] == "gone":
            told = _("last fetched {moment}, status {status}: not found ({reason})")
        elif page["outcome"] == "error":
            told = _("last fetched {moment}, status {status}, {ended}")
        return told.format(
            moment=self.moment(page["last_fetched"]),
            status=page["status"],
            page_class=class_name(page["page_class"]),
            ended=ended,
            reason=page.get("reason") or "",
        )

    def _lists(self, known: KnownAddress) -> Iterator[str]:
        if not known.lists:
            yield _("no list of its site was ever read")
        for one in known.lists:
            told = _("{page_class} {url}: last read {moment} ({outcome}); {links}")
            if one.next_visit:
                told = _(
                    "{page_class} {url}: last read {moment} ({outcome}), next {later}; {links}"
                )
            yield told.format(
                page_class=class_name(one.page_class),
                url=one.url,
                moment=self.moment(one.read_at),
                outcome=outcome_name(one.outcome),
                later=self.moment(one.next_visit),
                links=_(_LINKED[one.links]),
            )

    # Facts --------------------------------------------------------------------------------------

    def fact(self, fact: Fact) -> Iterator[str]:
        """Say one thing that is known; a fact of a user's own feature as it is."""
        if say := self._facts.get(fact.kind):
            yield from say(fact.values)
        elif fact.kind in _FACTS:
            values = fact.values
            if "until" in values:
                values = {**values, "until": self.moment(values["until"])}
            yield _(_FACTS[fact.kind]).format_map(Filled(values))
        else:
            told = ", ".join(f"{name} {value}" for name, value in fact.values.items())
            yield f"{fact.kind}: {told}"

    def _failure(self, values: Json) -> Iterator[str]:
        yield _("failed {times} since {since}: {reason}; {next_try}").format(
            times=counted(values["tries"], "time"),
            since=self.moment(values["first_failed"]),
            reason=values["reason"],
            next_try=self._next_try(values["next_try"]),
        )

    def _ban(self, values: Json) -> Iterator[str]:
        told = _("{why}: {irrelevant:,} of {pages} irrelevant")
        if values["until"]:
            told = _("{why} until {until}: {irrelevant:,} of {pages} irrelevant")
        yield told.format(
            why=why_in_words("ban:" + values["why"], values),
            until=self.moment(values["until"]),
            irrelevant=values["irrelevant"],
            pages=counted(values["pages"], "page"),
        )
        for url in values["evidence"]:
            yield _INDENT + _("such as {url}").format(url=url)

    def _visits(self, values: Json) -> Iterator[str]:
        told = _("visited {times}, last {last}; {changes} found")
        if values["last_changed"]:
            told = _("visited {times}, last {last}; {changes} found, the last {last_changed}")
        yield told.format(
            times=counted(values["visits"], "time"),
            last=self.moment(values["last"]),
            changes=counted(values["changed"], "change"),
            last_changed=self.moment(values["last_changed"]),
        )
        if values["gone"]:
            told = _("gone since {gone} ({reason})")
            yield told.format(gone=self.moment(values["gone"]), reason=values["reason"])

    def _next_visit(self, values: Json) -> Iterator[str]:
        why = values["why"]
        when = _(NEXT_VISIT[why]).format(at=self.moment(values["at"]))
        told = _("next visit: {when}")
        if values["at"] is not None and values["at"] < self._now:
            told = _("next visit: {when} (due now)")
        yield told.format(when=when)

    def _changes(self, values: Json) -> Iterator[str]:
        for one in values["changes"][-MOST_SHOWN:]:
            yield f"{self.moment(one['at'])}: {outcome_name(one['kind'], one['fields'])}"

    # A site, a list, more than one ----------------------------------------------------------------

    def site(self, learnt: Mapping[str, Any]) -> Iterator[str]:
        """Say what the pages of a site have taught."""
        return site_lines(learnt, self.moment)

    @staticmethod
    def of_site(stops: Fact) -> str:
        """Say why nothing of a site is asked for."""
        why = _stopped(stops.kind, stops.values)
        return _("Nothing of this site is asked for: {why}.").format(why=why)

    def list_now(self, one: LinkNow) -> str:
        """Say whether a list that was just read links to an address."""
        told = _("{url}: it links to it")
        if one.links is None:
            told = _("{url}: it could not be read")
        elif not one.links:
            told = _("{url}: it does not link to it")
        elif one.nofollow:
            told = _("{url}: it links to it, and asks not to follow the link (nofollow)")
        return told.format(url=one.url)

    def matches(self, part: str, titles: Mapping[str, str], most: int, name: str) -> Iterator[str]:
        """List the pages whose title has some words in it, by their addresses."""
        told = _("{pages} with {part!r} in the title:")
        if len(titles) > most:
            told = _(
                "{pages} with {part!r} in the title (the first {most}; say more of the title for fewer):"
            )
        pages = counted(min(len(titles), most), "page")
        yield told.format(pages=pages, part=part, most=most)
        for url, title in islice(titles.items(), most):
            shown = clean_line(title).strip()
            yield (
                _INDENT
                + cut(shown, LONGEST_HEADLINE)
                + ("…" if len(shown) > LONGEST_HEADLINE else "")
            )
            yield f"{_INDENT * 2}{url}"
        yield _("for details: scrapy explain {name} ADDRESS").format(name=name)


def _stopped(kind: str, values: Mapping[str, Any]) -> str:
    """Say what keeps an address from being asked for, of whatever kind of fact."""
    if kind == "ban":
        return why_in_words(f"ban:{values['why']}", values)
    return why_in_words(str(values["reason"]) if kind == "rule" else kind, values)


def _queue(values: Json) -> Iterator[str]:
    before, site = values["before"], values["before_in_site"]
    if values["explores"]:
        yield _("waits in the lane of exploration")
        yield _("{urls} of its site with a better prediction").format(urls=counted(site, "URL"))
        return
    told = _("waits in level {level} of {levels} (weight {weight:,.1f} of {waiting:,} URLs)")
    yield told.format_map(Filled(values))
    told = _("{urls} of its level before it, {site:,} of its own site")
    yield told.format(urls=counted(before, "URL"), site=site)


def _story(values: Json) -> Iterator[str]:
    yield _("story {title!r}: {articles} of {sites}").format(
        title=values["title"],
        articles=counted(values["articles"], "article"),
        sites=counted(values["sites"], "site"),
    )
    for medium, url in values.get("tellers", ()):
        yield _INDENT + _("also {medium}: {url}").format(medium=medium, url=url)
    if values["like"]:
        told = _("tells the same event as {like} (similarity {similarity:.2f} of 1{because})")
        if values["relation"] == "copy":
            told = _("a copy of {like}{because}")
        because = values["because"]
        yield told.format(
            like=values["like"],
            similarity=values["similarity"] or 0,
            because=because and _(", {why}").format(why=why_alike(because)),
        )


def _delay(values: Json) -> Iterator[str]:
    told = _("its site is asked every {seconds:g} s (by {by})")
    if values["at_once"] > 1:
        told = _("its site is asked every {seconds:g} s, {at_once} at once (by {by})")
    yield told.format(
        seconds=values["seconds"],
        at_once=values["at_once"],
        by=_(_DELAY_FROM.get(values["from"], "")) or values["from"],
    )


def _rule(values: Json) -> Iterator[str]:
    yield _("refused now: {why}").format(why=why_in_words(values["reason"], values))


def _pattern(values: Json) -> Iterator[str]:
    told = _(
        "its address looks like a page of class {page_class}, judging by the other pages of its site"
    )
    if values["by_hand"]:
        told = _("its address looks like {page_class} (pinned)")
    yield told.format(page_class=class_name(values["class"]))


def _explored(values: Json) -> Iterator[str]:
    told = _("of its site {pages} were judged, {relevant:,} relevant")
    yield told.format(pages=counted(values["pages"], "page"), relevant=values["relevant"])


def _answer_now(values: Json) -> Iterator[str]:
    told = _("read as {page_class}, {outcome}") if values["class"] else _("nothing came")
    outcome = answer_words(values["outcome"], values["reason"], values["status"])
    yield told.format(page_class=class_name(values["class"]), outcome=outcome)
    if values["title"]:
        yield _("title {title}").format(title=values["title"][:LONGEST_HEADLINE])
