"""``scrapy explain NAME WHAT``: why a page is in the results, or is not. WHAT is an address, a host or a title."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.exceptions import UsageError

from focuscrawl.locale.messages import N_, _
from focuscrawl.output.explain.facts import Fact, KnownAddress, Question, Verdict
from focuscrawl.output.explain.log_book import MOST_MATCHES, LogBook
from focuscrawl.output.explain.reasons import class_name, outcome_name
from focuscrawl.output.explain.scores import text_score
from focuscrawl.output.explain.verdict import find_verdict
from focuscrawl.output.explain.words import Sentences
from focuscrawl.output.summary.lines import counted
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.stores.state.protocol import FAILED, PARKED, WAITING
from focuscrawl.urls.canonical import LONGEST_URL
from focuscrawl.urls.same_pages import other_address
from focuscrawl.urls.sites import site_of
from focuscrawl.verbs.call import Call, CannotDo
from focuscrawl.verbs.explain.list_links import links_on_lists
from focuscrawl.verbs.explain.look import look_at, topic_places
from focuscrawl.verbs.trial import fetch

if TYPE_CHECKING:
    from focuscrawl.template.load import LoadedTemplate
    from focuscrawl.verbs.explain import look
    from focuscrawl.verbs.trial import FetchedPage

WHAT_SHOWN = 200
"""Characters of what is no address: enough to see why."""

LONGEST_WHAT = 10_000
"""Characters that are looked at at all: addresses end at LONGEST_URL, and no title is so long."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|mailto:|javascript:|data:", re.IGNORECASE)
_HOST_WRITTEN = re.compile(
    r"(?:[\w-]+\.)+[A-Za-z][\w-]*(?::\d+)?"
    r"|(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]+)?"
    r"|\[[0-9a-f:.]+\](?::[0-9]+)?"
    r"|[a-z][a-z0-9-]*:[0-9]+",
    re.IGNORECASE,
)
"""A name with a dot, an address of the Internet, or a name in a network of one's own with its port."""


class Answer(NamedTuple):
    """What is known of one address: in words, and as plain values."""

    lines: list[str]
    plain: dict[str, Any]


def explain(call: Call, args: Sequence[str]) -> str:
    """Say why a page is in the results, or is not; several that fit are listed."""
    what = " ".join(args[1:]).strip()
    if len(args) < 2:
        raise UsageError(_("scrapy explain NAME WHAT: an address, a host, or a part of a title"))
    if not what:
        raise CannotDo(_("say what: an address, a host, or a part of a title"))
    if len(what) > LONGEST_WHAT:
        told = _("{number:,} characters: no address and no title is so long")
        raise CannotDo(told.format(number=len(what)))
    loaded = call.loaded(args[:1], secrets=bool(call.options.fetch))
    with topic_places(call, loaded) as (places, log_book):
        rules = AdmissionRules.from_template(loaded.template, places.config.clock.wall())
        words = Sentences(loaded.template.topic.timezone, places.config.clock.wall())
        urls, host = _addresses(what, rules, log_book)
        if not urls and not host:
            if _ADDRESS.match(what):
                return _told(call, _no_address(what, rules, words))
            told = _(
                "no page of {name} has {what!r} in its title; to ask about a page that was never seen, give"
                " its whole address"
            )
            raise CannotDo(told.format(name=places.name, what=what))
        if len(urls) > 1:
            lines = [*words.matches(what, urls, MOST_MATCHES, places.name)]
            shown = [*urls.items()][:MOST_MATCHES]
            plain = {"matches": [{"url": url, "title": title} for url, title in shown]}
            return _told(call, Answer(lines, plain))
        sites = [site_of(url) for url in urls] or [host]
        with look_at(call, loaded, places, log_book, sites) as topic:
            if host:
                return _told(call, _of_host(host, topic, words))
            known = find_known(topic, next(iter(urls)))
            answer = _answer(known, words)
            if call.options.fetch:
                answer = _with_fetched(answer, known, loaded, topic, words)
            return _told(call, answer)


def _told(call: Call, answer: Answer) -> str:
    if call.options.json:
        return json.dumps(answer.plain, ensure_ascii=False, indent=2, default=_plain)
    return "\n".join(answer.lines)


def _plain(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else str(value)


# What is asked about ---------------------------------------------------------------------------------


def _addresses(what: str, rules: AdmissionRules, log_book: LogBook) -> tuple[dict[str, str], str]:
    """Return the addresses that are asked about, with the titles by which they were found, or else the host."""
    if _ADDRESS.match(what):
        return ({what: ""} if rules.address(what) else {}), ""
    if _HOST_WRITTEN.fullmatch(what):
        site = site_of(f"http://{what}/")
        titles = {} if log_book.has_host(site) else log_book.with_title(what)
        return (titles, "") if titles else ({}, site)
    head, slash, _path = what.partition("/")
    if not slash and (site := site_of(f"http://{what}/")) and log_book.has_host(site):
        return {}, site  # a name without a dot, as in a network of one's own
    if slash and _HOST_WRITTEN.fullmatch(head) and rules.address(f"http://{what}"):
        return {f"http://{what}": ""}, ""
    return log_book.with_title(what), ""


def find_known(topic: look.TopicLook, url: str) -> KnownAddress:
    """Return what is known of an address; where nothing is, of the other address of its page."""
    rules = topic.run.rules
    known = topic.known(url)
    others = [other_address(rules.canonicalizer, url)]
    others += rules.same.twins(known.question.url, known.question.site)
    if not known.has_seen and not known.question.is_source:
        for other in filter(None, others):
            found = topic.known(other)
            if found.has_seen:
                return found
    return known


def _no_address(what: str, rules: AdmissionRules, words: Sentences) -> Answer:
    reason = "length" if len(what) > LONGEST_URL else rules.look(what).refused or "invalid"
    verdict = Verdict("no_address", {"reason": reason})
    return Answer([what[:WHAT_SHOWN], words.answer(verdict)], {"url": what, **_verdict(verdict)})


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {"fate": verdict.fate, **verdict.values}


def _answer(known: KnownAddress, words: Sentences) -> Answer:
    verdict = find_verdict(known)
    return Answer([*words.address(known, verdict)], as_plain(known, verdict))


def as_plain(known: KnownAddress, verdict: Verdict) -> dict[str, Any]:
    """Return the same as plain values."""
    question = known.question
    return {
        "url": question.url,
        "verdict": _verdict(verdict),
        "page": dict(question.page) or None,
        "found_on": known.linked_from.get("url"),
        "is_source": question.is_source,
        "waits": waiting_of(question),
        "facts": [{"kind": one.kind, "stops": one.stops, **one.values} for one in known.facts],
        "lists": [one._asdict() for one in known.lists],
        "runs": known.runs,
    }


def waiting_of(question: Question) -> dict[str, Any] | None:
    """Return how a URL waits."""
    row = question.row
    if not row:
        return None
    states = {FAILED: "failed", PARKED: "parked"}
    waiting = row.waiting
    return {
        "state": states.get(row.state, "waiting"),
        "level": waiting.level,
        "class": waiting.page_class,
        "depth": waiting.depth,
        "anchor": waiting.anchor,
        "source_id": waiting.source_id,
        "reason": row.reason,
        "tries": row.tries,
        "next_try": row.next_try,
    }


# A host ----------------------------------------------------------------------------------------------


def _of_host(host: str, topic: look.TopicLook, words: Sentences) -> Answer:
    """Say what is known of a site: its pages by outcome, what waits, how it is treated."""
    known = topic.known(f"http://{host}/")
    outcomes = topic.log_book.outcomes_of(host)
    queues = topic.store.queues_of_site(host)
    lists = known.lists or topic.log_book.lists_of(host, f"http://{host}/")
    about = [one for one in known.facts if one.kind in _OF_SITE or one.stops]
    lines = [host, _site_answer(outcomes, sum(one.rows for one in queues), known)]
    for outcome, page_class, reason, count in outcomes[:MOST_MATCHES]:
        both = (class_name(page_class), outcome_name(outcome, reason))
        told = " ".join(dict.fromkeys(both))  # a list that was read as one
        lines.append(f"  {count:>6,} {told}")
    for queue in queues:
        told = _("{state} in level {level}")
        if queue.explores:
            told = _("{state} in the lane of exploration")
        told = told.format(state=_(_STATES[queue.state]), level=queue.level)
        lines.append(f"  {queue.rows:>6,} {told}")
    lines += [f"  {line}" for fact in about for line in words.fact(fact)]
    for one in lists:
        told = _("  {page_class} {url}, last read {moment}")
        moment = words.moment(one.read_at)
        lines.append(told.format(page_class=class_name(one.page_class), url=one.url, moment=moment))
    plain = {
        "host": host,
        "pages": [
            {"outcome": one[0], "class": one[1], "reason": one[2], "count": one[3]}
            for one in outcomes
        ],
        "queues": [one._asdict() for one in queues],
        "facts": [{"kind": one.kind, "stops": one.stops, **one.values} for one in about],
        "lists": [one._asdict() for one in lists],
    }
    return Answer(lines, plain)


_STATES = {WAITING: N_("waiting"), FAILED: N_("failed"), PARKED: N_("parked")}

_OF_SITE = frozenset({"delay", "hours", "retry_after", "quota", "ban", "explored"})
"""What is known of an address because of its site."""


def _site_answer(outcomes: Sequence[tuple[Any, ...]], waiting: int, known: KnownAddress) -> str:
    pages = sum(one[3] for one in outcomes)
    stored = sum(one[3] for one in outcomes if one[0] in ("stored", "unchanged"))
    if pages or waiting:
        told = _("{pages} asked for, {stored:,} of them stored; {urls} in its queues.")
        urls = counted(waiting, "URL")
        return told.format(pages=counted(pages, "page"), stored=stored, urls=urls)
    if stops := known.stops:
        return Sentences.of_site(stops)
    return _("Nothing of this site was ever found: no page that was read links to it.")


# What it would be now ---------------------------------------------------------------------------------


def _with_fetched(
    answer: Answer,
    known: KnownAddress,
    loaded: LoadedTemplate,
    topic: look.TopicLook,
    words: Sentences,
) -> Answer:
    """Ask for an address, and for the lists that should show it, and say what would be made of it."""
    url = known.question.url
    with tempfile.TemporaryDirectory(prefix="focuscrawl-explain-") as folder:
        page = next(iter(fetch(loaded, [url], Path(folder))), None)
        fetched = [*_fetched(page, loaded)]
        shown = []
        if known.lists:
            lists = [one.url for one in known.lists]
            at = Path(folder) / "lists"
            shown = links_on_lists(loaded, lists, known.question.key, topic.run.rules, at)
    lines = [*answer.lines, _("asked for now:")]
    lines += [f"  {line}" for fact in fetched for line in words.fact(fact)]
    lines += [f"  {words.list_now(one)}" for one in shown]
    plain = {
        "now": [{"kind": one.kind, **one.values} for one in fetched],
        "lists_now": [one._asdict() for one in shown],
    }
    return Answer(lines, {**answer.plain, **plain})


def _fetched(page: FetchedPage | None, loaded: LoadedTemplate) -> Iterator[Fact]:
    if not page:
        nothing = {"outcome": "", "reason": "", "status": 0}
        yield Fact("answer", {"class": "", "why": "nothing came", "title": "", **nothing})
        return
    came = {"outcome": page.outcome, "reason": page.reason, "status": page.status}
    yield Fact("answer", {"class": page.page_class, "why": page.why, "title": page.title, **came})
    if page.text:
        score = text_score(loaded.template, page.title, page.text)
        yield score
        yield Fact("would_be", {"stored": score.values["relevant"], "class": page.page_class})
